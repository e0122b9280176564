package yield

import (
	"time"

	"isochron/coverage"
	"isochron/txn"
)

// How transactions end at one shard, and who goes on then. One that ends without a commit takes
// along those who have gone on from its values; what is free is asked for again by those who
// waited, oldest first.

// TableEvents hears what a table does to transactions, in the order in which it does it. Nobody is
// let in meanwhile.
type TableEvents interface {
	// TxnAborted: the victim, which has not voted here, loses all that it has here and waits for: by is older
	// and wants it, or, in a cascade, the victim has gone on from a value of by, which is undone.
	TxnAborted(victim, by txn.ID, cascade bool)
	// LocksReleased: what a transaction has had here since then is free.
	LocksReleased(id txn.ID, since time.Duration)
	// Published: others may go on from what a transaction has written of a hot row.
	Published(id txn.ID)
}

// End frees all that a transaction has here, and lets those who waited ask again. If it is not
// committed, those who went on from what it had written end with it.
func (t *Table) End(now time.Duration, id txn.ID, committed bool) {
	h := t.holders.get(id)
	if h == nil {
		t.transfers.returnLocks(now, id) // others have all that it had
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

// Drop ends all that a transaction has here and waits for, unless it has voted.
func (t *Table) Drop(now time.Duration, id txn.ID) {
	t.counts.HitIf(t.transfers.voted(id), coverage.VotedNotDropped)
	if t.transfers.voted(id) {
		return
	}
	t.refuseAll(id)
	t.End(now, id, false)
}

// abortAll ends those who give way to one who asks. Nobody is let in before all of them have ended: a vote of
// the last may wait for the first.
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

// abortDependents ends those who have gone on from what a transaction has written, newest first. Nothing
// is granted meanwhile.
func (t *Table) abortDependents(now time.Duration, id txn.ID, key txn.Key) {
	for _, behind := range t.chains.dependents(id, key) {
		h := t.holders.get(behind)
		if h == nil {
			continue // undone with another
		}
		if h.Voted {
			panic("yield: " + behind.String() + " has voted before one whose value it has read has ended")
		}
		t.counts.Hit(coverage.Cascade)
		t.abort(now, behind, id, true)
	}
}

// Expire ends the waits whose time is over.
func (t *Table) Expire(now time.Duration) {
	for _, w := range t.waits.expired(now) {
		w.Expire(TimedOut)
	}
	t.Wake()
}

// begin begins what nobody who waits may see the half of, and finish ends it.
func (t *Table) begin() (was bool) {
	was, t.waking = t.waking, true
	return was
}

func (t *Table) finish(was bool) {
	t.waking = was
	t.Wake()
}

// Wake lets those ask again who may be able to go on. One call does it for all that happens while
// it does: a long chain of commits is a loop and no recursion.
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
