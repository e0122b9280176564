package yield

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"isochron/txn"
)

// row is a published value.
func row(k txn.Key, value string, by uint64) txn.Row {
	return txn.Row{Key: k, Value: []byte(value), Version: txn.Attempt{Node: 1, Epoch: 1, Seq: by}}
}

var x = LockSet{Exclusive: []txn.Key{"x"}}

// hotX is a table in which row x is hot.
func hotX(p Policy, b HotRowConfig) *Table {
	b.HotWaiters = -1
	t := NewTable(p, b, &eventLog{})
	t.waits.enter(0, nil, &Waiter{Txn: id(99), Age: age(99), Key: "x", Deadline: time.Second, Retry: func() {}})
	return t
}

// take grants x to a transaction that need not wait.
func take(t *testing.T, tab *Table, n uint64) {
	t.Helper()
	if v := tab.request(Execute, id(n), age(n), LockSet{Exclusive: x.Exclusive, HoldsNothing: true}); !v.granted() {
		t.Fatalf("%d is not granted the row: %+v", n, v)
	}
	tab.grant(0, id(n), age(n), x)
}

func pass(t *testing.T, tab *Table, n uint64, value string) {
	t.Helper()
	if !tab.chains.publish(id(n), row("x", value, n)) {
		t.Fatalf("%d cannot publish its write", n)
	}
}

func TestChainOrder(t *testing.T) {
	tab := hotX(WoundWaitGroup, HotRowConfig{})
	take(t, tab, 5)
	if v := tab.request(Execute, id(1), age(1), LockSet{Exclusive: x.Exclusive, HoldsNothing: true}); v.wait == nil {
		t.Errorf("an older request must wait in the queue of a hot row while it is written: %+v", v)
	}
	pass(t, tab, 5, "5")
	take(t, tab, 3)
	if last, ok := tab.Last("x", id(3)); !ok || string(last.Value) != "5" {
		t.Errorf("the second reads %v", last)
	}
	pass(t, tab, 3, "53")
	take(t, tab, 4)
	if last, _ := tab.Last("x", id(4)); string(last.Value) != "53" {
		t.Errorf("the third reads %v", last)
	}
	for n, want := range map[uint64]uint64{3: 5, 4: 3} {
		if h := tab.chains.ahead(id(n)); h == nil || h.Txn != id(want) {
			t.Errorf("predecessor of %d: %+v, want %d", n, h, want)
		}
	}
	if tab.chains.ahead(id(5)) != nil {
		t.Error("the first has a predecessor")
	}
	if got := tab.chains.dependents(id(5), ""); !slices.Equal(got, []txn.ID{id(4), id(3)}) {
		t.Errorf("dependents of the first, newest first: %v", got)
	}
	tab.locks.release(0, id(5))
	if tab.chains.ahead(id(3)) != nil || tab.chains.ahead(id(4)).Txn != id(3) {
		t.Error("after the first has ended the second has a predecessor")
	}
}

func TestReadersOfAHotRowWaitForItsChain(t *testing.T) {
	tab := hotX(WoundWaitGroup, HotRowConfig{})
	take(t, tab, 5)
	pass(t, tab, 5, "5")
	shared := LockSet{Shared: []txn.Key{"x"}, HoldsNothing: true}
	span := LockSet{Spans: []txn.Span{{Start: "a", End: "z"}}, HoldsNothing: true}
	for name, c := range map[string]LockSet{"a reader": shared, "a reader of a range": span} {
		if v := tab.request(Execute, id(7), age(7), c); v.wait == nil {
			t.Errorf("%s: %+v", name, v)
		}
	}
	if v := tab.request(Prepare, id(7), age(7), x); v.granted() {
		t.Error("a blind write preceded the chain")
	}
	if v := tab.request(UnlockedRead, id(7), age(7), shared); !v.granted() {
		t.Error("an unvoted chain blocks an unlocked read")
	}
	tab.Holder(id(5)).Voted = true
	if v := tab.request(UnlockedRead, id(7), age(7), shared); v.granted() {
		t.Error("a voted chain does not block an unlocked read, and may be committed already")
	}
}

// A member of a chain will wait for its predecessors, though it does not yet: a wait that would
// then close a cycle is refused.
func TestFutureWaitsOfAChainCloseCycles(t *testing.T) {
	tab := hotX(DetectGroup, HotRowConfig{})
	take(t, tab, 5)
	pass(t, tab, 5, "5")
	take(t, tab, 6)
	y := LockSet{Exclusive: []txn.Key{"y"}}
	tab.grant(0, id(8), age(8), y)
	v := tab.request(Execute, id(5), age(5), y)
	if v.wait == nil || !tab.waits.enter(0, v.wait, &Waiter{Txn: id(5), Age: age(5), Key: "y", Deadline: time.Second}) {
		t.Fatalf("5 should wait for the row of 8: %+v", v)
	}
	if v := tab.request(Execute, id(8), age(8), x); v.die == nil {
		t.Errorf("8 would wait for 6, which commits after 5, which waits for 8: %+v", v)
	}
	if v := tab.request(Execute, id(9), age(9), LockSet{Exclusive: x.Exclusive, HoldsNothing: true}); v.wait == nil {
		t.Errorf("no transaction waits for 9: %+v", v)
	}
}

// A holder does not conflict with itself: once its predecessors in the chain have ended it is
// retried.
func TestTheHolderOfARowMayWaitForItsChain(t *testing.T) {
	for _, p := range []Policy{WoundWaitGroup, DetectGroup} {
		tab := hotX(p, HotRowConfig{})
		take(t, tab, 5)
		pass(t, tab, 5, "5")
		take(t, tab, 6)
		v := tab.request(Execute, id(6), age(6), LockSet{Shared: []txn.Key{"x"}})
		if v.wait == nil || !tab.waits.enter(0, v.wait, &Waiter{Txn: id(6), Age: age(6), Key: "x", Deadline: time.Second}) {
			t.Fatalf("%s: it must wait for 5: %+v", p.Name, v)
		}
		tab.locks.release(0, id(5))
		if w := tab.waits.next(); w == nil || w.Txn != id(6) {
			t.Errorf("%s: %+v is retried", p.Name, w)
		}
	}
}

func TestATransactionIsInOneChain(t *testing.T) {
	tab := hotX(WoundWaitGroup, HotRowConfig{})
	take(t, tab, 5)
	pass(t, tab, 5, "5")
	take(t, tab, 6)
	pass(t, tab, 6, "56")
	y := LockSet{Exclusive: []txn.Key{"y"}}
	tab.waits.enter(0, nil, &Waiter{Txn: id(98), Age: age(98), Key: "y", Deadline: time.Second})
	tab.grant(0, id(4), age(4), y)
	if !tab.chains.publish(id(4), row("y", "4", 4)) {
		t.Fatal("y is not hot")
	}
	// 6 in y after 4, and 4 in x after 6, would each wait for the other.
	if v := tab.request(Execute, id(6), age(6), y); v.granted() {
		t.Error("a member of a chain joined a second one")
	}
	tab.grant(0, id(6), age(6), LockSet{Exclusive: []txn.Key{"z"}})
	if tab.chains.wanted("z", id(6)) {
		t.Error("a second hot row was published")
	}
}

func TestNoWaitForASuccessorInAChain(t *testing.T) {
	for _, p := range []Policy{WoundWaitGroup, DetectGroup} {
		tab := hotX(p, HotRowConfig{})
		take(t, tab, 5)
		pass(t, tab, 5, "5")
		take(t, tab, 3)
		pass(t, tab, 3, "53")
		other := LockSet{Exclusive: []txn.Key{"other"}}
		tab.grant(0, id(3), age(3), other)
		if v := tab.request(Execute, id(5), age(5), other); !slices.Equal(v.victims, []txn.ID{id(3)}) {
			t.Errorf("%s: the first needs what the second holds, which waits for it to commit: %+v", p.Name, v)
		}
	}
}

func TestAGroupIsBoundedUntilItsLeaderEnds(t *testing.T) {
	tab := hotX(WoundWaitGroup, HotRowConfig{GroupSize: 2})
	take(t, tab, 1)
	pass(t, tab, 1, "1")
	take(t, tab, 2)
	pass(t, tab, 2, "12")
	third := LockSet{Exclusive: x.Exclusive, HoldsNothing: true}
	if v := tab.request(Execute, id(3), age(3), third); v.wait == nil {
		t.Errorf("a full group admitted another: %+v", v)
	}
	if v := tab.request(Execute, id(3), age(3), x); !v.granted() {
		t.Errorf("a transaction that holds locks must not wait for a full group: %+v", v)
	}
	tab.locks.release(0, id(1))
	take(t, tab, 3)
	if got := tab.hot.list(); len(got) != 1 || got[0].Key != "x" || got[0].Group != 1 || got[0].Queue != 1 {
		t.Errorf("hot rows listed: %+v", got)
	}
}

func TestAChangedValueIsWithdrawn(t *testing.T) {
	tab := hotX(WoundWaitGroup, HotRowConfig{})
	take(t, tab, 1)
	pass(t, tab, 1, "1")
	tab.chains.unpublish(id(1), "x")
	if v := tab.request(Execute, id(2), age(2), LockSet{Exclusive: x.Exclusive, HoldsNothing: true}); v.granted() {
		t.Error("the row is not held again")
	}
	if tab.chains.ahead(id(1)) != nil || len(tab.chains.dependents(id(1), "")) != 0 {
		t.Error("still in a chain")
	}
	pass(t, tab, 1, "one")
	take(t, tab, 2)
	if last, _ := tab.Last("x", id(2)); string(last.Value) != "one" {
		t.Errorf("the next reads %q", last.Value)
	}
}

func TestARowWithManyAbortsIsNotPublished(t *testing.T) {
	for _, c := range []struct {
		one      uint64 // one in so many is not aborted
		passedOn bool
	}{{8, true}, {16, true}, {32, false}} {
		tab := hotX(WoundWaitGroup, HotRowConfig{GroupingOffFor: time.Second})
		for n := uint64(1); n <= rollbackSample; n++ {
			take(t, tab, n)
			pass(t, tab, n, "v")
			tab.chains.ended(id(n), n%c.one == 0)
			tab.locks.release(0, id(n))
		}
		last := uint64(rollbackSample + 1)
		take(t, tab, last)
		if got := tab.chains.wanted("x", id(last)); got != c.passedOn || tab.Hot(id(last), x.Exclusive) != got {
			t.Errorf("one in %d is not aborted; published: %v", c.one, got)
		}
		tab.locks.release(0, id(last))
		tab.grant(2*time.Second, id(last+1), age(last+1), x)
		if !tab.chains.wanted("x", id(last+1)) {
			t.Error("the row is not published again later")
		}
	}
}

// A transaction that writes a hot row, or is in its chain, is recognised.
func TestHotRecognisesWritersAndMembers(t *testing.T) {
	tab := hotX(WoundWaitGroup, HotRowConfig{})
	y := []txn.Key{"y"}
	if !tab.Hot(id(1), x.Exclusive) || tab.Hot(id(1), y) {
		t.Error("want row x hot and row y not")
	}
	take(t, tab, 1)
	pass(t, tab, 1, "1")
	if !tab.Hot(id(1), y) {
		t.Error("a member of a chain that writes another row is not recognised")
	}
	tab.Rebound(HotRowConfig{Off: true})
	if tab.Hot(id(2), x.Exclusive) {
		t.Error("hot rows are switched off, and one is recognised")
	}
}

func TestRetiredRowsAreForYoungerTransactions(t *testing.T) {
	tab := NewTable(WoundWaitRetire, HotRowConfig{}, nil)
	take(t, tab, 5)
	pass(t, tab, 5, "5")
	if v := tab.request(Execute, id(6), age(6), x); !v.granted() {
		t.Errorf("a younger transaction must be granted: %+v", v)
	}
	if v := tab.request(Execute, id(4), age(4), x); !slices.Equal(v.victims, []txn.ID{id(5)}) {
		t.Errorf("an older transaction must wound: %+v", v)
	}
}

func TestCyclesAreFound(t *testing.T) {
	tab := NewTable(Detect, HotRowConfig{}, nil)
	y := LockSet{Exclusive: []txn.Key{"y"}}
	tab.grant(0, id(1), age(1), x)
	tab.grant(0, id(2), age(2), y)
	v := tab.request(Execute, id(1), age(1), y)
	if v.wait == nil || v.die != nil {
		t.Fatalf("it must wait, older or not: %+v", v)
	}
	tab.waits.enter(0, v.wait, &Waiter{Txn: id(1), Age: age(1), Key: "y", Deadline: time.Second})
	tab.waits.enter(0, nil, &Waiter{Txn: id(3), Age: age(3), Key: "x", Deadline: time.Second})
	before := tab.LockStats().Steps
	if v := tab.request(Execute, id(2), age(2), x); v.die == nil {
		t.Errorf("a wait for itself was granted: %+v", v)
	}
	if tab.LockStats().Steps == before {
		t.Error("the walk is not counted")
	}
}

// A request that upgrades a shared lock precedes an older one that arrives after it: that one waits
// for it, and it would wait for that one.
func TestAnUpgradeIsFirstInItsQueue(t *testing.T) {
	tab := NewTable(Detect, HotRowConfig{}, nil)
	for _, n := range []uint64{2, 3} {
		tab.grant(0, id(n), age(n), LockSet{Shared: []txn.Key{"x"}})
	}
	asked := []uint64{}
	for _, n := range []uint64{3, 1} { // 1 is older, and holds nothing
		v := tab.request(Execute, id(n), age(n), x)
		if v.wait == nil || v.die != nil {
			t.Fatalf("%d must wait: %+v", n, v)
		}
		tab.waits.enter(0, v.wait, &Waiter{Txn: id(n), Age: age(n), Key: "x", Deadline: time.Second, Retry: func() { asked = append(asked, n) }})
	}
	if v := tab.request(Execute, id(2), age(2), x); v.die == nil {
		t.Errorf("two upgrades would wait for each other: %+v", v)
	}
	tab.locks.release(0, id(2))
	for w := tab.waits.next(); w != nil; w = tab.waits.next() {
		w.Retry()
	}
	if len(asked) == 0 || asked[0] != 3 || !tab.request(Execute, id(3), age(3), x).granted() {
		t.Errorf("retried in the order %v; only 3 can be granted", asked)
	}
}

// Locks without conflict allocate nothing once the table has held as many.
func TestLocksWithoutConflictAllocateNothing(t *testing.T) {
	tab := NewTable(WoundWaitGroup, HotRowConfig{}, nil)
	lockSet := LockSet{Exclusive: []txn.Key{"a", "b"}, Shared: []txn.Key{"c"}}
	n := uint64(0)
	one := func() {
		n++
		e := tab.Acquire(0, &LockRequest{Phase: Execute, Txn: id(n), Age: age(n), LockSet: lockSet})
		if !e.Granted() {
			t.Fatal("not granted without a conflict")
		}
		tab.locks.release(0, id(n))
		tab.waits.next()
	}
	if per := testing.AllocsPerRun(1000, one); per != 0 {
		t.Errorf("%v allocations for three locks", per)
	}
}

// Benchmark: the cost of a lock under each policy, without conflict and at the end of a queue.
func BenchmarkLocks(b *testing.B) {
	policies := []Policy{DetectEager, Detect, DetectQueue, DetectGroup, WoundWaitRetire, WoundWait, WoundWaitGroup}
	for _, p := range policies {
		b.Run("uniform/"+p.Name, func(b *testing.B) {
			tab := NewTable(p, HotRowConfig{}, nil)
			keys := lockedRows()
			b.ReportAllocs()
			n := uint64(0)
			for b.Loop() {
				n++
				lockAlone(tab, n, keys[n%uint64(len(keys))])
			}
		})
	}
	for _, p := range policies {
		for _, waiters := range []int{16, 1024} {
			b.Run("queue of "+strconv.Itoa(waiters)+"/"+p.Name, func(b *testing.B) { benchmarkQueue(b, p, waiters) })
		}
	}
}

// Benchmark: the cost of hot row detection where no row is hot, in percent of o1. The policies take
// turns and the fastest turn of each counts, so that it is visible on a busy machine.
func BenchmarkLookingForHotRows(b *testing.B) {
	policies := []Policy{Detect, DetectQueue, DetectGroup}
	var tables []*Table
	for _, p := range policies {
		tables = append(tables, NewTable(p, HotRowConfig{}, nil))
	}
	keys := lockedRows()
	best := make([]time.Duration, len(tables))
	n := uint64(0)
	b.ReportAllocs()
	for b.Loop() {
		for i, tab := range tables {
			begin := time.Now()
			for range 1000 {
				n++
				lockAlone(tab, n, keys[n%uint64(len(keys))])
			}
			if d := time.Since(begin); best[i] == 0 || d < best[i] {
				best[i] = d
			}
		}
	}
	percent := func(i int) float64 { return 100 * (float64(best[i])/float64(best[0]) - 1) }
	b.ReportMetric(float64(best[0].Nanoseconds())/1000, "o1-ns/lock")
	b.ReportMetric(percent(1), "o2-%")
	b.ReportMetric(percent(2), "txsql-%")
}

// lockedRows are keys of a table.
func lockedRows() []txn.Key {
	keys := make([]txn.Key, 1<<12)
	for i := range keys {
		keys[i] = txn.Key("table/row/" + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676)))
	}
	return keys
}

// lockAlone locks a row without conflict and releases it.
func lockAlone(tab *Table, n uint64, k txn.Key) {
	exclusive := [1]txn.Key{k}
	c := LockSet{Exclusive: exclusive[:], HoldsNothing: true}
	tab.Acquire(0, &LockRequest{Phase: Execute, Txn: id(n), Age: age(n), LockSet: c})
	tab.locks.release(0, id(n))
	tab.waits.next()
}

// benchmarkQueue has a constant number of waiters on one row: each grant ends with a new wait at
// the end of the queue.
func benchmarkQueue(b *testing.B, p Policy, waiters int) {
	tab := NewTable(p, HotRowConfig{}, nil)
	n, holder := uint64(1), uint64(1)
	tab.grant(0, id(1), age(1), x)
	join := func() {
		n++
		me := n
		e := tab.Acquire(0, &LockRequest{
			Phase: Execute, Txn: id(me), Age: age(me), LockSet: LockSet{Exclusive: x.Exclusive, HoldsNothing: true}, Deadline: time.Hour})
		if e.Waits == nil {
			b.Fatalf("%d does not wait: %+v", me, e)
		}
		e.Waits.Retry = func() {
			tab.grant(0, id(me), age(me), x)
			holder = me
		}
	}
	for range waiters {
		join()
	}
	b.ReportAllocs()
	for b.Loop() {
		join()
		tab.locks.release(0, id(holder))
		for w := tab.waits.next(); w != nil; w = tab.waits.next() {
			w.Retry()
		}
	}
	b.ReportMetric(float64(tab.LockStats().Steps)/float64(b.N), "steps/op")
}

// A row whose hold time is a wide-area round trip is hot with two waiters, one whose hold time is a
// sync with 33.
func TestHotRowThresholdFollowsHoldTime(t *testing.T) {
	for _, c := range []struct {
		turn    time.Duration
		waiters int // number that makes it hot
	}{
		{500 * time.Microsecond, 33}, {time.Millisecond, 33}, {4 * time.Millisecond, 9}, {15 * time.Millisecond, 3},
		{20 * time.Millisecond, 2}, {60 * time.Millisecond, 2}, {time.Second, 2},
	} {
		tab := NewTable(WoundWaitGroup, HotRowConfig{}, nil)
		now := time.Duration(0)
		tab.grant(now, id(1), age(1), x)
		hot := func() bool { return len(tab.hot.list()) > 0 }
		waits := func(n uint64) *Waiter {
			w := &Waiter{Txn: id(n), Age: age(n), Key: "x", Deadline: time.Hour, Retry: func() {}}
			tab.waits.enter(now, nil, w)
			return w
		}
		first := waits(2) // keeps the hold time recorded
		now += c.turn
		tab.locks.release(now, id(1))
		tab.grant(now, id(3), age(3), x)
		tab.Cancel(first)
		for n := 1; n < c.waiters; n++ {
			if waits(uint64(n) + 10); hot() {
				t.Errorf("hold time %v: hot with %d waiters, want %d", c.turn, n, c.waiters)
				break
			}
		}
		if waits(1000); !hot() {
			t.Errorf("hold time %v: not hot with %d waiters", c.turn, c.waiters)
		}
	}
}

// The present grant counts as soon as it lasts longer than those before.
func TestALongGrantMakesARowHot(t *testing.T) {
	tab := NewTable(WoundWaitGroup, HotRowConfig{}, nil)
	tab.grant(0, id(1), age(1), x)
	for n := range uint64(2) {
		tab.waits.enter(time.Duration(n)*60*time.Millisecond, nil, &Waiter{Txn: id(2 + n), Age: age(2 + n), Key: "x", Deadline: time.Hour, Retry: func() {}})
	}
	if len(tab.hot.list()) == 0 {
		t.Error("not hot after a grant of 60 ms with two waiters")
	}
	off := NewTable(WoundWaitGroup, HotRowConfig{HotDelay: -1}, nil)
	off.grant(0, id(1), age(1), x)
	for n := range uint64(3) {
		off.waits.enter(time.Second, nil, &Waiter{Txn: id(2 + n), Age: age(2 + n), Key: "x", Deadline: time.Hour, Retry: func() {}})
	}
	if len(off.hot.list()) > 0 {
		t.Error("the configured number of waiters was overruled")
	}
}
