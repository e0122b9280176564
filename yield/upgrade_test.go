package yield

import (
	"testing"

	"isochron/txn"
)

// Where ages decide, the oldest of a queue is retried on a release, not a younger request that
// upgrades a shared lock and waits for other readers: the oldest would wound those, and no other
// event would retry it.
func TestTheOldestIsRetriedBeforeAnUpgrade(t *testing.T) {
	for _, p := range []Policy{WoundWait, WoundWaitGroup} {
		tab := NewTable(p, HotRowConfig{}, nil)
		shared := LockSet{Shared: []txn.Key{"x"}}
		tab.grant(0, id(1), age(1), shared)
		stay(t, tab, 3, "x", nil) // waits for 1, which is older
		tab.grant(0, id(5), age(5), shared)
		tab.grant(0, id(7), age(7), shared)
		stay(t, tab, 7, "x", nil) // waits for 1 and 5, which are older
		tab.locks.release(0, id(1))
		w := tab.waits.next()
		if w == nil || w.Txn != id(3) {
			t.Fatalf("%s: retried %+v; 3 is the oldest", p.Name, w)
		}
		v := tab.request(Execute, id(3), age(3), LockSet{Exclusive: []txn.Key{"x"}})
		if len(v.victims) != 2 {
			t.Errorf("%s: 5 and 7 are younger than 3: %+v", p.Name, v)
		}
	}
}
