package rounds_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"

	"isochron/sql/bind"
	"isochron/sql/catalog"
	"isochron/sql/exec"
	"isochron/sql/expr"
	"isochron/sql/parse"
	"isochron/sql/rounds"
	"isochron/sql/sqltest"
)

// clock gives statements the present.
type clock struct{}

func (clock) QueryTime() time.Time { return time.Now() }

// items is a table of 20 rows: id 1..20, a = id % 4, n a decimal, c a text that ignores case, d NULL for each third.
func items(t testing.TB) *sqltest.Table {
	t.Helper()
	table, err := sqltest.NewTable("t", []string{"id BIGINT NOT NULL", "a INT", "n DECIMAL(6,2)", "c VARCHAR(20) COLLATE utf8mb4_general_ci", "d INT"},
		[]string{"id"}, sqltest.Index{Columns: []string{"a"}}, sqltest.Index{Columns: []string{"c"}})
	if err != nil {
		t.Fatal(err)
	}
	for id := int64(1); id <= 20; id++ {
		var d any
		if id%3 != 0 {
			d = int32(id * 10)
		}
		if _, err := table.Insert(id, int32(id%4), fmt.Sprintf("%d.50", id), string("xyzXYZ"[id%6]), d); err != nil {
			t.Fatal(err)
		}
	}
	return table
}

func context8(t testing.TB) *expr.Context {
	t.Helper()
	id, ok := expr.Environment().CollationEnv().LookupID("utf8mb4_general_ci")
	if !ok {
		t.Fatal("the collation is not known")
	}
	return &expr.Context{Collation: id, Database: "shop"}
}

// compiled is a plan of a text over the table.
func compiled(c *expr.Context, table *sqltest.Table, text string) (*rounds.Plan, error) {
	tree := parse.Select(text)
	if tree == nil {
		return nil, &expr.Unsupported{What: text}
	}
	integers(tree)
	lookup := func(database, name string) (*catalog.Descriptor, bool) {
		return table.Desc, name == "t" && (database == "" || database == "shop")
	}
	q, err := bind.Bind(tree, bind.Scope{Table: lookup, FullGroup: true, Texts: parse.Texts(text, tree)})
	if err != nil {
		return nil, err
	}
	return rounds.Compile(c, q)
}

// rowsOf executes a plan: values with commas, rows with semicolons.
func rowsOf(c *expr.Context, table *sqltest.Table, p *rounds.Plan) (string, error) {
	from, err := p.Execute(context.Background(), clock{}, c, table, nil)
	if err != nil {
		return "", err
	}
	defer from.Close()
	return shownRows(p, from)
}

// shownRows are the rows of a plan: values with commas, rows with semicolons.
func shownRows(p *rounds.Plan, from exec.Source) (string, error) {
	var out []string
	for {
		rows, err := from.Next(context.Background())
		if rows == nil || err != nil {
			return strings.Join(out, ";"), err
		}
		for _, row := range rows {
			var cells []string
			for i := range p.Query.Items {
				if row[i].IsNull() {
					cells = append(cells, "NULL")
				} else {
					cells = append(cells, row[i].ToString())
				}
			}
			out = append(out, strings.Join(cells, ","))
		}
	}
}

func answer(t testing.TB, table *sqltest.Table, text string) (rows string, reads int) {
	t.Helper()
	c := context8(t)
	p, err := compiled(c, table, text)
	if err == nil {
		table.Reads = 0
		rows, err = rowsOf(c, table, p)
	}
	if err != nil {
		return "error: " + err.Error(), table.Reads
	}
	return rows, table.Reads
}

func TestAnswersAndReads(t *testing.T) {
	table := items(t)
	for _, tc := range []struct {
		text, rows string
		reads      int
	}{
		{"SELECT 1+1, 'a'", "2,a", 0},
		{"SELECT 1 WHERE 0", "", 0},
		{"SELECT id FROM t WHERE id = 7", "7", 1},
		{"SELECT id FROM t WHERE id IN (7, 99, 3, NULL, 3)", "3;7", 1},
		{"SELECT id FROM t WHERE id = 7 AND a = 0", "", 1},
		{"SELECT id FROM t WHERE id = 7.5", "", 1},
		{"SELECT id FROM t WHERE id = NULL", "", 0},
		{"SELECT id, a FROM t WHERE id BETWEEN 4 AND 6 ORDER BY a DESC", "6,2;5,1;4,0", 1},
		{"SELECT t.id x FROM shop.t WHERE t.id > 17 ORDER BY x DESC LIMIT 2", "20;19", 1},
		{"SELECT id FROM t ORDER BY id LIMIT 2 OFFSET 3", "4;5", 1},
		{"SELECT a, id FROM t WHERE a = 3 ORDER BY id", "3,3;3,7;3,11;3,15;3,19", 1},
		{"SELECT n FROM t WHERE a = 3 ORDER BY id LIMIT 1", "3.50", 2},
		{"SELECT id FROM t WHERE c = 'X' AND id < 8 ORDER BY id", "3;6", 1},
		{"SELECT DISTINCT c FROM t WHERE id < 7 ORDER BY 1", "X;y;z", 1},
		{"SELECT a, COUNT(*), SUM(n), MAX(d) FROM t GROUP BY a ORDER BY a", "0,5,62.50,200;1,5,47.50,170;2,5,52.50,140;3,5,57.50,190", 1},
		{"SELECT a + 1 AS b, COUNT(d) FROM t GROUP BY b HAVING COUNT(d) > 3 ORDER BY b DESC", "2,4;1,4", 1},
		{"SELECT COUNT(*) FROM t", "20", 1},
		{"SELECT COUNT(*), SUM(d) FROM t WHERE id > 100", "0,NULL", 1},
		{"SELECT a, SUM(id), GROUPING(a) FROM t WHERE id < 5 GROUP BY a WITH ROLLUP", "0,4,0;1,1,0;2,2,0;3,3,0;NULL,10,1", 1},
		{"SELECT id FROM t WHERE (d, n) IN ((10, 1.50), (20, 2.50)) ORDER BY id DESC", "2;1", 1},
		{"SELECT id FROM t WHERE d IS NULL AND id < 7", "3;6", 1},
		{"SELECT id FROM t HAVING id = 2", "2", 1},
		{"SELECT id FROM t ORDER BY id DESC LIMIT 18, 18446744073709551615", "2;1", 1},
		{"SELECT id FROM t USE INDEX (PRIMARY) WHERE id = 2", "2", 1},
		{"SELECT id FROM t WHERE id < 3 OR id > 18 ORDER BY id", "1;2;19;20", 1},
		{"SELECT id FROM t WHERE id < 3 OR id BETWEEN 2 AND 4 OR id = 3 ORDER BY id", "1;2;3;4", 1},
		{"SELECT id FROM t WHERE id < 3 AND a = 1 OR id > 18 AND a > 2", "1;19", 1},
		{"SELECT id FROM t WHERE (a, id) IN ((1, 5), (2, 6), (3, 8))", "5;6", 1},
		{"SELECT id FROM t WHERE (a, id) < (1, 5) AND id < 9 ORDER BY id", "1;4;8", 1},
		{"SELECT id FROM t WHERE c LIKE 'x%' AND id < 7 ORDER BY id", "3;6", 1},
		{"SELECT MAX(id) FROM t GROUP BY a ORDER BY MAX(id) DESC LIMIT 1", "20", 1},
	} {
		rows, reads := answer(t, table, tc.text)
		if rows != tc.rows || reads != tc.reads {
			t.Errorf("%s\ngot  %s in %d reads\nwant %s in %d", tc.text, rows, reads, tc.rows, tc.reads)
		}
	}
}

// What is not executed is refused; other errors are MySQL's.
func TestRefusals(t *testing.T) {
	table := items(t)
	for _, text := range []string{
		"SELECT id FROM other", "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i FROM n ORDER BY i) SELECT * FROM n",
	} {
		_, err := compiled(context8(t), table, text)
		var refused *expr.Unsupported
		if !errors.As(err, &refused) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for text, code := range map[string]int{
		"SELECT id FROM t FORCE INDEX (nope) WHERE id = 2": 1176, "SELECT DISTINCT a FROM t ORDER BY id": 3065, "SELECT SUM(SUM(id)) FROM t": 1111,
		"SELECT c, a FROM t GROUP BY a": 1055, "SELECT c, COUNT(*) FROM t": 1140, "SELECT FIND_IN_SET('a')": 1582,
		"SELECT nope FROM t": 1054, "SELECT id FROM t WHERE SUM(id) = 1": 1111, "SELECT id FROM t GROUP BY 9": 1054,
	} {
		_, err := compiled(context8(t), table, text)
		var e *expr.Error
		if !errors.As(err, &e) || e.Code != code {
			t.Errorf("%s: %v, expected %d", text, err, code)
		}
	}
}

// A plan is executed with other values of its parameters.
func TestParameters(t *testing.T) {
	table, c := items(t), context8(t)
	p, err := compiled(c, table, "SELECT id FROM t WHERE id > ? AND a = ? ORDER BY id LIMIT ?")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ values, want string }{{"4 1 2", "5;9"}, {"0 3 1", "3"}, {"100 1 9", ""}} {
		c.Parameters = map[string]*querypb.BindVariable{}
		for i, v := range strings.Fields(tc.values) {
			c.Parameters[fmt.Sprintf("v%d", i+1)] = &querypb.BindVariable{Type: sqltypes.Int64, Value: []byte(v)}
		}
		if got, err := rowsOf(c, table, p); got != tc.want || err != nil {
			t.Errorf("%s: %s, %v; expected %s", tc.values, got, err, tc.want)
		}
	}
}

// No text makes parser, binder or compiler panic or end without an answer.
func FuzzSelect(f *testing.F) {
	for _, text := range []string{
		"SELECT a, SUM(n) s FROM t WHERE id IN (1, 2) GROUP BY a HAVING s > 1 ORDER BY 2 DESC LIMIT 1", "SELECT DISTINCT upper(c) FROM t WHERE (a, id) = (1, 2) AND c <=> NULL",
		"SELECT CASE WHEN a THEN c ELSE 'x' END, id MOD 3 FROM t ORDER BY c COLLATE utf8mb4_bin", "SELECT GROUPING(a) FROM t GROUP BY a WITH ROLLUP",
	} {
		f.Add(text)
	}
	table := items(f)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 || strings.Count(text, "(") > 100 {
			t.Skip() // the caller bounds it before
		}
		c := context8(t)
		if p, err := compiled(c, table, text); err == nil {
			_, _ = rowsOf(c, table, p)
		}
	})
}
