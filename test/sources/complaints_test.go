package sources

import (
	"context"
	"database/sql/driver"
	"fmt"
	"testing"
	"time"
)

// What users of other proxies over databases complain of most, each as a test. Not here are: a
// decided commit that is rolled back at a start, and a log that no other gateway can recover from
// (package test/agents); an error of PostgreSQL's that COMMIT hides
// (TestAnErrorInAPacketOfSeveralSources); joins over sources (TestStatementsOverSeveralSources); keys by which
// rows are placed that are updated (TestRefusals).

// BEGIN, COMMIT and ROLLBACK may be prepared by the binary protocol, as drivers do.
func TestPreparedCommit(t *testing.T) {
	c := beginSharded(t)
	c.exec("INSERT INTO accounts (id, balance) VALUES (0, 100), (1, 100)")
	ctx := context.Background()
	run := func(text string, args ...any) {
		t.Helper()
		st, err := c.PrepareContext(ctx, text)
		if err != nil {
			t.Fatalf("%s cannot be prepared: %v", text, err)
		}
		defer st.Close()
		if _, err := st.ExecContext(ctx, args...); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	for _, end := range []string{"COMMIT", "ROLLBACK", "COMMIT"} {
		run("BEGIN")
		run("UPDATE accounts SET balance = balance - ? WHERE id = ?", 10, 0)
		run("UPDATE accounts SET balance = balance + ? WHERE id = ?", 10, 1)
		run(end)
	}
	c.expect("80.00\n120.00", "SELECT balance FROM accounts ORDER BY id")
	c.nothingInDoubt()
}

// A transaction has one branch at a source, whatever its statements read there: all its reads see
// its writes, and it commits as one.
func TestOneBranchForAllThatIsRead(t *testing.T) {
	c := beginSharded(t)
	c.exec("CALL isochron.import_table('my_a', 'testonebranchforallthatisread', 'orders')")
	c.exec("CALL isochron.import_table('pg_a', 'testonebranchforallthatisread', 'rates')")
	c.exec("BEGIN")
	c.exec("INSERT INTO accounts (id, balance) VALUES (0, 5), (1, 7)")
	c.exec("INSERT INTO orders (account, item) VALUES (1, 'pen'), (0, 'cup')")
	c.exec("INSERT INTO rates VALUES (0, 2), (1, 3)")
	c.expect("cup|10.00\npen|21.00", "SELECT o.item, a.balance * r.factor FROM accounts a JOIN orders o ON o.account = a.id JOIN rates r ON r.id = a.id ORDER BY o.item")
	c.expect("2|12.00", "SELECT COUNT(*), SUM(balance) FROM accounts")
	c.exec("COMMIT")
	c.expect("2|12.00", "SELECT COUNT(*), SUM(balance) FROM accounts")
}

// A client that disconnects within a transaction leaves nothing at the sources: neither locks nor
// open transactions. That also holds if its statement waits there, and meanwhile the gateway serves
// others.
func TestClientsThatDisconnect(t *testing.T) {
	c := beginSharded(t)
	c.exec("INSERT INTO accounts (id, balance) VALUES (0, 100), (1, 100), (2, 100), (3, 100)")
	for _, there := range []int{0, 1} { // at the PostgreSQL, at the MariaDB
		holder, waiter := connect(t, ""), connect(t, "")
		for _, d := range []*client{holder, waiter} {
			d.exec("SET innodb_lock_wait_timeout = 30")
			d.exec("BEGIN")
		}
		holder.exec("UPDATE testclientsthatdisconnect.accounts SET balance = 1 WHERE id = ?", there)
		waiter.exec("UPDATE testclientsthatdisconnect.accounts SET balance = 2 WHERE id = ?", there+2)
		ctx, leave := context.WithCancel(context.Background())
		waits := make(chan error)
		go func() {
			_, err := waiter.ExecContext(ctx, fmt.Sprintf("UPDATE testclientsthatdisconnect.accounts SET balance = 2 WHERE id = %d", there))
			waits <- err
		}()
		time.Sleep(100 * time.Millisecond)
		c.expect("1", fmt.Sprintf("SELECT COUNT(*) FROM accounts WHERE id = %d", 1-there)) // others are served
		leave()                                                                            // the driver closes a connection that it does not wait for
		if err := <-waits; err == nil {
			t.Error("a client that has gone away was answered")
		}
		c.exec("SET innodb_lock_wait_timeout = 20")
		c.exec("UPDATE accounts SET balance = 3 WHERE id = ?", there+2) // its locks are released
		_ = holder.Raw(func(any) error { return driver.ErrBadConn })    // which closes the connection
		c.exec("UPDATE accounts SET balance = 4 WHERE id = ?", there)
	}
	c.expect("4.00\n4.00\n3.00\n3.00", "SELECT balance FROM accounts ORDER BY id")
}
