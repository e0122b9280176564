package workload

import (
	"fmt"
	"slices"
	"testing"

	"isochron/txn"
)

// written is a transaction that records the values that are put.
type written struct {
	probe
	writes []string
}

func (w *written) Put(k txn.Key, v []byte) {
	w.puts, w.writes = append(w.puts, k), append(w.writes, fmt.Sprintf("%q=%q", k, v))
}

// A 2FI transaction reads and writes the same as the statements of the same transaction, and writes
// nothing outside its declared set; in these workloads all can be 2FI.
func TestFixedSetsMatchTheirTransactions(t *testing.T) {
	for _, name := range []string{"smallbank", "retwis", "ycsb+t"} {
		m, c := newTestMix(t, name, MixConfig{Parts: 3, Keys: 200}), seeded(11)
		for range 500 {
			j := m.Next(c)
			if j.FixedSet == nil {
				t.Fatalf("%s cannot be declared", j.Class)
			}
			recorded := &written{}
			if err := j.Body(t.Context(), recorded); err != nil {
				t.Fatal(err)
			}
			d := j.FixedSet()
			if j.ReadOnly != (len(d.Writes) == 0) {
				t.Errorf("%s only reads: %v, and declares to write %q", j.Class, j.ReadOnly, d.Writes)
			}
			writes, ok := d.Then(make([][]byte, len(d.Reads)))
			var whole []string
			for _, w := range writes {
				if whole = append(whole, fmt.Sprintf("%q=%q", w.Key, w.Value)); !slices.Contains(d.Writes, w.Key) {
					t.Errorf("%s writes %q and has not declared that", j.Class, w.Key)
				}
			}
			if !ok || !slices.Equal(d.Reads, recorded.gets) || !slices.Equal(whole, recorded.writes) {
				t.Errorf("%s: declared it reads %q and writes %v, by statements %q and %v", j.Class, d.Reads, whole, recorded.gets, recorded.writes)
			}
		}
	}
}
