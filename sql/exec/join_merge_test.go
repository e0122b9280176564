package exec

import (
	"context"
	"math/rand/v2"
	"testing"

	"isochron/sql/expr"
)

// mergeOperators are merge joins whose left or right side is the source.
func mergeOperators() []operator {
	byA := []Key{{At: 0, Type: bigint}}
	keys := []JoinKey{{Left: 0, Right: 0, Type: bigint, RightType: bigint}}
	ordered := func(rows [][]expr.Value) (out [][]expr.Value) {
		for a := range 7 {
			for _, r := range rows {
				if number(r[0]) == a {
					out = append(out, r)
				}
			}
		}
		return out
	}
	return []operator{
		{"merge join", func(t testing.TB, from Source, m Memory) Source {
			return MergeJoin(Sort(from, byA, 0, m), Rows(sevens()), JoinSpec{Keys: keys, Width: 3}, m)
		}, func(rows [][]expr.Value) [][]expr.Value {
			return nestedLoop(InnerJoin, ordered(rows), sevens(), func(l, r []expr.Value) bool { return number(l[0]) == number(r[0]) })
		}, true},
		{"right side of a merge join", func(t testing.TB, from Source, m Memory) Source {
			return MergeJoin(Rows(sevens()), Sort(from, byA, 0, m), JoinSpec{Kind: LeftJoin, Keys: keys, On: on(t, "e % 3 = 0"), Width: 3}, m)
		}, func(rows [][]expr.Value) [][]expr.Value {
			return nestedLoop(LeftJoin, sevens(), rows, func(l, r []expr.Value) bool { return number(l[0]) == number(r[0]) && number(r[1])%3 == 0 })
		}, true},
	}
}

// Merge joins of all kinds over small random relations, sorted by the keys, yield what a naive nested loop does.
func TestMergeJoinsAgainstANestedLoop(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for round := range 300 {
		for i, m := range joinModels() {
			if m.keys == nil {
				continue
			}
			var l, r []Key
			for _, k := range m.keys {
				l, r = append(l, Key{At: k.Left, Type: k.Type}), append(r, Key{At: k.Right, Type: k.RightType})
			}
			left, right := read(t, Sort(Rows(relation(random)), l, 0, nil)), read(t, Sort(Rows(relation(random)), r, 0, nil))
			for kind := InnerJoin; kind <= AntiJoin; kind++ {
				mem := &meter{}
				j := MergeJoin(Rows(left), Rows(right), m.spec(t, kind), mem)
				got := show(read(t, j))
				j.Close()
				if want := show(nestedLoop(kind, left, right, m.want)); got != want {
					t.Fatalf("round %d, kind %d, model %d:\nleft  %s\nright %s\ngot   %s\nwant  %s", round, kind, i, show(left), show(right), got, want)
				}
				if mem.held != 0 {
					t.Fatalf("%d bytes are held after Close", mem.held)
				}
			}
		}
	}
}

// A merge join reads each side as far as the other one can still match, and holds one group of the right.
func TestMergeJoinReadsWhatItNeeds(t *testing.T) {
	keys := []JoinKey{{Left: 1, Right: 1, Type: bigint, RightType: bigint}}
	for _, c := range []struct{ left, right, rows, askedLeft, askedRight int }{
		{0, 1000, 0, 2, 0}, {1000, 0, 0, 2, 2}, {20, 1000, 20, 5, 5}, {1000, 20, 20, 5, 5},
	} {
		m, left, right := &meter{}, numbered(c.left, 10), numbered(c.right, 10)
		j := MergeJoin(left, right, JoinSpec{Keys: keys, Width: 3}, m)
		n, err := drain(j, context.Background())
		if err != nil || n != c.rows || left.asked != c.askedLeft || right.asked != c.askedRight {
			t.Errorf("%+v: %d rows, %v, asked %d and %d times", c, n, err, left.asked, right.asked)
		}
		if m.peak > 1000 {
			t.Errorf("%+v: %d bytes", c, m.peak)
		}
		j.Close()
		if m.held != 0 || left.closed != 1 || right.closed != 1 {
			t.Errorf("%+v: %d bytes are held; closed %d and %d times", c, m.held, left.closed, right.closed)
		}
	}
}
