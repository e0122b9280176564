package yield

import (
	"slices"
	"testing"
	"time"

	"isochron/txn"
)

func holder(n uint64) *Holder { return &Holder{Txn: id(n), Age: age(n)} }

func TestARowIsLockedAndFreedWithoutAnAllocation(t *testing.T) {
	var r rows
	r.begin()
	if n := testing.AllocsPerRun(100, func() { r.drop("x", r.entry("x")) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
	p := r.entry("x")
	if p.avgHoldTime = time.Second; r.entry("x") != p {
		t.Error("a row has two entries")
	}
	p.shared = append(p.shared, holder(1))
	if r.drop("x", p); r.Len() != 2 {
		t.Error("an entry in use was dropped")
	}
	p.shared = p.shared[:0]
	if r.drop("x", p); r.Len() != 1 || r.entry("y").avgHoldTime != 0 {
		t.Error("a reused entry has state of the former row")
	}
}

func TestRowsOfASpan(t *testing.T) {
	var r rows
	r.begin()
	want := []*lockState{}
	for _, k := range []txn.Key{"a", "b", "c", "d"} {
		if p := r.entry(k); k == "b" || k == "c" {
			want = append(want, p)
		}
	}
	var got []*lockState
	if r.in(txn.Span{Start: "b", End: "d"}, func(p *lockState) { got = append(got, p) }); !slices.Equal(got, want) {
		t.Error("[b, d) has b and c, in this order")
	}
}

func TestHoldersOfARow(t *testing.T) {
	owner, reader, writer, none := holder(1), holder(2), holder(3), holder(4)
	var r rows
	r.begin()
	p := r.entry("x")
	p.exclusive, p.shared, p.chain = owner, []*Holder{reader}, []*Holder{writer}
	if !p.has(owner) || !p.has(reader) || !p.has(writer) || p.has(none) {
		t.Error("has: want true for the owner, the readers and the chain")
	}
	if k := r.near(writer, []txn.Key{"w"}, []txn.Key{"x"}); k != "x" {
		t.Errorf("a holder is met at %q", k)
	}
	if k := r.near(none, []txn.Key{"x"}); k != "" {
		t.Errorf("near: want none, got %q", k)
	}
	for _, want := range []*Holder{owner, writer, reader, nil} { // as each ends, the next blocks
		if got := p.blocker(); got != want {
			t.Errorf("blocker %+v, want %+v", got, want)
		}
		switch want {
		case owner:
			p.exclusive = nil
		case writer:
			p.chain = nil
		case reader:
			p.shared = nil
		}
	}
}

func TestHoldersStartAndEndWithoutAnAllocation(t *testing.T) {
	var s serial
	l := newHolders(&s)
	if n := testing.AllocsPerRun(100, func() {
		h := l.enter(0, id(1), age(1))
		delete(l.byTxn, h.Txn)
		l.keep(h)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
	h := l.enter(time.Second, id(3), age(3))
	h.Voted, h.keys = true, append(h.keys, "x")
	if l.enter(2*time.Second, id(3), age(3)) != h || h.Since != time.Second {
		t.Error("a transaction has two entries")
	}
	was := h.tenure
	if l.renew(h); h.tenure <= was {
		t.Error("a tenure is new when it is higher than all before")
	}
	delete(l.byTxn, id(3))
	l.keep(h)
	if o := l.enter(0, id(4), age(4)); o != h || o.Voted || len(o.keys) > 0 || o.tenure <= was+1 {
		t.Errorf("a reused holder has state of a former one: %+v", o)
	}
	l.enter(0, id(2), age(2))
	if got := l.list(); len(got) != 2 || got[0].Txn != id(2) {
		t.Error("they are listed by their ids")
	}
}

// A wait because of a span names a row of it, for display and for preemption.
func TestAWaitForASpanNamesARow(t *testing.T) {
	table := NewTable(WoundWaitPreempting, HotRowConfig{}, &abortLog{})
	ages := func(n uint64, high bool) txn.Age { return ofPriority(WoundWaitPreempting, n, high) }
	table.grant(0, id(1), ages(1, false), LockSet{Spans: []txn.Span{{Start: "a", End: "m"}}})
	table.grant(0, id(2), ages(2, false), LockSet{Exclusive: []txn.Key{"x"}})
	for n, c := range map[uint64]LockSet{
		3: {Exclusive: []txn.Key{"b"}},                 // waits for a reader of the span
		4: {Spans: []txn.Span{{Start: "w", End: "z"}}}, // waits for a writer in the span
	} {
		if e := asksFor(table, WoundWaitPreempting, n, false, c); e.Waits == nil {
			t.Fatalf("%d: %+v", n, e)
		}
	}
	near := map[txn.ID]txn.Key{}
	for _, w := range table.Contention().Waits {
		near[w.Txn] = w.Near
	}
	if near[id(3)] != "b" || near[id(4)] != "x" {
		t.Errorf("the waits are near %v", near)
	}
}

// A read of a span by a transaction of high priority aborts those of low priority that wait to
// write in it, as a read of the row would.
func TestASpanPreemptsWaitersInIt(t *testing.T) {
	for _, c := range []LockSet{{Shared: []txn.Key{"b"}}, {Spans: []txn.Span{{Start: "a", End: "m"}}}} {
		u := &abortLog{}
		table := NewTable(WoundWaitPreempting, HotRowConfig{}, u)
		writer := table.grant(0, id(1), ofPriority(WoundWaitPreempting, 1, false), LockSet{Exclusive: []txn.Key{"b"}})
		writer.Voted = true
		if e := asksFor(table, WoundWaitPreempting, 2, false, LockSet{Exclusive: []txn.Key{"b"}}); e.Waits == nil {
			t.Fatalf("%+v", e)
		}
		asksFor(table, WoundWaitPreempting, 3, true, c)
		if !slices.Equal(u.ids, []txn.ID{id(2)}) {
			t.Errorf("%+v: aborted %v", c, u.ids)
		}
	}
}
