package yield

import "testing"

// A transaction that was aborted too often by cascades reads committed values only: it waits for
// the chain to end, or wounds younger unvoted members, and no younger one joins the chain while it
// waits.
func TestCommittedOnlyWaitsForTheChain(t *testing.T) {
	sure := LockSet{Exclusive: x.Exclusive, CommittedOnly: true}
	for _, p := range []Policy{WoundWaitGroup, DetectGroup} {
		tab := hotX(p, HotRowConfig{})
		take(t, tab, 5)
		pass(t, tab, 5, "5")
		take(t, tab, 6)
		pass(t, tab, 6, "56")
		if v := tab.request(Execute, id(7), age(7), LockSet{Exclusive: x.Exclusive}); !v.granted() {
			t.Fatalf("%s: others must join the chain: %+v", p.Name, v)
		}
		if v := tab.request(Execute, id(7), age(7), sure); v.wait == nil {
			t.Errorf("%s: a younger CommittedOnly request does not wait: %+v", p.Name, v)
		}
		if v := tab.request(Execute, id(1), age(1), sure); p.Detect && v.wait == nil || !p.Detect && len(v.victims) == 0 {
			t.Errorf("%s: an older CommittedOnly request joins the chain: %+v", p.Name, v)
		}
		w := &Waiter{Txn: id(7), Age: age(7), Key: "x", Exclusive: true, CommittedOnly: true}
		point, _ := tab.rows.Get("x")
		if before := tab.chains.before(point, w); len(before) != 2 {
			t.Errorf("%s: it waits for %d of the two in the chain", p.Name, len(before))
		}
		tab.locks.release(0, id(5))
		if v := tab.request(Execute, id(7), age(7), sure); v.wait == nil || v.wait.Txn != id(6) {
			t.Errorf("%s: after the first has ended it must wait for the second: %+v", p.Name, v)
		}
		tab.locks.release(0, id(6))
		if v := tab.request(Execute, id(7), age(7), sure); !v.granted() {
			t.Errorf("%s: after the chain has ended it must be granted: %+v", p.Name, v)
		}
		if row, ok := tab.Last("x", id(7)); ok {
			t.Errorf("%s: it reads the uncommitted %v", p.Name, row)
		}
	}
}
