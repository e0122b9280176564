package table

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"isochron/sql/catalog"
	"isochron/txn"
)

// Chunks of several spans come in the order of the index, and no more is held than a chunk of each.
func TestCollectedInOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		real := &counted{rows: map[txn.Key]string{}}
		parts, chunk := 1+rng.IntN(4), 1+rng.IntN(5)
		a := &Access{Reverse: rng.IntN(2) == 0}
		var want []string
		for p := range parts {
			prefix := strings.Repeat(fmt.Sprint(p), catalog.PartitionBytes)
			a.Scans = append(a.Scans, Range{Span: txn.Span{Start: txn.Key(prefix), End: txn.Key(prefix + "~")}})
		}
		for _, n := range rng.Perm(60)[:rng.IntN(60)] {
			prefix := strings.Repeat(fmt.Sprint(rng.IntN(parts)), catalog.PartitionBytes)
			real.rows[txn.Key(fmt.Sprintf("%s%02d", prefix, n))] = "row"
			want = append(want, fmt.Sprintf("%02d", n))
		}
		slices.Sort(want)
		if a.Reverse {
			slices.Reverse(want)
		}
		c := a.collector(real, Mode{}, false, true)
		c.chunk = chunk
		var got []string
		for !c.ended() {
			hits, err := c.next(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range hits {
				got = append(got, string(h.key[catalog.PartitionBytes:]))
			}
			if len(c.hits) > 2*chunk*parts {
				t.Fatalf("%d rows are held of %d spans in chunks of %d", len(c.hits), parts, chunk)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%d spans in chunks of %d, reverse %v:\n%v, want\n%v", parts, chunk, a.Reverse, got, want)
		}
		if most := 2 + len(want)/chunk; real.reads > most*parts {
			t.Fatalf("%d reads of %d rows in %d spans, by %d", real.reads, len(want), parts, chunk)
		}
	}
}
