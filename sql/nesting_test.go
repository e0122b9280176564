package sql

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// deepStatements are statements that are n deep, each by another production.
func deepStatements(n int) map[string]string {
	wrap := func(open, inner, shut string) string {
		return strings.Repeat(open, n) + inner + strings.Repeat(shut, n)
	}
	out := map[string]string{}
	for _, prefix := range []string{"not ", "! ", "- ", "+ ", "~ ", "binary ", "exists (select 1) and not ", "1 + interval 1 day + "} {
		out["prefix "+prefix] = "SELECT " + wrap(prefix, "1", "")
	}
	for _, op := range strings.Split("+,-,*,/,%,div,mod,and,or,xor,&&,||,|,&,^,<<,>>,=,<>,!=,<,<=,>,>=,<=>,like,not like,regexp,not regexp,rlike,is not true and,between 1 and 2 and", ",") {
		out["infix "+op] = "SELECT " + wrap("1 "+op+" ", "1", "")
		out["where "+op] = "SELECT 1 FROM d WHERE " + wrap("a "+op+" ", "1", "")
	}
	for _, suffix := range []string{" is null", " is not null", " is true", " is not false", " collate utf8mb4_bin", " in (1, 2)", " not in (1)", " between 1 and 2", " -> '$.a'", " ->> '$.a'", " + interval 1 day"} {
		out["suffix"+suffix] = "SELECT " + wrap("", "a", suffix) + " FROM d"
	}
	for _, pair := range [][2]string{
		{"(", ")"}, {"abs(", ")"}, {"concat('a', ", ")"}, {"concat(", ", 'a')"}, {"case when 1 then ", " end"}, {"case ", " when 1 then 2 end"}, {"case when ", " then 1 end"},
		{"case when 0 then 1 else ", " end"}, {"if(1, ", ", 2)"}, {"if(", ", 1, 2)"}, {"ifnull(null, ", ")"}, {"coalesce(", ")"}, {"cast(", " as char)"}, {"convert(", ", char)"},
		{"convert(", " using utf8mb4)"}, {"(select ", ")"}, {"1 in (", ")"}, {"1 in (2, ", ")"}, {"exists (select ", ")"}, {"date_add(", ", interval 1 day)"}, {"date_add('2020-01-01', interval ", " day)"},
		{"substring(", " from 1)"}, {"trim(leading 'a' from ", ")"}, {"extract(year from ", ")"}, {"json_array(", ")"}, {"interval(1, ", ")"}, {"greatest(1, ", ")"}, {"char(", ")"},
		{"timestampdiff(day, now(), ", ")"}, {"(1, ", ") = (1, 1)"}, {"group_concat(", ")"}, {"count(distinct ", ")"}, {"position('a' in ", ")"}, {"match(a) against (", ")"},
	} {
		out["pair "+pair[0]+pair[1]] = "SELECT " + wrap(pair[0], "1", pair[1])
	}
	out["derived"] = wrap("SELECT * FROM (", "SELECT 1 AS a", ") AS x")
	out["union"] = wrap("SELECT 1, 2 UNION ALL ", "SELECT 1, 2", "")
	out["union right"] = wrap("SELECT 1 UNION (", "SELECT 1", ")")
	out["intersect"] = wrap("SELECT 1, 2 INTERSECT ", "SELECT 1, 2", "")
	out["joins"] = "SELECT 1 FROM d AS a" + counted(n, " JOIN d AS a%d ON a.a = a%[1]d.a")
	out["comma joins"] = "SELECT 1 FROM d AS a" + counted(n, ", d AS a%d")
	out["join parens"] = "SELECT 1 FROM " + wrap("(", "d", " JOIN d AS a)")
	out["with"] = "WITH c0 AS (SELECT 1)" + counted(n, ", c%d AS (SELECT * FROM c0)") + " SELECT 1"
	out["with within"] = wrap("WITH c AS (", "SELECT 1", ") SELECT * FROM c")
	out["set"] = "SET @a = " + wrap("@a := ", "1", "")
	out["insert"] = "INSERT INTO d VALUES (" + wrap("1 + ", "1", "") + ", 1)"
	out["on duplicate"] = "INSERT INTO d VALUES (1) ON DUPLICATE KEY UPDATE a = " + wrap("1 + ", "1", "")
	out["update"] = "UPDATE d SET a = " + wrap("- ", "1", "")
	out["delete"] = "DELETE FROM d WHERE " + wrap("not ", "1", "")
	out["default"] = "CREATE TABLE deep (a INT DEFAULT (" + wrap("1 + ", "1", "") + "))"
	out["check"] = "CREATE TABLE deep (a INT, CHECK (" + wrap("not ", "a", "") + "))"
	out["view"] = "CREATE VIEW deep AS SELECT " + wrap("1 + ", "1", "")
	out["order"] = "SELECT 1 FROM d ORDER BY " + wrap("- ", "a", "")
	out["group"] = "SELECT 1 FROM d GROUP BY " + wrap("- ", "a", "")
	out["limit"] = "SELECT 1 LIMIT " + wrap("1 + ", "1", "")
	out["explain"] = "EXPLAIN SELECT " + wrap("not ", "1", "")
	out["explains"] = wrap("EXPLAIN ", "SELECT 1", "")
	out["blocks"] = "CREATE PROCEDURE deep() " + wrap("BEGIN SELECT 1, 2; ", "SELECT 1", "; END")
	out["ifs"] = "CREATE PROCEDURE deep() " + wrap("IF 1 THEN SELECT 1, 2; ", "SELECT 1", "; END IF")
	out["cases"] = "CREATE PROCEDURE deep() " + wrap("CASE 1 WHEN 1 THEN SELECT 1, 2; ", "SELECT 1", "; END CASE")
	out["loops"] = "CREATE PROCEDURE deep() " + wrap("WHILE 1 DO ", "SELECT 1", "; END WHILE")
	out["comments"] = "SELECT " + wrap("/*! not */ ", "1", "")
	out["window"] = "SELECT sum(" + wrap("- ", "a", "") + ") OVER (ORDER BY " + wrap("- ", "a", "") + ") FROM d"
	out["aliases"] = "SELECT 1" + counted(n, ", 1 + (SELECT 1) AS a%d") + " UNION SELECT " + wrap("- ", "1", "")
	return out
}

// countedRows repeats a text with the numbers from 1 to n in it.
func counted(n int, text string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, text, i+1)
	}
	return b.String()
}

// What a statement nests is bounded whatever it nests, and the bound never lies below
// what the statement nests.
func TestDepthIsMeasured(t *testing.T) {
	for name, query := range deepStatements(300) {
		if got := measure(query, sqlparser.ParserOptions{}, 1<<30, 1<<30); got.depth < 300 {
			t.Errorf("%s is measured as %d deep", name, got.depth)
		}
	}
	for query, most := range map[string]int{
		"INSERT INTO d VALUES (1)" + strings.Repeat(", (1, -2, 'a')", 5000):                            10,
		"SELECT a FROM d WHERE a IN (1" + strings.Repeat(", 2", 5000) + ")":                            10,
		"SELECT CASE a" + strings.Repeat(" WHEN 1 THEN a + 1", 5000) + " END FROM d":                   10,
		"SELECT 1" + strings.Repeat(", IF(a, 1, 2) AS x", 5000) + " FROM d":                            12,
		"SELECT a FROM d; SELECT " + strings.Repeat("-", 5000) + "1":                                   10,
		"SELECT '((((((((((((((((((((((((((((((((((((((((((((((((((((((((((' /* (((((((((((((((((( */": 10,
	} {
		if got := measure(query, sqlparser.ParserOptions{}, 1<<30, 1<<30); got.depth > most {
			t.Errorf("%.40s is measured as %d deep", query, got.depth)
		}
	}
}

// The deepest that may be set ends no process, whatever nests.
func TestDeepest(t *testing.T) {
	n := depthDefault
	if s := os.Getenv("DEEP"); s != "" { // up to sysvars.StatementDepthMost
		n, _ = strconv.Atoi(s)
	}
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE d (a INT PRIMARY KEY)")
	few, some := deepStatements(10), deepStatements(110)
	each := func(query string) int { return measure(query, sqlparser.ParserOptions{}, 1<<30, 1<<30).depth }
	for name := range few {
		levels := float64(each(some[name])-each(few[name])) / 100
		allowed, beyond := deepStatements(int(float64(n-100) / levels))[name], deepStatements(int(float64(n+100)/levels) + 10)[name]
		if got := each(allowed); got > n || got < n*8/10 {
			t.Errorf("%s is %d deep", name, got)
		}
		c.exec("SET " + depthVariable + " = " + strconv.Itoa(n))
		began := time.Now()
		if _, err := c.try(allowed); err != nil && strings.Contains(err.Error(), sizeMark) {
			t.Errorf("%s: %v", name, err)
		} else if d := time.Since(began); d > time.Second {
			t.Logf("%s: %s, %v", name, d, err)
		}
		_, err := c.try(beyond)
		if n, _, message := codeOf(err); n != codeStack || !strings.HasPrefix(message, sizeMark) {
			t.Errorf("%s beyond the bound: %.200v", name, err)
		}
	}
	c.expect("SELECT 1", "1")
}

// doubling are n common table expressions of which each names the one before twice.
func doubling(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ", c%d AS (SELECT x.a FROM c%d x, c%[2]d y)", i+1, i)
	}
	return b.String()
}

// Statements that ended processes are refused in words, as text and prepared, and the
// connection lives.
func TestTooDeepToLive(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	id := c.query("SELECT CONNECTION_ID()")
	for name, query := range map[string]string{
		"not":   "SELECT " + strings.Repeat("not ", 4_000_000) + "1",
		"!":     "SELECT " + strings.Repeat("!", 16_000_000) + "1",
		"and":   "SELECT 1" + strings.Repeat(" and 1", 2_000_000),
		"case":  "SELECT " + strings.Repeat("case when 1 then ", 200_000) + "1" + strings.Repeat(" end", 200_000),
		"union": "SELECT 1" + strings.Repeat(" UNION SELECT 1", 20_000),
		"named": "PREPARE p FROM '" + "SELECT " + strings.Repeat("not ", 1_000_000) + "1'",
	} {
		_, err := c.try(query)
		if n, _, message := codeOf(err); n != codeStack && n != codeCapacity || !strings.HasPrefix(message, sizeMark) {
			t.Errorf("%s: %.200v", name, err)
		}
	}
	_, err := c.try("SELECT 1 IN (1" + strings.Repeat(",1", 2_000_000) + ")")
	wantCode(t, err, codeCapacity, "HY000")
	c.expect("WITH c0 AS (SELECT 1 AS a)"+doubling(40)+" SELECT COUNT(*) FROM c40", "1") // each is computed once
	c.expect("SELECT length(cast('a' AS binary(2000000000)))", "NULL")
	c.expect("WITH c0 AS (SELECT 1 AS a)"+doubling(4)+" SELECT *, length(cast('a' AS binary(10))) FROM c4", "1 | 10")
	c.expect("SELECT CONNECTION_ID()", id)
	_, err = c.conn.PrepareContext(t.Context(), "SELECT "+strings.Repeat("not ", 60_000)+"?")
	wantCode(t, err, codeStack, "HY000")
	c.expect("SELECT CONNECTION_ID()", id)
	_, err = c.conn.PrepareContext(t.Context(), "SELECT "+strings.Repeat("!", prepareMaxBytes-20)+"?")
	wantCode(t, err, codeStack, "HY000")
	c.expect("SELECT CONNECTION_ID()", id)
	_, err = c.conn.PrepareContext(t.Context(), "SELECT "+strings.Repeat("!", 16_000_000)+"?")
	wantCode(t, err, codeTooLong, "08S01")
	f.connect(t, "va", "shop").expect("SELECT 1", "1")
}
