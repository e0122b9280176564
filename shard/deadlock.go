package shard

import (
	"isochron/txn"
	"isochron/yield"
)

// The search for deadlocks over several shards: what is done, and why it ends nobody without
// need, stands in yield/chase.go; here its messages come in and go out.

// newChaser is the one over the lock table in force.
func (l *leadership) newChaser() *yield.Chaser {
	r := l.r
	return yield.NewChaser(l.locks.Table, yield.Chasing{
		Here:  txn.WaitEdge{Shard: r.cfg.ID, Leader: r.cfg.Self, Term: l.term},
		After: r.cfg.Params.DetectAfter, SkipSecondLap: r.cfg.Params.Bugs.SkipSecondLap,
	}, chaseWorld{r})
}

// chaseWorld sends what the search has to say, and counts and tells what it does.
type chaseWorld struct{ r *Replica }

// Send sends a message of the search.
func (w chaseWorld) Send(to txn.Address, m txn.Message) { w.r.env.Send(to, m) }

// Chased counts a search begun here.
func (w chaseWorld) Chased(id, waiter txn.ID) {
	w.r.counts.Chases++
	w.r.env.Trace("shard %d: %v is waited for by %v for long, and may wait itself", w.r.cfg.ID, id, waiter)
}

// CycleSeen tells of a cycle that may be a deadlock.
func (w chaseWorld) CycleSeen(cycle []txn.WaitEdge) {
	w.r.env.Trace("shard %d: %s", w.r.cfg.ID, txn.TellCycle(cycle))
}

// NoDeadlock tells that it is none.
func (w chaseWorld) NoDeadlock(e txn.WaitEdge) {
	w.r.env.Trace("shard %d: %v does not wait for %v any more: no deadlock", w.r.cfg.ID, e.Txn, e.For)
}

// Broken counts a deadlock that is ended here.
func (w chaseWorld) Broken(victim txn.ID, wide bool) {
	if wide {
		w.r.counts.WideDeadlocks++
	} else {
		w.r.counts.Deadlocks++
	}
	w.r.env.Trace("shard %d: %v gives way, to end the deadlock", w.r.cfg.ID, victim)
}

// OnChase carries a chase on over the waits at this shard. It may come from a source, beside which
// waits are part of cycles whatever ages do here: nobody waits at a database by age. No shard need
// begin one for that: where ages decide, an elder waits here for who has voted alone, and who has
// voted has no statement at a source to wait with.
func (r *Replica) OnChase(m *txn.Chase) {
	if r.Serving() && (r.cfg.Row.Yield.Deadlocks() || r.cfg.Params.SourceWaits > 0) && m.Sane() {
		r.lead.chaser.Chase(m)
	}
}

// OnRecheck looks at waits of a cycle once more.
func (r *Replica) OnRecheck(m *txn.Recheck) {
	if r.Serving() && m.Sane() {
		r.lead.chaser.Recheck(m)
	}
}
