package decide

import (
	"testing"

	"isochron/txn"
)

// conditionalAttempt is a Yes of shard 3 that assumes the abort of these.
func conditionalAttempt(on ...txn.Attempt) *txn.Message {
	m := yes(3, 12)
	m.Vote.Open, m.Vote.AssumesAborted = true, on
	return m
}

// priorityAborted is a Yes of shard 2, at which these were priority-aborted.
func priorityAborted(ids ...txn.Attempt) *txn.Message {
	m := yes(2, 10)
	m.Vote.PriorityAborted = ids
	return m
}

// A Yes with assumptions counts when all of these are reported as priority-aborted elsewhere,
// whichever vote is received first, or when its shard has received the decisions; it is void if one
// has committed.
func TestAVoteThatAssumesAborts(t *testing.T) {
	one, two := txn.Attempt{Node: 7, Seq: 1}, txn.Attempt{Node: 8, Seq: 1}
	resolved := &txn.Message{DependencyDecided: &txn.DependencyDecided{Shard: 3, Attempt: ours, Assumed: true}}
	doomed := &txn.Message{DependencyDecided: &txn.DependencyDecided{Shard: 3, Attempt: ours, Assumed: true, Doomed: true}}
	for _, c := range []struct {
		name     string
		receives []*txn.Message
		want     Verdict
	}{
		{"all were preempted", []*txn.Message{conditionalAttempt(one, two), priorityAborted(two, one)}, Commit},
		{"which was reported before", []*txn.Message{priorityAborted(one, two), conditionalAttempt(one, two)}, Commit},
		{"one has not", []*txn.Message{conditionalAttempt(one, two), priorityAborted(one)}, Open},
		{"none has", []*txn.Message{conditionalAttempt(one), priorityAborted()}, Open},
		{"its shard has received the decisions", []*txn.Message{conditionalAttempt(one), priorityAborted(), resolved}, Commit},
		{"one has committed", []*txn.Message{conditionalAttempt(one), priorityAborted(), doomed}, Abort},
		{"they ended before the report", []*txn.Message{yes(3, 12), priorityAborted()}, Commit},
	} {
		a, _ := fixedSetPrepare(false)
		Supply(a, someData)
		a.Rule(LogAnswer{Known: true, Commit: true})
		for _, m := range c.receives {
			a.Receive(5, m)
		}
		if v, _ := a.Verdict(); v != c.want {
			t.Errorf("%s: got %v, want %v", c.name, v, c.want)
		}
		if reason := a.Reason(); c.want == Abort && (reason == nil || reason.Cause != txn.CauseConflict) {
			t.Errorf("%s: reason %v", c.name, reason)
		}
	}
}

// Recovery has the same outcome from the logs.
func TestInquireRepliesThatAssumeAborts(t *testing.T) {
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
			t.Errorf("priority-aborted: %v; %v", made, v)
		}
	}
}
