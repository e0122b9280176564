package decide

import (
	"slices"

	"isochron/coverage"
	"isochron/txn"
)

// Conditional prepare (Natto section 3.3.2), at the coordinator. A Yes may assume the abort of
// other attempts. It counts when its shard has received those decisions, or as soon as other shards
// have reported that they priority-aborted these attempts. A priority-aborted attempt has no vote
// at that shard and never gets one: its Prepare was valid only in the term in which it was refused.
// So it aborts, whatever the other shards have voted.

// assumes records the assumptions of a participant's Yes, and the attempts priority-aborted there.
func assumes(a *Attempt, s txn.ShardID, unless, aborted []txn.Attempt) {
	if len(unless) > 0 {
		a.assumed = true
	}
	a.tally.Assumes(s, unless, aborted)
}

// Assumes records the assumptions of a participant's Yes, if any, and the attempts priority-aborted
// there.
func (t *Tally) Assumes(s txn.ShardID, unless, aborted []txn.Attempt) {
	p := t.part(s)
	if p == nil {
		return
	}
	p.assumesAborted = unless
	for _, a := range aborted {
		if !slices.Contains(t.priorityAborted, a) {
			t.priorityAborted = append(t.priorityAborted, a)
		}
	}
	for i := range t.parts {
		if p := &t.parts[i]; len(p.assumesAborted) > 0 && !p.resolved && t.allPriorityAborted(p.assumesAborted) {
			t.rules.Hit(coverage.PriorityAbortedElsewhere)
			t.DependencyDecided(t.Participants[i])
		}
	}
}

func (t *Tally) allPriorityAborted(list []txn.Attempt) bool {
	return t.commitOfAssumed || !slices.ContainsFunc(list, func(a txn.Attempt) bool { return !slices.Contains(t.priorityAborted, a) })
}
