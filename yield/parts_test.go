package yield

import (
	"slices"
	"testing"
	"time"

	"isochron/txn"
)

// Waiters behind a holder and in a queue are retried in one order, by age.
func TestRetryOrderIsByAge(t *testing.T) {
	tab := NewTable(WoundWait, HotRowConfig{}, nil)
	q := &tab.waits
	h := tab.grant(0, id(9), age(9), x)
	for _, n := range []uint64{3, 1} {
		q.enter(0, h, &Waiter{Txn: id(n), Age: age(n), Deadline: time.Duration(n) * time.Second})
	}
	q.enter(0, h, &Waiter{Txn: id(2), Age: age(2), Key: "x", Exclusive: true, Deadline: time.Hour})
	if q.next() != nil || q.nextWake() != time.Second {
		t.Fatal("want no retry, and the first deadline at one second")
	}
	p, _ := tab.rows.Get("x")
	p.exclusive = nil
	q.free(h)
	q.open("x", p)
	if q.nextWake() != 0 {
		t.Error("want NextWake 0 with a ready waiter")
	}
	var order []uint64
	for w := q.next(); w != nil; w = q.next() {
		order = append(order, w.Txn.Seq)
	}
	if !slices.Equal(order, []uint64{1, 2, 3}) || q.count != 0 || len(q.byTxn) != 0 {
		t.Errorf("retried in the order %v, %d left", order, q.count)
	}
}

// A cancelled waiter no longer precedes any other.
func TestCancelledWaitersLeaveTheirQueue(t *testing.T) {
	tab := NewTable(WoundWait, HotRowConfig{}, nil)
	q := &tab.waits
	tab.grant(0, id(9), age(9), x)
	first := &Waiter{Txn: id(1), Age: age(1), Key: "x", Number: 5, WaitsOnlyHere: true, Deadline: time.Hour}
	q.enter(0, nil, first)
	q.enter(0, nil, &Waiter{Txn: id(2), Age: age(2), Key: "x", Number: 6, Deadline: time.Hour})
	if q.numbered(id(1), 5) != first || q.numbered(id(1), 6) != nil {
		t.Error("numbered: a waiter is not found by transaction and number")
	}
	if !q.hereAlone(id(1)) || q.hereAlone(id(2)) || q.hereAlone(id(3)) {
		t.Error("hereAlone: want true for 1 alone")
	}
	q.cancel(first)
	if w := q.longest(); len(w) != 1 || w[0].Txn != id(2) || w[0].place != 1 {
		t.Errorf("want 2 first: %+v", w)
	}
	if got := q.take(id(2)); len(got) != 1 || q.count != 0 {
		t.Errorf("take: %+v", got)
	}
}

// Released locks are opened to their waiters, and leave nothing behind.
func TestReleaseOpensAndTidies(t *testing.T) {
	tab := NewTable(DetectEager, HotRowConfig{}, nil)
	l := &tab.locks
	c := LockSet{Shared: []txn.Key{"a"}, Exclusive: []txn.Key{"x"}, Spans: []txn.Span{{Start: "m", End: "n"}}}
	h := l.give(0, id(1), age(1), &c)
	l.give(0, id(1), age(1), &c) // again: nothing is held twice
	if len(h.keys) != 2 || len(l.spans) != 1 || l.count != 2 || len(h.objects) != 2 {
		t.Errorf("keys %v, %d spans, %d locks counted, %d objects", h.keys, len(l.spans), l.count, len(h.objects))
	}
	tab.waits.enter(0, nil, &Waiter{Txn: id(2), Age: age(2), Key: "x", Exclusive: true, Deadline: time.Hour})
	l.release(time.Second, id(1))
	if l.count != 4 || l.waitersExamined != 1 || len(l.spans) != 0 || tab.Holder(id(1)) != nil {
		t.Errorf("%d locks counted, %d waiters examined, %d spans left", l.count, l.waitersExamined, len(l.spans))
	}
	if w := tab.waits.next(); w == nil || w.Txn != id(2) {
		t.Error("the row was not opened for 2")
	}
	if p, _ := tab.rows.Get("x"); p != nil && p.avgHoldTime != time.Second {
		t.Error("the hold time is not one second")
	}
}

// The graph has the waits for holders and, in a queue, for its first and for waiters that may wait
// elsewhere too.
func TestWaitForGraph(t *testing.T) {
	tab := NewTable(Detect, HotRowConfig{}, nil)
	tab.grant(0, id(9), age(9), x)
	for n := uint64(1); n <= 4; n++ {
		tab.waits.enter(0, nil, &Waiter{Txn: id(n), Age: age(n), Key: "x", Exclusive: true, WaitsOnlyHere: n != 3, Number: n, Deadline: time.Hour})
	}
	for n, want := range map[uint64][]uint64{1: {9}, 2: {9, 1}, 3: {9, 1}, 4: {9, 1, 3}} { // order: each by itself
		var got []uint64
		w := tab.waits.numbered(id(n), n)
		tab.graph.edges(w, at(1), func(e txn.WaitEdge, _ txn.Age, _ bool) {
			got = append(got, e.For.Seq)
			if !tab.graph.stillWaits(e) || e.Txn != id(n) || e.Shard != 1 {
				t.Errorf("an existing wait is not found again: %+v", e)
			}
		})
		if !slices.Equal(got, want) {
			t.Errorf("%d waits for %v, want %v", n, got, want)
		}
	}
	for _, c := range []struct {
		asker  uint64
		closes bool
	}{{9, true}, {8, false}} {
		if got := tab.graph.closesCycle(id(c.asker), age(5), []*Holder{holder(4)}, nil); got != c.closes {
			t.Errorf("%d, waiting for 4, waits for itself: %v", c.asker, got)
		}
	}
}

// A row is hot while more wait for it than the bound, and is not published after too many aborts.
func TestHotRowLifecycle(t *testing.T) {
	var r rows
	r.begin()
	l := newHotRows(HotGroup, HotRowConfig{HotWaiters: 1, HotDelay: -1, GroupSize: 2}, &r)
	p := r.entry("x")
	for n := uint64(1); n <= 2; n++ {
		if l.warm(0, "x", p); p.hot != nil {
			t.Fatalf("hot with %d waiters", n-1)
		}
		p.queue.Push(&Waiter{Txn: id(n)})
	}
	l.warm(time.Second, "x", p)
	if rows := l.list(); len(rows) != 1 || rows[0].Since != time.Second || rows[0].Queue != 2 {
		t.Fatalf("hot rows: %+v", rows)
	}
	if !l.alone(&LockSet{Exclusive: x.Exclusive}) || l.alone(&LockSet{Shared: x.Exclusive}) || l.alone(&LockSet{Exclusive: []txn.Key{"x", "y"}}) {
		t.Error("alone: want true only for lock sets of hot rows")
	}
	p.chain = []*Holder{holder(1)}
	l.noteGrant(p, holder(1))
	if l.full(p.hot) {
		t.Error("a group of two is full with one")
	}
	if l.noteGrant(p, holder(2)); !l.full(p.hot) || p.hot.leader != id(1) {
		t.Error("a group of two is full with two")
	}
	if l.noteGrant(p, holder(3)); p.hot.leader != id(3) || l.full(p.hot) {
		t.Error("the third must begin another group")
	}
	for range rollbackSample {
		l.ended(p.hot, false)
	}
	if l.passes(p.hot) {
		t.Error("all of the sample aborted, and the row is published")
	}
	if l.now = l.bounds.GroupingOffFor; !l.passes(p.hot) {
		t.Error("the row is not published again later")
	}
	l.cool("x", p)
	if p.hot == nil {
		t.Error("the row cooled with waiters")
	}
	p.queue.Pop()
	p.queue.Pop()
	p.chain = nil
	if l.cool("x", p); p.hot != nil || len(l.byKey) != 0 {
		t.Error("hot without waiters")
	}
}
