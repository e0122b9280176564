package parse

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// SOUNDS LIKE, which the parser does not know. It is read as REGEXP, with a mark before the right operand that binds closest:
// a SOUNDS LIKE b + 1 is a REGEXP `mark` ^ b + 1, whose first leaf on the right is `mark` ^ b.

// soundsMark is a name; a text that has it already is not changed.
const soundsMark = "sounds like, a mark of the parser"

// marked is the text with SOUNDS LIKE as the parser can read it; false: there is none.
func marked(text string) (string, bool) {
	if !strings.Contains(strings.ToLower(text), "sounds") || strings.Contains(text, soundsMark) {
		return text, false
	}
	var out strings.Builder
	s := scanner{text: text}
	done, found := 0, false
	for {
		s.space()
		if s.at >= len(s.text) {
			break
		}
		switch c := s.text[s.at]; {
		case c == '\'' || c == '"' || c == '`':
			s.quoted()
		case wordByte(c):
			start := s.at
			if !strings.EqualFold(s.word(), "sounds") {
				continue
			}
			end := s.at
			if !strings.EqualFold(s.word(), "like") {
				s.at = end
				continue
			}
			out.WriteString(text[done:start] + "REGEXP `" + soundsMark + "` ^ ")
			done, found = s.at, true
		default:
			s.at++
		}
	}
	out.WriteString(text[done:])
	return out.String(), found
}

// unmarked has SOUNDEX(a) = SOUNDEX(b) in the place of a marked REGEXP. It returns nil if a mark is elsewhere.
func unmarked(tree sqlparser.Statement) sqlparser.Statement {
	left := 0
	out := sqlparser.CopyOnRewrite(tree, nil, func(c *sqlparser.CopyOnWriteCursor) {
		switch n := c.Node().(type) {
		case *sqlparser.ColName:
			left += count(n)
		case *sqlparser.ComparisonExpr:
			if n.Operator != sqlparser.RegexpOp {
				return
			}
			if right, ok := withoutMark(n.Right); ok {
				left--
				c.Replace(&sqlparser.ComparisonExpr{Operator: sqlparser.EqualOp, Left: soundex(n.Left), Right: soundex(right)})
			}
		}
	}, nil)
	if left != 0 {
		return nil
	}
	return out.(sqlparser.Statement)
}

func count(n *sqlparser.ColName) int {
	if n.Qualifier.IsEmpty() && n.Name.String() == soundsMark {
		return 1
	}
	return 0
}

func soundex(e sqlparser.Expr) sqlparser.Expr {
	return &sqlparser.FuncExpr{Name: sqlparser.NewIdentifierCI("soundex"), Exprs: []sqlparser.Expr{e}}
}

// withoutMark is an operand without the mark that its first leaf has; false: it has none.
func withoutMark(e sqlparser.Expr) (sqlparser.Expr, bool) {
	switch e := e.(type) {
	case *sqlparser.BinaryExpr:
		if mark, ok := e.Left.(*sqlparser.ColName); ok && e.Operator == sqlparser.BitXorOp && count(mark) == 1 {
			return e.Right, true
		}
		left, ok := withoutMark(e.Left)
		return &sqlparser.BinaryExpr{Operator: e.Operator, Left: left, Right: e.Right}, ok
	case *sqlparser.CollateExpr:
		inner, ok := withoutMark(e.Expr)
		return &sqlparser.CollateExpr{Expr: inner, Collation: e.Collation}, ok
	case *sqlparser.IntervalDateExpr:
		date, ok := withoutMark(e.Date)
		return &sqlparser.IntervalDateExpr{Syntax: e.Syntax, Date: date, Interval: e.Interval, Unit: e.Unit}, ok
	}
	return e, false
}
