package sql

import (
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"isochron/sql/sqltest"
)

// startSmall starts a server whose statements may hold little.
func startSmall(t *testing.T, memory int64) *client {
	t.Helper()
	_, c := startBounded(t, Config{Memory: Memory{Statements: memory / 4}})
	return c
}

// startBounded starts a server with a table of 300 rows.
func startBounded(t *testing.T, cfg Config) (*Server, *client) {
	t.Helper()
	s, err := NewServer(sqltest.NewCluster("va").Gateway("va"), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		eventually(t, "nothing is counted for ever", func() bool { return s.gateway.budget.InUse() == 0 })
		_ = s.Close()
	})
	c := (&fixture{servers: map[string]*Server{"va": s}}).connect(t, "va", "")
	c.exec("CREATE DATABASE shop")
	c.exec("USE shop")
	c.exec("CREATE TABLE n (a INT PRIMARY KEY, b VARCHAR(200))")
	var rows []string
	for i := range 300 {
		rows = append(rows, "("+strconv.Itoa(i)+", repeat('x', 100))")
	}
	c.exec("INSERT INTO n VALUES " + strings.Join(rows, ", "))
	return s, c
}

// What a statement holds is bounded, whatever part of its plan holds it; the statement
// ends with an error that names the setting, and nobody else notices.
func TestStatementsHaveABudget(t *testing.T) {
	c := startSmall(t, 64<<20) // 4 MB for a statement
	id := c.query("SELECT CONNECTION_ID()")
	cross := "n x, n y"
	for name, query := range map[string]string{
		"sort":          "SELECT x.a FROM " + cross + " ORDER BY concat(y.b, x.a) LIMIT 89999, 1",
		"sort all":      "SELECT count(*) FROM (SELECT x.a, y.b FROM " + cross + " ORDER BY y.b, x.a) s",
		"group":         "SELECT count(*) FROM (SELECT x.a, y.a AS ya, count(*) FROM " + cross + " GROUP BY x.a, y.a) g",
		"distinct":      "SELECT count(*) FROM (SELECT DISTINCT x.a, y.a AS ya FROM " + cross + ") d",
		"union":         "SELECT count(*) FROM (SELECT x.a, y.a AS ya FROM " + cross + " UNION SELECT 1, 2) u",
		"intersect":     "SELECT x.a, y.a FROM " + cross + " INTERSECT SELECT x.a, y.a FROM " + cross,
		"json_arrayagg": "SELECT json_length(json_arrayagg(concat(x.b, y.b))) FROM " + cross,
		"json_object":   "SELECT json_length(json_objectagg(concat(x.a, '-', y.a), y.b)) FROM " + cross,
		"count":         "SELECT count(DISTINCT concat(x.a, '-', y.a)) FROM " + cross,
		"sum distinct":  "SELECT sum(DISTINCT x.a + y.a * 1000) FROM " + cross,
		"window":        "SELECT max(r) FROM (SELECT row_number() OVER (ORDER BY x.a) AS r, y.b FROM " + cross + ") w",
		"hash join":     "SELECT count(*) FROM n z LEFT JOIN (SELECT x.a + y.a AS a, y.b FROM " + cross + ") h ON z.a = h.a",
		"subquery":      "SELECT a IN (SELECT x.a + y.a * 1000 FROM " + cross + ") FROM n",
		"recursive":     "WITH RECURSIVE r AS (SELECT 1 AS i, repeat('a', 10) AS s UNION ALL SELECT i + 1, concat(s, s) FROM r WHERE i < 60) SELECT max(i) FROM r",
		"row":           "SELECT repeat('a', 900000)" + counted(20, ", repeat('a', 900000) AS c%d"),
	} {
		began := time.Now()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, err := c.try(query)
		runtime.ReadMemStats(&after)
		n, _, message := codeOf(err)
		if (name == "recursive" || name == "row") && err == nil {
			continue // its texts are NULL where they would be too long
		}
		if n != codeCapacity || !strings.Contains(message, statementMemory) {
			t.Errorf("%s: %.40q, %.300v after %s, %d MB", name, got, err, time.Since(began), (after.TotalAlloc-before.TotalAlloc)>>20)
		}
		if now, err := c.try("SELECT CONNECTION_ID()"); err != nil || now != id {
			t.Fatalf("after %s: %q, %v", name, now, err)
		}
	}
	c.expect("SELECT count(*) FROM n x JOIN n y ON x.a = y.a", "300")
	c.expect("SELECT length(group_concat(b)) > 500, count(DISTINCT b) FROM n ORDER BY 1", "1 | 1")
	c.expect("SELECT a FROM n WHERE a IN (SELECT max(a) FROM n) ORDER BY b LIMIT 1", "299")
	c.expect("SELECT count(*), sum(DISTINCT y.a), max(y.b) IS NULL FROM n x, n y", "90000 | 44850 | 0")
	c.exec("SET isochron_statement_memory = 60000000")
	c.expect("SELECT count(*) FROM (SELECT DISTINCT x.a, y.a AS ya FROM n x, n y) d", "90000")
}

// A statement of many values is charged for them before it is parsed.
func TestValuesHaveABudget(t *testing.T) {
	c := startSmall(t, 64<<20)
	_, err := c.try("SELECT 1 IN (1" + strings.Repeat(",1", 20_000) + ")")
	wantCode(t, err, codeCapacity, "HY000")
	c.expect("SELECT 1 IN (1"+strings.Repeat(",1", 5_000)+")", "1")
}

// What a connection keeps between its statements is bounded.
func TestVariablesHaveABudget(t *testing.T) {
	c := startSmall(t, 256<<20)
	var err error
	for i := range 100 {
		if _, err = c.try("SET @v" + strconv.Itoa(i) + " = repeat('a', 1000000)"); err != nil {
			break
		}
	}
	if n, _, message := codeOf(err); n != codeCapacity || !strings.Contains(message, connectionMemory) {
		t.Errorf("100 MB of variables: %v", err)
	}
	c.exec("SET @v1 = NULL")
	c.exec("SET @v2 = repeat('a', 1000000)")
	_, err = c.try("SELECT @v0" + strings.Repeat(", @v0", 40))
	wantCode(t, err, codeCapacity, "HY000")
}
