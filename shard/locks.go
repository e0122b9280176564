package shard

import (
	"time"

	"isochron/participant"
	"isochron/txn"
	"isochron/yield"
)

// locks is the lock table of a leader, with what is counted and told of its answers.
type locks struct {
	*yield.Table // of the protocol in force
	cfg          *Config
	counts       *participant.Counts
}

// acquire asks the lock table, and counts and tells what comes of it.
func (k *locks) acquire(q *yield.Request) yield.Effects {
	e := k.Acquire(k.cfg.Env.Now().Mono, q)
	switch {
	case e.Waits != nil:
		k.counts.LockWaits++
		k.cfg.Env.Trace("shard %d: %v waits for %v", k.cfg.ID, q.Txn, e.Behind)
	case e.Refused.Why == txn.WhyDeadlock:
		k.counts.Deadlocks++
	}
	return e
}

// mayWait says for how long a request waits, from its beginning on: so many milliseconds, 0: as
// long as any.
func (k *locks) mayWait(q *yield.Request, began arrival, millis int64) {
	bound := k.cfg.Params.LockWait
	if millis > 0 {
		bound = millisToDuration(millis)
	}
	q.Since, q.Deadline, q.Number = began.Mono, began.Mono+bound, began.number
}

// OnPublish passes on what a transaction has written.
func (r *Replica) OnPublish(m *txn.Publish) {
	if !r.Serving() || m.Term != r.lead.term {
		return
	}
	r.lead.locks.Publish(r.env.Now().Mono, m.Txn, m.Attempt, m.Writes)
}

// lockWorld hears what the lock table does to transactions.
type lockWorld struct{ *leadership }

// Undone tells the gateway of a transaction that it has lost what it had here.
func (w lockWorld) Undone(victim, by txn.ID, cascade bool) {
	how := "wounds"
	if cascade {
		w.r.counts.Cascades++
		how = "takes along"
	} else {
		w.r.counts.Wounds++
	}
	w.r.env.Trace("shard %d: %v %s %v", w.r.cfg.ID, by, how, victim)
	w.r.env.Send(txn.Coordinator(victim.Node), txn.Message{Wounded: &txn.Wounded{Shard: w.r.cfg.ID, Txn: victim, By: by, Cascade: cascade}})
}

// Freed ends a contention span.
func (w lockWorld) Freed(id txn.ID, since time.Duration) {
	w.r.env.Held(w.r.cfg.ID, id, int64(since))
	w.patrol.freed(id)
}

// PassedOn tells that others may go on from a row.
func (w lockWorld) PassedOn(id txn.ID) {
	w.r.env.Trace("shard %d: %v passes on what it has written of a hot row", w.r.cfg.ID, id)
}

// newLocks begins with a lock table of the protocol in force.
func (l *leadership) newLocks() {
	l.locks.Table = yield.NewTable(l.r.cfg.Row.Yield, l.r.bounds(), lockWorld{l})
	l.chaser = l.newChaser()
}

// bounds are those of the lock table: what an operator wants goes before what
// the node began with.
func (r *Replica) bounds() yield.Bounds {
	b := yield.Bounds{HotWaiters: r.cfg.Params.HotWaiters, GroupSize: r.cfg.Params.GroupSize, Off: r.desired.Hot.Off}
	if n := r.desired.Hot.Waiters; n > 0 {
		b.HotWaiters, b.HotDelay = n, -1
	}
	if n := r.desired.Hot.GroupSize; n > 0 {
		b.GroupSize = n
	}
	return b
}
