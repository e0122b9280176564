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
	rng := rand.New(rand.NewPCG(3, 4))
	engine, prefix := NewMem(), []byte("p")
	cache := NewRowCache(prefix)
	hits := 0
	for i := range uint64(3000) {
		var b Batch
		at, by := txn.Timestamp(1+i/2+rng.Uint64N(20)), txn.Version{Node: 1, Epoch: 1, Seq: i}
		w := txn.Write{Key: txn.Key(fmt.Sprint(rng.IntN(20))), Value: []byte(fmt.Sprint(i))}
		switch rng.IntN(5) {
		case 0:
			w.Value = nil
		case 1:
			w.Value = []byte{}
		}
		cache.Put(&b, w, at, by)
		engine.Apply(&b)
		k := txn.Key(fmt.Sprint(rng.IntN(20)))
		if _, ok := cache.rows[k]; ok {
			hits++
		}
		want, _ := Latest(engine, prefix, k)
		if got := cache.Latest(engine, k); !reflect.DeepEqual(got, want) {
			t.Fatalf("after %d writes row %s is %v at hand and %v in the engine", i+1, k, got, want)
		}
		if got, want := cache.NewestAt(engine, k), NewestAt(engine, prefix, k); got != want {
			t.Fatalf("after %d writes row %s is of %d at hand and of %d in the engine", i+1, k, got, want)
		}
	}
	if hits < 1000 {
		t.Errorf("only %d rows were at hand", hits)
	}
}
