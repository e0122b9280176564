package shard

import (
	"isochron/txn"
	"isochron/yield"
)

// The shard's side of distributed deadlock detection; yield/deadlock_detector.go has the algorithm and
// the proof that it aborts no transaction without need.

// newDeadlockDetector returns a detector over the lock table in force.
func (l *leaderState) newDeadlockDetector() *yield.DeadlockDetector {
	r := l.r
	return yield.NewDeadlockDetector(l.locks.Table, yield.DetectorConfig{
		Here:  txn.WaitEdge{Shard: r.cfg.ID, Leader: r.cfg.Self, Term: l.term},
		After: r.cfg.Params.DetectAfter, SkipConfirmation: r.cfg.Params.InjectedBugs.SkipConfirmation,
	}, detectorEnv{r})
}

// detectorEnv sends the detector's messages, and counts and traces its actions.
type detectorEnv struct{ r *Replica }

// Send sends a message of the detector.
func (w detectorEnv) Send(to txn.Address, m txn.Message) { w.r.env.Send(to, m) }

// Probed counts a probe started here.
func (w detectorEnv) Probed(id, waiter txn.ID) {
	w.r.counts.DeadlockProbes++
	w.r.env.Trace("shard %d: %v has blocked %v for long and may be part of a deadlock", w.r.cfg.ID, id, waiter)
}

// CycleSeen traces a cycle that may be a deadlock.
func (w detectorEnv) CycleSeen(cycle []txn.WaitEdge) {
	w.r.env.Trace("shard %d: %s", w.r.cfg.ID, txn.ReportCycle(cycle))
}

// NoDeadlock traces that a cycle was not confirmed.
func (w detectorEnv) NoDeadlock(e txn.WaitEdge) {
	w.r.env.Trace("shard %d: %v no longer waits for %v: no deadlock", w.r.cfg.ID, e.Txn, e.For)
}

// Broken counts a deadlock that is broken here.
func (w detectorEnv) Broken(victim txn.ID, wide bool) {
	if wide {
		w.r.counts.WideDeadlocks++
	} else {
		w.r.counts.Deadlocks++
	}
	w.r.env.Trace("shard %d: %v is aborted to break the deadlock", w.r.cfg.ID, victim)
}

// OnDeadlockProbe continues a probe over the waits at this shard. It may come from a source: databases do not
// order waits by age, so waits here can be part of a cycle through a source even where ages order them. No
// shard needs to start a probe for that: where ages decide, an older transaction waits here only for a
// prepared one, and a prepared one has no pending statement at a source.
func (r *Replica) OnDeadlockProbe(m *txn.DeadlockProbe) {
	if r.Serving() && (r.cfg.Spec.Yield.Deadlocks() || r.cfg.Params.SourceWaits > 0) && m.WellFormed() {
		r.lead.deadlocks.Probe(m)
	}
}

// OnDeadlockConfirm checks waits of a cycle a second time.
func (r *Replica) OnDeadlockConfirm(m *txn.DeadlockConfirm) {
	if r.Serving() && m.WellFormed() {
		r.lead.deadlocks.Confirm(m)
	}
}
