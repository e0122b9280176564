package decide

import (
	"testing"

	"isochron/txn"
)

func TestTally(t *testing.T) {
	tally := NewTally([]txn.ShardID{2, 3})
	tally.Yes(2, 10, false)
	tally.Yes(2, 10, false) // a repeated vote counts once
	tally.Yes(9, 99, false) // the vote of no participant does not count
	if v, _ := tally.Verdict(); v != Open {
		t.Fatalf("one of two Yes: %v", v)
	}
	if m := tally.Missing(); len(m) != 1 || m[0] != 3 {
		t.Fatalf("missing %v", m)
	}
	tally.Yes(3, 7, false)
	if v, at := tally.Verdict(); v != Commit || at != 10 {
		t.Fatalf("all Yes: %v at %d", v, at)
	}
	tally.No()
	if v, _ := tally.Verdict(); v != Commit {
		t.Fatal("a verdict must not change")
	}
}

func TestOneNoAborts(t *testing.T) {
	tally := NewTally([]txn.ShardID{2, 3})
	tally.No()
	tally.Yes(2, 1, false)
	tally.Yes(3, 1, false)
	if v, _ := tally.Verdict(); v != Abort {
		t.Fatalf("after a No: %v", v)
	}
}

func TestContradictionIsNoticed(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a logged commit after an abort must panic")
		}
	}()
	tally := NewTally([]txn.ShardID{2})
	tally.No()
	tally.Learned(true, 5)
}

func ack(shard txn.ShardID, replica txn.NodeID, term, index uint64, voters ...txn.NodeID) *txn.Ack {
	return &txn.Ack{Shard: shard, Replica: replica, Term: term, Index: index, Voters: voters}
}

func TestAMajorityOfOneEntryOfOneTermCounts(t *testing.T) {
	three := []txn.NodeID{1, 2, 3}
	for _, c := range []struct {
		name string
		acks []*txn.Ack
		want Verdict
	}{
		{"two of three", []*txn.Ack{ack(2, 1, 4, 9, three...), ack(2, 3, 4, 9, three...)}, Commit},
		{"one replica twice", []*txn.Ack{ack(2, 1, 4, 9, three...), ack(2, 1, 4, 9, three...)}, Open},
		{"a stranger", []*txn.Ack{ack(2, 1, 4, 9, three...), ack(2, 7, 4, 9, three...)}, Open},
		{"two terms", []*txn.Ack{ack(2, 1, 4, 9, three...), ack(2, 2, 5, 9, three...)}, Open},
		{"the older term later", []*txn.Ack{ack(2, 1, 5, 9, three...), ack(2, 2, 4, 9, three...)}, Open},
		{"two entries", []*txn.Ack{ack(2, 1, 4, 9, three...), ack(2, 2, 4, 8, three...)}, Open},
		{"a vote without a replica", []*txn.Ack{ack(2, 1, 4, 9, three...), ack(2, 0, 4, 9, three...)}, Open},
		{"three of five", []*txn.Ack{ack(2, 1, 4, 9, 1, 2, 3, 4, 5), ack(2, 2, 4, 9, 1, 2, 3, 4, 5), ack(2, 5, 4, 9, 1, 2, 3, 4, 5)}, Commit},
		{"two of five", []*txn.Ack{ack(2, 1, 4, 9, 1, 2, 3, 4, 5), ack(2, 2, 4, 9, 1, 2, 3, 4, 5)}, Open},
	} {
		tally := NewTally([]txn.ShardID{2})
		tally.Voted(2, 10)
		tally.DependencyDecided(2)
		for _, a := range c.acks {
			tally.Ack(a)
		}
		if v, _ := tally.Verdict(); v != c.want {
			t.Errorf("%s: got %v, want %v", c.name, v, c.want)
		}
	}
}

func TestInAChangeOfMembersBothMajoritiesCount(t *testing.T) {
	tally := NewTally([]txn.ShardID{2})
	tally.Voted(2, 10)
	tally.DependencyDecided(2)
	for _, replica := range []txn.NodeID{1, 2} {
		a := ack(2, replica, 4, 9, 1, 2, 3)
		a.Outgoing = []txn.NodeID{2, 5, 6}
		tally.Ack(a)
	}
	if v, _ := tally.Verdict(); v != Open {
		t.Fatalf("without a majority of the outgoing voters: %v", v)
	}
	a := ack(2, 5, 4, 9, 1, 2, 3)
	a.Outgoing = []txn.NodeID{2, 5, 6}
	tally.Ack(a)
	if v, _ := tally.Verdict(); v != Commit {
		t.Fatalf("with both majorities: %v", v)
	}
}

func TestAConditionalYesWaits(t *testing.T) {
	tally := NewTally([]txn.ShardID{2, 3})
	tally.Yes(3, 7, false)
	tally.Voted(2, 10)
	if !tally.Unanimous() || tally.Proposed() != 10 {
		t.Fatal("all leaders have voted: the order is fixed")
	}
	tally.Yes(2, 10, true)
	if v, _ := tally.Verdict(); v != Open {
		t.Fatalf("its reads are not committed yet: %v", v)
	}
	tally.DependencyDecided(2)
	if v, at := tally.Verdict(); v != Commit || at != 10 {
		t.Fatalf("resolved: %v at %d", v, at)
	}
}

// The injected bug: two entries of two terms, of which neither need survive, would form a majority.
func TestCountingAnyTermCommitsTooEarly(t *testing.T) {
	tally := NewTally([]txn.ShardID{2}).InjectBug(txn.InjectedBugs{CountOldAcks: true})
	tally.Voted(2, 10)
	tally.DependencyDecided(2)
	tally.Ack(ack(2, 1, 4, 9, 1, 2, 3))
	tally.Ack(ack(2, 2, 5, 9, 1, 2, 3))
	if v, _ := tally.Verdict(); v != Commit {
		t.Fatalf("the injected bug has no effect: %v", v)
	}
}
