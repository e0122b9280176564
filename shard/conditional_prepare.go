package shard

import (
	"isochron/coverage"
	"isochron/store"
	"isochron/txn"
	"isochron/yield"
)

// Conditional prepares in a shard (yield/conditional.go; Natto section 3.3.2). A vote that assumes the
// abort of others follows their votes in the log and takes over their locks. Its coordinator may learn of
// the aborts from another shard and commit before this shard knows: so the commit of such an attempt
// aborts them here, in the log too.

// resolveAborts removes the assumptions that the log has decided already. An attempt whose
// outcome was dropped may have committed.
func (s *state) resolveAborts(p *prepared) {
	var open []txn.Attempt
	for _, a := range p.AssumesAborted {
		switch o, known := s.outcomes.Get(a); {
		case s.prepared[a] != nil:
			open = append(open, a)
		case !known || o.Result == txn.OutcomeCommitted:
			p.Doomed = true
		}
	}
	p.AssumesAborted = open
}

// fenceAborted logs a permanent No for the attempts that were priority-aborted for a vote and have none here.
func (s *state) fenceAborted(b *store.Batch, aborted []txn.Attempt) {
	for _, a := range aborted {
		if s.prepared[a] == nil && !s.isRetired(a) {
			s.putOutcome(b, a, outcome{Result: txn.OutcomeNo})
		}
	}
}

// assumesAborts registers a vote for the outcomes of the attempts whose abort it assumes, and reports
// the result to its coordinator.
func (d *dependencyTracker) assumesAborts(v *voteCmd) {
	a := v.Attempt
	d.early.ConditionOnAborts(a, v.AssumesAborted, v.Doomed, func(aborted bool) {
		d.cfg.Params.Rules.HitIf(!aborted, coverage.AssumptionFails)
		d.cfg.Env.Trace("shard %d: the attempts whose abort %v assumes have aborted: %v", d.cfg.ID, a, aborted)
		d.cfg.Env.Send(txn.Coordinator(a.Node), txn.Message{DependencyDecided: &txn.DependencyDecided{Shard: d.cfg.ID, Attempt: a, Doomed: !aborted, Assumed: true}})
	})
}

// abortAssumed aborts the attempts whose abort a commit assumes: their abort is certain, and may not be known
// here. False if the log accepts no proposals now.
func (e *decisionHandler) abortAssumed(from txn.NodeID, v *voteCmd) bool {
	for _, a := range v.AssumesAborted {
		low := e.known.undecided(a)
		if low == nil || e.known.deciding[a] != nil {
			continue
		}
		e.cfg.Params.Rules.Hit(coverage.CommitAbortsAssumed)
		e.decideVote(from, &txn.Decide{Shard: e.cfg.ID, Attempt: a, Txn: low.Txn}, low)
		if e.known.deciding[a] == nil {
			return false
		}
		e.known.deciding[a].to = nil // the sender of the commit did not ask for this
	}
	return true
}

// txnsOf returns the transactions of the attempts that have an undecided vote.
func (k *attempts) txnsOf(list []txn.Attempt) (ids []txn.ID) {
	for _, a := range list {
		if v := k.undecided(a); v != nil {
			ids = append(ids, v.Txn)
		}
	}
	return ids
}

// assumptions makes a vote conditional on the abort of the transactions it conflicts with, if all are abortable.
func (o *prepareHandler) assumptions(v *voteCmd, q *yield.LockRequest, i *yield.QueuedPrepare) bool {
	if i == nil {
		return false
	}
	on, ok := o.arrivalQueue.AssumptionsOf(i)
	if !ok {
		return false
	}
	for _, low := range on {
		v.AssumesAborted, q.AssumedAborted = append(v.AssumesAborted, low.Attempt), append(q.AssumedAborted, low.Txn)
		o.cfg.Env.Trace("shard %d: %v votes assuming that %v is priority-aborted at another shard", o.cfg.ID, v.Txn, low.Txn)
	}
	o.cfg.Params.Rules.Hit(coverage.AssumesAbort)
	return true
}
