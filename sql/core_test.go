package sql

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dolthub/vitess/go/mysql"

	"isochron/sql/sqltest"
	"isochron/txn"
)

// EXPLAIN names as many rounds as the core sends reads.
func TestExplainOfTheCoreIsWhatIsSent(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(10), n DECIMAL(6,2), KEY (a), KEY (b, a))")
	c.exec("INSERT INTO t VALUES (1,1,'x',1.5),(2,1,'y',2.5),(3,2,'x',3.5),(4,2,NULL,NULL),(5,3,'z',5.5)")
	var reads atomic.Int64
	f.cluster.BeforeRead = func(_ *sqltest.Txn, r txn.Read) error {
		if len(r.Gets)+len(r.Scans) > 0 {
			reads.Add(1)
		}
		return nil
	}
	defer func() { f.cluster.BeforeRead = nil }()
	for _, statement := range []string{
		"SELECT 1 + 1", "SELECT * FROM t", "SELECT id FROM t WHERE id = 3", "SELECT * FROM t WHERE id IN (1, 3, 9)", "SELECT id FROM t WHERE id = NULL",
		"SELECT id FROM t WHERE a = 1", "SELECT a, id FROM t WHERE a > 1", "SELECT n FROM t WHERE a = 2", "SELECT b, a FROM t WHERE b = 'x'", "SELECT n FROM t WHERE b = 'x' AND a = 2",
		"SELECT COUNT(*) FROM t", "SELECT a, SUM(n) FROM t GROUP BY a", "SELECT a, COUNT(*) FROM t GROUP BY a WITH ROLLUP", "SELECT DISTINCT b FROM t ORDER BY b",
		"SELECT id FROM t ORDER BY id DESC LIMIT 2", "SELECT n FROM t WHERE a = 1 ORDER BY id LIMIT 1", "SELECT id FROM t WHERE n > 2 ORDER BY n", "SELECT id FROM t WHERE id = 2 FOR UPDATE",
		"SELECT id FROM t WHERE a = 2 FOR SHARE", "SELECT upper(b) FROM t WHERE id BETWEEN 2 AND 4 HAVING upper(b) IS NOT NULL",
		"SELECT COUNT(*) FROM t x, t y WHERE x.n < y.n", "SELECT id FROM t UNION ALL SELECT a FROM t WHERE a = 2", "SELECT x.n FROM t x JOIN t y ON y.id = x.a WHERE x.b = 'x'",
		"SELECT n, (SELECT COUNT(*) FROM t WHERE a = 1) FROM t WHERE a = 2", "SELECT COUNT(*) FROM t x, t y FOR SHARE",
	} {
		x := strings.Split(strings.TrimSpace(c.query("EXPLAIN "+statement)), "\n")
		all := strings.Split(x[len(x)-1], " | ")
		reads.Store(0)
		c.query(statement)
		sent := reads.Load()
		if all[0] != "all" || all[3] != string(rune('0'+sent)) {
			t.Errorf("%s: EXPLAIN says %q, %d were sent", statement, x[len(x)-1], sent)
		}
	}
}

// What is answered below the wire library is what the library answers, by text and by a prepared statement.
func TestAnswersBelowAreThoseAbove(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY, a INT UNSIGNED, b VARCHAR(10), n DECIMAL(6,2), d DATETIME(3), da DATE, ti TIME, f FLOAT, db DOUBLE, y YEAR, bi BIT(9), e ENUM('p','q'), bl BLOB, j JSON, KEY (a))")
	c.exec(`INSERT INTO t VALUES (1,4294967295,'x',-1.5,'2024-02-29 03:04:05.678','2024-02-29','-10:11:12',1.25,-1e100,2024,b'101','p',x'00ff','{"a": [1, 2]}'),
		(2,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL),(3,0,'',0,'1999-12-31 00:00:00','0001-01-01','838:59:59',0,0,1901,b'0','q','','null')`)
	g := f.servers["va"].gateway
	for _, statement := range []string{
		"SELECT * FROM t ORDER BY id", "SELECT * FROM t WHERE id = 1", "SELECT * FROM t WHERE id = 9", "SELECT b FROM t ORDER BY n DESC, a", "SELECT id, n + 1, a / 3, CONCAT(b, id) FROM t WHERE id > 0 ORDER BY n",
		"SELECT COUNT(*), SUM(n), AVG(a), MAX(ti), MIN(d) FROM t WHERE id > 0", "SELECT DISTINCT e FROM t WHERE id > 0 ORDER BY e", "SELECT a, COUNT(*) FROM t WHERE id > 0 GROUP BY a ORDER BY a", "SELECT REPEAT(b, 1000), REPEAT('y', 20000) FROM t WHERE id < 4", "SELECT id, REPEAT('y', 400000) FROM t WHERE id < 4",
	} {
		for _, prepared := range []bool{false, true} {
			run := func() string { return c.query(statement) }
			if prepared {
				p := c.prepare(statement)
				run = func() string {
					rows, err := p.Query()
					if err != nil {
						t.Fatal(err)
					}
					out, err := scanned(rows)
					if err != nil {
						t.Fatal(err)
					}
					return out
				}
			}
			want := run()
			before := g.below.Load()
			for range 3 {
				if got := run(); got != want {
					t.Errorf("%s, prepared %v: %q, not %q", statement, prepared, got, want)
				}
			}
			if n := g.below.Load() - before; n != 3 {
				t.Errorf("%s, prepared %v: %d of 3 were answered below", statement, prepared, n)
			}
		}
	}
	c.exec("BEGIN")
	if got := c.query("SELECT b FROM t ORDER BY n DESC, a") + c.query("SELECT REPEAT(b, 1000), REPEAT('y', 20000) FROM t WHERE id < 4"); len(got) < 40_000 {
		t.Errorf("in a transaction: %d bytes", len(got))
	}
	c.exec("ROLLBACK")
}

// The text of an OK packet is what MySQL's is, whichever way the statement takes: the wire library writes a wrong length.
func TestInfoOfAnswers(t *testing.T) {
	f := startGuarded(t, nil)
	raw := enter(t, f.servers["va"].Addr().String())
	defer raw.Close()
	for _, w := range []struct{ text, info string }{
		{"CREATE DATABASE d", ""},
		{"CREATE TABLE d.t (id INT PRIMARY KEY, n INT)", ""},
		{"INSERT INTO d.t VALUES (1, 1)", ""},
		{"PREPARE p FROM 'SELECT 1'", "Statement prepared"},
		{"UPDATE d.t SET n = 2 WHERE id = 1", "Rows matched: 1  Changed: 1  Warnings: 0"},
		{"UPDATE d.t SET n = 2 WHERE id = 1", "Rows matched: 1  Changed: 0  Warnings: 0"},
		{"UPDATE d.t SET n = 3 WHERE id > 0", "Rows matched: 1  Changed: 1  Warnings: 0"},
		{"INSERT INTO d.t VALUES (2, 1), (3, 1)", "Records: 2  Duplicates: 0  Warnings: 0"},
	} {
		body := append([]byte{3}, w.text...)
		if _, err := raw.Write(append([]byte{byte(len(body)), 0, 0, 0}, body...)); err != nil {
			t.Fatal(err)
		}
		b := packetOf(t, raw)
		want := ""
		if w.info != "" {
			want = string(rune(len(w.info))) + w.info
		}
		if len(b) < 7 || b[0] != mysql.OKPacket || string(b[7:]) != want {
			t.Errorf("%s: %q, not %q at its end", w.text, b, want)
		}
	}
}

// What the wire library's parser does not read and the core does can be prepared, also by a driver that sends the close of the
// statement before with it.
func TestPreparedByTheCoreAlone(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY, n INT)")
	g := f.servers["va"].gateway
	for range 2 {
		for _, w := range []struct {
			text, want string
			args       []any
		}{
			{"SELECT DATE_ADD(?, INTERVAL ? DAY_HOUR)", "2024-01-02 01:00:00\n", []any{"2024-01-01", "1 1"}},
			{"SELECT 'robert' SOUNDS LIKE ?", "1\n", []any{"rupert"}},
			{"SELECT ? IS UNKNOWN", "1\n", []any{nil}},
			{"SELECT COUNT(*) FROM t GROUP BY n WITH ROLLUP", "", nil},
			{"SELECT SUBSTRING(? FROM 2 FOR 2)", "bc\n", []any{"abcd"}},
		} {
			p, err := c.conn.PrepareContext(t.Context(), w.text)
			if err != nil {
				t.Errorf("%s: %v", w.text, err)
				continue
			}
			rows, err := p.Query(w.args...)
			if err != nil {
				t.Fatalf("%s: %v", w.text, err)
			}
			if got, err := scanned(rows); got != w.want || err != nil {
				t.Errorf("%s: %q, %v, not %q", w.text, got, err, w.want)
			}
			p.Close() // sent with what comes next
		}
	}
	c.query("SELECT 1")
	if n := g.prepared.Load(); n > 1 {
		t.Errorf("%d statements are counted that were closed", n)
	}
}

// The error of a query that neither the core nor the engine prepares is the core's, which has MySQL's number.
func TestErrorsOfPreparedQueries(t *testing.T) {
	c := start(t).connect(t, "va", "shop")
	c.exec("CREATE TABLE g (id INT PRIMARY KEY, n INT)")
	for _, query := range []string{"SELECT n AS a FROM g GROUP BY '7'", "SELECT n AS a FROM g GROUP BY 1e0", "SELECT n AS a, id FROM g GROUP BY -7 HAVING id > ?"} {
		if _, err := c.conn.PrepareContext(t.Context(), query); err == nil || !strings.Contains(err.Error(), "1055") {
			t.Errorf("%s: %v", query, err)
		}
	}
}
