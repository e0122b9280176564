package shard

import (
	"testing"

	"isochron/store"
	"isochron/txn"
)

// An attempt that the log has ended without a vote stays ended: a later Yes in the log has no
// effect. No leader proposes one today, and the state does not rely on that.
func TestAYesAfterItsFenceIsVoid(t *testing.T) {
	_, rows, _, _ := lead1(t, "2pc+2pl")
	var b store.Batch
	a := txn.Attempt{Node: 2, Seq: 7}
	rows.state.putOutcome(&b, a, outcome{Result: txn.OutcomeNo})
	if e := rows.state.applyVote(&b, 0, &voteCmd{Attempt: a, Proposed: 50}, 0); !e.void || rows.state.prepared[a] != nil {
		t.Errorf("it has an effect: %+v", e)
	}
	a.Seq++
	if e := rows.state.applyVote(&b, 1, &voteCmd{Attempt: a, Proposed: 50}, 0); e.void || rows.state.prepared[a] == nil {
		t.Errorf("another does not: %+v", e)
	}
}

// A participant that receives the end of an attempt on which it has not voted refuses the attempt
// from then on: its Prepare may still be under way.
func TestAnAttemptThatWasEndedIsRefused(t *testing.T) {
	c := newHarness(t, "2pc+2pl")
	p := asksFor(1, "old")
	c.decisionHandler.abortUnvoted(&txn.Decide{Attempt: p.Attempt, Txn: p.Txn})
	if !c.answerAgain(2, p.Attempt) {
		t.Fatal("it would be voted on")
	}
	if v := c.world.last(t, 1).Vote; v == nil || v.Yes || v.Refused == 0 {
		t.Errorf("it is answered %+v", v)
	}
}
