package dialect

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// called is the call of a function. The parser has nodes of their own for a hundred functions; all
// become one.
type called struct {
	name     string // in lower case
	args     []sqlparser.Expr
	stored   bool // it has a database, or its name stood in quotes and is of an aggregate: none is built in
	distinct bool
	star     bool // COUNT(*)
	over     *sqlparser.OverClause
	words    bool // words stand between its arguments
}

// callOf is the call that an expression is; false: it is none.
func callOf(x sqlparser.Expr) (called, bool) {
	switch n := x.(type) {
	case *sqlparser.FuncExpr:
		name := n.Name.Lowered()
		return called{name: name, args: n.Exprs, stored: n.Qualifier.NotEmpty() || hasNode(name)}, true
	case *sqlparser.CountStar:
		return called{name: "count", star: true, over: n.OverClause}, true
	case *sqlparser.CurTimeFuncExpr:
		c := called{name: n.Name.Lowered()}
		if n.Fsp > 0 {
			c.args = []sqlparser.Expr{sqlparser.NewIntLiteral(itoa(n.Fsp))}
		}
		return c, true
	case *sqlparser.Literal, *sqlparser.Argument, *sqlparser.ColName, *sqlparser.ValuesFuncExpr, *sqlparser.Default, *sqlparser.MatchExpr, *sqlparser.UnaryExpr, *sqlparser.Subquery, sqlparser.ValTuple,
		*sqlparser.AndExpr, *sqlparser.OrExpr, *sqlparser.NotExpr, *sqlparser.ComparisonExpr, *sqlparser.BinaryExpr: // the others have no name before a bracket
		return called{}, false
	}
	own, args := ownText(x)
	name, rest, ok := strings.Cut(own, "(")
	if !ok || strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789_") != "" || name == "" {
		return called{}, false
	}
	c := called{name: strings.ToLower(name), args: args}
	if d, ok := x.(sqlparser.DistinctableAggr); ok && d.IsDistinct() {
		c.distinct, rest = true, strings.TrimPrefix(rest, sqlparser.DistinctStr)
	}
	if w, ok := x.(sqlparser.WindowFunc); ok {
		c.over = w.GetOverClause()
	}
	c.words = strings.Trim(rest, " ,)") != ""
	return c, true
}

// hasNode reports whether a name is that of an aggregate or a window function, which the parser makes no
// FuncExpr of.
func hasNode(name string) bool {
	_, window := windowFunctions[name]
	return window || aggregateFunctions[name] || name == "group_concat"
}

// ownText is what a node writes without its operands, which follow in their order.
func ownText(x sqlparser.Expr) (text string, operands []sqlparser.Expr) {
	buf := sqlparser.NewTrackedBuffer(func(buf *sqlparser.TrackedBuffer, n sqlparser.SQLNode) {
		switch n := n.(type) {
		case *sqlparser.OverClause:
		case sqlparser.Expr:
			operands = append(operands, n)
		default:
			n.Format(buf)
		}
	})
	x.Format(buf)
	return buf.String(), operands
}

// textOf is a node's text, for people.
func textOf(n sqlparser.SQLNode) string {
	buf := sqlparser.NewTrackedBuffer(func(buf *sqlparser.TrackedBuffer, n sqlparser.SQLNode) {
		if u, ok := n.(*sqlparser.Union); ok {
			writeUnion(buf, u)
			return
		}
		n.Format(buf)
	})
	buf.Myprintf("%v", n)
	return buf.String()
}
