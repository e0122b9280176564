package sql

import (
	"fmt"
	"strings"
	"testing"

	"isochron/sql/sqltest"
	"isochron/txn"
)

// changed executes a change, and shows the answer, the warnings and the rows of t, or the error.
func (c *client) changed(statement string) string {
	c.t.Helper()
	out := textOutcome(c.conn, statement)
	if w := strings.TrimSpace(c.query("SHOW WARNINGS")); w != "" && strings.HasPrefix(out, "affected") {
		var codes []string
		for line := range strings.SplitSeq(w, "\n") {
			codes = append(codes, strings.Split(line, " | ")[1])
		}
		out += fmt.Sprint(" ", codes)
	}
	if !strings.HasPrefix(out, "affected") {
		out, _, _ = strings.Cut(out, " ")
	}
	return out + ": " + strings.ReplaceAll(strings.TrimSpace(c.query("SELECT * FROM t ORDER BY id")), "\n", "; ")
}

// The counts, ids, warnings and rows are MariaDB's.
func TestChangesByTheCore(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("SET sql_mode = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO'")
	reset := func() {
		c.exec("DROP TABLE IF EXISTS t")
		c.exec("CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, u VARCHAR(5) NOT NULL, n TINYINT DEFAULT 7, UNIQUE KEY (u)) COLLATE utf8mb4_bin")
		c.exec("INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', NULL)")
	}
	const rows = "1 | a | 1; 2 | b | 2; 3 | c | NULL"
	for _, w := range []struct{ statement, want string }{
		{"UPDATE t SET n = n + 1, id = id + 10 WHERE n IS NOT NULL", "affected 2, id 0: 3 | c | NULL; 11 | a | 2; 12 | b | 3"},
		{"UPDATE t SET n = 5, id = n + 10 WHERE id = 2", "affected 1, id 0: 1 | a | 1; 3 | c | NULL; 15 | b | 5"},
		{"UPDATE t SET n = 300 WHERE id + 0 = 1", "1264: " + rows},
		{"UPDATE IGNORE t SET n = 300 WHERE id + 0 = 1", "affected 1, id 0 [1264]: 1 | a | 127; 2 | b | 2; 3 | c | NULL"},
		{"UPDATE t SET u = NULL", "1048: " + rows},
		{"UPDATE t SET u = 'b' WHERE n = 1", "1062: " + rows},
		{"UPDATE IGNORE t SET u = 'b' WHERE n = 1", "affected 0, id 0 [1062]: " + rows},
		{"UPDATE t SET n = DEFAULT ORDER BY id DESC LIMIT 1", "affected 1, id 0: 1 | a | 1; 2 | b | 2; 3 | c | 7"},
		{"UPDATE t SET n = 1 / 0 WHERE u = 'a'", "1365: " + rows},
		{"DELETE FROM t WHERE n >= 1 ORDER BY n DESC LIMIT 1", "affected 1, id 0: 1 | a | 1; 3 | c | NULL"},
		{"DELETE FROM t", "affected 3, id 0: "},
		{"DELETE FROM t WHERE n = 'x'", "1292: " + rows},
		{"DELETE FROM t WHERE n = 'x' LIMIT 0", "affected 0, id 0: " + rows},
		{"INSERT INTO t (u) VALUES ('x'), (UPPER('y'))", "affected 2, id 4: " + rows + "; 4 | x | 7; 5 | Y | 7"},
		{"INSERT INTO t SET id = 9, n = id + 1, u = n", "affected 1, id 9: " + rows + "; 9 | 10 | 10"},
		{"INSERT INTO t VALUES (20, 'x', DEFAULT), (NULL, 'y', 0)", "affected 2, id 21: " + rows + "; 20 | x | 7; 21 | y | 0"},
		{"INSERT INTO t (n) VALUES (1)", "1364: " + rows},
		{"INSERT INTO t (u) VALUES ('too long')", "1406: " + rows},
		{"INSERT IGNORE INTO t (u) VALUES ('a'), ('d'), ('too long')", "affected 2, id 4 [1062 1265]: " + rows + "; 4 | d | 7; 5 | too l | 7"},
		{"REPLACE INTO t VALUES (1, 'b', 9)", "affected 3, id 1: 1 | b | 9; 3 | c | NULL"},
		{"REPLACE INTO t VALUES (3, 'c', 9)", "affected 2, id 3: 1 | a | 1; 2 | b | 2; 3 | c | 9"},
		{"INSERT INTO t (u) VALUES ('a'), ('z') ON DUPLICATE KEY UPDATE n = n + 40, u = CONCAT(VALUES(u), '!')", "affected 3, id 4: 1 | a! | 41; 2 | b | 2; 3 | c | NULL; 4 | z | 7"},
		{"INSERT INTO t (u) VALUES ('b') ON DUPLICATE KEY UPDATE n = n", "affected 0, id 0: " + rows},
		{"INSERT INTO t (id, u) VALUES (2, 'q') ON DUPLICATE KEY UPDATE n = n", "affected 0, id 0: " + rows},
	} {
		for _, inside := range []bool{false, true} {
			reset()
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

// sameChange compares outcomes; an error by its number.
func sameChange(got, want string) bool {
	if number, rest, ok := strings.Cut(want, ": "); ok && len(number) == 4 {
		return strings.HasPrefix(got, number) && strings.HasSuffix(got, rest)
	}
	return got == want
}

// A change reads its rows for writing, in one round by their key and in two by an index, and the unique keys that many rows
// get in one more.
func TestRoundsOfChanges(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY, a INT, u INT, UNIQUE KEY (u), KEY (a))")
	c.exec("INSERT INTO t VALUES (1, 1, 1), (2, 1, 2), (3, 2, 3), (4, 2, 4)")
	f.cluster.BeforeRead = func(tx *sqltest.Txn, r txn.Read) error {
		if tx.Options().SessionID != 0 && len(r.Gets)+len(r.Scans) > 0 && !r.ForWrite {
			t.Error("rows that are written are not read for writing")
		}
		return nil
	}
	defer func() { f.cluster.BeforeRead = nil }()
	for _, w := range []struct {
		statement string
		rounds    int
	}{
		{"UPDATE t SET a = a * 2 WHERE id IN (1, 2) AND a < 9", 1},
		{"UPDATE t SET a = 5 WHERE a = 2", 2},
		{"UPDATE t SET u = u + 10", 2},
		{"DELETE FROM t WHERE u = 11", 2},
		{"DELETE FROM t WHERE id > 3", 1},
		{"INSERT INTO t VALUES (10, 1, 21), (11, 1 + 1, 22), (12, 1, 23)", 1},
		{"REPLACE INTO t VALUES (10, 5, 22)", 2},
	} {
		c.exec("BEGIN")
		c.exec(w.statement)
		c.exec("COMMIT")
		if got := f.seen.rounds(); got != w.rounds {
			t.Errorf("%s: %d rounds, expected %d", w.statement, got, w.rounds)
		}
	}
}

// The texts of values in messages about duplicates are MySQL's.
func TestTextsOfDuplicateKeys(t *testing.T) {
	c := start(t).connect(t, "va", "shop")
	for _, v := range []struct{ typ, value, text string }{
		{"TIME", "'10:11:12'", "10:11:12"}, {"TIME(2)", "'-10:11:12.5'", "-10:11:12.50"}, {"DATETIME(1)", "'2024-02-29 10:11:12.5'", "2024-02-29 10:11:12.5"},
		{"FLOAT", "0.1", "0.1"}, {"DOUBLE", "1e30", "1e30"}, {"DECIMAL(5,2)", "1.5", "1.50"}, {"ENUM('a','b')", "'b'", "b"}, {"SET('a','b')", "'b,a'", "a,b"},
		{"YEAR", "2024", "2024"}, {"BIGINT UNSIGNED", "18446744073709551615", "18446744073709551615"}, {"VARBINARY(3)", "'x '", "x "},
	} {
		c.exec("DROP TABLE IF EXISTS d")
		c.exec("CREATE TABLE d (id INT PRIMARY KEY, v " + v.typ + ", UNIQUE KEY u (v, id))")
		c.exec("CREATE UNIQUE INDEX v ON d (v)")
		c.exec("INSERT INTO d VALUES (1, " + v.value + ")")
		c.fails("INSERT INTO d VALUES (2, "+v.value+")", "Duplicate entry '"+v.text+"' for key 'd.v'")
	}
}

// A column that gets no value and has no default is reported once, before the rows; a column assigned to itself keeps its
// value, whatever the mode; numbers follow the greatest that a row has of its own. The warnings are in their order.
func TestRulesOfChanges(t *testing.T) {
	c := start(t).connect(t, "va", "shop")
	c.exec("SET sql_mode = ''")
	c.exec("CREATE TABLE r (id INT AUTO_INCREMENT PRIMARY KEY, u VARCHAR(9) UNIQUE, n INT, k INT NOT NULL, e ENUM('x', 'y') NOT NULL, d DATE)")
	for _, v := range []struct{ statement, want string }{
		{"INSERT INTO r (u, d) VALUES ('a', '0000-00-00'), ('b', NULL)", "affected 2, id 1"},
		{"INSERT IGNORE INTO r (u, n) VALUES ('a', '1x'), ('b', '2y')", "affected 0, id 0"},
		{"INSERT INTO r (u, k) VALUES ('a', 1), ('c', 2) ON DUPLICATE KEY UPDATE k = NULL", "affected 1, id 5"},
		{"INSERT INTO r (u, k) VALUES ('a', 1) ON DUPLICATE KEY UPDATE id = NULL", "affected 2, id 0"},
		{"INSERT INTO r (u, k) VALUES ('b', 1), ('c', 3) ON DUPLICATE KEY UPDATE id = VALUES(id)", "affected 4, id 9"},
		{"INSERT IGNORE INTO r (id, u, k) VALUES (NULL, 'c', 1), (-128, 'q', 1), (0, 'c', 1), (50, 'z', 1), (NULL, 'c', 1), (NULL, 'y', 1)", "affected 3, id 51"},
		{"INSERT INTO r SET id = id, u = 'w', k = k", "affected 1, id 53"},
		{"INSERT IGNORE INTO r (id, u, k) VALUES (90, 'z', 1), (NULL, 'z', 1)", "affected 0"},
		{"UPDATE r SET id = DEFAULT WHERE u = 'q'", "1062"},
		{"SET sql_mode = 'STRICT_TRANS_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO'", "affected 0, id 0"},
		{"UPDATE r SET d = d WHERE u = 'a'", "affected 0, id 0"},
		{"INSERT INTO r SET n = '1x'", "1364"},
		{"INSERT INTO r (u, k) VALUES ('v', 1) ON DUPLICATE KEY UPDATE id = NULL", "affected 1, id 55"},
		{"INSERT INTO r (u, k) VALUES ('a', 1) ON DUPLICATE KEY UPDATE k = NULL", "1048"},
		{"INSERT INTO r (u, k) VALUES ('s', '1x' / 'y')", "1292"},
	} {
		if got := textOutcome(c.conn, v.statement); !strings.Contains(got, v.want) {
			t.Errorf("%s: %s, expected %s", v.statement, got, v.want)
		}
		if v.want == "affected 0, id 0" && strings.HasPrefix(v.statement, "INSERT") {
			c.expect("SHOW WARNINGS", "Warning | 1364 | Field 'k' doesn't have a default value\nWarning | 1265 | Data truncated for column 'n' at row 1\nWarning | 1062 | Duplicate entry 'a' for key 'r.u'\nWarning | 1265 | Data truncated for column 'n' at row 2\nWarning | 1062 | Duplicate entry 'b' for key 'r.u'")
		}
	}
	c.exec("CREATE TABLE q (id INT PRIMARY KEY, d DECIMAL(12,8), s VARCHAR(20))")
	c.exec("INSERT INTO q VALUES (1, 1 / 3, 2 / 3), (2, IF(1, 2 / 3, 0), NULL)")
	c.exec("UPDATE q SET d = d + id / 7, s = id / 7 WHERE id = 2")
	c.exec("INSERT INTO q (id, d) SELECT id + 2, id / 7 FROM q WHERE id = 1")
	c.expect("SELECT d FROM q WHERE id = 3", "0.14285714")
	c.exec("DELETE FROM q WHERE id = 3")
	c.expect("SELECT * FROM q ORDER BY id", "1 | 0.33333333 | 0.666666666\n2 | 0.95238096 | 0.285714285")
	c.expect("SELECT id, u, k, e FROM r ORDER BY id", "-128 | q | 1 | x\n0 | a | 0 | x\n8 | b | 0 | x\n9 | c | 2 | x\n50 | z | 1 | x\n51 | y | 1 | x\n53 | w | 0 | x\n55 | v | 1 | x")
}

// A row without a key is found and changed, whatever the form of its values.
func TestRowsWithoutKey(t *testing.T) {
	c := start(t).connect(t, "va", "shop")
	c.exec("CREATE TABLE k (j JSON, t TIME(2), f FLOAT(7,1), d DECIMAL(5,2))")
	c.exec(`INSERT INTO k VALUES ('{"b": [1.0, 1.50, 1e3], "aa": "é<>", "a": 12345678901234567890}', '10:11:12.345', 1.26, 1.5), (NULL, NULL, NULL, NULL)`)
	c.exec("UPDATE k SET d = d + 1 WHERE j IS NOT NULL")
	c.exec("DELETE FROM k WHERE d > 2 OR d IS NULL")
	if got := c.query("SELECT COUNT(*) FROM k"); strings.TrimSpace(got) != "0" {
		t.Errorf("%s rows are left", got)
	}
}
