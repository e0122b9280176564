package yield

import (
	"slices"

	"isochron/txn"
)

// Conditional prepare (Natto section 3.3.2). A vote of high priority that only votes of low priority
// hold up need not wait for them if they are about to abort: that is so where, by the estimates that
// their requests carry, it has come to another shard before they were voted on there, and they
// have made way for it. Then it votes beside them, on condition of their abort.
//
// Nothing rests on the estimates: the vote counts when all of them have aborted, as the log
// knows, or as the shards tell at which they made way; and it is lost if one has committed.

// assumptionsMax bounds on how many a vote rests.
const assumptionsMax = 16

// AssumptionsOf lists those who have voted and hold some of a lock set, if a vote may rest on their abort.
func (q *ArrivalQueue) AssumptionsOf(i *QueuedPrepare) (on []QueuedPrepare, ok bool) {
	if !q.policy.Conditional || !i.High || q.InTheWay(&i.LockSet, i) != nil {
		return nil, false
	}
	on, by := q.assumptionsOf(i, q.conflictingVotes(i))
	return on, len(on) > 0 && by.IsZero()
}

// assumptionsOf lists those on whose abort a vote may rest of voters that hold some of its lock set; by is one on
// whose abort it may not, zero if there is none.
func (q *ArrivalQueue) assumptionsOf(i *QueuedPrepare, voters []txn.ID) (on []QueuedPrepare, by txn.ID) {
	if len(voters) > 0 && (!q.policy.Conditional || !i.High) {
		return nil, voters[0]
	}
	for n, id := range voters {
		low, stamped := q.voted[id]
		if n == assumptionsMax || !stamped || !low.abortableBy(i) || !i.comesFirstElsewhere(&low) {
			return nil, id
		}
		on = append(on, low)
	}
	return on, txn.ID{}
}

// comesFirstElsewhere reports whether there is another shard at which low priority is in its way, and at
// which it should arrive before that is voted on.
func (i *QueuedPrepare) comesFirstElsewhere(low *QueuedPrepare) bool {
	return slices.ContainsFunc(i.OtherShardParts, func(part txn.FixedSetPart) bool {
		return slices.ContainsFunc(low.OtherShardParts, func(o txn.FixedSetPart) bool {
			if o.Shard != part.Shard || part.Arrives >= low.ArrivalTime {
				return false
			}
			has := LockSet{Shared: o.Reads, Exclusive: o.Writes}
			return has.Clashes(&LockSet{Shared: part.Reads, Exclusive: part.Writes})
		})
	})
}

// priorityAbortedMax bounds how many are named that made way for one.
const priorityAbortedMax = 64

// notePriorityAbort notes that one of low priority has made way.
func (i *QueuedPrepare) notePriorityAbort(low *QueuedPrepare) {
	if len(i.PriorityAborted) < priorityAbortedMax {
		i.PriorityAborted = append(i.PriorityAborted, low.Attempt)
	}
}
