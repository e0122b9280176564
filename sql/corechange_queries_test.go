package sql

import (
	"strings"
	"testing"
)

// Counts, ids, warnings and rows of changes whose rows come from queries are MariaDB's.
func TestChangesByQueries(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("SET sql_mode = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO'")
	const rows = "1 | a | 1; 2 | b | 2; 3 | c | NULL"
	for _, w := range []struct{ statement, want string }{
		{"INSERT INTO t (u, n) SELECT CONCAT('s', id), k FROM s WHERE id < 3 ORDER BY id", "affected 2, id 4: " + rows + "; 4 | s1 | 1; 5 | s2 | 1"},
		{"INSERT INTO t SELECT id + 10, CONCAT(u, 'x'), n FROM t", "affected 3, id 13: " + rows + "; 11 | ax | 1; 12 | bx | 2; 13 | cx | NULL"},
		{"INSERT IGNORE INTO t (id, u) SELECT id, 'd' FROM s ORDER BY id", "affected 1, id 4 [1062 1062 1062]: " + rows + "; 4 | d | 7"},
		{"INSERT INTO t (u, n) SELECT x.u, 5 FROM t x ORDER BY x.id ON DUPLICATE KEY UPDATE n = VALUES(n) + x.id + t.id", "affected 6, id 0: 1 | a | 7; 2 | b | 9; 3 | c | 11"},
		{"INSERT INTO t (u) SELECT 'a' FROM s WHERE id = 1 ON DUPLICATE KEY UPDATE u = NULL", "1048: " + rows},
		{"REPLACE INTO t SELECT id, 'q', k FROM s WHERE id < 3 ORDER BY id", "affected 5, id 2: 2 | q | 1; 3 | c | NULL"},
		{"INSERT INTO t (u, n) SELECT e, e FROM s WHERE id = 2", "affected 1, id 4: " + rows + "; 4 | y | 2"},
		{"INSERT INTO t (u, n) VALUES ('v', (SELECT MAX(k) FROM s)), ((SELECT e FROM s WHERE id = 3), (SELECT k FROM s WHERE id = 9))", "affected 2, id 4: " + rows + "; 4 | v | 2; 5 | z | NULL"},
		{"INSERT INTO t (u) VALUES ((SELECT e FROM s))", "1242: " + rows},
		{"INSERT INTO t (id, n) VALUES (1, 2), (2, 5) ON DUPLICATE KEY UPDATE n = t.id + (SELECT MAX(k) FROM s WHERE s.id < VALUES(n))", "affected 4, id 2: 1 | a | 2; 2 | b | 4; 3 | c | NULL"},
		{"UPDATE t SET n = (SELECT COUNT(*) FROM s WHERE s.k = t.id)", "affected 3, id 0: 1 | a | 2; 2 | b | 1; 3 | c | 0"},
		{"UPDATE t SET id = id + 10, n = (SELECT COUNT(*) FROM s WHERE s.k + 10 = t.id)", "affected 3, id 0: 11 | a | 2; 12 | b | 1; 13 | c | 0"},
		{"UPDATE t SET n = 9 WHERE id IN (SELECT k FROM s) ORDER BY id DESC LIMIT 1", "affected 1, id 0: 1 | a | 1; 2 | b | 9; 3 | c | NULL"},
		{"UPDATE t SET n = 1 / (SELECT k - 1 FROM s WHERE id = 1)", "1365: " + rows},
		{"UPDATE t JOIN s ON s.k = t.id SET t.n = t.n + 10, s.e = 'x'", "affected 4, id 0: 1 | a | 11; 2 | b | 12; 3 | c | NULL"},
		{"UPDATE t RIGHT JOIN s ON s.k = t.id SET t.n = 0 WHERE s.id > 2", "affected 1, id 0: 1 | a | 1; 2 | b | 0; 3 | c | NULL"},
		{"UPDATE IGNORE t JOIN s ON s.id = t.id SET t.u = 'a'", "affected 0, id 0 [1062 1062]: " + rows},
		{"UPDATE t JOIN s ON s.id = t.id SET t.u = 'a'", "1062: " + rows},
		{"UPDATE t x JOIN t y ON x.id = y.id SET x.n = 5, y.u = CONCAT(y.u, '!')", "affected 6, id 0: 1 | a! | 5; 2 | b! | 5; 3 | c! | 5"},
		{"DELETE FROM t WHERE NOT EXISTS (SELECT 1 FROM s WHERE s.k = t.id)", "affected 1, id 0: 1 | a | 1; 2 | b | 2"},
		{"DELETE t, s FROM t JOIN s ON s.k = t.id", "affected 5, id 0: 3 | c | NULL"},
		{"DELETE x, y FROM t x JOIN t y ON x.id = y.id WHERE x.id < 3", "affected 2, id 0: 3 | c | NULL"},
		{"WITH q AS (SELECT k FROM s) DELETE FROM t WHERE id IN (SELECT k FROM q)", "affected 2, id 0: 3 | c | NULL"},
		{"UPDATE v SET w = 'w' WHERE i = 2", "affected 1, id 0: 1 | a | 1; 2 | w | 2; 3 | c | NULL"},
		{"DELETE FROM v", "affected 2, id 0: 3 | c | NULL"},
	} {
		for _, inside := range []bool{false, true} {
			c.exec("DROP TABLE IF EXISTS t, s")
			c.exec("CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, u VARCHAR(5) NOT NULL DEFAULT '', n INT DEFAULT 7, UNIQUE KEY (u)) COLLATE utf8mb4_bin")
			c.exec("CREATE TABLE s (id INT PRIMARY KEY, k INT, e ENUM('x', 'y', 'z'), KEY (k))")
			c.exec("CREATE OR REPLACE VIEW v AS SELECT id AS i, u AS w FROM t WHERE n > 0")
			c.exec("INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', NULL)")
			c.exec("INSERT INTO s VALUES (1, 1, 'x'), (2, 1, 'y'), (3, 2, 'z'), (4, NULL, NULL)")
			if inside {
				c.exec("BEGIN")
			}
			if got := c.changed(w.statement); !sameChange(got, w.want) {
				t.Errorf("%s: %q, expected %q", w.statement, got, w.want)
			}
			if inside {
				c.exec("ROLLBACK")
				if got := strings.ReplaceAll(strings.TrimSpace(c.query("SELECT * FROM t ORDER BY id")), "\n", "; "); got != rows {
					t.Errorf("%s, rolled back: %q", w.statement, got)
				}
			}
		}
	}
}

// RETURNING has the rows as they are stored, of a DELETE as they were.
func TestReturningByTheCore(t *testing.T) {
	c := start(t).connect(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, n INT, d DECIMAL(5,2) DEFAULT 1.5, UNIQUE KEY (n))")
	c.exec("CREATE TABLE s (id INT PRIMARY KEY)")
	c.expect("INSERT INTO t (n) VALUES (10), (20) RETURNING id, n + 1 AS m, d", "1 | 11 | 1.50\n2 | 21 | 1.50")
	c.expect("INSERT IGNORE INTO t (n) VALUES (10), (30) RETURNING *", "3 | 30 | 1.50")
	c.expect("INSERT INTO t (n) VALUES (10), (10) ON DUPLICATE KEY UPDATE d = 3 RETURNING id, d", "1 | 3.00\n1 | 3.00")
	c.expect("REPLACE INTO t VALUES (1, 20, 9) RETURNING t.*", "1 | 20 | 9.00")
	c.expect("INSERT INTO s SELECT id + 5 FROM t ORDER BY id RETURNING id", "6\n8")
	c.expect("DELETE FROM t WHERE n > 5 ORDER BY id DESC RETURNING id, n, (SELECT MAX(id) FROM s)", "3 | 30 | 8\n1 | 20 | 8")
	c.expect("DELETE FROM t RETURNING id", "")
	c.expect("SELECT COUNT(*) FROM t", "0")
	rows, err := c.conn.QueryContext(t.Context(), "INSERT INTO t (n) VALUES (?) RETURNING n * ? AS p", 6, 7)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var p int
	if names, _ := rows.Columns(); len(names) != 1 || names[0] != "p" || !rows.Next() || rows.Scan(&p) != nil || p != 42 {
		t.Errorf("prepared: %v, %d", names, p)
	}
}
