package store

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"isochron/txn"
)

// An engine that never loses power finds every row that one finds which may, whatever was
// written, deleted, collected and read before it was there.
func TestTracesHideNoRow(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	quick, plain, prefix := NewMemForGood(), NewMem(), []byte("p")
	found := 0
	for i := range uint64(4000) {
		var b Batch
		at := txn.Timestamp(1 + i + rng.Uint64N(20))
		w := txn.Write{Key: txn.Key(fmt.Sprint(rng.IntN(3000))), Value: []byte{byte(i)}}
		if rng.IntN(4) == 0 {
			w.Value = nil
		}
		PutVersion(&b, prefix, w, at, txn.Version{Node: 1, Epoch: 1, Seq: i})
		if rng.IntN(50) == 0 {
			k := rowKey(prefix, txn.Key(fmt.Sprint(rng.IntN(3000))))
			b.DeleteRange(k, After(k))
		}
		quick.Apply(&b)
		plain.Apply(&b)
		k := txn.Key(fmt.Sprint(rng.IntN(3000)))
		want, since := Latest(plain, prefix, k)
		got, at := Latest(quick, prefix, k)
		if !reflect.DeepEqual(got, want) || at != since || NewestAt(quick, prefix, k) != since {
			t.Fatalf("after %d writes row %s is %v of %d, want %v of %d", i+1, k, got, at, want, since)
		}
		if since > 0 {
			found++
		}
	}
	if found < 1000 || found > 3900 {
		t.Errorf("%d of 4000 reads found a row: too few or too many to show anything", found)
	}
}

// Most rows that were never written have no trace, with as many keys as an experiment has;
// if all had one, nothing would be saved.
func TestFewRowsShareATrace(t *testing.T) {
	tr := new(traces)
	name := func(kind string, i int) []byte { return fmt.Appendf(nil, "s0007v%s%08d", kind, i) }
	for i := range 500_000 {
		tr.leave(append(name("there", i), "timestmp"...))
	}
	shared := 0
	for i := range 10_000 {
		if tr.of(name("never", i)) {
			shared++
		}
		if !tr.of(name("there", i)) {
			t.Fatalf("row %d was written and has no trace", i)
		}
	}
	if shared > 1000 {
		t.Errorf("%d of 10000 rows that were never written share a trace", shared)
	}
}
