package rounds_test

import (
	"errors"
	"strings"
	"testing"

	"isochron/sql/bind"
	"isochron/sql/expr"
	"isochron/sql/parse"
	"isochron/sql/rounds"
	"isochron/sql/sqltest"
)

// allTypes has a column of each kind of type, with texts of three collations.
var allTypes = []string{
	"id BIGINT NOT NULL", "z INT(5) UNSIGNED ZEROFILL", "d DECIMAL(10,2)", "f FLOAT", "db DOUBLE(8,2)", "bt BIT(8)", "y YEAR", "v VARCHAR(20) COLLATE utf8mb4_general_ci",
	"vb VARCHAR(20) COLLATE utf8mb4_bin", "vu VARCHAR(20) COLLATE utf8mb4_unicode_ci", "bl BLOB", "e ENUM('x','y') COLLATE utf8mb4_general_ci", "st SET('a','b') COLLATE utf8mb4_general_ci",
	"j JSON", "da DATE", "dt DATETIME(3)", "ts TIMESTAMP NULL", "tm TIME(6)",
}

// The bounds of what is compiled here; a server bounds texts before they are parsed.
const (
	fuzzedBytes    = 2048
	fuzzedBrackets = 40
	fuzzedWords    = 40 // of SELECT, each a block of the plan
)

// No text of a query or change makes parser, binder or compiler panic. Nothing is executed. What a plan takes is bounded by
// the text's length and nesting.
func FuzzCompile(f *testing.F) {
	for _, text := range []string{
		"SELECT IF(a.bt, a.vu, o.name) FROM kinds a LEFT JOIN customers o ON a.id = o.id AND a.v LIKE o.city WHERE a.e IN ('x', 2) ORDER BY a.vb DESC LIMIT 3",
		"WITH RECURSIVE c AS (SELECT 1 n UNION ALL SELECT n + 1 FROM c WHERE n < 3) SELECT c.n, (SELECT MAX(k.tm) FROM kinds k WHERE k.id = c.n) FROM c",
		"SELECT y, SUM(d) s, GROUP_CONCAT(DISTINCT st ORDER BY f SEPARATOR ';') FROM kinds GROUP BY y WITH ROLLUP HAVING s > x'61' OR COUNT(*) < '2024-02-30'",
		"SELECT LAG(z, 1, 0) OVER w, RANK() OVER (PARTITION BY vu ORDER BY dt) FROM kinds WINDOW w AS (ORDER BY da ROWS 1 PRECEDING)",
		"SELECT id FROM orders WHERE (id, customer) IN (SELECT id, 1 FROM kinds) UNION SELECT total FROM orders EXCEPT SELECT 1 INTERSECT VALUES ROW(1), ROW(2)",
		"SELECT k.id FROM kinds k, LATERAL (SELECT o.id FROM orders o WHERE o.customer = k.id ORDER BY 1 LIMIT 1) t WHERE j->'$.a' = CAST(ts AS JSON) AND dt BETWEEN 1 AND da",
		"SELECT bl | bl, REGEXP_SUBSTR(v, '^a'), da + INTERVAL f DAY, CASE vb WHEN vu THEN 1 END, COLLATION(e) COLLATE utf8mb4_bin FROM kinds FOR UPDATE SKIP LOCKED",
		"INSERT INTO kinds (id, v) SELECT id, name FROM customers ON DUPLICATE KEY UPDATE v = VALUES(v), z = z + 1", "UPDATE kinds k JOIN orders o ON k.id = o.id SET k.da = o.total, o.total = k.bt",
		"DELETE FROM kinds WHERE tm = 1 OR v > ANY (SELECT city FROM customers) ORDER BY id LIMIT 2", "REPLACE INTO orders SET id = 1, total = DEFAULT(total)", "SELECT * FROM paid, counted WHERE who <=> customer",
	} {
		f.Add(text)
	}
	s := newShop(f)
	kinds, err := sqltest.NewTable("kinds", allTypes, []string{"id"}, sqltest.Index{Columns: []string{"v"}}, sqltest.Index{Columns: []string{"dt"}})
	if err != nil {
		f.Fatal(err)
	}
	s.tables["kinds"] = kinds
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > fuzzedBytes || strings.Count(text, "(") > fuzzedBrackets || strings.Count(strings.ToLower(text), "select") > fuzzedWords {
			t.Skip()
		}
		s.c = context8(t)
		_, err := s.compile(text)
		if of, _ := parse.ReadChange(text, parse.Mode{}); of != nil {
			c, changes := bind.ChangeOf(of, bind.Scope{FullGroup: true, Table: s.lookup})
			if changes == nil && c.Query != nil {
				_, changes = rounds.Compile(s.c, c.Query)
			}
			err = errors.Join(err, changes)
		}
		var panicked *expr.Panic
		if errors.As(err, &panicked) {
			t.Fatalf("%s\n%s\n%s", text, panicked.Reason, panicked.Stack)
		}
	})
}
