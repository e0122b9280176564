package shard

import (
	"testing"

	"isochron/store"
	"isochron/txn"
)

// rested returns a shard's state with a vote of 1 and a vote of 2 that assumes the abort of 1; 3
// was preempted for 2.
func rested(t *testing.T) (*state, *store.Batch) {
	t.Helper()
	cfg, _, _, known := lead1(t, "natto-cp")
	_ = cfg
	s, b := known.state, &store.Batch{}
	s.apply(b, 0, command{Vote: &voteCmd{Attempt: attempt(1), Txn: id(1)}}, 0)
	s.apply(b, 1, command{Vote: &voteCmd{Attempt: attempt(2), Txn: id(2), AssumesAborted: []txn.Attempt{attempt(1)}, PriorityAborted: []txn.Attempt{attempt(3), attempt(1)}}}, 0)
	return s, b
}

func attempt(seq uint64) txn.Attempt { return txn.Attempt{Node: 1, Seq: seq} }

// A vote that assumes another's abort is valid when the log has that abort, and is lost when it has
// the commit; the entry of a vote for which a transaction was preempted is that transaction's
// fence.
func TestTheLogContainsTheAssumptionsOfAVote(t *testing.T) {
	for _, commit := range []bool{true, false} {
		s, b := rested(t)
		if p := s.prepared[attempt(2)]; len(p.AssumesAborted) != 1 || p.Doomed {
			t.Fatalf("it assumes the abort of %v, %v", p.AssumesAborted, p.Doomed)
		}
		if o, known := s.outcomes.Get(attempt(3)); !known || o.Result != txn.OutcomeNo {
			t.Errorf("the preempted transaction is not fenced: %+v", o)
		}
		if s.prepared[attempt(1)] == nil {
			t.Error("a vote is fenced off")
		}
		s.apply(b, 0, command{Decide: &decideCmd{Attempt: attempt(1), Commit: commit}}, 0)
		if p := s.prepared[attempt(2)]; len(p.AssumesAborted) != 0 || p.Doomed != commit {
			t.Errorf("commit %v: it assumes the abort of %v, doomed %v", commit, p.AssumesAborted, p.Doomed)
		}
	}
}

// Assumed aborts that the log has decided already: an abort is no condition any longer, and an
// unknown attempt may have committed.
func TestAttemptStatesInTheLog(t *testing.T) {
	s, b := rested(t)
	s.apply(b, 0, command{Decide: &decideCmd{Attempt: attempt(1)}}, 0)
	for on, doomed := range map[uint64]bool{1: false, 9: true} { // order: independent cases
		p := &prepared{voteCmd: voteCmd{Attempt: attempt(20 + on), AssumesAborted: []txn.Attempt{attempt(on)}}}
		s.resolveKnown(p)
		if len(p.AssumesAborted) != 0 || p.Doomed != doomed {
			t.Errorf("on %d: %v, %v", on, p.AssumesAborted, p.Doomed)
		}
	}
}

// The commit of a vote that assumes an abort logs that abort first.
func TestACommitAbortsAssumedAttempts(t *testing.T) {
	c := newHarness(t, "natto-cp")
	known := c.prepareHandler.known
	known.state.prepared[attempt(1)] = &prepared{voteCmd: voteCmd{Attempt: attempt(1), Txn: id(1)}}
	known.state.prepared[attempt(2)] = &prepared{voteCmd: voteCmd{Attempt: attempt(2), Txn: id(2), AssumesAborted: []txn.Attempt{attempt(1)}}}
	c.decisionHandler.decide(2, &txn.Decide{Attempt: attempt(2), Txn: id(2), Commit: true, At: 70})
	if n := len(c.paper.commands); n != 2 {
		t.Fatalf("%d commands are logged", n)
	}
	first, then := c.paper.commands[0].Decide, c.paper.commands[1].Decide
	if first.Attempt != attempt(1) || first.Commit || then.Attempt != attempt(2) || !then.Commit {
		t.Errorf("logged are %+v and %+v", first, then)
	}
	known.state.prepared[attempt(2)].AssumesAborted = nil
	c.decisionHandler.decide(2, &txn.Decide{Attempt: attempt(1), Txn: id(1)})
	if n := len(c.paper.commands); n != 2 {
		t.Errorf("the abort is logged twice")
	}
}
