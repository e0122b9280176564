package access_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/access"
	"isochron/sql/catalog"
	"isochron/sql/expr"
	"isochron/sql/sqltest"
	"isochron/txn"
)

// kinds are the types of a random table, with values of theirs and constants that they may be compared with.
var kinds = []struct {
	typ    string
	values []any
}{
	{"BIGINT", []any{-2, -1, 0, 1, 2, 3, 20240229}},
	{"TINYINT", []any{-128, -1, 0, 1, 2, 127}},
	{"INT UNSIGNED", []any{0, 1, 2, 4294967295}},
	{"DECIMAL(6,2)", []any{"-1.50", "0", "1", "1.25", "1.26", "9999.99"}},
	{"DOUBLE", []any{-1.5, 0.0, 1.0, 1.25, 1e30}},
	{"FLOAT", []any{-1.5, 0.0, 1.0, 1.25, 0.1}},
	{"VARCHAR(12) COLLATE utf8mb4_general_ci", []any{"", "a", "A", "a ", "ab", "a b", "abc", "b", "1", "01", "2024-02-29"}},
	{"VARCHAR(12) COLLATE utf8mb4_0900_bin", []any{"", "a", "A", "a ", "ab", "b", "1"}},
	{"VARBINARY(12)", []any{"", "a", "A", "a\x00", "ab", "1"}},
	{"DATE", []any{"2024-02-29", "2024-03-01", "1999-12-31"}},
	{"DATETIME", []any{"2024-02-29 00:00:00", "2024-02-29 10:11:12", "1999-12-31 23:59:59"}},
	{"DATETIME(3)", []any{"2024-02-29 00:00:00", "2024-02-29 10:11:12.500"}},
	{"TIME", []any{"-01:00:00", "00:00:00", "10:11:12", "838:59:59"}},
	{"YEAR", []any{1901, 1999, 2024, 2155}},
	{"ENUM('b','a','c') COLLATE utf8mb4_general_ci", []any{"a", "b", "c"}},
	{"ENUM('b','a','c') COLLATE utf8mb4_0900_bin", []any{"a", "b", "c"}},
	{"BIT(8)", []any{0, 1, 255}},
}

// constants are compared with columns of every type.
var constants = []string{
	"-1", "0", "1", "2", "1.25", "1.254", "-0.5", "1e0", "0.1e0", "1e30", "20240229", "20240229101112", "4294967296", "18446744073709551615", "2024", "24", "99999",
	"''", "'a'", "'A'", "'a '", "'a b  '", "'ab'", "'1'", "'01'", "'1.25'", "' 1'", "'1x'", "'b'", "'abcdefghijk'", "'2024-02-29'", "'2024-02-29 10:11:12'", "'2024-02-29 10:11:12.5'", "'24-2-29'", "'2024-02-30'", "'10:11:12'", "'10:11:12.5'", "'-1:0:0'", "'0000-00-00'",
	"DATE '2024-02-29'", "TIMESTAMP '2024-02-29 10:11:12'", "TIME '10:11:12'", "NULL", "TRUE",
}

// patterns are those of LIKE.
var patterns = []string{"'a%'", "'A%'", "'a'", "'a %'", "'%'", "'ab_'", "'_b%'", "'1%'", "'2024%'", "''"}

var operators = []struct {
	text string
	op   access.Op
}{{"=", access.Equal}, {"<", access.Less}, {"<=", access.LessEqual}, {">", access.Greater}, {">=", access.GreaterEqual}}

// world is a random table with rows.
type world struct {
	*sqltest.Table
	columns []string
	rows    [][]access.Value
	all     []int
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

func newWorld(t *testing.T, r *rand.Rand) *world {
	t.Helper()
	w := &world{}
	var of []int
	for i := range 4 {
		of = append(of, r.IntN(len(kinds)))
		text := fmt.Sprintf("c%d %s", i, kinds[of[i]].typ)
		if i == 0 {
			text += " NOT NULL"
		}
		w.columns, w.all = append(w.columns, text), append(w.all, i)
	}
	var key []string
	if r.IntN(4) > 0 {
		key = []string{"c0"}
	}
	var indexes []sqltest.Index
	for range 1 + r.IntN(3) {
		x := sqltest.Index{Unique: r.IntN(4) == 0, Padded: r.IntN(3) > 0}
		for _, at := range r.Perm(4)[:1+r.IntN(3)] {
			name := fmt.Sprintf("c%d", at)
			if strings.HasPrefix(kinds[of[at]].typ, "VAR") && r.IntN(3) == 0 {
				name += "(1)"
			}
			x.Columns = append(x.Columns, name)
		}
		indexes = append(indexes, x)
	}
	var err error
	if w.Table, err = sqltest.NewPaddedTable("t", w.columns, key, r.IntN(3) > 0, indexes...); err != nil {
		t.Fatal(err)
	}
	for range 40 {
		row := make([]any, 4)
		for i := range row {
			if i == 0 || r.IntN(5) > 0 {
				row[i] = pick(r, kinds[of[i]].values)
			}
		}
		if _, err := w.Insert(row...); err != nil {
			t.Fatalf("%v of %v: %v", row, w.columns, err)
		}
	}
	everything, err := access.Choose(clock{}, w.Desc, access.Wanted{})
	if err != nil {
		t.Fatal(err)
	}
	w.rows = w.read(t, everything)
	return w
}

func (w *world) read(t *testing.T, c *access.Choice) [][]access.Value {
	t.Helper()
	if c == nil {
		return nil
	}
	rows, err := w.Read(context.Background(), c.Access, txn.LockNone, txn.Wait(0), w.all)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// filter is a condition as SQL and as Choose takes it; false: a constant is none that the planner would hand on.
func (w *world) filter(t *testing.T, r *rand.Rand) (string, access.Condition, bool) {
	t.Helper()
	at := r.IntN(4)
	c := access.Condition{Column: at}
	if r.IntN(8) == 0 {
		c.Op = access.IsNull
		return fmt.Sprintf("c%d IS NULL", at), c, true
	}
	o := pick(r, operators)
	c.Op = o.op
	texts := []string{pick(r, constants)}
	text := fmt.Sprintf("c%d %s %s", at, o.text, texts[0])
	if o.op == access.Equal && r.IntN(2) == 0 {
		texts = append(texts, pick(r, constants), pick(r, constants))
		text = fmt.Sprintf("c%d IN (%s)", at, strings.Join(texts, ", "))
	}
	if r.IntN(10) == 0 {
		c.Op, texts = access.Like, []string{pick(r, patterns)}
		text = fmt.Sprintf("c%d LIKE %s", at, texts[0])
	}
	for _, constant := range texts {
		v, ok := w.constant(t, at, constant)
		if !ok {
			return text, c, false
		}
		if !v.IsNull() {
			c.Values = append(c.Values, v)
		}
	}
	return text, c, len(c.Values) > 0
}

// constant is the value of a constant beside a column; false: the core does not compute it.
func (w *world) constant(t *testing.T, at int, text string) (access.Value, bool) {
	t.Helper()
	e, err := expr.Environment().Parser().ParseExpr(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	p, err := expr.CompileBeside(ofTests, expr.ColumnType(w.Desc.Type(at), w.Desc.Record.Columns[at].Nullable), e)
	if err != nil {
		return access.Value{}, false
	}
	p.Begin(ofTests)
	v, err := p.Run(nil, nil)
	if err != nil {
		return access.Value{}, false
	}
	return v[0], true
}

// alternatives are two lists of conditions on a column, of which one must hold.
func (w *world) alternatives(t *testing.T, r *rand.Rand) (string, access.Condition, bool) {
	t.Helper()
	text, first, ok := w.filter(t, r)
	if !ok {
		return text, first, false
	}
	out := access.Condition{Column: first.Column, Op: access.Either, Alternatives: [][]access.Condition{{first}}}
	for range 20 { // until it is on the same column
		other, c, ok := w.filter(t, r)
		if !ok || c.Column != first.Column {
			continue
		}
		if out.Alternatives = append(out.Alternatives, []access.Condition{c}); len(out.Alternatives) == 3 {
			return text + " OR " + other, out, true
		}
		text += " OR " + other
	}
	return text, out, len(out.Alternatives) > 1
}

var ofTests = &expr.Context{Collation: generalCI, SQLMode: "STRICT_TRANS_TABLES"}

const generalCI = collations.ID(45)

// program is an expression over the rows; nil: the core does not compute it.
func (w *world) program(t *testing.T, text string) *expr.Program {
	t.Helper()
	e, err := expr.Environment().Parser().ParseExpr(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	columns := expr.Columns{Find: func(n *sqlparser.ColName) (int, error) {
		return slices.IndexFunc(w.Desc.Record.Columns, func(c catalog.Column) bool { return c.Name == n.Name.String() }), nil
	}}
	for i, c := range w.Desc.Record.Columns {
		columns.Types = append(columns.Types, expr.ColumnType(w.Desc.Type(i), c.Nullable))
	}
	p, err := expr.Compile(ofTests, columns, e)
	if err != nil {
		return nil
	}
	p.Begin(ofTests)
	return p
}

// matching are the rows that a filter is true for; false: it fails for one of them.
func matching(p *expr.Program, rows [][]access.Value) (out []string, ok bool) {
	for _, row := range rows {
		is, err := p.True(row)
		if err != nil {
			return nil, false
		}
		if is {
			out = append(out, fmt.Sprint(row))
		}
	}
	slices.Sort(out)
	return out, true
}

// The access yields every row for which all conditions hold, whatever the types of column and constant; and none other if
// it says so by taking the limit.
func TestAccessYieldsEveryRow(t *testing.T) {
	worlds := 300
	if testing.Short() {
		worlds = 50
	}
	compared, bounded := 0, 0
	for seed := range uint64(worlds) {
		r := rand.New(rand.NewPCG(seed, 38))
		w := newWorld(t, r)
		for range 60 {
			var texts []string
			wanted := access.Wanted{Whole: true, Columns: w.all}
			for range 1 + r.IntN(3) {
				text, c, ok := w.filter(t, r)
				if r.IntN(4) == 0 {
					text, c, ok = w.alternatives(t, r)
					text = "(" + text + ")"
				}
				if ok {
					texts, wanted.Conditions = append(texts, text), append(wanted.Conditions, c)
				}
			}
			if len(texts) == 0 {
				continue
			}
			where := strings.Join(texts, " AND ")
			p := w.program(t, where)
			if p == nil {
				continue
			}
			want, ok := matching(p, w.rows)
			if !ok {
				continue
			}
			choice, err := access.Choose(clock{}, w.Desc, wanted)
			if err != nil {
				t.Fatalf("%s: %v", where, err)
			}
			got, _ := matching(p, w.read(t, choice))
			compared++
			if choice != nil && choice.Bounded > 0 {
				bounded++
			}
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d, %v, %s by %s:\n%v\nexpected\n%v", seed, w.columns, where, described(choice), got, want)
			}
		}
	}
	if compared < 10*worlds || bounded < 3*worlds {
		t.Errorf("only %d of %d filters bound an index", bounded, compared)
	}
}
