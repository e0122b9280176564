package schedule

import (
	"slices"
	"testing"

	"isochron/txn"
)

// Writing statements follow reading ones, in their order, but are not moved past a statement that
// may read what they write.
func TestOrder(t *testing.T) {
	r := func(keys ...txn.Key) Statement { return Statement{Records: keys} }
	w := func(keys ...txn.Key) Statement { return Statement{Writes: true, Records: keys} }
	for _, c := range []struct {
		statements []Statement
		want       []int
	}{
		{[]Statement{w("a"), r("b"), w("c"), r("d")}, []int{1, 3, 0, 2}},
		{[]Statement{w("a"), r("b"), r("a"), r("c")}, []int{1, 0, 2, 3}},
		{[]Statement{w("a"), r(), w("b"), r("c")}, []int{0, 1, 3, 2}}, // a scan may read it
		{[]Statement{w("a"), w(), r("b")}, []int{0, 1, 2}},
		{[]Statement{w("a"), w("a"), r("b", "c")}, []int{2, 0, 1}},
	} {
		of := func(i int) Statement { return c.statements[i] }
		if got := WritesLast.Order(len(c.statements), of); !slices.Equal(got, c.want) {
			t.Errorf("%v: got %v, want %v", c.statements, got, c.want)
		}
		for _, other := range []Policy{AtOnce, AlignReplies, Postponed, InnerLast} {
			if got := other.Order(len(c.statements), of); got != nil {
				t.Errorf("%s: %v", other, got)
			}
		}
	}
}

// Parts to the own region wait for the others, unless there are none.
func TestHeldBack(t *testing.T) {
	near, far := Part{Near: true}, Part{}
	for _, c := range []struct {
		parts []Part
		want  []bool
	}{
		{[]Part{near, far, near}, []bool{true, false, true}},
		{[]Part{near, near}, nil},
		{[]Part{far, far}, nil},
	} {
		if got := InnerLast.HeldBack(c.parts); !slices.Equal(got, c.want) || got == nil != (c.want == nil) {
			t.Errorf("%v: got %v, want %v", c.parts, got, c.want)
		}
		for _, other := range []Policy{AtOnce, AlignReplies, Postponed, WritesLast} {
			if got := other.HeldBack(c.parts); got != nil {
				t.Errorf("%s: %v", other, got)
			}
		}
	}
}
