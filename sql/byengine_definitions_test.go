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
	} {
		before := g.byEngine.Load()
		c.fails(query, want)
		if g.byEngine.Load() > before {
			t.Errorf("the engine executed %s", query)
		}
	}
}
