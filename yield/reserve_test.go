package yield

import (
	"testing"
	"time"

	"isochron/txn"
)

// aged is the age of transaction n with a priority: 0 is single-region.
func aged(n uint64, p txn.RegionPriority) txn.Age {
	a := age(n)
	a.Region = p
	return a
}

// question is a request of transaction n with a priority.
func question(phase Phase, n uint64, p txn.RegionPriority, c LockSet) *LockRequest {
	return &LockRequest{Phase: phase, Txn: id(n), Age: aged(n, p), LockSet: c, Deadline: time.Minute, Number: n}
}

var readX = LockSet{Shared: []txn.Key{"x"}}

// answer is the result of a request, in a word.
func answer(e LockResult) string {
	switch {
	case e.Again:
		return "wounds"
	case e.Refused.Refused():
		return "refused"
	case e.Waits != nil:
		return "waits"
	}
	return "granted"
}

// Table 2 of Bonspiel: a reservation of x waits for M', and for S unless S is revealed under GDCC.
// Either way it is granted when that ends.
func TestReserveMeetsLock(t *testing.T) {
	for _, c := range []struct {
		name     string
		policy   Policy
		holder   txn.RegionPriority
		revealed bool
		want     string
	}{
		{"S, revealed", Reserve, 0, true, "granted"},
		{"S, still validated elsewhere", Reserve, 0, false, "waits"},
		{"M'", Reserve, 1, false, "waits"},
		{"S, of Polaris", ReservePatiently, 0, true, "waits"},
		{"M', of Polaris", ReservePatiently, 1, false, "waits"},
	} {
		tab := NewTable(c.policy, HotRowConfig{}, &eventLog{})
		tab.Acquire(0, question(Prepare, 5, c.holder, x))
		if c.revealed {
			tab.Reveal(id(5))
		}
		e := tab.Acquire(0, question(Reserving, 7, 1, readX))
		if got := answer(e); got != c.want {
			t.Errorf("%s has locked x: a reservation %s, want %s", c.name, got, c.want)
		}
		if e.Waits == nil {
			continue
		}
		asked := 0
		e.Waits.Retry = func() {
			asked++
			e = tab.Acquire(0, question(Reserving, 7, 1, readX))
		}
		tab.End(0, id(5), true)
		if asked != 1 || !e.Granted() || tab.reserved.Count() != 1 {
			t.Errorf("%s has ended: retried %d times, %s", c.name, asked, answer(e))
		}
	}
}

// Readers no longer wait once a write is revealed; requests that are to lock the row, or votes that
// have read it, wait until it is decided.
func TestRevealedToReadersAlone(t *testing.T) {
	tab := NewTable(Reserve, HotRowConfig{}, &eventLog{})
	tab.Acquire(0, question(Prepare, 5, 0, x))
	waiting := map[Phase]*Waiter{}
	again := map[Phase]string{}
	for n, phase := range []Phase{UnlockedRead, Reserving, ReadOnly, Prepare} {
		lockSet := readX
		if phase == Prepare {
			lockSet = x
		}
		q := question(phase, uint64(10+n), 1, lockSet)
		e := tab.Acquire(0, q)
		if e.Waits == nil {
			t.Fatalf("phase %d does not wait for a vote: %s", phase, answer(e))
		}
		waiting[phase] = e.Waits
		e.Waits.Retry = func() { again[phase] = answer(tab.Acquire(0, q)) }
	}
	tab.Reveal(id(5))
	if again[UnlockedRead] != "granted" || again[Reserving] != "granted" || len(again) != 2 {
		t.Errorf("revealed, and retried: %v", again)
	}
	if e := tab.Acquire(0, question(ReadOnly, 20, 1, readX)); e.Waits == nil {
		t.Error("a read-only vote does not wait for the writer of a revealed row")
	}
	tab.Reveal(id(99)) // no such transaction
	if tab.Waiting() != 3 {
		t.Errorf("%d waiting, want 3", tab.Waiting())
	}
}

// Table 3: several reservations of a row coexist, those of a higher priority first; the others
// count again when that has ended.
func TestReserveMeetsReserve(t *testing.T) {
	tab := NewTable(Reserve, HotRowConfig{}, &eventLog{})
	reserve := func(n uint64, p txn.RegionPriority) {
		t.Helper()
		if e := tab.Acquire(0, question(Reserving, n, p, readX)); !e.Granted() {
			t.Fatalf("the reserving read of %d: %s", n, answer(e))
		}
	}
	reserve(1, 0) // S reserves nothing
	if tab.reserved.Count() != 0 || tab.Holder(id(1)) != nil {
		t.Fatal("a single-region transaction has reserved something")
	}
	order := func(want ...uint64) {
		t.Helper()
		p, _ := tab.rows.Get("x")
		if len(p.reserved) != len(want) {
			t.Fatalf("reserved: %v, want %v", p.reserved, want)
		}
		for i, n := range want {
			if p.reserved[i].txn != id(n) {
				t.Fatalf("reserved: %v, want %v", p.reserved, want)
			}
		}
	}
	reserve(2, 1)
	reserve(3, 1)
	reserve(4, 2)
	reserve(5, 1)
	reserve(2, 1) // again
	order(4, 2, 3, 5)
	vote := func(n uint64, p txn.RegionPriority, want string) {
		t.Helper()
		e := tab.Acquire(0, question(Prepare, n, p, x))
		if got := answer(e); got != want {
			t.Errorf("%d of priority %d is to lock x: %s, want %s", n, p, got, want)
		}
		if e.Waits != nil {
			tab.Cancel(e.Waits)
		}
	}
	vote(3, 1, "waits")
	tab.End(0, id(4), true)
	vote(7, 0, "refused") // the rest count again
	vote(3, 1, "granted")
}

// Table 4: S aborts on any reservation of another, M on none; M waits for one of a higher priority.
// Ranges are reserved like rows.
func TestLockMeetsReserve(t *testing.T) {
	for _, c := range []struct {
		lockSet   LockSet
		priority  txn.RegionPriority // of the vote
		want      string
		reason    txn.AbortReason
		reserving txn.RegionPriority
	}{
		{readX, 0, "refused", txn.ReasonReserved, 1},
		{readX, 1, "granted", 0, 1},
		{readX, 2, "granted", 0, 1},
		{readX, 1, "waits", 0, 2},
		{LockSet{Spans: []txn.Span{{Start: "w", End: "z"}}}, 0, "refused", txn.ReasonReserved, 1},
		{LockSet{Spans: []txn.Span{{Start: "w", End: "z"}}}, 1, "waits", 0, 2},
		{LockSet{Spans: []txn.Span{{Start: "a", End: "x"}}}, 0, "granted", 0, 1},
	} {
		tab := NewTable(Reserve, HotRowConfig{}, &eventLog{})
		tab.Acquire(0, question(Reserving, 5, c.reserving, c.lockSet))
		e := tab.Acquire(0, question(Prepare, 7, c.priority, x))
		if got := answer(e); got != c.want || e.Refused.Reason != c.reason {
			t.Errorf("%v reserved with priority %d, a vote of %d for x: %s (%v), want %s", c.lockSet, c.reserving, c.priority, got, e.Refused, c.want)
		}
		if e.Granted() {
			continue
		}
		if e.Waits != nil {
			e.Waits.Retry = func() { e = tab.Acquire(0, question(Prepare, 7, c.priority, x)) }
		}
		tab.End(0, id(5), true)
		if e.Waits != nil || tab.reserved.Count() != 0 {
			t.Errorf("the reservation of %v has ended, and %d left", c.lockSet, tab.reserved.Count())
		}
		if got := answer(tab.Acquire(0, question(Prepare, 7, c.priority, x))); got != "granted" {
			t.Errorf("nothing is reserved any more: %s", got)
		}
	}
	tab := NewTable(Reserve, HotRowConfig{}, &eventLog{})
	tab.Acquire(0, question(Reserving, 5, 1, readX))
	if e := tab.Acquire(0, question(Prepare, 5, 1, x)); !e.Granted() {
		t.Errorf("blocked by its own reservation: %s", answer(e))
	}
}

// Votes wait for votes, whatever their ages and classes; no voted transaction is wounded. Without
// reservations a vote aborts.
func TestVotesWait(t *testing.T) {
	for _, holder := range []txn.RegionPriority{0, 1, 2} {
		for _, asker := range []txn.RegionPriority{0, 1, 2} {
			for _, n := range []uint64{3, 7} {
				tab := NewTable(Reserve, HotRowConfig{}, &eventLog{})
				tab.Acquire(0, question(Prepare, 5, holder, x))
				if e := tab.Acquire(0, question(Prepare, n, asker, x)); e.Waits == nil {
					t.Errorf("%d of priority %d meets a vote of %d: %s", n, asker, holder, answer(e))
				}
				if e := tab.Acquire(0, question(Prepare, n, asker, readX)); e.Waits == nil {
					t.Errorf("%d of priority %d has read a row that a vote of %d writes: %s", n, asker, holder, answer(e))
				}
			}
		}
	}
	if e := votes(Validate); e.Refused.Reason != txn.ReasonLockConflict {
		t.Errorf("without reservations a vote does not abort: %s", answer(e))
	}
}

func votes(p Policy) LockResult {
	tab := NewTable(p, HotRowConfig{}, &eventLog{})
	tab.Acquire(0, question(Prepare, 5, 0, x))
	return tab.Acquire(0, question(Prepare, 7, 0, x))
}

// A multi-region transaction is older than all single-region ones: it wounds those with locks in
// execution.
func TestMultiRegionGoesFirst(t *testing.T) {
	tab := NewTable(Reserve, HotRowConfig{}, &eventLog{})
	tab.Acquire(0, question(Execute, 3, 0, x))
	if e := tab.Acquire(0, question(Prepare, 7, 1, x)); !e.Again || tab.Holder(id(3)) != nil {
		t.Errorf("an older single-region transaction blocks it: %s", answer(e))
	}
	tab.Acquire(0, question(Execute, 7, 1, x))
	if e := tab.Acquire(0, question(Execute, 3, 0, x)); e.Waits == nil {
		t.Errorf("a single-region transaction does not wait: %s", answer(e))
	}
}

// Reservations are bounded, end with their transaction in every way it can end, and are found to be
// left over when they do not.
func TestReservationsEnd(t *testing.T) {
	tab := NewTable(Reserve, HotRowConfig{}, &eventLog{})
	tab.reserved.Reserve(0, id(5), aged(5, 1), []txn.Key{"x", "y", "x"}, []txn.Span{{Start: "a", End: "b"}})
	tab.reserved.Reserve(0, id(6), aged(6, 0), []txn.Key{"x"}, nil)
	if tab.reserved.Count() != 3 || tab.Holder(id(5)).Locks() || len(tab.Unvoted()) != 1 {
		t.Fatalf("%d are reserved, by %v", tab.reserved.Count(), tab.Unvoted())
	}
	tab.Drop(0, id(5))
	if tab.reserved.Count() != 0 || len(tab.Holders()) != 0 || tab.rows.Len() != 1 {
		t.Errorf("%d reservations and %d rows left", tab.reserved.Count(), tab.rows.Len())
	}
	tab.reserved.count = MaxReservations
	tab.reserved.Reserve(0, id(5), aged(5, 1), []txn.Key{"x"}, nil)
	if tab.reserved.Count() != MaxReservations {
		t.Error("more reserved than the bound")
	}
	kept := NewTable(Reserve, HotRowConfig{}, &eventLog{})
	kept.reserved.Outlive()
	kept.reserved.Reserve(0, id(5), aged(5, 1), []txn.Key{"x"}, nil)
	kept.End(0, id(5), true)
	if e := kept.Acquire(0, question(Prepare, 7, 0, x)); kept.reserved.Count() != 1 || e.Refused.Reason != txn.ReasonReserved {
		t.Error("the injected bug has no effect")
	}
}

// A transaction that becomes multi-region after it has locked or reserved is known by its new age.
func TestClassOfHolderRises(t *testing.T) {
	tab := NewTable(Reserve, HotRowConfig{}, &eventLog{})
	tab.Acquire(0, question(Execute, 5, 0, x))
	tab.Acquire(0, question(Prepare, 5, 1, x))
	if h := tab.Holder(id(5)); h.Age.Region != 1 || !h.Voted {
		t.Errorf("it has %+v", h.Age)
	}
}

// A vote with ReadsPass checks its reads, and holds only its writes.
func TestReadsPass(t *testing.T) {
	tab := NewTable(Reserve, HotRowConfig{}, &eventLog{})
	q := question(Prepare, 5, 0, LockSet{Shared: []txn.Key{"y"}, Exclusive: []txn.Key{"x"}, Spans: []txn.Span{{Start: "m", End: "n"}}})
	q.ReadsPass = true
	tab.Acquire(0, q)
	for key, want := range map[txn.Key]string{"y": "granted", "m": "granted", "x": "waits"} { // order: each by itself
		if got := answer(tab.Acquire(0, question(Prepare, 7, 1, LockSet{Exclusive: []txn.Key{key}}))); got != want {
			t.Errorf("another is to write %s: %s, want %s", key, got, want)
		}
	}
	r := question(Prepare, 9, 0, LockSet{Shared: []txn.Key{"x"}})
	r.ReadsPass = true
	if e := tab.Acquire(0, r); e.Waits == nil {
		t.Errorf("a row it has read is locked; its vote is %s", answer(e))
	}
}

// A single-region transaction loses its locks before its vote to a multi-region one, which neither
// waits for it nor aborts; younger single-region ones abort, or wait.
func TestLocksOfOneOfASingleRegion(t *testing.T) {
	for _, c := range []struct {
		name      string
		phase     Phase
		n         uint64 // 5 holds the lock
		waitOrder txn.RegionPriority
		want      string
	}{
		{"M reserves x", Reserving, 7, 1, "granted"},
		{"M votes", Prepare, 7, 1, "wounds"},
		{"M, younger, locks", Execute, 7, 1, "wounds"},
		{"S, younger, reads", UnlockedRead, 7, 0, "granted"},
		{"S, younger, votes", Prepare, 7, 0, "refused"},
		{"S, younger, locks", Execute, 7, 0, "waits"},
		{"S, older, votes", Prepare, 3, 0, "wounds"},
	} {
		tab := NewTable(Reserve, HotRowConfig{}, &eventLog{})
		if e := tab.Acquire(0, question(Execute, 5, 0, x)); !e.Granted() {
			t.Fatalf("5 is not granted the lock: %s", answer(e))
		}
		lockSet := x
		if c.phase == Reserving || c.phase == UnlockedRead {
			lockSet = readX
		}
		if got := answer(tab.Acquire(0, question(c.phase, c.n, c.waitOrder, lockSet))); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}

	tab := NewTable(Reserve, HotRowConfig{}, &eventLog{})
	tab.Acquire(0, question(Execute, 5, 0, x))
	tab.Acquire(0, question(Reserving, 7, 1, readX))
	if got := answer(tab.Acquire(0, question(Prepare, 5, 0, x))); got != "refused" {
		t.Errorf("S has locked what M has reserved since, and votes: %s", got)
	}

	tab = NewTable(Reserve, HotRowConfig{}, &eventLog{})
	tab.Acquire(0, question(Execute, 5, 0, x))
	tab.Reserved().Reserve(0, id(5), aged(5, 1), x.Exclusive, nil)
	if got := answer(tab.Acquire(0, question(Prepare, 3, 0, x))); got != "refused" {
		t.Errorf("S, older, votes on what another has locked and is of several regions since: %s", got)
	}
}
