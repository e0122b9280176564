package sql

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"isochron/sql/sqltest"
	"isochron/txn"
)

// Statements that are their own transactions are done again until they win: no
// increment is lost and nobody sees an error.
func TestAutocommitRetries(t *testing.T) {
	f := start(t)
	f.connect(t, "va", "shop").exec("CREATE TABLE t (id INT PRIMARY KEY, n INT)")
	f.connect(t, "va", "shop").exec("INSERT INTO t VALUES (1, 0)")
	const clients, each = 6, 15
	var wg sync.WaitGroup
	for i := range clients {
		c := f.connect(t, testRegions[i%len(testRegions)], "shop")
		wg.Go(func() {
			for range each {
				if _, err := c.conn.ExecContext(context.Background(), "UPDATE t SET n = n + 1 WHERE id = 1"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	f.connect(t, "va", "shop").expect("SELECT n FROM t", strconv.Itoa(clients*each))
	if f.cluster.Held() != 0 {
		t.Error("locks are left")
	}
}

// Of two transactions that cannot both have gone first, one fails with 1213.
func TestAnomalies(t *testing.T) {
	cases := []struct {
		name          string
		first, second []string
	}{
		{"lost update", []string{"SELECT n FROM t WHERE id = 1", "UPDATE t SET n = 5 WHERE id = 1"}, []string{"SELECT n FROM t WHERE id = 1", "UPDATE t SET n = 6 WHERE id = 1"}},
		{"write skew", []string{"SELECT n FROM t WHERE id = 1", "UPDATE t SET n = 5 WHERE id = 2"}, []string{"SELECT n FROM t WHERE id = 2", "UPDATE t SET n = 6 WHERE id = 1"}},
		{"phantom in a range", []string{"SELECT count(*) FROM t WHERE id > 10", "INSERT INTO t VALUES (11, 1)"}, []string{"SELECT count(*) FROM t WHERE id > 10", "INSERT INTO t VALUES (12, 1)"}},
		{"phantom in an index", []string{"SELECT count(*) FROM t WHERE n = 77", "INSERT INTO t VALUES (11, 77)"}, []string{"SELECT count(*) FROM t WHERE n = 77", "INSERT INTO t VALUES (12, 77)"}},
		{"phantom in an empty key", []string{"SELECT * FROM t WHERE id = 50", "INSERT INTO t VALUES (51, 1)"}, []string{"SELECT * FROM t WHERE id = 51", "INSERT INTO t VALUES (50, 1)"}},
		{"phantom in a count of all", []string{"SELECT count(*) FROM t", "INSERT INTO t VALUES (11, 1)"}, []string{"SELECT count(*) FROM t", "INSERT INTO t VALUES (12, 1)"}},
		{"same new key", []string{"INSERT INTO t VALUES (60, 1)"}, []string{"INSERT INTO t VALUES (60, 2)"}},
	}
	f := start(t)
	a, b := f.connect(t, "va", "shop"), f.connect(t, "wa", "shop")
	for i, tc := range cases {
		table := fmt.Sprintf("t%d", i)
		a.exec("CREATE TABLE " + table + " (id INT PRIMARY KEY, n INT, KEY (n))")
		a.exec("INSERT INTO " + table + " VALUES (1, 1), (2, 2)")
		in := func(s string) string {
			s = strings.Replace(s, "FROM t", "FROM "+table, 1)
			s = strings.Replace(s, "UPDATE t ", "UPDATE "+table+" ", 1)
			return strings.Replace(s, "INTO t ", "INTO "+table+" ", 1)
		}
		a.exec("BEGIN")
		b.exec("BEGIN")
		for _, s := range tc.first {
			a.query(in(s))
		}
		for _, s := range tc.second {
			b.query(in(s))
		}
		a.exec("COMMIT")
		b.fails("COMMIT", "Error 1213 (40001)")
		// The transaction is over: the next statement is its own.
		b.exec("INSERT INTO " + table + " VALUES (99, 9)")
		a.expect("SELECT count(*) FROM "+table+" WHERE id = 99", "1")
	}
}

// The transaction after an aborted one is its retry.
func TestRetryOf(t *testing.T) {
	f := start(t)
	a, b := f.connect(t, "va", "shop"), f.connect(t, "va", "shop")
	a.exec("CREATE TABLE t (id INT PRIMARY KEY, n INT)")
	a.exec("INSERT INTO t VALUES (1, 1)")
	a.exec("BEGIN")
	a.query("SELECT * FROM t WHERE id = 1")
	b.exec("UPDATE t SET n = 2 WHERE id = 1")
	a.exec("UPDATE t SET n = 3 WHERE id = 1")
	a.fails("COMMIT", "1213")
	var retries int
	f.cluster.OnBegin = func(o txn.Options) {
		if _, ok := o.RetryOf.(*sqltest.Txn); ok {
			retries++
		}
	}
	a.exec("BEGIN")
	a.exec("UPDATE t SET n = 3 WHERE id = 1")
	a.exec("COMMIT")
	a.exec("UPDATE t SET n = 4 WHERE id = 1")
	if retries != 1 {
		t.Errorf("%d transactions were begun as retries; want 1", retries)
	}
}

// An error seen in a state that is no longer so is not reported.
func TestErrorsAreValidated(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY, n INT)")
	c.exec("INSERT INTO t VALUES (1, 1)")
	other := f.connect(t, "wa", "shop")
	first := true
	f.cluster.BeforeCommit = func(tx *sqltest.Txn) error {
		if first {
			first = false
			other.exec("DELETE FROM t WHERE id = 1")
		}
		return nil
	}
	c.exec("INSERT INTO t VALUES (1, 2)")
	f.cluster.BeforeCommit = nil
	c.expect("SELECT n FROM t", "2")
	c.fails("INSERT INTO t VALUES (1, 2)", "1062")
}

// The rows of a SELECT that was not valid never reach the client.
func TestRowsAreHeldBack(t *testing.T) {
	f := start(t)
	c, other := f.connect(t, "va", "shop"), f.connect(t, "wa", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY, n INT, KEY (n))")
	c.exec("INSERT INTO t VALUES (1, 1), (2, 1)")
	first := true
	f.cluster.BeforeCommit = func(tx *sqltest.Txn) error {
		if first {
			first = false
			other.exec("UPDATE t SET n = 5 WHERE id = 1")
		}
		return nil
	}
	c.expect("SELECT id, (SELECT count(*) FROM t) FROM t WHERE n = 1", "2 | 2")
}

// A commit of unknown outcome is 1180, and the connection ends.
func TestUnknownOutcome(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY)")
	f.cluster.BeforeCommit = func(*sqltest.Txn) error { return txn.Errorf(txn.KindUnknown, "the coordinator lost its shard") }
	c.fails("INSERT INTO t VALUES (1)", "Error 1180 (08007)")
	f.cluster.BeforeCommit = nil
	_, err := c.conn.ExecContext(context.Background(), "SELECT 1")
	if !errors.Is(err, driver.ErrBadConn) && (err == nil || !strings.Contains(err.Error(), "connection")) {
		t.Errorf("the connection goes on: %v", err)
	}
}

// A client that goes away leaves no lock.
func TestDisconnectReleases(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY)")
	c.exec("INSERT INTO t VALUES (1)")
	c.exec("BEGIN")
	c.query("SELECT * FROM t FOR UPDATE")
	if f.cluster.Held() == 0 {
		t.Fatal("nothing is locked")
	}
	_ = c.conn.Raw(func(any) error { return driver.ErrBadConn })
	eventually(t, "the lock of a client that went away is freed", func() bool { return f.cluster.Held() == 0 })
}

// A server that closes rolls back what is open.
func TestCloseReleases(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY)")
	c.exec("INSERT INTO t VALUES (1)")
	c.exec("BEGIN")
	c.query("SELECT * FROM t FOR UPDATE")
	f.servers["va"].Close()
	if f.cluster.Held() != 0 {
		t.Error("a lock is still held")
	}
}

// A gateway with an old schema plans again; a transaction that used it is over.
func TestStaleSchema(t *testing.T) {
	f := start(t)
	va, wa := f.connect(t, "va", "shop"), f.connect(t, "wa", "shop")
	va.exec("CREATE TABLE t (id INT PRIMARY KEY)")
	va.exec("INSERT INTO t VALUES (1), (2)")
	wa.expect("SELECT * FROM t", "1\n2")
	f.gateways["wa"].Lag(true)
	va.exec("ALTER TABLE t ADD COLUMN n INT DEFAULT 4")
	time.AfterFunc(30*time.Millisecond, func() { f.gateways["wa"].Lag(false) })
	wa.expect("SELECT * FROM t WHERE id = 1", "1 | 4")

	f.cluster.OnUsing = sync.OnceFunc(func() { // it comes too late to be waited for
		wa.exec("BEGIN")
		wa.query("SELECT * FROM t WHERE id = 1")
	})
	va.exec("ALTER TABLE t ADD COLUMN m INT DEFAULT 4")
	wa.fails("SELECT * FROM t WHERE id = 2", "Error 1412")
	wa.expect("SELECT * FROM t WHERE id = 2", "2 | 4 | 4")
}

// A gateway whose replica lags waits for the ranges of a table before it uses it,
// and for those of an index before it changes the table.
func TestLaggingDirectory(t *testing.T) {
	f := start(t)
	va, wa := f.connect(t, "va", "shop"), f.connect(t, "wa", "shop")
	wa.query("SHOW TABLES")
	f.gateways["wa"].Lag(true)
	va.exec("CREATE TABLE t (id INT PRIMARY KEY, n INT)")
	time.AfterFunc(30*time.Millisecond, func() { f.gateways["wa"].Lag(false) })
	wa.exec("INSERT INTO t VALUES (1, 1)")
	va.expect("SELECT * FROM t", "1 | 1")

	f.gateways["wa"].Lag(true)
	va.exec("CREATE TABLE u (id INT PRIMARY KEY, n INT) COMMENT='isochron: {\"spread\":\"hash\",\"shards\":3}'")
	va.exec("CREATE UNIQUE INDEX un ON u (n)")
	time.AfterFunc(30*time.Millisecond, func() { f.gateways["wa"].Lag(false) })
	wa.exec("ALTER TABLE u ADD COLUMN m INT")
	va.exec("INSERT INTO u VALUES (1, 2, 3), (2, 3, 4)")
	wa.expect("SELECT * FROM u WHERE n = 3", "2 | 3 | 4")
}

// EXPLAIN tells the number of rounds that the statement then costs.
func TestExplainTellsRounds(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE t (region VARCHAR(8), id INT, n INT, s VARCHAR(9), PRIMARY KEY (region, id), KEY (n), UNIQUE KEY (s)) COMMENT='isochron: {\"spread\":\"region\",\"column\":\"region\"}'")
	for i := range 30 {
		c.exec(fmt.Sprintf("INSERT INTO t VALUES ('%s', %d, %d, 's%d')", testRegions[i%3], i, i%5, i))
	}
	for _, q := range []string{
		"SELECT * FROM t WHERE region = 'va' AND id = 3",
		"SELECT * FROM t WHERE region IN ('va','wa','pr') AND id = 3",
		"SELECT * FROM t",
		"SELECT * FROM t WHERE n = 3",
		"SELECT region, id, n FROM t WHERE n = 3",
		"SELECT count(*) FROM t WHERE n > 1",
		"SELECT * FROM t WHERE s = 's4'",
		"SELECT n FROM t WHERE region = 'wa' ORDER BY id DESC LIMIT 1",
		"SELECT max(id), region FROM t GROUP BY region",
		"SELECT * FROM t WHERE n = 3 FOR UPDATE",
		"UPDATE t SET n = n + 1 WHERE region = 'va' AND id IN (0, 3, 6)",
		"UPDATE t SET n = n + 1 WHERE n = 2",
		"DELETE FROM t WHERE n = 4",
		"INSERT INTO t VALUES ('va',100,1,'x'),('wa',101,1,'y'),('pr',102,1,'z')",
		"INSERT INTO t VALUES ('va',100,1,'q') ON DUPLICATE KEY UPDATE n = 9",
		"REPLACE INTO t VALUES ('va',100,1,'q')",
		"INSERT INTO t SELECT region, id + 1000, n, NULL FROM t WHERE region = 'va'",
	} {
		plan := strings.Split(strings.TrimSpace(c.query("EXPLAIN "+q)), "\n")
		last := strings.Split(plan[len(plan)-1], " | ")
		if last[7] != "round plan" {
			t.Errorf("%s: no round plan\n%s", q, strings.Join(plan, "\n"))
		}
		c.query(q)
		if got := strconv.Itoa(f.seen.rounds()); got != last[3] {
			t.Errorf("%s: %s rounds; EXPLAIN says\n%s", q, got, strings.Join(plan, "\n"))
		}
	}
}

// A join by key costs a round for each table, not for each row; tables that no key bounds are read in one.
func TestJoinRounds(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE a (id INT PRIMARY KEY, b INT)")
	c.exec("CREATE TABLE b (id INT PRIMARY KEY, c INT, KEY (c))")
	c.exec("CREATE TABLE c (id INT PRIMARY KEY, b INT, n INT, KEY (b))")
	for i := range 40 {
		c.exec("INSERT INTO a VALUES (?, ?)", i, (i*7)%40)
		c.exec("INSERT INTO b VALUES (?, ?)", i, i%11)
		c.exec("INSERT INTO c VALUES (?, ?, ?)", i, (i*3)%40, i)
	}
	for _, tc := range []struct {
		query  string
		rounds int
	}{
		{"SELECT /*+ LOOKUP_JOIN(a,b) */ sum(b.c) FROM a JOIN b ON b.id = a.b WHERE a.id < 20", 2},
		{"SELECT /*+ LOOKUP_JOIN(a,c) */ sum(c.n) FROM a JOIN c ON c.b = a.b WHERE a.id < 20", 3},
		{"SELECT /*+ LOOKUP_JOIN(a,b) */ count(*) FROM a LEFT JOIN b ON b.id = a.b + 30 WHERE a.id < 20", 1},
		{"SELECT count(*) FROM a WHERE id < 20 AND b IN (SELECT b FROM c WHERE n < 15)", 1},
	} {
		c.query(tc.query)
		if rounds := f.seen.rounds(); rounds != tc.rounds {
			t.Errorf("%s: %d rounds, want %d\n%s", tc.query, rounds, tc.rounds, c.query("EXPLAIN "+tc.query))
		}
	}
}

// When one of several parallel reads fails, the others are called off and fail
// of that: the statement is tried again or not by the first failure.
func TestFirstFailureCounts(t *testing.T) {
	s := new(Session)
	_ = s.statement.note(txn.Errorf(txn.KindAborted, "the result is longer than one round carries"))
	_ = s.statement.note(txn.Errorf(txn.KindUnavailable, "the client stopped waiting"))
	if s.statement.failure.Kind != txn.KindAborted {
		t.Errorf("the statement failed of %v", s.statement.failure)
	}
}
