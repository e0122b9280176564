package sql

import (
	"context"
	"sync"
	"time"

	gms "github.com/dolthub/go-mysql-server/sql"

	"isochron/sql/catalog"
	"isochron/sql/parse"
	"isochron/sql/session"
	"isochron/sql/temporary"
	"isochron/txn"
)

// transaction is what the engine holds for a session's transaction. Any command
// makes one, so it begins for real only at the first use of data.
type transaction struct {
	s        *Session
	readOnly bool
	level    txn.Level // once it has begun
	priority txn.Priority
	real     txn.Txn
	began    time.Time
	first    time.Time               // when the first try of it began, if it is done again
	timedOut bool                    // a statement has waited for a lock in vain
	uses     []*catalog.Descriptor   // tables
	rules    []*catalog.ForeignTable // tables at sources, as they were used first
	marks    []mark
	numbers  int             // savepoints set so far
	branches []atSource      // at sources
	watch    watched         // real, once it has begun
	source   txn.ShardID     // the first that it has asked; 0: none
	change   *catalog.Change // that it is; nil: of rows alone
	over     *txn.Error      // why nothing more can be done in it; nil: it is as any
}

type mark struct {
	name   string
	at     int
	number int // among all of the transaction
}

var _ gms.Transaction = (*transaction)(nil)

// String implements gms.Transaction.
func (t *transaction) String() string {
	if t.real == nil {
		return "transaction, not begun"
	}
	return t.real.ID().String()
}

// IsReadOnly implements gms.Transaction.
func (t *transaction) IsReadOnly() bool { return t.readOnly }

// begun reports whether there is a transaction that has begun.
func (t *transaction) begun() bool { return t != nil && t.real != nil }

func (t *transaction) begin() {
	if t.real != nil {
		return
	}
	t.level = t.s.Now().Level
	if t.s.Next != nil {
		t.s.Next.Used = true
	}
	t.s.transacting.Store(true)
	t.began = time.Now()
	tx, before := beginTxn(t.s, session.Characteristics{Level: t.level, ReadOnly: t.readOnly, Priority: t.priority}, t.began)
	t.watch.Txn, t.watch.s = tx, t.s
	t.real = t.s.temporary.Over(&t.watch)
	t.first = before.First
}

// beginTxn begins a transaction; before is the try before it, if it is done again.
func beginTxn(s *Session, m session.Characteristics, now time.Time) (tx txn.Txn, before session.Lost) {
	before = s.lost.Regain(now, func() string { return ownText(s) })
	return s.gateway.db.Begin(txn.Options{
		RetryOf:          before.Tx,
		AutoRetry:        s.statement.inside,
		ReadOnly:         m.ReadOnly,
		Priority:         m.Priority,
		LockWaitMillis:   s.lockWaitMillis,
		SilenceMillis:    s.Chosen().Silence.Milliseconds(),
		CommitWaitMillis: s.Chosen().Commit.Milliseconds(),
		Level:            m.Level,
		SessionID:        uint64(s.ID()),
	}), before
}

// use makes the transaction depend on a table's definition.
func (t *transaction) use(ctx context.Context, d *catalog.Descriptor) error {
	if d.Temporary() || t.change != nil && t.change.Has(d) {
		return nil // no other gateway knows it so
	}
	var used *catalog.Descriptor
	for _, u := range t.uses {
		if u.ID() == d.ID() {
			used = u
		}
	}
	if used != nil && used.Record.Generation != d.Record.Generation {
		return txn.Errorf(txn.KindStale, "the definition of table %s changed during the transaction", d.Name())
	}
	v, err := t.s.gateway.store.Version(ctx, d)
	if err != nil {
		return err
	}
	if used == nil {
		t.real.SchemaCheck(d.GuardName(), v)
		t.uses = append(t.uses, d)
	}
	return nil
}

// savepointsMax bounds the savepoints of a transaction, which are sought one by one.
const savepointsMax = 1000

// savepoint sets a savepoint; false if there are too many.
func (t *transaction) savepoint(name string) bool {
	if i := t.find(name); i >= 0 { // the new one takes its name
		t.marks = append(t.marks[:i], t.marks[i+1:]...)
	}
	if len(t.marks) >= savepointsMax {
		return false
	}
	at := 0
	if t.real != nil {
		at = t.real.Savepoint()
	}
	t.numbers++
	t.marks = append(t.marks, mark{name, at, t.numbers})
	return true
}

func (t *transaction) find(name string) int {
	for i := len(t.marks) - 1; i >= 0; i-- {
		if equalFold(t.marks[i].name, name) {
			return i
		}
	}
	return -1
}

// release forgets a savepoint and those set after it.
func (t *transaction) release(name string) bool {
	i := t.find(name)
	if i >= 0 {
		t.marks = t.marks[:i]
	}
	return i >= 0
}

func (t *transaction) rollbackTo(name string) bool {
	i := t.find(name)
	if i < 0 {
		return false
	}
	if t.real != nil {
		t.real.RollbackTo(t.marks[i].at)
	}
	t.marks = t.marks[:i+1]
	return true
}

// watched notes, for the end of the statement, the error that ended a read or a
// commit: on its way through the engine an error may lose what it was. One
// statement may read from several goroutines of the engine, one at a time.
type watched struct {
	txn.Txn
	s  *Session
	mu sync.Mutex
}

// Put implements txn.Txn.
func (w *watched) Put(k txn.Key, value []byte) {
	w.Txn.Put(k, value)
	w.checkFull()
}

// Delete implements txn.Txn.
func (w *watched) Delete(k txn.Key) {
	w.Txn.Delete(k)
	w.checkFull()
}

// checkFull notes that a write found no room: the statement must fail.
func (w *watched) checkFull() {
	if b, ok := w.Txn.(txn.Bounded); ok {
		if full := b.Full(); full != nil {
			w.s.statement.noteFull(full)
		}
	}
}

// Read implements txn.Txn.
func (w *watched) Read(ctx context.Context, r txn.Read) (txn.ReadResult, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.Txn.Stats()
	w.s.statement.reads()
	w.s.place.Pause()
	res, err := w.Txn.Read(ctx, r)
	w.s.place.Resume()
	w.s.stats.Add(before, w.Txn.Stats())
	return res, w.s.statement.note(err)
}

// Confirm implements txn.Confirmer; over a transaction that does not, all is well.
func (w *watched) Confirm(ctx context.Context) error {
	c, ok := w.Txn.(txn.Confirmer)
	if !ok {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.s.place.Pause()
	defer w.s.place.Resume()
	return w.s.statement.note(c.Confirm(ctx))
}

// Update implements txn.Updater; over a transaction that does not, it is never done.
func (w *watched) Update(ctx context.Context, r txn.Read, f func([][]byte) ([]txn.Write, bool)) (done bool, err error) {
	u, ok := w.Txn.(txn.Updater)
	if !ok {
		return false, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	before := w.Txn.Stats()
	w.s.place.Pause()
	w.s.place.Yield()
	done, err = u.Update(ctx, r, f)
	w.s.place.Resume()
	w.s.stats.Add(before, w.Txn.Stats())
	return done, w.s.statement.note(err)
}

// Commit implements txn.Txn.
func (w *watched) Commit(ctx context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.s.interruption.Commits(); err != nil {
		return err // nothing was handed over
	}
	w.s.place.Pause()
	defer w.s.place.Resume()
	err := w.Txn.Commit(context.WithoutCancel(ctx)) // it has bounds of its own, and one that is cut has no known outcome
	w.s.interruption.Committed(err != nil && w.s.statement.own, err == nil && !w.s.statement.alters)
	return w.s.statement.note(err)
}

// unwatched is the transaction itself, as RetryOf wants it.
func unwatched(t txn.Txn) txn.Txn {
	if x, ok := t.(*temporary.Txn); ok {
		t = x.Inner()
	}
	if w, ok := t.(*watched); ok {
		return w.Txn
	}
	return t
}

// ownText distinguishes statements that are their own transactions; "" of a
// transaction that may have several. It is only asked for while something was lost.
func ownText(s *Session) string {
	if !s.statement.own {
		return ""
	}
	if text := s.shownText.Load(); text != nil {
		return "own " + parse.Digest(*text)
	}
	return "own"
}

// firstBegan is when the first try of a transaction began.
func (t *transaction) firstBegan() time.Time {
	if !t.first.IsZero() {
		return t.first
	}
	return t.began
}
