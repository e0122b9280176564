package sql

import (
	"strings"
	"testing"
)

// Statements that begin and end transactions are answered without the engine, however they come in.
func TestTransactionStatementsAreOurs(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY, n INT)")
	g := f.servers["va"].gateway
	before := g.below.Load()
	statements := []string{
		"BEGIN", "INSERT INTO t VALUES (1, 1)", "SAVEPOINT a", "INSERT INTO t VALUES (2, 2)", "ROLLBACK TO a", "RELEASE SAVEPOINT a", "COMMIT WORK",
		"START TRANSACTION READ WRITE", "INSERT INTO t VALUES (3, 3)", "ROLLBACK", "START TRANSACTION", "INSERT INTO t VALUES (4, 4)", "BEGIN WORK", "ROLLBACK",
	}
	changes := int64(0)
	for _, s := range statements {
		c.exec(s)
		if strings.HasPrefix(s, "INSERT") {
			changes++
		}
	}
	if n := g.below.Load() - before; n < int64(len(statements))-changes {
		t.Errorf("%d of %d were answered below the wire library", n, len(statements))
	}
	c.expect("SELECT * FROM t ORDER BY id", "1 | 1\n4 | 4")
	c.expect("SHOW SESSION STATUS LIKE 'Com_begin'", "Com_begin | 4")

	// By name, and of a session without autocommit.
	for _, s := range []string{"PREPARE b FROM 'START TRANSACTION READ ONLY'", "EXECUTE b"} {
		c.exec(s)
	}
	c.fails("INSERT INTO t VALUES (5, 5)", "1792")
	for _, s := range []string{"ROLLBACK", "SET autocommit = 0", "SAVEPOINT s", "INSERT INTO t VALUES (6, 6)", "ROLLBACK TO s", "COMMIT", "SET autocommit = 1"} {
		c.exec(s)
	}
	c.expect("SELECT COUNT(*) FROM t", "2")
	c.fails("ROLLBACK TO nosuch", "1305")
	c.fails("COMMIT AND", "1064")
}
