package shard

import (
	"testing"

	"isochron/txn"
)

// An attempt whose abort is being logged has read an aborted write: repeated prepares and inquiries
// must be answered that it is doomed.
func TestAnAttemptBeingAbortedStaysDoomed(t *testing.T) {
	c := newHarness(t, "d2pc+occ")
	a := txn.Attempt{Node: 1, Seq: 1}
	p := &prepared{voteCmd: voteCmd{Attempt: a}}
	known := c.prepareHandler.known
	known.state.prepared[a] = p
	known.deciding[a] = &decidingVote{}
	known.early.Condition(a, nil, true, nil)
	c.decisionHandler.depends.ended(&p.voteCmd, false)
	if !c.answerAgain(2, a) || !c.find(2, a) || len(c.world.all) != 2 {
		t.Fatalf("it was answered %d times", len(c.world.all))
	}
	if v := c.world.all[0].Vote; v == nil || !v.Doomed {
		t.Errorf("to a repeated prepare it replies %+v", v)
	}
	if f := c.world.all[1].InquireReply; f == nil || !f.Doomed {
		t.Errorf("to an inquiry it replies %+v", f)
	}
}

// A vote depends on revealed undecided writes that the transaction has read, but not on a vote
// whose entry is its commit.
func TestDependenciesOfAVote(t *testing.T) {
	cfg, rows, _, known := lead1(t, "d2pc+2pl")
	d := dependencyTracker{cfg, rows.early, known}
	at := func(seq uint64) txn.Attempt { return txn.Attempt{Node: 1, Seq: seq} }
	for seq, key := range []txn.Key{"a", "b", "c", "y"} {
		v := &voteCmd{Attempt: at(uint64(seq)), Proposed: 50, OnePhase: key == "b", Writes: []txn.Write{{Key: key, Value: []byte("w")}}}
		known.voting[v.Attempt] = &votingVote{cmd: v}
		d.reveal(v)
	}
	p := &txn.Prepare{Reads: []txn.ReadCheck{{Key: "a"}, {Key: "b"}}, SchemaChecks: []txn.ReadCheck{{Key: "old"}}}
	if on := d.of(p); len(on) != 1 || on[0] != at(0) {
		t.Errorf("it depends on %v", on)
	}
	for on, p := range map[uint64]*txn.Prepare{ // order: independent cases
		2: {SchemaChecks: []txn.ReadCheck{{Key: "c"}}},
		3: {Spans: []txn.SpanCheck{{Span: txn.Span{Start: "x", End: "z"}}}},
	} {
		if got := d.of(p); len(got) != 1 || got[0] != at(on) {
			t.Errorf("%+v depends on %v, not on %v", p, got, at(on))
		}
	}
	cfg.Params.InjectedBugs.ReleaseUntracked = true
	if on := d.of(p); on != nil {
		t.Errorf("with the bug it depends on %v", on)
	}
}
