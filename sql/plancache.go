package sql

import (
	"context"
	"strings"

	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	querypb "github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"isochron/sql/catalog"
	"isochron/sql/foreign"
	"isochron/sql/session"
)

// The bounds of what a session keeps of its prepared statements.
const (
	preparedTextsMax = 256 // texts; beyond it all are forgotten
	variantsMax      = 8   // of one text: its parameters' types may differ
	rowsBatch        = 1024
)

// text is what a session knows of a statement's text. It holds as long as what
// it was made under.
type text struct {
	above     bool // it has no plan for what is read below the wire library
	under     circumstances
	native    bool               // it names no table at a source
	foreign   *foreign.Statement // of a prepared statement that does; nil: not known, or none
	written   written            // of texts that do
	shownText string             // of the statement, as whoever looks at the session sees it
	core      coreTexts
	direct    *direct // of the plan last compiled, here or by another session; nil: none is one for it
}

// circumstances are all that a plan depends on besides its text and types.
type circumstances struct {
	catalogue  *catalog.Snapshot
	database   string
	settings   uint64
	privileges uint64
}

// remembered is what the session knows of a statement now, by its key; nil: it is for the
// engine.
func remembered(ctx context.Context, s *Session, key string) *text {
	snap, err := s.Catalogue(ctx)
	if err != nil {
		return nil
	}
	s.gateway.engine.Analyzer.Catalog.MySQLDb.UserActivePrivilegeSet(s.quiet)
	_, privileges := s.GetPrivilegeSet()
	now := circumstances{snap, s.GetCurrentDatabase(), s.Settings, privileges}
	return s.texts.under(key, now)
}

// texts are what a session knows of the texts of its statements, by their keys.
type texts struct {
	kept map[string]*text
	last lastText
}

// under is what is known of a statement under the circumstances of now.
func (k *texts) under(key string, now circumstances) *text {
	t := k.of(key)
	if t == nil || t.under != now {
		if len(k.kept) >= preparedTextsMax || k.kept == nil {
			k.kept = map[string]*text{}
		}
		t = &text{under: now, shownText: session.Shortened(strings.TrimPrefix(key, textKey))}
		k.kept[key], k.last = t, lastText{key, t}
	}
	return t
}

// lastText is what the session looked up last: most execute one statement many times.
type lastText struct {
	key  string
	text *text
}

// of is what was kept of a statement, if anything.
func (k *texts) of(key string) *text {
	if k.last.text == nil || k.last.key != key {
		k.last = lastText{key, k.kept[key]}
	}
	return k.last.text
}

// valueOf is a parameter as it would stand in a text; nil if it cannot.
func valueOf(bv *querypb.BindVariable) sqlparser.Expr {
	if bv == nil {
		return nil
	}
	value, err := sqltypes.BindVariableToValue(bv)
	if err != nil {
		return nil
	}
	e, err := sqlparser.ExprFromValue(value)
	if err != nil {
		return nil
	}
	return e
}

// literal is a value as the engine itself would make it.
func literal(b *planbuilder.Builder, e sqlparser.Expr) (lit *expression.Literal) {
	switch e := e.(type) {
	case *sqlparser.NullVal:
		return expression.NewLiteral(nil, types.Null)
	case *sqlparser.SQLVal:
		// What the engine cannot read it reports by a panic: then it shall report it itself.
		defer func() {
			if recover() != nil {
				lit = nil
			}
		}()
		lit, _ = b.ConvertVal(e).(*expression.Literal)
	}
	return lit
}
