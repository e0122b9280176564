package yield

import (
	"slices"
	"testing"
	"time"

	"isochron/txn"
)

// asksFor requests rows in execution, as the nth transaction of low or high priority.
func asksFor(table *Table, p Policy, n uint64, high bool, c LockSet) LockResult {
	e := table.Acquire(0, &LockRequest{Phase: Execute, Txn: id(n), Age: ofPriority(p, n, high), LockSet: c, Deadline: time.Minute, Number: n})
	if e.Waits != nil {
		e.Waits.Retry, e.Waits.Refuse = func() {}, func(txn.Refusal) {}
	}
	return e
}

// A transaction that waits for one of its rows holds the others under IncrementalLocking, and
// nothing otherwise; it is not granted a row that is not free, shared or exclusive.
func TestFreeRowsAreHeldWhileWaiting(t *testing.T) {
	whole := WoundWaitAlike
	whole.IncrementalLocking = false
	for _, p := range []Policy{WoundWaitAlike, whole} {
		table := NewTable(p, HotRowConfig{}, &abortLog{})
		asksFor(table, p, 1, false, LockSet{Exclusive: []txn.Key{"a"}, Shared: []txn.Key{"s"}})
		if e := asksFor(table, p, 2, false, LockSet{Exclusive: []txn.Key{"a", "b"}, Shared: []txn.Key{"c", "s"}}); e.Waits == nil {
			t.Fatalf("%+v: the second holds a row of the first", e)
		}
		for _, k := range []txn.Key{"b", "c"} {
			if e := asksFor(table, p, 3, false, LockSet{Exclusive: []txn.Key{k}}); (e.Waits != nil) != p.IncrementalLocking {
				t.Errorf("incremental %t: a third requests %q: %+v", p.IncrementalLocking, k, e)
			}
		}
		if e := asksFor(table, p, 4, false, LockSet{Exclusive: []txn.Key{"s"}}); e.Waits == nil {
			t.Errorf("incremental %t: a write of what the first reads: %+v", p.IncrementalLocking, e)
		}
		table.Drop(0, id(1))
		if e := asksFor(table, p, 2, false, LockSet{Exclusive: []txn.Key{"a", "b"}, Shared: []txn.Key{"c", "s"}}); e.Granted() != p.IncrementalLocking {
			t.Errorf("incremental %t: after the first has ended the second's result is %+v", p.IncrementalLocking, e)
		}
	}
}

// An older request wounds a holder that waits, like any holder; then the rows that it held while it
// waited are free.
func TestAWaitingHolderIsWounded(t *testing.T) {
	p, u := WoundWaitAlike, &abortLog{}
	table := NewTable(p, HotRowConfig{}, u)
	asksFor(table, p, 2, false, LockSet{Exclusive: []txn.Key{"a"}})
	asksFor(table, p, 3, false, LockSet{Exclusive: []txn.Key{"a", "b", "c"}})
	if e := asksFor(table, p, 1, false, LockSet{Exclusive: []txn.Key{"b"}}); !e.Again || !slices.Equal(u.ids, []txn.ID{id(3)}) {
		t.Fatalf("%+v, aborted %v; want the third aborted", e, u.ids)
	}
	for n, k := range map[uint64]txn.Key{1: "b", 4: "c"} {
		if e := asksFor(table, p, n, false, LockSet{Exclusive: []txn.Key{k}}); !e.Granted() {
			t.Errorf("%q is not free: %+v", k, e)
		}
	}
}

// Preempt-on-wait applies within one round: a low-priority holder of a row that waits at the same
// shard for another is aborted for high priority, older or not.
func TestAWaitingHolderIsPreempted(t *testing.T) {
	for _, p := range []Policy{WoundWaitOnWait, WoundWaitAlike} {
		u := &abortLog{}
		table := NewTable(p, HotRowConfig{}, u)
		asksFor(table, p, 1, false, LockSet{Exclusive: []txn.Key{"a"}})
		asksFor(table, p, 2, false, LockSet{Exclusive: []txn.Key{"a", "b"}})
		e := asksFor(table, p, 3, true, LockSet{Exclusive: []txn.Key{"b"}})
		if preempts := p.Priority == PriorityPreemptsWaiting; e.Again != preempts || (len(u.ids) == 1) != preempts {
			t.Errorf("%s: %+v, aborted %v", p.Name, e, u.ids)
		}
	}
}
