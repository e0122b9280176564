package parse

import (
	"strings"
	"testing"

	"vitess.io/vitess/go/vt/sqlparser"
)

// A text under a mode is read as what it means without one.
func TestRead(t *testing.T) {
	for _, q := range []struct{ mode, text, want string }{
		{"ANSI_QUOTES", `select "a""b` + "`" + `c" from t where b = 'x"y'`, "select `a\"b``c` from t where b = 'x\"y'"},
		{"", `select "a"`, "select 'a' from dual"},
		{"PIPES_AS_CONCAT", "select a || b || c from t", "select concat(concat(a, b), c) from t"},
		{"PIPES_AS_CONCAT", "select a * b || c collate utf8mb4_bin from t", "select a * concat(b, c collate utf8mb4_bin) from t"},
		{"NO_BACKSLASH_ESCAPES", `select 'a\' like '%\'`, `select 'a\\' like '%\\' escape '' from dual`},
		{"HIGH_NOT_PRECEDENCE", "select not a between b and c from t where not a in (1) and b not in (2) and c is not null", "select !a between b and c from t where !a in (1) and b not in (2) and c is not null"},
		{"", "select {d '2024-01-31'}, {fn now()}", "select date'2024-01-31', now() from dual"},
		{"", "(select 1 from a limit 1) limit 2", "select 1 from a limit 1 | limit 2"},
		{"", "((select 1 from a order by b limit 1) order by c)", "select 1 from a order by b asc limit 1 | order by c asc"},
		{"", "(select 1 from a limit 1) union (select 2 from b limit 1) limit 2", "(select 1 from a limit 1) union (select 2 from b limit 1) limit 2"},
		{"", "(select 1 from a) limit 2", "select 1 from a limit 2"},
	} {
		tree, err := Read(q.text, ModeOf(q.mode))
		if err != nil {
			t.Errorf("%s: %v", q.text, err)
			continue
		}
		got := ""
		if u, ok := tree.(*sqlparser.Union); ok && Wraps(u) {
			got = sqlparser.String(u.Left) + " |" + sqlparser.String(u.OrderBy) + sqlparser.String(u.Limit)
		} else {
			got = sqlparser.String(tree)
		}
		if got != q.want {
			t.Errorf("%s: %s, expected %s", q.text, got, q.want)
		}
	}
	if _, err := Read("select a ^ b || c from t", Mode{Pipes: true}); err == nil {
		t.Error("^ beside || was read")
	}
}

// An error of syntax shows the place.
func TestSyntaxErrors(t *testing.T) {
	for text, near := range map[string]string{
		"select id form a": "'a' at line 1", "select id\nfrom a\nwhere": "'' at line 3", "select id, * from a": "'* from a' at line 1", "select 1 from a order 'x'": "''x'' at line 1",
	} {
		if _, err := Read(text, Mode{}); err == nil || !strings.HasSuffix(err.Error(), "near "+near) {
			t.Errorf("%q: %v, expected near %s", text, err, near)
		}
	}
	for text, want := range map[string]bool{
		"with q as (select 1) update a set b = 1": false, "with q as (select 1": true, "with q as (select 'update') select": true, "(select": true, "update a": false,
	} {
		if IsQuery(text) != want {
			t.Errorf("%s: %v", text, !want)
		}
	}
}

// A table has the lock of the clause that names it, and no other has one.
func TestLocksOfTables(t *testing.T) {
	locks := func(text string) string {
		tree, err := Read(text, Mode{})
		if err != nil {
			return err.Error()
		}
		var out []string
		_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
			if a, ok := n.(*sqlparser.AliasedTableExpr); ok && LockOf(a) != sqlparser.NoLock {
				out = append(out, nameOfTable(a)+LockOf(a).ToString())
			}
			return true, nil
		}, tree)
		return strings.Join(out, ",")
	}
	for text, want := range map[string]string{
		"select 1 from a, b as c for update of c nowait":                               "c for update nowait",
		"select 1 from a join b for share of `a` skip locked for update of b":          "a for share skip locked,b for update",
		"select 1 from (select 1 from a for update of a) q, b for share of q":          "q for share,a for update",
		"select 1 from a for update":                                                   "",
		"select 1 from a for update of b":                                              "Unresolved table name `b` in locking clause.",
		"select 1 from a for update of a for share of a":                               "Table a appears in multiple locking clauses.",
		"select 1 from a where id in (select 1 from b for update) for share of a, a.a": "Table a appears in multiple locking clauses.",
	} {
		if got := locks(text); got != want {
			t.Errorf("%s: %s, expected %s", text, got, want)
		}
	}
}
