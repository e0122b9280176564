package parse

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"
)

// Change parses a text that is a single INSERT, REPLACE, UPDATE or DELETE; nil: it is none, or it is for another parser. Its
// parameters are arguments v1, v2, ... in their order.
func Change(text string) sqlparser.Statement {
	switch stmt := statement(text).(type) {
	case *sqlparser.Insert, *sqlparser.Update, *sqlparser.Delete:
		return stmt
	}
	return nil
}

// ChangesBehindWith reports whether the statement behind a WITH clause is no query.
func ChangesBehindWith(text string) bool {
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
			switch word := strings.ToLower(s.word()); {
			case depth > 0:
			case word == "update" || word == "delete":
				return true
			case word == "select" || word == "table" || word == "values":
				return false
			}
		default:
			s.at++
		}
	}
	return false
}
