package store

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"testing"

	"isochron/txn"
)

var rowPrefix = []byte("t/")

// rowModel is the plain meaning of multi-version rows: the newest wins.
type rowModel map[txn.Key][]byte

func put(e Engine, k txn.Key, v []byte, at txn.Timestamp) {
	var b Batch
	PutVersion(&b, rowPrefix, txn.Write{Key: k, Value: v}, at, txn.Version{Node: 1, Epoch: 1, Seq: uint64(at)})
	e.Apply(&b)
}

// strangeKey has zero bytes, 0xff bytes and prefixes of other keys in it.
func strangeKey(rng *rand.Rand) txn.Key {
	alphabet := []byte{0, 1, 0xff, 'a'}
	b := make([]byte, 1+rng.IntN(4))
	for i := range b {
		b[i] = alphabet[rng.IntN(len(alphabet))]
	}
	return txn.Key(b)
}

func TestVersionsAgainstAModel(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 1))
		e, model := NewMem(), rowModel{}
		for ts := txn.Timestamp(1); ts < 300; ts++ {
			k := strangeKey(rng)
			if rng.IntN(4) == 0 {
				delete(model, k)
				put(e, k, nil, ts)
			} else {
				model[k] = fmt.Appendf(nil, "v%d", ts)
				put(e, k, model[k], ts)
			}
			if rng.IntN(10) == 0 {
				collectAll(e, ts-txn.Timestamp(rng.IntN(50)), 1+rng.IntN(20))
			}
			if rng.IntN(5) == 0 {
				compare(t, seed, rng, e, model)
			}
		}
	}
}

func collectAll(e Engine, keep txn.Timestamp, limit int) {
	var cursor []byte
	for {
		var b Batch
		cursor = Collect(e, &b, rowPrefix, keep, cursor, limit)
		e.Apply(&b)
		if cursor == nil {
			return
		}
	}
}

func compare(t *testing.T, seed uint64, rng *rand.Rand, e Engine, model rowModel) {
	t.Helper()
	k := strangeKey(rng)
	if got, _ := Latest(e, rowPrefix, k); string(got.Value) != string(model[k]) {
		t.Fatalf("seed %d: %q reads %q, not %q", seed, k, got.Value, model[k])
	}
	span := txn.Span{Start: strangeKey(rng), End: strangeKey(rng)}
	var want []txn.Key
	for k := range model {
		if span.Contains(k) {
			want = append(want, k)
		}
	}
	reverse := rng.IntN(2) == 0
	sort.Slice(want, func(i, j int) bool { return (want[i] < want[j]) != reverse })
	rows := ScanLatest(e, rowPrefix, span, reverse)
	defer rows.Close()
	for i := 0; ; i++ {
		row, ok := rows.Next()
		if !ok {
			if i != len(want) {
				t.Fatalf("seed %d: scan of %q found %d rows, not %d", seed, span, i, len(want))
			}
			return
		}
		if i >= len(want) || row.Key != want[i] || string(row.Value) != string(model[row.Key]) {
			t.Fatalf("seed %d: scan of %q: row %d is %q", seed, span, i, row.Key)
		}
	}
}

func TestCollectionDropsOldVersionsOnly(t *testing.T) {
	e := NewMem()
	put(e, "x", []byte("1"), 10)
	put(e, "x", []byte("2"), 20)
	put(e, "x", []byte("3"), 30)
	put(e, "y", []byte("1"), 10)
	put(e, "y", nil, 15)
	collectAll(e, 20, 1)
	n := 0
	it := e.Iter(rowPrefix, nil)
	defer it.Close()
	for ok := it.First(); ok; ok = it.Next() {
		n++
	}
	if n != 2 { // x at 20 and 30; y is gone
		t.Errorf("%d versions are left, not 2", n)
	}
}
