package yield

import (
	"testing"
	"time"

	"isochron/txn"
)

// A table has something to do while somebody waits: first to look for deadlocks, if it
// does, and at last to end the wait.
func TestATableWakesForThoseWhoWait(t *testing.T) {
	table := NewTable(WoundWait, HotRowConfig{}, nil)
	chaser := NewDeadlockDetector(table, DetectorConfig{After: time.Second}, nil)
	if at := min(table.NextWake(), chaser.NextWake()); at != txn.Never {
		t.Errorf("nobody waits, and it wakes at %v", at)
	}
	h := table.grant(0, txn.ID{Node: 1, Seq: 1}, txn.Age{Start: 1}, LockSet{Exclusive: []txn.Key{"a"}})
	w := &Waiter{Txn: txn.ID{Node: 1, Seq: 2}, Age: txn.Age{Start: 2}, Key: "a", Since: 1, Deadline: 5 * time.Second, Exclusive: true}
	if !table.waits.enter(1, h, w) {
		t.Fatal("it may not wait")
	}
	chaser.Look(2)
	if at := chaser.NextWake(); at <= 2 || at > time.Second {
		t.Errorf("it looks for deadlocks at %v", at)
	}
	if at := table.NextWake(); at != w.Deadline {
		t.Errorf("without a search it wakes at %v", at)
	}
	if got := table.waits.expired(w.Deadline); len(got) != 1 {
		t.Fatalf("%d waits end", len(got))
	}
	for table.waits.next() != nil {
		t.Error("somebody can go on")
	}
	if at := min(table.NextWake(), chaser.NextWake()); at != txn.Never {
		t.Errorf("nobody waits any more, and it wakes at %v", at)
	}
}
