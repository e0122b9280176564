package exec

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"isochron/sql/expr"
)

var oneColumn = []expr.Type{bigint}

// setOperators are operators of several sources of which one is the source, and those of few columns.
func setOperators() []operator {
	first := func(in func(n int) bool) func([][]expr.Value) [][]expr.Value {
		return func(rows [][]expr.Value) (out [][]expr.Value) {
			seen := map[int]bool{}
			for _, r := range rows {
				if n := number(r[0]); !seen[n] && in(n) {
					seen[n] = true
					out = append(out, r)
				}
			}
			return out
		}
	}
	return []operator{
		{"concat", func(t testing.TB, from Source, m Memory) Source {
			return Concat(Rows(nil), from, Rows(sevens()), Rows(nil))
		},
			func(rows [][]expr.Value) [][]expr.Value { return append(rows[:len(rows):len(rows)], sevens()...) }, false},
		{"intersect", func(t testing.TB, from Source, m Memory) Source {
			return Intersect(from, Rows(sevens()), oneColumn, false, m)
		}, first(func(n int) bool { return n >= 2 }), true},
		{"except", func(t testing.TB, from Source, m Memory) Source {
			return Except(from, Rows(sevens()), oneColumn, false, m)
		}, first(func(n int) bool { return n < 2 }), true},
		{"except all", func(t testing.TB, from Source, m Memory) Source {
			return Except(from, Rows(sevens()), oneColumn, true, m)
		}, func(rows [][]expr.Value) (out [][]expr.Value) {
			for i, r := range rows {
				if number(r[0]) < 2 || i >= 7 {
					out = append(out, r)
				}
			}
			return out
		}, true},
		{"right side of except", func(t testing.TB, from Source, m Memory) Source {
			return Except(Rows(sevens()), from, oneColumn, false, m)
		}, func(rows [][]expr.Value) (out [][]expr.Value) {
			for _, r := range sevens() {
				if number(r[0]) > 6 || len(rows) <= number(r[0]) {
					out = append(out, r)
				}
			}
			return out
		}, true},
		{"distinct of many", func(t testing.TB, from Source, m Memory) Source {
			return Distinct(from, []expr.Type{bigint, bigint}, m)
		}, func(rows [][]expr.Value) [][]expr.Value { return rows }, true},
		{"intersect with many", func(t testing.TB, from Source, m Memory) Source {
			return Intersect(Rows([][]expr.Value{row(3, 500), row(0, 0), row(6, 500), row(0, 0), row(0, 7)}), from, []expr.Type{bigint, bigint}, false, m)
		}, func(rows [][]expr.Value) (out [][]expr.Value) {
			switch {
			case len(rows) > 500:
				out = [][]expr.Value{row(3, 500), row(0, 0), row(0, 7)}
			case len(rows) > 0:
				out = [][]expr.Value{row(0, 0)}
			}
			return out
		}, true},
		{"limit of each", func(t testing.TB, from Source, m Memory) Source {
			return LimitEach(Sort(from, byAB[:1], 0, m), 2, 3)
		}, func(rows [][]expr.Value) (out [][]expr.Value) {
			n := map[int]int{}
			for _, r := range sortedByAB(rows) {
				if n[number(r[0])]++; n[number(r[0])] > 2 && n[number(r[0])] <= 5 {
					out = append(out, r)
				}
			}
			return out
		}, true},
		{"shared", func(t testing.TB, from Source, m Memory) Source {
			s := NewShared(from, m)
			return With(Concat(s.Source(), Limit(s.Source(), 0, 5), s.Source()), s)
		}, func(rows [][]expr.Value) (out [][]expr.Value) {
			return append(append(append(out, rows...), rows[:min(5, len(rows))]...), rows...)
		}, true},
		{"recursion", func(t testing.TB, from Source, m Memory) Source {
			return Recursive(from, stepDown, oneColumn, true, 10, m)
		}, func(rows [][]expr.Value) [][]expr.Value { return rows[:min(7, len(rows))] }, true},
	}
}

// stepDown makes (a - 1) of (a), until 0.
func stepDown(_ context.Context, rows [][]expr.Value) (Source, error) {
	var out [][]expr.Value
	for _, r := range rows {
		if n := number(r[0]); n > 0 {
			out = append(out, row(n-1, -1, nil))
		}
	}
	return Rows(out), nil
}

// Set operations over small random relations, with NULLs and equal rows, yield what counting does.
func TestSetsAgainstCounting(t *testing.T) {
	types := []expr.Type{bigint, bigint, text}
	folded := func(r []expr.Value) string { // equal for equal rows
		return strings.ToLower(strings.TrimRight(show([][]expr.Value{r}), " "))
	}
	random := rand.New(rand.NewPCG(3, 4))
	for round := range 300 {
		left, right := relation(random), relation(random)
		count := map[string]int{}
		for _, r := range right {
			count[folded(r)]++
		}
		var common, commonAll, less, lessAll [][]expr.Value
		before := map[string]int{}
		for _, r := range left {
			k := folded(r)
			n := before[k]
			before[k]++
			if n < count[k] {
				commonAll = append(commonAll, r)
			} else {
				lessAll = append(lessAll, r)
			}
			if n == 0 && count[k] > 0 {
				common = append(common, r)
			}
			if n == 0 && count[k] == 0 {
				less = append(less, r)
			}
		}
		m := &meter{}
		for name, c := range map[string]struct {
			from Source
			want [][]expr.Value
		}{
			"INTERSECT":     {Intersect(Rows(left), Rows(right), types, false, m), common},
			"INTERSECT ALL": {Intersect(Rows(left), Rows(right), types, true, m), commonAll},
			"EXCEPT":        {Except(Rows(left), Rows(right), types, false, m), less},
			"EXCEPT ALL":    {Except(Rows(left), Rows(right), types, true, m), lessAll},
		} {
			if got, want := show(read(t, c.from)), show(c.want); got != want {
				t.Fatalf("round %d, %s:\nleft  %s\nright %s\ngot   %s\nwant  %s", round, name, show(left), show(right), got, want)
			}
			c.from.Close()
		}
		if m.held != 0 {
			t.Fatalf("%d bytes are held after Close", m.held)
		}
	}
}

// A set operation compares by collation and by number, and long values by their digests.
func TestSetsCompareAsTheTypes(t *testing.T) {
	long := string(make([]byte, 1000))
	left := [][]expr.Value{row("A ", 1), row(long, 2), row(nil, 3), row("b", 4)}
	right := [][]expr.Value{row("a", 9), row(long, 9), row(nil, 9)}
	if got := show(read(t, Except(Rows(left), Rows(right), []expr.Type{text}, false, nil))); got != "b 4" {
		t.Error(got)
	}
}

// An empty left side spares the rounds of the right, and Concat reads a source only after those before it.
func TestSetsReadOnlyWhatTheyNeed(t *testing.T) {
	left, right := numbered(0, 1), numbered(10, 1)
	s := Except(left, right, oneColumn, true, nil)
	if n, err := drain(s, context.Background()); n != 0 || err != nil || right.asked != 0 {
		t.Errorf("%d rows, %v, the right was asked %d times", n, err, right.asked)
	}
	s.Close()
	first, second := numbered(10, 10), numbered(10, 10)
	c := Limit(Concat(first, second), 0, 10)
	if n, err := drain(c, context.Background()); n != 10 || err != nil || second.asked != 0 {
		t.Errorf("%d rows, %v, the second was asked %d times", n, err, second.asked)
	}
	c.Close()
	if left.closed != 1 || right.closed != 1 || first.closed != 1 || second.closed != 1 {
		t.Error("not each source was closed once")
	}
}

// NULL is one value of LimitEach, and an empty text another.
func TestLimitEachOfNull(t *testing.T) {
	rows := [][]expr.Value{row(nil, 1), row(nil, 2), row("", 3), row("", 4), row("x", 5), row("x", 6)}
	if got := show(read(t, LimitEach(Rows(rows), 1, 1))); got != "NULL 2;  4; x 6" {
		t.Error(got)
	}
	if got := show(read(t, LimitEach(Rows(rows), 0, 0))); got != "" {
		t.Error(got)
	}
}

// Readers of shared rows may be at different rows; the source is read once, as far as the foremost needs it.
func TestSharedIsReadOnce(t *testing.T) {
	m, source := &meter{}, numbered(3000, 1000)
	s := NewShared(source, m)
	ctx := context.Background()
	a, b := s.Source(), s.Source()
	var got [2]int
	for range 2 { // the first reader is ahead
		rows, err := a.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		got[0] += len(rows)
	}
	rows, err := b.Next(ctx)
	if err != nil || number(rows[0][1]) != 0 || source.asked != 3 { // one batch is empty
		t.Errorf("%v, row %v, asked %d times", err, rows[0], source.asked)
	}
	got[1] = len(rows)
	for i, r := range []Source{b, a} {
		n, err := drain(r, ctx)
		if n += got[1-i]; err != nil || n != 3000 {
			t.Errorf("%d rows, %v", n, err)
		}
		r.Close()
	}
	if source.closed != 0 || m.held == 0 {
		t.Error("the source was closed with its readers")
	}
	s.Close()
	if err := closedWell(m, source); err != nil {
		t.Error(err)
	}
}

// The error of a shared source is that of each of its readers.
func TestSharedFailsForAll(t *testing.T) {
	source := numbered(100, 10)
	source.fail = 4
	s := NewShared(source, nil)
	for range 2 {
		if n, err := drain(s.Source(), context.Background()); n != 20 || !errors.Is(err, errFake) {
			t.Errorf("%d rows, %v", n, err)
		}
	}
	if source.asked != 4 {
		t.Errorf("asked %d times", source.asked)
	}
}

// A recursion yields each round's rows after those of the round before, and ends with the first round that has none.
func TestRecursion(t *testing.T) {
	base := [][]expr.Value{row(3), row(1), row(3)}
	for _, c := range []struct {
		distinct bool
		want     string
	}{{false, "3; 1; 3; 2; 0; 2; 1; 1; 0; 0"}, {true, "3; 1; 2; 0"}} {
		m := &meter{}
		r := Recursive(Rows(base), stepDown, oneColumn, c.distinct, 10, m)
		got := read(t, r)
		for i := range got {
			got[i] = got[i][:1]
		}
		if show(got) != c.want {
			t.Errorf("distinct %v: %s", c.distinct, show(got))
		}
		r.Close()
		if m.held != 0 {
			t.Errorf("%d bytes are held after Close", m.held)
		}
	}
}

// The bound of rounds is that of @@cte_max_recursion_depth: so many steps may be taken, and one more over rows is an error.
func TestRecursionIsBounded(t *testing.T) {
	for _, c := range []struct {
		from, most int
		fails      bool
	}{{0, 1, false}, {0, 0, true}, {3, 4, false}, {3, 3, true}} {
		r := Recursive(Rows([][]expr.Value{row(c.from)}), stepDown, nil, false, c.most, nil)
		n, err := drain(r, context.Background())
		var e *expr.Error
		if failed := errors.As(err, &e) && e.Code == 3636; failed != c.fails || !c.fails && n != c.from+1 {
			t.Errorf("from %d in %d rounds: %d rows, %v", c.from, c.most, n, err)
		}
		if _, again := r.Next(context.Background()); again != err {
			t.Errorf("then %v", again)
		}
		r.Close()
	}
	_, err := drain(Recursive(Rows([][]expr.Value{row(9)}), stepDown, nil, false, 3, nil), context.Background())
	want := "Recursive query aborted after 4 iterations. Try increasing @@cte_max_recursion_depth to a larger value."
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
}

// The memory of a recursion without DISTINCT is that of two rounds, and each round's source is closed before the next step.
func TestRecursionHoldsTwoRounds(t *testing.T) {
	m := &meter{}
	var last *fake
	steps := 0
	step := func(_ context.Context, rows [][]expr.Value) (Source, error) {
		if last != nil && last.closed != 1 {
			t.Fatalf("step %d begins before the source of the last one is closed", steps)
		}
		if steps++; steps == 200 {
			return nil, errFake
		}
		last = &fake{batches: [][][]expr.Value{{row(strconv.Itoa(steps))}}}
		return last, nil
	}
	r := Recursive(Rows([][]expr.Value{row("0")}), step, nil, false, 1000, m)
	n, err := drain(r, context.Background())
	if n != 200 || !errors.Is(err, errFake) {
		t.Errorf("%d rows, %v", n, err)
	}
	if most := 3 * sizeOf(row("100")); m.peak > most {
		t.Errorf("%d bytes, more than %d", m.peak, most)
	}
	r.Close()
	if m.held != 0 || last.closed != 1 {
		t.Errorf("%d bytes are held after Close; closed %d times", m.held, last.closed)
	}
}
