package yield

import "testing"

// Who was undone too often with others goes on from committed values alone: it waits
// for the chain to end, or undoes what is younger and has not voted, and no younger
// one goes on from the chain while it waits.
func TestWhoIsSureWaitsForTheChain(t *testing.T) {
	sure := LockSet{Exclusive: x.Exclusive, CommittedOnly: true}
	for _, p := range []Policy{WoundWaitGroup, DetectGroup} {
		tab := hotX(p, HotRowConfig{})
		take(t, tab, 5)
		pass(t, tab, 5, "5")
		take(t, tab, 6)
		pass(t, tab, 6, "56")
		if v := tab.request(Execute, id(7), age(7), LockSet{Exclusive: x.Exclusive}); !v.granted() {
			t.Fatalf("%s: others go on from the chain: %+v", p.Name, v)
		}
		if v := tab.request(Execute, id(7), age(7), sure); v.wait == nil {
			t.Errorf("%s: a younger one that is sure does not wait: %+v", p.Name, v)
		}
		if v := tab.request(Execute, id(1), age(1), sure); p.Detect && v.wait == nil || !p.Detect && len(v.victims) == 0 {
			t.Errorf("%s: an older one that is sure goes on from the chain: %+v", p.Name, v)
		}
		w := &Waiter{Txn: id(7), Age: age(7), Key: "x", Exclusive: true, CommittedOnly: true}
		point, _ := tab.rows.Get("x")
		if before := tab.chains.before(point, w); len(before) != 2 {
			t.Errorf("%s: it is known to wait for %d of the two in the chain", p.Name, len(before))
		}
		tab.locks.release(0, id(5))
		if v := tab.request(Execute, id(7), age(7), sure); v.wait == nil || v.wait.Txn != id(6) {
			t.Errorf("%s: when the first has ended it waits for the second: %+v", p.Name, v)
		}
		tab.locks.release(0, id(6))
		if v := tab.request(Execute, id(7), age(7), sure); !v.granted() {
			t.Errorf("%s: when the chain has ended it gets the row: %+v", p.Name, v)
		}
		if row, ok := tab.Last("x", id(7)); ok {
			t.Errorf("%s: it goes on from the uncommitted %v", p.Name, row)
		}
	}
}
