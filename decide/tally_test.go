package decide

import (
	"testing"

	"isochron/txn"
)

func TestTally(t *testing.T) {
	tally := NewTally([]txn.ShardID{2, 3})
	tally.Yes(2, 10)
	tally.Yes(2, 10) // a vote heard twice counts once
	tally.Yes(9, 99) // a stranger's vote does not count
	if v, _ := tally.Verdict(); v != Open {
		t.Fatalf("one of two Yes: %v", v)
	}
	if m := tally.Missing(); len(m) != 1 || m[0] != 3 {
		t.Fatalf("missing %v", m)
	}
	tally.Yes(3, 7)
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
	tally.Yes(2, 1)
	tally.Yes(3, 1)
	if v, _ := tally.Verdict(); v != Abort {
		t.Fatalf("after a No: %v", v)
	}
}

func TestContradictionIsNoticed(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a logged commit after an abort must not pass in silence")
		}
	}()
	tally := NewTally([]txn.ShardID{2})
	tally.No()
	tally.Learned(true, 5)
}
