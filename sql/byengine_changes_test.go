package sql

import (
	"strconv"
	"strings"
	"testing"
)

// The engine executes no change.
func TestTheEngineExecutesNoChange(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE a (id INT PRIMARY KEY AUTO_INCREMENT, b INT DEFAULT 7, s VARCHAR(20) NOT NULL DEFAULT '', UNIQUE KEY (b))")
	c.exec("CREATE TABLE b (id INT PRIMARY KEY, a INT, d DATETIME(3), KEY (a))")
	c.exec("CREATE VIEW v AS SELECT id, s FROM a WHERE id > 0")
	c.exec("CREATE VIEW g AS SELECT a, COUNT(*) AS n FROM b GROUP BY a")
	c.exec("CREATE TABLE p (id INT PRIMARY KEY, s VARCHAR(5) CHARACTER SET latin1)")
	g := f.servers["va"].gateway
	by := func(query string) (engine bool, out string) {
		c.exec("DELETE FROM a")
		c.exec("DELETE FROM b")
		c.exec("INSERT INTO a VALUES (1, 10, 'x'), (2, 20, 'y'), (3, NULL, '')")
		c.exec("INSERT INTO b VALUES (1, 1, '2024-01-31 10:11:12.5'), (2, 1, NULL), (3, 3, '2024-02-01')")
		before := g.byEngine.Load()
		out = textOutcome(c.conn, query)
		return g.byEngine.Load() > before, out
	}
	for _, query := range []string{
		"INSERT INTO a VALUES (9, 9, 'q')", "INSERT INTO a SET b = 5, s = DEFAULT(s)", "INSERT INTO a (b) VALUES ROW(1), ROW(DEFAULT)", "INSERT LOW_PRIORITY IGNORE INTO a (b) VALUES (10)", "REPLACE DELAYED a (b) VALUES (10)",
		"INSERT INTO a (b) SELECT a + 50 FROM b WHERE id = 1", "INSERT INTO a (b, s) SELECT b + 1, s FROM a", "INSERT INTO a (b) WITH q AS (SELECT 31) SELECT * FROM q", "INSERT INTO b TABLE b ON DUPLICATE KEY UPDATE a = 9",
		"INSERT INTO a (b) SELECT 1 UNION SELECT 2 EXCEPT SELECT 1", "INSERT INTO a (b) SELECT a FROM b x WHERE id = 1 ON DUPLICATE KEY UPDATE s = x.d, b = VALUES(b) + 1", "INSERT INTO a (id, b) VALUES (1, 4) AS n(i, k) ON DUPLICATE KEY UPDATE b = k + i",
		"INSERT INTO a (b) VALUES ((SELECT MAX(a) FROM b)) ON DUPLICATE KEY UPDATE s = (SELECT MIN(d) FROM b WHERE b.a = VALUES(b))", "REPLACE INTO b SELECT id, b, NULL FROM a",
		"UPDATE a SET b = b + 1 WHERE id = 1", "UPDATE a SET s = (SELECT COUNT(*) FROM b WHERE b.a = a.id)", "UPDATE a SET b = b + 100, s = (SELECT COUNT(*) FROM b WHERE b.a + 110 > a.b)", "UPDATE IGNORE a SET b = 10 WHERE id IN (SELECT a FROM b) ORDER BY id LIMIT 1",
		"UPDATE a JOIN b ON b.a = a.id SET a.s = b.id, b.d = NULL", "UPDATE a LEFT JOIN b ON b.a = a.id, (SELECT 1 AS one) q SET a.s = one", "WITH q AS (SELECT a FROM b) UPDATE a SET s = 'w' WHERE id IN (SELECT a FROM q)", "UPDATE v SET s = 'v'",
		"DELETE FROM a WHERE id = 1", "DELETE QUICK FROM a ORDER BY b LIMIT 1", "DELETE FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.a = a.id)", "DELETE a, x FROM a JOIN b x ON x.a = a.id", "DELETE FROM a.*, b.* USING a JOIN b", "DELETE FROM v WHERE id = 2",
		"WITH q AS (SELECT a FROM b) DELETE a FROM a JOIN q ON q.a = a.id", "DELETE FROM a WHERE id IN (SELECT id FROM (SELECT id FROM a) q)",
		"INSERT INTO a (b, s) VALUES (70, 'r') RETURNING id > 3, b + 1 AS n, s", "REPLACE INTO a VALUES (1, 10, 'z') RETURNING *", "DELETE FROM a WHERE id < 3 RETURNING id, (SELECT COUNT(*) FROM b WHERE b.a = a.id)",
		"INSERT INTO p VALUES (1, 'é')", "UPDATE p SET s = 'ö' WHERE s = 'é'", "REPLACE INTO p SELECT id, s FROM a WHERE id = 1", "DELETE FROM p",
	} {
		if engine, out := by(query); engine || !strings.HasPrefix(out, "affected") && !strings.Contains(query, "RETURNING") {
			t.Errorf("%s: by the engine: %v, %s", query, engine, out)
		}
	}
	// Nor does it see what is refused, or is no statement.
	for query, code := range map[string]string{
		"UPDATE a SET b = 1 WHERE id IN (SELECT id FROM a)": "1093", "INSERT INTO a (nosuch) VALUES (1)": "1054", "INSERT INTO nosuch VALUES (1)": "1146", "UPDATE nosuch.a SET b = 1": "1049", "UPDATE a SET nosuch = 1": "1054",
		"DELETE FORM a": "1064", "UPDATE a, b SET a.b = 1 LIMIT 1": "1221", "DELETE q FROM a": "1109", "UPDATE g SET n = 1": "1288", "INSERT INTO g VALUES (1, 1)": "1471", "INSERT INTO a PARTITION (p) VALUES (1)": "1747", "INSERT INTO a (b, b) VALUES (1, 1)": "1110",
		"INSERT INTO a VALUES (1)": "1136", "UPDATE a SET b = SUM(b)": "1111", "UPDATE a SET b = 1 ORDER BY 1": "1054", "UPDATE a SET b = nosuch(1)": "1305", "UPDATE a SET b = 1 RETURNING b": "1064", "DELETE a FROM a JOIN b RETURNING 1": "1064", "DELETE FROM a LIMIT 1, 2": "1064",
		"INSERT INTO information_schema.tables VALUES (1)": "1044", "UPDATE a JOIN isochron.shards s SET s.leader = 1": "1054", "DELETE FROM isochron.shards": "1044", "DELETE t FROM a JOIN information_schema.tables t": "1044", "UPDATE mysql.user SET authentication_string = ''": "1235",
	} {
		if engine, out := by(query); engine || !strings.HasPrefix(out, code) {
			t.Errorf("%s: by the engine: %v, %s", query, engine, out)
		}
	}
	for _, query := range []string{"SET SESSION net_read_timeout = 1 + (SELECT COUNT(*) FROM a)", "SET @a = 1, sql_mode = (SELECT s FROM a LIMIT 1)", "SHOW VARIABLES WHERE Value IN (SELECT id FROM a)", "SHOW TABLES WHERE (SELECT 1)", "SHOW COLLATION WHERE Id = (SELECT 1)", "SHOW INDEX FROM a WHERE (SELECT 1)"} {
		c.fails(query, "1235")
	}
	c.exec("PREPARE q FROM 'UPDATE a SET b = b + ? WHERE id IN (SELECT a FROM b)'")
	c.exec("SET @n = 5")
	if engine, out := by("EXECUTE q USING @n"); engine || !strings.HasPrefix(out, "affected 1") {
		t.Errorf("EXECUTE: by the engine: %v, %s", engine, out)
	}
}

// EXPLAIN of a change has the rounds that it makes.
func TestExplainOfAChangeIsWhatIsSent(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE a (id INT PRIMARY KEY, b INT, s VARCHAR(20), UNIQUE KEY (b), KEY (s))")
	c.exec("CREATE TABLE b (id INT PRIMARY KEY, a INT, d INT, KEY (a))")
	c.exec("CREATE TABLE n (x INT)")
	for _, level := range []string{"SERIALIZABLE", "REPEATABLE READ"} {
		c.exec("SET SESSION TRANSACTION ISOLATION LEVEL " + level)
		for _, statement := range []string{
			"UPDATE a SET s = 'q' WHERE id = 1", "UPDATE a SET s = 'q' WHERE s = 'x'", "UPDATE a SET b = b + 1", "DELETE FROM a WHERE id IN (1, 2)", "DELETE FROM a WHERE s = 'y'",
			"INSERT INTO a VALUES (9, 9, 'q')", "INSERT INTO n VALUES (1)", "INSERT INTO a SELECT id + 100, a + 100, d FROM b WHERE id > 1", "REPLACE INTO n SELECT d FROM b WHERE a = 1",
			"UPDATE a SET s = (SELECT COUNT(*) FROM b WHERE b.a = a.id)", "UPDATE a SET s = (SELECT MAX(d) FROM b)", "DELETE FROM a WHERE id IN (SELECT a FROM b)", "INSERT INTO n VALUES ((SELECT MAX(d) FROM b))",
			"UPDATE a JOIN b ON b.id = a.id SET a.s = b.d", "UPDATE a JOIN b ON b.a = a.id SET a.s = 'w', b.d = 5", "DELETE a, b FROM a JOIN b ON b.a = a.id WHERE a.id < 3", "DELETE a FROM b JOIN a ON a.b = b.d + 9 - b.d", "WITH q AS (SELECT a FROM b) DELETE a FROM a JOIN q ON q.a = a.id",
		} {
			c.exec("DELETE FROM a")
			c.exec("DELETE FROM b")
			c.exec("INSERT INTO a VALUES (1, 10, 'x'), (2, 20, 'y'), (3, 30, 'z')")
			c.exec("INSERT INTO b VALUES (1, 1, 1), (2, 1, 2), (3, 3, 3)")
			c.exec("BEGIN")
			x := strings.Split(strings.TrimSpace(c.query("EXPLAIN "+statement)), "\n")
			all := strings.Split(x[len(x)-1], " | ")
			c.exec(statement)
			c.exec("COMMIT")
			if got := strconv.Itoa(f.seen.rounds()); all[0] != "all" || all[3] != got || all[7] != "round plan" {
				t.Errorf("%s, %s: %s rounds were sent, EXPLAIN says\n%s", level, statement, got, strings.Join(x, "\n"))
			}
		}
	}
}
