package sql

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/cockroachdb/apd/v3"
	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
)

// argumentsOfFunctions are a row with a value of each kind that can be written into, and others.
func argumentsOfFunctions() (gms.Row, []gms.Type) {
	decimal := func(s string) *apd.Decimal { d, _, _ := apd.NewFromString(s); return d }
	doc, _, _ := types.JSON.Convert(context.Background(), `{"a": [3, 1, 2], "b": {"c": 1}}`)
	list, _, _ := types.JSON.Convert(context.Background(), `[3, 1, 2]`)
	return gms.Row{
			decimal("2.5000"), decimal("-7.1"), decimal("1234.5"), []byte("abcÄ"), []byte{0, 255, 1}, doc, list,
			"a text", "$.a", "2024-01-31", time.Date(2024, 1, 31, 10, 11, 12, 0, time.UTC), types.Timespan(1e9), int64(3), uint64(7), 1.5, types.Point{X: 1.5, Y: 2},
		}, []gms.Type{
			types.MustCreateDecimalType(20, 4), types.MustCreateDecimalType(10, 1), types.MustCreateDecimalType(30, 1), types.LongBlob, types.Blob, types.JSON, types.JSON,
			types.LongText, types.LongText, types.LongText, types.Datetime, types.Time, types.Int64, types.Uint64, types.Float64, types.PointType{},
		}
}

// shown is a value with all that it points to.
func shown(v any) string {
	if d, ok := v.(gms.JSONWrapper); ok {
		inner, _ := d.ToInterface(context.Background())
		return fmt.Sprintf("%#v", inner)
	}
	if d, ok := v.(*apd.Decimal); ok {
		return d.String()
	}
	return fmt.Sprintf("%#v", v)
}

// No function writes into its argument, which is a value of the row.
func TestFunctionsLeaveTheirArgumentsAlone(t *testing.T) {
	f := start(t)
	p := provider{f.servers["va"].gateway}
	ctx := gms.NewEmptyContext()
	row, argTypes := argumentsOfFunctions()
	was := make([]string, len(row))
	for i, v := range row {
		was[i] = shown(v)
	}
	calls := 0
	call := func(fn gms.Function, args ...int) {
		defer func() { _ = recover() }() // an argument of a kind that it does not take
		exprs := make([]gms.Expression, len(args))
		for i, a := range args {
			exprs[i] = expression.NewGetField(a, argTypes[a], fmt.Sprint("c", a), true)
		}
		e, err := fn.NewInstance(ctx, exprs)
		if err != nil {
			return
		}
		calls++
		_, _ = e.Eval(ctx, row)
	}
	for _, name := range sortedCatalogue() {
		if slices.Contains([]string{"benchmark", "repeat", "space", "lpad", "rpad", "random_bytes"}, name) {
			continue // a moment is a large number of times
		}
		fn, ok := p.Function(ctx, "", name)
		if !ok {
			continue
		}
		for i := range row {
			call(fn, i)
			for j := range row {
				call(fn, i, j)
				call(fn, i, j, (i+j)%len(row))
			}
		}
		for i, v := range row {
			if now := shown(v); now != was[i] {
				t.Errorf("%s writes into its argument: %s becomes %s", name, was[i], now)
				row, _ = argumentsOfFunctions()
				break
			}
		}
	}
	if calls < 10_000 {
		t.Errorf("only %d calls", calls)
	}
}

// CEIL and FLOOR do not change a row, wherever they stand.
func TestCeilAndFloorLeaveTheRowAlone(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY, d DECIMAL(10,2), n INT, CHECK (CEILING(d) < 100))")
	c.exec("INSERT INTO t VALUES (1, 2.50, 0), (2, 7.10, 0)")
	c.exec("UPDATE t SET n = n + 1 WHERE CEIL(d) = 3")
	c.exec("UPDATE t SET n = FLOOR(d) WHERE id = 2")
	c.expect("SELECT id, d, n, CEIL(d), d, FLOOR(d), d - FLOOR(d) FROM t ORDER BY id", "1 | 2.50 | 1 | 3 | 2.50 | 2 | 0.50\n2 | 7.10 | 7 | 8 | 7.10 | 7 | 0.10")
}
