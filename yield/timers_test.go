package yield

import (
	"testing"
	"time"

	"isochron/txn"
)

// A table has timers while a request waits: first for the search for deadlocks, if there is one,
// and at last for the end of the wait.
func TestNextWakeFollowsWaiters(t *testing.T) {
	table := NewTable(WoundWait, HotRowConfig{}, nil)
	chaser := NewDeadlockDetector(table, DetectorConfig{After: time.Second}, nil)
	if at := min(table.NextWake(), chaser.NextWake()); at != txn.Never {
		t.Errorf("no request waits, and NextWake is %v", at)
	}
	h := table.grant(0, txn.ID{Node: 1, Seq: 1}, txn.Age{Start: 1}, LockSet{Exclusive: []txn.Key{"a"}})
	w := &Waiter{Txn: txn.ID{Node: 1, Seq: 2}, Age: txn.Age{Start: 2}, Key: "a", Since: 1, Deadline: 5 * time.Second, Exclusive: true}
	if !table.waits.enter(1, h, w) {
		t.Fatal("the request does not wait")
	}
	chaser.Look(2)
	if at := chaser.NextWake(); at <= 2 || at > time.Second {
		t.Errorf("deadlock search at %v", at)
	}
	if at := table.NextWake(); at != w.Deadline {
		t.Errorf("without a search NextWake is %v", at)
	}
	if got := table.waits.expired(w.Deadline); len(got) != 1 {
		t.Fatalf("%d waits expired", len(got))
	}
	for table.waits.next() != nil {
		t.Error("NextWake is not 0 with a ready waiter")
	}
	if at := min(table.NextWake(), chaser.NextWake()); at != txn.Never {
		t.Errorf("no request waits any more, and NextWake is %v", at)
	}
}
