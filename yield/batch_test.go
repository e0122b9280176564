package yield

import (
	"slices"
	"strings"
	"testing"
	"time"

	"isochron/txn"
)

// of makes a Prepare from words such as "r:x w:y s:a-c": its reads, writes and scans.
func of(words string) BatchedPrepare {
	p := &txn.Prepare{}
	for _, w := range strings.Fields(words) {
		switch key := w[2:]; w[0] {
		case 'r':
			p.Reads = append(p.Reads, txn.ReadCheck{Key: txn.Key(key)})
		case 'w':
			p.Writes = append(p.Writes, txn.Write{Key: txn.Key(key), Value: []byte("v")})
		case 's':
			start, end, _ := strings.Cut(key, "-")
			p.Spans = append(p.Spans, txn.SpanCheck{Span: txn.Span{Start: txn.Key(start), End: txn.Key(end)}})
		}
	}
	return BatchedPrepare{Prepare: p}
}

func TestLosersOfABatch(t *testing.T) {
	for _, c := range []struct {
		name  string
		batch []string
		lose  []bool
		order []int // of the others
	}{
		{"two that write one row", []string{"r:x w:x", "r:x w:x"}, []bool{false, true}, []int{0}},
		{"a reader precedes an older writer", []string{"w:x", "r:x w:y"}, []bool{false, false}, []int{1, 0}},
		{"write skew: no order has both", []string{"r:y w:x", "r:x w:y"}, []bool{false, true}, []int{0}},
		{"a chain of readers is turned round", []string{"w:a", "r:a w:b", "r:b w:c"}, []bool{false, false, false}, []int{2, 1, 0}},
		{"a phantom", []string{"s:a-c w:x", "r:x w:b"}, []bool{false, true}, []int{0}},
		{"a range precedes a writer in it", []string{"w:b", "s:a-c w:z"}, []bool{false, false}, []int{1, 0}},
	} {
		var items, stay []BatchedPrepare
		for _, words := range c.batch {
			items = append(items, of(words))
		}
		lose := losers(items)
		if !slices.Equal(lose, c.lose) {
			t.Errorf("%s: %v abort, want %v", c.name, lose, c.lose)
			continue
		}
		for i, b := range items {
			if !lose[i] {
				stay = append(stay, b)
			}
		}
		if got := readersFirst(stay); !slices.Equal(got, c.order) {
			t.Errorf("%s: order %v, want %v", c.name, got, c.order)
		}
	}
}

// A batch is judged when all have come that had read when it was opened, or when it is full; a tick
// is its bound.
func TestABatchIsValidatedWhenItsTimeIsUp(t *testing.T) {
	for _, c := range []struct {
		name   string
		steps  string // r1 reads, p1 asks for its vote, e1 ends without one, t is a tick
		judged []bool // after each
	}{
		{"no other reader", "r1 p1 p2", []bool{true, true, true}},
		{"one is awaited, and arrives", "r1 r2 p1 p2", []bool{true, true, false, true}},
		{"one is awaited, and ends", "r1 r2 p1 e2", []bool{true, true, false, true}},
		{"a later reader is not awaited, whether it arrives or not", "r1 r2 p1 r3 p2", []bool{true, true, false, false, true}},
		{"nor counted when it arrives", "r1 r2 p1 r3 p3 p2", []bool{true, true, false, false, false, true}},
		{"but by the next batch", "r1 r2 p1 r3 p2 r4 p4 p3", []bool{true, true, false, false, true, true, false, true}},
		{"it is full", "r1 r2 p1 p3 p4 p5", []bool{true, true, false, false, false, true}},
		{"the clock is the bound", "r1 r2 p1 t", []bool{true, true, false, true}},
		{"a reader that stays away is dropped", "r1 t r2 t p2", []bool{true, true, true, true, true}},
	} {
		const tick = 10 * time.Millisecond
		b, now := NewBatches(4, tick), time.Duration(0)
		for i, step := range strings.Fields(c.steps) {
			now += time.Millisecond
			n, whole := uint64(step[len(step)-1]), false
			switch step[0] {
			case 'r':
				b.Reads(now, id(n))
			case 'p':
				whole = b.Gather(BatchedPrepare{Prepare: &txn.Prepare{Txn: id(n), Attempt: txn.Attempt{Seq: n}}})
			case 'e':
				whole = b.Leaves(id(n))
			case 't':
				now += tick
				whole = true
			}
			if whole {
				b.Judge(func(txn.Attempt) bool { return true })
			}
			if step[0] == 't' {
				b.Forget(now)
			}
			if got := b.Len() == 0; got != c.judged[i] {
				t.Errorf("%s: after %s, step %d, nothing is in the batch: %v", c.name, step, i, got)
			}
		}
	}
}

// A batch is judged oldest first; an attempt that has ended is left out, and may come again.
func TestABatchIsValidatedByAges(t *testing.T) {
	b := NewBatches(4, time.Second)
	add := func(n uint64, words string) {
		g := of(words)
		g.Txn, g.Age, g.Attempt = id(n), age(n), txn.Attempt{Seq: n}
		b.Gather(g)
	}
	b.Reads(0, id(99)) // keeps the batch open
	add(5, "r:x w:x")
	add(3, "r:x w:x")
	add(2, "r:x w:x")
	add(1, "w:y")
	if !b.Has(txn.Attempt{Seq: 2}) {
		t.Error("an attempt of the batch is not found")
	}
	lost, stay := b.Judge(func(a txn.Attempt) bool { return a.Seq == 2 })
	if len(lost) != 1 || lost[0].Txn != id(5) || len(stay) != 2 || stay[0].Txn != id(1) || stay[1].Txn != id(3) {
		t.Errorf("%+v abort, %+v stay", lost, stay)
	}
	if b.Has(txn.Attempt{Seq: 2}) || b.Len() != 0 {
		t.Error("a judged attempt is still found")
	}
}
