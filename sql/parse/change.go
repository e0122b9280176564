package parse

import (
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
