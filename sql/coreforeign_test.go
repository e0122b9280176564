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
		rounds, weak int // at SERIALIZABLE and at READ COMMITTED
	}{
		{"INSERT INTO c VALUES (1000, 1)", 2, 2},
		{"INSERT INTO c VALUES (1000, NULL)", 1, 1},
		{"INSERT INTO c VALUES " + many("(2%[1]d000, 9%[1]d)", 10), 2, 2},
		{"INSERT INTO c VALUES " + many("(1%d000, 9)", 50), 2, 2},
		{"INSERT INTO u VALUES (9, 1009), (10, 1010)", 2, 3},
		{"INSERT INTO t VALUES (20, 20), (21, 20), (22, 21)", 1, 1},
		{"REPLACE INTO c VALUES (1, 9)", 4, 4},
		{"UPDATE c SET p = p + 10 WHERE id < 50", 2, 2},
		{"UPDATE p SET v = 1 WHERE id < 50", 1, 1},
		{"UPDATE p SET id = id + 1000 WHERE id >= 93", 3, 3},
		{"UPDATE p SET id = id + 1000 WHERE id < 50", 4, 4},
		{"DELETE FROM p WHERE id >= 93", 2, 2},
		{"DELETE FROM p WHERE id < 50", 5, 5},
		{"DELETE FROM t WHERE id = 8", 4, 4},
		{"DELETE FROM t WHERE id = 0", 20, 20},
	} {
		for level, want := range map[string]int{"SERIALIZABLE": w.rounds, "READ COMMITTED": w.weak} {
			c.exec("SET SESSION TRANSACTION ISOLATION LEVEL " + level)
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
