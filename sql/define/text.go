package define

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// Text is an expression as it is stored and shown: with all its brackets, and names of columns in quotes.
func Text(e sqlparser.Expr) string {
	buf := sqlparser.NewTrackedBuffer(format)
	buf.Myprintf("%v", e)
	return buf.String()
}

// quotedName is a name in quotes.
func quotedName(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

func format(buf *sqlparser.TrackedBuffer, node sqlparser.SQLNode) {
	switch n := node.(type) {
	case *sqlparser.ColName:
		buf.WriteString(quotedName(n.Name.String()))
	case *sqlparser.BinaryExpr:
		buf.Myprintf("(%v %s %v)", n.Left, n.Operator.ToString(), n.Right)
	case *sqlparser.FuncExpr:
		if !n.Qualifier.IsEmpty() {
			buf.Myprintf("%v.", n.Qualifier)
		}
		buf.Myprintf("%s(%n)", n.Name.Lowered(), n.Exprs)
	case *sqlparser.AndExpr:
		buf.Myprintf("(%v and %v)", n.Left, n.Right)
	case *sqlparser.OrExpr:
		buf.Myprintf("(%v or %v)", n.Left, n.Right)
	case *sqlparser.XorExpr:
		buf.Myprintf("(%v xor %v)", n.Left, n.Right)
	case *sqlparser.NotExpr:
		buf.Myprintf("(not(%v))", n.Expr)
	case *sqlparser.ComparisonExpr:
		formatComparison(buf, n)
	case *sqlparser.BetweenExpr:
		word := "between"
		if !n.IsBetween {
			word = "not between"
		}
		buf.Myprintf("(%v %s %v and %v)", n.Left, word, n.From, n.To)
	case *sqlparser.IsExpr:
		buf.Myprintf("(%v %s)", n.Left, n.Right.ToString())
	default:
		node.Format(buf)
	}
}

func formatComparison(buf *sqlparser.TrackedBuffer, n *sqlparser.ComparisonExpr) {
	operator := n.Operator.ToString()
	if n.Operator == sqlparser.NotEqualOp {
		operator = "<>"
	}
	if n.Escape != nil {
		buf.Myprintf("(%v %s %v escape %v)", n.Left, operator, n.Right, n.Escape)
		return
	}
	buf.Myprintf("(%v %s %v)", n.Left, operator, n.Right)
}
