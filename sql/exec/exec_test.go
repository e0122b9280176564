package exec

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/sqltypes"
	"vitess.io/vitess/go/vt/vtgate/evalengine"

	"isochron/sql/expr"
)

// generalCI is utf8mb4_general_ci: it pads, and ignores case and accents.
const generalCI = collations.ID(45)

func session() *expr.Context { return &expr.Context{Collation: generalCI} }

var (
	bigint = evalengine.NewTypeEx(sqltypes.Int64, collations.CollationBinaryID, true, 0, 0, nil)
	text   = evalengine.NewTypeEx(sqltypes.VarChar, generalCI, true, 20, 0, nil)
)

// row makes a row of integers, texts and NULLs.
func row(values ...any) []expr.Value {
	out := make([]expr.Value, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case nil:
			out[i] = expr.Null
		case int:
			out[i] = expr.Int(int64(v))
		case string:
			out[i] = sqltypes.NewVarChar(v)
		case expr.Value:
			out[i] = v
		}
	}
	return out
}

// read takes all rows of a source, and fails if a batch is empty.
func read(t testing.TB, from Source) [][]expr.Value {
	t.Helper()
	rows, err := readAll(from)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func readAll(from Source) (out [][]expr.Value, err error) {
	for {
		rows, err := from.Next(context.Background())
		if err != nil || rows == nil {
			return out, err
		}
		if len(rows) == 0 {
			return out, fmt.Errorf("an empty batch")
		}
		out = append(out, rows...)
	}
}

// show writes rows: values parted by a blank, rows by a semicolon.
func show(rows [][]expr.Value) string {
	var b strings.Builder
	for i, r := range rows {
		if i > 0 {
			b.WriteString("; ")
		}
		for j, v := range r {
			if j > 0 {
				b.WriteString(" ")
			}
			if v.IsNull() {
				b.WriteString("NULL")
			} else {
				b.WriteString(v.ToString())
			}
		}
	}
	return b.String()
}

func TestGroupByCollationWithRollup(t *testing.T) {
	rows := [][]expr.Value{row("b", 1, 10), row("a", 2, 20), row("A ", 1, 30), row("B", 1, nil)}
	aggregates := []Aggregate{
		{Kind: CountRows}, {Kind: Sum, Args: []int{2}, Types: []expr.Type{bigint}},
		{Kind: GroupConcat, Args: []int{2}, Types: []expr.Type{bigint}, Separator: "|"},
	}
	keys := []Key{{At: 0, Type: text}, {At: 1, Type: bigint}}

	plain := Group(session(), Rows(rows), keys, aggregates, false, nil)
	if got, want := show(read(t, plain)), "b 1 2 10 10 0; a 2 1 20 20 0; A  1 1 30 30 0"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	rolled := Group(session(), Rows(rows), keys, aggregates, true, nil)
	want := "A  1 1 30 30 0; a 2 1 20 20 0; a NULL 2 50 30|20 1; b 1 2 10 10 0; b NULL 2 10 10 1; NULL NULL 4 60 30|20|10 2"
	if got := show(read(t, rolled)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestSortAndTop(t *testing.T) {
	rows := [][]expr.Value{row("b", 1), row(nil, 2), row("a", 3), row("B", 4), row("a\t", 5)}
	keys := []Key{{At: 0, Type: text, Descending: true}}
	if got, want := show(read(t, Sort(Rows(rows), keys, 0, nil))), "b 1; B 4; a 3; a\t 5; NULL 2"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := show(read(t, Sort(Rows(rows), keys, 2, nil))), "b 1; B 4"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// meter is a Memory that counts, and refuses beyond a bound if it has one.
type meter struct{ held, peak, most int64 }

var errMemory = expr.NewError(1038, "HY001", "out of memory")

func (m *meter) Charge(n int64) error {
	if n <= 0 {
		panic("a charge of nothing")
	}
	if m.most > 0 && m.held+n > m.most {
		return errMemory
	}
	m.held += n
	m.peak = max(m.peak, m.held)
	return nil
}

func (m *meter) Release(n int64) {
	if n <= 0 || n > m.held {
		panic(fmt.Sprintf("%d bytes are given back, of %d", n, m.held))
	}
	m.held -= n
}
