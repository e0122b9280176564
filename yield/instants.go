package yield

import (
	"fmt"
	"slices"
	"time"

	"isochron/rulebook"
	"isochron/txn"
)

// Instants has the votes of declared transactions asked for in the order of their stamps, which is
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
type Instants struct {
	policy Policy
	here   map[txn.Attempt]*StampedVote
	queued []*StampedVote // held back, in order
	waits  stampWaits     // for what is locked
	pumps  bool
	again  bool
	voters func(*StampedVote) []txn.ID // who has voted and holds some of its lock set, oldest first
	voted  map[txn.ID]StampedVote      // those who have, but for their lock sets
	passed StampedVote                 // the last in order that was asked for, or has voted, so too

	Early, ForgetLate, ByArrival bool             // bugs, planted
	Rules                        *rulebook.Counts // nil: nothing is counted
}

// Follow has those that come from now on judged by another policy. Who is here still is of the one
// before, holds nothing, and is refused when it is asked for.
func (q *Instants) Follow(p Policy) {
	q.policy = p
	q.waits.lookAtAll()
}

// StampedVote is a vote that is asked for at a moment.
type StampedVote struct {
	Attempt txn.Attempt
	Txn     txn.ID
	Stamp   int64 // nanoseconds of the wall clock
	Ends    int64 // by then it should have ended, if it is not in another's way
	High    bool  // of priority
	LockSet LockSet
	// Elsewhere are its parts at other shards, where they have to be known, and MadeWay those of low
	// priority that made way for it here.
	Elsewhere []txn.DeclaredPart
	MadeWay   []txn.Attempt
	// Forwarded: what it reads was asked of the coordinator of who is in its way (forwarded.go).
	Forwarded bool
	// Due is when the stamp passes here, on the monotonic clock, as the wall clock was when the
	// request came; Late: it had passed before. Deadline bounds how long it is here.
	Due, Deadline time.Duration
	Late          bool
	Ask           func()            // asks the lock table
	Refuse        func(txn.Refusal) // ends it

	// waits: for what is locked, and then head: among those who are looked at when somebody ends, and
	// heldBy: whose end it waits for, if that is known (stampwaits.go).
	waits, head bool
	heldBy      txn.ID
}

// NewInstants is an empty queue; voters asks the lock table who has voted and holds some of a
// lock set. A nil one has nobody and never will.
func NewInstants(p Policy, voters func(*StampedVote) []txn.ID, counts *rulebook.Counts) *Instants {
	return &Instants{policy: p, voters: voters, here: map[txn.Attempt]*StampedVote{}, voted: map[txn.ID]StampedVote{}, Rules: counts}
}

// before is the order in which they are asked for.
func (i *StampedVote) before(o *StampedVote) bool {
	if i.Stamp != o.Stamp {
		return i.Stamp < o.Stamp
	}
	return i.Txn.Less(o.Txn)
}

// Enter takes one in, which is asked for when Next has it. Where low priority gives way, those give
// way now that would be in the way of one of high priority; it may be the one that comes.
func (q *Instants) Enter(i *StampedVote) {
	switch {
	case q.Len() >= MaxWaiters:
		i.Refuse(txn.WhyOtherMet.Refusal())
		return
	case i.Late && i.High && !q.ForgetLate && (q.held(i) || q.behind(i)):
		q.Rules.Bite(rulebook.LateGivesWay)
		i.Refuse(txn.WhyLate.Refusal())
		return
	}
	if q.policy.Preempts && !q.preempts(i) {
		return
	}
	q.here[i.Attempt] = i
	if q.ByArrival {
		q.queued = insertByArrival(q.queued, i)
		return
	}
	q.queued = insertStamped(q.queued, i)
}

// insertByArrival is a bug: of those whose stamps are close whoever came first is asked first, here and
// not elsewhere.
func insertByArrival(list []*StampedVote, i *StampedVote) []*StampedVote {
	const near = int64(8 * time.Millisecond)
	at := slices.IndexFunc(list, func(o *StampedVote) bool { return o.Stamp/near > i.Stamp/near })
	if at < 0 {
		at = len(list)
	}
	return slices.Insert(list, at, i)
}

// behind reports whether one that is here already has a smaller stamp and is in its way.
func (q *Instants) behind(i *StampedVote) bool {
	return q.waits.first(&i.LockSet, i) != nil || slices.ContainsFunc(q.queued, i.follows)
}

func (i *StampedVote) follows(o *StampedVote) bool {
	return o.before(i) && o.LockSet.Clashes(&i.LockSet)
}

// preempts has those of low priority give way that stand before one of high priority; false if that
// is the one that comes (Natto section 3.3.1). Who should have ended by then is spared.
func (q *Instants) preempts(i *StampedVote) bool {
	if !i.High {
		return q.preempted(i)
	}
	for _, o := range slices.Clone(q.queued) { // who waits has high priority too
		if !o.makesWay(i) || !i.follows(o) {
			continue
		}
		q.Rules.Bite(rulebook.LowGivesWay)
		if !q.Cancel(o.Attempt) {
			continue // it ended with another
		}
		i.madeWay(o)
		o.Refuse(txn.Refusal{Why: txn.WhyPriority, Who: i.Txn})
	}
	return true
}

// preempted has one of low priority give way that comes, if it is in the way of one of high priority; false
// if it is.
func (q *Instants) preempted(i *StampedVote) bool {
	for _, list := range [][]*StampedVote{q.waits.list[placeAfter(q.waits.list, i):], q.queued} {
		for _, o := range list {
			if i.makesWay(o) && o.follows(i) {
				q.Rules.Bite(rulebook.LowGivesWay)
				o.madeWay(i)
				i.Refuse(txn.Refusal{Why: txn.WhyPriority, Who: o.Txn})
				return false
			}
		}
	}
	return true
}

// makesWay reports whether one would make way for another where it is in its way and has not voted.
func (i *StampedVote) makesWay(high *StampedVote) bool {
	return !i.High && high.High && i.before(high) && i.Ends > high.Stamp
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
func (q *Instants) InTheWay(c *LockSet, before *StampedVote) *StampedVote {
	return q.waits.first(c, before)
}

// Wait has one wait that was asked for and finds its lock set held.
func (q *Instants) Wait(i *StampedVote) {
	q.here[i.Attempt] = i
	q.waits.add(i)
}

// Has reports whether an attempt is here.
func (q *Instants) Has(a txn.Attempt) bool { return q != nil && q.here[a] != nil }

// Cancel takes an attempt out; false if it is not here.
func (q *Instants) Cancel(a txn.Attempt) bool {
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
func (q *Instants) Len() int { return len(q.queued) + len(q.waits.list) }

// Go asks for those whose instant has come, in order: none goes before one with a smaller stamp.
func (q *Instants) Go(now time.Duration) {
	for len(q.queued) > 0 && (q.queued[0].Due <= now || q.Early) {
		i := q.queued[0]
		if i.Due > now {
			panic("yield: " + i.Txn.String() + " is asked for before its instant")
		}
		q.queued = slices.Delete(q.queued, 0, 1)
		delete(q.here, i.Attempt)
		q.pass(StampedVote{Txn: i.Txn, Stamp: i.Stamp})
		i.Ask()
	}
	q.expire(now)
}

// expire ends those who have been here for too long.
func (q *Instants) expire(now time.Duration) {
	if q.waits.deadline() > now {
		return
	}
	for _, i := range slices.Clone(q.waits.list) {
		if i.Deadline <= now && q.Cancel(i.Attempt) {
			i.Refuse(txn.WhyWaitedAtPrepare.Refusal())
			q.Freed()
		}
	}
}

// Freed lets those ask again who wait, in order. Whoever still finds its lock set held waits again.
func (q *Instants) Freed() {
	if q == nil {
		return
	}
	if q.again = true; q.pumps {
		return
	}
	q.pumps = true
	for q.again { // each turn but the last was asked for by one that ended
		q.again = false
		for i := q.waits.headAfter(nil); i != nil; i = q.waits.headAfter(i) {
			if q.mayGoOn(i) && q.Cancel(i.Attempt) {
				i.Ask()
			}
		}
	}
	q.pumps = false
}

// mayGoOn reports whether one that waits may ask again: it is behind nobody, and nobody who has voted
// holds some of its lock set, or it may vote beside them. If not it is not looked at before
// whoever is in its way has ended.
func (q *Instants) mayGoOn(i *StampedVote) bool {
	if q.waits.blocked(i) {
		q.waits.unhead(i)
		return false
	}
	_, by := q.restsOn(i, q.voters(i))
	if by.IsZero() {
		return true
	}
	q.waits.hold(i, by)
	return false
}

// held reports whether somebody who has voted holds some of its lock set.
func (q *Instants) held(i *StampedVote) bool { return len(q.voters(i)) > 0 }

// Passed reports whether one with a larger stamp went before: whatever the clocks say, this one
// is late.
func (q *Instants) Passed(i *StampedVote) bool { return i.before(&q.passed) }

func (q *Instants) pass(i StampedVote) {
	if q.passed.before(&i) {
		q.passed = i
	}
}

// Voted notes that one has voted and holds its rows until Ended; its stamp is 0 if it has none.
func (q *Instants) Voted(i StampedVote) {
	if q != nil && i.Stamp != 0 {
		q.voted[i.Txn] = i
		q.pass(i)
	}
}

// Ended notes that one holds nothing any more, and lets others ask again.
func (q *Instants) Ended(id txn.ID) {
	if q != nil {
		delete(q.voted, id)
		q.waits.ended(id)
		q.Freed()
	}
}

// MustFollow asserts that one may wait for another that has voted. There is no way on from a wait
// that may close a cycle: where the order is broken here, others have it otherwise.
func (q *Instants) MustFollow(i *StampedVote, voted txn.ID) {
	if h, ok := q.voted[voted]; ok && i.before(&h) {
		panic(fmt.Sprintf("yield: the order of stamps is broken: %v, stamped %d, would wait for %v, stamped %d, which goes after it, and waits might close a cycle",
			i.Txn, i.Stamp, voted, h.Stamp))
	}
}

// NextWake is when Go has something to do.
func (q *Instants) NextWake() time.Duration {
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
