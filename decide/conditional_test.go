package decide

import (
	"testing"

	"isochron/txn"
)

// beside is a Yes of shard 3 that rests on the abort of these.
func beside(on ...txn.Attempt) *txn.Message {
	m := yes(3, 12)
	m.Vote.Open, m.Vote.Unless = true, on
	return m
}

// madeWay is a Yes of shard 2, at which these have made way.
func madeWay(who ...txn.Attempt) *txn.Message {
	m := yes(2, 10)
	m.Vote.MadeWay = who
	return m
}

// A Yes that rests on the abort of others counts when all of them are said to have made way elsewhere,
// whichever vote comes first, or when its shard has heard of it; and it is lost if one has committed.
func TestAVoteThatRestsOnAborts(t *testing.T) {
	one, two := txn.Attempt{Node: 7, Seq: 1}, txn.Attempt{Node: 8, Seq: 1}
	resolved := &txn.Message{Resolved: &txn.Resolved{Shard: 3, Attempt: ours, Beside: true}}
	doomed := &txn.Message{Resolved: &txn.Resolved{Shard: 3, Attempt: ours, Beside: true, Doomed: true}}
	for _, c := range []struct {
		name  string
		hears []*txn.Message
		want  Verdict
	}{
		{"all have made way", []*txn.Message{beside(one, two), madeWay(two, one)}, Commit},
		{"which was told before", []*txn.Message{madeWay(one, two), beside(one, two)}, Commit},
		{"one has not", []*txn.Message{beside(one, two), madeWay(one)}, Open},
		{"nobody has", []*txn.Message{beside(one), madeWay()}, Open},
		{"its shard has heard of it", []*txn.Message{beside(one), madeWay(), resolved}, Commit},
		{"one has committed", []*txn.Message{beside(one), madeWay(), doomed}, Abort},
		{"they have ended before it is told", []*txn.Message{yes(3, 12), madeWay()}, Commit},
	} {
		a, _ := declaring(false)
		Supply(a, someData)
		a.Rule(LogAnswer{Known: true, Commit: true})
		for _, m := range c.hears {
			a.Hear(5, m)
		}
		if v, _ := a.Verdict(); v != c.want {
			t.Errorf("%s: %v, not %v", c.name, v, c.want)
		}
		if why := a.Why(); c.want == Abort && (why == nil || why.Cause != txn.CauseConflict) {
			t.Errorf("%s: told %v", c.name, why)
		}
	}
}

// Who finishes the work of another comes to the same by what the logs say.
func TestFindingsThatRestOnAborts(t *testing.T) {
	one := txn.Attempt{Node: 7, Seq: 1}
	for _, made := range []bool{true, false} {
		a, _ := declaring(true)
		a.Terminate()
		a.Rule(LogAnswer{Known: true, Commit: true, Data: someData})
		f := txn.Finding{Shard: 2, Attempt: ours, Result: txn.OutcomeYes, Proposed: 10}
		if made {
			f.MadeWay = []txn.Attempt{one}
		}
		a.Hear(4, &txn.Message{Finding: &f})
		a.Hear(5, &txn.Message{Finding: &txn.Finding{Shard: 3, Attempt: ours, Result: txn.OutcomeYes, Proposed: 12, Open: true, Unless: []txn.Attempt{one}}})
		if v, _ := a.Verdict(); (v == Commit) != made {
			t.Errorf("made way: %v; %v", made, v)
		}
	}
}
