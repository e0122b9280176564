package shard

import (
	"time"

	"isochron/coverage"
	"isochron/txn"
	"isochron/yield"
)

// Prepares of 2FI transactions with an arrival time are processed at that time, in the order of
// arrival times (yield/arrival_queue.go; Natto section 3.2).

// holdMost bounds how long a prepare is queued, whatever its arrival time and the clocks are.
const holdMost = 2 * time.Second

// queuedByArrival reports whether a Prepare must wait for its arrival time.
func (o *prepareHandler) queuedByArrival(p *txn.Prepare) bool {
	return o.cfg.Spec.Yield.ByArrivalTime && p.FixedSet != nil && p.FixedSet.ArrivalTime != 0
}

// queueOrRefuse queues a Prepare until its arrival time; the queue may refuse it.
func (o *prepareHandler) queueOrRefuse(from txn.NodeID, p *txn.Prepare, began arrival) {
	now := o.cfg.Env.Now()
	i := o.queuedPrepare(from, p, &began)
	until := time.Duration(p.FixedSet.ArrivalTime - now.WallNanos)
	i.Late, i.Due = until < 0 || o.arrivalQueue.Passed(i), now.Mono+min(max(until, 0), holdMost)
	if i.Late {
		o.counts.Late++
		if o.cfg.Env.Tracing() {
			o.cfg.Env.Trace("shard %d: %v is received after its arrival time", o.cfg.ID, p.Txn)
		}
	}
	o.arrivalQueue.Enter(i)
	o.arrivalQueue.ProcessDue(now.Mono)
}

// queuedPrepare returns a Prepare as an entry of the queue.
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

// arrivalTimeFrom copies the queue's fields from a 2FI declaration.
func arrivalTimeFrom(i *yield.QueuedPrepare, age txn.Age, d *txn.FixedSet) {
	i.ArrivalTime, i.Ends, i.High, i.OtherShardParts = d.ArrivalTime, d.Ends, age.Priority >= txn.PriorityHigh, d.Parts
}

// arrivalTimeOf returns a vote as the queue keeps it, without its lock set; d is the FixedSet of its Prepare, or
// the part of it in the log.
func arrivalTimeOf(v *voteCmd, d *txn.FixedSet) yield.QueuedPrepare {
	i := yield.QueuedPrepare{Attempt: v.Attempt, Txn: v.Txn}
	if d != nil {
		arrivalTimeFrom(&i, v.Age, d)
	}
	return i
}

// loggedOf returns the part of a declaration that is logged: not the transaction's parts at other shards. A later
// leader therefore makes no conditional vote on a prepare that it restored from the log.
func loggedOf(d *txn.FixedSet) *txn.FixedSet {
	if d == nil || d.Parts == nil {
		return d
	}
	logged := *d
	logged.Parts = nil
	return &logged
}

// prepareAtArrivalTime continues a queued Prepare whose turn has come, unless its attempt has ended.
func (o *prepareHandler) prepareAtArrivalTime(from txn.NodeID, p *txn.Prepare, began arrival) {
	if !o.known.over(p.Attempt) {
		o.prepare(from, p, began)
	}
}

// waitsByArrivalTime has a high-priority prepare wait if prepared transactions hold its rows, or a waiting
// one with a smaller arrival time needs them; a low-priority one is refused then. false: the prepare may
// request its locks. A holder that has not voted is no reason to wait: it may wait for others itself.
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
	behind, waits := o.conflictOf(q, i)
	switch {
	case !waits, o.assumptions(v, q, i):
		return false
	case i == nil || !i.High:
		o.refuse(from, p, txn.Refusal{Reason: txn.ReasonLockConflict, ConflictingTxn: behind})
		return true
	}
	o.cfg.Params.Rules.Hit(coverage.HighWaits)
	o.counts.LockWaits++
	o.cfg.Env.Trace("shard %d: %v waits for %v, in the order of arrival times", o.cfg.ID, p.Txn, behind)
	next := began.behind(behind)
	i.Ask = func() { o.prepareAtArrivalTime(from, p, next) }
	o.arrivalQueue.Wait(i)
	o.forward(i, p.FixedSet)
	return true
}

// votersOf returns the prepared transactions that hold locks in conflict with a lock set.
func (k *locks) votersOf(i *yield.QueuedPrepare) (out []txn.ID) {
	for _, h := range k.HeldBy(i.Txn, txn.Age{}, &i.LockSet) {
		if h.Voted {
			out = append(out, h.Txn)
		}
	}
	return out
}

// conflictOf returns a transaction that has voted and holds a conflicting lock, or that waits for one and precedes i.
func (o *prepareHandler) conflictOf(q *yield.LockRequest, i *yield.QueuedPrepare) (txn.ID, bool) {
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
