package yield

import (
	"slices"

	"isochron/txn"
)

// Conditional prepare (Natto section 3.3.2). A high-priority vote that is blocked only by
// low-priority votes need not wait for them if they are about to abort. By the estimates in their
// requests, that is so where it arrived at another shard before they were voted on there, and
// priority-aborted them. Then it votes on the assumption of their abort (AssumedAborted).
//
// Safety does not depend on the estimates: the vote counts once all of them have aborted, by the
// log or by report of the shards that priority-aborted them; it is void if one has committed.

// assumptionsMax bounds the assumptions of a vote.
const assumptionsMax = 16

// AssumptionsOf lists the voted transactions that hold some of a lock set, if a vote may assume
// their abort.
func (q *ArrivalQueue) AssumptionsOf(i *QueuedPrepare) (on []QueuedPrepare, ok bool) {
	if !q.policy.Conditional || !i.High || q.InTheWay(&i.LockSet, i) != nil {
		return nil, false
	}
	on, by := q.assumptionsOf(i, q.conflictingVotes(i))
	return on, len(on) > 0 && by.IsZero()
}

// assumptionsOf lists those of the voters, which hold some of its lock set, whose abort a vote may
// assume; by is the first whose abort it may not, zero if there is none.
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

// comesFirstElsewhere reports whether there is another shard at which low conflicts with i and
// votes after i should arrive.
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

// priorityAbortedMax bounds the attempts recorded as aborted for one.
const priorityAbortedMax = 64

// notePriorityAbort records a low-priority prepare aborted for i.
func (i *QueuedPrepare) notePriorityAbort(low *QueuedPrepare) {
	if len(i.PriorityAborted) < priorityAbortedMax {
		i.PriorityAborted = append(i.PriorityAborted, low.Attempt)
	}
}
