package shard

import (
	"time"

	"isochron/participant"
	"isochron/txn"
	"isochron/yield"
)

// locks is the lock table of a leader, with what is counted and traced of its answers.
type locks struct {
	*yield.Table // of the protocol in force
	cfg          *Config
	counts       *participant.Counts
	leaves       func(txn.ID)        // called with who ends without a vote
	arrivalQueue *yield.ArrivalQueue // those who wait by their stamps
}

// acquire asks the lock table, and counts and tells what comes of it.
func (k *locks) acquire(q *yield.LockRequest) yield.LockResult {
	e := k.Acquire(k.cfg.Env.Now().Mono, q)
	switch {
	case e.Waits != nil:
		k.counts.LockWaits++
		k.cfg.Env.Trace("shard %d: %v waits for %v", k.cfg.ID, q.Txn, e.BlockedBy)
	case e.Refused.Reason == txn.ReasonDeadlock:
		k.counts.Deadlocks++
	}
	return e
}

// mayWait says for how long a request waits, from its beginning on: so many milliseconds, 0: as
// long as any.
func (k *locks) mayWait(q *yield.LockRequest, began arrival, millis int64) {
	bound := k.cfg.Params.LockWait
	if millis > 0 {
		bound = millisToDuration(millis)
	}
	q.Since, q.Deadline, q.Number = began.Mono, began.Mono+bound, began.number
}

// release frees a transaction's locks and lets those who waited ask again. If it
// is not committed, those who went on from what it had written end with it.
func (k *locks) release(id txn.ID, committed bool) {
	k.End(k.cfg.Env.Now().Mono, id, committed)
	k.arrivalQueue.Ended(id)
}

// drop frees all of a transaction that has not voted here.
func (k *locks) drop(id txn.ID) {
	k.leaves(id)
	k.Drop(k.cfg.Env.Now().Mono, id)
	k.arrivalQueue.Freed()
}

// OnPublish passes on what a transaction has written.
func (r *Replica) OnPublish(m *txn.Publish) {
	if !r.Serving() || m.Term != r.lead.term {
		return
	}
	r.lead.locks.Publish(r.env.Now().Mono, m.Txn, m.Attempt, m.Writes)
}

// OnReserve reserves what a transaction has read before.
func (r *Replica) OnReserve(m *txn.Reserve) {
	if r.Serving() {
		r.lead.locks.Reserved().Reserve(r.env.Now().Mono, m.Txn, m.Age, m.Keys, m.Spans)
	}
}

// lockEvents hears what the lock table does to transactions.
type lockEvents struct {
	cfg    *Config
	counts *participant.Counts
	freed  func(txn.ID)
}

// TxnAborted tells the gateway of a transaction that it has lost what it had here.
func (w lockEvents) TxnAborted(victim, by txn.ID, cascade bool) {
	how := "wounds"
	if cascade {
		w.counts.Cascades++
		how = "takes along"
	} else {
		w.counts.Wounds++
	}
	w.cfg.Env.Trace("shard %d: %v %s %v", w.cfg.ID, by, how, victim)
	w.cfg.Env.Send(txn.Coordinator(victim.Node), txn.Message{Wounded: &txn.Wounded{Shard: w.cfg.ID, Txn: victim, By: by, Cascade: cascade}})
}

// LocksReleased ends a contention span.
func (w lockEvents) LocksReleased(id txn.ID, since time.Duration) {
	w.cfg.Env.Held(w.cfg.ID, id, int64(since))
	w.freed(id)
}

// Published tells that others may go on from a row.
func (w lockEvents) Published(id txn.ID) {
	w.cfg.Env.Trace("shard %d: %v passes on what it has written of a hot row", w.cfg.ID, id)
}

// newLocks begins with a lock table of the protocol in force.
func (l *leaderState) newLocks() {
	l.locks.Table = yield.NewTable(l.r.cfg.Spec.Yield, l.r.bounds(), lockEvents{&l.r.cfg, &l.r.counts, l.gateways.Freed})
	l.locks.Count(l.r.cfg.Params.Rules)
	if l.r.cfg.Params.InjectedBugs.KeepReservation {
		l.locks.Reserved().Outlive()
	}
	l.deadlocks = l.newDeadlockDetector()
}

// bounds are those of the lock table: what an operator wants goes before what
// the node began with.
func (r *Replica) bounds() yield.HotRowConfig {
	b := yield.HotRowConfig{HotWaiters: r.cfg.Params.HotWaiters, GroupSize: r.cfg.Params.GroupSize, Off: r.desired.Hot.Off}
	if n := r.desired.Hot.Waiters; n > 0 {
		b.HotWaiters, b.HotDelay = n, -1
	}
	if n := r.desired.Hot.GroupSize; n > 0 {
		b.GroupSize = n
	}
	return b
}
