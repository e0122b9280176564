package sql

import "testing"

// An INSERT whose keys are expected to be new commits in one request. If one of them exists, the statement fails as it would
// have by reading first, and takes no more numbers.
func TestInsertsThatExpectNewKeys(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, u INT, s VARCHAR(5) NOT NULL DEFAULT 'd', UNIQUE (u))")
	g := f.servers["va"].gateway
	before := g.pointUpdates.Load()
	c.exec("INSERT INTO t (u) VALUES (1)")
	c.exec("INSERT INTO t (u, s) VALUES (2, 'x'), (NULL, 'y'), (NULL, 'z')")
	c.expect("SELECT LAST_INSERT_ID()", "2")
	if n := g.pointUpdates.Load() - before; n != 2 {
		t.Errorf("%d of 2 were executed in one request", n)
	}
	c.fails("INSERT INTO t (u) VALUES (1)", "1062") // takes the number 5
	c.fails("INSERT INTO t (u) VALUES (7), (7)", "1062")
	c.fails("INSERT INTO t (u, s) VALUES (2, 'a'), (9, NULL)", "Duplicate entry '2' for key") // the first row's error
	c.fails("INSERT INTO t (id) VALUES (2)", "1062")
	c.exec("INSERT INTO t (u) VALUES (10)")
	c.expect("SELECT id, u, s FROM t ORDER BY id", "1 | 1 | d\n2 | 2 | x\n3 | NULL | y\n4 | NULL | z\n9 | 10 | d")
}
