package yield

import (
	"time"

	"isochron/coverage"
	"isochron/txn"
)

// How transactions end at one shard, and which waiters proceed then. An abort cascades to the
// transactions that have read its published values; waiters of released locks are retried, oldest
// first.

// TableEvents receives what a table does to transactions, in the order in which it does it. No
// waiter is granted anything during a call.
type TableEvents interface {
	// TxnAborted: the victim, which has not voted here, loses its locks and waits here. Either by
	// is older and needs them, or (cascade) the victim has read a published value of by, which
	// aborts.
	TxnAborted(victim, by txn.ID, cascade bool)
	// LocksReleased: the transaction's locks, held since then, are released.
	LocksReleased(id txn.ID, since time.Duration)
	// Published: others may read what a transaction has written of a hot row.
	Published(id txn.ID)
}

// End releases all locks of a transaction and retries waiters. Unless it is committed, the
// transactions that read its published values are aborted first.
func (t *Table) End(now time.Duration, id txn.ID, committed bool) {
	h := t.holders.get(id)
	if h == nil {
		t.transfers.returnLocks(now, id) // its locks were transferred
		return
	}
	was := t.begin()
	if !committed {
		t.abortDependents(now, id, "")
	}
	t.events.LocksReleased(id, h.Since)
	t.chains.ended(id, committed)
	t.locks.release(now, id)
	t.transfers.returnLocks(now, id)
	t.finish(was)
}

// Drop aborts a transaction here, its locks and its waits, unless it has voted.
func (t *Table) Drop(now time.Duration, id txn.ID) {
	t.counts.HitIf(t.transfers.voted(id), coverage.VotedNotDropped)
	if t.transfers.voted(id) {
		return
	}
	t.refuseAll(id)
	t.End(now, id, false)
}

// abortAll aborts the victims of a request. No waiter is granted before all of them have ended: a
// vote of the last may wait for the first.
func (t *Table) abortAll(now time.Duration, victims []txn.ID, by txn.ID) {
	was := t.begin()
	for _, victim := range victims {
		t.abort(now, victim, by, false)
	}
	t.finish(was)
}

// abort ends a transaction here for another's sake. It has not voted here.
func (t *Table) abort(now time.Duration, victim, by txn.ID, cascade bool) {
	t.events.TxnAborted(victim, by, cascade)
	t.refuseAll(victim)
	t.End(now, victim, false)
}

func (t *Table) refuseAll(id txn.ID) {
	for _, w := range t.waits.take(id) {
		w.Expire(Cancelled)
	}
}

// abortDependents aborts the transactions that have read what id has published, newest first.
// Nothing is granted meanwhile.
func (t *Table) abortDependents(now time.Duration, id txn.ID, key txn.Key) {
	for _, behind := range t.chains.dependents(id, key) {
		h := t.holders.get(behind)
		if h == nil {
			continue // aborted with another
		}
		if h.Voted {
			panic("yield: " + behind.String() + " voted before a transaction whose published value it has read ended")
		}
		t.counts.Hit(coverage.Cascade)
		t.abort(now, behind, id, true)
	}
}

// Expire ends the waits whose deadline has passed.
func (t *Table) Expire(now time.Duration) {
	for _, w := range t.waits.expired(now) {
		w.Expire(TimedOut)
	}
	t.Wake()
}

// begin defers the retries of waiters; finish ends that and makes them.
func (t *Table) begin() (was bool) {
	was, t.waking = t.waking, true
	return was
}

func (t *Table) finish(was bool) {
	t.waking = was
	t.Wake()
}

// Wake retries the waiters that may be granted. One call covers all that happens during it: a long
// chain of commits is a loop and no recursion.
func (t *Table) Wake() {
	if t.waking {
		return
	}
	t.waking = true
	for w := t.waits.next(); w != nil; w = t.waits.next() { // bounded: see next
		w.Retry()
	}
	t.waking = false
}
