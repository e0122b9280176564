package parse

import (
	"regexp"
	"strconv"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/expr"
)

// Read parses a text that is a single query, under a mode; nil, nil: it is a statement of another kind. An error has MySQL's
// number.
func Read(text string, m Mode) (sqlparser.TableStatement, error) {
	stmt, err := parsed(text, m)
	if err != nil {
		return nil, err
	}
	s, _ := stmt.(sqlparser.TableStatement)
	return s, nil
}

// nearMax bounds what an error shows of a text, in bytes, as MySQL does.
const nearMax = 80

// position is how the parser's error names a place: behind the token that it did not expect, from 1.
var position = regexp.MustCompile(`(?s)^(.*?) at position (\d+)(?: near '(.*)')?\s*$`)

// syntaxError is MySQL's error for one of the parser's, over the text that it has read.
func syntaxError(text string, err error) error {
	at := len(text)
	if m := position.FindStringSubmatch(strings.TrimSpace(err.Error())); m != nil {
		behind, _ := strconv.Atoi(m[2])
		behind = min(behind-1, len(text))
		switch i := strings.LastIndex(text[:max(behind, 0)], m[3]); {
		case m[3] == "" && behind < len(text):
			at = max(behind-1, 0)
		case m[3] == "":
		case i >= 0:
			at = i
			if i > 0 && strings.IndexByte("'\"`", text[i-1]) >= 0 {
				at--
			}
		}
	}
	return SyntaxError(text, at)
}

// SyntaxError is MySQL's error for a text that cannot be read from a place on.
func SyntaxError(text string, at int) error {
	near := text[at:]
	if len(near) > nearMax {
		near = strings.ToValidUTF8(near[:nearMax], "")
	}
	return expr.NewError(1064, "42000", "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '%s' at line %d", near, 1+strings.Count(text[:at], "\n"))
}

// IsQuery reports whether a text is a query as far as its words tell, though it may not be parsed: WITH may also begin a change.
func IsQuery(text string) bool {
	s := scanner{text: Executed(text)}
	depth, with := 0, false
	for s.space(); s.at < len(s.text); s.space() {
		switch c := s.text[s.at]; {
		case c == '\'' || c == '"' || c == '`':
			s.quoted()
		case c == '(':
			depth++
			s.at++
		case c == ')':
			depth--
			s.at++
		case wordByte(c):
			word := strings.ToLower(s.word())
			if !with {
				if word != "with" {
					return word == "select" || word == "values" || word == "table"
				}
				with = true
				continue
			}
			switch word {
			case "update", "delete", "insert", "replace":
				if depth == 0 {
					return false
				}
			case "select", "values", "table":
				if depth == 0 {
					return true
				}
			}
		default:
			s.at++
		}
	}
	return true
}

// Expression parses an expression that is read under a mode. An error has MySQL's number.
func Expression(text string, m Mode) (sqlparser.Expr, error) {
	stmt, err := parsed("SELECT "+text, m)
	if err != nil {
		return nil, err
	}
	s, ok := stmt.(*sqlparser.Select)
	if ok && fromNothing(s.From) && s.Where == nil && s.Into == nil && s.SelectExprs != nil && len(s.SelectExprs.Exprs) == 1 {
		if e, ok := s.SelectExprs.Exprs[0].(*sqlparser.AliasedExpr); ok && e.As.IsEmpty() {
			return e.Expr, nil
		}
	}
	return nil, SyntaxError(text, 0)
}

// fromNothing reports whether a SELECT has no FROM clause: the parser has one from dual for that.
func fromNothing(from []sqlparser.TableExpr) bool {
	if len(from) != 1 {
		return len(from) == 0
	}
	t, ok := from[0].(*sqlparser.AliasedTableExpr)
	if !ok {
		return false
	}
	name, ok := t.Expr.(sqlparser.TableName)
	return ok && name.Name.String() == "dual" && name.Qualifier.IsEmpty()
}
