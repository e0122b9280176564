package rowcodec

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// A row with replaced values is byte for byte the one that decoding and encoding would give.
func TestReplaceAgreesWithDecodeAndEncode(t *testing.T) {
	cols := columns(t)
	layout := NewLayout(cols)
	r := rand.New(rand.NewPCG(5, 6))
	done := 0
	for range 5000 {
		row, with := make([]any, len(cols)), make([]any, len(cols))
		var at []int
		nulls := false
		for i, g := range generators {
			if r.IntN(8) > 0 {
				row[i] = g.make(r)
			}
			if r.IntN(6) == 0 {
				with[i] = g.make(r)
				at = append(at, i)
				nulls = nulls || row[i] == nil
			}
		}
		stored, err := EncodeRow(cols, row)
		if err != nil {
			t.Fatal(err)
		}
		before := bytes.Clone(stored)
		got, ok := layout.Replace(stored, at, func(i int, old any) (any, bool) {
			if old == nil {
				t.Fatal("it was asked for a NULL")
			}
			return with[i], true
		})
		if ok == nulls {
			t.Fatalf("a row with NULL in replaced columns (%v): ok is %v", nulls, ok)
		}
		if !bytes.Equal(stored, before) {
			t.Fatal("the stored row was written")
		}
		if !ok {
			continue
		}
		done++
		taken, err := layout.Decode(stored)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range at {
			taken[i] = with[i]
		}
		if want, err := EncodeRow(cols, taken); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("replaced:\n%x\ntaken apart:\n%x (%v)", got, want, err)
		}
	}
	if done < 500 {
		t.Errorf("%d rows were replaced", done)
	}
}

// A row from before a column was added or dropped, or in another order, or
// damaged, is taken apart.
func TestReplaceRefusesUnusualRows(t *testing.T) {
	cols := make([]Column, 3)
	for i := range cols {
		var err error
		if cols[i], err = NewColumn(uint32(i+1), typed("bigint")); err != nil {
			t.Fatal(err)
		}
	}
	whole, err := EncodeRow(cols, []any{int64(1), int64(2), int64(3)})
	if err != nil {
		t.Fatal(err)
	}
	filled := slices.Clone(cols)
	filled[1].Fill = int64(9)
	without, err := EncodeRow([]Column{cols[0], cols[2]}, []any{int64(1), int64(3)})
	if err != nil {
		t.Fatal(err)
	}
	ten := func(int, any) (any, bool) { return int64(10), true }
	for _, c := range []struct {
		what   string
		layout *Layout
		stored []byte
		at     []int
		ok     bool
	}{
		{"a whole row", NewLayout(cols), whole, []int{0, 2}, true},
		{"a NULL aside", NewLayout(cols), without, []int{0, 2}, true},
		{"a NULL replaced", NewLayout(cols), without, []int{1}, false},
		{"a NULL at the end replaced", NewLayout(append(slices.Clone(cols), Column{ID: 7, Type: typed("bigint")})), whole, []int{3}, false},
		{"a column added since", NewLayout(filled), without, []int{0}, false},
		{"a column added since at the end", NewLayout([]Column{cols[0], cols[2], filled[1]}), without, []int{0}, false},
		{"a column dropped since", NewLayout(cols[:2]), whole, []int{0}, false},
		{"another order", NewLayout([]Column{cols[1], cols[0], cols[2]}), whole, []int{0}, false},
		{"cut", NewLayout(cols), whole[:len(whole)-1], []int{0}, false},
		{"another form", NewLayout(cols), append(bytes.Clone(whole[:len(whole)-2]), formNull+1, 0), []int{0}, false},
		{"nothing", NewLayout(cols), nil, []int{0}, false},
		{"another format", NewLayout(cols), append([]byte{9}, whole[1:]...), []int{0}, false},
	} {
		if _, ok := c.layout.Replace(c.stored, c.at, ten); ok != c.ok {
			t.Errorf("%s: ok is %v", c.what, ok)
		}
	}
	if _, ok := NewLayout(cols).Replace(whole, []int{1}, func(int, any) (any, bool) { return nil, false }); ok {
		t.Error("it went on though the value was refused")
	}
}
