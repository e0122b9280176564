package shard

import (
	"slices"
	"strings"
	"testing"

	"isochron/txn"
)

// of makes a Prepare from words such as "r:x w:y s:a-c": what it reads, writes and scans.
func of(words string) batched {
	p := &txn.Prepare{}
	for _, w := range strings.Fields(words) {
		switch key := w[2:]; w[0] {
		case 'r':
			p.Reads = append(p.Reads, txn.ReadCheck{Key: txn.Key(key)})
		case 'w':
			p.Writes = append(p.Writes, txn.Write{Key: txn.Key(key), Value: []byte("v")})
		case 's':
			start, end, _ := strings.Cut(key, "-")
			p.Spans = append(p.Spans, txn.SpanCheck{Span: txn.Span{Start: txn.Key(start), End: txn.Key(end)}})
		}
	}
	return batched{p: p}
}

func TestWhoGivesWayInABatch(t *testing.T) {
	for _, c := range []struct {
		name  string
		batch []string
		lose  []bool
		order []int // of those that stay
	}{
		{"two that write one row", []string{"r:x w:x", "r:x w:x"}, []bool{false, true}, []int{0}},
		{"a reader comes before an older writer", []string{"w:x", "r:x w:y"}, []bool{false, false}, []int{1, 0}},
		{"write skew: no order has both", []string{"r:y w:x", "r:x w:y"}, []bool{false, true}, []int{0}},
		{"a chain of readers is turned round", []string{"w:a", "r:a w:b", "r:b w:c"}, []bool{false, false, false}, []int{2, 1, 0}},
		{"a phantom", []string{"s:a-c w:x", "r:x w:b"}, []bool{false, true}, []int{0}},
		{"a range comes before a writer in it", []string{"w:b", "s:a-c w:z"}, []bool{false, false}, []int{1, 0}},
	} {
		var items, stay []batched
		for _, words := range c.batch {
			items = append(items, of(words))
		}
		lose := losers(items)
		if !slices.Equal(lose, c.lose) {
			t.Errorf("%s: %v give way, not %v", c.name, lose, c.lose)
			continue
		}
		for i, b := range items {
			if !lose[i] {
				stay = append(stay, b)
			}
		}
		if got := readersFirst(stay); !slices.Equal(got, c.order) {
			t.Errorf("%s: the order is %v, not %v", c.name, got, c.order)
		}
	}
}
