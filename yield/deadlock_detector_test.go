package yield

import (
	"slices"
	"testing"
	"time"

	"isochron/txn"
)

var y = LockSet{Exclusive: []txn.Key{"y"}}

func at(shard txn.ShardID) txn.WaitEdge { return txn.WaitEdge{Shard: shard, Leader: 1, Term: 1} }

// stay makes a transaction wait for a row that it is to write, since time 0.
func stay(t *testing.T, tab *Table, n uint64, k txn.Key, f func(*Waiter)) *Waiter {
	t.Helper()
	v := tab.request(Execute, id(n), age(n), LockSet{Exclusive: []txn.Key{k}})
	if v.wait == nil {
		t.Fatalf("%d does not wait for %s: %+v", n, k, v)
	}
	w := &Waiter{Txn: id(n), Age: age(n), Key: k, Exclusive: true, WaitsOnlyHere: true, Number: 100 + n, Deadline: time.Minute}
	if f != nil {
		f(w)
	}
	tab.waits.enter(0, v.wait, w)
	return w
}

// detectorAt is the DeadlockDetector of a shard whose leader is node 1 in term 1.
func detectorAt(tab *Table, shard txn.ShardID, after time.Duration) *DeadlockDetector {
	return NewDeadlockDetector(tab, DetectorConfig{Here: at(shard), After: after}, nil)
}

func TestPoliciesThatNeedADetector(t *testing.T) {
	for _, p := range []Policy{DetectEager, Detect, DetectQueue, DetectGroup, WoundWaitGroup, WoundWaitRetire} {
		if !p.Deadlocks() {
			t.Errorf("%s: a detector is needed", p.Name)
		}
	}
	for _, p := range []Policy{WoundWait, Validate, ValidateInBatches, EachValidates, EachByTimestamp} {
		if p.Deadlocks() {
			t.Errorf("%s: ages order all waits, and yet a detector runs", p.Name)
		}
	}
}

func TestWhichHoldersAreProbed(t *testing.T) {
	const after = 100 * time.Millisecond
	tab := NewTable(Detect, HotRowConfig{}, nil)
	tab.grant(0, id(5), age(5), x)
	tab.grant(0, id(4), age(4), LockSet{Exclusive: []txn.Key{"y", "z"}})
	stay(t, tab, 3, "x", nil)
	stay(t, tab, 6, "z", nil) // younger: the probe of 6 reaches here
	stay(t, tab, 2, "y", func(w *Waiter) { w.HoldsNothing = true })
	chaser := detectorAt(tab, 1, after)
	look := func(now time.Duration) (probed []uint64) {
		for _, s := range chaser.suspects(now) {
			probed = append(probed, s.txn.Seq)
			if len(s.into) != 1 || s.into[0].Txn != id(3) || s.into[0].For != id(5) {
				t.Errorf("waits for it: %+v", s.into)
			}
		}
		return probed
	}
	for _, c := range []struct {
		at   time.Duration
		want int
	}{{after - 1, 0}, {after + 20*time.Millisecond, 1}, {after + 40*time.Millisecond, 0}, {3 * after, 1}, {4 * after, 0}, {5*after + 20*time.Millisecond, 1}} {
		if got := look(c.at); len(got) != c.want || c.want == 1 && got[0] != 5 {
			t.Errorf("after %v probed: %v", c.at, got)
		}
	}
}

// A request that upgrades a shared lock is first in its queue, however young, and conflicts with
// all others: their waits for the row's other readers, which are younger, are found too.
func TestWhichHoldersAreProbedBehindAnUpgrade(t *testing.T) {
	const after = 100 * time.Millisecond
	shared := LockSet{Shared: []txn.Key{"x"}}
	tab := NewTable(Detect, HotRowConfig{}, nil)
	tab.grant(0, id(6), age(6), shared)
	tab.grant(0, id(7), age(7), shared)
	if w := stay(t, tab, 7, "x", nil); !w.upgrades { // waits for 6
		t.Fatal("7 is no upgrade")
	}
	stay(t, tab, 3, "x", nil) // waits for both, older than both
	var probed []uint64
	for _, s := range detectorAt(tab, 1, after).suspects(after + 20*time.Millisecond) {
		probed = append(probed, s.txn.Seq)
		if len(s.into) == 0 || slices.ContainsFunc(s.into, func(e txn.WaitEdge) bool { return e.Txn != id(3) }) {
			t.Errorf("waits for %d: %+v", s.txn.Seq, s.into)
		}
	}
	if !slices.Equal(probed, []uint64{6, 7}) {
		t.Errorf("probed: %v; 3 waits for 6 and 7, which are younger", probed)
	}
}

// Two transactions wait for each other at two shards; a probe from either shard finds the cycle
// with all of its waits, and every wait of it still exists.
func TestAProbeFollowsACycle(t *testing.T) {
	one, two := NewTable(Detect, HotRowConfig{}, nil), NewTable(Detect, HotRowConfig{}, nil)
	one.grant(0, id(1), age(1), x)
	two.grant(0, id(2), age(2), y)
	stay(t, one, 2, "x", nil)
	stay(t, two, 1, "y", nil)
	chase := &txn.DeadlockProbe{Txn: id(2), Start: id(2), Age: age(2), Budget: 9}
	cycle, next := detectorAt(one, 1, 0).follow(chase)
	if cycle != nil || len(next) != 1 || next[0].Txn != id(1) || len(next[0].Path) != 1 {
		t.Fatalf("2 waits for 1: %+v %+v", cycle, next)
	}
	cycle, _ = detectorAt(two, 2, 0).follow(next[0])
	want := []txn.WaitEdge{
		{Txn: id(2), For: id(1), Shard: 1, Leader: 1, Term: 1, Request: 102, Tenure: one.Holder(id(1)).tenure},
		{Txn: id(1), For: id(2), Shard: 2, Leader: 1, Term: 1, Request: 101, Tenure: two.Holder(id(2)).tenure},
	}
	if !slices.Equal(cycle, want) || !(&txn.DeadlockConfirm{Cycle: cycle}).WellFormed() {
		t.Fatalf("cycle %+v", cycle)
	}
	if !one.graph.stillWaits(cycle[0]) || !two.graph.stillWaits(cycle[1]) || one.graph.stillWaits(cycle[1]) {
		t.Error("a wait of the cycle no longer exists")
	}
	// The start of the probe includes the waits for 2: then the first shard closes the cycle.
	chase.Into = cycle[1:]
	if short, _ := detectorAt(one, 1, 0).follow(chase); !slices.Equal(short, want) {
		t.Errorf("with the waits known at the start the cycle is %+v", short)
	}
	if victimOf(cycle) != 0 {
		t.Error("the victim is not the youngest")
	}
	// A probe follows only older transactions: the elder's does not return.
	if _, next := detectorAt(two, 2, 0).follow(&txn.DeadlockProbe{Txn: id(1), Start: id(1), Age: age(1), Budget: 9}); next != nil {
		t.Errorf("the probe of 1 is forwarded to %+v", next)
	}
	if _, next := detectorAt(one, 1, 0).follow(&txn.DeadlockProbe{Txn: id(2), Start: id(2), Age: age(2)}); next != nil {
		t.Errorf("without a budget it is forwarded to %+v", next)
	}
}

// A wait whose holder released and locked again is another wait: the first observation proves
// nothing about the time between.
func TestAnInterruptedWaitStartsAgain(t *testing.T) {
	tab := hotX(DetectGroup, HotRowConfig{})
	take(t, tab, 5)
	first := stay(t, tab, 7, "x", nil)
	_, next := detectorAt(tab, 1, 0).follow(&txn.DeadlockProbe{Txn: id(7), Start: id(9), Age: age(9), Budget: 9})
	if len(next) != 1 || !tab.graph.stillWaits(next[0].Path[0]) {
		t.Fatalf("7 waits for 5: %+v", next)
	}
	seen := next[0].Path[0]
	tab.Cancel(first)
	tab.waits.enter(0, nil, first)
	if !tab.graph.stillWaits(seen) {
		t.Error("a request retried without success has waited without interruption")
	}
	pass(t, tab, 5, "5")
	if tab.graph.stillWaits(seen) {
		t.Error("5 has released the row, and the wait still exists")
	}
	tab.chains.unpublish(id(5), "x")
	if tab.graph.stillWaits(seen) {
		t.Error("5 has released and locked the row again, and the wait still exists")
	}
	tab.Cancel(first)
	stay(t, tab, 7, "x", func(w *Waiter) { w.Number = 200 })
	if tab.graph.stillWaits(seen) {
		t.Error("another request waits, and the wait still exists")
	}
}

// A transaction that waits at its vote for a predecessor in a chain aborts with it: it is the
// victim, older or not, and the other survives.
func TestASuccessorOfTheYoungestIsTheVictim(t *testing.T) {
	edge := func(from, to uint64, cascades bool) txn.WaitEdge {
		return txn.WaitEdge{Txn: id(from), For: id(to), Cascades: cascades}
	}
	for _, c := range []struct {
		name  string
		cycle []txn.WaitEdge
		want  int
	}{
		{"locks alone", []txn.WaitEdge{edge(9, 3, false), edge(3, 5, false), edge(5, 9, false)}, 0},
		{"5 has read a value of 9", []txn.WaitEdge{edge(9, 3, false), edge(3, 5, false), edge(5, 9, true)}, 2},
		{"5 has read a value of 9, and 3 of 5", []txn.WaitEdge{edge(9, 3, false), edge(3, 5, true), edge(5, 9, true)}, 1},
		{"9 has read a value of 3", []txn.WaitEdge{edge(9, 3, true), edge(3, 5, false), edge(5, 9, false)}, 0},
		{"chains alone", []txn.WaitEdge{edge(9, 3, true), edge(3, 9, true)}, 0},
	} {
		if got := victimOf(c.cycle); got != c.want {
			t.Errorf("%s: victim %v", c.name, c.cycle[got].Txn)
		}
	}
	tab := hotX(DetectGroup, HotRowConfig{})
	take(t, tab, 9)
	pass(t, tab, 9, "9")
	take(t, tab, 5)
	tab.waits.enter(0, tab.Holder(id(9)), &Waiter{Txn: id(5), Age: age(5), Number: 1, Deadline: time.Minute})
	_, next := detectorAt(tab, 1, 0).follow(&txn.DeadlockProbe{Txn: id(5), Start: id(20), Age: age(20), Budget: 9})
	if len(next) != 1 || !next[0].Path[0].Cascades {
		t.Errorf("5 waits for 9 at its vote and must abort with it: %+v", next)
	}
}

// In the queue of a hot row a transaction that holds nothing waits without a walk. It can be
// between two members of a cycle, and the probe finds that.
func TestAWaiterThatHoldsNothingIsPartOfACycle(t *testing.T) {
	tab := NewTable(DetectQueue, HotRowConfig{HotWaiters: -1}, nil)
	tab.grant(0, id(5), age(5), LockSet{Shared: []txn.Key{"x"}})
	tab.grant(0, id(4), age(4), x2)
	fresh := stay(t, tab, 2, "x", func(w *Waiter) { w.HoldsNothing = true })
	reader := &Waiter{Txn: id(4), Age: age(4), Key: "x", Number: 104, Deadline: time.Minute, WaitsOnlyHere: true}
	tab.waits.enter(0, nil, reader)
	// 5, at another shard, waits for 4; 4 waits for 2, which is before it; 2 waits for 5.
	start := &txn.DeadlockProbe{Txn: id(4), Start: id(5), Age: age(5), Budget: 9, Path: []txn.WaitEdge{{Txn: id(5), For: id(4), Shard: 2}}}
	cycle, _ := detectorAt(tab, 1, 0).follow(start)
	if len(cycle) != 3 || cycle[1].For != id(2) || cycle[2].Txn != id(2) {
		t.Fatalf("cycle %+v", cycle)
	}
	if !tab.graph.stillWaits(cycle[1]) || !tab.graph.stillWaits(cycle[2]) {
		t.Error("a wait of the cycle no longer exists")
	}
	if s := detectorAt(tab, 1, time.Millisecond).suspects(time.Second); len(s) != 1 || s[0].txn != id(5) || s[0].into[0] != cycle[2] {
		t.Errorf("4 waits behind 2, which waits for 5: %+v", s)
	}
	tab.Cancel(fresh)
	if tab.graph.stillWaits(cycle[1]) {
		t.Error("2 has left the queue, and the wait still exists")
	}
}

var x2 = LockSet{Exclusive: []txn.Key{"other"}}
