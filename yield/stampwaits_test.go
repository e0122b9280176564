package yield

import (
	"math/rand/v2"
	"testing"
	"time"

	"isochron/txn"
)

// Whoever comes and goes, a waiter is behind another, and the least deadline is, as looking at all
// of them would tell.
func TestWaitersAreAsLookingAtAllWouldTell(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	keys := []txn.Key{"a", "b", "c", "d", "e"}
	var w stampWaits
	for seq := range uint64(3000) {
		if len(w.list) > 0 && r.IntN(20) < 10 || len(w.list) > 30 {
			if one := w.list[r.IntN(len(w.list))]; !w.remove(one.Attempt) || one.waits || w.remove(one.Attempt) {
				t.Fatal("one that waits is not taken out, or twice")
			}
		} else {
			i := &StampedVote{Attempt: txn.Attempt{Seq: seq}, Txn: txn.ID{Seq: seq}, Stamp: r.Int64N(50), Deadline: time.Duration(r.Int64N(50))}
			i.LockSet.Exclusive = []txn.Key{keys[r.IntN(len(keys))]}
			i.LockSet.Shared = []txn.Key{keys[r.IntN(len(keys))]}
			w.add(i)
		}
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
		}
		if r.IntN(3) == 0 && w.deadline() != least {
			t.Fatalf("step %d: the least deadline is %v, and of all: %v", seq, w.deadline(), least)
		}
	}
}

// One row for which many wait: each end lets one of them go on.
func BenchmarkWaitersOfOneRow(b *testing.B) {
	for range b.N {
		s := newStamps(InStampOrder)
		const many = 2000
		for seq := range uint64(many) {
			s.enter(0, 1+int(seq/4), seq+1, true, "a")
		}
		s.q.Go(many / 2)
		for seq := range uint64(many) {
			s.end(seq + 1)
		}
	}
}
