package shard

import (
	"time"

	"isochron/coverage"
	"isochron/txn"
	"isochron/yield"
)

// Declared transactions with a stamp are voted on when it passes here, in the order of their stamps
// (yield/instants.go; Natto section 3.2).

// holdMost bounds how long a vote is held back, whatever its stamp and the clocks say.
const holdMost = 2 * time.Second

// queuedByArrival reports whether a Prepare is to wait for its instant.
func (o *prepareHandler) queuedByArrival(p *txn.Prepare) bool {
	return o.cfg.Spec.Yield.ByArrivalTime && p.FixedSet != nil && p.FixedSet.ArrivalTime != 0
}

// queueOrRefuse has one wait for it.
func (o *prepareHandler) queueOrRefuse(from txn.NodeID, p *txn.Prepare, began arrival) {
	now := o.cfg.Env.Now()
	i := o.queuedPrepare(from, p, &began)
	until := time.Duration(p.FixedSet.ArrivalTime - now.WallNanos)
	i.Late, i.Due = until < 0 || o.arrivalQueue.Passed(i), now.Mono+min(max(until, 0), holdMost)
	if i.Late {
		o.counts.Late++
		if o.cfg.Env.Tracing() {
			o.cfg.Env.Trace("shard %d: %v comes too late for its stamp", o.cfg.ID, p.Txn)
		}
	}
	o.arrivalQueue.Enter(i)
	o.arrivalQueue.ProcessDue(now.Mono)
}

// queuedPrepare is a Prepare as the queue knows it, from its arrival on.
func (o *prepareHandler) queuedPrepare(from txn.NodeID, p *txn.Prepare, began *arrival) *yield.QueuedPrepare {
	i := &yield.QueuedPrepare{
		Attempt: p.Attempt, Txn: p.Txn, LockSet: yield.LockSet{Shared: p.FixedSet.Reads}, Due: began.Mono,
		Deadline: began.Mono + holdMost + o.cfg.Params.LockWait,
		Refuse:   func(reason txn.Refusal) { o.refuse(from, p, reason) },
	}
	arrivalTimeFrom(i, p.Age, p.FixedSet)
	for _, w := range p.Writes {
		i.LockSet.Exclusive = append(i.LockSet.Exclusive, w.Key)
	}
	began.queued = i
	came := *began
	i.Ask = func() { o.prepareAtArrivalTime(from, p, came) }
	return i
}

// arrivalTimeFrom enters what a declaration says of a vote.
func arrivalTimeFrom(i *yield.QueuedPrepare, age txn.Age, d *txn.FixedSet) {
	i.ArrivalTime, i.Ends, i.High, i.OtherShardParts = d.ArrivalTime, d.Ends, age.Priority >= txn.PriorityHigh, d.Parts
}

// arrivalTimeOf is a vote as the queue remembers it, without its lock set; d is what its Prepare declared, or
// what the log has of that.
func arrivalTimeOf(v *voteCmd, d *txn.FixedSet) yield.QueuedPrepare {
	i := yield.QueuedPrepare{Attempt: v.Attempt, Txn: v.Txn}
	if d != nil {
		arrivalTimeFrom(&i, v.Age, d)
	}
	return i
}

// loggedOf is what the log has of a declaration: not what its transaction does elsewhere. A later leader
// has no vote rest on the abort of one that it has from the log.
func loggedOf(d *txn.FixedSet) *txn.FixedSet {
	if d == nil || d.Parts == nil {
		return d
	}
	logged := *d
	logged.Parts = nil
	return &logged
}

// prepareAtArrivalTime goes on with one whose turn has come, unless it has ended meanwhile.
func (o *prepareHandler) prepareAtArrivalTime(from txn.NodeID, p *txn.Prepare, began arrival) {
	if !o.known.over(p.Attempt) {
		o.prepare(from, p, began)
	}
}

// waitsByArrivalTime has a vote of high priority wait whose rows are held by votes, or are waited for by
// one with a smaller stamp, and one of low priority give way; false: it may ask for its rows.
// Whoever holds rows and has not voted is no reason to wait: he may wait for others himself.
func (o *prepareHandler) waitsByArrivalTime(from txn.NodeID, p *txn.Prepare, v *voteCmd, q *yield.LockRequest, began arrival) bool {
	if !o.cfg.Spec.Yield.ByArrivalTime {
		return false
	}
	i := began.queued
	if i != nil && o.cfg.Spec.Yield.Conditional {
		v.PriorityAborted = i.PriorityAborted
	}
	if o.fitsBetween(from, p, q, i) {
		return true
	}
	behind, waits := o.behindWhom(q, i)
	switch {
	case !waits, o.assumptions(v, q, i):
		return false
	case i == nil || !i.High:
		o.refuse(from, p, txn.Refusal{Reason: txn.ReasonLockConflict, ConflictingTxn: behind})
		return true
	}
	o.cfg.Params.Rules.Hit(coverage.HighWaits)
	o.counts.LockWaits++
	o.cfg.Env.Trace("shard %d: %v waits for %v, by its stamp", o.cfg.ID, p.Txn, behind)
	next := began.behind(behind)
	i.Ask = func() { o.prepareAtArrivalTime(from, p, next) }
	o.arrivalQueue.Wait(i)
	o.forward(i, p.FixedSet)
	return true
}

// votersOf are those who have voted and hold some of a lock set.
func (k *locks) votersOf(i *yield.QueuedPrepare) (out []txn.ID) {
	for _, h := range k.HeldBy(i.Txn, txn.Age{}, &i.LockSet) {
		if h.Voted {
			out = append(out, h.Txn)
		}
	}
	return out
}

// behindWhom is who has voted and holds some of a lock set, or waits for it and goes before.
func (o *prepareHandler) behindWhom(q *yield.LockRequest, i *yield.QueuedPrepare) (txn.ID, bool) {
	for _, h := range o.locks.HeldBy(q.Txn, q.Age, &q.LockSet) {
		if h.Voted {
			if i != nil && i.High {
				o.arrivalQueue.MustFollow(i, h.Txn)
			}
			return h.Txn, true
		}
	}
	if w := o.arrivalQueue.InTheWay(&q.LockSet, i); w != nil {
		o.cfg.Params.Rules.Hit(coverage.WaiterFirst)
		return w.Txn, true
	}
	return txn.ID{}, false
}
