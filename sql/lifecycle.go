package sql

import (
	"context"

	"isochron/txn"
)

// verdict is what becomes of a statement that has failed.
type verdict struct {
	retry   bool
	failure *txn.Error // nil: an error of the statement's own
}

// beginStatement readies the session for a try of a statement.
func (s *Session) beginStatement(try int) {
	s.account.Swap(s.gateway.budget.opened(s.chosen().memory, s.share())).close()
	notFinal := try > 0 && s.statement.notFinal
	s.statement = statement{notFinal: notFinal, own: s.autocommit() && !s.GetIgnoreAutoCommit()}
	s.statement.first = !s.statement.own && (!s.open.begun())
	if s.open.begun() {
		s.statement.mark = s.open.real.Savepoint()
		if m, ok := unwatched(s.open.real).(txn.SnapshotTxn); ok {
			m.NextStatement()
		}
	}
}

// fail cleans up after a statement that failed and says whether it should be
// done again.
func (s *Session) fail(ctx context.Context) verdict {
	f := s.statement.failure
	if s.statement.ending {
		s.end(f)
		return verdict{retry: worthwhile(f) && s.statement.repeatable(s.packet.held && !s.packet.fixed(s)), failure: f}
	}
	if !s.statement.own && f == nil {
		f = s.confirm(ctx)
	}
	if !s.statement.own && (lives(f) || f.Kind == txn.KindTooLarge && s.statement.full) {
		s.undoStatement()
		if s.open != nil && f != nil && f.Kind == txn.KindLockTimeout {
			s.open.timedOut = true
		}
		return verdict{failure: f}
	}
	if lives(f) {
		// The error was computed from reads that nobody has validated.
		if v := s.validate(ctx); v != nil {
			f = v
		}
	}
	s.end(f)
	return verdict{retry: worthwhile(f) && s.statement.repeatable(s.packet.held && !s.packet.fixed(s)), failure: f}
}

// lives reports whether a transaction goes on after an error.
func lives(f *txn.Error) bool {
	return f == nil || f.Kind == txn.KindLockTimeout || f.Kind == txn.KindNoWait || f.Kind == txn.KindInvalidRequest
}

// undoStatement rolls back the writes of the failed statement of an explicit
// transaction.
func (s *Session) undoStatement() {
	if s.open.begun() {
		s.open.real.RollbackTo(s.statement.mark)
	}
}

// validate commits the reads alone of a failed statement. What it returns
// replaces the statement's error.
func (s *Session) validate(ctx context.Context) *txn.Error {
	if !s.open.begun() || s.statement.failure != nil {
		return nil
	}
	s.open.real.RollbackTo(0)
	if s.open.real.Commit(ctx) == nil {
		return nil
	}
	return s.statement.failure
}

// confirm checks what an explicit transaction has read, if a statement of it has failed
// of what it read. The error replaces the statement's: a key that was found to be taken
// is not a truth of a transaction that has seen it free before.
func (s *Session) confirm(ctx context.Context) *txn.Error {
	if !s.open.begun() || !s.statement.read {
		return nil
	}
	if c, ok := s.open.real.(txn.Confirmer); ok && c.Confirm(ctx) != nil {
		return s.statement.failure
	}
	return nil
}

// end rolls the open transaction back and leaves the session without one.
func (s *Session) end(f *txn.Error) {
	if s.open.begun() {
		rollBack(s.open.real, txn.CauseClient)
		s.open.undefine()
		s.slowEnd(s.open, f, f == nil)
		if f != nil {
			s.gateway.observer.Aborted(f.Kind)
			if loses(f.Kind) {
				s.lose(s.open, f.Kind)
			}
		}
	}
	s.open = nil
	s.SetTransaction(nil)
	s.SetIgnoreAutoCommit(false)
}

// publish lets others go on from what the statement of an open transaction has
// written, before the client is answered: it may take its time to send the next.
func (s *Session) publish() {
	if !s.open.begun() || s.autocommit() && !s.GetIgnoreAutoCommit() {
		return
	}
	if p, ok := unwatched(s.open.real).(txn.Publisher); ok {
		p.Publish()
	}
}

// endOwn ends a transaction that a statement of its own has left open without an
// error: some commands have no commit.
func (s *Session) endOwn(ctx context.Context) error {
	if !s.statement.own || !s.open.begun() || s.GetIgnoreAutoCommit() {
		return nil
	}
	err := s.commit(ctx)
	if err == nil {
		s.SetTransaction(nil)
	}
	return err
}
