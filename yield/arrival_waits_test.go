package yield

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"isochron/txn"
)

// Whoever comes and goes, a waiter is behind another, and the least deadline is, as looking at all
// of them would tell.
func TestWaitersAreAsLookingAtAllWouldTell(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	keys := []txn.Key{"a", "b", "c", "d", "e"}
	var w arrivalWaits
	rows := 0
	for seq := range uint64(3000) {
		if len(w.list) > 0 && r.IntN(20) < 10 || len(w.list) > 30 {
			if one := w.list[r.IntN(len(w.list))]; !w.remove(one) || one.waits || w.remove(one) {
				t.Fatal("one that waits is not taken out, or twice")
			}
		} else {
			i := &QueuedPrepare{Attempt: txn.Attempt{Seq: seq}, Txn: txn.ID{Seq: seq}, ArrivalTime: r.Int64N(50), Deadline: time.Duration(r.Int64N(50))}
			i.LockSet.Exclusive = []txn.Key{keys[r.IntN(len(keys))]}
			i.LockSet.Shared = []txn.Key{keys[r.IntN(len(keys))]}
			w.add(i)
		}
		rows = max(rows, len(w.rows))
		least := txn.Never
		for _, i := range w.list {
			least = min(least, i.Deadline)
			behind := false
			for _, o := range w.list {
				behind = behind || o.before(i) && o.LockSet.Clashes(&i.LockSet)
			}
			if got := w.blocked(i); got != behind {
				t.Fatalf("step %d: %v is blocked: %v, and by all: %v", seq, i.Txn, got, behind)
			}
			if !behind && !i.runnable {
				t.Fatalf("step %d: %v is behind nobody, and is not looked at", seq, i.Txn)
			}
		}
		if r.IntN(3) == 0 && w.deadline() != least {
			t.Fatalf("step %d: the least deadline is %v, and of all: %v", seq, w.deadline(), least)
		}
	}
	for _, i := range slices.Clone(w.list) {
		w.remove(i)
	}
	if len(w.runnable)+len(w.rows)+len(w.held) > 0 || rows < len(keys) {
		t.Errorf("when nobody waits any more there are %d heads, %d rows of %d, %d who hold somebody up", len(w.runnable), len(w.rows), rows, len(w.held))
	}
}

// Who is held up is looked at again when the one that does has ended, and not before, unless everybody
// is.
func TestTheHeldUpAreLookedAtWhenThatEnds(t *testing.T) {
	voter, other := txn.ID{Node: 9, Seq: 1}, txn.ID{Node: 9, Seq: 2}
	i := &QueuedPrepare{Attempt: txn.Attempt{Seq: 1}, ArrivalTime: 1, LockSet: LockSet{Exclusive: []txn.Key{"a"}}}
	behind := &QueuedPrepare{Attempt: txn.Attempt{Seq: 2}, ArrivalTime: 2, LockSet: LockSet{Shared: []txn.Key{"a"}}}
	var w arrivalWaits
	w.add(i)
	w.add(behind)
	want := func(what string, first *QueuedPrepare) {
		t.Helper()
		if got := w.nextRunnable(nil); got != first {
			t.Errorf("%s: %v is looked at, not %v", what, got, first)
		}
	}
	want("at first", i)
	w.hold(i, voter)
	want("held up", nil)
	w.ended(other)
	want("another has ended", nil)
	w.ended(voter)
	want("it has ended", i)
	w.hold(i, voter)
	w.lookAtAll()
	want("everybody is looked at", i)
	w.hold(i, voter)
	w.remove(i)
	want("it is gone, and the next is not behind it", behind)
	if len(w.held) > 0 {
		t.Error("one that is gone is still held up")
	}
}

// One row for which many wait: each end lets one of them go on.
func BenchmarkWaitersOfOneRow(b *testing.B) {
	for range b.N {
		s := newTimestampTable(InArrivalOrder)
		const many = 2000
		for seq := range uint64(many) {
			s.enter(0, 1+int(seq/4), seq+1, true, "a")
		}
		s.q.ProcessDue(many / 2)
		for seq := range uint64(many) {
			s.end(seq + 1)
		}
	}
}
