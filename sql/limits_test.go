package sql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"

	"isochron/sql/sqltest"
	"isochron/txn"
)

func numberOf(err error) int {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return int(e.Number)
	}
	return 0
}

func TestPreparedStatementsAreBounded(t *testing.T) {
	f := start(t)
	g := f.servers["va"].gateway
	g.bounds.prepared, g.bounds.preparedConnection = 7, 4 // of an account 6
	ctx := context.Background()
	prepare := func(c *client, i int) (*sql.Stmt, error) {
		return c.conn.PrepareContext(ctx, fmt.Sprintf("SELECT %d + ?", i))
	}
	one, two := f.connect(t, "va", "shop"), f.connect(t, "va", "shop")
	var first *sql.Stmt
	for i := range 4 {
		s, err := prepare(one, i)
		if err != nil {
			t.Fatal(err)
		}
		first = s
	}
	if _, err := prepare(one, 4); numberOf(err) != codeStatements {
		t.Fatalf("beyond the bound of a connection: %v", err)
	}
	one.fails("PREPARE x FROM 'SELECT nonsense FROM'", "syntax")
	two.exec("PREPARE a FROM 'SELECT 1'")
	two.exec("PREPARE a FROM 'SELECT 2'") // the same place
	if _, err := prepare(two, 5); err != nil {
		t.Fatal(err)
	}
	if _, err := prepare(two, 6); numberOf(err) != codeStatements {
		t.Fatalf("beyond the bound of the account: %v", err)
	}
	two.fails("PREPARE b FROM 'SELECT 1'", "max_prepared_stmt_count")
	two.expect("EXECUTE a", "2")
	two.exec("DEALLOCATE PREPARE a")
	if _, err := prepare(two, 7); err != nil {
		t.Fatalf("after DEALLOCATE: %v", err)
	}
	var ten int
	if err := first.QueryRow(7).Scan(&ten); err != nil || ten != 10 {
		t.Fatalf("a statement that is open yields %d, %v", ten, err)
	}
	first.Close()
	eventually(t, "a closed statement has freed its place", func() bool { return g.prepared.Load() == 5 })
	two.exec("PREPARE c FROM 'SELECT 1'")
	for _, c := range []*client{one, two} {
		c.conn.Close()
		c.pool.Close()
	}
	eventually(t, "closed connections have freed their places", func() bool { return g.prepared.Load() == 0 })
}

func TestClosedStatementsAreNotKeptParsed(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("PREPARE kept FROM 'SELECT 5'")
	for i := range 3 * preparedSpare {
		c.expect(fmt.Sprintf("SELECT %d + ?", i), fmt.Sprint(i+1), 1)
	}
	c.expect("EXECUTE kept", "5")
	g := f.servers["va"].gateway
	for _, s := range g.sessions {
		if n := len(s.prepared.parsed); n > 2*preparedSpare {
			t.Errorf("%d parsed texts are kept of a connection without statements", n)
		}
	}
}

func TestATransactionsWritesAreBounded(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT)")
	f.cluster.MaxWrites = 10
	rows := func(from, n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf("(%d, 0)", from+i))
		}
		return strings.Join(list, ", ")
	}
	c.fails("INSERT INTO t VALUES "+rows(0, 11), "1197")
	c.expect("SELECT COUNT(*) FROM t", "0")
	c.exec("BEGIN")
	c.exec("INSERT INTO t VALUES " + rows(0, 8))
	c.fails("INSERT INTO t VALUES "+rows(8, 3), "1197")
	c.expect("SELECT COUNT(*) FROM t", "8") // the statement did nothing, the transaction lives
	c.exec("INSERT INTO t VALUES " + rows(8, 2))
	c.fails("UPDATE t SET v = 1", "1197")
	c.exec("COMMIT")
	c.expect("SELECT COUNT(*), SUM(v) FROM t", "10 | 0")
	f.cluster.MaxWrites = 0
	c.exec("DELETE FROM t")
	f.cluster.MaxWrites = 10
}

func TestACommitThatIsTooLargeEndsItsTransaction(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY, v INT)")
	f.cluster.BeforeCommit = func(*sqltest.Txn) error {
		return txn.Errorf(txn.KindTooLarge, "too much for one shard")
	}
	c.exec("BEGIN")
	c.exec("INSERT INTO t VALUES (1, 1)")
	c.fails("COMMIT", "1197")
	f.cluster.BeforeCommit = nil
	c.exec("INSERT INTO t VALUES (2, 2)") // a transaction of its own
	c.expect("SELECT id FROM t", "2")
}

func TestResultsThatAreHeldBackAreBounded(t *testing.T) {
	f := start(t)
	g := f.servers["va"].gateway
	g.bounds.held, g.bounds.heldAll = 400_000, 600_000
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY, v TEXT)")
	for i := range 50 {
		c.exec("INSERT INTO t VALUES (?, REPEAT('x', 10000))", i)
	}
	const all = "SELECT v FROM t"
	c.fails(all, "3170")
	c.expect("SELECT COUNT(*) FROM t", "50") // the connection lives
	c.exec("BEGIN")
	if got := len(c.query(all)); got != 50*10001 {
		t.Errorf("in a transaction %d bytes came", got)
	}
	c.exec("COMMIT")
	g.held.Add(500_000) // others have them
	c.fails("SELECT v FROM t WHERE id < 30", "1041")
	g.held.Add(-500_000)
	if got := len(c.query("SELECT v FROM t WHERE id < 30")); got != 30*10001 {
		t.Errorf("%d bytes came", got)
	}
	if n := g.held.Load(); n != 0 {
		t.Errorf("%d bytes are counted as held when nothing is", n)
	}
}

func TestSavepointsAreBounded(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY)")
	c.exec("BEGIN")
	c.exec("INSERT INTO t VALUES (1)")
	for i := range savepointsMax {
		c.exec(fmt.Sprintf("SAVEPOINT s%d", i))
	}
	c.exec("SAVEPOINT s7") // takes the place of its namesake
	c.fails("SAVEPOINT one_more", "1235")
	c.exec("RELEASE SAVEPOINT s8")
	c.exec("SAVEPOINT one_more")
	c.exec("COMMIT")
	c.expect("SELECT id FROM t", "1")
}
