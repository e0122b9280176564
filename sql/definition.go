package sql

import (
	"time"

	gms "github.com/dolthub/go-mysql-server/sql"

	"isochron/sql/catalog"
	"isochron/sql/session"
	"isochron/txn"
)

// A statement that defines something is one transaction, which changes the catalogue and whatever
// rows go with that: it has happened, all of it, when it answers OK, and not at all when it answers
// an error. It may take several steps; each sees what those before it have done, and no other
// transaction does before the commit.

// definitionWait bounds how long a definition waits for others that use its tables, where the
// session does not say.
const definitionWait = 50 * time.Second

// Alter executes a step of the statement's change of the catalogue. The open transaction is committed before it, as in MySQL, and the
// change at the statement's end.
func (s *Session) Alter(ctx *gms.Context, step func(*catalog.Change) error) error {
	c, err := beginChange(ctx, s)
	if err != nil {
		return err
	}
	s.place.Pause()
	err = s.statement.note(step(c))
	s.place.Resume()
	if err != nil {
		return err
	}
	s.statement.unreadable(nil)
	snap, err := c.Snapshot()
	s.statement.sees(snap)
	return err
}

// beginChange is the change of the catalogue that the statement makes: its transaction from now on.
func beginChange(ctx *gms.Context, s *Session) (*catalog.Change, error) {
	if s.open != nil && s.open.change != nil {
		return s.open.change, nil
	}
	if s.open != nil {
		if err := commitBefore(ctx, s); err != nil {
			return nil, err
		}
	}
	s.statement.isOwn()
	if _, err := s.Catalogue(ctx); err != nil {
		return nil, s.statement.note(err)
	}
	base := s.statement.snapshot // by which the statement was planned, without temporary tables
	t := &transaction{s: s, level: txn.Serializable, began: time.Now()}
	tx, before := beginTxn(s, session.Characteristics{Level: txn.Serializable}, t.began)
	t.watch.Txn, t.watch.s, t.first = tx, s, before.First
	t.real = s.temporary.Over(&t.watch)
	wait := definitionWait
	if s.lockWaitMillis > 0 {
		wait = time.Duration(s.lockWaitMillis) * time.Millisecond
	}
	t.change = s.gateway.store.NewChange(ctx, tx, base, wait)
	s.open = t
	ctx.SetTransaction(t)
	return t.change, nil
}

// commitBefore commits what is open before a definition. Should that be done again, what was
// committed is not.
func commitBefore(ctx *gms.Context, s *Session) error {
	begun := s.open.real != nil
	s.statement.defines() // there is more to come
	if err := s.commit(ctx); err != nil {
		return err
	}
	s.statement.beginsAnew()
	ctx.SetTransaction(nil)
	ctx.SetIgnoreAutoCommit(false)
	if begun && !s.statement.own {
		s.packet.lasting = true
		*s.before = stateOf(s)
	}
	return nil
}

// hasDefined is called when a definition has happened.
func hasDefined(s *Session, c *catalog.Change) {
	s.statement.defines()
	s.SetTransaction(nil)
	c.Committed()
	s.statement.sees(nil)
}

// undefine is called when the transaction is rolled back.
func (t *transaction) undefine() {
	if t.change != nil {
		t.change.RolledBack()
	}
}
