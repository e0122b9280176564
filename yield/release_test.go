package yield

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"isochron/txn"
)

// eventLog records table events.
type eventLog struct{ events []string }

func (w *eventLog) TxnAborted(victim, by txn.ID, cascade bool) {
	how := map[bool]string{false: "wounds", true: "takes along"}[cascade]
	w.events = append(w.events, fmt.Sprintf("%d %s %d", by.Seq, how, victim.Seq))
}

func (w *eventLog) LocksReleased(id txn.ID, _ time.Duration) {
	w.events = append(w.events, fmt.Sprintf("%d is free", id.Seq))
}

func (w *eventLog) Published(id txn.ID) {
	w.events = append(w.events, fmt.Sprintf("%d passes on", id.Seq))
}

// expect removes the recorded events and compares them.
func (w *eventLog) expect(t *testing.T, name string, want ...string) {
	t.Helper()
	if !slices.Equal(w.events, want) {
		t.Errorf("%s: got %q, want %q", name, w.events, want)
	}
	w.events = nil
}

// asks makes a transaction request row x until it is granted or refused.
func (w *eventLog) asks(tab *Table, n uint64) {
	e := tab.Acquire(0, ask(n, LockSet{Exclusive: x.Exclusive, HoldsNothing: true}))
	switch {
	case e.Again:
		w.asks(tab, n)
	case e.Waits != nil:
		e.Waits.Retry = func() { w.asks(tab, n) }
		e.Waits.Refuse = func(reason txn.Refusal) {
			w.events = append(w.events, fmt.Sprintf("%d is refused: %d", n, reason.Reason))
		}
	case e.Granted():
		w.events = append(w.events, fmt.Sprintf("%d has it", n))
	}
}

// by publishes a value of row x.
func (w *eventLog) publishes(tab *Table, n uint64, value string) {
	tab.Publish(0, id(n), txn.Attempt{Seq: n}, []txn.Write{{Key: "x", Value: []byte(value)}})
}

func groups(p Policy) (*Table, *eventLog) {
	w := &eventLog{}
	tab := hotX(p, HotRowConfig{})
	tab.events = w
	return tab, w
}

// Victims end in the order of their ages, and waiters are granted when all of them have ended.
func TestVictimsEndInOrder(t *testing.T) {
	w := &eventLog{}
	tab := NewTable(WoundWait, HotRowConfig{}, w)
	for _, n := range []uint64{8, 4, 6} {
		tab.grant(0, id(n), age(n), LockSet{Shared: []txn.Key{"x"}})
	}
	tab.grant(0, id(4), age(4), y)
	e := tab.Acquire(0, ask(9, y))
	e.Waits.Retry = func() {
		e := tab.Acquire(0, ask(9, y))
		w.events = append(w.events, fmt.Sprintf("9 has y: %v", e.Granted()))
	}
	w.asks(tab, 2)
	w.expect(t, "2 wants x", "2 wounds 4", "4 is free", "2 wounds 6", "6 is free", "2 wounds 8", "8 is free", "9 has y: true", "2 has it")
}

// Readers of a published value end with the transaction that wrote it, newest first, and their
// waits are refused; no waiter is granted before all of them have ended.
func TestAbortsCascadeToReaders(t *testing.T) {
	tab, w := groups(WoundWaitGroup)
	for n := uint64(3); n < 6; n++ {
		w.asks(tab, n)
		w.publishes(tab, n, "v")
	}
	turn := tab.Acquire(0, &LockRequest{Phase: ChainOrder, Txn: id(4), Age: age(4), Deadline: time.Minute,
		Attempt: txn.Attempt{Seq: 4}, Writes: []txn.Write{{Key: "x", Value: []byte("v")}}})
	turn.Waits.Refuse = func(reason txn.Refusal) { w.events = append(w.events, "the vote of 4 is refused: "+reason.String()) }
	w.asks(tab, 6)
	w.asks(tab, 7) // waits for 6
	w.events = nil
	tab.End(0, id(3), false)
	w.expect(t, "3 aborts", "3 takes along 6", "6 is free", "3 takes along 5", "5 is free",
		"3 takes along 4", "the vote of 4 is refused: "+txn.ReasonChainAborted.Refusal().String(), "4 is free", "3 is free", "7 has it")
}

func TestACommitUnblocksTheNextVote(t *testing.T) {
	tab, w := groups(WoundWaitGroup)
	w.asks(tab, 3)
	w.publishes(tab, 3, "v")
	w.asks(tab, 4)
	vote := func() LockResult {
		return tab.Acquire(0, &LockRequest{Phase: ChainOrder, Txn: id(4), Age: age(4), Attempt: txn.Attempt{Seq: 4},
			Writes: []txn.Write{{Key: "x", Value: []byte("w")}}, Deadline: time.Minute})
	}
	e := vote()
	if e.Waits == nil {
		t.Fatalf("predecessor 3: %+v", e)
	}
	e.Waits.Retry = func() {
		again := vote()
		w.events = append(w.events, fmt.Sprintf("4 votes: %v", again.Granted()))
	}
	w.expect(t, "while it waits the next may go on from its value", "3 has it", "3 passes on", "4 has it", "4 passes on")
	tab.End(0, id(3), true)
	w.expect(t, "3 commits", "3 is free", "4 votes: true")
}

// Another value, or the same under another attempt, aborts the readers of the first; the row is
// held again, and no waiter was granted it meanwhile.
func TestAChangedValueAbortsItsReaders(t *testing.T) {
	for _, c := range []struct {
		name     string
		change   func(tab *Table, w *eventLog)
		received []string
	}{
		{"the same again", func(tab *Table, w *eventLog) { w.publishes(tab, 3, "v") }, nil},
		{"another value", func(tab *Table, w *eventLog) { w.publishes(tab, 3, "w") }, []string{"3 takes along 4", "4 is free", "3 passes on", "5 has it"}},
		{"another attempt", func(tab *Table, _ *eventLog) {
			tab.Publish(0, id(3), txn.Attempt{Seq: 99}, []txn.Write{{Key: "x", Value: []byte("v")}})
		}, []string{"3 takes along 4", "4 is free", "3 passes on", "5 has it"}},
		{"its vote has another value", func(tab *Table, w *eventLog) {
			e := tab.Acquire(0, &LockRequest{Phase: ChainOrder, Txn: id(3), Age: age(3), Attempt: txn.Attempt{Seq: 3},
				Writes: []txn.Write{{Key: "x", Value: []byte("w")}}})
			w.events = append(w.events, fmt.Sprintf("it may vote: %v", e.Granted()))
		}, []string{"3 takes along 4", "4 is free", "it may vote: true"}},
		{"it is not written any more", func(tab *Table, _ *eventLog) { tab.Publish(0, id(3), txn.Attempt{Seq: 3}, nil) },
			[]string{"3 takes along 4", "4 is free"}},
	} {
		tab, w := groups(WoundWaitGroup)
		w.asks(tab, 3)
		w.publishes(tab, 3, "v")
		w.asks(tab, 4)
		w.asks(tab, 5) // waits for 4
		w.events = nil
		c.change(tab, w)
		w.expect(t, c.name, c.received...)
	}
}

// A voted transaction, or one that holds nothing, publishes nothing.
func TestOnlyUnvotedHoldersPublish(t *testing.T) {
	tab, w := groups(WoundWaitGroup)
	w.publishes(tab, 3, "v")
	w.asks(tab, 3)
	w.publishes(tab, 3, "v")
	tab.Holder(id(3)).Voted = true
	w.asks(tab, 4)
	w.publishes(tab, 3, "w") // too late
	w.expect(t, "3 has voted", "3 has it", "3 passes on", "4 has it")
}

// An unvoted transaction can be dropped with its waits; a voted one ends by its decision.
func TestDropSparesTheVoted(t *testing.T) {
	w := &eventLog{}
	tab := NewTable(WoundWait, HotRowConfig{}, w)
	tab.grant(0, id(1), age(1), x)
	tab.grant(0, id(2), age(2), y)
	w.asks(tab, 2)
	tab.Drop(0, id(2))
	w.expect(t, "2 is dropped", fmt.Sprintf("2 is refused: %d", txn.ReasonWounded), "2 is free")
	tab.Holder(id(1)).Voted = true
	if tab.Drop(0, id(1)); tab.Holder(id(1)) == nil {
		t.Error("a voted transaction was dropped")
	}
	w.asks(tab, 3)
	tab.Drop(0, id(3))
	w.expect(t, "a transaction without locks releases nothing", fmt.Sprintf("3 is refused: %d", txn.ReasonWounded))
}

// A wait ends at its deadline, and the next in the queue may then be granted.
func TestWaitsExpire(t *testing.T) {
	w := &eventLog{}
	tab := NewTable(WoundWait, HotRowConfig{}, w)
	tab.grant(0, id(1), age(1), x)
	w.asks(tab, 2)
	tab.Expire(time.Minute - 1)
	w.expect(t, "it is not over")
	tab.Expire(time.Minute)
	w.expect(t, "it is over", fmt.Sprintf("2 is refused: %d", txn.ReasonLockTimeout))
}

// A thousand successive grants are a loop and no recursion, in the order of ages.
func TestManyGrantsAreALoop(t *testing.T) {
	w := &eventLog{}
	tab := NewTable(WoundWait, HotRowConfig{}, w)
	tab.grant(0, id(1), age(1), x)
	depth, deepest, order := 0, 0, []uint64{}
	for n := uint64(1000); n > 1; n-- {
		e := tab.Acquire(0, ask(n, x))
		e.Waits.Retry = func() {
			depth++
			deepest = max(deepest, depth)
			order = append(order, n)
			tab.grant(0, id(n), age(n), x)
			tab.End(0, id(n), true)
			depth--
		}
	}
	tab.End(0, id(1), true)
	if deepest != 1 || len(order) != 999 || !slices.IsSorted(order) {
		t.Errorf("%d granted, recursion depth %d", len(order), deepest)
	}
}
