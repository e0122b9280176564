package store

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"isochron/txn"
)

// A row at hand is the one that the engine would give, whatever is written and in
// whatever order of timestamps.
func TestTheRowCacheTellsWhatTheEngineHas(t *testing.T) {
	t.Run("all rows find room", func(t *testing.T) { tryRowCache(t, 20, 1<<20, 1000) })
	t.Run("two thirds do", func(t *testing.T) { tryRowCache(t, 100, 8000, 500) })
}

// tryRowCache works on so many rows in so much room; a row must be at hand so often.
func tryRowCache(t *testing.T, rows, room, least int) {
	rng := rand.New(rand.NewPCG(3, 4))
	engine, prefix := NewMem(), []byte("p")
	cache := NewRowCache(prefix, room)
	hits := 0
	for i := range uint64(3000) {
		var b Batch
		at, by := txn.Timestamp(1+i/2+rng.Uint64N(20)), txn.Version{Node: 1, Epoch: 1, Seq: i}
		w := txn.Write{Key: txn.Key(fmt.Sprint(rng.IntN(rows))), Value: []byte(fmt.Sprint(i))}
		switch rng.IntN(5) {
		case 0:
			w.Value = nil
		case 1:
			w.Value = []byte{}
		}
		cache.Put(&b, w, at, by)
		engine.Apply(&b)
		k := txn.Key(fmt.Sprint(rng.IntN(rows)))
		_, young := cache.young[k]
		_, old := cache.old[k]
		if young || old {
			hits++
		}
		if young && old {
			t.Fatalf("after %d writes row %s is young and old", i+1, k)
		}
		size := 0
		for _, row := range cache.young { // order: a sum
			size += cost(row)
		}
		if size != cache.bytes || size > room/2 {
			t.Fatalf("after %d writes the young rows have %d bytes, counted as %d, of %d", i+1, size, cache.bytes, room/2)
		}
		want, _ := Latest(engine, prefix, k)
		if got := cache.Latest(engine, k); !reflect.DeepEqual(got, want) {
			t.Fatalf("after %d writes row %s is %v at hand and %v in the engine", i+1, k, got, want)
		}
		if got, want := cache.NewestAt(engine, k), NewestAt(engine, prefix, k); got != want {
			t.Fatalf("after %d writes row %s is of %d at hand and of %d in the engine", i+1, k, got, want)
		}
	}
	if hits < least {
		t.Errorf("only %d rows were at hand", hits)
	}
}
