package store

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"isochron/txn"
)

// A scan at a timestamp agrees with reads key by key, however many versions the rows have, from
// both ends.
func TestScansAgreeWithReads(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		m, prefix := NewMem(), []byte("p")
		var keys []txn.Key
		for k := range 1 + rng.IntN(6) {
			key := txn.Key(fmt.Sprintf("k%d", k))
			keys = append(keys, key)
			for range 1 + rng.IntN(2)*rng.IntN(30) {
				var b Batch
				w := txn.Write{Key: key, Value: []byte{byte(rng.IntN(256))}}
				if rng.IntN(5) == 0 {
					w.Value = nil
				}
				at := txn.Timestamp(1 + rng.IntN(50))
				PutVersion(&b, prefix, w, at, txn.Version{Seq: uint64(at)})
				m.Apply(&b)
			}
		}
		for _, at := range []txn.Timestamp{0, 1, 7, 25, 50, Newest} {
			var want []txn.Row
			for _, k := range keys {
				if row := AsOf(m, prefix, k, at); row.Value != nil {
					want = append(want, row)
				}
			}
			for _, reverse := range []bool{false, true} {
				var got []txn.Row
				walk := ScanAsOf(m, prefix, txn.Span{Start: "k", End: "l"}, reverse, at)
				for row, ok := walk.Next(); ok; row, ok = walk.Next() {
					got = append(got, row)
				}
				walk.Close()
				if reverse {
					slices.Reverse(got)
				}
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Fatalf("as of %d, reverse %v: got %v, want %v", at, reverse, got, want)
				}
			}
		}
	}
}
