package main

import (
	"fmt"
	"strings"
	"sync"
)

// family makes tables that constraints tie together, and the view of all their rows that is compared after a change. definitions
// are of the members, parents first: the name of a table, its columns as those of cols(), the keys and constraints. Columns of
// which the type has AS or DEFAULT are computed.
func family(name string, members ...*Table) *Table {
	f := &Table{Name: name, Primary: []string{"t", "k"}, Columns: cols("t text VARCHAR(9); k integer INT; r text VARCHAR(99)"), Members: members}
	var parts []string
	for _, m := range members {
		var shown []string
		for _, c := range m.Columns {
			shown = append(shown, "IFNULL("+c.Name+", 'NULL')")
		}
		parts = append(parts, fmt.Sprintf("SELECT '%s' AS t, %s AS k, CONCAT_WS('|', %s) AS r FROM %s", m.Name, m.Primary[0], strings.Join(shown, ", "), m.Name))
	}
	f.Definition = "CREATE VIEW " + name + " AS " + strings.Join(parts, " UNION ALL ")
	return f
}

// member is a table of a family, with rows of literals.
func member(name, columns, constraints string, rows ...string) *Table {
	t := &Table{Name: name, Primary: []string{"id"}, Columns: cols(columns)}
	var parts []string
	for _, c := range t.Columns {
		d := c.Name + " " + c.Type
		if c.NotNull {
			d += " NOT NULL"
		}
		parts = append(parts, d)
	}
	t.Definition = fmt.Sprintf("CREATE TABLE %s (%s, %s) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci", name, strings.Join(parts, ", "), constraints)
	for _, r := range rows {
		t.Rows = append(t.Rows, strings.Split(r, ", "))
	}
	return t
}

// families are those of every run.
var families = sync.OnceValue(func() []*Table {
	return []*Table{
		family("fam_tree",
			member("tree", "id integer INT NOT NULL; up integer INT; alt integer INT; k integer INT; g integer INT AS (IFNULL(k, 0) * 2 + 1) STORED",
				"PRIMARY KEY (id), UNIQUE KEY (k), CONSTRAINT tree_up FOREIGN KEY (up) REFERENCES tree (id) ON DELETE CASCADE, CONSTRAINT tree_alt FOREIGN KEY (alt) REFERENCES tree (id) ON DELETE SET NULL ON UPDATE CASCADE, CONSTRAINT tree_g CHECK (g < 30)",
				"1, NULL, NULL, 1, DEFAULT", "2, 1, NULL, 2, DEFAULT", "3, 1, 2, NULL, DEFAULT", "4, 2, 4, 4, DEFAULT", "5, 5, 1, NULL, DEFAULT", "6, NULL, 3, 6, DEFAULT"),
			member("leaf", "id integer INT NOT NULL; t integer INT; g integer INT DEFAULT (t + 1)", "PRIMARY KEY (id), KEY (t), CONSTRAINT leaf_t FOREIGN KEY (t) REFERENCES tree (id) ON DELETE CASCADE ON UPDATE CASCADE, CONSTRAINT leaf_k FOREIGN KEY (g) REFERENCES tree (k) ON UPDATE SET NULL",
				"1, 2, 1", "2, 3, NULL", "3, 6, 6", "4, NULL, 2")),
		family("fam_orders",
			member("cust", "id integer INT NOT NULL; code text VARCHAR(5) NOT NULL; n integer INT NOT NULL DEFAULT 1; twice integer INT AS (n * 2) STORED; tag text VARCHAR(20) AS (CONCAT(code, '-', twice)) STORED",
				"PRIMARY KEY (id), UNIQUE KEY (code), KEY (twice), CONSTRAINT cust_n CHECK (n BETWEEN 0 AND 8), CONSTRAINT cust_c CHECK (code <> 'no')",
				"1, 'a', 1, DEFAULT, DEFAULT", "2, 'b', 2, DEFAULT, DEFAULT", "3, 'c', 3, DEFAULT, DEFAULT", "4, 'd', 4, DEFAULT, DEFAULT"),
			member("ord", "id integer INT NOT NULL; c integer INT; code text VARCHAR(5) DEFAULT 'a'; qty integer INT DEFAULT (id % 4); total integer INT AS (qty * 10 + IFNULL(c, 0)) STORED",
				"PRIMARY KEY (id), CONSTRAINT ord_c FOREIGN KEY (c) REFERENCES cust (id) ON DELETE NO ACTION ON UPDATE RESTRICT, CONSTRAINT ord_code FOREIGN KEY (code) REFERENCES cust (code) ON DELETE CASCADE ON UPDATE CASCADE, CONSTRAINT ord_q CHECK (qty <> 7 AND (total < 70 OR qty IS NULL)), UNIQUE KEY u (total)",
				"1, 1, 'a', 1, DEFAULT", "2, 2, 'c', 2, DEFAULT", "3, NULL, 'b', 3, DEFAULT", "4, 3, NULL, NULL, DEFAULT", "5, 1, 'c', 5, DEFAULT"),
			member("line", "id integer INT NOT NULL; o integer INT NOT NULL; pos integer INT NOT NULL; v decimal DECIMAL(5,2); w decimal DECIMAL(8,2) AS (v * pos) STORED",
				"PRIMARY KEY (id), UNIQUE KEY (o, pos), CONSTRAINT line_o FOREIGN KEY (o) REFERENCES ord (id) ON DELETE CASCADE ON UPDATE CASCADE, CONSTRAINT line_w CHECK (w > -50)",
				"1, 1, 1, 1.50, DEFAULT", "2, 1, 2, 2.25, DEFAULT", "3, 3, 1, NULL, DEFAULT", "4, 5, 1, -3.00, DEFAULT")),
		family("fam_pairs",
			member("pair", "id integer INT NOT NULL; b text VARCHAR(4); c integer INT; h integer INT AS (id % 3) STORED",
				"PRIMARY KEY (id), UNIQUE KEY (b, c), KEY (h), CONSTRAINT pair_c CHECK (c > 0)",
				"1, 'x', 1, DEFAULT", "2, 'x', 2, DEFAULT", "3, 'y', 1, DEFAULT", "4, 'z', NULL, DEFAULT", "5, NULL, 5, DEFAULT"),
			member("ref", "id integer INT NOT NULL; b text VARCHAR(6); c integer INT DEFAULT 1; m integer INT AS (id % 7) STORED; d text VARCHAR(10) DEFAULT (CONCAT(b, c))",
				"PRIMARY KEY (id), KEY bc (b, c), CONSTRAINT ref_bc FOREIGN KEY (b, c) REFERENCES pair (b, c) ON DELETE SET NULL ON UPDATE CASCADE, CONSTRAINT ref_m FOREIGN KEY (m) REFERENCES pair (id)",
				"1, 'x', 1, DEFAULT, 'x1'", "2, 'x', 2, DEFAULT, NULL", "3, 'X', 1, DEFAULT, NULL", "10, NULL, 9, DEFAULT, 'q'", "11, 'y', 1, DEFAULT, 'r'"),
			member("deep", "id integer INT NOT NULL; r integer INT", "PRIMARY KEY (id), CONSTRAINT deep_r FOREIGN KEY (r) REFERENCES ref (id) ON DELETE SET NULL ON UPDATE SET NULL",
				"1, 1", "2, 10", "3, NULL")),
	}
})

// setup are the statements that make a family, with its rows.
func (t *Table) setup() []string {
	out := []string{"SET foreign_key_checks = 0"}
	for _, m := range t.Members {
		out = append(out, m.create(), m.insert(m.Rows))
	}
	return append(out, "SET foreign_key_checks = 1", t.create())
}

// makeFamily creates a family again; one of which the server refuses a statement is missing.
func (s *Session) makeFamily(t *Table) error {
	if err := s.setMode(""); err != nil {
		return err
	}
	drop := []string{"SET foreign_key_checks = 0", "DROP VIEW IF EXISTS " + t.Name}
	for i := len(t.Members) - 1; i >= 0; i-- {
		drop = append(drop, "DROP TABLE IF EXISTS "+t.Members[i].Name)
	}
	for _, q := range append(drop, t.setup()...) {
		if _, err := s.conn.query(q); err != nil {
			return fmt.Errorf("%s: %s: %w", s.server.Name, q, err)
		}
	}
	return nil
}

// restoreFamily gives the members their rows back.
func (s *Session) restoreFamily(t *Table) error {
	if err := s.setMode(""); err != nil {
		return err
	}
	list := []string{"SET foreign_key_checks = 0"}
	for _, m := range t.Members {
		list = append(list, "DELETE FROM "+m.Name, m.insert(m.Rows))
	}
	for _, q := range append(list, "SET foreign_key_checks = 1") {
		if _, err := s.conn.query(q); err != nil {
			return fmt.Errorf("%s: %s: %w", s.server.Name, q, err)
		}
	}
	return nil
}
