package exec

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"isochron/sql/expr"
)

// pairColumns are the columns of a row of numbered beside another.
var pairColumns = testTable{
	names: []string{"a", "b", "c", "d", "e", "f"},
	types: []expr.Type{bigint, bigint, text, bigint, bigint, text},
}

func on(t testing.TB, condition string) *expr.Program { return programOver(t, pairColumns, condition) }

// sevens are rows (i, -i, NULL), with i from 2 to 8, of which 2 to 6 have partners in the first column of numbered.
func sevens() (out [][]expr.Value) {
	for i := 2; i < 9; i++ {
		out = append(out, row(i, -i, nil))
	}
	return out
}

func beside(left, right []expr.Value) []expr.Value { return append(slices.Clone(left), right...) }

// joinOperators are joins whose left or right side is the source.
func joinOperators() []operator {
	keys := []JoinKey{{Left: 0, Right: 0, Type: bigint, RightType: bigint}}
	matched := func(r []expr.Value) bool { return number(r[0]) >= 2 }
	kept := func(keep func(r []expr.Value) bool) func([][]expr.Value) [][]expr.Value {
		return func(rows [][]expr.Value) (out [][]expr.Value) {
			for _, r := range rows {
				if keep(r) {
					out = append(out, r)
				}
			}
			return out
		}
	}
	make := func(kind JoinKind, keys []JoinKey, condition string) func(testing.TB, Source, Memory) Source {
		return func(t testing.TB, from Source, m Memory) Source {
			spec := JoinSpec{Kind: kind, Keys: keys, Width: 3}
			if condition != "" {
				spec.On = on(t, condition)
			}
			return Join(from, Gathered(Rows(sevens()), m), spec, m)
		}
	}
	return []operator{
		{"join", make(InnerJoin, keys, ""), func(rows [][]expr.Value) (out [][]expr.Value) {
			for _, r := range kept(matched)(rows) {
				out = append(out, beside(r, row(r[0], -number(r[0]), nil)))
			}
			return out
		}, true},
		{"left join", make(LeftJoin, keys, "e < -4"), func(rows [][]expr.Value) (out [][]expr.Value) {
			for _, r := range rows {
				right := row(nil, nil, nil)
				if number(r[0]) > 4 {
					right = row(r[0], -number(r[0]), nil)
				}
				out = append(out, beside(r, right))
			}
			return out
		}, true},
		{"semi join", make(SemiJoin, keys, ""), kept(matched), true},
		{"anti join", make(AntiJoin, keys, ""), kept(func(r []expr.Value) bool { return !matched(r) }), true},
		{"nested loop", make(InnerJoin, nil, ""), func(rows [][]expr.Value) (out [][]expr.Value) {
			for _, r := range rows {
				for _, s := range sevens() {
					out = append(out, beside(r, s))
				}
			}
			return out
		}, true},
		{"right side", func(t testing.TB, from Source, m Memory) Source {
			return Join(Rows(sevens()), Gathered(from, m), JoinSpec{Keys: keys, Width: 3}, m)
		}, func(rows [][]expr.Value) (out [][]expr.Value) {
			for _, l := range sevens() {
				for _, r := range rows {
					if number(r[0]) == number(l[0]) {
						out = append(out, beside(l, r))
					}
				}
			}
			return out
		}, true},
		{"right side of a left join by nested loops", func(t testing.TB, from Source, m Memory) Source {
			return Join(Rows(sevens()), Gathered(from, m), JoinSpec{Kind: LeftJoin, On: on(t, "a = d AND e % 2 = 0"), Width: 3}, m)
		}, func(rows [][]expr.Value) (out [][]expr.Value) {
			for _, l := range sevens() {
				matched := false
				for _, r := range rows {
					if number(r[0]) == number(l[0]) && number(r[1])%2 == 0 {
						matched = true
						out = append(out, beside(l, r))
					}
				}
				if !matched {
					out = append(out, beside(l, row(nil, nil, nil)))
				}
			}
			return out
		}, true},
	}
}

// All kinds of joins over small random relations, with NULLs and duplicates, yield what a naive nested loop does, in its order.
func TestJoinsAgainstANestedLoop(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 300 {
		left, right := relation(random), relation(random)
		for i, m := range joinModels() {
			for kind := InnerJoin; kind <= AntiJoin; kind++ {
				mem := &meter{}
				j := Join(Rows(left), Gathered(Rows(right), mem), m.spec(t, kind), mem)
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

// joinModel is a join's condition, and the same as a function of two rows.
type joinModel struct {
	keys []JoinKey
	on   string
	want func(l, r []expr.Value) bool
}

func (m *joinModel) spec(t testing.TB, kind JoinKind) JoinSpec {
	spec := JoinSpec{Kind: kind, Keys: m.keys, Width: 3}
	if m.on != "" {
		spec.On = on(t, m.on)
	}
	return spec
}

func joinModels() []joinModel {
	equal := func(a, b expr.Value) bool {
		return !a.IsNull() && !b.IsNull() && strings.EqualFold(strings.TrimRight(a.ToString(), " "), strings.TrimRight(b.ToString(), " "))
	}
	return []joinModel{
		{nil, "", func(_, _ []expr.Value) bool { return true }},
		{nil, "a < d", func(l, r []expr.Value) bool { return !l[0].IsNull() && !r[0].IsNull() && number(l[0]) < number(r[0]) }},
		{[]JoinKey{{0, 1, bigint, bigint, false}}, "", func(l, r []expr.Value) bool { return equal(l[0], r[1]) }},
		{[]JoinKey{{0, 0, bigint, bigint, true}}, "", func(l, r []expr.Value) bool { return equal(l[0], r[0]) || l[0].IsNull() && r[0].IsNull() }},
		{[]JoinKey{{2, 2, text, text, false}, {0, 0, bigint, bigint, true}}, "b <> e", func(l, r []expr.Value) bool {
			return equal(l[2], r[2]) && (equal(l[0], r[0]) || l[0].IsNull() && r[0].IsNull()) &&
				!l[1].IsNull() && !r[1].IsNull() && !equal(l[1], r[1])
		}},
	}
}

// relation are up to 12 rows of few values.
func relation(random *rand.Rand) [][]expr.Value {
	pick := func(values ...any) any { return values[random.IntN(len(values))] }
	out := make([][]expr.Value, random.IntN(13))
	for i := range out {
		out[i] = row(pick(nil, 1, 2, 3), pick(nil, 1, 2), pick(nil, "a", "A ", "b", "a b"))
	}
	return out
}

func nestedLoop(kind JoinKind, left, right [][]expr.Value, match func(l, r []expr.Value) bool) (out [][]expr.Value) {
	for _, l := range left {
		n := 0
		for _, r := range right {
			if !match(l, r) {
				continue
			}
			if n++; kind == InnerJoin || kind == LeftJoin {
				out = append(out, beside(l, r))
			}
		}
		switch {
		case kind == LeftJoin && n == 0:
			out = append(out, beside(l, row(nil, nil, nil)))
		case kind == SemiJoin && n > 0, kind == AntiJoin && n == 0:
			out = append(out, l)
		}
	}
	return out
}

// lookup is an Inner that returns the rows for a batch only: (k, 10*k, NULL) for each key k of the batch that is even, and one
// that was not asked for.
type lookup struct {
	asked, fail, closed int
	lasting             bool
}

func (l *lookup) RowsFor(_ context.Context, left [][]expr.Value) (out [][]expr.Value, lasting bool, err error) {
	if l.asked++; l.asked == l.fail {
		return nil, false, errFake
	}
	for _, r := range left {
		if k := number(r[1]); k%2 == 0 {
			out = append(out, row(k, 10*k, nil))
		}
	}
	return append(out, row(-1, 0, nil)), l.lasting, nil
}

func (l *lookup) Close() { l.closed++ }

// An Inner that is not lasting is asked once for each batch of the left, and the table of a batch is freed with it.
func TestJoinLooksUpEachBatch(t *testing.T) {
	keys := []JoinKey{{Left: 1, Right: 0, Type: bigint, RightType: bigint}}
	few := &meter{}
	for _, n := range []int{100, 10_000} {
		m, inner, left := &meter{}, &lookup{}, numbered(n, 100)
		j := Join(left, inner, JoinSpec{Keys: keys, Width: 3}, m)
		rows := read(t, j)
		if len(rows) != n/2 || inner.asked != n/100 {
			t.Errorf("%d rows of %d, after %d lookups", len(rows), n, inner.asked)
		}
		for i, r := range rows {
			if number(r[1]) != 2*i || number(r[4]) != 20*i {
				t.Fatalf("row %d: %s", i, show(rows[i:i+1]))
			}
		}
		if n == 100 {
			few = m
		} else if m.peak > few.peak+10*100 {
			t.Errorf("%d bytes for one batch, %d for a hundred", few.peak, m.peak)
		}
		j.Close()
		if err := closedWell(m, left); err != nil || inner.closed != 1 {
			t.Error(err, inner.closed)
		}
	}
}

// The error of an Inner ends the join: it is repeated, and neither side is asked again.
func TestErrorsOfTheInner(t *testing.T) {
	m, inner, left := &meter{}, &lookup{fail: 2}, numbered(1000, 100)
	j := Join(left, inner, JoinSpec{Keys: []JoinKey{{Left: 1, Type: bigint, RightType: bigint}}, Width: 3}, m)
	n, err := drain(j, context.Background())
	if n != 50 || !errors.Is(err, errFake) {
		t.Errorf("%d rows, %v", n, err)
	}
	asked := left.asked
	if _, err := j.Next(context.Background()); !errors.Is(err, errFake) || left.asked != asked || inner.asked != 2 {
		t.Errorf("then %v, asked %d and %d times", err, left.asked-asked, inner.asked)
	}
	j.Close()
	if err := closedWell(m, left); err != nil || inner.closed != 1 {
		t.Error(err, inner.closed)
	}
}

// A side that decides the result alone spares the rounds of the other one.
func TestJoinsOfEmptySides(t *testing.T) {
	for _, c := range []struct {
		kind        JoinKind
		left, right int // rows
		rows        int
		askedLeft   int // batches
		askedRight  int
	}{
		{InnerJoin, 0, 100, 0, 2, 0}, {LeftJoin, 0, 100, 0, 2, 0}, {AntiJoin, 0, 100, 0, 2, 0},
		{InnerJoin, 100, 0, 0, 2, 2}, {SemiJoin, 100, 0, 0, 2, 2},
		{LeftJoin, 100, 0, 100, 17, 2}, {AntiJoin, 100, 0, 100, 17, 2},
	} {
		left, right := numbered(c.left, 10), numbered(c.right, 10)
		j := Join(left, Gathered(right, nil), JoinSpec{Kind: c.kind, Width: 3}, nil)
		n, err := drain(j, context.Background())
		if err != nil || n != c.rows || left.asked != c.askedLeft || right.asked != c.askedRight {
			t.Errorf("%+v: %d rows, %v, asked %d and %d times", c, n, err, left.asked, right.asked)
		}
		j.Close()
		if left.closed != 1 || right.closed != 1 {
			t.Errorf("%+v: closed %d and %d times", c, left.closed, right.closed)
		}
	}
}

// A nested loop that yields nothing looks at the context between its pairs.
func TestNestedLoopIsCancelled(t *testing.T) {
	cause := errors.New("the client has gone")
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	looked := 0
	c := &countedContext{Context: ctx, hook: func() {
		if looked++; looked == 5 {
			cancel(cause)
		}
	}}
	j := Join(numbered(1000, 1000), Gathered(numbered(1000, 1000), nil), JoinSpec{On: on(t, "a > d + 10"), Width: 3}, nil)
	if _, err := j.Next(c); !errors.Is(err, cause) || looked > 10 {
		t.Errorf("%v after %d looks", err, looked)
	}
}

// countedContext calls a function when it is asked whether it has ended.
type countedContext struct {
	context.Context
	hook func()
}

func (c *countedContext) Err() error {
	err := c.Context.Err()
	c.hook()
	return err
}

// Keys of two types are equal exactly where MySQL's comparison of the values is; what it converts otherwise is refused.
func TestJoinable(t *testing.T) {
	of := func(t sqltypes.Type, id collations.ID) expr.Type {
		return evalengine.NewTypeEx(t, id, true, 10, 0, nil)
	}
	bin := collations.ID(collations.CollationBinaryID)
	enum := func(values ...string) expr.Type {
		v := evalengine.EnumSetValues(values)
		return evalengine.NewTypeEx(sqltypes.Enum, generalCI, true, 1, 0, &v)
	}
	decimal, double, float := of(sqltypes.Decimal, bin), of(sqltypes.Float64, bin), of(sqltypes.Float32, bin)
	blob, date, datetime := of(sqltypes.Blob, bin), of(sqltypes.Date, bin), of(sqltypes.Datetime, bin)
	other, bit, clock := of(sqltypes.VarChar, 46), of(sqltypes.Bit, bin), of(sqltypes.Time, bin)
	doc, null := of(sqltypes.TypeJSON, 46), of(sqltypes.Null, bin)
	value := func(t expr.Type, s string) expr.Value { return sqltypes.MakeTrusted(t.Type(), []byte(s)) }
	for _, c := range []struct {
		left, right expr.Type
		a, b        string
		equal       bool
	}{
		{bigint, decimal, "5", "5.00", true}, {bigint, decimal, "5", "5.01", false}, {bigint, of(sqltypes.Uint32, bin), "5", "0005", true},
		{bigint, double, "9007199254740993", "9007199254740992", true}, // as doubles
		{decimal, double, "0.10", "0.1", true}, {decimal, double, "0", "-0", true}, {double, double, "-0", "0", true}, {float, float, "0.5", "0.5", true},
		{text, text, "a", "A  ", true}, {text, text, "a", "b", false}, {text, blob, "a", "A", false}, {text, blob, "a", "a ", false}, {blob, other, "a", "a", true},
		{date, datetime, "2024-01-31", "2024-01-31 00:00:00.000", true}, {date, datetime, "2024-01-31", "2024-01-31 00:00:01", false},
		{clock, clock, "01:00:00", "01:00:00.0", true}, {bit, bit, "\x01", "\x00\x01", true}, {doc, doc, "[1, 2]", "[1, 2.0]", true},
		{enum("'a'", "'b'"), enum("'a'", "'b'"), "a", "a", true},
	} {
		if !Joinable(c.left, c.right) || !Joinable(c.right, c.left) {
			t.Errorf("%v and %v are not joinable", c.left.Type(), c.right.Type())
			continue
		}
		for _, swapped := range []bool{false, true} {
			l, r := row(value(c.left, c.a)), row(value(c.right, c.b))
			spec := JoinSpec{Keys: []JoinKey{{Type: c.left, RightType: c.right}}, Width: 1}
			if swapped {
				l, r = r, l
				spec.Keys[0].Type, spec.Keys[0].RightType = c.right, c.left
			}
			got := len(read(t, Join(Rows([][]expr.Value{l}), Gathered(Rows([][]expr.Value{r}), nil), spec, nil))) == 1
			if got != c.equal {
				t.Errorf("%v %q = %v %q (swapped: %v): %v", c.left.Type(), c.a, c.right.Type(), c.b, swapped, got)
			}
		}
	}
	for _, c := range [][2]expr.Type{
		{text, other}, {bigint, text}, {float, double}, {float, bigint}, {bigint, bit}, {date, clock}, {text, date}, {enum("'a'"), enum("'b'")}, {enum("'a'"), text}, {doc, text},
	} {
		if Joinable(c[0], c[1]) || Joinable(c[1], c[0]) {
			t.Errorf("%v and %v are joinable", c[0].Type(), c[1].Type())
		}
	}
	if !Joinable(null, text) {
		t.Error("NULL is not joinable")
	}
}

func BenchmarkJoin(b *testing.B) {
	right := make100k(100_000)
	slices.Reverse(right)
	for name, at := range map[string]int{"integer": 0, "text": 2} {
		types := []expr.Type{bigint, bigint, text}
		key := []JoinKey{{Left: at, Right: at, Type: types[at], RightType: types[at]}}
		for kind, of := range map[string]JoinKind{"inner": InnerJoin, "semi": SemiJoin} {
			if of == InnerJoin && at == 2 {
				continue // twenty rows for each
			}
			b.Run(fmt.Sprintf("%s/%s", kind, name), func(b *testing.B) {
				benchmarkOver(b, func(from Source) Source {
					return Join(from, Gathered(Rows(right), nil), JoinSpec{Kind: of, Keys: key, Width: 3}, nil)
				})
			})
		}
	}
}

// A join that is cancelled between two batches of the output stays so, though it has rows left to join.
func TestCancelledJoinStaysCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	j := Join(Rows(sevens()), Gathered(numbered(3000, 1000), nil), JoinSpec{Width: 3}, nil)
	if _, err := j.Next(ctx); err != nil {
		t.Fatal(err)
	}
	cancel()
	for range 2 {
		if rows, err := j.Next(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%d rows, %v", len(rows), err)
		}
	}
}
