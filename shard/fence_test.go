package shard

import (
	"testing"

	"isochron/store"
	"isochron/txn"
)

// What the log has ended without a vote stays ended: a Yes that comes into it later counts
// for nothing. No leader proposes one today, and the state does not rest on that.
func TestAYesAfterItsFenceIsVoid(t *testing.T) {
	_, rows, _, _ := lead1(t, "2pc+2pl")
	var b store.Batch
	a := txn.Attempt{Node: 2, Seq: 7}
	rows.state.putOutcome(&b, a, outcome{Result: txn.OutcomeNo})
	if e := rows.state.applyVote(&b, 0, &voteCmd{Attempt: a, Proposed: 50}, 0); !e.void || rows.state.prepared[a] != nil {
		t.Errorf("it stands: %+v", e)
	}
	a.Seq++
	if e := rows.state.applyVote(&b, 1, &voteCmd{Attempt: a, Proposed: 50}, 0); e.void || rows.state.prepared[a] == nil {
		t.Errorf("another does not: %+v", e)
	}
}

// Who is told that an attempt has ended, and has not voted on it, refuses it from then on:
// its Prepare may still be under way.
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
