package decide

import (
	"slices"

	"isochron/coverage"
	"isochron/txn"
)

// Conditional prepare (Natto section 3.3.2), at the coordinator. A Yes may rest on the abort of others,
// whose votes it stands beside: it counts when its shard has heard of that, or as soon as shards
// at which they made way for this attempt have told so. What has made way at one shard has no
// vote there and never gets one: its Prepare was good in the one term in which it was
// refused. So it aborts, whatever the other shards have voted.

// assumes takes in on whose abort a participant's Yes rests, and who has made way for it there.
func assumes(a *Attempt, s txn.ShardID, unless, madeWay []txn.Attempt) {
	if len(unless) > 0 {
		a.assumed = true
	}
	a.tally.Rests(s, unless, madeWay)
}

// Rests notes on whose abort a participant's Yes rests, if on anybody's, and who made way there.
func (t *Tally) Rests(s txn.ShardID, unless, madeWay []txn.Attempt) {
	p := t.part(s)
	if p == nil {
		return
	}
	p.assumesAborted = unless
	for _, a := range madeWay {
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
	return t.commitBeside || !slices.ContainsFunc(list, func(a txn.Attempt) bool { return !slices.Contains(t.priorityAborted, a) })
}
