package parse

import (
	"strconv"
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/expr"
)

// Change is an INSERT, REPLACE, UPDATE or DELETE; or, of ReadStatement, any statement.
type Change struct {
	Tree sqlparser.Statement
	// Returning has the items of RETURNING, which the parser does not have, as those of a SELECT without tables; nil: there is
	// none. Texts are their texts.
	Returning *sqlparser.Select
	Texts     []string
}

// Trees are the statement, and the list of RETURNING if there is one.
func (c *Change) Trees() []sqlparser.SQLNode {
	if c.Returning == nil {
		return []sqlparser.SQLNode{c.Tree}
	}
	return []sqlparser.SQLNode{c.Tree, c.Returning}
}

// ReturningTexts are the texts of the items of a text's RETURNING clause.
func ReturningTexts(text string) []string {
	_, list := atReturning(Executed(text))
	return Items("SELECT " + list)
}

// ReadChange is ReadStatement of a change; nil, nil: it is a statement of another kind.
func ReadChange(text string, m Mode) (*Change, error) {
	out, err := ReadStatement(text, m)
	if err != nil {
		return nil, err
	}
	switch out.Tree.(type) {
	case *sqlparser.Insert, *sqlparser.Update, *sqlparser.Delete:
		return out, nil
	}
	return nil, nil
}

// ReadStatement parses a text that is a single statement of any kind, under a mode. Its parameters are arguments v1, v2, ... in
// their order. An error has MySQL's number.
func ReadStatement(text string, m Mode) (*Change, error) {
	text = Executed(text)
	head, list := text, ""
	if !IsQuery(text) {
		head, list = atReturning(text)
	}
	tree, err := parsed(settled(head), m)
	if err != nil {
		return nil, err
	}
	out := &Change{Tree: tree}
	if list == "" {
		return out, nil
	}
	query := "SELECT " + list
	items, err := parsed(query, m)
	if err != nil {
		return nil, err
	}
	s, ok := items.(*sqlparser.Select)
	d, deletes := out.Tree.(*sqlparser.Delete)
	_, inserts := out.Tree.(*sqlparser.Insert)
	if !ok || s.Where != nil || s.Limit != nil || s.OrderBy != nil || s.GroupBy != nil || s.Into != nil || !inserts && !deletes || deletes && len(d.Targets) > 0 {
		return nil, syntaxError(text, errReturning)
	}
	out.Returning, out.Texts = behind(out.Tree, s), Items(query)
	return out, nil
}

// errReturning stands for the parser's error at a RETURNING clause.
var errReturning = &expr.Unsupported{What: "RETURNING"}

// behind numbers the parameters of a list behind those of a statement.
func behind(tree sqlparser.Statement, list *sqlparser.Select) *sqlparser.Select {
	n := 0
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if _, ok := node.(*sqlparser.Argument); ok {
			n++
		}
		return true, nil
	}, tree)
	at := 0
	return sqlparser.CopyOnRewrite(list, nil, func(c *sqlparser.CopyOnWriteCursor) {
		if _, ok := c.Node().(*sqlparser.Argument); ok {
			at++
			c.Replace(sqlparser.NewArgument("v" + strconv.Itoa(n+at)))
		}
	}, nil).(*sqlparser.Select)
}

// atReturning divides a text at its RETURNING clause; list "": it has none.
func atReturning(text string) (head, list string) {
	if !hasWord(text, "returning") {
		return text, ""
	}
	s, depth := scanner{text: text}, 0
	for s.space(); s.at < len(text); s.space() {
		switch c, start := text[s.at], s.at; {
		case c == '\'' || c == '"' || c == '`':
			s.quoted()
		case c == '(':
			depth++
			s.at++
		case c == ')':
			depth--
			s.at++
		case wordByte(c):
			dotted := start > 0 && (text[start-1] == '.' || text[start-1] == '@')
			if strings.EqualFold(s.word(), "returning") && !dotted && depth == 0 && start > 0 {
				return text[:start], strings.TrimSpace(text[s.at:])
			}
		default:
			s.at++
		}
	}
	return text, ""
}

// changeWords are words behind the verb of a change that change nothing here.
var changeWords = map[string]bool{"low_priority": true, "high_priority": true, "delayed": true}

// settled is a change without the words that change nothing, and without the .* behind the targets of a DELETE.
func settled(text string) string {
	s := scanner{text: text}
	verb := strings.ToLower(s.word())
	if verb != "insert" && verb != "replace" && verb != "update" && verb != "delete" {
		return text
	}
	for at := s.at; ; at = s.at {
		word := strings.ToLower(s.word())
		if changeWords[word] || word == "quick" && verb == "delete" {
			text = text[:s.at-len(word)] + strings.Repeat(" ", len(word)) + text[s.at:]
			s.text = text
			continue
		}
		s.at = at
		break
	}
	if verb == "delete" {
		return withoutStars(text)
	}
	return text
}

// withoutStars is a DELETE without the .* behind its targets.
func withoutStars(text string) string {
	s, depth := scanner{text: text}, 0
	for s.space(); s.at < len(text); s.space() {
		switch c := text[s.at]; {
		case c == '\'' || c == '"' || c == '`':
			s.quoted()
		case c == '(':
			depth++
			s.at++
		case c == ')':
			depth--
			s.at++
		case wordByte(c):
			switch word := strings.ToLower(s.word()); word {
			case "where", "join", "using":
				return text
			}
		case depth == 0 && strings.HasPrefix(text[s.at:], ".*"):
			text = text[:s.at] + "  " + text[s.at+2:]
			s.text = text
			s.at += 2
		default:
			s.at++
		}
	}
	return text
}

// ChangesBehindWith reports whether the statement behind a WITH clause is no query.
func ChangesBehindWith(text string) bool { return !IsQuery(text) }
