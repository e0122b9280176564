package store

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"isochron/txn"
)

// A cached row equals the engine's, whatever is written and in whatever order of timestamps.
func TestTheRowCacheAgreesWithTheEngine(t *testing.T) {
	t.Run("all rows find room", func(t *testing.T) { tryRowCache(t, 20, 1<<20, 1000) })
	t.Run("two thirds do", func(t *testing.T) { tryRowCache(t, 100, 8000, 500) })
}

// tryRowCache works on so many rows in so much memory; a row must be cached so often.
func tryRowCache(t *testing.T, rows, room, least int) {
	rng := rand.New(rand.NewPCG(3, 4))
	engine, prefix := NewMem(), []byte("p")
	cache := NewRowCache(prefix, room, nil)
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
		oldSize := 0
		for _, row := range cache.old { // order: a sum
			oldSize += cost(row)
		}
		if oldSize != cache.oldBytes {
			t.Fatalf("after %d writes the old rows have %d bytes, counted as %d", i+1, oldSize, cache.oldBytes)
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

// Caches that share a pool keep no more than its size, idle ones included.
func TestRowCachesShareAPool(t *testing.T) {
	const all = 1 << 20
	pool, engine := NewPool(all), NewMem()
	var caches []*RowCache
	held := func() (sum int) {
		for _, c := range caches {
			sum += c.Held()
		}
		return sum
	}
	for n := range 5 {
		c := NewRowCache([]byte{byte(n)}, all, pool)
		caches = append(caches, &c)
		pool.Among(len(caches))
		for i := range 2000 { // of the newest alone: the others are idle
			var b Batch
			k := txn.Key(fmt.Sprint("a row with some name ", i))
			c.Put(&b, txn.Write{Key: k, Value: make([]byte, 1000)}, txn.Timestamp(i+1), txn.Version{Node: 1, Seq: uint64(i)})
			engine.Apply(&b)
			c.Latest(engine, k)
		}
		for _, c := range caches {
			c.Trim()
		}
		if now := held(); now > all || n == 0 && now < all/4 {
			t.Errorf("%d caches keep %d bytes of %d", len(caches), now, all)
		}
	}
}
