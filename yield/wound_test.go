package yield

import (
	"slices"
	"testing"
	"time"

	"isochron/txn"
)

// A request that wounds several holders lets no waiter be granted before all of them have ended: a
// vote that waits for the first must not be granted when the first ends, since its own transaction
// is the next victim, and would be aborted after its vote.
func TestAllVictimsEndBeforeAnyGrant(t *testing.T) {
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
		if aborted := slices.Contains(events.events, "3 wounds 7"); !e.Granted() || voted || !aborted {
			t.Errorf("%s: 3 granted: %v; 7 voted: %v, and was aborted: %v; %q", p.Name, e.Granted(), voted, aborted, events.events)
		}
	}
}
