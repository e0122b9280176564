package sql

import (
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"isochron/sql/parse"
	"isochron/sql/wire"
)

// request is a statement as it came in, with its values: those of a prepared statement's
// parameters, or those that were taken out of a text.
type request struct {
	text    string             // as the client sent it
	several bool               // more statements may stand behind it
	prepare *mysql.PrepareData // nil: it came as text
	sent    []wire.Parameter   // of prepare, where the wire library has not read them
	keyed   string             // of a text, without its values: "" if they could not be taken out
	taken   []sqlparser.Expr   // these
}

// textKey begins the keys of texts: a prepared statement may have the same words.
const textKey = "text "

// textRequest is a statement that came as text.
func textRequest(text string, several bool) request {
	r := request{text: text, several: several}
	r.keyed, r.taken, _ = parse.Parameterise(text, engineLiteral)
	return r
}

// engineLiteral is a value of a text as the engine's parser has it.
func engineLiteral(kind parse.Literal, text string) sqlparser.Expr {
	b := []byte(text)
	switch kind {
	case parse.Whole:
		return sqlparser.NewIntVal(b)
	case parse.Float:
		return sqlparser.NewFloatVal(b)
	}
	return sqlparser.NewStrVal(b)
}

// key is that under which the session remembers the statement; "": under none.
func (r *request) key() string {
	if r.prepare != nil {
		return r.prepare.PrepareStmt
	}
	return r.keyed
}

// given appends the values as int64 and string; nil if others are among them.
func (r *request) given(into []any) []any {
	switch {
	case r.sent != nil:
		return appendSent(into, r.sent)
	case r.prepare != nil:
		return appendBound(into, r.prepare)
	}
	return appendGiven(into, r.taken)
}
