package sql

import "testing"

// The engine executes no query of these forms; what it still does is listed behind them.
func TestTheEngineExecutesNoQuery(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE a (id INT PRIMARY KEY, b INT, s VARCHAR(20), j JSON, KEY (b))")
	c.exec("CREATE TABLE b (id INT PRIMARY KEY, a INT, d DATETIME(3))")
	c.exec("INSERT INTO a VALUES (1, 10, 'x', '{\"k\": 1}'), (2, 20, 'y', NULL), (3, NULL, NULL, '[]')")
	c.exec("INSERT INTO b VALUES (1, 1, '2024-01-31 10:11:12.5'), (2, 1, NULL), (3, 3, '2024-02-01')")
	c.exec("CREATE VIEW v AS SELECT id, b FROM a WHERE b > 5")
	c.exec("CREATE VIEW g (k, n) AS SELECT a, COUNT(*) FROM b GROUP BY a")
	g := f.servers["va"].gateway
	executed := func(query string) bool {
		before := g.byEngine.Load()
		c.query(query)
		return g.byEngine.Load() > before
	}
	for _, query := range []string{
		"SELECT 1", "SELECT @@version, DATABASE(), CONNECTION_ID() > 0", "SELECT * FROM a", "SELECT /*+ NO_INDEX(a) */ id FROM a FORCE INDEX (b) WHERE b > 1",
		"SELECT * FROM a JOIN b ON b.a = a.id", "SELECT * FROM a LEFT JOIN b USING (id)", "SELECT * FROM a NATURAL JOIN b", "SELECT * FROM a, b WHERE a.id <=> b.a",
		"SELECT * FROM a RIGHT JOIN (b CROSS JOIN a AS c) ON b.a = a.id", "SELECT id FROM a WHERE id IN (SELECT a FROM b)", "SELECT id, (SELECT MAX(d) FROM b WHERE b.a = a.id) FROM a",
		"SELECT id FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.a = a.id)", "SELECT id FROM a WHERE b >= ALL (SELECT b FROM a WHERE b IS NOT NULL)",
		"SELECT * FROM (SELECT b, COUNT(*) FROM a GROUP BY b WITH ROLLUP) q", "SELECT * FROM v JOIN g ON g.k = v.id", "WITH q AS (SELECT * FROM a) SELECT * FROM q x JOIN q y USING (id)",
		"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT SUM(i) FROM n", "SELECT id FROM a UNION SELECT a FROM b ORDER BY 1 LIMIT 2",
		"SELECT id FROM a INTERSECT SELECT a FROM b", "(SELECT id FROM a) EXCEPT (SELECT a FROM b)", "SELECT * FROM a, LATERAL (SELECT a.id + 1) q", "TABLE a", "VALUES ROW(1, 2)", "SELECT /*!40001 SQL_NO_CACHE */ id, /*!50000 b */ FROM a",
		"SELECT id, RANK() OVER w, SUM(b) OVER (w ROWS 1 PRECEDING) FROM a WINDOW w AS (ORDER BY b)", "SELECT JSON_EXTRACT(j, '$.k') FROM a", "SELECT GROUP_CONCAT(s ORDER BY id) FROM a",
		"SELECT * FROM a JOIN b ON b.a = a.id WHERE a.id = 1 FOR UPDATE", "SELECT * FROM a LOCK IN SHARE MODE", "SELECT SQL_CALC_FOUND_ROWS id FROM a ORDER BY b LIMIT 1", "SELECT id FROM a WHERE id = 1 FOR UPDATE NOWAIT",
		"SELECT id FROM a FOR UPDATE SKIP LOCKED", "SELECT a.id FROM a JOIN b ON b.a = a.id FOR UPDATE OF a", "SELECT a.id FROM a JOIN b ON b.a = a.id FOR UPDATE OF a NOWAIT FOR SHARE OF b",
		"SELECT id FROM a LIMIT 1 INTO @x", "SELECT id INTO @x FROM a LIMIT 1", "SELECT id FROM a WHERE id = 1 INTO @x FOR UPDATE", "SELECT id FROM a UNION SELECT 9 LIMIT 1 INTO @x",
		"SELECT @n := @n + id FROM a, (SELECT @n := 0) q", "SELECT GET_LOCK('l', 1), RELEASE_LOCK('l')", "SELECT {d '2024-01-31'} FROM {oj a LEFT JOIN b ON b.a = a.id}",
		"SELECT a.id FROM a LEFT JOIN b ON b.a = a.id AND b.id IN (SELECT c.id FROM a c WHERE c.id = a.id AND c.b > b.id)", "(SELECT id FROM a ORDER BY id LIMIT 1) LIMIT 2",
		"SELECT (1, (2, 3)) = (1, (2, 3))", "SELECT id FROM a WHERE id = SOME (SELECT a FROM b)", "SELECT DISTINCT RANK() OVER (ORDER BY b) FROM a",
		"SELECT table_name FROM information_schema.tables WHERE table_schema = 'shop'", "SELECT COUNT(*) > 0 FROM isochron.shards",
	} {
		if executed(query) {
			t.Errorf("the engine executed %s", query)
		}
	}
	// Nor does it see what is refused, or is no statement.
	for query, want := range map[string]string{
		"SELECT nosuch FROM a": "1054", "SELECT id FROM nosuch": "1146", "SELECT id FROM nosuch.a": "1049", "SELECT nosuch(1)": "1305", "SELECT id FORM a": "1064 (42000): You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'a' at line 1",
		"SELECT id FROM a WHERE": "1064", "SELECT ST_X(POINT(1, 2))": "1235", "SELECT 1 INTO OUTFILE '/nowhere'": "1235", "SELECT id FROM a INTO @x": "1172", "SELECT id, b FROM a LIMIT 1 INTO @x": "1222", "SELECT 1 INTO x": "1327",
		"SELECT (1, 2) = 1": "1241", "SELECT SUM(SUM(id)) FROM a": "1111", "SELECT id FROM a GROUP BY SUM(id)": "1056", "SELECT * FROM a USE INDEX (nosuch)": "1176", "SELECT * FROM a PARTITION (p)": "1747",
		"SELECT id FROM a FOR UPDATE OF b": "3568", "SELECT id FROM a FOR UPDATE OF a FOR SHARE OF a": "3569", "SELECT MATCH (s) AGAINST ('x') FROM a": "1191", "SELECT DISTINCT b FROM a ORDER BY id": "3065",
	} {
		before := g.byEngine.Load()
		c.fails(query, want)
		if g.byEngine.Load() > before {
			t.Errorf("the engine executed %s", query)
		}
	}
}

// A text means under a sql_mode what it means for MySQL.
func TestTheModeOfAText(t *testing.T) {
	c := start(t).connect(t, "va", "shop")
	c.exec("CREATE TABLE a (id INT PRIMARY KEY, s VARCHAR(20))")
	c.exec("INSERT INTO a VALUES (1, 'x')")
	for _, q := range []struct{ mode, query, want string }{
		{"ANSI_QUOTES", `SELECT "id", 'a"b', "a"."s" FROM "a" WHERE "id" = 1 FOR UPDATE OF "a"`, `1 | a"b | x`},
		{"", `SELECT "id" FROM a`, "id"},
		{"PIPES_AS_CONCAT", "SELECT 'a' || s || NULL, id || 'x', 1 + 2 || 3, -1 || 2 FROM a WHERE s || 'q' = 'xq'", "NULL | 1x | 24 | -12"},
		{"", "SELECT '1' || 0", "1"},
		{"NO_BACKSLASH_ESCAPES", `SELECT 'a\', 'it''s', '\n', 'a%' LIKE 'a\%'`, `a\ | it's | \n | 0`},
		{"HIGH_NOT_PRECEDENCE", "SELECT NOT 1 BETWEEN -5 AND 5, 1 NOT IN (2), 1 IS NOT NULL", "1 | 1 | 1"},
		{"", "SELECT NOT 1 BETWEEN -5 AND 5", "0"},
		{"IGNORE_SPACE", "SELECT COUNT (*) FROM a", "1"},
		{"ANSI", `SELECT "id" || 'x' FROM a`, "1x"},
	} {
		c.exec("SET sql_mode = '" + q.mode + "'")
		c.expect(q.query, q.want)
	}
	c.exec("SET sql_mode = 'PIPES_AS_CONCAT'")
	c.fails("SELECT 1 ^ 2 || 3", "1235")
	c.exec("SET sql_mode = 'NO_UNSIGNED_SUBTRACTION'")
	c.expect("SELECT id - 1, CAST(1 AS UNSIGNED) - 3 FROM a", "0 | -2")
	c.fails("SELECT CAST(18446744073709551615 AS UNSIGNED) - 3 FROM a", "1690")
	c.exec("SET sql_mode = ''")
	c.fails("SELECT id - 1, CAST(1 AS UNSIGNED) - 3 FROM a", "1690")
	c.exec("SET sql_mode = 'TIME_TRUNCATE_FRACTIONAL'")
	c.expect("SELECT CAST('10:11:12.9' AS TIME)", "10:11:12")
}

// A query sets variables row by row, in the order of its rows.
func TestVariablesThatAQuerySets(t *testing.T) {
	c := start(t).connect(t, "va", "shop")
	c.exec("CREATE TABLE a (id INT PRIMARY KEY, b INT)")
	c.exec("INSERT INTO a VALUES (1, 10), (2, 30), (3, 20)")
	c.expect("SELECT id, @n := @n + 1 FROM a, (SELECT @n := 0) q ORDER BY b DESC", "2 | 1\n3 | 2\n1 | 3")
	c.expect("SELECT @n", "3")
	c.exec("SELECT b, id FROM a ORDER BY b LIMIT 1 INTO @x, @y")
	c.expect("SELECT @x, @y, ROW_COUNT()", "10 | 1 | 1")
	c.exec("SELECT b FROM a WHERE id = 9 INTO @x")
	c.expect("SHOW WARNINGS", "Warning | 1329 | No data - zero rows fetched, selected, or processed")
	c.expect("SELECT @x", "10")
}
