package window

import (
	"strconv"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// havingColumn begins the name of an aggregate that HAVING has and the list has not.
const havingColumn = "isochron having "

// namedHaving has the HAVING of a join name aggregates of columns that are named with their table:
// the engine finds those of the first aggregate, and of others only by the column's name, which
// another table may have too. It gives the aggregates that are to be added to the list.
func namedHaving(s *sqlparser.Select) (added sqlparser.SelectExprs) {
	if s.Having == nil || !joins(s.From) {
		return nil
	}
	var parts []sqlparser.Expr
	within(func(node sqlparser.SQLNode) bool {
		switch n := node.(type) {
		case *sqlparser.FuncExpr:
			if !isAggregate(n) {
				return true
			}
		case *sqlparser.GroupConcatExpr:
		default:
			return true
		}
		if qualified(node) {
			parts = append(parts, node.(sqlparser.Expr))
		}
		return false
	}, s.Having)
	named := map[string]sqlparser.ColIdent{}
	for _, e := range s.SelectExprs {
		if item := e.(*sqlparser.AliasedExpr); item.As.IsEmpty() {
			named[sqlparser.String(item.Expr)] = sqlparser.NewColIdent(shownName(item))
		}
	}
	for _, part := range parts {
		text := sqlparser.String(part)
		name, ok := named[text]
		if !ok {
			name = sqlparser.NewColIdent(havingColumn + strconv.Itoa(len(added)+1))
			named[text], added = name, append(added, &sqlparser.AliasedExpr{Expr: part, As: name})
		}
		for _, e := range s.SelectExprs {
			if item := e.(*sqlparser.AliasedExpr); item.As.IsEmpty() && sqlparser.String(item.Expr) == text {
				item.As = name
			}
		}
		s.Having.Expr = sqlparser.ReplaceExpr(s.Having.Expr, part, &sqlparser.ColName{Name: name})
	}
	return added
}

// joins reports whether there is more than one table.
func joins(from sqlparser.TableExprs) bool {
	if len(from) != 1 {
		return len(from) > 1
	}
	switch t := from[0].(type) {
	case *sqlparser.ParenTableExpr:
		return joins(t.Exprs)
	case *sqlparser.JoinTableExpr:
		return true
	}
	return false
}

// qualified reports whether a column is named with its table.
func qualified(node sqlparser.SQLNode) (is bool) {
	within(func(n sqlparser.SQLNode) bool {
		c, ok := n.(*sqlparser.ColName)
		is = is || ok && !c.Qualifier.IsEmpty()
		return !is
	}, node)
	return is
}
