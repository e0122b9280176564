package dialect

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func (v Value) told() string {
	switch {
	case v.Null:
		return "NULL"
	case v.Arg >= 0:
		return fmt.Sprintf("?%d", v.Arg)
	case v.Number:
		return v.Text
	}
	return "'" + v.Text + "'"
}

func (b *Bound) told(low bool) string {
	if b == nil {
		return ""
	}
	if b.Open == low {
		return map[bool]string{true: "(", false: "]"}[low] + b.Value.told()
	}
	return map[bool]string{true: "[", false: ")"}[low] + b.Value.told()
}

func (k Keys) told() string {
	if k.All {
		return "all"
	}
	parts := []string{}
	for _, v := range k.Values {
		parts = append(parts, v.told())
	}
	for _, r := range k.Ranges {
		parts = append(parts, r.Low.told(true)+".."+r.High.told(false))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, " ")
}

// TestKeys checks the values of a column of a table that each statement can touch. Where two
// conditions meet, more may be listed than can be touched, but never less.
func TestKeys(t *testing.T) {
	for _, c := range []struct{ table, column, text, want string }{
		{"orders", "account", "SELECT * FROM orders WHERE account = 5", "5"},
		{"orders", "account", "SELECT * FROM orders WHERE 5 = orders.ACCOUNT", "5"},
		{"orders", "account", "SELECT * FROM orders o WHERE o.account = ? AND qty > 3", "?0"},
		{"orders", "account", "SELECT * FROM orders WHERE account IN (1, 2, ?, NULL)", "1 2 ?0"},
		{"orders", "account", "SELECT * FROM orders WHERE account IN (1, 2) AND account IN (2, 3)", "2"},
		{"orders", "account", "SELECT * FROM orders WHERE account = 1 AND account = 2", "none"},
		{"orders", "account", "SELECT * FROM orders WHERE account = '1' AND account = 2", "'1'"},
		{"orders", "account", "SELECT * FROM orders WHERE account = 1 OR account > 7", "1 (7.."},
		{"orders", "account", "SELECT * FROM orders WHERE account = 1 OR qty = 7", "all"},
		{"orders", "account", "SELECT * FROM orders WHERE account >= 3 AND account < 9 AND account > 4", "(4..)9"},
		{"orders", "account", "SELECT * FROM orders WHERE account BETWEEN 3 AND ?", "[3..]?0"},
		{"orders", "account", "SELECT * FROM orders WHERE account BETWEEN 3 AND 9 AND account = 4", "4"},
		{"orders", "account", "SELECT * FROM orders WHERE account = NULL", "none"},
		{"orders", "account", "SELECT * FROM orders WHERE account IS NULL", "NULL"},
		{"orders", "account", "SELECT * FROM orders WHERE account <=> 3", "3"},
		{"orders", "account", "SELECT * FROM orders WHERE NOT account = 5", "all"},
		{"orders", "account", "SELECT * FROM orders WHERE account <> 5", "all"},
		{"orders", "account", "SELECT * FROM orders WHERE account + 1 = 5", "all"},
		{"orders", "account", "SELECT * FROM orders WHERE account = 2 + 3", "all"},
		{"orders", "account", "SELECT * FROM orders WHERE account = -5", "-5"},
		{"orders", "account", "SELECT * FROM orders", "all"},
		{"orders", "account", "SELECT 1", "none"},
		{"orders", "account", "SELECT * FROM orders WHERE account = 1 UNION SELECT * FROM orders WHERE account = 2", "1 2"},
		{"orders", "account", "SELECT * FROM accounts WHERE id IN (SELECT account FROM orders WHERE account = 3)", "3"},
		{"orders", "account", "SELECT (SELECT MAX(qty) FROM orders) FROM accounts WHERE id = 1", "all"},
		{"orders", "account", "UPDATE orders SET qty = 1 WHERE account = 4 ORDER BY id LIMIT 1", "4"},
		{"orders", "account", "DELETE FROM orders WHERE account < ?", "..)?0"},
		// Joins: conditions on a column also hold for the columns that must equal it.
		{"orders", "account", "SELECT * FROM accounts a JOIN orders o ON o.account = a.id WHERE a.id = 5", "5"},
		{"orders", "account", "SELECT * FROM accounts a, orders o WHERE o.account = a.id AND a.id = 5", "5"},
		{"accounts", "id", "SELECT * FROM accounts a JOIN orders o ON o.account = a.id AND o.account IN (1, 2)", "1 2"},
		{"users", "id", "SELECT * FROM users JOIN accounts USING (id) WHERE accounts.id = 3", "3"},
		{"orders", "account", "SELECT * FROM accounts a LEFT JOIN orders o ON o.account = a.id WHERE a.id = 5", "all"},
		{"orders", "account", "SELECT * FROM accounts a LEFT JOIN orders o ON o.account = 5", "5"},
		{"orders", "account", "SELECT * FROM accounts a LEFT JOIN orders o ON o.account = a.id WHERE o.account IS NULL", "all"},
		{"orders", "account", "SELECT * FROM accounts a LEFT JOIN orders o ON o.account = a.id WHERE o.account <=> ?", "all"},
		{"accounts", "id", "SELECT * FROM accounts a LEFT JOIN orders o ON a.id = 5", "all"},
		{"accounts", "id", "SELECT * FROM orders o RIGHT JOIN accounts a ON a.id = 5", "all"},
		{"orders", "account", "SELECT * FROM orders a JOIN orders b ON a.id = b.id WHERE a.account = 1 AND b.account = 2", "1 2"},
		// A name without its table: the schema determines its table.
		{"orders", "account", "SELECT * FROM accounts JOIN orders WHERE account = 6", "6"},
		{"orders", "id", "SELECT * FROM accounts JOIN orders WHERE id = 6", "all"},
		{"orders", "account", "SELECT * FROM orders, (SELECT 1 AS account) AS d WHERE account = 6", "all"},
		{"orders", "account", "WITH orders AS (SELECT 1 AS account) SELECT * FROM orders WHERE account = 6", "none"},
	} {
		p, err := Analyse(c.text, Options{})
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := p.Statements[0].Keys(Name{"", c.table}, c.column, caseSchema{}).told(); got != c.want {
			t.Errorf("%s of %s in %s: %s, not %s", c.column, c.table, c.text, got, c.want)
		}
	}
}

func TestAnalyse(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"SELECT * FROM a JOIN b.c x ON 1", "read reads[a b.c] writes[]"},
		{"/* x */ SELECT 1; /*+ last */ UPDATE t SET a = 1; COMMIT;", "read reads[] writes[] | update reads[] writes[t] last | control reads[] writes[] commits | commits last"},
		{"BEGIN; INSERT INTO t VALUES (';'), ('--'); -- ; x\n", "control reads[] writes[] begins | insert reads[] writes[t]"},
		{"UPDATE t /*+ LAST */ SET a = 1", "update reads[] writes[t] last | last"},
		{"SELECT '/*+ last */' FROM t FOR UPDATE", "read reads[t] writes[] locks"},
		{"INSERT INTO t SELECT * FROM u WHERE EXISTS (SELECT 1 FROM v)", "insert reads[u v] writes[t]"},
		{"WITH c AS (SELECT * FROM a) SELECT * FROM c, b", "read reads[a b] writes[]"},
		{"WITH a AS (SELECT * FROM a) SELECT * FROM a", "read reads[a] writes[]"},
		{"SELECT (SELECT MAX(x) FROM a), CASE WHEN EXISTS (SELECT 1 FROM b) THEN 1 END FROM DUAL ORDER BY (SELECT y FROM c)", "read reads[a b c] writes[]"},
		{"SELECT * FROM (SELECT * FROM a UNION SELECT * FROM b) d LEFT JOIN c ON c.x = (SELECT 1 FROM e)", "read reads[a b e c] writes[]"},
		{"UPDATE a JOIN b ON a.x = b.x SET a.y = (SELECT 1 FROM c)", "update reads[a b c] writes[a]"},
		{"DELETE a FROM a JOIN b ON a.x = b.x", "delete reads[a b] writes[a]"},
		{"INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE x = (SELECT 1 FROM u)", "insert reads[u] writes[t]"},
		{"CREATE TABLE t (a INT); DROP TABLE a, b; ALTER TABLE c ADD d INT; RENAME TABLE e TO f", "define reads[] writes[t] | define reads[] writes[a b] | define reads[] writes[c] | define reads[] writes[e f]"},
		{"SELECT GROUP_CONCAT((SELECT 1 FROM a)), SUM(x) OVER (PARTITION BY (SELECT 1 FROM b)) FROM c", "read reads[c a b] writes[]"},
		{"SELECT x IN (SELECT 1 FROM a), x + INTERVAL (SELECT 1 FROM b) DAY, COALESCE((SELECT 1 FROM d)), NOT (SELECT 1 FROM e), -(SELECT 1 FROM f), (SELECT 1 FROM g) IS NULL, x BETWEEN (SELECT 1 FROM h) AND 2, CAST((SELECT 1 FROM i) AS CHAR), TRIM((SELECT 1 FROM j)), EXTRACT(DAY FROM (SELECT 1 FROM k)), TIMESTAMPDIFF(DAY, (SELECT 1 FROM l), x), (SELECT 1 FROM m) COLLATE utf8mb4_bin, CONVERT((SELECT 1 FROM n) USING utf8mb4) FROM c",
			"read reads[c a b d e f g h i j k l m n] writes[]"},
	} {
		p, err := Analyse(c.text, Options{})
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := p.told(); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

func (p Packet) told() string {
	var parts []string
	for _, s := range p.Statements {
		part := fmt.Sprintf("%s reads%v writes%v", s.Kind, s.Reads, s.Writes)
		for i, is := range []bool{s.Commits, s.Begins, s.Locks, s.Last} {
			if is {
				part += " " + []string{"commits", "begins", "locks", "last"}[i]
			}
		}
		parts = append(parts, part)
	}
	ends := ""
	if p.Commits {
		ends = "commits "
	}
	if p.Last {
		ends += "last"
	}
	if ends != "" {
		parts = append(parts, strings.TrimSpace(ends))
	}
	return strings.Join(parts, " | ")
}

func TestRows(t *testing.T) {
	p, err := Analyse("INSERT INTO orders (item, account, id) VALUES (?, 7, ?), ('a', ?, 2), ('b\\_', 9, 3) ON DUPLICATE KEY UPDATE qty = ?", Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := p.Statements[0]
	keys, err := s.RowKeys("Account", caseSchema{})
	if err != nil || fmt.Sprint(keys) != "[{-1 7 true false} {2  false false} {-1 9 true false}]" {
		t.Error(keys, err)
	}
	part, err := s.WithRows([]int{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	tr, err := TranslateTree(part, MySQL, caseSchema{}, Options{})
	if want := "insert into `orders`(`item`, `account`, `id`) values ('a', ?, 2), ('b\\_', 9, 3) on duplicate key update `qty` = ?"; err != nil || tr.Text != want || fmt.Sprint(tr.Args) != "[2 3]" {
		t.Errorf("%q %v %v", tr.Text, tr.Args, err)
	}
	tr, err = TranslateTree(part, Postgres, caseSchema{}, Options{})
	if want := `INSERT INTO "orders" ("item", "account", "id") VALUES ('a', $1, 2), (E'b\\_', 9, 3) ON CONFLICT ("id") DO UPDATE SET "qty" = $2`; err != nil || tr.Text != want || fmt.Sprint(tr.Args) != "[2 3]" {
		t.Errorf("%q %v %v", tr.Text, tr.Args, err)
	}
	for _, text := range []string{
		"INSERT INTO orders (id) VALUES (1)", "INSERT INTO orders SELECT * FROM orders", "INSERT INTO orders (account) VALUES (1 + 1)",
		"INSERT INTO unknown VALUES (1)", "UPDATE orders SET account = 1", "INSERT INTO orders () VALUES ()",
	} {
		p, err := Analyse(text, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Statements[0].RowKeys("account", caseSchema{}); !errors.As(err, new(*ErrNotTranslated)) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestSets(t *testing.T) {
	for text, want := range map[string]bool{
		"UPDATE orders SET Account = 1": true, "UPDATE orders SET qty = 1 WHERE account = 1": false,
		"INSERT INTO orders (account) VALUES (1) ON DUPLICATE KEY UPDATE account = 2": true,
		"INSERT INTO orders (account) VALUES (1)":                                     false,
		"UPDATE accounts SET account = 1":                                             false,
	} {
		p, err := Analyse(text, Options{})
		if err != nil || p.Statements[0].Sets(Name{"", "orders"}, "account") != want {
			t.Error(text, err)
		}
	}
}
