package sql

import (
	"context"
	"regexp"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"isochron/sql/legacy"
	"isochron/sql/session"
	"isochron/sql/sysvars"
	"isochron/txn"
)

// The variables that say how transactions run; the second names are MySQL's old ones.
const (
	isolationVariable = sysvars.Isolation
	isolationAlias    = sysvars.IsolationOld
	readOnlyVariable  = sysvars.ReadOnly
	readOnlyAlias     = sysvars.ReadOnlyOld
)

// nextMark begins the values that are for the next transaction alone: the engine
// does not tell SET TRANSACTION from SET SESSION TRANSACTION, so the parser marks it.
const nextMark = sysvars.NextMark

var isolationType = legacy.VariableType(isolationVariable)

// inherit takes over the global settings, when the session begins.
func inherit(s *Session) error {
	value, err := s.GetSessionVariable(s.quiet, isolationVariable)
	if err != nil {
		return err
	}
	text, _ := value.(string)
	if err := setIsolation(s.quiet, s, strings.TrimPrefix(text, nextMark)); err != nil {
		return err
	}
	if value, err = s.GetSessionVariable(s.quiet, readOnlyVariable); err != nil {
		return err
	}
	if s.Characteristics.ReadOnly, err = gms.ConvertToBool(s.quiet, value); err != nil {
		return err
	}
	value, err = s.GetSessionVariable(s.quiet, priorityVariable)
	if name, ok := value.(string); ok {
		s.Characteristics.Priority, _ = priorityOf(name) // the account that set it for all might
	}
	return err
}

// setIsolation sets the level, also in the variables of a session.
func setIsolation(ctx *gms.Context, s *Session, value any) error {
	converted, _, err := isolationType.Convert(ctx, value)
	if err != nil {
		return err
	}
	text, _ := converted.(string)
	next, isNext := strings.CutPrefix(text, nextMark)
	if isNext {
		text = next
	}
	if text == readUncommitted {
		s.Warn(&gms.Warning{Level: "Note", Code: codeUnspecified, Message: "READ UNCOMMITTED runs as READ COMMITTED"})
		text = readCommitted
	}
	if isNext {
		return ofEngine(s.SetNext(text, s.GetIgnoreAutoCommit() || s.open.begun()))
	}
	s.Characteristics.Level = session.LevelOf(text)
	if err := s.BaseSession.SetSessionVariable(ctx, isolationAlias, text); err != nil {
		return err
	}
	return s.BaseSession.SetSessionVariable(ctx, isolationVariable, text)
}

func setReadOnly(ctx *gms.Context, s *Session, value any) error {
	for _, name := range []string{readOnlyAlias, readOnlyVariable} {
		if err := s.BaseSession.SetSessionVariable(ctx, name, value); err != nil {
			return err
		}
	}
	stored, err := s.GetSessionVariable(ctx, readOnlyVariable)
	if err == nil {
		s.Characteristics.ReadOnly, err = gms.ConvertToBool(ctx, stored)
	}
	return err
}

// readsOnly reports whether what comes next must not write: the open transaction's, or one of its
// own.
func readsOnly(s *Session) bool {
	if s.open != nil {
		return s.open.readOnly
	}
	return s.Now().ReadOnly
}

// locksReads reports whether what is read at sources is locked: at SERIALIZABLE, also of a transaction
// that has not begun there yet.
func locksReads(s *Session) bool {
	if s.open.begun() {
		return s.open.level == txn.Serializable
	}
	return s.Now().Level == txn.Serializable
}

// weak reports whether a transaction's plain reads are not validated; nil has none.
func (t *transaction) weak() bool { return t != nil && t.level != txn.Serializable }

// chooseReadTS does what START TRANSACTION WITH CONSISTENT SNAPSHOT asks for.
func chooseReadTS(ctx context.Context, s *Session) error {
	if s.Now().Level != txn.RepeatableRead {
		s.Warn(&gms.Warning{Level: "Warning", Code: 138,
			Message: "WITH CONSISTENT SNAPSHOT was ignored: it goes with REPEATABLE READ; other levels choose no moment for a whole transaction"})
		return nil
	}
	s.open.begin()
	if m, ok := unwatched(s.open.real).(txn.SnapshotTxn); ok {
		return s.statement.note(m.Choose(ctx))
	}
	return nil
}

// unscoped matches a SET of the variable without a scope, which the tree tells as
// one of the session.
var unscoped = regexp.MustCompile(`(?i)@@(?:transaction|tx)_isolation\s*:?=`)

// markNext marks what a SET says of the next transaction alone: SET TRANSACTION, and
// SET @@transaction_isolation without a scope. MySQL's old name becomes the new one.
func markNext(query string, stmt sqlparser.Statement) {
	set, ok := stmt.(*sqlparser.Set)
	if !ok {
		return
	}
	for _, e := range set.Exprs {
		v, literal := e.Expr.(*sqlparser.SQLVal)
		switch strings.ToLower(e.Name.String()) {
		case sqlparser.TransactionStr:
			if e.Scope == sqlparser.SetScope_None && literal {
				text := strings.TrimPrefix(strings.ToLower(string(v.Val)), "isolation level ")
				toNext(e, strings.ReplaceAll(text, " ", "-"))
			}
		case isolationVariable, isolationAlias:
			e.Name = sqlparser.NewColName(isolationVariable)
			if e.Scope != sqlparser.SetScope_Global && literal && v.Type == sqlparser.StrVal && unscoped.MatchString(query) {
				toNext(e, string(v.Val))
			}
		}
	}
}

func toNext(e *sqlparser.SetVarExpr, value string) {
	e.Name, e.Scope = sqlparser.NewColName(isolationVariable), sqlparser.SetScope_Session
	e.Expr = sqlparser.NewStrVal([]byte(nextMark + strings.ToUpper(value)))
}
