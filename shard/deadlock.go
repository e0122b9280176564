package shard

import (
	"isochron/txn"
	"isochron/yield"
)

// The search for deadlocks over several shards: what is done, and why it ends nobody without
// need, stands in yield/chase.go; here its messages come in and go out.

// newDeadlockDetector is the one over the lock table in force.
func (l *leaderState) newDeadlockDetector() *yield.DeadlockDetector {
	r := l.r
	return yield.NewDeadlockDetector(l.locks.Table, yield.DetectorConfig{
		Here:  txn.WaitEdge{Shard: r.cfg.ID, Leader: r.cfg.Self, Term: l.term},
		After: r.cfg.Params.DetectAfter, SkipConfirmation: r.cfg.Params.InjectedBugs.SkipConfirmation,
	}, detectorEnv{r})
}

// detectorEnv sends what the search has to say, and counts and tells what it does.
type detectorEnv struct{ r *Replica }

// Send sends a message of the search.
func (w detectorEnv) Send(to txn.Address, m txn.Message) { w.r.env.Send(to, m) }

// Probed counts a search begun here.
func (w detectorEnv) Probed(id, waiter txn.ID) {
	w.r.counts.DeadlockProbes++
	w.r.env.Trace("shard %d: %v is waited for by %v for long, and may wait itself", w.r.cfg.ID, id, waiter)
}

// CycleSeen tells of a cycle that may be a deadlock.
func (w detectorEnv) CycleSeen(cycle []txn.WaitEdge) {
	w.r.env.Trace("shard %d: %s", w.r.cfg.ID, txn.ReportCycle(cycle))
}

// NoDeadlock tells that it is none.
func (w detectorEnv) NoDeadlock(e txn.WaitEdge) {
	w.r.env.Trace("shard %d: %v does not wait for %v any more: no deadlock", w.r.cfg.ID, e.Txn, e.For)
}

// Broken counts a deadlock that is ended here.
func (w detectorEnv) Broken(victim txn.ID, wide bool) {
	if wide {
		w.r.counts.WideDeadlocks++
	} else {
		w.r.counts.Deadlocks++
	}
	w.r.env.Trace("shard %d: %v gives way, to end the deadlock", w.r.cfg.ID, victim)
}

// OnDeadlockProbe carries a chase on over the waits at this shard. It may come from a source, beside which
// waits are part of cycles whatever ages do here: nobody waits at a database by age. No shard need
// begin one for that: where ages decide, an elder waits here for who has voted alone, and who has
// voted has no statement at a source to wait with.
func (r *Replica) OnDeadlockProbe(m *txn.DeadlockProbe) {
	if r.Serving() && (r.cfg.Spec.Yield.Deadlocks() || r.cfg.Params.SourceWaits > 0) && m.WellFormed() {
		r.lead.deadlocks.Probe(m)
	}
}

// OnDeadlockConfirm looks at waits of a cycle once more.
func (r *Replica) OnDeadlockConfirm(m *txn.DeadlockConfirm) {
	if r.Serving() && m.WellFormed() {
		r.lead.deadlocks.Confirm(m)
	}
}
