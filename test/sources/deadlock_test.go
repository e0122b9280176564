package sources

import (
	"context"
	"fmt"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// cross makes two clients each run one of two statements in a transaction and then the other's. No
// wait for a lock ends in the time of a test. Exactly one aborts, because of a deadlock.
func cross(t *testing.T, texts [2]string) {
	t.Helper()
	crossed(t, [2][2]string{texts, {texts[1], texts[0]}})
}

// crossed is cross of two clients that run two statements each.
func crossed(t *testing.T, texts [2][2]string) {
	t.Helper()
	var clients [2]*client
	for i := range clients {
		clients[i] = connect(t, "")
		clients[i].exec("SET innodb_lock_wait_timeout = 600, isochron_retry_max = 0")
		clients[i].exec("USE " + databaseOf(t))
		clients[i].exec("BEGIN")
		clients[i].exec(texts[i][0])
	}
	failed := make(chan error, 2)
	for i, x := range clients {
		go func() {
			ctx, stop := context.WithTimeout(context.Background(), statementTimeout)
			defer stop()
			_, err := x.ExecContext(ctx, texts[i][1])
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
			t.Errorf("%q beside %q: %v", texts[0], texts[1], err)
		}
	}
	if lost != 1 {
		t.Errorf("%q beside %q: %d of two lost in a deadlock", texts[0], texts[1], lost)
	}
}

// Two transactions that wait for each other, at one source or at two: one gets 1213 and has lost
// nothing but itself, the other commits.
func TestDeadlocks(t *testing.T) {
	c := begin(t)
	c.exec("CALL isochron.import_sharded_table('testdeadlocks.accounts', 'id', 'hash', 'pg_a,my_a,pg_b,my_b')")
	for i := range 8 {
		c.exec("INSERT INTO accounts (id, balance) VALUES (?, 100)", i)
	}
	pairs := [][2]int{{0, 1}, {0, 2}, {1, 3}, {0, 4}, {1, 5}} // two of each, and both within one
	for _, d := range pairs {
		const text = "UPDATE accounts SET balance = balance + 1 WHERE id = %d"
		cross(t, [2]string{fmt.Sprintf(text, d[0]), fmt.Sprintf(text, d[1])})
	}
	c.expect(fmt.Sprint(800+2*len(pairs))+".00", "SELECT SUM(balance) FROM accounts")
	c.nothingInDoubt()
}

// The same with statements whose text does not show which rows they lock: a PostgreSQL reports
// waits, and a MariaDB does to an account that has PROCESS.
func TestDeadlocksByConditions(t *testing.T) {
	for _, of := range [][2]string{{"pg_a", "pg_b"}, {"pg_a", "my_a"}, {"my_b", "pg_b"}, {"my_a", "my_b"}} {
		t.Run(of[0]+" "+of[1], func(t *testing.T) {
			c := begin(t)
			c.exec(fmt.Sprintf("CALL isochron.import_table('%s', '%s', 'accounts')", of[0], databaseOf(t)))
			c.exec(fmt.Sprintf("CALL isochron.import_table('%s', '%s', 'rates')", of[1], databaseOf(t)))
			c.exec("INSERT INTO accounts (id, balance) VALUES (0, 100)")
			c.exec("INSERT INTO rates (id, factor) VALUES (0, 1)")
			cross(t, [2]string{"UPDATE accounts SET balance = balance + 1 WHERE balance > 0", "UPDATE rates SET factor = factor + 1 WHERE factor > 0"})
			c.expect("2", "SELECT factor FROM rates")
			c.exec("DELETE FROM accounts")
			c.exec("DELETE FROM rates")
		})
	}
}

// And by a range that one has read and the other inserts into.
func TestDeadlocksByReads(t *testing.T) {
	for _, of := range [][2]string{{"pg_a", "my_a"}, {"my_a", "my_b"}, {"my_a", "pg_b"}, {"pg_a", "pg_b"}} {
		t.Run(of[0]+" "+of[1], func(t *testing.T) {
			c := begin(t)
			c.exec(fmt.Sprintf("CALL isochron.import_table('%s', '%s', 'accounts')", of[0], databaseOf(t)))
			c.exec(fmt.Sprintf("CALL isochron.import_table('%s', '%s', 'rates')", of[1], databaseOf(t)))
			c.exec("INSERT INTO accounts (id, balance) VALUES (0, 100), (9, 0)")
			c.exec("INSERT INTO rates (id, factor) VALUES (0, 1), (9, 0)")
			crossed(t, [2][2]string{
				{"UPDATE accounts SET balance = balance + 1 WHERE id = 0", "INSERT INTO rates (id, factor) VALUES (5, 1)"},
				{"SELECT COUNT(*) FROM rates WHERE factor < 3", "SELECT COUNT(*) FROM accounts WHERE balance < 3"},
			})
			c.exec("DELETE FROM accounts")
			c.exec("DELETE FROM rates")
		})
	}
}
