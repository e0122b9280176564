package yield

import (
	"fmt"
	"slices"
	"time"

	"isochron/coverage"
	"isochron/txn"
)

// ArrivalQueue has the votes of declared transactions asked for in the order of their stamps, which is
// the same at all shards (Natto sections 3.2 and 3.3.1). A stamp is the moment at which the last of
// a transaction's Prepares should have arrived: one that comes before it is held back here.
//
// Invariants:
//
//   - who is queued or waits holds nothing in the lock table;
//   - who waits has high priority, and waits for what has voted, or for one that waits before it,
//     in either case with a smaller stamp, or with none: that one waits for nobody. For one that
//     comes in time finds nobody voted whose stamp is larger, and one that does not has nobody in
//     its way when it comes. So waits lead to smaller stamps, at all shards, and none of them
//     closes a cycle. MustFollow asserts it;
//   - where low priority gives way no queued one of low priority stands before one of high
//     priority that it would be in the way of.
//
// Stamps only advise: whatever they are, the lock table and the votes decide what commits. A
// wrong one costs time or an abort.
type ArrivalQueue struct {
	policy           Policy
	here             map[txn.Attempt]*QueuedPrepare
	queued           []*QueuedPrepare // held back, in order
	waits            arrivalWaits     // for what is locked
	pumps            bool
	again            bool
	conflictingVotes func(*QueuedPrepare) []txn.ID // who has voted and holds some of its lock set, oldest first
	voted            map[txn.ID]QueuedPrepare      // those who have, but for their lock sets
	passed           QueuedPrepare                 // the last in order that was asked for, or has voted, so too

	Early, ForgetLate, ByReceipt bool             // bugs, planted
	Rules                        *coverage.Counts // nil: nothing is counted
}

// Follow has those that come from now on judged by another policy. Who is here still is of the one
// before, holds nothing, and is refused when it is asked for.
func (q *ArrivalQueue) Follow(p Policy) {
	q.policy = p
	q.waits.lookAtAll()
}

// QueuedPrepare is a vote that is asked for at a moment.
type QueuedPrepare struct {
	Attempt     txn.Attempt
	Txn         txn.ID
	ArrivalTime int64 // nanoseconds of the wall clock
	Ends        int64 // by then it should have ended, if it is not in another's way
	High        bool  // of priority
	LockSet     LockSet
	// OtherShardParts are its parts at other shards, where they have to be known, and PriorityAborted those of low
	// priority that made way for it here.
	OtherShardParts []txn.FixedSetPart
	PriorityAborted []txn.Attempt
	// Forwarded: what it reads was asked of the coordinator of who is in its way (forwarded.go).
	Forwarded bool
	// Due is when the stamp passes here, on the monotonic clock, as the wall clock was when the
	// request came; Late: it had passed before. Deadline bounds how long it is here.
	Due, Deadline time.Duration
	Late          bool
	Ask           func()            // asks the lock table
	Refuse        func(txn.Refusal) // ends it

	// waits: for what is locked, and then head: among those who are looked at when somebody ends, and
	// waitsFor: whose end it waits for, if that is known (stampwaits.go).
	waits, runnable bool
	waitsFor        txn.ID
}

// NewArrivalQueue is an empty queue; voters asks the lock table who has voted and holds some of a
// lock set. A nil one has nobody and never will.
func NewArrivalQueue(p Policy, voters func(*QueuedPrepare) []txn.ID, counts *coverage.Counts) *ArrivalQueue {
	return &ArrivalQueue{policy: p, conflictingVotes: voters, here: map[txn.Attempt]*QueuedPrepare{}, voted: map[txn.ID]QueuedPrepare{}, Rules: counts}
}

// before is the order in which they are asked for.
func (i *QueuedPrepare) before(o *QueuedPrepare) bool {
	if i.ArrivalTime != o.ArrivalTime {
		return i.ArrivalTime < o.ArrivalTime
	}
	return i.Txn.Less(o.Txn)
}

// Enter takes one in, which is asked for when Next has it. Where low priority gives way, those give
// way now that would be in the way of one of high priority; it may be the one that comes.
func (q *ArrivalQueue) Enter(i *QueuedPrepare) {
	switch {
	case q.Len() >= MaxWaiters:
		i.Refuse(txn.ReasonConflict.Refusal())
		return
	case i.Late && i.High && !q.ForgetLate && (q.held(i) || q.behind(i)):
		q.Rules.Hit(coverage.LateGivesWay)
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

// insertByReceipt is a bug: of those whose stamps are close whoever came first is asked first, here and
// not elsewhere.
func insertByReceipt(list []*QueuedPrepare, i *QueuedPrepare) []*QueuedPrepare {
	const near = int64(8 * time.Millisecond)
	at := slices.IndexFunc(list, func(o *QueuedPrepare) bool { return o.ArrivalTime/near > i.ArrivalTime/near })
	if at < 0 {
		at = len(list)
	}
	return slices.Insert(list, at, i)
}

// behind reports whether one that is here already has a smaller stamp and is in its way.
func (q *ArrivalQueue) behind(i *QueuedPrepare) bool {
	return q.waits.first(&i.LockSet, i) != nil || slices.ContainsFunc(q.queued, i.follows)
}

func (i *QueuedPrepare) follows(o *QueuedPrepare) bool {
	return o.before(i) && o.LockSet.Clashes(&i.LockSet)
}

// preempts has those of low priority give way that stand before one of high priority; false if that
// is the one that comes (Natto section 3.3.1). Who should have ended by then is spared.
func (q *ArrivalQueue) preempts(i *QueuedPrepare) bool {
	if !i.High {
		return q.preempted(i)
	}
	for _, o := range slices.Clone(q.queued) { // who waits has high priority too
		if !o.abortableBy(i) || !i.follows(o) {
			continue
		}
		q.Rules.Hit(coverage.LowGivesWay)
		if !q.Cancel(o.Attempt) {
			continue // it ended with another
		}
		i.notePriorityAbort(o)
		o.Refuse(txn.Refusal{Reason: txn.ReasonPriorityAbort, ConflictingTxn: i.Txn})
	}
	return true
}

// preempted has one of low priority give way that comes, if it is in the way of one of high priority; false
// if it is.
func (q *ArrivalQueue) preempted(i *QueuedPrepare) bool {
	for _, list := range [][]*QueuedPrepare{q.waits.list[placeAfter(q.waits.list, i):], q.queued} {
		for _, o := range list {
			if i.abortableBy(o) && o.follows(i) {
				q.Rules.Hit(coverage.LowGivesWay)
				o.notePriorityAbort(i)
				i.Refuse(txn.Refusal{Reason: txn.ReasonPriorityAbort, ConflictingTxn: o.Txn})
				return false
			}
		}
	}
	return true
}

// abortableBy reports whether one would make way for another where it is in its way and has not voted.
func (i *QueuedPrepare) abortableBy(high *QueuedPrepare) bool {
	return !i.High && high.High && i.before(high) && i.Ends > high.ArrivalTime
}

// Clashes reports whether two lock sets of keys cannot be held together. Ranges are not looked at:
// no declared transaction has any.
func (c *LockSet) Clashes(o *LockSet) bool {
	wants := func(k txn.Key) bool { return slices.Contains(o.Exclusive, k) }
	return slices.ContainsFunc(c.Shared, wants) || slices.ContainsFunc(c.Exclusive, func(k txn.Key) bool {
		return wants(k) || slices.Contains(o.Shared, k)
	})
}

// InTheWay is one that waits for some of a lock set and goes before it; nil if none does. before is
// nil for one that has no stamp: it goes after all.
func (q *ArrivalQueue) InTheWay(c *LockSet, before *QueuedPrepare) *QueuedPrepare {
	return q.waits.first(c, before)
}

// Wait has one wait that was asked for and finds its lock set held.
func (q *ArrivalQueue) Wait(i *QueuedPrepare) {
	q.here[i.Attempt] = i
	q.waits.add(i)
}

// Has reports whether an attempt is here.
func (q *ArrivalQueue) Has(a txn.Attempt) bool { return q != nil && q.here[a] != nil }

// Cancel takes an attempt out; false if it is not here.
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

// Len is how many are here.
func (q *ArrivalQueue) Len() int { return len(q.queued) + len(q.waits.list) }

// ProcessDue asks for those whose instant has come, in order: none goes before one with a smaller stamp.
func (q *ArrivalQueue) ProcessDue(now time.Duration) {
	for len(q.queued) > 0 && (q.queued[0].Due <= now || q.Early) {
		i := q.queued[0]
		if i.Due > now {
			panic("yield: " + i.Txn.String() + " is asked for before its instant")
		}
		q.queued = slices.Delete(q.queued, 0, 1)
		delete(q.here, i.Attempt)
		q.pass(QueuedPrepare{Txn: i.Txn, ArrivalTime: i.ArrivalTime})
		i.Ask()
	}
	q.expire(now)
}

// expire ends those who have been here for too long.
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

// Freed lets those ask again who wait, in order. Whoever still finds its lock set held waits again.
func (q *ArrivalQueue) Freed() {
	if q == nil {
		return
	}
	if q.again = true; q.pumps {
		return
	}
	q.pumps = true
	for q.again { // each turn but the last was asked for by one that ended
		q.again = false
		for i := q.waits.nextRunnable(nil); i != nil; i = q.waits.nextRunnable(i) {
			if q.mayProceed(i) && q.Cancel(i.Attempt) {
				i.Ask()
			}
		}
	}
	q.pumps = false
}

// mayProceed reports whether one that waits may ask again: it is behind nobody, and nobody who has voted
// holds some of its lock set, or it may vote beside them. If not it is not looked at before
// whoever is in its way has ended.
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

// held reports whether somebody who has voted holds some of its lock set.
func (q *ArrivalQueue) held(i *QueuedPrepare) bool { return len(q.conflictingVotes(i)) > 0 }

// Passed reports whether one with a larger stamp went before: whatever the clocks say, this one
// is late.
func (q *ArrivalQueue) Passed(i *QueuedPrepare) bool { return i.before(&q.passed) }

func (q *ArrivalQueue) pass(i QueuedPrepare) {
	if q.passed.before(&i) {
		q.passed = i
	}
}

// Voted notes that one has voted and holds its rows until Ended; its stamp is 0 if it has none.
func (q *ArrivalQueue) Voted(i QueuedPrepare) {
	if q != nil && i.ArrivalTime != 0 {
		q.voted[i.Txn] = i
		q.pass(i)
	}
}

// Ended notes that one holds nothing any more, and lets others ask again.
func (q *ArrivalQueue) Ended(id txn.ID) {
	if q != nil {
		delete(q.voted, id)
		q.waits.ended(id)
		q.Freed()
	}
}

// MustFollow asserts that one may wait for another that has voted. There is no way on from a wait
// that may close a cycle: where the order is broken here, others have it otherwise.
func (q *ArrivalQueue) MustFollow(i *QueuedPrepare, voted txn.ID) {
	if h, ok := q.voted[voted]; ok && i.before(&h) {
		panic(fmt.Sprintf("yield: the order of stamps is broken: %v, stamped %d, would wait for %v, stamped %d, which goes after it, and waits might close a cycle",
			i.Txn, i.ArrivalTime, voted, h.ArrivalTime))
	}
}

// NextWake is when Go has something to do.
func (q *ArrivalQueue) NextWake() time.Duration {
	at := txn.Never
	if len(q.queued) > 0 {
		at = q.queued[0].Due
	}
	return min(at, q.waits.deadline())
}

// HeldBy lists who has some of a lock set in the lock table, oldest first: those that a vote with this
// lock set would meet.
func (t *Table) HeldBy(id txn.ID, age txn.Age, c *LockSet) []*Holder {
	return t.rules.conflicts(Prepare, id, age, c)
}
