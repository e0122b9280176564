package exec

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/expr"
)

var (
	wholePartition = Frame{Unit: ByRows, From: Bound{Kind: UnboundedPreceding}, To: Bound{Kind: UnboundedFollowing}}
	upToRow        = Frame{Unit: ByRows, From: Bound{Kind: UnboundedPreceding}, To: Bound{Kind: CurrentRow}}
	upToPeers      = Frame{Unit: ByRange, From: Bound{Kind: UnboundedPreceding}, To: Bound{Kind: CurrentRow}}
)

func aggregateOver(frame Frame, kind Kind, at int, t expr.Type) WindowFunction {
	return WindowFunction{Kind: OfAggregate, Aggregate: Aggregate{Kind: kind, Args: []int{at}, Types: []expr.Type{t}}, Frame: frame}
}

// windowOperators are windows over the source.
func windowOperators() []operator {
	rowNumber := WindowFunction{Kind: RowNumber}
	sum := aggregateOver(upToRow, Sum, 1, bigint)
	return []operator{
		{"window of the rows so far", func(t testing.TB, from Source, m Memory) Source {
			return Windowed(session(), from, Window{Functions: []WindowFunction{rowNumber, sum}}, m)
		}, func(rows [][]expr.Value) (out [][]expr.Value) {
			for i, r := range rows {
				out = append(out, beside(r, row(i+1, i*(i+1)/2)))
			}
			return out
		}, true},
		{"window of all rows", func(t testing.TB, from Source, m Memory) Source {
			lead := WindowFunction{Kind: Lead, Args: []int{1}, Types: oneColumn}
			return Windowed(session(), from, Window{Functions: []WindowFunction{lead, aggregateOver(wholePartition, Count, 1, bigint)}}, m)
		}, func(rows [][]expr.Value) (out [][]expr.Value) {
			for i, r := range rows {
				next := row(i+1, len(rows))
				if i == len(rows)-1 {
					next[0] = expr.Null
				}
				out = append(out, beside(r, next))
			}
			return out
		}, true},
		{"window of partitions", func(t testing.TB, from Source, m Memory) Source {
			w := Window{Partition: byAB[:1], Order: byAB[1:], Functions: []WindowFunction{{Kind: Rank}, aggregateOver(upToPeers, Max, 1, bigint)}}
			return Windowed(session(), Sort(from, byAB, 0, m), w, m)
		}, func(rows [][]expr.Value) (out [][]expr.Value) {
			for _, r := range sortedByAB(rows) {
				out = append(out, beside(r, row(number(r[1])/7+1, r[1])))
			}
			return out
		}, true},
		{"window of many partitions", func(t testing.TB, from Source, m Memory) Source {
			return Windowed(session(), from, Window{Partition: byAB[:1], Functions: []WindowFunction{{Kind: CumeDist}}}, m)
		}, func(rows [][]expr.Value) (out [][]expr.Value) {
			for _, r := range rows {
				out = append(out, beside(r, row(1)))
			}
			return out
		}, true},
	}
}

// The functions of a place among rows, over one partition with peers.
func TestWindowFunctionsOfPlace(t *testing.T) {
	rows := [][]expr.Value{row(nil), row(1), row(1), row(2), row(3), row(3), row(3)}
	for i := range rows {
		rows[i] = append(rows[i], row(3, 2, -1)...)
	}
	order := []Key{{At: 0, Type: bigint}}
	for name, c := range map[string]struct {
		f    WindowFunction
		want string
	}{
		"ROW_NUMBER":       {WindowFunction{Kind: RowNumber}, "1 2 3 4 5 6 7"},
		"RANK":             {WindowFunction{Kind: Rank}, "1 2 2 4 5 5 5"},
		"DENSE_RANK":       {WindowFunction{Kind: DenseRank}, "1 2 2 3 4 4 4"},
		"PERCENT_RANK":     {WindowFunction{Kind: PercentRank}, "0 0.16666666666666666 0.16666666666666666 0.5 0.6666666666666666 0.6666666666666666 0.6666666666666666"},
		"CUME_DIST":        {WindowFunction{Kind: CumeDist}, "0.14285714285714285 0.42857142857142855 0.42857142857142855 0.5714285714285714 1 1 1"},
		"NTILE(3)":         {WindowFunction{Kind: Ntile, Args: []int{1}}, "1 1 1 2 2 3 3"},
		"LAG":              {WindowFunction{Kind: Lag, Args: []int{0}}, "NULL NULL 1 1 2 3 3"},
		"LAG(v, 2, -1)":    {WindowFunction{Kind: Lag, Args: []int{0, 2, 3}}, "-1 -1 NULL 1 1 2 3"},
		"LEAD(v, 2)":       {WindowFunction{Kind: Lead, Args: []int{0, 2, -1}}, "1 2 3 3 3 NULL NULL"},
		"LEAD(v, DEFAULT)": {WindowFunction{Kind: Lead, Args: []int{0, -1, 3}}, "1 1 2 3 3 3 -1"},
		"FIRST_VALUE":      {WindowFunction{Kind: FirstValue, Args: []int{0}, Frame: upToRow}, "NULL NULL NULL NULL NULL NULL NULL"},
		"LAST_VALUE":       {WindowFunction{Kind: LastValue, Args: []int{0}, Frame: wholePartition}, "3 3 3 3 3 3 3"},
		"NTH_VALUE(v, 3)":  {WindowFunction{Kind: NthValue, Args: []int{0, 1}, Frame: upToPeers}, "NULL 1 1 1 1 1 1"},
	} {
		got := ""
		for i, r := range read(t, Windowed(session(), Rows(rows), Window{Order: order, Functions: []WindowFunction{c.f}}, nil)) {
			if i > 0 {
				got += " "
			}
			got += show([][]expr.Value{r[4:]})
		}
		if got != c.want {
			t.Errorf("%s: %s, expected %s", name, got, c.want)
		}
	}
}

// More buckets than rows: each row has its own.
func TestNtileOfFewRows(t *testing.T) {
	w := Window{Functions: []WindowFunction{{Kind: Ntile, Args: []int{0}}}}
	if got := show(read(t, Windowed(session(), Rows([][]expr.Value{row(5), row(5)}), w, nil))); got != "5 1; 5 2" {
		t.Error(got)
	}
}

// Numbers that are not ones of rows are MySQL's errors, with the window's name where it has one.
func TestErrorsOfWindows(t *testing.T) {
	bound := func(kind BoundKind) Frame { return Frame{From: Bound{Kind: kind}, To: Bound{Kind: CurrentRow}} }
	half := sqltypes.MakeTrusted(sqltypes.Decimal, []byte("0.5"))
	for _, c := range []struct {
		f    WindowFunction
		n    expr.Value
		want string
	}{
		{aggregateOver(bound(Preceding), Count, 0, bigint), expr.Int(-1), "Window 'w': frame start or end is negative, NULL or of non-integral type"},
		{aggregateOver(bound(Preceding), Max, 0, bigint), expr.Null, "Window 'w': frame start or end is negative, NULL or of non-integral type"},
		{aggregateOver(bound(Preceding), Count, 0, bigint), half, "Window 'w': frame start or end is negative, NULL or of non-integral type"},
		{WindowFunction{Kind: Ntile, Args: []int{0}}, expr.Int(0), "Incorrect arguments to ntile"},
		{WindowFunction{Kind: Ntile, Args: []int{0}}, expr.Null, "Incorrect arguments to ntile"},
		{WindowFunction{Kind: Lag, Args: []int{0, 0}}, expr.Int(-1), "Incorrect arguments to lag"},
		{WindowFunction{Kind: Lead, Args: []int{0, 0}}, expr.Null, "Incorrect arguments to lead"},
		{WindowFunction{Kind: NthValue, Args: []int{0, 0}, Frame: upToRow}, expr.Int(0), "Incorrect arguments to nth_value"},
	} {
		s := Windowed(session(), Rows([][]expr.Value{row(c.n)}), Window{Name: "w", Functions: []WindowFunction{c.f}}, nil)
		_, err := readAll(s)
		var e *expr.Error
		if !errors.As(err, &e) || e.Message != c.want {
			t.Errorf("%v: %v, expected %s", c.n, err, c.want)
		}
		if _, again := s.Next(context.Background()); again != err {
			t.Errorf("then %v", again)
		}
	}
	f := aggregateOver(bound(Preceding), Count, 0, bigint)
	_, err := readAll(Windowed(session(), Rows([][]expr.Value{row(-1)}), Window{Functions: []WindowFunction{f}}, nil))
	var e *expr.Error
	if !errors.As(err, &e) || e.Code != 3586 || e.Message != "Window '<unnamed window>': frame start or end is negative, NULL or of non-integral type" {
		t.Error(err)
	}
}

func TestTypesOfWindowFunctions(t *testing.T) {
	for kind, want := range map[WindowKind]string{
		RowNumber: "UINT64 false", Rank: "UINT64 false", DenseRank: "UINT64 false", Ntile: "UINT64 true", PercentRank: "FLOAT64 false", CumeDist: "FLOAT64 false",
		Lag: "INT32 true", Lead: "INT32 true", FirstValue: "INT32 true", LastValue: "INT32 true", NthValue: "INT32 true", OfAggregate: "DECIMAL true",
	} {
		arg := []expr.Type{typeOf(sqltypes.Int32, false, 0, 0)}
		f := WindowFunction{Kind: kind, Types: arg, Aggregate: Aggregate{Kind: Sum, Types: arg}}
		typ := f.Type(session())
		if got := fmt.Sprint(typ.Type(), typ.Nullable()); got != want {
			t.Errorf("function %d: %s, expected %s", kind, got, want)
		}
	}
}

// windowModel computes windows by their definitions, over rows (p, o, v, n, bounds ...).
type windowModel struct {
	rows       [][]expr.Value // of one partition
	descending bool
}

// frame are the rows of a frame for row i, whose RANGE distances are 1 for From and 2 for To.
func (m *windowModel) frame(f Frame, i int) (out [][]expr.Value) {
	for j, r := range m.rows {
		if m.inside(f.Unit, f.From, i, j, 1, false) && m.inside(f.Unit, f.To, i, j, 2, true) {
			out = append(out, r)
		}
	}
	return out
}

// inside reports whether row j is on the inner side of a bound for row i.
func (m *windowModel) inside(unit FrameUnit, b Bound, i, j, distance int, isTo bool) bool {
	if b.Kind == UnboundedPreceding || b.Kind == UnboundedFollowing {
		return true
	}
	at, candidate := i, j
	if unit == ByRange {
		at, candidate = m.place(i), m.place(j)
		if m.rows[i][1].IsNull() {
			distance = 0
		}
	}
	switch b.Kind {
	case Preceding:
		at -= distance
	case Following:
		at += distance
	}
	if isTo {
		return candidate <= at
	}
	return candidate >= at
}

// place is a number for the value of the order in row i: NULL is far from all.
func (m *windowModel) place(i int) int {
	v := m.rows[i][1]
	switch {
	case v.IsNull() && m.descending:
		return 1000
	case v.IsNull():
		return -1000
	case m.descending:
		return -number(v)
	}
	return number(v)
}

func (m *windowModel) peer(i, j int) bool { return m.place(i) == m.place(j) }

func (m *windowModel) value(t *testing.T, f WindowFunction, i int) expr.Value {
	before, below, equal, different := 0, 0, 0, map[int]bool{}
	for j := range m.rows {
		switch {
		case m.peer(i, j):
			equal++
		case j < i:
			before++
			different[m.place(j)] = true
		default:
			below++
		}
	}
	n := len(m.rows)
	switch f.Kind {
	case RowNumber:
		return expr.Uint(uint64(i + 1))
	case Rank:
		return expr.Uint(uint64(before + 1))
	case DenseRank:
		return expr.Uint(uint64(len(different) + 1))
	case PercentRank:
		if n == 1 {
			return expr.Double(0)
		}
		return expr.Double(float64(before) / float64(n-1))
	case CumeDist:
		return expr.Double(float64(before+equal) / float64(n))
	case Ntile: // 2
		if i < (n+1)/2 {
			return expr.Uint(1)
		}
		return expr.Uint(2)
	case Lag, Lead:
		j := i + 2
		if f.Kind == Lag {
			j = i - 2
		}
		if j < 0 || j >= n {
			return m.rows[i][0]
		}
		return m.rows[j][2]
	}
	frame := m.frame(f.Frame, i)
	switch f.Kind {
	case OfAggregate:
		return read(t, Group(session(), Rows(frame), nil, []Aggregate{f.Aggregate}, false, nil))[0][0]
	case FirstValue:
		if len(frame) > 0 {
			return frame[0][2]
		}
	case LastValue:
		if len(frame) > 0 {
			return frame[len(frame)-1][2]
		}
	case NthValue: // 2
		if len(frame) > 1 {
			return frame[1][2]
		}
	}
	return expr.Null
}

// All functions over random partitions, orders and frames are what their definitions give, in memory and from files.
func TestWindowsAgainstTheirDefinitions(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	decimal := typeOf(sqltypes.Decimal, true, 5, 1)
	aggregates := []Aggregate{
		{Kind: CountRows}, {Kind: Count, Args: []int{2}, Types: []expr.Type{decimal}}, {Kind: Sum, Args: []int{2}, Types: []expr.Type{decimal}},
		{Kind: Avg, Args: []int{2}, Types: []expr.Type{decimal}}, {Kind: Min, Args: []int{2}, Types: []expr.Type{decimal}},
		{Kind: Max, Args: []int{2}, Types: []expr.Type{decimal}}, {Kind: BitXor, Args: []int{2}, Types: []expr.Type{decimal}},
		{Kind: BitAnd, Args: []int{10}, Types: []expr.Type{typeOf(sqltypes.VarBinary, true, 4, 0)}}, {Kind: VarPop, Args: []int{2}, Types: []expr.Type{decimal}},
		{Kind: JSONArray, Args: []int{2}, Types: []expr.Type{decimal}}, {Kind: Sum, Distinct: true, Args: []int{2}, Types: []expr.Type{decimal}},
		{Kind: GroupConcat, Args: []int{2}, Types: []expr.Type{decimal}, Separator: ","}, {Kind: AnyValue, Args: []int{2}, Types: []expr.Type{decimal}},
		{Kind: JSONObject, Args: []int{3, 2}, Types: []expr.Type{bigint, decimal}},
	}
	for round := range 400 {
		descending := random.IntN(2) == 0
		rows := windowRows(random, descending)
		w := Window{Partition: []Key{{At: 0, Type: bigint}}, Order: []Key{{At: 1, Type: bigint, Descending: descending}}}
		for kind := RowNumber; kind < OfAggregate; kind++ {
			f := WindowFunction{Kind: kind, Frame: randomFrame(random)}
			switch kind {
			case Ntile:
				f.Args = []int{5}
			case Lag, Lead:
				f.Args = []int{2, 5, 0}
			case FirstValue, LastValue, NthValue:
				f.Args = []int{2, 5}
			}
			w.Functions = append(w.Functions, f)
		}
		for _, a := range aggregates {
			w.Functions = append(w.Functions, WindowFunction{Kind: OfAggregate, Aggregate: a, Frame: randomFrame(random)})
		}
		if round%3 == 0 { // the functions that need no rows behind their own
			w.Functions = slices.DeleteFunc(w.Functions, func(f WindowFunction) bool { return !f.running() })
		}
		m := spillInto(t, 0, 1<<30)
		if round%2 == 0 {
			m.files.Share = 500
		}
		sorted := Sort(Rows(rows), append(slices.Clone(w.Partition), w.Order...), 0, m)
		s := Windowed(session(), sorted, w, m)
		got := read(t, s)
		s.Close()
		m.closed(t)
		i := 0
		for _, part := range parts(got) {
			model := &windowModel{rows: part, descending: descending}
			for at, r := range part {
				for k, f := range w.Functions {
					if g, w := show([][]expr.Value{{r[11+k]}}), show([][]expr.Value{{model.value(t, f, at)}}); g != w {
						t.Fatalf("round %d, row %d, function %d %+v, descending %v:\nrows %s\ngot  %s\nwant %s", round, at, f.Kind, f, descending, showFirst(part, 3), g, w)
					}
				}
				i++
			}
		}
		if i != len(rows) {
			t.Fatalf("%d rows of %d", i, len(rows))
		}
	}
}

func showFirst(rows [][]expr.Value, n int) string {
	var out [][]expr.Value
	for _, r := range rows {
		out = append(out, r[:n])
	}
	return show(out)
}

// windowRows are up to 20 rows: partition, order, value, number, 1, 2, then the order minus and plus 1, minus and plus 2, and two bytes.
func windowRows(random *rand.Rand, descending bool) [][]expr.Value {
	out := make([][]expr.Value, random.IntN(21))
	for i := range out {
		v := sqltypes.MakeTrusted(sqltypes.Decimal, fmt.Appendf(nil, "%d.%d", random.IntN(5)-2, 4*random.IntN(3)))
		switch random.IntN(5) {
		case 0:
			v = expr.Null
		case 1: // equal to others, and with more decimals than the type has
			v = sqltypes.MakeTrusted(sqltypes.Decimal, append(v.Raw(), '0'))
		}
		r := row(random.IntN(2), nil, v, i, 1, 2, nil, nil, nil, nil, nil)
		if random.IntN(3) > 0 {
			r[10] = sqltypes.MakeTrusted(sqltypes.VarBinary, []byte{byte(random.Uint32()), 7})
		}
		if random.IntN(5) > 0 {
			o, sign := random.IntN(6), 1
			if descending {
				sign = -1
			}
			copy(r[1:], row(o))
			copy(r[6:], row(o-sign, o+sign, o-2*sign, o+2*sign))
		}
		out[i] = r
	}
	return out
}

// randomFrame is a frame over windowRows whose distances are 1 for From and 2 for To.
func randomFrame(random *rand.Rand) Frame {
	f := Frame{Unit: FrameUnit(random.IntN(2))}
	f.From = Bound{Kind: BoundKind(random.IntN(4)), Rows: 4, Type: bigint, At: 6}
	f.To = Bound{Kind: BoundKind(1 + random.IntN(4)), Rows: 5, Type: bigint, At: 8}
	if f.From.Kind == Following {
		f.From.At++
	}
	if f.To.Kind == Following {
		f.To.At++
	}
	return f
}

// parts divides rows by their first column.
func parts(rows [][]expr.Value) (out [][][]expr.Value) {
	for i, r := range rows {
		if i == 0 || number(rows[i-1][0]) != number(r[0]) {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], r)
	}
	return out
}

// A RANGE bound that is NULL where the key is not, such as a date beyond the last one, bounds nothing but NULLs.
func TestRangeBoundBeyondTheType(t *testing.T) {
	frame := Frame{Unit: ByRange, From: Bound{Kind: Preceding, At: 1, Type: bigint}, To: Bound{Kind: Following, At: 1, Type: bigint}}
	for _, descending := range []bool{false, true} {
		rows := [][]expr.Value{row(nil, nil), row(1, nil), row(2, nil)}
		want := "NULL NULL 1; 1 NULL 2; 2 NULL 2"
		if descending {
			slices.Reverse(rows)
			want = "2 NULL 2; 1 NULL 2; NULL NULL 1"
		}
		w := Window{Order: []Key{{At: 0, Type: bigint, Descending: descending}}, Functions: []WindowFunction{{Kind: OfAggregate, Aggregate: Aggregate{Kind: CountRows}, Frame: frame}}}
		if got := show(read(t, Windowed(session(), Rows(rows), w, nil))); got != want {
			t.Errorf("descending %v: %s, expected %s", descending, got, want)
		}
	}
}

// Functions of the rows so far hold a batch, others one partition.
func TestWindowsHoldOnePartition(t *testing.T) {
	const n = 50_000
	peak := func(w Window) int64 {
		m := &meter{}
		s := Windowed(session(), numbered(n, 1000), w, m)
		if got := len(read(t, s)); got != n {
			t.Fatalf("%d rows", got)
		}
		s.Close()
		return m.peak
	}
	batch := 1000 * (sizeOf(row(1, 10_000, "a")) + peerBytes)
	if got := peak(Window{Functions: []WindowFunction{{Kind: RowNumber}, aggregateOver(upToRow, Sum, 1, bigint), aggregateOver(upToRow, Min, 1, bigint)}}); got > batch+10_000 {
		t.Errorf("%d bytes for the rows so far, a batch has %d", got, batch)
	}
	whole := aggregateOver(wholePartition, Sum, 1, bigint)
	if got := peak(Window{Partition: []Key{{At: 1, Type: bigint}}, Functions: []WindowFunction{whole}}); got > 10_000 {
		t.Errorf("%d bytes for partitions of a row", got)
	}
	if got := peak(Window{Functions: []WindowFunction{whole}}); got < n*100 {
		t.Errorf("%d bytes for a partition of all rows", got)
	}
}

// Sliding frames of sums and extremes take each row once or twice, not once for each frame: a frame of half the rows of
// 100,000 would not end in time.
func TestSlidingFramesAreIncremental(t *testing.T) {
	const n = 100_000
	rows := make([][]expr.Value, n)
	for i := range rows {
		rows[i] = row(i, n/2)
	}
	frame := Frame{From: Bound{Kind: Preceding, Rows: 1}, To: Bound{Kind: CurrentRow}}
	w := Window{Functions: []WindowFunction{aggregateOver(frame, Sum, 0, bigint), aggregateOver(frame, Max, 0, bigint), aggregateOver(frame, Min, 0, bigint)}}
	out := read(t, Windowed(session(), Rows(rows), w, nil))
	last := out[n-1]
	if got, want := show([][]expr.Value{last[2:]}), fmt.Sprintf("%d %d %d", (n-1+n/2-1)*(n/2+1)/2, n-1, n/2-1); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// An aggregate that is computed anew for each row looks at the context.
func TestWindowsAreCancelled(t *testing.T) {
	cause := errors.New("the client has gone")
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	looked := 0
	c := &countedContext{Context: ctx, hook: func() {
		if looked++; looked == 10 {
			cancel(cause)
		}
	}}
	frame := Frame{From: Bound{Kind: CurrentRow}, To: Bound{Kind: UnboundedFollowing}}
	s := Windowed(session(), numbered(5000, 5000), Window{Functions: []WindowFunction{aggregateOver(frame, VarPop, 1, bigint)}}, nil)
	if _, err := s.Next(c); !errors.Is(err, cause) || looked > 15 {
		t.Errorf("%v after %d looks", err, looked)
	}
}

func BenchmarkWindow(b *testing.B) {
	slide := Frame{From: Bound{Kind: Preceding, Rows: 1}, To: Bound{Kind: CurrentRow}}
	for name, f := range map[string]WindowFunction{
		"row_number": {Kind: RowNumber}, "rank": {Kind: Rank}, "running sum": aggregateOver(upToRow, Sum, 0, bigint), "sliding sum": aggregateOver(slide, Sum, 0, bigint),
		"sliding max": aggregateOver(slide, Max, 0, bigint),
	} {
		b.Run(name, func(b *testing.B) {
			benchmarkOver(b, func(from Source) Source {
				return Windowed(session(), from, Window{Order: []Key{{At: 0, Type: bigint}}, Functions: []WindowFunction{f}}, nil)
			})
		})
	}
}
