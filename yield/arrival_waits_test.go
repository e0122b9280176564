package yield

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"isochron/txn"
)

// In random runs the index agrees with a search of all waiters: which one follows another, and the
// minimum deadline.
func TestWaitIndexAgreesWithFullSearch(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	keys := []txn.Key{"a", "b", "c", "d", "e"}
	var w arrivalWaits
	rows := 0
	for seq := range uint64(3000) {
		if len(w.list) > 0 && r.IntN(20) < 10 || len(w.list) > 30 {
			if one := w.list[r.IntN(len(w.list))]; !w.remove(one) || one.waits || w.remove(one) {
				t.Fatal("remove: a waiter was not removed, or twice")
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
				t.Fatalf("step %d: %v blocked: %v, by a full search: %v", seq, i.Txn, got, behind)
			}
			if !behind && !i.runnable {
				t.Fatalf("step %d: %v follows no other, and is not runnable", seq, i.Txn)
			}
		}
		if r.IntN(3) == 0 && w.deadline() != least {
			t.Fatalf("step %d: minimum deadline %v, by a full search: %v", seq, w.deadline(), least)
		}
	}
	for _, i := range slices.Clone(w.list) {
		w.remove(i)
	}
	if len(w.runnable)+len(w.rows)+len(w.held) > 0 || rows < len(keys) {
		t.Errorf("without waiters: %d runnable, %d rows of %d, %d blockers", len(w.runnable), len(w.rows), rows, len(w.held))
	}
}

// A blocked prepare is examined again when its blocker has ended, and not before, unless all are.
func TestBlockedPreparesFollowTheirBlocker(t *testing.T) {
	voter, other := txn.ID{Node: 9, Seq: 1}, txn.ID{Node: 9, Seq: 2}
	i := &QueuedPrepare{Attempt: txn.Attempt{Seq: 1}, ArrivalTime: 1, LockSet: LockSet{Exclusive: []txn.Key{"a"}}}
	behind := &QueuedPrepare{Attempt: txn.Attempt{Seq: 2}, ArrivalTime: 2, LockSet: LockSet{Shared: []txn.Key{"a"}}}
	var w arrivalWaits
	w.add(i)
	w.add(behind)
	want := func(what string, first *QueuedPrepare) {
		t.Helper()
		if got := w.nextRunnable(nil); got != first {
			t.Errorf("%s: %v is runnable, want %v", what, got, first)
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
		t.Error("a removed prepare is still recorded as blocked")
	}
}

// Benchmark: one row with many waiters; each end unblocks one of them.
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
