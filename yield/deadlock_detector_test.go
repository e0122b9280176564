package yield

import (
	"slices"
	"testing"
	"time"

	"isochron/txn"
)

var y = LockSet{Exclusive: []txn.Key{"y"}}

func at(shard txn.ShardID) txn.WaitEdge { return txn.WaitEdge{Shard: shard, Leader: 1, Term: 1} }

// stay has a transaction wait for a row that it wants to write, since time 0.
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

// detectorAt is the Chaser of a shard whose leader is node 1 in term 1.
func detectorAt(tab *Table, shard txn.ShardID, after time.Duration) *DeadlockDetector {
	return NewDeadlockDetector(tab, DetectorConfig{Here: at(shard), After: after}, nil)
}

func TestWhereDeadlocksOverSeveralShardsCanBe(t *testing.T) {
	for _, p := range []Policy{DetectEager, Detect, DetectQueue, DetectGroup, WoundWaitGroup, WoundWaitRetire} {
		if !p.Deadlocks() {
			t.Errorf("%s: somebody must look for deadlocks", p.Name)
		}
	}
	for _, p := range []Policy{WoundWait, Validate, ValidateInBatches, EachValidates, EachByTimestamp} {
		if p.Deadlocks() {
			t.Errorf("%s: ages keep waits in order, and yet somebody looks for deadlocks", p.Name)
		}
	}
}

func TestWhichHoldersAreProbed(t *testing.T) {
	const after = 100 * time.Millisecond
	tab := NewTable(Detect, HotRowConfig{}, nil)
	tab.grant(0, id(5), age(5), x)
	tab.grant(0, id(4), age(4), LockSet{Exclusive: []txn.Key{"y", "z"}})
	stay(t, tab, 3, "x", nil)
	stay(t, tab, 6, "z", nil) // younger: the chase of 6 will come here
	stay(t, tab, 2, "y", func(w *Waiter) { w.HoldsNothing = true })
	chaser := detectorAt(tab, 1, after)
	look := func(now time.Duration) (who []uint64) {
		for _, s := range chaser.suspects(now) {
			who = append(who, s.txn.Seq)
			if len(s.into) != 1 || s.into[0].Txn != id(3) || s.into[0].For != id(5) {
				t.Errorf("for it waits %+v", s.into)
			}
		}
		return who
	}
	for _, c := range []struct {
		at   time.Duration
		want int
	}{{after - 1, 0}, {after + 20*time.Millisecond, 1}, {after + 40*time.Millisecond, 0}, {3 * after, 1}, {4 * after, 0}, {5*after + 20*time.Millisecond, 1}} {
		if got := look(c.at); len(got) != c.want || c.want == 1 && got[0] != 5 {
			t.Errorf("after %v %v are chased", c.at, got)
		}
	}
}

// Who has a row shared and wants to write it goes first in its wait queue, however young, and
// is in the way of all others: that they wait for those who have it shared as well, older than these, is seen.
func TestWhichHoldersAreProbedBehindAnUpgrade(t *testing.T) {
	const after = 100 * time.Millisecond
	shared := LockSet{Shared: []txn.Key{"x"}}
	tab := NewTable(Detect, HotRowConfig{}, nil)
	tab.grant(0, id(6), age(6), shared)
	tab.grant(0, id(7), age(7), shared)
	if w := stay(t, tab, 7, "x", nil); !w.upgrades { // waits for 6
		t.Fatal("7 has the row shared")
	}
	stay(t, tab, 3, "x", nil) // waits for both, older than both
	var who []uint64
	for _, s := range detectorAt(tab, 1, after).suspects(after + 20*time.Millisecond) {
		who = append(who, s.txn.Seq)
		if len(s.into) == 0 || slices.ContainsFunc(s.into, func(e txn.WaitEdge) bool { return e.Txn != id(3) }) {
			t.Errorf("for %d it waits %+v", s.txn.Seq, s.into)
		}
	}
	if !slices.Equal(who, []uint64{6, 7}) {
		t.Errorf("%v are chased; 3 waits for 6 and 7, which are younger", who)
	}
}

// Two transactions wait for each other at two shards; whoever is asked finds the cycle,
// with all of its waits, and every wait of it stands.
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
		t.Fatalf("the cycle is %+v", cycle)
	}
	if !one.graph.stillWaits(cycle[0]) || !two.graph.stillWaits(cycle[1]) || one.graph.stillWaits(cycle[1]) {
		t.Error("its waits stand where they were seen")
	}
	// Where the chase begins it is known who waits for 2: then the first shard closes the cycle.
	chase.Into = cycle[1:]
	if short, _ := detectorAt(one, 1, 0).follow(chase); !slices.Equal(short, want) {
		t.Errorf("with what is known at the beginning the cycle is %+v", short)
	}
	if victimOf(cycle) != 0 {
		t.Error("the youngest gives way")
	}
	// A chase goes on through older ones alone: that of the elder does not come around.
	if _, next := detectorAt(two, 2, 0).follow(&txn.DeadlockProbe{Txn: id(1), Start: id(1), Age: age(1), Budget: 9}); next != nil {
		t.Errorf("the chase of 1 goes on to %+v", next)
	}
	if _, next := detectorAt(one, 1, 0).follow(&txn.DeadlockProbe{Txn: id(2), Start: id(2), Age: age(2)}); next != nil {
		t.Errorf("without a budget it goes on to %+v", next)
	}
}

// A wait that was let go of and came again is another: what was seen of the first
// proves nothing about the time between.
func TestAWaitThatHasComeAgainDoesNotStand(t *testing.T) {
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
		t.Error("a request that asks in vain has waited all the time")
	}
	pass(t, tab, 5, "5")
	if tab.graph.stillWaits(seen) {
		t.Error("5 has let go of the row")
	}
	tab.chains.unpublish(id(5), "x")
	if tab.graph.stillWaits(seen) {
		t.Error("5 has let go of the row and taken it back")
	}
	tab.Cancel(first)
	stay(t, tab, 7, "x", func(w *Waiter) { w.Number = 200 })
	if tab.graph.stillWaits(seen) {
		t.Error("it is another request that waits")
	}
}

// Who waits at its vote for one before it in a chain is undone with it: it gives way itself,
// older or not, and the other lives.
func TestWhoStandsBehindTheYoungestGivesWay(t *testing.T) {
	edge := func(from, to uint64, undone bool) txn.WaitEdge {
		return txn.WaitEdge{Txn: id(from), For: id(to), Cascades: undone}
	}
	for _, c := range []struct {
		name  string
		cycle []txn.WaitEdge
		want  int
	}{
		{"locks alone", []txn.WaitEdge{edge(9, 3, false), edge(3, 5, false), edge(5, 9, false)}, 0},
		{"5 goes on from 9", []txn.WaitEdge{edge(9, 3, false), edge(3, 5, false), edge(5, 9, true)}, 2},
		{"5 goes on from 9 and 3 from 5", []txn.WaitEdge{edge(9, 3, false), edge(3, 5, true), edge(5, 9, true)}, 1},
		{"9 goes on from 3", []txn.WaitEdge{edge(9, 3, true), edge(3, 5, false), edge(5, 9, false)}, 0},
		{"chains alone", []txn.WaitEdge{edge(9, 3, true), edge(3, 9, true)}, 0},
	} {
		if got := victimOf(c.cycle); got != c.want {
			t.Errorf("%s: %v gives way", c.name, c.cycle[got].Txn)
		}
	}
	tab := hotX(DetectGroup, HotRowConfig{})
	take(t, tab, 9)
	pass(t, tab, 9, "9")
	take(t, tab, 5)
	tab.waits.enter(0, tab.Holder(id(9)), &Waiter{Txn: id(5), Age: age(5), Number: 1, Deadline: time.Minute})
	_, next := detectorAt(tab, 1, 0).follow(&txn.DeadlockProbe{Txn: id(5), Start: id(20), Age: age(20), Budget: 9})
	if len(next) != 1 || !next[0].Path[0].Cascades {
		t.Errorf("5 waits for 9 at its vote and is undone with it: %+v", next)
	}
}

// In the queue of a hot row stands one who holds nothing: nobody looks whether it closes a
// cycle. It can be between two others of one, and the chase finds it.
func TestAWaiterWhoHoldsNothingIsPartOfACycle(t *testing.T) {
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
		t.Fatalf("the cycle is %+v", cycle)
	}
	if !tab.graph.stillWaits(cycle[1]) || !tab.graph.stillWaits(cycle[2]) {
		t.Error("its waits stand")
	}
	if s := detectorAt(tab, 1, time.Millisecond).suspects(time.Second); len(s) != 1 || s[0].txn != id(5) || s[0].into[0] != cycle[2] {
		t.Errorf("4 waits behind 2, which waits for 5: %+v", s)
	}
	tab.Cancel(fresh)
	if tab.graph.stillWaits(cycle[1]) {
		t.Error("2 has left the queue")
	}
}

var x2 = LockSet{Exclusive: []txn.Key{"other"}}
