package sql

import (
	"context"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/dialect"
	"isochron/sql/parse"
	"isochron/sql/table"
)

// SET of user variables to what queries return: the core computes them, as SELECT ... INTO.

// setQueries is the plan of SET of user variables of which one has a query; nil: it is another statement.
func (x *execution) setQueries(ctx context.Context) (Plan, error) {
	if x.prepare != nil || table.FirstWord(x.text) != "set" || !strings.Contains(strings.ToLower(x.text), "select") {
		return nil, nil
	}
	s, text, rest := x.s, x.text, ""
	if x.several {
		text, rest = dialect.First(text, s.coreSettings().reads.AnsiQuotes)
	}
	if err := checkSizeOf(s, text); err != nil {
		return nil, err
	}
	set, ok := parse.Statement(text).(*sqlparser.Set)
	if !ok {
		return nil, nil
	}
	tree, names := assignedQuery(set)
	if tree == nil {
		return nil, nil
	}
	p, err := compileTree(ctx, s, text, tree, nil)
	if err != nil {
		return nil, err
	}
	p.into, p.sets = names, true
	x.rest = rest
	return p, nil
}

// assignedQuery is the query of the values of a SET, and the user variables that take them; nil: a variable is none of a user, no
// value has a query, or one assigns by itself. A variable that was assigned before stands for its value.
func assignedQuery(set *sqlparser.Set) (*sqlparser.Select, []string) {
	out, names := &sqlparser.Select{SelectExprs: &sqlparser.SelectExprs{}}, []string{}
	queries, assigned := false, map[string]sqlparser.Expr{}
	for _, e := range set.Exprs {
		if e.Var.Scope != sqlparser.VariableScope {
			return nil, nil
		}
		assigns := false
		value := sqlparser.CopyOnRewrite(e.Expr, nil, func(c *sqlparser.CopyOnWriteCursor) {
			if v, ok := c.Node().(*sqlparser.Variable); ok && v.Scope == sqlparser.VariableScope && assigned[v.Name.Lowered()] != nil {
				c.Replace(sqlparser.Clone(assigned[v.Name.Lowered()]))
			}
		}, nil).(sqlparser.Expr)
		_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
			switch n.(type) {
			case *sqlparser.Subquery, *sqlparser.ExistsExpr:
				queries = true
			case *sqlparser.AssignmentExpr:
				assigns = true
			}
			return true, nil
		}, value)
		if assigns {
			return nil, nil
		}
		assigned[e.Var.Name.Lowered()] = value
		out.SelectExprs.Exprs = append(out.SelectExprs.Exprs, &sqlparser.AliasedExpr{Expr: value})
		names = append(names, e.Var.Name.String())
	}
	if !queries {
		return nil, nil
	}
	return out, names
}
