package exec

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/expr"
)

// spilling is a meter with files.
type spilling struct {
	meter
	files *SpillFiles
}

func (s *spilling) Spill() *SpillFiles { return s.files }

var errFull, errAllFull = errors.New("the files are full"), errors.New("the files of all are full")

// spillInto is a Memory of so many bytes, 0 without a bound, whose operators spill when they hold share bytes.
func spillInto(t testing.TB, most, share int64) *spilling {
	space, err := OpenSpillSpace(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &spilling{meter{most: most}, space.Files(SpillBounds{Most: 1 << 30, Full: errFull, All: 1 << 30, AllFull: errAllFull, Share: share})}
}

// closed reports what is left of the statement's memory and files.
func (s *spilling) closed(t testing.TB) {
	t.Helper()
	if s.held != 0 || s.files.used != 0 || s.files.space.Used() != 0 {
		t.Errorf("%d bytes of memory and %d of files are held after Close, %d by all", s.held, s.files.used, s.files.space.Used())
	}
	if list, err := os.ReadDir(s.files.space.dir); err != nil || len(list) > 0 {
		t.Errorf("%d files are left, %v", len(list), err)
	}
}

// spills are the operators of operators() that write rows to files.
var spills = []string{
	"sort", "stable sort", "top", "top of few", "rollup", "merge join", "right side of a merge join", "right side", "limit of each",
	"right side of a left join by nested loops", "window of partitions", "distinct of many", "intersect with many", "group", "shared",
	"window of all rows", "sort of different rows",
}

// Operators that spill, because they hold their share or because Memory refuses more, yield what they do in memory.
func TestOperatorsThatSpill(t *testing.T) {
	for _, op := range operators() {
		for _, n := range []int{1, 1023, 3000} {
			plain := op.make(t, numbered(n, 1000), nil)
			want := show(read(t, plain))
			plain.Close()
			for _, m := range []*spilling{spillInto(t, 0, 3000), spillInto(t, 200_000, 1<<40)} {
				written := m.files.Share < 1<<20 && n == 3000 && slices.Contains(spills, op.name)
				if m.most > 0 && !slices.Contains(spills, op.name) {
					m.most = 0
				}
				source := numbered(n, 1000)
				s := op.make(t, source, m)
				got, err := readAll(s)
				if err != nil {
					t.Fatalf("%s of %d rows: %v", op.name, n, err)
				}
				if g := show(got); g != want {
					t.Fatalf("%s of %d rows:\n got  %.300s\n want %.300s", op.name, n, g, want)
				}
				if written && m.files.written == 0 {
					t.Errorf("%s of %d rows wrote none to files", op.name, n)
				}
				s.Close()
				m.closed(t)
			}
		}
	}
}

// An operator that spills is closed in the middle, cancelled or fails at any batch, and leaves neither memory nor files.
func TestSpillingEnds(t *testing.T) {
	cause := errors.New("the client has gone")
	for _, op := range operators() {
		for _, at := range []int{1, 2, 5, 9, 13} {
			for _, how := range []string{"failed", "cancelled", "closed"} {
				m, source := spillInto(t, 0, 3000), numbered(1500, 150)
				ctx, cancel := context.WithCancelCause(context.Background())
				s := op.make(t, source, m)
				switch how {
				case "failed":
					source.fail = at
				case "cancelled":
					source.hook = func() {
						if source.asked == at {
							cancel(cause)
						}
					}
				}
				var err error
				for i := 0; err == nil && (how != "closed" || i < at); i++ {
					var rows [][]expr.Value
					if rows, err = s.Next(ctx); rows == nil {
						break
					}
				}
				if _, again := s.Next(ctx); err != nil && again != err {
					t.Errorf("%s, %s at %d: %v, then %v", op.name, how, at, err, again)
				}
				cancel(nil)
				s.Close()
				m.closed(t)
			}
		}
	}
}

// Files beyond their bound, or that of all statements, end the statement with the caller's error.
func TestBoundOfFiles(t *testing.T) {
	for _, op := range operators() {
		if !slices.Contains(spills, op.name) {
			continue
		}
		for _, want := range []error{errFull, errAllFull} {
			m := spillInto(t, 0, 3000)
			other := m.files.space.Files(m.files.SpillBounds)
			if want == errFull {
				m.files.Most = 10_000
			} else if err := other.take(m.files.All - 10_000); err != nil {
				t.Fatal(err)
			}
			s := op.make(t, numbered(3000, 300), m)
			if _, err := drain(s, context.Background()); !errors.Is(err, want) {
				t.Errorf("%s: %v, expected %v", op.name, err, want)
			}
			s.Close()
			other.give(other.used)
			m.closed(t)
		}
	}
}

// Rows keep their types, bytes and NULLs in files.
func TestRowsInFiles(t *testing.T) {
	rows := [][]expr.Value{
		row(), row(nil), row("", nil, "a"), row(-5, expr.Double(0.1), sqltypes.MakeTrusted(sqltypes.VarBinary, []byte{0, 255})),
		row(sqltypes.MakeTrusted(sqltypes.Blob, bytes.Repeat([]byte("x"), 100_000))), row(1), row(sqltypes.MakeTrusted(sqltypes.Datetime, []byte("2024-01-31 00:00:00.5"))),
	}
	m := spillInto(t, 0, 1)
	f, err := m.files.create()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if err := f.write([]byte("key"), appendRow(nil, r)); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.flush(); err != nil {
		t.Fatal(err)
	}
	from := spillReader{file: f, to: f.size}
	var to rowReader
	for i, r := range rows {
		key, b, err := from.next()
		if err != nil {
			t.Fatal(i, err)
		}
		got, err := to.row(b, 1)
		if err != nil || string(key) != "key" || len(got) != len(r) {
			t.Fatal(i, string(key), got, err)
		}
		for k := range r {
			if got[k].Type() != r[k].Type() || !bytes.Equal(got[k].Raw(), r[k].Raw()) {
				t.Errorf("row %d: %v instead of %v", i, got[k], r[k])
			}
		}
	}
	if from.more() {
		t.Error("there are more rows")
	}
	f.close()
	m.closed(t)
}

// What a file does not have as it was written is an error, not a panic nor other rows.
func TestDamagedFiles(t *testing.T) {
	m := spillInto(t, 0, 1)
	f, err := m.files.create()
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	record := appendRow(nil, row(1, "text", nil))
	if err := errors.Join(f.write([]byte("key"), record), f.flush()); err != nil {
		t.Fatal(err)
	}
	if err := f.file.Truncate(f.size - 1); err != nil {
		t.Fatal(err)
	}
	r := spillReader{file: f, to: f.size}
	if _, _, err := r.next(); err == nil {
		t.Error("a short file was read")
	}
	var rows rowReader
	for n := range record {
		if _, err := rows.row(record[:n], 1); err == nil {
			t.Errorf("a row was read from %d of its %d bytes", n, len(record))
		}
	}
	for range 1000 {
		damaged := slices.Clone(record)
		damaged[rand.IntN(len(damaged))] ^= byte(1 + rand.IntN(255))
		rows.row(damaged, 1) // must not panic
	}
}

// What a process left that ended while it created a file is removed at the next start, and nothing else.
func TestSpillSpaceIsCleared(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"isochron-spill-1234", "other"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := OpenSpillSpace(dir); err != nil {
		t.Fatal(err)
	}
	if list, _ := os.ReadDir(dir); len(list) != 1 || list[0].Name() != "other" {
		t.Error(list)
	}
}

// A sort of more runs than are merged at a time merges them in passes, equal rows in the order of the input.
func TestSortOfManyRunsInFiles(t *testing.T) {
	const share = 20_000 // less than two buffers: two runs at a time
	m := spillInto(t, 0, share)
	s := Sort(numbered(20_000, 1000), byAB[:1], 0, m)
	want := show(read(t, Sort(numbered(20_000, 1000), byAB[:1], 0, nil)))
	if got := show(read(t, s)); got != want {
		t.Error("other rows, or another order")
	}
	if most := int64(share + chargeFrom + 2*spillBuffer); m.peak > most {
		t.Errorf("%d bytes, more than %d", m.peak, most)
	}
	s.Close()
	m.closed(t)
}

// Sorts take no more memory than their share and a batch, whatever they sort.
func TestSortSpillsBeyondItsShare(t *testing.T) {
	const share = 1 << 20
	m := spillInto(t, 0, share)
	s := Sort(numbered(100_000, 1000), byAB, 0, m)
	if n, err := drain(s, context.Background()); n != 100_000 || err != nil {
		t.Fatal(n, err)
	}
	if m.peak > share+chargeFrom || m.peak < share/2 {
		t.Errorf("%d bytes at most, with a share of %d", m.peak, share)
	}
	s.Close()
	m.closed(t)
}

// Memory that others hold is no reason to write rows one by one: the operator fails with the error of Memory.
func TestNoSpillingOfFewRows(t *testing.T) {
	m := spillInto(t, 1000, 1<<20)
	s := Sort(numbered(3000, 10), byAB, 0, m)
	if _, err := drain(s, context.Background()); !errors.Is(err, errMemory) {
		t.Error(err)
	}
	s.Close()
	m.closed(t)
}

// All kinds of joins over random relations yield the same from files as in memory.
func TestJoinsThatSpill(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	for round := range 15 {
		left, right := manyRows(random, 300), manyRows(random, 300)
		for i, model := range joinModels() {
			if model.keys == nil && round%10 > 0 {
				continue
			}
			for kind := InnerJoin; kind <= AntiJoin; kind++ {
				plain := Join(Rows(left), Gathered(Rows(right), nil), model.spec(t, kind), nil)
				want := show(read(t, plain))
				m := spillInto(t, 0, 4000)
				j := Join(Rows(left), Gathered(Rows(right), m), model.spec(t, kind), m)
				got := show(read(t, j))
				if len(right) > 100 && m.files.written == 0 {
					t.Fatalf("round %d, model %d: nothing was written to files", round, i)
				}
				j.Close()
				m.closed(t)
				if got != want {
					t.Fatalf("round %d, kind %d, model %d: got\n%.500s\nwant\n%.500s", round, kind, i, got, want)
				}
			}
		}
	}
}

// manyRows are up to so many rows as those of relation, of more values.
func manyRows(random *rand.Rand, most int) [][]expr.Value {
	out := make([][]expr.Value, random.IntN(most))
	for i := range out {
		out[i] = row(random.IntN(30), random.IntN(30), string(rune('a'+random.IntN(5))))
		for k := range out[i] {
			if random.IntN(10) == 0 {
				out[i][k] = expr.Null
			}
		}
	}
	return out
}

// A store returns the rows of any number, in any order, from memory and from a file, and holds a few blocks of them.
func TestRowStore(t *testing.T) {
	rows := make([][]expr.Value, 5000)
	for i := range rows {
		rows[i] = row(i, "some text", nil)
	}
	for _, share := range []int64{1, 10_000, 1 << 30} {
		m := spillInto(t, 0, share)
		s := newRowStore(m)
		for round := range 2 {
			for i, r := range rows {
				if err := s.add(r); err != nil {
					t.Fatal(err)
				}
				if i%1000 == 0 {
					if err := s.settle(); err != nil {
						t.Fatal(err)
					}
				}
			}
			if s.size() != len(rows) || s.spilled() != (share < 1<<30) {
				t.Fatalf("%d rows, in a file: %v", s.size(), s.spilled())
			}
			for k := range 20_000 {
				i := k
				if k >= len(rows) {
					i = rand.IntN(len(rows))
				}
				r, err := s.at(i)
				if err != nil || number(r[0]) != i || r[1].ToString() != "some text" || !r[2].IsNull() {
					t.Fatalf("round %d, row %d: %v, %v", round, i, r, err)
				}
			}
			s.clear()
		}
		if most := (cachedBlocks+2)*spillBuffer + chargeFrom + share; m.peak > most && s.files.Share < 1<<30 {
			t.Errorf("share %d: %d bytes, more than %d", share, m.peak, most)
		}
		s.close()
		m.closed(t)
	}
}

// Set operations over random relations yield the same from files as in memory.
func TestSetsThatSpill(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	types := []expr.Type{bigint, text}
	narrow := func(rows [][]expr.Value) (out [][]expr.Value) {
		for _, r := range rows {
			out = append(out, []expr.Value{r[0], r[2], r[1]})
		}
		return out
	}
	for round := range 15 {
		left, right := narrow(manyRows(random, 500)), narrow(manyRows(random, 300))
		for name, of := range map[string]func(m Memory) Source{
			"DISTINCT":      func(m Memory) Source { return Distinct(Rows(left), types, m) },
			"INTERSECT":     func(m Memory) Source { return Intersect(Rows(left), Rows(right), types, false, m) },
			"INTERSECT ALL": func(m Memory) Source { return Intersect(Rows(left), Rows(right), types, true, m) },
			"EXCEPT":        func(m Memory) Source { return Except(Rows(left), Rows(right), types, false, m) },
			"EXCEPT ALL":    func(m Memory) Source { return Except(Rows(left), Rows(right), types, true, m) },
		} {
			want := show(read(t, of(nil)))
			m := spillInto(t, 0, 1000)
			s := of(m)
			if got := show(read(t, s)); got != want {
				t.Fatalf("round %d, %s: got\n%.500s\nwant\n%.500s", round, name, got, want)
			}
			if len(left) > 200 && len(right) > 200 && m.files.written == 0 {
				t.Fatalf("round %d, %s: nothing was written to files", round, name)
			}
			s.Close()
			m.closed(t)
		}
	}
}

// Groups over random rows are the same from files as in memory, in the order of their first rows, with states that grow
// after no more groups are opened.
func TestGroupsThatSpill(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 14))
	for round := range 10 {
		rows := manyRows(random, 2000)
		aggregates := counted[:6*(round%2)] // none in half of the rounds
		of := func(m Memory) Source {
			return Group(session(), Rows(rows), []Key{{At: 0, Type: bigint}, {At: 2, Type: text}}, aggregates, false, m)
		}
		want := show(read(t, of(nil)))
		for _, share := range []int64{1, 2000, 10_000} {
			m := spillInto(t, 0, share)
			s := of(m)
			if got := show(read(t, s)); got != want {
				t.Fatalf("round %d, share %d: got\n%.500s\nwant\n%.500s", round, share, got, want)
			}
			if len(rows) > 500 && m.files.written == 0 {
				t.Fatalf("round %d, share %d: nothing was written to files", round, share)
			}
			s.Close()
			m.closed(t)
		}
	}
}

// BenchmarkSpill runs operators that hold 100,000 rows in a share of 1 MiB.
func BenchmarkSpill(b *testing.B) {
	right := make100k(100_000)
	key := []JoinKey{{Type: bigint, RightType: bigint}}
	for name, of := range map[string]func(from Source, m Memory) Source{
		"sort":     func(from Source, m Memory) Source { return Sort(from, []Key{{At: 0, Type: bigint}}, 0, m) },
		"distinct": func(from Source, m Memory) Source { return Distinct(from, oneColumn, m) },
		"group": func(from Source, m Memory) Source {
			return Group(session(), from, []Key{{At: 0, Type: bigint}}, []Aggregate{{Kind: CountRows}}, false, m)
		},
		"join": func(from Source, m Memory) Source {
			return Join(from, Gathered(Rows(right), m), JoinSpec{Keys: key, Width: 3}, m)
		},
		"window": func(from Source, m Memory) Source {
			return Windowed(session(), from, Window{Functions: []WindowFunction{aggregateOver(wholePartition, Sum, 0, bigint)}}, m)
		},
	} {
		b.Run(name, func(b *testing.B) {
			m := spillInto(b, 0, 1<<20)
			benchmarkOver(b, func(from Source) Source { return of(from, m) })
		})
	}
}

// Operators that hold rows at a time share a memory: those that come last spill before they hold their share, because
// Memory refuses more.
func TestManyOperatorsInOneMemory(t *testing.T) {
	m := spillInto(t, 1<<20, 1<<18)
	sorts := 0
	var s Source = numbered(3000, 1000)
	for range 6 {
		keys := byAB[:1]
		if sorts++; sorts%2 == 0 {
			keys = byAB[1:]
		}
		s = Sort(s, keys, 0, m)
	}
	s = Windowed(session(), Distinct(s, []expr.Type{bigint, bigint}, m), Window{Functions: []WindowFunction{aggregateOver(wholePartition, Count, 1, bigint)}}, m)
	n, err := drain(s, context.Background())
	if n != 3000 || err != nil {
		t.Errorf("%d rows, %v", n, err)
	}
	s.Close()
	m.closed(t)
}
