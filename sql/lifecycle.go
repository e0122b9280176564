package sql

import (
	"context"

	"isochron/sql/session"
	"isochron/txn"
)

// verdict is what becomes of a statement that has failed.
type verdict struct {
	retry   bool
	failure *txn.Error // nil: an error of the statement's own
}

// beginStatement readies the session for a try of a statement.
func beginStatement(s *Session, try int) {
	s.account.Swap(s.gateway.budget.Opened(s.Chosen().Memory, s.share())).Close()
	s.statement.begin(s.Autocommit() && !s.GetIgnoreAutoCommit(), try > 0 && s.statement.notFinal, s.open)
	s.statement.over = &s.temporary
	if s.open.begun() {
		if m, ok := unwatched(s.open.real).(txn.SnapshotTxn); ok {
			m.NextStatement()
		}
	}
}

// fail cleans up after a statement that failed and says whether it should be
// done again.
func fail(ctx context.Context, s *Session) verdict {
	f := s.statement.failure
	if s.statement.ending {
		s.end(f)
		return verdict{retry: session.Worthwhile(f) && s.statement.repeatable(s.packet.held && !s.packet.fixed(s)), failure: f}
	}
	if !s.statement.own && f == nil {
		f = s.open.confirm(ctx, &s.statement)
	}
	if !s.statement.own && (lives(f) || f.Kind == txn.KindTooLarge && s.statement.full) {
		s.open.undo(s.statement.mark)
		if s.open != nil && f != nil && f.Kind == txn.KindLockTimeout {
			s.open.timedOut = true
		}
		return verdict{failure: f}
	}
	if lives(f) {
		// The error was computed from reads that nobody has validated.
		if v := s.open.validate(ctx, &s.statement); v != nil {
			f = v
		}
	}
	s.end(f)
	return verdict{retry: session.Worthwhile(f) && s.statement.repeatable(s.packet.held && !s.packet.fixed(s)), failure: f}
}

// lives reports whether a transaction goes on after an error.
func lives(f *txn.Error) bool {
	return f == nil || f.Kind == txn.KindLockTimeout || f.Kind == txn.KindNoWait || f.Kind == txn.KindInvalidRequest
}

// undo rolls back what was written since a mark: the writes of a failed statement of an explicit
// transaction.
func (t *transaction) undo(mark int) {
	if t.begun() {
		t.real.RollbackTo(mark)
	}
}

// validate commits the reads alone of a failed statement. What it returns
// replaces the statement's error.
func (t *transaction) validate(ctx context.Context, st *statement) *txn.Error {
	if !t.begun() || st.failure != nil {
		return nil
	}
	t.real.RollbackTo(0)
	if t.real.Commit(ctx) == nil {
		return nil
	}
	return st.failure
}

// confirm checks what an explicit transaction has read, if a statement of it has failed
// of what it read. The error replaces the statement's: a key that was found to be taken
// is not a truth of a transaction that has seen it free before.
func (t *transaction) confirm(ctx context.Context, st *statement) *txn.Error {
	if !t.begun() || !st.read {
		return nil
	}
	if c, ok := t.real.(txn.Confirmer); ok && c.Confirm(ctx) != nil {
		return st.failure
	}
	return nil
}

// end rolls the open transaction back and leaves the session without one.
func (s *Session) end(f *txn.Error) {
	if s.open.begun() {
		rollBack(s.open.real, txn.CauseClient)
		s.open.undefine()
		s.gateway.slowEnd(s, s.open, f, f == nil)
		if f != nil {
			s.gateway.observer.Aborted(f.Kind)
			if session.Loses(f.Kind) {
				s.lost.Lose(unwatched(s.open.real), s.open.firstBegan(), ownText(s), f.Kind)
			}
		}
	}
	s.open = nil
	s.SetTransaction(nil)
	s.SetIgnoreAutoCommit(false)
}

// publish lets others go on from what the statement of an open transaction has
// written, before the client is answered: it may take its time to send the next.
func (t *transaction) publish() {
	if !t.begun() {
		return
	}
	if p, ok := unwatched(t.real).(txn.Publisher); ok {
		p.Publish()
	}
}

// endOwn ends a transaction that a statement of its own has left open without an
// error: some commands have no commit.
func endOwn(ctx context.Context, s *Session) error {
	if !s.statement.own || !s.open.begun() || s.GetIgnoreAutoCommit() {
		return nil
	}
	err := s.commit(ctx)
	if err == nil {
		s.SetTransaction(nil)
	}
	return err
}
