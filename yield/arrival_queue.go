package yield

import (
	"fmt"
	"slices"
	"time"

	"isochron/coverage"
	"isochron/txn"
)

// ArrivalQueue orders the prepares of 2FI transactions by arrival time, the same order at every
// shard (Natto sections 3.2 and 3.3.1). The arrival time is the coordinator's estimate of when the
// last participant receives its Prepare; a Prepare received earlier is queued until then.
//
// Invariants:
//
//   - A queued or waiting prepare holds no locks.
//   - A waiting prepare has high priority, and waits only for a prepared transaction, or for a
//     prepare that waits before it; in either case for a smaller arrival time, or for none, and a
//     transaction without one waits for nothing. Reason: a prepare in time finds no voted
//     transaction with a larger arrival time, and a late one is accepted only if nothing conflicts.
//     So waits lead to smaller arrival times at all shards, and form no cycle. MustFollow asserts
//     it.
//   - Under Preempts no low-priority prepare is queued before a high-priority one that it conflicts
//     with.
//
// Arrival times are hints: the lock table and the votes decide what commits. A wrong one causes
// delay or an abort, never a wrong result.
type ArrivalQueue struct {
	policy           Policy
	here             map[txn.Attempt]*QueuedPrepare
	queued           []*QueuedPrepare // held back, in order
	waits            arrivalWaits     // not yet due, in order
	pumps            bool             // due, and blocked by locks
	again            bool
	conflictingVotes func(*QueuedPrepare) []txn.ID // voted transactions that hold some of its lock set, oldest first
	voted            map[txn.ID]QueuedPrepare      // by transaction, without their lock sets
	passed           QueuedPrepare                 // the largest in order that was processed or has voted, without its lock set

	Early, ForgetLate, ByReceipt bool             // injected bugs
	Rules                        *coverage.Counts // nil: nothing is counted
}

// Follow applies another policy to prepares from now on. A prepare that is here already belongs to
// the former protocol, holds nothing, and is refused when it is processed.
func (q *ArrivalQueue) Follow(p Policy) {
	q.policy = p
	q.waits.lookAtAll()
}

// QueuedPrepare is a prepare that is processed at its arrival time.
type QueuedPrepare struct {
	Attempt     txn.Attempt
	Txn         txn.ID
	ArrivalTime int64 // nanoseconds of the wall clock
	Ends        int64 // estimate of when the transaction ends if nothing conflicts
	High        bool  // of high priority
	LockSet     LockSet
	// OtherShardParts are its parts at other shards, where conditional prepare needs them.
	// PriorityAborted are the low-priority attempts that were aborted for it here.
	OtherShardParts []txn.FixedSetPart
	PriorityAborted []txn.Attempt
	// Forwarded: its read was forwarded to the coordinator of its conflicting predecessor
	// (forwarded.go).
	Forwarded bool
	// Due is the arrival time on the monotonic clock, by the wall clock at receipt. Late: that had
	// passed already. Deadline bounds the stay here.
	Due, Deadline time.Duration
	Late          bool
	Ask           func()            // requests the locks
	Refuse        func(txn.Refusal) // ends it

	// waits: it is blocked by locks. Then runnable: it is retried when a transaction ends; else
	// waitsFor is the transaction whose end it waits for, if that is known (arrival_waits.go).
	waits, runnable bool
	waitsFor        txn.ID
}

// NewArrivalQueue returns an empty queue. voters reports the voted transactions that hold some of a
// lock set. A nil queue is always empty.
func NewArrivalQueue(p Policy, voters func(*QueuedPrepare) []txn.ID, counts *coverage.Counts) *ArrivalQueue {
	return &ArrivalQueue{policy: p, conflictingVotes: voters, here: map[txn.Attempt]*QueuedPrepare{}, voted: map[txn.ID]QueuedPrepare{}, Rules: counts}
}

// before is the order of processing: by arrival time, then by id.
func (i *QueuedPrepare) before(o *QueuedPrepare) bool {
	if i.ArrivalTime != o.ArrivalTime {
		return i.ArrivalTime < o.ArrivalTime
	}
	return i.Txn.Less(o.Txn)
}

// Enter queues a prepare; ProcessDue processes it. Under Preempts the low-priority prepares that
// would delay a high-priority one are refused now; that may be the new one.
func (q *ArrivalQueue) Enter(i *QueuedPrepare) {
	switch {
	case q.Len() >= MaxWaiters:
		i.Refuse(txn.ReasonConflict.Refusal())
		return
	case i.Late && i.High && !q.ForgetLate && (q.held(i) || q.behind(i)):
		q.Rules.Hit(coverage.LateDoesNotQueue)
		i.Refuse(txn.ReasonLateArrival.Refusal())
		return
	}
	if q.policy.Preempts && !q.preempts(i) {
		return
	}
	q.here[i.Attempt] = i
	if q.ByReceipt {
		q.queued = insertByReceipt(q.queued, i)
		return
	}
	q.queued = insertByArrivalTime(q.queued, i)
}

// insertByReceipt is an injected bug: prepares with close arrival times are processed in the order
// of receipt, which differs between shards.
func insertByReceipt(list []*QueuedPrepare, i *QueuedPrepare) []*QueuedPrepare {
	const near = int64(8 * time.Millisecond)
	at := slices.IndexFunc(list, func(o *QueuedPrepare) bool { return o.ArrivalTime/near > i.ArrivalTime/near })
	if at < 0 {
		at = len(list)
	}
	return slices.Insert(list, at, i)
}

// behind reports whether a prepare with a smaller arrival time is here and conflicts.
func (q *ArrivalQueue) behind(i *QueuedPrepare) bool {
	return q.waits.first(&i.LockSet, i) != nil || slices.ContainsFunc(q.queued, i.follows)
}

func (i *QueuedPrepare) follows(o *QueuedPrepare) bool {
	return o.before(i) && o.LockSet.Clashes(&i.LockSet)
}

// preempts refuses the low-priority prepares that precede a conflicting one of high priority; false
// if the new one is refused (priority abort, Natto section 3.3.1). A prepare that should have ended
// by then is spared.
func (q *ArrivalQueue) preempts(i *QueuedPrepare) bool {
	if !i.High {
		return q.preempted(i)
	}
	for _, o := range slices.Clone(q.queued) { // a waiting prepare has high priority too
		if !o.abortableBy(i) || !i.follows(o) {
			continue
		}
		q.Rules.Hit(coverage.LowPreempted)
		if !q.Cancel(o.Attempt) {
			continue // it ended with another
		}
		i.notePriorityAbort(o)
		o.Refuse(txn.Refusal{Reason: txn.ReasonPriorityAbort, ConflictingTxn: i.Txn})
	}
	return true
}

// preempted refuses a new low-priority prepare that precedes a conflicting one of high priority;
// false if it did.
func (q *ArrivalQueue) preempted(i *QueuedPrepare) bool {
	for _, list := range [][]*QueuedPrepare{q.waits.list[placeAfter(q.waits.list, i):], q.queued} {
		for _, o := range list {
			if i.abortableBy(o) && o.follows(i) {
				q.Rules.Hit(coverage.LowPreempted)
				o.notePriorityAbort(i)
				i.Refuse(txn.Refusal{Reason: txn.ReasonPriorityAbort, ConflictingTxn: o.Txn})
				return false
			}
		}
	}
	return true
}

// abortableBy reports whether high aborts i where they conflict and i has not voted.
func (i *QueuedPrepare) abortableBy(high *QueuedPrepare) bool {
	return !i.High && high.High && i.before(high) && i.Ends > high.ArrivalTime
}

// Clashes reports whether two lock sets of keys conflict. Ranges are ignored: no 2FI transaction
// has any.
func (c *LockSet) Clashes(o *LockSet) bool {
	needs := func(k txn.Key) bool { return slices.Contains(o.Exclusive, k) }
	return slices.ContainsFunc(c.Shared, needs) || slices.ContainsFunc(c.Exclusive, func(k txn.Key) bool {
		return needs(k) || slices.Contains(o.Shared, k)
	})
}

// InTheWay is a waiting prepare that conflicts with a lock set and precedes before; nil if there is
// none. before is nil for a vote without an arrival time: all precede it.
func (q *ArrivalQueue) InTheWay(c *LockSet, before *QueuedPrepare) *QueuedPrepare {
	return q.waits.first(c, before)
}

// Wait makes a processed prepare wait for its lock set.
func (q *ArrivalQueue) Wait(i *QueuedPrepare) {
	q.here[i.Attempt] = i
	q.waits.add(i)
}

// Has reports whether an attempt is queued or waits.
func (q *ArrivalQueue) Has(a txn.Attempt) bool { return q != nil && q.here[a] != nil }

// Cancel removes an attempt; false if it is not here.
func (q *ArrivalQueue) Cancel(a txn.Attempt) bool {
	if !q.Has(a) {
		return false
	}
	i := q.here[a]
	delete(q.here, a)
	if !q.waits.remove(i) {
		at := slices.Index(q.queued, i)
		q.queued = slices.Delete(q.queued, at, at+1)
	}
	return true
}

// Len is the number of queued and waiting prepares.
func (q *ArrivalQueue) Len() int { return len(q.queued) + len(q.waits.list) }

// ProcessDue processes the prepares whose arrival time has passed, in order.
func (q *ArrivalQueue) ProcessDue(now time.Duration) {
	for len(q.queued) > 0 && (q.queued[0].Due <= now || q.Early) {
		i := q.queued[0]
		if i.Due > now {
			panic("yield: " + i.Txn.String() + " is processed before its arrival time")
		}
		q.queued = slices.Delete(q.queued, 0, 1)
		delete(q.here, i.Attempt)
		q.pass(QueuedPrepare{Txn: i.Txn, ArrivalTime: i.ArrivalTime})
		i.Ask()
	}
	q.expire(now)
}

// expire refuses the waiting prepares whose deadline has passed.
func (q *ArrivalQueue) expire(now time.Duration) {
	if q.waits.deadline() > now {
		return
	}
	for _, i := range slices.Clone(q.waits.list) {
		if i.Deadline <= now && q.Cancel(i.Attempt) {
			i.Refuse(txn.ReasonPrepareTimeout.Refusal())
			q.Freed()
		}
	}
}

// Freed retries waiting prepares, in order. One whose lock set is still held waits again.
func (q *ArrivalQueue) Freed() {
	if q == nil {
		return
	}
	if q.again = true; q.pumps {
		return
	}
	q.pumps = true
	for q.again { // each pass but the last was requested by a prepare that ended
		q.again = false
		for i := q.waits.nextRunnable(nil); i != nil; i = q.waits.nextRunnable(i) {
			if q.mayProceed(i) && q.Cancel(i.Attempt) {
				i.Ask()
			}
		}
	}
	q.pumps = false
}

// mayProceed reports whether a waiting prepare may be retried: no waiting one precedes it, and no
// voted transaction holds some of its lock set, or it may vote assuming their abort. If not it is
// retried only after the blocking transaction has ended.
func (q *ArrivalQueue) mayProceed(i *QueuedPrepare) bool {
	if q.waits.blocked(i) {
		q.waits.unmarkRunnable(i)
		return false
	}
	_, by := q.assumptionsOf(i, q.conflictingVotes(i))
	if by.IsZero() {
		return true
	}
	q.waits.hold(i, by)
	return false
}

// held reports whether a voted transaction holds some of its lock set.
func (q *ArrivalQueue) held(i *QueuedPrepare) bool { return len(q.conflictingVotes(i)) > 0 }

// Passed reports whether a prepare with a larger arrival time was processed already. Then this one
// is late, whatever the clocks show.
func (q *ArrivalQueue) Passed(i *QueuedPrepare) bool { return i.before(&q.passed) }

func (q *ArrivalQueue) pass(i QueuedPrepare) {
	if q.passed.before(&i) {
		q.passed = i
	}
}

// Voted notes that a prepare has voted and holds its rows until Ended. One without an arrival time
// (0) is ignored.
func (q *ArrivalQueue) Voted(i QueuedPrepare) {
	if q != nil && i.ArrivalTime != 0 {
		q.voted[i.Txn] = i
		q.pass(i)
	}
}

// Ended notes that a transaction holds nothing any more, and retries waiting prepares.
func (q *ArrivalQueue) Ended(id txn.ID) {
	if q != nil {
		delete(q.voted, id)
		q.waits.ended(id)
		q.Freed()
	}
}

// MustFollow asserts that i may wait for a voted transaction. A wait against the order may close a
// cycle over shards, and no rule here would end it.
func (q *ArrivalQueue) MustFollow(i *QueuedPrepare, voted txn.ID) {
	if h, ok := q.voted[voted]; ok && i.before(&h) {
		panic(fmt.Sprintf("yield: order of arrival times violated: %v at %d would wait for %v at %d, which follows it; waits might form a cycle",
			i.Txn, i.ArrivalTime, voted, h.ArrivalTime))
	}
}

// NextWake is when ProcessDue has something to do.
func (q *ArrivalQueue) NextWake() time.Duration {
	at := txn.Never
	if len(q.queued) > 0 {
		at = q.queued[0].Due
	}
	return min(at, q.waits.deadline())
}

// HeldBy lists the holders that conflict with a vote's lock set, oldest first.
func (t *Table) HeldBy(id txn.ID, age txn.Age, c *LockSet) []*Holder {
	return t.rules.conflicts(Prepare, id, age, c)
}
