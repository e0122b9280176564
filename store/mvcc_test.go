package store_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"isochron/store"
	"isochron/txn"
)

// awkward keys: prefixes of each other, zero bytes, high bytes.
var awkward = []txn.Key{"a", "a\x00", "a\x00\x00", "a\x00\x01", "a\x00\xff", "a\x01", "a\xff", "a\xff\xff", "aa", "b", "\x00", "\xff"}

// Rows read as the newest version of a plain map of them, in both directions,
// and collecting old versions changes nothing that can be read.
func TestRowsAgainstModel(t *testing.T) {
	prefix := []byte("p\xff")
	for seed := uint64(1); seed <= 30; seed++ {
		r := rand.New(rand.NewPCG(seed, 2))
		m := store.NewMem()
		var around store.Batch
		around.Set([]byte("p\xfe"), []byte("not a row"))
		around.Set([]byte("q"), []byte("not a row"))
		m.Apply(&around)
		model := map[txn.Key]txn.Row{}
		for at := txn.Timestamp(1); at < 200; at++ {
			w := txn.Write{Key: awkward[r.IntN(len(awkward))]}
			by := txn.Version{Node: 3, Epoch: 4, Seq: uint64(at)}
			row := txn.Row{Key: w.Key}
			if r.IntN(4) > 0 {
				w.Value = fmt.Appendf(nil, "%d", at)
				row.Value, row.Version = w.Value, by
			}
			var b store.Batch
			store.PutVersion(&b, prefix, w, at, by)
			m.Apply(&b)
			model[w.Key] = row
			if r.IntN(20) == 0 {
				collect(m, prefix, at-txn.Timestamp(r.IntN(int(at))))
			}
			checkRows(t, m, prefix, model, r)
		}
		collect(m, prefix, 1000)
		checkRows(t, m, prefix, model, r)
		if got := versions(m, prefix); got != live(model) {
			t.Fatalf("%d versions are left of %d live rows", got, live(model))
		}
	}
}

func collect(m *store.Mem, prefix []byte, keep txn.Timestamp) {
	for cursor := []byte(nil); ; {
		var b store.Batch
		cursor = store.Collect(m, &b, prefix, keep, cursor, 3)
		m.Apply(&b)
		if cursor == nil {
			return
		}
	}
}

func checkRows(t *testing.T, m *store.Mem, prefix []byte, model map[txn.Key]txn.Row, r *rand.Rand) {
	t.Helper()
	for _, k := range awkward {
		want := model[k]
		if got := store.Latest(m, prefix, k); string(got.Value) != string(want.Value) || got.Version != want.Version {
			t.Fatalf("row %q is %v, want %v", k, got, want)
		}
	}
	span := txn.Span{Start: awkward[r.IntN(len(awkward))], End: awkward[r.IntN(len(awkward))]}
	reverse := r.IntN(2) == 0
	var want []txn.Key
	for _, k := range slices.Sorted(maps.Keys(model)) {
		if span.Contains(k) && model[k].Value != nil {
			want = append(want, k)
		}
	}
	if reverse {
		slices.Reverse(want)
	}
	var got []txn.Key
	rows := store.ScanLatest(m, prefix, span, reverse)
	defer rows.Close()
	for row, ok := rows.Next(); ok; row, ok = rows.Next() {
		if string(row.Value) != string(model[row.Key].Value) {
			t.Fatalf("walking: row %q is %q", row.Key, row.Value)
		}
		got = append(got, row.Key)
	}
	if !slices.Equal(got, want) {
		t.Fatalf("rows of %v (reverse %v): %q, want %q", span, reverse, got, want)
	}
}

func versions(m *store.Mem, prefix []byte) (n int) {
	it := m.Iter(prefix, []byte("q"))
	defer it.Close()
	for ok := it.First(); ok; ok = it.Next() {
		n++
	}
	return n
}

func live(model map[txn.Key]txn.Row) (n int) {
	for _, row := range model {
		if row.Value != nil {
			n++
		}
	}
	return n
}
