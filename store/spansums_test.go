package store

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"isochron/txn"
)

// A remembered digest is that of a walk, whatever was written since; most of those asked for again are remembered.
func TestRememberedDigestsAreThoseOfTheRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	engine, prefix := NewMem(), []byte("p")
	cache := NewRowCache(prefix, 1<<20, nil)
	key := func(n int) txn.Key { return txn.Key(fmt.Sprintf("%03d", n)) }
	known := 0
	for i := range uint64(20000) {
		if rng.IntN(4) == 0 {
			var b Batch
			w := txn.Write{Key: key(rng.IntN(100)), Value: []byte{byte(i)}}
			if rng.IntN(4) == 0 {
				w.Value = nil
			}
			cache.Put(&b, w, txn.Timestamp(i+1), txn.Version{Node: 1, Epoch: 1, Seq: i})
			engine.Apply(&b)
		}
		from := rng.IntN(95)
		span := txn.Span{Start: key(from), End: key(from + 1 + rng.IntN(5))}
		var rows []txn.Row
		reverse := rng.IntN(2) == 0
		walk := ScanLatest(engine, prefix, span, reverse)
		for row, ok := walk.Next(); ok; row, ok = walk.Next() {
			rows = append(rows, row)
		}
		walk.Close()
		if rng.IntN(2) == 0 {
			cache.Scanned(span, rows, reverse)
		}
		if _, ok := cache.spans.get(span); ok {
			known++
		}
		if reverse {
			for a, b := 0, len(rows)-1; a < b; a, b = a+1, b-1 {
				rows[a], rows[b] = rows[b], rows[a]
			}
		}
		count, digest := cache.Digest(engine, span, len(rows))
		if count != len(rows) || digest != txn.Digest(rows) {
			t.Fatalf("after %d writes, span %v: %d rows of digest %x, want %d of %x", cache.spans.writes, span, count, digest, len(rows), txn.Digest(rows))
		}
		if count, _ := cache.Digest(engine, span, 0); (count > 0) != (len(rows) > 0) {
			t.Fatalf("span %v: %d rows of %d", span, count, len(rows))
		}
	}
	if known < 5000 || known > 19000 {
		t.Errorf("%d of 20000 digests were known: the test proves nothing", known)
	}
}

// What is remembered is bounded, and a span is unknown when more was written than is remembered.
func TestRememberedDigestsAreBounded(t *testing.T) {
	var c spanSums
	span := func(n int) txn.Span {
		return txn.Span{Start: txn.Key(fmt.Sprintf("%06d", n)), End: txn.Key(fmt.Sprintf("%06d", n+1))}
	}
	for n := range 5000 {
		c.put(span(n), 1, 1)
	}
	if held := len(c.young) + len(c.old); held > 2*spanSumsMax {
		t.Errorf("%d spans are held", held)
	}
	for range recentWrites {
		c.wrote("other")
	}
	if _, ok := c.get(span(4999)); !ok {
		t.Error("a span without writes is unknown")
	}
	if c.wrote("other"); len(c.recent) != recentWrites {
		t.Errorf("%d writes are held", len(c.recent))
	}
	if _, ok := c.get(span(4999)); ok {
		t.Error("a span is known after more writes than are held")
	}
}
