package sql

import (
	"strings"
	"testing"
)

// The engine executes no definition of these forms.
func TestTheEngineExecutesNoDefinition(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	g := f.servers["va"].gateway
	c.exec("CREATE TABLE p (id INT PRIMARY KEY, v VARCHAR(9), KEY (v))")
	c.exec("INSERT INTO p VALUES (1, 'x')")
	for _, query := range []string{
		"CREATE TABLE a (id INT PRIMARY KEY AUTO_INCREMENT, v INT UNIQUE CHECK (v > 0), g INT AS (v + 1) STORED, KEY USING BTREE (g)) ENGINE=InnoDB COMMENT='c'",
		"CREATE TABLE b LIKE p", "CREATE TABLE IF NOT EXISTS b (id INT)", "CREATE TABLE c AS SELECT v, COUNT(*) AS n FROM p GROUP BY v", "CREATE TABLE d (n INT) IGNORE SELECT id AS n FROM p",
		"CREATE TABLE e (id INT PRIMARY KEY) PARTITION BY HASH (id) PARTITIONS 2", "PREPARE s FROM 'CREATE TABLE f (id INT)'", "EXECUTE s",
		"CREATE DATABASE IF NOT EXISTS x CHARACTER SET latin1", "ALTER DATABASE x COLLATE utf8mb4_bin", "ALTER SCHEMA DEFAULT CHARSET utf8mb4", "CREATE TABLE x.t (v VARCHAR(3))", "RENAME TABLE x.t TO x.u, c TO x.c, x.c TO y, y TO c",
		"ALTER TABLE p ADD w INT DEFAULT 3, ADD KEY (w), MODIFY v VARCHAR(20), ADD CHECK (w > 0)", "ALTER TABLE p DROP COLUMN w, RENAME COLUMN v TO vv, RENAME INDEX v TO x", "ALTER TABLE p DROP PRIMARY KEY, ADD PRIMARY KEY (vv)",
		"ALTER TABLE p RENAME TO q", "ALTER TABLE q RENAME p, DISABLE KEYS", "CREATE UNIQUE INDEX i ON p (id)", "DROP INDEX i ON p", "ALTER TABLE p CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
		"TRUNCATE x.u", "TRUNCATE TABLE p", "CREATE TABLE x.v (id INT)", "DROP TABLES x.u, x.v CASCADE", "DROP TABLE IF EXISTS x.nosuch", "DROP VIEW IF EXISTS nosuch", "DROP DATABASE x", "DROP SCHEMA IF EXISTS x",
	} {
		before := g.byEngine.Load()
		if out := textOutcome(c.conn, query); !strings.HasPrefix(out, "affected") {
			t.Errorf("%s: %s", query, out)
		}
		if g.byEngine.Load() > before {
			t.Errorf("the engine executed %s", query)
		}
	}
	c.expect("SHOW TABLES", "a\nb\nc\nd\ne\nf\np")
	prepared := c.prepare("CREATE TABLE g (id INT)")
	if _, err := prepared.Exec(); err != nil {
		t.Error(err)
	}
	for query, want := range map[string]string{
		"CREATE TABLE p (id INT)": "1050", "CREATE TABLE nosuch.t (id INT)": "1049", "CREATE TABLE h (id INT,": "1064", "CREATE TABLE mysql.t (id INT)": "1044", "CREATE TABLE h (a INT, A INT)": "1060",
		"DROP TABLE nosuch, p": "1051", "DROP VIEW nosuch": "1051", "DROP VIEW p": "1347", "DROP DATABASE nosuch": "1008", "CREATE DATABASE shop": "1007", "RENAME TABLE nosuch TO h": "1146", "RENAME TABLE p TO b": "1050",
		"RENAME TABLE p TO nosuch.p": "1049", "TRUNCATE nosuch": "1146", "ALTER DATABASE nosuch COLLATE utf8mb4_bin": "1049", "CREATE DATABASE mysql": "1044", "ALTER TABLE nosuch ADD x INT": "1146", "ALTER TABLE p DROP nosuch": "1091", "CREATE INDEX x ON p (nosuch)": "1072", "CREATE DATABASE h COLLATE nosuch": "1273",
	} {
		before := g.byEngine.Load()
		c.fails(query, want)
		if g.byEngine.Load() > before {
			t.Errorf("the engine executed %s", query)
		}
	}
}

// Foreign keys follow a table that gets another name, and hold one that is dropped or truncated.
func TestForeignKeysFollowTheirParent(t *testing.T) {
	c := start(t).connect(t, "va", "shop")
	c.exec("CREATE DATABASE other")
	c.exec("CREATE TABLE p (id INT PRIMARY KEY, up INT, CHECK (up < 9), FOREIGN KEY (up) REFERENCES p (id))")
	c.exec("CREATE TABLE c (id INT PRIMARY KEY, p INT, FOREIGN KEY (p) REFERENCES p (id))")
	c.exec("INSERT INTO p VALUES (1, NULL)")
	for _, query := range []string{"DROP TABLE p", "DROP TABLE IF EXISTS nosuch, p", "DROP DATABASE nosuch"} {
		c.fails(query, map[bool]string{true: "1008", false: "3730"}[query == "DROP DATABASE nosuch"])
	}
	c.fails("TRUNCATE p", "1701")
	c.exec("RENAME TABLE p TO other.q")
	c.exec("INSERT INTO c VALUES (1, 1)")
	c.fails("INSERT INTO c VALUES (2, 2)", "1452")
	c.fails("INSERT INTO other.q VALUES (2, 7)", "1452")
	c.fails("DROP DATABASE other", "3730")
	if got := c.query("SHOW CREATE TABLE other.q"); !strings.Contains(got, "q_ibfk_1") || !strings.Contains(got, "q_chk_1") {
		t.Error(got)
	}
	c.exec("SET foreign_key_checks = 0")
	c.exec("TRUNCATE other.q")
	c.exec("SET foreign_key_checks = 1")
	c.exec("DROP TABLE other.q, c")
	c.exec("USE other")
	c.exec("DROP DATABASE other")
	c.expect("SELECT DATABASE()", "NULL")
}
