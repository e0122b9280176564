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
		"SELECT table_name FROM information_schema.tables WHERE table_schema = 'shop'", "SELECT COUNT(*) > 0 FROM isochron.shards",
	} {
		if executed(query) {
			t.Errorf("the engine executed %s", query)
		}
	}
	for _, query := range []string{
		"SELECT id FROM a FOR UPDATE SKIP LOCKED", "SELECT a.id FROM a JOIN b ON b.a = a.id FOR UPDATE OF a",
		"SELECT id FROM a LIMIT 1 INTO @x",
	} {
		if !executed(query) {
			t.Errorf("the core executed %s: list it above", query)
		}
	}
}
