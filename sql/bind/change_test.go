package bind

import (
	"errors"
	"strings"
	"testing"

	"vitess.io/vitess/go/vt/sqlparser"

	"isochron/sql/catalog"
	"isochron/sql/expr"
	"isochron/sql/parse"
	"isochron/sql/sqltest"
)

// changeScope has the tables t (a, b, c) and u (a, d), and the views v over t, j over both and g, which is grouped.
func changeScope(t *testing.T) Scope {
	t.Helper()
	made := map[string]*catalog.Descriptor{}
	for name, columns := range map[string][]string{"t": {"a INT", "b INT", "c INT"}, "u": {"a INT", "d INT"}} {
		w, err := sqltest.NewTable(name, columns, []string{"a"})
		if err != nil {
			t.Fatal(err)
		}
		w.Desc.Record.ID = uint64(name[0])
		made[name] = w.Desc
	}
	views := map[string]string{"v": "SELECT a AS x, b AS y FROM t WHERE c > 0", "j": "SELECT t.b, u.d FROM t JOIN u ON t.a = u.a", "g": "SELECT COUNT(*) AS n FROM t"}
	return Scope{
		Table: func(_, name string) (*catalog.Descriptor, bool) { d, ok := made[name]; return d, ok },
		View: func(_, name string) (*View, bool) {
			text, ok := views[name]
			return &View{Tree: parse.Query(text)}, ok
		},
	}
}

func boundChange(t *testing.T, text string) (*Change, error) {
	t.Helper()
	of, err := parse.ReadChange(text, parse.Mode{})
	if err != nil || of == nil {
		t.Fatalf("%s: %v", text, err)
	}
	return ChangeOf(of, changeScope(t))
}

func codeOf(err error) int {
	var e *expr.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

// What a change may not do is an error of MySQL's; 0: the change is refused here, for another reason.
func TestChangesThatAreRefused(t *testing.T) {
	for text, code := range map[string]int{
		"UPDATE t SET b = 1 WHERE a IN (SELECT a FROM t)":                                 1093,
		"UPDATE t SET b = (SELECT d FROM u WHERE d IN (SELECT a FROM t))":                 1093,
		"DELETE FROM t WHERE a IN (SELECT a FROM u UNION SELECT a FROM t)":                1093,
		"DELETE FROM v WHERE x = (SELECT MAX(a) FROM t)":                                  1093,
		"UPDATE t JOIN u ON t.a = u.a SET u.d = 1 WHERE t.b = (SELECT MAX(d) FROM u)":     1093,
		"INSERT INTO t (a) VALUES ((SELECT MAX(a) FROM t))":                               1093,
		"INSERT INTO t (a) VALUES (1) ON DUPLICATE KEY UPDATE b = (SELECT MAX(a) FROM t)": 1093,
		"INSERT INTO t (a, a) SELECT 1, 2":                                                1110,
		"INSERT INTO t (a, b) SELECT 1":                                                   1136,
		"INSERT INTO t (a) VALUES (1), (1, 2)":                                            1136,
		"UPDATE t, u SET t.b = 1 ORDER BY t.a":                                            1221,
		"UPDATE t, u SET t.b = 1 LIMIT 1":                                                 1221,
		"DELETE x FROM t JOIN u ON t.a = u.a":                                             1109,
		"DELETE t FROM t AS x":                                                            1109,
		"DELETE q FROM t, (SELECT DISTINCT d FROM u) q":                                   1288,
		"UPDATE t, (SELECT a FROM u) q SET q.a = 1":                                       1288,
		"WITH q AS (SELECT a FROM u) UPDATE t JOIN q SET q.a = 1":                         1288,
		"DELETE FROM j":                        1395,
		"UPDATE g SET n = 1":                   1288,
		"UPDATE t x, t y SET x.a = 1, y.b = 2": 1706,
		"UPDATE t, u SET a = 1":                1052,
		"INSERT INTO t (a, b) SELECT a, d FROM u ON DUPLICATE KEY UPDATE b = a":                   1052,
		"INSERT INTO t (a, b) SELECT a, MAX(d) FROM u GROUP BY a ON DUPLICATE KEY UPDATE b = u.d": 1054,
		"INSERT INTO t (a) SELECT 1 UNION SELECT 2 ON DUPLICATE KEY UPDATE b = u.d":               1054,
		"INSERT INTO t (a) SELECT DISTINCT a FROM u ON DUPLICATE KEY UPDATE b = u.d":              0,
	} {
		if _, err := boundChange(t, text); err == nil || codeOf(err) != code {
			t.Errorf("%s: %v, expected error %d", text, err, code)
		}
	}
}

// A derived table may read what is changed, a view names its table, and the rows of an INSERT ... SELECT may come from it.
func TestChangesThatAreNot(t *testing.T) {
	for _, text := range []string{
		"UPDATE t SET b = 1 WHERE a IN (SELECT a FROM (SELECT a FROM t) q)",
		"UPDATE t, (SELECT a FROM t WHERE b > 1) q SET t.b = 1 WHERE t.a = q.a",
		"WITH q AS (SELECT a FROM t) DELETE FROM t WHERE a IN (SELECT a FROM q)",
		"INSERT INTO t SELECT * FROM t WHERE a IN (SELECT a FROM t)",
		"UPDATE j SET b = 1, d = 2", "DELETE FROM v WHERE x = 1", "UPDATE v SET y = x", "DELETE QUICK FROM t", "DELETE t, u FROM t, u", "UPDATE t x, t y SET x.b = 1, y.b = 2",
	} {
		if _, err := boundChange(t, text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// The query of an UPDATE has each target's key and row, what assignments refer to, and the values of subqueries, unless these
// refer to columns that are assigned before.
func TestQueryOfAnUpdate(t *testing.T) {
	for text, want := range map[string]string{
		"UPDATE t SET b = 1, c = b + a":                                            "",
		"UPDATE t JOIN u ON t.a = u.a SET t.b = u.d, u.d = t.c":                    "row 3, row 4, row 6, row 7, row 8, row 2",
		"UPDATE t SET b = (SELECT MAX(d) FROM u), c = a":                           "row 3, row 4, subquery 0, row 0",
		"UPDATE t SET b = (SELECT MAX(d) FROM u WHERE u.a = t.b), c = b":           "row 3, row 4, subquery 0, row 1",
		"UPDATE t SET b = 1, c = (SELECT MAX(d) FROM u WHERE u.a = t.b)":           "row 3, row 4, row 1",
		"UPDATE t SET b = 1, c = 5 + (SELECT MAX(d) FROM u WHERE u.a > t.b + t.a)": "row 3, row 4, row 1, row 0",
		"DELETE t FROM t LEFT JOIN u USING (a)":                                    "row 3, row 4",
	} {
		c, err := boundChange(t, text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var items []string
		if c.Query != nil {
			for _, item := range c.Query.Items {
				n := item.Expr.(*sqlparser.ColName)
				items = append(items, strings.TrimPrefix(n.Qualifier.Name.String(), "\x00")+" "+n.Name.String())
			}
		}
		if got := strings.Join(items, ", "); got != want {
			t.Errorf("%s: items %s, expected %s", text, got, want)
		}
	}
}

// What ON DUPLICATE KEY UPDATE refers to of the tables of the query is selected besides.
func TestWhatOnDuplicateRefersTo(t *testing.T) {
	for text, want := range map[string]struct{ items, beyond int }{
		"INSERT INTO t (a, b) SELECT a, d FROM u ON DUPLICATE KEY UPDATE b = VALUES(b)":                            {2, 0},
		"INSERT INTO t (a) SELECT a FROM u ON DUPLICATE KEY UPDATE b = u.d + u.a + t.b, c = u.d":                   {2, 2},
		"INSERT INTO t (a) SELECT u.a FROM u, v ON DUPLICATE KEY UPDATE b = y + x":                                 {3, 2},
		"INSERT INTO t (a) SELECT a FROM u ON DUPLICATE KEY UPDATE b = (SELECT MAX(w.a) FROM u w WHERE w.a < u.d)": {2, 1},
		"INSERT INTO t (a) SELECT DISTINCT a FROM u ON DUPLICATE KEY UPDATE b = u.a":                               {1, 1},
		"INSERT INTO t (a) SELECT q.k FROM (SELECT 1 AS k, 2 AS l) q ON DUPLICATE KEY UPDATE b = q.l + q.l + l":    {2, 1},
	} {
		c, err := boundChange(t, text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if len(c.Query.Items) != want.items || len(c.Beyond) != want.beyond {
			t.Errorf("%s: %d items, %d of them beyond, expected %v", text, len(c.Query.Items), len(c.Beyond), want)
		}
	}
}
