package decide

import (
	"slices"

	"isochron/rulebook"
	"isochron/txn"
)

// Conditional prepare (Natto section 3.3.2), at the coordinator. A Yes may rest on the abort of others,
// whose votes it stands beside: it counts when its shard has heard of that, or as soon as shards
// at which they made way for this attempt have told so. What has made way at one shard has no
// vote there and never gets one: its Prepare was good in the one term in which it was
// refused. So it aborts, whatever the other shards have voted.

// rests takes in on whose abort a participant's Yes rests, and who has made way for it there.
func rests(a *Attempt, s txn.ShardID, unless, madeWay []txn.Attempt) {
	if len(unless) > 0 {
		a.beside = true
	}
	a.tally.Rests(s, unless, madeWay)
}

// Rests notes on whose abort a participant's Yes rests, if on anybody's, and who made way there.
func (t *Tally) Rests(s txn.ShardID, unless, madeWay []txn.Attempt) {
	p := t.part(s)
	if p == nil {
		return
	}
	p.unless = unless
	for _, a := range madeWay {
		if !slices.Contains(t.madeWay, a) {
			t.madeWay = append(t.madeWay, a)
		}
	}
	for i := range t.parts {
		if p := &t.parts[i]; len(p.unless) > 0 && !p.resolved && t.madeWayAll(p.unless) {
			t.rules.Bite(rulebook.MadeWayElsewhere)
			t.Resolved(t.Participants[i])
		}
	}
}

func (t *Tally) madeWayAll(list []txn.Attempt) bool {
	return t.commitBeside || !slices.ContainsFunc(list, func(a txn.Attempt) bool { return !slices.Contains(t.madeWay, a) })
}
