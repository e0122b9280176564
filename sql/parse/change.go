package parse

import (
	"strings"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/expr"
)

// Change parses a text that is a single INSERT, REPLACE, UPDATE or DELETE; nil: it is none, or it is for another parser. Its
// parameters are arguments v1, v2, ... in their order.
func Change(text string) sqlparser.Statement {
	if !plain(text) {
		return nil
	}
	stmt, err := expr.Environment().Parser().Parse(strings.TrimRight(text, "; \t\r\n"))
	if err != nil {
		return nil
	}
	switch stmt.(type) {
	case *sqlparser.Insert, *sqlparser.Update, *sqlparser.Delete:
		return stmt
	}
	return nil
}
