package sql

import (
	"isochron/sql/session"
	"slices"
	"strings"

	gms "github.com/dolthub/go-mysql-server/sql"
)

// What has lost to other transactions is done again here, if its client has seen
// nothing of it: a statement that is its own transaction, the first statement of an
// explicit one, or several statements that came in one packet (packet.go). It must
// then be as if the first try had never been: what a session keeps beside its
// transaction is put back, and what cannot be put back is not done again.

// sessionState is how a session is before something that may be done again. It has
// no transaction that has begun.
type sessionState struct {
	open       *transaction // nil: none
	readOnly   bool         // of it
	marks      []mark
	ignoreAuto bool // the transaction is an explicit one
	next       *session.NextCharacteristics
	rowCount   int64
	foundRows  int64
	insertID   int64
	insertUUID any
	variables  int // how many of users were noted
}

// stateOf is how a session is now.
func stateOf(s *Session) (st sessionState) {
	if t := s.open; t != nil {
		st.open, st.readOnly, st.marks = t, t.readOnly, slices.Clone(t.marks)
	}
	st.ignoreAuto = s.GetIgnoreAutoCommit()
	if s.Next != nil {
		n := *s.Next
		st.next = &n
	}
	last := s.GetLastQueryInfo()
	st.rowCount, st.foundRows, st.insertID, st.insertUUID = last.RowCount.Load(), last.FoundRows.Load(), last.LastInsertId.Load(), last.LastInsertUUID.Load()
	if !s.packet.held {
		s.userVariables.list = s.userVariables.list[:0] // nothing goes back further
	}
	s.userVariables.from = len(s.userVariables.list)
	st.variables = s.userVariables.from
	return st
}

// restore has the session stand as it did; what it had open has ended.
func (st *sessionState) restore(s *Session) {
	s.open = nil
	s.SetTransaction(nil)
	if st.open != nil {
		s.open = &transaction{s: s, readOnly: st.readOnly, marks: slices.Clone(st.marks)}
		s.SetTransaction(s.open)
	}
	s.SetIgnoreAutoCommit(st.ignoreAuto)
	s.Next = nil
	if st.next != nil {
		n := *st.next
		s.Next = &n
	}
	last := s.GetLastQueryInfo()
	last.RowCount.Store(st.rowCount)
	last.FoundRows.Store(st.foundRows)
	last.LastInsertId.Store(st.insertID)
	if st.insertUUID != nil {
		last.LastInsertUUID.Store(st.insertUUID)
	}
	s.userVariables.undo(s, st.variables)
	s.stats.Again++
}

// userVariables are the user variables that were set since the session stood, as they
// were before.
type userVariables struct {
	list []variable
	from int // where what was noted since begins: each once
}

type variable struct {
	name  string
	value any
	of    gms.Type
}

// SetUserVariable implements gms.Session.
func (s *Session) SetUserVariable(ctx *gms.Context, name string, value any, of gms.Type) error {
	beside, b := int64(0), s.gateway.budget
	if s.wire != nil {
		beside = s.wire.long.bytes
	}
	if err := b.Keep(&s.kept, name, value, beside, b.Limit(s.quiet, connectionMemory, b.Connection)); err != nil {
		return err
	}
	known := func(v variable) bool { return strings.EqualFold(v.name, name) }
	if v := &s.userVariables; !slices.ContainsFunc(v.list[min(v.from, len(v.list)):], known) {
		t, old, err := s.GetUserVariable(ctx, name)
		if err != nil {
			return err
		}
		v.list = append(v.list, variable{name, old, t})
	}
	return s.BaseSession.SetUserVariable(ctx, name, value, of)
}

// undo has the variables be what they were when so many were noted.
func (v *userVariables) undo(s *Session, noted int) {
	for i := len(v.list) - 1; i >= noted; i-- {
		// It was there with this value, or was NULL as all are that were never set.
		_ = s.BaseSession.SetUserVariable(s.quiet, v.list[i].name, v.list[i].value, v.list[i].of)
	}
	v.list, v.from = v.list[:min(noted, len(v.list))], noted
}

// AddLock and DelLock are called for GET_LOCK and RELEASE_LOCK, which cannot be undone.

// AddLock implements gms.Session.
func (s *Session) AddLock(name string) error {
	s.statement.lasts()
	return s.BaseSession.AddLock(name)
}

// DelLock implements gms.Session.
func (s *Session) DelLock(name string) error {
	s.statement.lasts()
	return s.BaseSession.DelLock(name)
}
