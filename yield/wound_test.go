package yield

import (
	"slices"
	"testing"
	"time"

	"isochron/txn"
)

// Where one makes several give way, nobody is let in before all of them have: a vote that waits for
// the first of them must not be given when the first goes, for it is the next that goes, and would
// be undone when it has voted.
func TestAllGiveWayBeforeAnyoneIsLetIn(t *testing.T) {
	for _, p := range []Policy{Reserve, ReservePatiently} {
		events := &eventLog{}
		tab := NewTable(p, HotRowConfig{}, events)
		ranked := func(n uint64, rank txn.RegionPriority) txn.Age { a := age(n); a.Region = rank; return a }
		shared, exclusive := LockSet{Shared: []txn.Key{"x"}}, LockSet{Exclusive: []txn.Key{"x"}}
		vote := func(n uint64, rank txn.RegionPriority) *LockRequest {
			return &LockRequest{Phase: Prepare, Txn: id(n), Age: ranked(n, rank), LockSet: exclusive, Deadline: time.Hour, WaitsOnlyHere: true}
		}
		tab.reserved.Reserve(0, id(5), ranked(5, 2), []txn.Key{"x"}, nil)
		tab.grant(0, id(5), ranked(5, 2), shared)
		tab.grant(0, id(7), ranked(7, 1), shared)
		e := tab.Acquire(0, vote(7, 1))
		if e.Waits == nil || e.BlockedBy != id(5) {
			t.Fatalf("%s: 7 does not wait for the reservation of 5: %+v", p.Name, e)
		}
		voted := false
		e.Waits.Retry = func() { e := tab.Acquire(0, vote(7, 1)); voted = voted || e.Granted() }
		e.Waits.Refuse = func(txn.Refusal) {}
		for range 2 {
			e = tab.Acquire(0, vote(3, 3))
		}
		if undone := slices.Contains(events.events, "3 wounds 7"); !e.Granted() || voted || !undone {
			t.Errorf("%s: 3 has it: %v; 7 has voted: %v, and was undone: %v; %q", p.Name, e.Granted(), voted, undone, events.events)
		}
	}
}
