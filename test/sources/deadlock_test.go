package sources

import (
	"context"
	"fmt"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// cross has two clients each run one of two statements in a transaction and then that of the other.
// No wait for a lock ends in the time of a test. Exactly one loses, to a deadlock.
func cross(t *testing.T, texts [2]string) {
	t.Helper()
	var clients [2]*client
	for i := range clients {
		clients[i] = connect(t, "")
		clients[i].exec("SET innodb_lock_wait_timeout = 600, isochron_retry_max = 0")
		clients[i].exec("USE " + databaseOf(t))
		clients[i].exec("BEGIN")
		clients[i].exec(texts[i])
	}
	failed := make(chan error, 2)
	for i, x := range clients {
		go func() {
			ctx, stop := context.WithTimeout(context.Background(), patience)
			defer stop()
			_, err := x.ExecContext(ctx, texts[1-i])
			if err == nil {
				_, err = x.ExecContext(ctx, "COMMIT")
			}
			failed <- err
		}()
	}
	lost := 0
	for range 2 {
		err := <-failed
		if e, ok := err.(*mysql.MySQLError); ok && e.Number == 1213 {
			lost++
		} else if err != nil {
			t.Errorf("%q and the other way round: %v", texts, err)
		}
	}
	if lost != 1 {
		t.Errorf("%q and the other way round: %d of two lost in a deadlock", texts, lost)
	}
}

// Two transactions that wait for each other, at one source or at two: one gets 1213 and has lost
// nothing but itself, the other commits.
func TestDeadlocks(t *testing.T) {
	c := begin(t)
	c.exec("CALL isochron.adopt_sharded('testdeadlocks.accounts', 'id', 'hash', 'pg_a,my_a,pg_b,my_b')")
	for i := range 8 {
		c.exec("INSERT INTO accounts (id, balance) VALUES (?, 100)", i)
	}
	pairs := [][2]int{{0, 1}, {0, 2}, {1, 3}, {0, 4}, {1, 5}} // two of each, and both within one
	for _, d := range pairs {
		const text = "UPDATE accounts SET balance = balance + 1 WHERE id = %d"
		cross(t, [2]string{fmt.Sprintf(text, d[0]), fmt.Sprintf(text, d[1])})
	}
	c.expect(fmt.Sprint(800+2*len(pairs))+".00", "SELECT SUM(balance) FROM accounts")
	c.expect("", "SELECT branch FROM isochron.in_doubt")
}

// The same with statements of which nobody knows from their words which rows they lock: a PostgreSQL
// tells who waits.
func TestDeadlocksByConditions(t *testing.T) {
	c := begin(t)
	c.exec("CALL isochron.adopt('pg_a', 'testdeadlocksbyconditions', 'accounts')")
	c.exec("CALL isochron.adopt('pg_b', 'testdeadlocksbyconditions', 'rates')")
	c.exec("INSERT INTO accounts (id, balance) VALUES (0, 100)")
	c.exec("INSERT INTO rates (id, factor) VALUES (0, 1)")
	cross(t, [2]string{"UPDATE accounts SET balance = balance + 1 WHERE balance > 0", "UPDATE rates SET factor = factor + 1 WHERE factor > 0"})
	c.expect("2", "SELECT factor FROM rates")
}
