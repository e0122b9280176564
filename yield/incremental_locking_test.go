package yield

import (
	"slices"
	"testing"
	"time"

	"isochron/txn"
)

// asksFor asks for rows in execution, as the nth transaction of low or high priority.
func asksFor(table *Table, p Policy, n uint64, high bool, c LockSet) LockResult {
	e := table.Acquire(0, &LockRequest{Phase: Execute, Txn: id(n), Age: ofPriority(p, n, high), LockSet: c, Deadline: time.Minute, Number: n})
	if e.Waits != nil {
		e.Waits.Retry, e.Waits.Refuse = func() {}, func(txn.Refusal) {}
	}
	return e
}

// Who waits for one of its rows holds the others where locks are had row by row, and nothing
// elsewhere; what is not free it does not get, whether it reads or writes it.
func TestWhatIsFreeIsHeldMeanwhile(t *testing.T) {
	whole := WoundWaitAlike
	whole.IncrementalLocking = false
	for _, p := range []Policy{WoundWaitAlike, whole} {
		table := NewTable(p, HotRowConfig{}, &abortLog{})
		asksFor(table, p, 1, false, LockSet{Exclusive: []txn.Key{"a"}, Shared: []txn.Key{"s"}})
		if e := asksFor(table, p, 2, false, LockSet{Exclusive: []txn.Key{"a", "b"}, Shared: []txn.Key{"c", "s"}}); e.Waits == nil {
			t.Fatalf("%+v: the second has a row that the first holds", e)
		}
		for _, k := range []txn.Key{"b", "c"} {
			if e := asksFor(table, p, 3, false, LockSet{Exclusive: []txn.Key{k}}); (e.Waits != nil) != p.IncrementalLocking {
				t.Errorf("row by row %t: a third asks for %q and gets %+v", p.IncrementalLocking, k, e)
			}
		}
		if e := asksFor(table, p, 4, false, LockSet{Exclusive: []txn.Key{"s"}}); e.Waits == nil {
			t.Errorf("row by row %t: what the first reads is written by %+v", p.IncrementalLocking, e)
		}
		table.Drop(0, id(1))
		if e := asksFor(table, p, 2, false, LockSet{Exclusive: []txn.Key{"a", "b"}, Shared: []txn.Key{"c", "s"}}); e.Granted() != p.IncrementalLocking {
			t.Errorf("row by row %t: the first has ended, and the second gets %+v", p.IncrementalLocking, e)
		}
	}
}

// An older one has who holds a row and waits for others give way, as any holder; then what that had
// while it waited is free.
func TestWhoWaitsRowByRowIsWounded(t *testing.T) {
	p, u := WoundWaitAlike, &abortLog{}
	table := NewTable(p, HotRowConfig{}, u)
	asksFor(table, p, 2, false, LockSet{Exclusive: []txn.Key{"a"}})
	asksFor(table, p, 3, false, LockSet{Exclusive: []txn.Key{"a", "b", "c"}})
	if e := asksFor(table, p, 1, false, LockSet{Exclusive: []txn.Key{"b"}}); !e.Again || !slices.Equal(u.ids, []txn.ID{id(3)}) {
		t.Fatalf("%+v, undone %v; want the third to give way", e, u.ids)
	}
	for n, k := range map[uint64]txn.Key{1: "b", 4: "c"} {
		if e := asksFor(table, p, n, false, LockSet{Exclusive: []txn.Key{k}}); !e.Granted() {
			t.Errorf("%q is not free: %+v", k, e)
		}
	}
}

// Preempt-on-wait has an occasion within one round: who holds a row of a shard and waits there for
// another makes way for high priority, older or not.
func TestWhoWaitsRowByRowIsPreempted(t *testing.T) {
	for _, p := range []Policy{WoundWaitOnWait, WoundWaitAlike} {
		u := &abortLog{}
		table := NewTable(p, HotRowConfig{}, u)
		asksFor(table, p, 1, false, LockSet{Exclusive: []txn.Key{"a"}})
		asksFor(table, p, 2, false, LockSet{Exclusive: []txn.Key{"a", "b"}})
		e := asksFor(table, p, 3, true, LockSet{Exclusive: []txn.Key{"b"}})
		if preempts := p.Priority == PriorityPreemptsWaiting; e.Again != preempts || (len(u.ids) == 1) != preempts {
			t.Errorf("%s: %+v, undone %v", p.Name, e, u.ids)
		}
	}
}
