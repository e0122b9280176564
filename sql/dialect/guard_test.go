package dialect

import (
	"slices"
	"strings"
	"testing"
)

// twoTables has a table with a key of one column, and one with a key of two.
type twoTables struct{}

func (twoTables) Table(_, name string) (*Table, bool) {
	column := func(name string) Column { return Column{Name: name, Type: "bigint"} }
	switch name {
	case "t":
		return &Table{Schema: "s", Name: "t", Columns: []Column{column("id"), column("v")}, Key: []string{"id"}}, true
	case "u":
		return &Table{Schema: "s", Name: "u", Columns: []Column{column("a"), column("b"), column("w")}, Key: []string{"a", "b"}}, true
	}
	return nil, false
}

// What a statement is guarded by, beside the locks of its rows; and how many rows it must find to
// need nothing beside these.
func TestGuards(t *testing.T) {
	const tShare, uShare = `LOCK TABLE "s"."t" IN SHARE MODE`, `LOCK TABLE "s"."u" IN SHARE MODE`
	const tBoth = `LOCK TABLE "s"."t" IN SHARE ROW EXCLUSIVE MODE`
	for _, c := range []struct {
		text  string
		least int
		guard string
	}{
		{"SELECT v FROM t WHERE id = 1", 1, tShare},
		{"SELECT v FROM t WHERE id = 1 AND v > 2 LIMIT 1", 1, tShare},
		{"SELECT v FROM t WHERE id = ?", 1, tShare},
		{"SELECT v FROM t WHERE id IN (1, 2, 2, 3)", 3, tShare},
		{"SELECT v FROM t WHERE id IN (1, v)", 0, tShare},
		{"SELECT w FROM u WHERE a = 1 AND b = 2", 1, uShare},
		{"SELECT w FROM u WHERE a = 1 AND b IN (2, 3)", 0, uShare},
		{"SELECT w FROM u WHERE a = 1", 0, uShare},
		{"SELECT v FROM t WHERE id > 1", 0, tShare},
		{"SELECT v FROM t", 0, tShare},
		{"SELECT COUNT(*) FROM t WHERE id = 1", 0, tShare},
		{"SELECT DISTINCT v FROM t WHERE id = 1", 0, tShare},
		{"SELECT v FROM t WHERE id = 1 UNION SELECT w FROM u WHERE a = 1 AND b = 2", 0, `LOCK TABLE "s"."t", "s"."u" IN SHARE MODE`},
		{"SELECT v FROM t WHERE id = (SELECT w FROM u WHERE a = 1 AND b = 2)", 0, `LOCK TABLE "s"."t", "s"."u" IN SHARE MODE`},
		{"SELECT v, (SELECT v FROM t WHERE id = 2) FROM t WHERE id = 1", 0, tShare},
		{"SELECT t.v FROM t JOIN u ON t.id = u.a WHERE t.id = 1", 0, `LOCK TABLE "s"."t", "s"."u" IN SHARE MODE`},
		{"SELECT v FROM t WHERE id = 1 FOR UPDATE", 1, tBoth},
		{"SELECT v FROM t WHERE v = 1 FOR UPDATE NOWAIT", 0, tBoth + " NOWAIT"},
		{"SELECT v FROM t WHERE v = 1 FOR UPDATE SKIP LOCKED", 0, ""},
		{"SELECT t.v FROM t, u WHERE t.id = u.a FOR UPDATE OF t", 0, `LOCK TABLE "s"."t", "s"."u" IN SHARE ROW EXCLUSIVE MODE`},
		{"UPDATE t SET v = 2 WHERE id = 1", 1, tBoth},
		{"UPDATE t SET v = 2 WHERE v = 1", 0, tBoth},
		{"UPDATE t SET v = 2", 0, tBoth},
		{"UPDATE t JOIN u ON t.id = u.a SET t.v = u.w WHERE t.id = 1", 0, tBoth + ";" + uShare},
		{"DELETE FROM t WHERE id = 1", 1, tBoth},
		{"DELETE FROM t WHERE v < 3 LIMIT 2", 0, tBoth},
		{"INSERT INTO t VALUES (1, 2), (3, 4)", 2, tShare},
		{"INSERT IGNORE INTO t VALUES (1, 2)", 1, tShare},
		{"INSERT INTO t VALUES (1, 2) ON DUPLICATE KEY UPDATE v = 3", -1, tShare},
		{"INSERT INTO t SELECT a, w FROM u WHERE b = 2", 0, tBoth + ";" + uShare},
		{"INSERT INTO t VALUES (1, (SELECT w FROM u WHERE a = 1 AND b = 2))", 0, tBoth + ";" + uShare},
		{"SELECT 1", 0, ""},
	} {
		for _, share := range []bool{true, false} {
			tr, err := Translate(c.text, Postgres, twoTables{}, Options{Share: share})
			if err != nil {
				t.Errorf("%s: %v", c.text, err)
				continue
			}
			least, guard := c.least, c.guard
			if !share {
				least, guard = 0, ""
			}
			if got := strings.Join(tr.Guard, ";"); got != guard || tr.Least != least {
				t.Errorf("%s is guarded by %q, from %d rows on by nothing; it should be %q, %d", c.text, got, tr.Least, guard, least)
			}
		}
	}
	if tr, err := Translate("SELECT v FROM t WHERE id = 1", MySQL, twoTables{}, Options{Share: true}); err != nil || !slices.Equal(tr.Guard, nil) {
		t.Errorf("a MySQL is asked to guard: %v, %v", tr.Guard, err)
	}
}
