package sql

import "testing"

// Rows have what the new definition says, and their keys and indexes follow.
func TestAlteredRows(t *testing.T) {
	c := start(t).connect(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT)")
	c.exec("INSERT INTO t VALUES (1, 10), (2, 20)")
	c.exec("ALTER TABLE t ADD COLUMN g INT AS (v * 2) STORED, ADD COLUMN u VARCHAR(40) DEFAULT (UUID()), ADD KEY (g)")
	c.expect("SELECT id, g, LENGTH(u) FROM t ORDER BY id", "1 | 20 | 36\n2 | 40 | 36")
	c.expect("SELECT COUNT(DISTINCT u) FROM t", "2")
	c.exec("ALTER TABLE t DROP PRIMARY KEY")
	c.exec("INSERT INTO t (id, v) VALUES (2, 20)")
	c.fails("ALTER TABLE t ADD PRIMARY KEY (v, id)", "1062")
	c.expect("SELECT COUNT(*) FROM t WHERE g = 40", "2")
	c.exec("DELETE FROM t WHERE g = 40 LIMIT 1")
	c.exec("ALTER TABLE t ADD PRIMARY KEY (v, id)")
	c.exec("UPDATE t SET v = 21 WHERE id = 2 AND v = 20")
	c.expect("SELECT id, g FROM t WHERE g = 42", "2 | 42")
	c.exec("CREATE TABLE n (a VARCHAR(9), KEY (a))")
	c.exec("INSERT INTO n VALUES ('1'), ('2'), ('x')")
	c.fails("ALTER TABLE n MODIFY a INT", "1366")
	c.exec("ALTER TABLE n ADD id INT AUTO_INCREMENT PRIMARY KEY FIRST")
	c.exec("INSERT INTO n (a) VALUES ('y')")
	c.expect("SELECT * FROM n ORDER BY id", "1 | 1\n2 | 2\n3 | x\n4 | y")
	c.exec("ALTER TABLE n MODIFY a VARCHAR(30), AUTO_INCREMENT = 5000")
	c.expect("SELECT id FROM n WHERE a = 'x'", "3")
	c.exec("INSERT INTO n (a) VALUES ('z')")
	c.expect("SELECT MAX(id) >= 5000 FROM n", "1")
	c.exec("CREATE TABLE s (id INT PRIMARY KEY, s VARCHAR(5))")
	c.exec("INSERT INTO s VALUES (1, 'abc')")
	c.fails("ALTER TABLE s MODIFY s CHAR(2)", "1406")
	c.exec("SET sql_mode = ''")
	c.exec("ALTER TABLE s MODIFY s CHAR(2)")
	c.expect("SHOW WARNINGS", "Warning | 1265 | Data truncated for column 's' at row 1")
	c.expect("SELECT s FROM s", "ab")
}

// New constraints are verified over all rows, by users who may not read them.
func TestAddedConstraintsHold(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE p (id INT PRIMARY KEY)")
	c.exec("CREATE TABLE c (id INT PRIMARY KEY, p INT, up INT)")
	c.exec("INSERT INTO p VALUES (1)")
	c.exec("INSERT INTO c VALUES (1, 1, NULL), (2, 2, 1), (3, NULL, 9)")
	c.exec("CREATE USER definer")
	c.exec("GRANT ALTER, REFERENCES, INDEX ON shop.* TO definer")
	d := f.connectAs(t, "va", "definer", "shop")
	d.fails("ALTER TABLE c ADD FOREIGN KEY (p) REFERENCES p (id)", "1452")
	d.fails("ALTER TABLE c ADD FOREIGN KEY (up) REFERENCES c (id)", "1452")
	d.fails("ALTER TABLE c ADD CHECK (id < 3)", "3819")
	c.exec("DELETE FROM c WHERE id > 1")
	d.exec("ALTER TABLE c ADD FOREIGN KEY (p) REFERENCES p (id), ADD CHECK (id < 3)")
	d.exec("ALTER TABLE p RENAME COLUMN id TO pid")
	c.fails("INSERT INTO c VALUES (2, 9, NULL)", "1452")
	d.fails("DROP TABLE c", "1142")
}
