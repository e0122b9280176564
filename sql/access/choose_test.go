package access_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"vitess.io/vitess/go/sqltypes"

	"isochron/sql/access"
	"isochron/sql/sqltest"
	"isochron/txn"
)

// clock gives statements the present.
type clock struct{}

func (clock) QueryTime() time.Time { return time.Now() }

// chosen is a table with an index of each kind.
func chosen(t testing.TB) *sqltest.Table {
	t.Helper()
	table, err := sqltest.NewTable("t",
		[]string{"id BIGINT NOT NULL", "a INT", "b INT", "c VARCHAR(20) COLLATE utf8mb4_general_ci", "d DATE", "n DECIMAL(6,2)", "u INT UNSIGNED", "y YEAR", "h TIME"},
		[]string{"id"},
		sqltest.Index{Columns: []string{"a", "b", "c"}}, sqltest.Index{Columns: []string{"u"}, Unique: true},
		sqltest.Index{Columns: []string{"c(2)"}}, sqltest.Index{Columns: []string{"d"}}, sqltest.Index{Columns: []string{"n"}},
		sqltest.Index{Columns: []string{"y"}}, sqltest.Index{Columns: []string{"h"}})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

const (
	idColumn = iota
	aColumn
	bColumn
	cColumn
	dColumn
	nColumn
	uColumn
	yColumn
	hColumn
)

// is a condition of whole numbers and texts.
func is(column int, op access.Op, values ...any) access.Condition {
	c := access.Condition{Column: column, Op: op}
	for _, v := range values {
		switch v := v.(type) {
		case int:
			c.Values = append(c.Values, sqltypes.NewInt64(int64(v)))
		case string:
			c.Values = append(c.Values, sqltypes.NewVarChar(v))
		case float64:
			c.Values = append(c.Values, sqltypes.NewFloat64(v))
		case access.Value:
			c.Values = append(c.Values, v)
		}
	}
	return c
}

// described is a choice as the cases write it.
func described(c *access.Choice) string {
	if c == nil {
		return "nothing"
	}
	out := fmt.Sprintf("%s keys=%d spans=%d bounded=%d", c.Index.Name, len(c.Gets), len(c.Scans), c.Bounded)
	if c.Ordered {
		out += " ordered"
	}
	if c.Reverse {
		out += " reverse"
	}
	if c.Pushed {
		out += fmt.Sprintf(" limit=%d", c.Limit)
	}
	return out
}

func TestChoice(t *testing.T) {
	d := chosen(t).Desc
	all := []int{idColumn, aColumn, bColumn, cColumn, dColumn, nColumn, uColumn, yColumn, hColumn}
	const equal = access.Equal
	many := func(n int) (out []any) {
		for i := range n {
			out = append(out, i)
		}
		return out
	}
	up, down := func(c int) access.Order { return access.Order{Column: c} }, func(c int) access.Order { return access.Order{Column: c, Descending: true} }
	for _, c := range []struct {
		name string
		w    access.Wanted
		want string
	}{
		{"no condition", access.Wanted{Whole: true}, "PRIMARY keys=0 spans=1 bounded=0"},
		{"a column without an index", access.Wanted{Conditions: []access.Condition{is(bColumn, equal, 1)}}, "PRIMARY keys=0 spans=1 bounded=0"},
		{"the key", access.Wanted{Conditions: []access.Condition{is(idColumn, equal, 1)}}, "PRIMARY keys=1 spans=0 bounded=1"},
		{"keys", access.Wanted{Conditions: []access.Condition{is(idColumn, equal, 1, 2, 3, 2)}}, "PRIMARY keys=3 spans=0 bounded=1"},
		{"no key", access.Wanted{Conditions: []access.Condition{is(idColumn, equal)}}, "nothing"},
		{"the key before a unique index", access.Wanted{Conditions: []access.Condition{is(uColumn, equal, 1), is(idColumn, equal, 1)}}, "PRIMARY keys=1 spans=0 bounded=1"},
		{"a unique index", access.Wanted{Conditions: []access.Condition{is(uColumn, equal, 1), is(aColumn, equal, 1)}}, "x2 keys=1 spans=0 bounded=1"},
		{"NULL of a unique index", access.Wanted{Conditions: []access.Condition{is(uColumn, access.IsNull)}}, "x2 keys=0 spans=1 bounded=1"},
		{"the longest bound", access.Wanted{Conditions: []access.Condition{is(dColumn, equal, "2024-01-01"), is(aColumn, equal, 1), is(bColumn, equal, 2)}}, "x1 keys=0 spans=1 bounded=2"},
		{"a range behind equal values", access.Wanted{Conditions: []access.Condition{is(aColumn, equal, 1), is(bColumn, equal, 2, 3), is(cColumn, access.Greater, "k")}}, "x1 keys=0 spans=2 bounded=3"},
		{"nothing behind a range", access.Wanted{Conditions: []access.Condition{is(aColumn, access.Less, 1), is(bColumn, equal, 2)}}, "x1 keys=0 spans=1 bounded=1"},
		{"both borders", access.Wanted{Conditions: []access.Condition{is(idColumn, access.Less, 9), is(idColumn, access.GreaterEqual, 3)}}, "PRIMARY keys=0 spans=1 bounded=1"},
		{"borders that exclude each other", access.Wanted{Conditions: []access.Condition{is(idColumn, access.Less, 3), is(idColumn, access.GreaterEqual, 3)}}, "PRIMARY keys=0 spans=0 bounded=1"},
		{"the shorter list", access.Wanted{Conditions: []access.Condition{is(idColumn, equal, 1, 2, 3), is(idColumn, equal, 3)}}, "PRIMARY keys=1 spans=0 bounded=1"},
		{"rows", access.Wanted{Conditions: []access.Condition{{Column: -1, Op: access.Rows, Alternatives: [][]access.Condition{
			{is(aColumn, equal, 1), is(bColumn, equal, 2)}, {is(aColumn, equal, 3), is(bColumn, equal, 4)}, {is(aColumn, equal, 1), is(bColumn, equal, 2)}}}}}, "x1 keys=0 spans=2 bounded=2"},
		{"rows of a key", access.Wanted{Conditions: []access.Condition{{Column: -1, Op: access.Rows, Alternatives: [][]access.Condition{
			{is(idColumn, equal, 1), is(bColumn, equal, 2)}, {is(idColumn, equal, 3), is(bColumn, equal, 4)}}}}}, "PRIMARY keys=2 spans=0 bounded=1"},
		{"a prefix", access.Wanted{Conditions: []access.Condition{is(cColumn, equal, "kilo")}, Limit: 5, Whole: true}, "x3 keys=0 spans=2 bounded=1"},
		{"a product of 10,000", access.Wanted{Conditions: []access.Condition{is(aColumn, equal, many(100)...), is(bColumn, equal, many(100)...)}}, "x1 keys=0 spans=10000 bounded=2"},
		{"a product of 10,100", access.Wanted{Conditions: []access.Condition{is(aColumn, equal, many(100)...), is(bColumn, equal, many(101)...)}}, "x1 keys=0 spans=100 bounded=1"},
		{"more keys than are bounded", access.Wanted{Conditions: []access.Condition{is(idColumn, equal, many(10_001)...)}}, "PRIMARY keys=0 spans=1 bounded=0"},

		{"a text beside a number", access.Wanted{Conditions: []access.Condition{is(idColumn, equal, "7")}}, "PRIMARY keys=1 spans=0 bounded=1"},
		{"a fraction beside a whole number: the filter decides", access.Wanted{Conditions: []access.Condition{is(idColumn, equal, 7.5)}, Limit: 1, Whole: true}, "PRIMARY keys=1 spans=0 bounded=1"},
		{"a number beside a text", access.Wanted{Conditions: []access.Condition{is(cColumn, equal, 7)}}, "PRIMARY keys=0 spans=1 bounded=0"},
		{"a negative beside an unsigned", access.Wanted{Conditions: []access.Condition{is(uColumn, equal, -1)}}, "nothing"},
		{"a text beside a date", access.Wanted{Conditions: []access.Condition{is(dColumn, equal, "2024-02-29")}}, "x4 keys=0 spans=1 bounded=1"},
		{"a decimal of more digits", access.Wanted{Conditions: []access.Condition{is(nColumn, access.Greater, sqltypes.NewDecimal("1.005"))}, Limit: 3, Whole: true}, "x5 keys=0 spans=1 bounded=1"},
		{"a decimal", access.Wanted{Conditions: []access.Condition{is(nColumn, access.Greater, sqltypes.NewDecimal("1.25"))}, Limit: 3, Whole: true}, "x5 keys=0 spans=1 bounded=1 limit=3"},
		{"an unknown type of constant", access.Wanted{Conditions: []access.Condition{is(idColumn, equal, sqltypes.MakeTrusted(sqltypes.Geometry, []byte("x")))}}, "PRIMARY keys=0 spans=1 bounded=0"},

		{"the order of the key", access.Wanted{Order: []access.Order{up(idColumn)}, Limit: 5, Whole: true}, "PRIMARY keys=0 spans=1 bounded=0 ordered limit=5"},
		{"the order of the key, from the end", access.Wanted{Order: []access.Order{down(idColumn), up(bColumn)}, Limit: 5, Whole: true}, "PRIMARY keys=0 spans=1 bounded=0 ordered reverse limit=5"},
		{"an order without a limit", access.Wanted{Order: []access.Order{up(dColumn)}, Whole: true, Columns: all}, "PRIMARY keys=0 spans=1 bounded=0"},
		{"the order of an index up to a limit", access.Wanted{Order: []access.Order{up(dColumn)}, Limit: 4, Whole: true, Columns: all}, "x4 keys=0 spans=1 bounded=0 ordered limit=4"},
		{"a limit that other conditions filter", access.Wanted{Order: []access.Order{up(idColumn)}, Limit: 5}, "PRIMARY keys=0 spans=1 bounded=0 ordered"},
		{"the order behind an equal value", access.Wanted{Conditions: []access.Condition{is(aColumn, equal, 1)}, Order: []access.Order{up(bColumn)}, Limit: 2, Whole: true}, "x1 keys=0 spans=1 bounded=1 ordered limit=2"},
		{"the order behind two values", access.Wanted{Conditions: []access.Condition{is(aColumn, equal, 1, 2)}, Order: []access.Order{up(bColumn)}, Limit: 2, Whole: true}, "x1 keys=0 spans=2 bounded=1"},
		{"two directions", access.Wanted{Conditions: []access.Condition{is(aColumn, equal, 1)}, Order: []access.Order{up(bColumn), down(cColumn)}, Limit: 2, Whole: true}, "x1 keys=0 spans=1 bounded=1"},
		{"a limit without an order", access.Wanted{Conditions: []access.Condition{is(aColumn, equal, 1)}, Limit: 2, Whole: true}, "x1 keys=0 spans=1 bounded=1 limit=2"},
		{"a condition that no bound holds", access.Wanted{Conditions: []access.Condition{is(aColumn, equal, 1), is(dColumn, equal, "2024-01-01")}, Limit: 2, Whole: true}, "x1 keys=0 spans=1 bounded=1"},
		{"a bound that is used once", access.Wanted{Conditions: []access.Condition{is(idColumn, access.Greater, 1), is(idColumn, access.Greater, 5)}, Limit: 2, Whole: true}, "PRIMARY keys=0 spans=1 bounded=1"},
		{"NULL is in order", access.Wanted{Conditions: []access.Condition{is(aColumn, access.IsNull)}, Order: []access.Order{up(bColumn)}, Limit: 2, Whole: true}, "x1 keys=0 spans=1 bounded=1 ordered limit=2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := access.Choose(clock{}, d, c.w)
			if err != nil {
				t.Fatal(err)
			}
			if s := described(got); s != c.want {
				t.Errorf("%s, expected %s", s, c.want)
			}
		})
	}
}

// An index that holds all columns spares the round to the rows; a lock needs them.
func TestIndexThatCoversWins(t *testing.T) {
	table, err := sqltest.NewTable("t", []string{"id INT NOT NULL", "a INT", "b INT"}, []string{"id"},
		sqltest.Index{Columns: []string{"a"}}, sqltest.Index{Columns: []string{"a", "b"}})
	if err != nil {
		t.Fatal(err)
	}
	w := access.Wanted{Conditions: []access.Condition{is(1, access.Equal, 1)}, Columns: []int{0, 1, 2}}
	for want, locking := range map[string]bool{"x2": false, "x1": true} {
		w.Locking = locking
		got, err := access.Choose(clock{}, table.Desc, w)
		if err != nil || got.Index.Name != want {
			t.Errorf("locking %t: %s, expected %s (%v)", locking, got.Index.Name, want, err)
		}
	}
}

func TestTableWithoutKey(t *testing.T) {
	table, err := sqltest.NewTable("t", []string{"a INT", "b INT"}, nil, sqltest.Index{Columns: []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		if _, err := table.Insert(i%3, i); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		w    access.Wanted
		want int
	}{
		{access.Wanted{Order: []access.Order{{Column: 1}}, Limit: 1, Whole: true}, 6},
		{access.Wanted{Conditions: []access.Condition{is(0, access.Equal, 1)}}, 2},
	} {
		got, err := access.Choose(clock{}, table.Desc, c.w)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := table.Read(context.Background(), got.Access, txn.LockNone, txn.Wait(0), []int{0, 1})
		if err != nil || len(rows) != c.want {
			t.Errorf("%d rows, expected %d (%v)", len(rows), c.want, err)
		}
	}
}

// A text equals one padded key; of a key that is not padded, several.
func TestChoiceOfPaddedKeys(t *testing.T) {
	for _, c := range []struct {
		padded bool
		want   string
	}{{true, "PRIMARY keys=1 spans=0 bounded=1"}, {false, "PRIMARY keys=1 spans=1 bounded=1"}} {
		table, err := sqltest.NewPaddedTable("t", []string{"c VARCHAR(20) COLLATE utf8mb4_general_ci NOT NULL"}, []string{"c"}, c.padded)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"a\t", "ab ", "A ", "b"} {
			if _, err := table.Insert(text); err != nil {
				t.Fatal(err)
			}
		}
		for _, value := range []string{"a", "a  "} {
			got, err := access.Choose(clock{}, table.Desc, access.Wanted{Conditions: []access.Condition{is(0, access.Equal, value)}, Columns: []int{0}, Whole: true})
			if err != nil {
				t.Fatal(err)
			}
			if described(got) != c.want || got.Decided != c.padded {
				t.Errorf("padded %v, %q: %s, decided %v", c.padded, value, described(got), got.Decided)
			}
		}
		got, err := access.Choose(clock{}, table.Desc, access.Wanted{Conditions: []access.Condition{is(0, access.Like, "a%")}, Columns: []int{0}})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := table.Read(context.Background(), got.Access, txn.LockNone, txn.Wait(0), []int{0})
		if err != nil || len(rows) != 3 {
			t.Errorf("padded %v, LIKE: %v %v", c.padded, rows, err)
		}
	}
}
