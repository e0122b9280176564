package sql

import (
	"strings"
	"testing"
)

// A table comes with its foreign keys in one change, or not at all.
func TestForeignKeysComeWithTheirTable(t *testing.T) {
	f := start(t)
	for i := range 2 {
		c := f.connect(t, testRegions[i], "shop")
		c.exec("DROP TABLE IF EXISTS c")
		c.exec("DROP TABLE IF EXISTS p, q")
		c.exec("CREATE TABLE p (id INT PRIMARY KEY, code VARCHAR(9) UNIQUE, plain INT)")
		c.exec("CREATE TABLE q (a INT, b INT, PRIMARY KEY (a, b))")
		c.exec("INSERT INTO p VALUES (1, 'one', 5)")
		c.exec("INSERT INTO q VALUES (1, 2)")
		for _, made := range []struct{ body, good, bad string }{
			{"id INT PRIMARY KEY, pid INT, KEY k (pid), CONSTRAINT f FOREIGN KEY (pid) REFERENCES p (id)", "1, 1", "2, 7"},
			{"id INT PRIMARY KEY, pid INT, FOREIGN KEY (pid) REFERENCES p (id)", "1, 1", "2, 7"},
			{"id INT PRIMARY KEY, pid INT REFERENCES p (id)", "1, 1", ""},
			{"id INT PRIMARY KEY, code VARCHAR(9), UNIQUE (code), FOREIGN KEY (code) REFERENCES p (code)", "1, 'one'", "2, 'two'"},
			{"id INT PRIMARY KEY, up INT, FOREIGN KEY (up) REFERENCES c (id)", "1, 1", "2, 7"},
			{"id INT PRIMARY KEY AUTO_INCREMENT, pid INT, CONSTRAINT f FOREIGN KEY (pid) REFERENCES p (id)", "NULL, 1", "NULL, 7"},
			{"a INT, b INT, KEY (a, b), FOREIGN KEY (a, b) REFERENCES q (a, b), FOREIGN KEY (a) REFERENCES p (id)", "1, 2", "1, 3"},
			{"pid INT, CONSTRAINT x FOREIGN KEY (pid) REFERENCES p (id) ON DELETE CASCADE, CHECK (pid < 9)", "1", "7"},
		} {
			c.exec("CREATE TABLE c (" + made.body + ")")
			c.exec("INSERT INTO c VALUES (" + made.good + ")")
			if made.bad != "" {
				c.fails("INSERT INTO c VALUES ("+made.bad+")", "1452")
				if got := c.query("SHOW CREATE TABLE c"); !strings.Contains(got, "FOREIGN KEY") {
					t.Errorf("%s became %s", made.body, got)
				}
			}
			c.exec("DROP TABLE c")
		}
	}
}

// What a CREATE TABLE that fails has done is nothing, and its error says why.
func TestFailedCreateTableLeavesNothing(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE p (id INT PRIMARY KEY, plain INT, words TEXT)")
	c.exec("INSERT INTO p VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 0, 'c')")
	ranges := func() int { return len(f.gateways["va"].Directory().Ranges) }
	before := ranges()
	for _, failing := range []struct{ statement, code string }{
		{"CREATE TABLE c (id INT PRIMARY KEY, pid INT, FOREIGN KEY (pid) REFERENCES missing (id))", "1824"},
		{"CREATE TABLE c (pid INT, CONSTRAINT f FOREIGN KEY (pid) REFERENCES shop.missing (id))", "1824"},
		{"CREATE TABLE c (pid INT, FOREIGN KEY (pid) REFERENCES p (plain))", "1822"},
		{"CREATE TABLE c (pid INT, FOREIGN KEY (pid) REFERENCES p (nothing))", "nothing"},
		{"CREATE TABLE c (pid VARCHAR(9), FOREIGN KEY (pid) REFERENCES p (id))", "3780"},
		{"CREATE TABLE c (pid INT NOT NULL, FOREIGN KEY (pid) REFERENCES p (id) ON DELETE SET NULL)", "1830"},
		{"CREATE TABLE c (pid INT, CONSTRAINT f FOREIGN KEY (pid) REFERENCES p (id), CONSTRAINT f FOREIGN KEY (pid) REFERENCES p (id))", "1826"},
		{"CREATE TABLE c (pid INT, KEY f (pid), KEY f (pid))", "f"},
		{"CREATE TABLE c (id INT PRIMARY KEY) SELECT plain AS id FROM p", "1062"},
		{"CREATE TABLE c AS SELECT id, (SELECT id FROM p) AS one FROM p", "1242"},
		{"CREATE TABLE c LIKE missing", "1146"},
		{"CREATE TABLE p (id INT PRIMARY KEY)", "1050"},
		{"CREATE TABLE p AS SELECT 1 AS one", "1050"},
	} {
		c.fails(failing.statement, failing.code)
		c.expect("SHOW TABLES", "p")
		if n := ranges(); n != before {
			t.Errorf("%s: the directory had %d ranges and has %d", failing.statement, before, n)
			before = n
		}
	}
	c.exec("CREATE TABLE c (id INT PRIMARY KEY AUTO_INCREMENT, plain INT) SELECT plain FROM p WHERE plain = 0")
	c.expect("SELECT * FROM c", "1 | 0")
	c.exec("CREATE TABLE IF NOT EXISTS c AS SELECT * FROM p")
	c.expect("SELECT COUNT(*) FROM c", "1")
	c.exec("CREATE TABLE counted (id INT PRIMARY KEY AUTO_INCREMENT, v INT) AUTO_INCREMENT = 77")
	c.exec("INSERT INTO counted (v) VALUES (1)")
	c.expect("SELECT * FROM counted", "77 | 1")
	c.exec("DROP TABLE counted")
	c.exec("CREATE TABLE d LIKE p")
	c.exec("INSERT INTO d SELECT * FROM p")
	c.expect("SELECT COUNT(*) FROM d", "3")
	c.exec("BEGIN")
	c.fails("CREATE TABLE e (id INT PRIMARY KEY) SELECT plain AS id FROM p", "1062")
	c.exec("INSERT INTO d VALUES (9, 9, 'z')")
	c.expect("SHOW TABLES", "c\nd\np")
}

// A table that is made from a query has the types of its columns, with their digits, and takes NULL where they do.
func TestTypesOfTablesMadeFromQueries(t *testing.T) {
	c := start(t).connect(t, "va", "shop")
	c.exec("CREATE TABLE q (a TIME NOT NULL, b TIME(2), c DATETIME(1), z INT(5) ZEROFILL, d DOUBLE(8,2), e ENUM('x', ' COLLATE y'), v VARCHAR(9) COLLATE utf8mb4_bin, u TEXT, s CHAR(3) CHARACTER SET latin1)")
	c.exec("INSERT INTO q VALUES ('1:1:1', '2:2:2.22', '2024-01-01 1:1:1.5', 7, 1.234, 'x', 'v', 'u', 's')")
	types := "a | time | NO |  | NULL | \nb | time(2) | YES |  | NULL | \nc | datetime(1) | YES |  | NULL | \nz | int(5) unsigned zerofill | YES |  | NULL | \nd | double(8,2) | YES |  | NULL | \ne | enum('x',' COLLATE y') | YES |  | NULL | \nv | varchar(9) | YES |  | NULL | \nu | text | YES |  | NULL | \ns | char(3) | YES |  | NULL | "
	c.expect("SHOW COLUMNS FROM q", types)
	c.exec("CREATE TABLE r AS SELECT * FROM q")
	c.expect("SHOW COLUMNS FROM r", types)
	c.expect("SELECT a, b, c, z, d FROM r", "01:01:01 | 02:02:02.22 | 2024-01-01 01:01:01.5 | 7 | 1.23")
	c.exec("CREATE TABLE m (b TIME(1), n INT) SELECT MAX(b) AS m, b, CAST('10:11:12.345' AS TIME(3)) AS t3, COUNT(*) AS n FROM q GROUP BY b")
	c.expect("SHOW COLUMNS FROM m", "m | time(2) | YES |  | NULL | \nb | time(1) | YES |  | NULL | \nt3 | time(3) | YES |  | NULL | \nn | int | YES |  | NULL | ")
	c.exec("CREATE TABLE o AS SELECT MAX(b) AS m, NOW(3) AS n FROM q WHERE a > '10:00:00'")
	c.expect("SELECT m FROM o", "NULL")
	if got := c.query("SHOW COLUMNS FROM o"); !strings.Contains(got, "n | datetime(3) |") {
		t.Error(got)
	}
}
