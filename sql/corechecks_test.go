package sql

import (
	"strings"
	"testing"
)

// Checks, generated columns and defaults by expression are the core's. The counts, warnings and rows are MariaDB's, the
// numbers of errors MySQL's.
func TestChecksAndGeneratedColumns(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("SET sql_mode = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO'")
	const rows = "1 | 1 | 3 | x3 | 2; 2 | 5 | 11 | x11 | 6; 3 | NULL | NULL | NULL | NULL"
	for _, w := range []struct{ statement, want string }{
		{"INSERT INTO t (id, a) VALUES (4, 7)", "affected 1, id 0: " + rows + "; 4 | 7 | 15 | x15 | 8"},
		{"INSERT INTO t VALUES (4, 7, DEFAULT, DEFAULT, 1)", "affected 1, id 0: " + rows + "; 4 | 7 | 15 | x15 | 1"},
		{"INSERT INTO t VALUES (4, 7, 15, DEFAULT, 1)", "3105: " + rows},
		{"INSERT IGNORE INTO t VALUES (4, 7, NULL, DEFAULT, 1)", "3105: " + rows},
		{"INSERT INTO t SET id = 4, a = 2, g = DEFAULT", "affected 1, id 0: " + rows + "; 4 | 2 | 5 | x5 | 3"},
		{"INSERT INTO t (id, a) VALUES (4, 100), (5, 1)", "3819: " + rows},
		{"INSERT IGNORE INTO t (id, a) VALUES (4, 100), (5, 1), (6, 6)", "affected 1, id 0 [3819 1062]: " + rows + "; 6 | 6 | 13 | x13 | 7"},
		{"INSERT INTO t (id, a) VALUES (4, 5)", "1062: " + rows},
		{"INSERT INTO t (id, a) VALUES (4, 5) ON DUPLICATE KEY UPDATE a = VALUES(g)", "affected 2, id 0: 1 | 1 | 3 | x3 | 2; 2 | 11 | 23 | x23 | 6; 3 | NULL | NULL | NULL | NULL"},
		{"INSERT INTO t (id, a) VALUES (1, 200) ON DUPLICATE KEY UPDATE a = 2", "3819: " + rows},
		{"INSERT INTO t (id, a) VALUES (1, 7) ON DUPLICATE KEY UPDATE a = 200", "3819: " + rows},
		{"INSERT INTO t (id, a) VALUES (1, 7) ON DUPLICATE KEY UPDATE g = 1", "3105: " + rows},
		{"REPLACE INTO t (id, a) VALUES (3, 5)", "affected 3, id 0: 1 | 1 | 3 | x3 | 2; 3 | 5 | 11 | x11 | 6"},
		{"UPDATE t SET a = a + 1", "affected 2, id 0: 1 | 2 | 5 | x5 | 2; 2 | 6 | 13 | x13 | 6; 3 | NULL | NULL | NULL | NULL"},
		{"UPDATE t SET a = a + 98", "3819: " + rows},
		{"UPDATE IGNORE t SET a = a + 95", "affected 1, id 0 [3819]: 1 | 96 | 193 | x193 | 2; 2 | 5 | 11 | x11 | 6; 3 | NULL | NULL | NULL | NULL"},
		{"UPDATE t SET a = 5 WHERE id = 1", "1062: " + rows},
		{"UPDATE t SET a = 4, d = g WHERE id = 1", "affected 1, id 0: 1 | 4 | 9 | x9 | 3; 2 | 5 | 11 | x11 | 6; 3 | NULL | NULL | NULL | NULL"},
		{"UPDATE t SET g = DEFAULT, a = 4, d = DEFAULT WHERE g = 3", "affected 1, id 0: 1 | 4 | 9 | x9 | 5; 2 | 5 | 11 | x11 | 6; 3 | NULL | NULL | NULL | NULL"},
		{"UPDATE t SET g = g", "3105: " + rows},
		{"DELETE FROM t WHERE g > 3", "affected 1, id 0: 1 | 1 | 3 | x3 | 2; 3 | NULL | NULL | NULL | NULL"},
	} {
		c.exec("DROP TABLE IF EXISTS t")
		c.exec("CREATE TABLE t (id INT PRIMARY KEY, a INT, g INT GENERATED ALWAYS AS (a * 2 + 1) STORED, h VARCHAR(9) AS (CONCAT('x', g)) STORED, d INT DEFAULT (a + 1), UNIQUE KEY (g), CONSTRAINT c CHECK (g < 200), CHECK (a <> 77) NOT ENFORCED)")
		c.exec("INSERT INTO t (id, a) VALUES (1, 1), (2, 5), (3, NULL)")
		before := f.servers["va"].gateway.byEngine.Load()
		if got := c.changed(w.statement); !sameChange(got, w.want) {
			t.Errorf("%s: %q, expected %q", w.statement, got, w.want)
		}
		if f.servers["va"].gateway.byEngine.Load() > before {
			t.Errorf("the engine executed %s", w.statement)
		}
	}
	c.exec("INSERT INTO t (id, a) VALUES (9, 77)") // the check is not enforced
	if got := strings.TrimSpace(c.query("SELECT id FROM t WHERE g = 155")); got != "9" {
		t.Errorf("found %s by a generated column", got)
	}
}
