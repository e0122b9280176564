package sql

import (
	"context"
	"regexp"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

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

// The values of the variable; what the marks add no client has a reason to write.
const (
	readUncommitted = sysvars.ReadUncommitted
	readCommitted   = sysvars.ReadCommitted
	repeatableRead  = sysvars.RepeatableRead
	serializable    = sysvars.Serializable
	nextReadOnly    = sysvars.NextReadOnly
	nextReadWrite   = sysvars.NextReadWrite
)

var isolationType = sysvars.Type(isolationVariable)

// levelOf is the level of a value of the variable. Nothing uncommitted is ever
// shown: READ UNCOMMITTED is READ COMMITTED.
func levelOf(value string) txn.Level {
	switch value {
	case readUncommitted, readCommitted:
		return txn.ReadCommitted
	case repeatableRead:
		return txn.RepeatableRead
	}
	return txn.Serializable
}

// characteristics is how transactions run.
type characteristics struct {
	level    txn.Level
	readOnly bool
	priority txn.Priority
}

// nextCharacteristics is how the next transaction runs, where that differs.
type nextCharacteristics struct {
	level    *txn.Level
	readOnly *bool
	used     bool // that transaction has begun
}

// transactions is how the transactions of a session run.
type transactions struct {
	characteristics characteristics
	next            *nextCharacteristics // nil: as always
}

// characteristicsNow is how a transaction that begins now runs.
func (s *transactions) characteristicsNow() characteristics {
	m := s.characteristics
	if n := s.next; n != nil {
		if n.level != nil {
			m.level = *n.level
		}
		if n.readOnly != nil {
			m.readOnly = *n.readOnly
		}
	}
	return m
}

// inherit takes over the global settings, when the session begins.
func (s *transactions) inherit(v *sessionVariables) error {
	value, err := v.base.GetSessionVariable(v.quiet, isolationVariable)
	if err != nil {
		return err
	}
	text, _ := value.(string)
	if err := s.setIsolation(v.quiet, v.base, strings.TrimPrefix(text, nextMark), false); err != nil {
		return err
	}
	if value, err = v.base.GetSessionVariable(v.quiet, readOnlyVariable); err != nil {
		return err
	}
	if s.characteristics.readOnly, err = gms.ConvertToBool(v.quiet, value); err != nil {
		return err
	}
	value, err = v.base.GetSessionVariable(v.quiet, priorityVariable)
	if name, ok := value.(string); ok {
		s.characteristics.priority, _ = priorityOf(name) // whoever set it for all might
	}
	return err
}

// setIsolation sets the level, also in the variables of a session. inTransaction: one is open.
func (s *transactions) setIsolation(ctx *gms.Context, base *gms.BaseSession, value any, inTransaction bool) error {
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
		base.Warn(&gms.Warning{Level: "Note", Code: codeUnspecified, Message: "READ UNCOMMITTED runs as READ COMMITTED"})
		text = readCommitted
	}
	if isNext {
		return s.setNext(text, inTransaction)
	}
	s.characteristics.level = levelOf(text)
	if err := base.SetSessionVariable(ctx, isolationAlias, text); err != nil {
		return err
	}
	return base.SetSessionVariable(ctx, isolationVariable, text)
}

func (s *transactions) setReadOnly(ctx *gms.Context, base *gms.BaseSession, value any) error {
	for _, name := range []string{readOnlyAlias, readOnlyVariable} {
		if err := base.SetSessionVariable(ctx, name, value); err != nil {
			return err
		}
	}
	stored, err := base.GetSessionVariable(ctx, readOnlyVariable)
	if err == nil {
		s.characteristics.readOnly, err = gms.ConvertToBool(ctx, stored)
	}
	return err
}

// setNext is for the next transaction alone.
func (s *transactions) setNext(text string, inTransaction bool) error {
	if inTransaction {
		return mysql.NewSQLError(1568, "25001", "Transaction characteristics can't be changed while a transaction is in progress")
	}
	if s.next == nil {
		s.next = &nextCharacteristics{}
	}
	switch text {
	case nextReadOnly, nextReadWrite:
		readOnly := text == nextReadOnly
		s.next.readOnly = &readOnly
	default:
		level := levelOf(text)
		s.next.level = &level
	}
	return nil
}

// afterStatement forgets how the next transaction runs, once that has ended. open: there is a
// transaction; explicit: it is no statement's own.
func (s *transactions) afterStatement(open, explicit bool) {
	switch {
	case s.next == nil:
	case !open && s.next.used:
		s.next = nil
	case open && explicit:
		s.next.used = true // though it may have touched nothing yet
	}
}

// readsOnly reports whether what comes next must not write: the open transaction's, or one of its
// own if open is nil.
func (s *transactions) readsOnly(open *transaction) bool {
	if open != nil {
		return open.readOnly
	}
	return s.characteristicsNow().readOnly
}

// locksReads reports whether what is read at sources is locked: at SERIALIZABLE, also of a transaction
// that has not begun there yet.
func (s *transactions) locksReads(open *transaction) bool {
	if open.begun() {
		return open.level == txn.Serializable
	}
	return s.characteristicsNow().level == txn.Serializable
}

// weak reports whether a transaction's plain reads are not validated; nil has none.
func (t *transaction) weak() bool { return t != nil && t.level != txn.Serializable }

// chooseReadTS does what START TRANSACTION WITH CONSISTENT SNAPSHOT asks for.
func chooseReadTS(ctx context.Context, s *Session) error {
	if !s.statement.consistent || s.open == nil {
		return nil
	}
	if s.characteristicsNow().level != txn.RepeatableRead {
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

// consistentSnapshot finds the phrase beside READ ONLY, where the engine's parser
// takes only one of them. Spaces of the same length stand for it then.
var consistentSnapshot = regexp.MustCompile(`(?i),\s*with\s+consistent\s+snapshot\b|\bwith\s+consistent\s+snapshot\s*,`)

// begins matches a START TRANSACTION of several words.
var begins = regexp.MustCompile(`(?i)^\s*start\s+transaction\s`)

func blankSnapshot(query string) string {
	if len(query) > 200 || !begins.MatchString(query) {
		return query
	}
	return consistentSnapshot.ReplaceAllStringFunc(query, func(found string) string { return strings.Repeat(" ", len(found)) })
}

// noteBegin remembers what a START TRANSACTION asks for that is not in its tree: a moment, and
// a priority. What stands behind it in its packet is not its.
func noteBegin(ctx context.Context, query string, stmt sqlparser.Statement) {
	if _, ok := stmt.(*sqlparser.Begin); !ok {
		return
	}
	if gctx, ok := ctx.(*gms.Context); ok {
		if s, ok := gctx.Session.(*Session); ok {
			s.statement.wants(strings.Contains(strings.ToLower(query), "consistent"), query)
		}
	}
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
