package shard

import (
	"time"

	"isochron/participant"
	"isochron/txn"
	"isochron/yield"
)

// locks is a leader's lock table, with counters and traces of its results.
type locks struct {
	*yield.Table // of the protocol in force
	cfg          *Config
	counts       *participant.Counts
	leaves       func(txn.ID)        // called with each transaction that ends without a vote
	arrivalQueue *yield.ArrivalQueue // prepares that wait in the order of arrival times
}

// acquire requests locks, and counts and traces the result.
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

// mayWait sets how long a request may wait, from its arrival: millis milliseconds, 0: the
// cluster's default.
func (k *locks) mayWait(q *yield.LockRequest, began arrival, millis int64) {
	bound := k.cfg.Params.LockWait
	if millis > 0 {
		bound = millisToDuration(millis)
	}
	q.Since, q.Deadline, q.Number = began.Mono, began.Mono+bound, began.number
}

// release releases a transaction's locks and retries the waiters. If the transaction aborted, the
// readers of its uncommitted writes abort with it.
func (k *locks) release(id txn.ID, committed bool) {
	k.End(k.cfg.Env.Now().Mono, id, committed)
	k.arrivalQueue.Ended(id)
}

// drop releases all locks of a transaction that has not voted here.
func (k *locks) drop(id txn.ID) {
	k.leaves(id)
	k.Drop(k.cfg.Env.Now().Mono, id)
	k.arrivalQueue.Freed()
}

// OnPublish publishes a transaction's uncommitted writes of hot rows.
func (r *Replica) OnPublish(m *txn.Publish) {
	if !r.Serving() || m.Term != r.lead.term {
		return
	}
	r.lead.locks.Publish(r.env.Now().Mono, m.Txn, m.Attempt, m.Writes)
}

// OnReserve reserves rows that a transaction has read before.
func (r *Replica) OnReserve(m *txn.Reserve) {
	if r.Serving() {
		r.lead.locks.Reserved().Reserve(r.env.Now().Mono, m.Txn, m.Age, m.Keys, m.Spans)
	}
}

// lockEvents receives the lock table's effects on other transactions.
type lockEvents struct {
	cfg    *Config
	counts *participant.Counts
	freed  func(txn.ID)
}

// TxnAborted notifies the gateway of a transaction that its locks here were taken.
func (w lockEvents) TxnAborted(victim, by txn.ID, cascade bool) {
	how := "wounds"
	if cascade {
		w.counts.Cascades++
		how = "cascades to"
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

// Published traces that a hot row's uncommitted value can be read.
func (w lockEvents) Published(id txn.ID) {
	w.cfg.Env.Trace("shard %d: %v publishes its uncommitted write of a hot row", w.cfg.ID, id)
}

// newLocks creates a lock table for the protocol in force.
func (l *leaderState) newLocks() {
	l.locks.Table = yield.NewTable(l.r.cfg.Spec.Yield, l.r.bounds(), lockEvents{&l.r.cfg, &l.r.counts, l.gateways.Freed})
	l.locks.Count(l.r.cfg.Params.Rules)
	if l.r.cfg.Params.InjectedBugs.KeepReservation {
		l.locks.Reserved().Outlive()
	}
	l.deadlocks = l.newDeadlockDetector()
}

// bounds returns the hot-row settings of the lock table: those of the directory override
// those the node was started with.
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
