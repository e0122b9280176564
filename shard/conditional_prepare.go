package shard

import (
	"isochron/coverage"
	"isochron/store"
	"isochron/txn"
	"isochron/yield"
)

// Votes that rest on the abort of others (yield/conditional.go; Natto section 3.3.2), in a shard. Such
// a vote stands in the log behind theirs, and its locks are taken over from theirs. Its
// coordinator may hear from another shard that they abort, and commit before this one knows: so the
// commit of such an attempt is their abort here, in the log too.

// resolveAborts looks at what the log says already of those on whose abort a vote rests. One of which it
// has forgotten the end may have committed.
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

// fenceThoseWho says No for ever for those that have made way for a vote and have none here.
func (s *state) fenceThoseWho(b *store.Batch, madeWay []txn.Attempt) {
	for _, a := range madeWay {
		if s.prepared[a] == nil && !s.isRetired(a) {
			s.putOutcome(b, a, outcome{Result: txn.OutcomeNo})
		}
	}
}

// assumesAborts makes a vote wait for the end of those on whose abort it rests, and tells the
// coordinator of that.
func (d *dependencyTracker) assumesAborts(v *voteCmd) {
	a := v.Attempt
	d.early.ConditionOnAborts(a, v.AssumesAborted, v.Doomed, func(aborted bool) {
		d.cfg.Params.Rules.HitIf(!aborted, coverage.ConditionFails)
		d.cfg.Env.Trace("shard %d: those beside whom %v has voted have aborted: %v", d.cfg.ID, a, aborted)
		d.cfg.Env.Send(txn.Coordinator(a.Node), txn.Message{DependencyDecided: &txn.DependencyDecided{Shard: d.cfg.ID, Attempt: a, Doomed: !aborted, Assumed: true}})
	})
}

// endsBeside aborts those on whose abort a commit rests: it is certain, and may not have been heard of
// here. False if the log takes nothing now.
func (e *decisionHandler) endsBeside(from txn.NodeID, v *voteCmd) bool {
	for _, a := range v.AssumesAborted {
		low := e.known.undecided(a)
		if low == nil || e.known.deciding[a] != nil {
			continue
		}
		e.cfg.Params.Rules.Hit(coverage.EndsBeside)
		e.decideVote(from, &txn.Decide{Shard: e.cfg.ID, Attempt: a, Txn: low.Txn}, low)
		if e.known.deciding[a] == nil {
			return false
		}
		e.known.deciding[a].to = nil // who told of the commit has not asked for this
	}
	return true
}

// txnsOf are the transactions of attempts that have an undecided vote.
func (k *attempts) txnsOf(list []txn.Attempt) (ids []txn.ID) {
	for _, a := range list {
		if v := k.undecided(a); v != nil {
			ids = append(ids, v.Txn)
		}
	}
	return ids
}

// assumptions has a vote rest on the abort of those who are in its way, if it may.
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
		o.cfg.Env.Trace("shard %d: %v votes beside %v, which should have made way for it elsewhere", o.cfg.ID, v.Txn, low.Txn)
	}
	o.cfg.Params.Rules.Hit(coverage.VotesBeside)
	return true
}
