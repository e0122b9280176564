package decide

import (
	"testing"

	"isochron/txn"
)

// besideAttempt is a Yes of shard 3 that rests on the abort of these.
func besideAttempt(on ...txn.Attempt) *txn.Message {
	m := yes(3, 12)
	m.Vote.Open, m.Vote.AssumesAborted = true, on
	return m
}

// priorityAborted is a Yes of shard 2, at which these have made way.
func priorityAborted(who ...txn.Attempt) *txn.Message {
	m := yes(2, 10)
	m.Vote.PriorityAborted = who
	return m
}

// A Yes that rests on the abort of others counts when all of them are said to have made way elsewhere,
// whichever vote comes first, or when its shard has heard of it; and it is lost if one has committed.
func TestAVoteThatRestsOnAborts(t *testing.T) {
	one, two := txn.Attempt{Node: 7, Seq: 1}, txn.Attempt{Node: 8, Seq: 1}
	resolved := &txn.Message{DependencyDecided: &txn.DependencyDecided{Shard: 3, Attempt: ours, Assumed: true}}
	doomed := &txn.Message{DependencyDecided: &txn.DependencyDecided{Shard: 3, Attempt: ours, Assumed: true, Doomed: true}}
	for _, c := range []struct {
		name     string
		receives []*txn.Message
		want     Verdict
	}{
		{"all have made way", []*txn.Message{besideAttempt(one, two), priorityAborted(two, one)}, Commit},
		{"which was told before", []*txn.Message{priorityAborted(one, two), besideAttempt(one, two)}, Commit},
		{"one has not", []*txn.Message{besideAttempt(one, two), priorityAborted(one)}, Open},
		{"nobody has", []*txn.Message{besideAttempt(one), priorityAborted()}, Open},
		{"its shard has heard of it", []*txn.Message{besideAttempt(one), priorityAborted(), resolved}, Commit},
		{"one has committed", []*txn.Message{besideAttempt(one), priorityAborted(), doomed}, Abort},
		{"they have ended before it is told", []*txn.Message{yes(3, 12), priorityAborted()}, Commit},
	} {
		a, _ := fixedSetPrepare(false)
		Supply(a, someData)
		a.Rule(LogAnswer{Known: true, Commit: true})
		for _, m := range c.receives {
			a.Receive(5, m)
		}
		if v, _ := a.Verdict(); v != c.want {
			t.Errorf("%s: %v, not %v", c.name, v, c.want)
		}
		if reason := a.Reason(); c.want == Abort && (reason == nil || reason.Cause != txn.CauseConflict) {
			t.Errorf("%s: told %v", c.name, reason)
		}
	}
}

// Who finishes the work of another comes to the same by what the logs say.
func TestFindingsThatRestOnAborts(t *testing.T) {
	one := txn.Attempt{Node: 7, Seq: 1}
	for _, made := range []bool{true, false} {
		a, _ := fixedSetPrepare(true)
		a.Terminate()
		a.Rule(LogAnswer{Known: true, Commit: true, Data: someData})
		f := txn.InquireReply{Shard: 2, Attempt: ours, Result: txn.OutcomeYes, Proposed: 10}
		if made {
			f.PriorityAborted = []txn.Attempt{one}
		}
		a.Receive(4, &txn.Message{InquireReply: &f})
		a.Receive(5, &txn.Message{InquireReply: &txn.InquireReply{Shard: 3, Attempt: ours, Result: txn.OutcomeYes, Proposed: 12, Open: true, AssumesAborted: []txn.Attempt{one}}})
		if v, _ := a.Verdict(); (v == Commit) != made {
			t.Errorf("made way: %v; %v", made, v)
		}
	}
}
