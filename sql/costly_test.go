package sql

import (
	"math/rand/v2"
	"strings"
	"testing"

	gms "github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
)

// Statements of one evaluation that once took minutes to for ever. Nothing could end them:
// a test that meets one does not end either.
func TestNoEvaluationTakesForEver(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE n (id INT PRIMARY KEY, d DECIMAL(20, 2), v LONGTEXT, u DECIMAL(20, 2), m DATETIME, KEY (u), KEY (m))")
	c.exec("INSERT INTO n VALUES (1, 5, '1e2000000000', 7, now()), (2, 6, repeat('9', 6000000), 8, NULL)")
	for _, tc := range []struct{ query, want string }{
		{"SELECT length(space(3000000))", "3000000"},
		{"SELECT acos(space(1000000))", "1.5707963267948966"},
		{"SELECT repeat('a', 50000) LIKE concat(repeat('%a', 40), '%b')", "0"},
		{"SELECT concat(repeat('a', 5000), 'b') LIKE concat(repeat('%a', 40), '%b')", "1"},
		{"SELECT repeat('a', 5000) NOT LIKE concat(repeat('%a', 40), '%b')", "1"},
		{"SELECT count(*) FROM n WHERE concat(repeat('a', 5000), v) LIKE concat(repeat('%a', 40), '%b')", "0"},
		{"SELECT count(*) FROM n WHERE id IN (SELECT id FROM n WHERE concat(repeat('a', 5000), v) LIKE concat(repeat('%a', 40), '%b'))", "0"},
	} {
		c.expect(tc.query, tc.want)
	}
	// These have results of their own kind, or fail; it is enough that they end.
	for _, query := range []string{
		"SELECT count(*) FROM n WHERE d > v",
		"SELECT count(*) FROM n WHERE d < '1e2000000000'",
		"SELECT count(*) FROM n WHERE u < '1e2000000000'",
		"SELECT count(*) FROM n WHERE u < '1e-2000000000'",
		"SELECT count(*) FROM n WHERE u IN ('1e2000000000', '7')",
		"SELECT count(*) FROM n WHERE u BETWEEN '1' AND '1e2000000000'",
		"SELECT count(*) FROM n WHERE u < " + "'" + strings.Repeat("9", 3_000_000) + "'",
		"SELECT 1.5 < '1e2000000000'",
		"SELECT 1.5 < concat('1e20', '00000000')",
		"SELECT 1.5 < '0x1p2000000000'",
		"SELECT 1.5 IN ('1e2000000000', 1.5)",
		"SELECT CASE 1.5 WHEN '1e2000000000' THEN 1 ELSE 2 END",
		"SELECT cast('1e2000000000' AS decimal(65, 30))", "SELECT cast(repeat('9', 6000000) AS decimal(65))", "SELECT cast('0x1p2000000000' AS decimal)",
		"SELECT '1e2000000000' + 1.5", "SELECT v * 1.5 FROM n", "SELECT -v FROM n", "SELECT v % 3.5 FROM n", "SELECT v DIV 3 FROM n", "SELECT v / 3 FROM n",
		"SELECT round('1e2000000000', 2)", "SELECT round(v, 2) FROM n", "SELECT truncate(v, 2) FROM n", "SELECT format(v, 2) FROM n", "SELECT abs(v) FROM n", "SELECT ceil(v) FROM n", "SELECT floor(v) FROM n",
		"SELECT greatest(v, 1.5) FROM n", "SELECT sum(v) FROM n", "SELECT avg(v) FROM n", "SELECT bin(v) FROM n", "SELECT mod(v, 1.5) FROM n", "SELECT pow(v, 1.5) FROM n",
		"INSERT INTO n VALUES (3, '1e2000000000', '', 1, NULL)", "INSERT INTO n SELECT id + 10, v, '', 1, NULL FROM n", "REPLACE INTO n VALUES (3, repeat('9', 6000000), '', 1, NULL)",
		"INSERT INTO n VALUES (1, 1, '', 1, NULL) ON DUPLICATE KEY UPDATE d = '1e2000000000'", "UPDATE n SET d = '1e2000000000'", "UPDATE n SET d = v", "UPDATE n SET d = d + v",
		"SELECT cast(repeat('9', 1000000) AS date)", "SELECT repeat('1-', 500000) + interval 1 day", "SELECT repeat('1-', 500000) < now()", "SELECT year(repeat('1-', 500000))", "SELECT datediff(now(), repeat('1-', 500000))",
		"SELECT date_format(repeat('1-', 500000), '%a')", "SELECT date_format('2020-01-01', repeat('%a', 2000000))", "SELECT count(*) FROM n WHERE m = v", "SELECT count(*) FROM n WHERE m < repeat('1-', 500000)",
		"INSERT INTO n (id, m) VALUES (4, repeat('1-', 500000))", "UPDATE n SET m = v", "UPDATE n SET m = repeat('1-', 500000)",
		"SELECT regexp_like(repeat('a', 8000000), '(a?){900}b')", "SELECT repeat('a', 8000000) REGEXP '(a?){900}b'", "SELECT regexp_replace(repeat('a', 4000000), '(a?){900}b', '')",
	} {
		if _, err := c.try(query); err != nil && strings.Contains(err.Error(), "bad connection") {
			t.Fatalf("%s: %v", query, err)
		}
	}
	c.exec("DELETE FROM n WHERE id > 2")
	c.exec("UPDATE n SET d = 5, u = 6 + id")
	for i, given := range []any{"1e2000000000", strings.Repeat("9", 3_000_000)} { // prepared by the protocol
		for range 3 {
			_, _ = c.try("UPDATE n SET d = ? WHERE id = 1", given)
			_, _ = c.try("INSERT INTO n VALUES (?, ?, '', 1, NULL)", 100+i, given)
			_, _ = c.try("SELECT count(*) FROM n WHERE d > ?", given)
			_, _ = c.try("SELECT count(*) FROM n WHERE u > ?", given)
		}
	}
}

// A comparison of two long texts by LIKE ends when its time is up.
func TestLikeIsCutShort(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE n (id INT PRIMARY KEY, v LONGTEXT)")
	c.exec("INSERT INTO n VALUES (1, repeat('a', 8000000))")
	c.exec("SET max_execution_time = 300")
	c.fails("SELECT repeat('a', 8000000) LIKE concat('%', repeat('a', 4000000), 'b')", "3024")
	c.fails("SELECT count(*) FROM n WHERE v NOT LIKE concat('%', repeat('a', 4000000), 'b')", "3024")
	c.fails("SELECT count(*) FROM n WHERE id IN (SELECT id FROM n WHERE v LIKE concat('%', repeat('a', 4000000), 'b') AND rand() < 2)", "3024")
	c.exec("SET max_execution_time = 0, isochron_statement_timeout = 300")
	c.fails("UPDATE n SET v = '' WHERE v LIKE concat('%', repeat('a', 4000000), 'b')", "3024")
	c.exec("SET isochron_statement_timeout = 0")
}

// LIKE is what the engine's is, for texts and patterns of a few characters.
func TestLikeIsTheEngines(t *testing.T) {
	letters := []string{"a", "A", "b", "%", "_", `\`, "ä", "|", "\xff"}
	collations := []gms.CollationID{gms.Collation_utf8mb4_0900_bin, gms.Collation_utf8mb4_0900_ai_ci, gms.Collation_binary, gms.Collation_latin1_swedish_ci}
	random := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		var b strings.Builder
		for range random.IntN(7) {
			b.WriteString(letters[random.IntN(len(letters))])
		}
		return b.String()
	}
	ctx, matched := gms.NewEmptyContext(), 0
	for range 200_000 {
		collation, text, pattern, escape := collations[random.IntN(len(collations))], word(), word(), []rune{'\\', '|', 0}[random.IntN(3)]
		engines, otherErr := expression.ConstructLikeMatcher(collation, pattern, escape)
		ours, err := newLikePattern(collation, pattern, escape)
		if (err == nil) != (otherErr == nil) {
			t.Fatalf("%q: %v, the engine: %v", pattern, err, otherErr)
		}
		if err != nil {
			continue
		}
		got, err := ours.matches(ctx, text)
		if want := engines.Match(text); err != nil || got != want {
			t.Fatalf("%q LIKE %q ESCAPE %q in %s: %v (%v), the engine: %v", text, pattern, escape, collation.Name(), got, err, want)
		}
		if got {
			matched++
		}
	}
	if matched < 1000 {
		t.Errorf("%d texts matched: nothing is tried", matched)
	}
}
