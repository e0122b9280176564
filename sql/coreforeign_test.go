package sql

import (
	"fmt"
	"strings"
	"testing"
)

var foreignTables = []string{
	"CREATE TABLE p (id INT PRIMARY KEY, k INT, v INT, UNIQUE KEY (k))",
	"CREATE TABLE r (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p (id))",
	"CREATE TABLE u (id INT PRIMARY KEY, k INT, FOREIGN KEY (k) REFERENCES p (k))",
	"CREATE TABLE c (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p (id) ON DELETE CASCADE ON UPDATE CASCADE)",
	"CREATE TABLE g (id INT PRIMARY KEY, c INT, FOREIGN KEY (c) REFERENCES c (id) ON DELETE SET NULL ON UPDATE CASCADE)",
	"CREATE TABLE t (id INT PRIMARY KEY, up INT, FOREIGN KEY (up) REFERENCES t (id) ON DELETE CASCADE)",
}

// fillForeign gives the tables 100 parents, of which the first 50 have two children in c and these one in g, and a chain of ten.
func (c *client) fillForeign() {
	var p, ch, g, t []string
	for i := range 100 {
		p = append(p, fmt.Sprintf("(%d, %d, 0)", i, 1000+i))
		ch = append(ch, fmt.Sprintf("(%d, %d)", i, i/2))
		g = append(g, fmt.Sprintf("(%d, %d)", i, i))
	}
	for i := range 10 {
		t = append(t, fmt.Sprintf("(%d, NULLIF(%d, -1))", i, i-1))
	}
	for name, rows := range map[string][]string{"p": p, "c": ch, "g": g, "t": t} {
		c.exec("SET foreign_key_checks = 0")
		c.exec("INSERT INTO " + name + " VALUES " + strings.Join(rows, ", "))
		c.exec("SET foreign_key_checks = 1")
	}
	c.exec("INSERT INTO r VALUES (1, 90), (2, 91)")
	c.exec("INSERT INTO u VALUES (1, 1092)")
}

// Foreign keys cost rounds for each level of children, not for each row.
func TestRoundsOfForeignKeys(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	for _, text := range foreignTables {
		c.exec(text)
	}
	c.fillForeign()
	many := func(format string, n int) string {
		rows := make([]string, n)
		for i := range rows {
			rows[i] = fmt.Sprintf(format, i)
		}
		return strings.Join(rows, ", ")
	}
	for _, w := range []struct {
		statement    string
		rounds, weak int  // at SERIALIZABLE and at READ COMMITTED
		most         bool // that EXPLAIN knows of
	}{
		{"INSERT INTO c VALUES (1000, 1)", 2, 2, true},
		{"INSERT INTO c VALUES (1000, NULL)", 1, 1, false},
		{"INSERT INTO c VALUES " + many("(2%[1]d000, 9%[1]d)", 10), 2, 2, false},
		{"INSERT INTO c VALUES " + many("(1%d000, 9)", 50), 2, 2, false},
		{"INSERT INTO u VALUES (9, 1009), (10, 1010)", 2, 3, true},
		{"INSERT INTO t VALUES (20, 20), (21, 20), (22, 21)", 1, 1, false},
		{"REPLACE INTO c VALUES (1, 9)", 4, 4, false},
		{"INSERT INTO c VALUES " + many("(%d, 5)", 50) + " ON DUPLICATE KEY UPDATE p = c.id + 10", 2, 2, false},
		{"INSERT INTO p VALUES " + many("(%d, 1, 1)", 50) + " ON DUPLICATE KEY UPDATE k = k + 5000", 3, 3, false},
		{"INSERT INTO p VALUES " + many("(%d, 1, 1)", 50) + " ON DUPLICATE KEY UPDATE v = k", 1, 1, false},
		{"UPDATE c SET p = p + 10 WHERE id < 50", 2, 2, true},
		{"UPDATE p SET v = 1 WHERE id < 50", 1, 1, true},
		{"UPDATE p SET id = id + 1000 WHERE id >= 93", 3, 3, false},
		{"UPDATE p SET id = id + 1000 WHERE id < 50", 4, 4, true},
		{"DELETE FROM p WHERE id >= 93", 2, 2, false},
		{"DELETE FROM p WHERE id < 50", 5, 5, true},
		{"DELETE FROM t WHERE id = 8", 4, 4, false},
		{"DELETE FROM t WHERE id = 0", 20, 20, false},
	} {
		for level, want := range map[string]int{"SERIALIZABLE": w.rounds, "READ COMMITTED": w.weak} {
			c.exec("SET SESSION TRANSACTION ISOLATION LEVEL " + level)
			plan := strings.Split(strings.TrimSpace(c.query("EXPLAIN "+w.statement)), "\n")
			if all := strings.Split(plan[len(plan)-1], " | "); w.most && all[3] != fmt.Sprint(want) {
				t.Errorf("%.60s at %s: EXPLAIN says %s rounds, expected %d", w.statement, level, all[3], want)
			}
			c.exec("BEGIN")
			if _, err := c.try(w.statement); err != nil {
				t.Errorf("%.60s: %v", w.statement, err)
			}
			c.exec("COMMIT")
			got := f.seen.rounds()
			c.exec("DELETE FROM r")
			for _, name := range []string{"g", "c", "u", "t", "p"} {
				c.exec("SET foreign_key_checks = 0")
				c.exec("DELETE FROM " + name)
				c.exec("SET foreign_key_checks = 1")
			}
			c.fillForeign()
			if got != want {
				t.Errorf("%.60s at %s: %d rounds, expected %d", w.statement, level, got, want)
			}
		}
	}
}

// Foreign keys are enforced by the core in MySQL's order; the outcomes are MariaDB's.
func TestForeignKeysByTheCore(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	const rows = "1 | NULL | 1; 2 | 1 | 2; 3 | 2 | NULL; 4 | 4 | 1"
	for _, w := range []struct{ statement, want string }{
		{"INSERT INTO t VALUES (5, 5, NULL), (6, 5, NULL)", "affected 2, id 0: " + rows + "; 5 | 5 | NULL; 6 | 5 | NULL"},
		{"INSERT INTO t VALUES (5, 6, NULL), (6, NULL, NULL)", "1452: " + rows},
		{"INSERT IGNORE INTO t VALUES (5, 9, NULL), (6, 1, 9), (7, 7, 2), (7, 9, 9)", "affected 1, id 0 [1452 1452 1062]: " + rows + "; 7 | 7 | 2"},
		{"INSERT INTO t VALUES (1, 9, 9) ON DUPLICATE KEY UPDATE p = 2", "affected 2, id 0: 1 | NULL | 2; 2 | 1 | 2; 3 | 2 | NULL; 4 | 4 | 1"},
		{"INSERT INTO t VALUES (1, 9, 9) ON DUPLICATE KEY UPDATE p = 9", "1452: " + rows},
		{"REPLACE INTO t VALUES (2, NULL, 1)", "affected 2, id 0: 1 | NULL | 1; 2 | NULL | 1; 4 | 4 | 1"},
		{"UPDATE t SET id = id + 10 WHERE id = 3", "affected 1, id 0: 1 | NULL | 1; 2 | 1 | 2; 4 | 4 | 1; 13 | 2 | NULL"},
		{"UPDATE t SET id = 12 WHERE id = 2", "1451: " + rows}, // an action does not update the same table again
		{"UPDATE IGNORE t SET p = id", "affected 1, id 0 [1452]: 1 | NULL | 1; 2 | 1 | 2; 3 | 2 | 3; 4 | 4 | 1"},
		{"DELETE FROM t WHERE id = 1", "affected 1, id 0: 4 | 4 | 1"},
		{"DELETE FROM t WHERE id = 4", "affected 1, id 0: 1 | NULL | 1; 2 | 1 | 2; 3 | 2 | NULL"},
		{"DELETE FROM p WHERE id = 2", "affected 1, id 0: 1 | NULL | 1; 2 | 1 | NULL; 3 | 2 | NULL; 4 | 4 | 1"},
		{"UPDATE p SET id = 7 WHERE id = 1", "1451: " + rows},
		{"UPDATE p SET id = 7, k = 8 WHERE id = 3", "affected 1, id 0: " + rows},
		{"DELETE IGNORE FROM p", "affected 2, id 0 [1451]: 1 | NULL | 1; 2 | 1 | NULL; 3 | 2 | NULL; 4 | 4 | 1"},
	} {
		for _, name := range []string{"r", "t", "p"} {
			c.exec("DROP TABLE IF EXISTS " + name)
		}
		c.exec("CREATE TABLE p (id INT PRIMARY KEY, k INT)")
		c.exec("CREATE TABLE t (id INT PRIMARY KEY, up INT, p INT, FOREIGN KEY (up) REFERENCES t (id) ON DELETE CASCADE ON UPDATE CASCADE, CONSTRAINT fp FOREIGN KEY (p) REFERENCES p (id) ON DELETE SET NULL)")
		c.exec("CREATE TABLE r (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p (id))")
		c.exec("INSERT INTO p VALUES (1, 1), (2, 2), (3, 3)")
		c.exec("INSERT INTO t VALUES (1, NULL, 1), (2, 1, 2), (3, 2, NULL), (4, 4, 1)")
		c.exec("INSERT INTO r VALUES (1, 1)")
		before := f.servers["va"].gateway.byEngine.Load()
		if got := c.changed(w.statement); !sameChange(got, w.want) {
			t.Errorf("%s: %q, expected %q", w.statement, got, w.want)
		}
		if f.servers["va"].gateway.byEngine.Load() > before {
			t.Errorf("the engine executed %s", w.statement)
		}
	}
	c.fails("INSERT INTO t VALUES (8, 1, 50)", "Cannot add or update a child row: a foreign key constraint fails (`shop`.`t`, CONSTRAINT `fp` FOREIGN KEY (`p`) REFERENCES `p` (`id`) ON DELETE SET NULL)")
	c.exec("SET foreign_key_checks = 0")
	c.exec("INSERT INTO t VALUES (8, 80, 50)")
	c.exec("DELETE FROM p")
	c.expect("SELECT up, p FROM t WHERE id = 8", "80 | 50")
	c.exec("SET foreign_key_checks = 1")
	c.fails("UPDATE t SET p = 51 WHERE id = 8", "1452")
}

// The columns of a foreign key may be of several types: a value that the other does not hold refers to nothing, and no action
// stores it.
func TestForeignKeysOfSeveralTypes(t *testing.T) {
	c := start(t).connect(t, "va", "shop")
	c.exec("CREATE TABLE p (k VARCHAR(20) PRIMARY KEY, d DECIMAL(6,2), m DATE, e ENUM('a', 'b'), UNIQUE KEY (d), UNIQUE KEY (m), UNIQUE KEY (e))")
	c.exec("CREATE TABLE c (id INT PRIMARY KEY, k VARCHAR(5), d DECIMAL(8,4), m DATETIME, e ENUM('x', 'y', 'z'), FOREIGN KEY (k) REFERENCES p (k) ON UPDATE CASCADE, FOREIGN KEY (d) REFERENCES p (d) ON UPDATE CASCADE, FOREIGN KEY (m) REFERENCES p (m), FOREIGN KEY (e) REFERENCES p (e))")
	c.exec("INSERT INTO p VALUES ('one', 1.25, '2024-01-31', 'b')")
	c.exec("INSERT INTO c VALUES (1, 'ONE', 1.25, '2024-01-31', 'y')")
	c.fails("INSERT INTO c (id, d) VALUES (2, 1.2501)", "1452")
	c.fails("INSERT INTO c (id, m) VALUES (2, '2024-01-31 00:00:01')", "1452")
	c.fails("INSERT INTO c (id, e) VALUES (2, 'x')", "1452")
	c.fails("UPDATE p SET k = 'longer'", "1451")
	c.exec("UPDATE p SET k = 'two', d = 9.5")
	c.expect("SELECT k, d, m, e FROM c", "two | 9.5000 | 2024-01-31 00:00:00 | y")
}

// Actions reach fifteen levels of rows, those of the statement among them; what fails leaves nothing behind.
func TestForeignKeysReachFifteenLevels(t *testing.T) {
	c := start(t).connect(t, "va", "shop")
	c.exec("CREATE TABLE d (id INT PRIMARY KEY, up INT, FOREIGN KEY (up) REFERENCES d (id) ON DELETE CASCADE)")
	for i := range 17 {
		c.exec(fmt.Sprintf("INSERT INTO d VALUES (%d, NULLIF(%d, 0))", i+1, i))
	}
	c.exec("BEGIN")
	c.fails("DELETE FROM d WHERE id = 2", "3008")
	c.expect("SELECT COUNT(*) FROM d", "17")
	c.exec("DELETE FROM d WHERE id = 3")
	c.expect("SELECT COUNT(*) FROM d", "2")
	c.exec("COMMIT")
}

// Who has no privilege on the other table of a foreign key is not told of it.
func TestForeignKeysHideTables(t *testing.T) {
	g := startGuarded(t, nil)
	root := g.open(t, "va", "root", rootPassword, true)
	must(t, root, "CREATE DATABASE d", "CREATE TABLE d.p (id INT PRIMARY KEY)", "CREATE TABLE d.c (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES d.p (id))",
		"INSERT INTO d.p VALUES (1)", "INSERT INTO d.c VALUES (1, 1)",
		"CREATE USER cu IDENTIFIED BY 'cu'", "GRANT SELECT, INSERT ON d.c TO cu", "CREATE USER pu IDENTIFIED BY 'pu'", "GRANT SELECT, DELETE ON d.p TO pu")
	for _, w := range []struct {
		user, statement string
		hidden, shown   uint16
		grant           string
	}{
		{"cu", "INSERT INTO d.c VALUES (2, 9)", 1216, 1452, "GRANT REFERENCES ON d.p TO cu"},
		{"pu", "DELETE FROM d.p", 1217, 1451, "GRANT UPDATE ON d.c TO pu"},
	} {
		db := g.open(t, "va", w.user, w.user, true)
		for _, want := range []uint16{w.hidden, w.shown} {
			_, err := db.Exec(w.statement)
			if n, _, text := codeOf(err); n != want || strings.Contains(text, "CONSTRAINT") != (want == w.shown) {
				t.Errorf("%s by %s: %v, expected %d", w.statement, w.user, err, want)
			}
			must(t, root, w.grant)
		}
	}
}
