package sql

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"isochron/sql/sqltest"
	"isochron/txn"
)

// hang is when a test takes a statement for one that nothing ends. Nothing is told
// from how long one took before.
const hang = time.Minute

// endless are statements that would run for minutes or for ever, on every path.
var endless = []string{
	"SELECT COUNT(*) FROM n a, n b, n c, n d",
	"SELECT * FROM n a JOIN n b JOIN n c JOIN n d ON a.v + b.v + c.v + d.v = -1",
	"SELECT COUNT(*) FROM n a JOIN n b ON a.k = b.k JOIN n c ON b.k = c.k JOIN n d ON c.k = d.k",
	"SELECT COUNT(*) FROM (SELECT DISTINCT v FROM n) AS a, (SELECT DISTINCT v FROM n) AS b, (SELECT DISTINCT v FROM n) AS c, (SELECT DISTINCT v FROM n) AS d",
	"WITH a AS (SELECT v, COUNT(*) FROM n GROUP BY v) SELECT COUNT(*) FROM a, a AS b, a AS c, a AS d",
	"SELECT * FROM n a LEFT JOIN n b ON a.v + b.v = -1 LEFT JOIN n c ON a.v > -1 LEFT JOIN n d ON c.v > -1 LEFT JOIN n e ON c.v > -1 WHERE a.id + e.id = -1",
	"SELECT a.id, b.id, COUNT(*) FROM n a, n b, n c, n d GROUP BY a.id, b.id",
	"SELECT DISTINCT a.v + b.v FROM n a, n b, n c, n d",
	"SELECT MAX(x) FROM (SELECT a.v * b.v + c.v + d.v AS x FROM n a, n b, n c, n d) AS q",
	"SELECT COUNT(*) FROM n a, n b WHERE (SELECT COUNT(*) FROM n c, n d WHERE c.v + d.v > a.v + b.v) > 5",
	"SELECT a.v FROM n a, n b, n c, n d ORDER BY a.v * b.v LIMIT 3",
	"SELECT ROW_NUMBER() OVER (ORDER BY a.v) FROM n a, n b, n c, n d WHERE a.v + b.v + c.v + d.v = -1",
	"SELECT COUNT(*) FROM n a, n b, n c, n d UNION ALL SELECT 1",
	"WITH RECURSIVE r (i) AS (SELECT 1 UNION ALL SELECT r.i + 1 FROM r, n a, n b, n c, n d WHERE a.v + b.v + c.v + d.v = -1) SELECT * FROM r",
	"SELECT COUNT(*) FROM information_schema.columns a, information_schema.columns b, information_schema.columns c, information_schema.columns d",
	"INSERT INTO m SELECT a.v FROM n a, n b, n c, n d WHERE a.v + b.v + c.v + d.v = -1",
	"UPDATE n SET v = 1 WHERE id IN (SELECT a.v FROM (SELECT a.v FROM n a, n b, n c, n d WHERE a.v + b.v + c.v + d.v = -1) AS a)",
	"DELETE FROM n WHERE id IN (SELECT v FROM (SELECT a.v FROM n a, n b, n c, n d WHERE a.v + b.v + c.v + d.v = -1) AS q)",
	"CREATE TABLE made AS SELECT a.v FROM n a, n b, n c, n d WHERE a.v + b.v + c.v + d.v = -1",
	"SELECT SLEEP(10000)",
	"SELECT SLEEP(0.05) FROM n a, n b",
	"SELECT GET_LOCK('held', 10000)",
	"SELECT * FROM n WHERE id = 5 FOR UPDATE",
	"UPDATE n SET v = v + 1",
}

// hostile is a cluster with a table of 300 rows, of which another client has locked
// one, and a named lock.
func hostile(t *testing.T) (f *fixture, holder *client) {
	f = start(t)
	holder = f.connect(t, "va", "shop")
	holder.exec("CREATE TABLE n (id INT PRIMARY KEY, v INT, k INT DEFAULT 1)")
	holder.exec("CREATE TABLE m (v INT)")
	var rows []string
	for i := range 300 {
		rows = append(rows, fmt.Sprintf("(%d, %d)", i, i*7919%300))
	}
	holder.exec("INSERT INTO n (id, v) VALUES " + strings.Join(rows, ","))
	holder.exec("SELECT GET_LOCK('held', 0)")
	holder.exec("BEGIN")
	holder.exec("SELECT * FROM n WHERE id = 5 FOR UPDATE")
	return f, holder
}

// within runs a statement that something must end.
func (c *client) within(statement string) error {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), hang)
	defer cancel()
	_, err := c.conn.ExecContext(ctx, statement)
	if ctx.Err() != nil {
		c.t.Fatalf("%s: nothing ended it", statement)
	}
	return err
}

// A statement ends when its time is up, whatever it does, and leaves nothing locked.
func TestTimeIsUp(t *testing.T) {
	f, holder := hostile(t)
	c := f.connect(t, "va", "shop")
	c.exec("SET SESSION innodb_lock_wait_timeout = 10000")
	c.exec("SET isochron_statement_timeout = 100, max_execution_time = 0")
	for _, statement := range endless {
		t.Log(statement) // if it hangs
		err := c.within(statement)
		if numberOf(err) != 3024 || !strings.Contains(err.Error(), "isochron_statement_timeout is 100 ms") {
			t.Errorf("%s: %v", statement, err)
		}
		if n := f.cluster.Held(); n != 1 {
			t.Errorf("%s: %d locks are held, and the other client has one", statement, n)
		}
	}
	for range 1000 { // until it is off SET has the limit too, and a busy machine may not keep it
		if _, err := c.try("SET isochron_statement_timeout = 0, max_execution_time = 100"); numberOf(err) != 3024 {
			break
		}
	}
	if err := c.within(endless[0]); numberOf(err) != 3024 || !strings.Contains(err.Error(), "max_execution_time is 100 ms") {
		t.Errorf("with max_execution_time: %v", err)
	}
	c.exec("INSERT INTO m SELECT SLEEP(0.3)") // that is for SELECT alone
	c.exec("SET max_execution_time = 0")
	hinted := strings.Replace(endless[0], "SELECT", "SELECT /*+ MAX_EXECUTION_TIME(100) */", 1)
	if err := c.within(hinted); numberOf(err) != 3024 {
		t.Errorf("with a hint: %v", err)
	}
	c.expect("SELECT SLEEP(0.2)", "0")
	c.expect("SHOW TABLES", "m\nn")
	holder.exec("COMMIT")
	c.exec("UPDATE n SET v = v + 1 WHERE id = 5")
	c.fails("SET isochron_statement_timeout = -1", "1231")
}

// KILL QUERY ends a statement; the connection lives.
func TestKillQuery(t *testing.T) {
	f, holder := hostile(t)
	c := f.connect(t, "va", "shop")
	c.exec("SET SESSION innodb_lock_wait_timeout = 10000")
	id := strings.TrimSpace(c.query("SELECT CONNECTION_ID()"))
	g := f.servers["va"].gateway
	var number uint32
	fmt.Sscan(id, &number)
	for _, statement := range endless {
		t.Log(statement)
		ended := make(chan error, 1)
		go func() { ended <- c.within(statement) }()
		eventually(t, "the statement runs", func() bool { return g.session(number).deep() })
		holder.exec("KILL QUERY " + id)
		if err := <-ended; numberOf(err) != 1317 {
			t.Errorf("%s: %v", statement, err)
		}
	}
	c.expect("SELECT COUNT(*) FROM m", "0")
	holder.exec("KILL QUERY " + id) // nothing runs
	c.expect("SELECT 1", "1")
	if n := f.cluster.Held(); n != 1 {
		t.Errorf("%d locks are held", n)
	}
}

// Whose client goes, his statement ends, and his transaction.
func TestTheClientGoes(t *testing.T) {
	f, _ := hostile(t)
	g := f.servers["va"].gateway
	for i, statement := range endless {
		c := f.connect(t, "va", "shop")
		c.exec("SET SESSION innodb_lock_wait_timeout = 10000")
		var number uint32
		fmt.Sscan(strings.TrimSpace(c.query("SELECT CONNECTION_ID()")), &number)
		if i%2 == 1 && i+1 < len(endless) { // the last waits at its commit alone
			c.exec("BEGIN")
			c.exec("SELECT * FROM n WHERE id = 7 FOR UPDATE")
		}
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = c.conn.ExecContext(ctx, statement)
		}()
		eventually(t, "the statement runs", func() bool { return g.session(number).deep() })
		cancel() // the driver closes the connection
		<-ended
		eventually(t, "the session has ended of "+statement, func() bool { return g.session(number) == nil && f.cluster.Held() == 1 })
	}
}

// An explicit transaction goes on after a statement that was cut short, unless that
// was within a read: then the transaction says that it is over, and commits nothing.
func TestCutShortWithinATransaction(t *testing.T) {
	f, holder := hostile(t)
	c := f.connect(t, "va", "shop")
	c.exec("SET isochron_statement_timeout = 100, innodb_lock_wait_timeout = 10000")
	c.exec("BEGIN")
	c.exec("INSERT INTO m VALUES (1)")
	if err := c.within("SELECT SLEEP(1000)"); numberOf(err) != 3024 {
		t.Fatal(err)
	}
	c.exec("INSERT INTO m VALUES (2)")
	c.exec("COMMIT")
	c.expect("SELECT v FROM m ORDER BY v", "1\n2")

	c.exec("BEGIN")
	c.exec("INSERT INTO m VALUES (3)")
	f.breakRead(t, c)
	c.fails("INSERT INTO m VALUES (4)", "1213")
	c.exec("COMMIT") // of nothing
	c.exec("BEGIN")
	c.exec("INSERT INTO m VALUES (5)")
	f.breakRead(t, c)
	c.fails("COMMIT", "1213")
	c.expect("SELECT v FROM m ORDER BY v", "1\n2")
	holder.exec("COMMIT")
}

// breakRead has the client's open transaction be cut short within a read, as a node
// answers one.
func (f *fixture) breakRead(t *testing.T, c *client) {
	t.Helper()
	var number uint32
	fmt.Sscan(strings.TrimSpace(c.query("SELECT CONNECTION_ID()")), &number)
	s := f.servers["va"].gateway.session(number)
	f.cluster.BeforeRead = func(tx *sqltest.Txn, _ txn.Read) error {
		if tx.Options().SessionID != uint64(number) {
			return nil
		}
		for s.interruption.Reason() == nil {
			time.Sleep(time.Millisecond)
		}
		return txn.Errorf(txn.KindUnavailable, "the client stopped waiting")
	}
	defer func() { f.cluster.BeforeRead = nil }()
	if err := c.within("SELECT * FROM n WHERE id = 9"); numberOf(err) != 3024 {
		t.Errorf("a read that was cut short: %v", err)
	}
}

// deep reports whether the session's statement has run for long enough to have begun
// with what makes it endless.
func (s *Session) deep() bool {
	since := s.interruption.Since.Load()
	return since != 0 && time.Since(time.Unix(0, since)) > 60*time.Millisecond
}

// What a statement has side by side is bounded, for its analysis cannot be cut short.
func TestBreadth(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	union := func(arms int) string { return strings.Repeat("SELECT 1 UNION ALL ", arms-1) + "SELECT 1" }
	list := func(n int) string { return "SELECT (SELECT 1) IN (0" + strings.Repeat(", 0", n-1) + ")" }
	for _, statement := range []string{
		"SELECT COUNT(*) FROM (" + union(152) + ") AS u", "CREATE VIEW w AS " + union(152), "INSERT INTO m " + union(152),
	} {
		c.fails(statement, "isochron_set_operations_max allows 150")
	}
	c.fails(union(20_000), "isochron_statement_depth")
	c.fails(list(400_000), "isochron_list_max allows 250000")
	c.fails(list(2_000_000), "isochron_statement_tokens")
	c.fails("EXPLAIN "+list(300_000), "isochron_list_max")
	c.exec("SET isochron_set_operations_max = 5, isochron_list_max = 10")
	c.expect(union(6), strings.Repeat("1\n", 6))
	c.fails(union(7), "1235")
	c.expect(list(10), "0")
	if _, err := c.conn.PrepareContext(context.Background(), list(12)); err == nil || !strings.Contains(err.Error(), "isochron_list_max") {
		t.Errorf("prepared: %v", err)
	}
	c.fails(list(11), "1235")
}
