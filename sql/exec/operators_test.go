package exec

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/expr"
)

// fake is a source of batches that counts how it is used.
type fake struct {
	batches [][][]expr.Value
	fail    int    // the number of the Next, from 1, that fails; 0: none
	hook    func() // called by each Next
	asked   int
	closed  int
	last    [][]expr.Value
}

var errFake = errors.New("the source failed")

func (f *fake) Next(context.Context) ([][]expr.Value, error) {
	clear(f.last) // the slice is the source's again: an operator that keeps it reads rubbish
	f.asked++
	if f.hook != nil {
		f.hook()
	}
	if f.asked == f.fail {
		return nil, errFake
	}
	if len(f.batches) == 0 {
		return nil, nil
	}
	f.last = slices.Clone(f.batches[0])
	f.batches = f.batches[1:]
	return f.last, nil
}

func (f *fake) Close() { f.closed++ }

// numbered are rows (i % 7, i, text of i % 5), in batches of the size; some batches are empty, the first one too.
func numbered(n, size int) *fake {
	f := &fake{}
	var batch [][]expr.Value
	flush := func() {
		if len(f.batches)%3 == 0 {
			f.batches = append(f.batches, [][]expr.Value{})
		}
		if len(batch) > 0 {
			f.batches = append(f.batches, batch)
		}
		batch = nil
	}
	for i := range n {
		r := row(i%7, i, string(rune('a'+i%5)))
		if i%11 == 0 {
			r[2] = expr.Null
		}
		if batch = append(batch, r); len(batch) == size {
			flush()
		}
	}
	flush()
	return f
}

var numberedColumns = testTable{names: []string{"a", "b", "c"}, types: []expr.Type{bigint, bigint, text}}

// program compiles expressions over numbered.
func program(t testing.TB, list ...string) *expr.Program {
	t.Helper()
	return programOver(t, numberedColumns, list...)
}

func programOver(t testing.TB, table testTable, list ...string) *expr.Program {
	t.Helper()
	var trees []sqlparser.Expr
	for _, s := range list {
		e, err := expr.Environment().Parser().ParseExpr(s)
		if err != nil {
			t.Fatal(err)
		}
		trees = append(trees, e)
	}
	p, err := expr.Compile(session(), table.columns(), trees...)
	if err != nil {
		t.Fatal(err)
	}
	p.Begin(session())
	return p
}

var counted = []Aggregate{
	{Kind: CountRows}, {Kind: Sum, Args: []int{1}, Types: []expr.Type{bigint}}, {Kind: Max, Args: []int{2}, Types: []expr.Type{text}},
	{Kind: Count, Distinct: true, Args: []int{1}, Types: []expr.Type{bigint}},
	{Kind: GroupConcat, Args: []int{1}, Types: []expr.Type{bigint}, Order: []Key{{At: 1, Type: bigint}}, Separator: ","},
	{Kind: JSONArray, Args: []int{1}, Types: []expr.Type{bigint}}, {Kind: JSONObject, Args: []int{2, 1}, Types: []expr.Type{text, bigint}},
}

// operator is an operator under test with its reference: what it must make of rows.
type operator struct {
	name  string
	make  func(t testing.TB, from Source, m Memory) Source
	want  func(rows [][]expr.Value) [][]expr.Value // nil: not compared
	holds bool                                     // memory that grows with its rows
}

var byAB = []Key{{At: 0, Type: bigint, Descending: true}, {At: 1, Type: bigint}}

func sortedByAB(rows [][]expr.Value) [][]expr.Value {
	out := slices.Clone(rows)
	slices.SortStableFunc(out, func(x, y []expr.Value) int { return number(y[0]) - number(x[0]) })
	return out
}

func number(v expr.Value) int {
	n, _ := v.ToInt64()
	return int(n)
}

func operators() []operator {
	return append(slices.Concat(joinOperators(), mergeOperators(), setOperators(), windowOperators()), []operator{
		{"filter", func(t testing.TB, from Source, m Memory) Source {
			return Filter(from, program(t, "b % 2 = 1 AND a <> 3"))
		},
			func(rows [][]expr.Value) (out [][]expr.Value) {
				for _, r := range rows {
					if number(r[1])%2 == 1 && number(r[0]) != 3 {
						out = append(out, r)
					}
				}
				return out
			}, false},
		{"filter that keeps nothing", func(t testing.TB, from Source, m Memory) Source { return Filter(from, program(t, "NULL")) },
			func([][]expr.Value) [][]expr.Value { return nil }, false},
		{"project", func(t testing.TB, from Source, m Memory) Source { return Project(from, program(t, "b + 1", "c", "5")) },
			func(rows [][]expr.Value) (out [][]expr.Value) {
				for _, r := range rows {
					out = append(out, row(number(r[1])+1, r[2], 5))
				}
				return out
			}, false},
		{"limit", func(t testing.TB, from Source, m Memory) Source { return Limit(from, 3, 1020) },
			func(rows [][]expr.Value) [][]expr.Value { return rows[min(3, len(rows)):min(1023, len(rows))] }, false},
		{"distinct", func(t testing.TB, from Source, m Memory) Source { return Distinct(from, []expr.Type{bigint}, m) },
			func(rows [][]expr.Value) [][]expr.Value { return rows[:min(7, len(rows))] }, true},
		{"sort", func(t testing.TB, from Source, m Memory) Source { return Sort(from, byAB, 0, m) }, sortedByAB, true},
		{"sort of different rows", func(t testing.TB, from Source, m Memory) Source { return SortDistinct(from, byAB, m) }, sortedByAB, true},
		{"sort of groups", func(t testing.TB, from Source, m Memory) Source { return SortDistinct(from, byAB[:1], m) },
			func(rows [][]expr.Value) [][]expr.Value {
				return slices.CompactFunc(sortedByAB(rows), func(x, y []expr.Value) bool { return number(x[0]) == number(y[0]) })
			}, true},
		{"stable sort", func(t testing.TB, from Source, m Memory) Source { return Sort(from, byAB[:1], 0, m) }, sortedByAB, true},
		{"top", func(t testing.TB, from Source, m Memory) Source { return Sort(from, byAB[:1], 100, m) },
			func(rows [][]expr.Value) [][]expr.Value { return sortedByAB(rows)[:min(100, len(rows))] }, true},
		{"top of few", func(t testing.TB, from Source, m Memory) Source { return Sort(from, byAB, 5000, m) }, sortedByAB, true},
		{"group", func(t testing.TB, from Source, m Memory) Source {
			return Group(session(), from, []Key{{At: 1, Type: bigint}}, counted[:2], false, m)
		}, func(rows [][]expr.Value) (out [][]expr.Value) {
			for _, r := range rows {
				out = append(out, row(r[1], 1, number(r[1]), 0))
			}
			return out
		}, true},
		{"one group", func(t testing.TB, from Source, m Memory) Source {
			return Group(session(), from, nil, counted[:2], true, m)
		},
			func(rows [][]expr.Value) [][]expr.Value {
				if len(rows) == 0 {
					return [][]expr.Value{row(0, nil, 0)}
				}
				return [][]expr.Value{row(len(rows), len(rows)*(len(rows)-1)/2, 0)}
			}, true},
		{"rollup", func(t testing.TB, from Source, m Memory) Source {
			return Group(session(), from, []Key{{At: 0, Type: bigint}, {At: 1, Type: bigint}}, counted[:2], true, m)
		}, rolledUp, true},
		{"all aggregates", func(t testing.TB, from Source, m Memory) Source {
			return Group(session(), Filter(from, program(t, "c IS NOT NULL")), []Key{{At: 2, Type: text}}, counted, true, m)
		}, nil, true},
		{"values of the first rows", func(t testing.TB, from Source, m Memory) Source {
			return Group(session(), from, []Key{{At: 0, Type: bigint}}, []Aggregate{{Kind: AnyValue, Args: []int{1}, Types: []expr.Type{bigint}}}, false, m)
		}, func(rows [][]expr.Value) (out [][]expr.Value) {
			for _, r := range rows[:min(7, len(rows))] {
				out = append(out, row(r[0], r[1], 0))
			}
			return out
		}, true},
	}...)
}

func rolledUp(rows [][]expr.Value) (out [][]expr.Value) {
	count, sum := 0, 0
	for a := range 7 {
		n, s := 0, 0
		for _, r := range rows {
			if number(r[0]) == a {
				n, s = n+1, s+number(r[1])
				out = append(out, row(a, r[1], 1, r[1], 0))
			}
		}
		if n > 0 {
			out = append(out, row(a, nil, n, s, 1))
		}
		count, sum = count+n, sum+s
	}
	if count > 0 {
		out = append(out, row(nil, nil, count, sum, 2))
	}
	return out
}

// Operators must not depend on how rows are divided into batches, and their own batches must have 1 to 1,024 rows.
func TestOperatorsOverBatches(t *testing.T) {
	for _, op := range operators() {
		for _, n := range []int{0, 1, 1023, 1024, 1025, 3000} {
			for _, size := range []int{1, 2, 1000, 1024} {
				m := &meter{}
				source := numbered(n, size)
				var rows [][]expr.Value
				for _, b := range source.batches {
					rows = append(rows, b...)
				}
				got, err := readBatches(op.make(t, source, m), m, source)
				if err != nil {
					t.Fatalf("%s of %d rows in batches of %d: %v", op.name, n, size, err)
				}
				if op.want == nil {
					continue
				}
				if g, w := show(got), show(op.want(rows)); g != w {
					t.Fatalf("%s of %d rows in batches of %d:\n got  %.300s\n want %.300s", op.name, n, size, g, w)
				}
				if op.holds && n > 1 && m.peak == 0 {
					t.Errorf("%s of %d rows charged no memory", op.name, n)
				}
			}
		}
	}
}

// readBatches reads a source to its end, closes it, and checks the rules of sources.
func readBatches(s Source, m *meter, source *fake) (out [][]expr.Value, err error) {
	ctx := context.Background()
	for {
		rows, err := s.Next(ctx)
		if err != nil {
			return nil, err
		}
		if rows == nil {
			break
		}
		if len(rows) == 0 || len(rows) > BatchMax {
			return nil, fmt.Errorf("a batch of %d rows", len(rows))
		}
		out = append(out, rows...)
	}
	asked := source.asked
	if rows, err := s.Next(ctx); rows != nil || err != nil {
		return nil, fmt.Errorf("after the end: %d rows, %v", len(rows), err)
	}
	if source.asked != asked {
		return nil, errors.New("the source is asked again after the end")
	}
	s.Close()
	return out, closedWell(m, source)
}

func closedWell(m *meter, source *fake) error {
	if source.closed != 1 {
		return fmt.Errorf("the source was closed %d times", source.closed)
	}
	if m.held != 0 {
		return fmt.Errorf("%d bytes are held after Close", m.held)
	}
	return nil
}

// An error of the source, at whichever batch, is the operator's: it is repeated, the source is not asked again, and
// nothing is held after Close.
func TestErrorsOfTheSource(t *testing.T) {
	for _, op := range operators() {
		for at := 1; at <= 8; at++ {
			m, source := &meter{}, numbered(1025, 300)
			source.fail = at
			s := op.make(t, source, m)
			_, err := drain(s, context.Background())
			reached := source.asked >= at
			if reached != errors.Is(err, errFake) {
				t.Errorf("%s, failing at %d: %v", op.name, at, err)
			}
			asked := source.asked
			if _, again := s.Next(context.Background()); reached && (!errors.Is(again, errFake) || source.asked != asked) {
				t.Errorf("%s, failing at %d: then %v, asked %d times more", op.name, at, again, source.asked-asked)
			}
			s.Close()
			if err := closedWell(m, source); err != nil {
				t.Errorf("%s, failing at %d: %v", op.name, at, err)
			}
		}
	}
}

func drain(s Source, ctx context.Context) (n int, err error) {
	for {
		rows, err := s.Next(ctx)
		if err != nil || rows == nil {
			return n, err
		}
		n += len(rows)
	}
}

// A cancelled statement ends at the next batch, with the cause as its error.
func TestCancellation(t *testing.T) {
	cause := errors.New("the client has gone")
	for _, op := range operators() {
		for at := 1; at <= 6; at++ {
			m, source := &meter{}, numbered(3000, 300)
			ctx, cancel := context.WithCancelCause(context.Background())
			source.hook = func() {
				if source.asked == at {
					cancel(cause)
				}
			}
			s := op.make(t, source, m)
			_, err := drain(s, ctx)
			if source.asked >= at && !errors.Is(err, cause) && op.name != "limit" { // which has enough at its sixth
				t.Errorf("%s, cancelled at %d: %v", op.name, at, err)
			}
			if source.asked > at {
				t.Errorf("%s, cancelled at %d: the source was asked %d times", op.name, at, source.asked)
			}
			cancel(nil)
			s.Close()
			if err := closedWell(m, source); err != nil {
				t.Errorf("%s, cancelled at %d: %v", op.name, at, err)
			}
		}
	}
}

// An operator that holds rows fails with the error of its Memory at each bound that is too small, and holds nothing after
// Close.
func TestBoundOfMemory(t *testing.T) {
	for _, op := range operators() {
		m, source := &meter{}, numbered(1025, 300)
		s := op.make(t, source, m)
		if _, err := drain(s, context.Background()); err != nil {
			t.Fatal(err)
		}
		s.Close()
		if peak := m.peak; op.holds {
			for _, share := range []int64{1, 3, 7} {
				m, source := &meter{most: max(peak*share/8, 1)}, numbered(1025, 300)
				s := op.make(t, source, m)
				if _, err := drain(s, context.Background()); !errors.Is(err, errMemory) {
					t.Errorf("%s in %d of %d bytes: %v", op.name, m.most, peak, err)
				}
				s.Close()
				if err := closedWell(m, source); err != nil {
					t.Errorf("%s in %d of %d bytes: %v", op.name, m.most, peak, err)
				}
			}
		}
	}
}

// Close before the first row and in the middle of the output frees all.
func TestCloseInTheMiddle(t *testing.T) {
	for _, op := range operators() {
		for batches := range 2 {
			m, source := &meter{}, numbered(3000, 300)
			s := op.make(t, source, m)
			for range batches {
				if _, err := s.Next(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
			s.Close()
			if err := closedWell(m, source); err != nil {
				t.Errorf("%s after %d batches: %v", op.name, batches, err)
			}
		}
	}
}

// LIMIT must not read what it does not need: a scan below it is a round trip.
func TestLimitStopsAsking(t *testing.T) {
	for _, c := range []struct{ offset, count, asked uint64 }{{0, 0, 0}, {0, 1, 2}, {0, 10, 2}, {0, 11, 3}, {9, 1, 2}, {10, 1, 3}, {0, 30, 5}} {
		source := numbered(100, 10) // empty, 10, 10, empty, 10, ...
		n, err := drain(Limit(source, c.offset, c.count), context.Background())
		if err != nil || uint64(n) != c.count || uint64(source.asked) != c.asked {
			t.Errorf("offset %d, count %d: %d rows, %v, the source was asked %d times instead of %d", c.offset, c.count, n, err, source.asked, c.asked)
		}
	}
	source := numbered(100, 10)
	if n, err := drain(Limit(source, 1<<63, 1<<63), context.Background()); n != 0 || err != nil {
		t.Error(n, err)
	}
}

// The first rows of many take memory for themselves only.
func TestTopHoldsOnlyTheFirst(t *testing.T) {
	m := &meter{}
	s := Sort(numbered(100_000, 1024), []Key{{At: 1, Type: bigint, Descending: true}}, 3, m) // each row is a first one
	rows := read(t, s)
	if got, want := show(rows), "4 99999 e; 3 99998 d; 2 99997 c"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if m.peak > 2000 {
		t.Errorf("%d bytes for 3 rows", m.peak)
	}
	s.Close()
}

// Sorts of more than one run merge them, equal rows in the order of the input.
func TestSortOfManyRuns(t *testing.T) {
	s := Sort(numbered(3*runMax+17, 1024), []Key{{At: 0, Type: bigint}}, 0, nil)
	last := row(-1, -1)
	n := 0
	for _, r := range read(t, s) {
		if a, b := number(last[0]), number(r[0]); a > b || a == b && number(last[1]) >= number(r[1]) {
			t.Fatalf("%s follows %s", show([][]expr.Value{r}), show([][]expr.Value{last}))
		}
		last = r
		n++
	}
	if n != 3*runMax+17 {
		t.Errorf("%d rows", n)
	}
}

// A rollup frees what a group held when the group ends: beside its sort it holds no more than one group of each level.
func TestRollupHoldsOneGroupALevel(t *testing.T) {
	keys := []Key{{At: 0, Type: bigint}, {At: 1, Type: bigint}}
	aggregates := []Aggregate{{Kind: Count, Distinct: true, Args: []int{2}, Types: []expr.Type{text}}, {Kind: Max, Args: []int{2}, Types: []expr.Type{text}}}
	sorted, all := &meter{}, &meter{}
	s := Sort(numbered(20_000, 1024), keys, 0, sorted)
	read(t, s)
	s.Close()
	g := Group(session(), numbered(20_000, 1024), keys, aggregates, true, all)
	if n := len(read(t, g)); n != 20_008 {
		t.Errorf("%d rows", n)
	}
	g.Close()
	if more := all.peak - sorted.peak; more > chargeFrom {
		t.Errorf("%d bytes beside the sort's %d", more, sorted.peak)
	}
}

// Groups must not keep the batches alive that their first rows came from: their memory is not counted.
func TestGroupsCopyTheirKeys(t *testing.T) {
	rows := [][]expr.Value{row("key", "value")}
	arg := []expr.Type{text}
	g := Group(session(), Rows(rows), []Key{{At: 0, Type: text}}, []Aggregate{{Kind: Max, Args: []int{1}, Types: arg}, {Kind: AnyValue, Args: []int{1}, Types: arg}}, false, nil)
	out := read(t, g)[0]
	for i, in := range []int{0, 1, 1} {
		if &out[i].Raw()[0] == &rows[0][in].Raw()[0] {
			t.Errorf("column %d shares its bytes with the input", i)
		}
	}
}

// A source whose batches have more than BatchMax rows is read like others.
func TestBatchesBeyondTheMost(t *testing.T) {
	for _, op := range operators() {
		want := op.make(t, numbered(5000, 1000), nil)
		m, source := &meter{}, numbered(5000, 2500)
		got := op.make(t, source, m)
		if g, w := show(read(t, got)), show(read(t, want)); g != w {
			t.Errorf("%s:\n got  %.300s\n want %.300s", op.name, g, w)
		}
		got.Close()
		if err := closedWell(m, source); err != nil {
			t.Errorf("%s: %v", op.name, err)
		}
	}
}
