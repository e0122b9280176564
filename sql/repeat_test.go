package sql

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"isochron/sql/session"
	"isochron/sql/sqltest"
	"isochron/txn"
)

// losing has the next tries of clients' transactions lose, at their first read or at
// their commit, and counts the tries.
type losing struct {
	tries atomic.Int64
	left  atomic.Int64
}

func startLosing(f *fixture, kind txn.Kind, times int64, reads bool) *losing {
	l := &losing{}
	l.left.Store(times)
	fail := func(tx *sqltest.Txn) error {
		if tx.Options().SessionID == 0 {
			return nil
		}
		l.tries.Add(1)
		if l.left.Add(-1) < 0 {
			return nil
		}
		return txn.Errorf(kind, "lost")
	}
	f.cluster.BeforeCommit, f.cluster.BeforeRead = nil, nil
	if reads {
		f.cluster.BeforeRead = func(tx *sqltest.Txn, _ txn.Read) error { return fail(tx) }
	} else {
		f.cluster.BeforeCommit = fail
	}
	return l
}

// stop gives how often one was tried.
func (l *losing) stop(f *fixture) int64 {
	f.cluster.BeforeCommit, f.cluster.BeforeRead = nil, nil
	return l.tries.Load()
}

// A statement that is done again is as if its first try had never been.
func TestATryLeavesNothingBehind(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, n INT, s VARCHAR(3))")
	c.exec("INSERT INTO t (n) VALUES (10), (20)")
	c.expect("SELECT LAST_INSERT_ID()", "1")
	l := startLosing(f, txn.KindAborted, 3, false)
	c.exec("INSERT INTO t (n) VALUES (LAST_INSERT_ID())")
	if tries := l.stop(f); tries != 4 {
		t.Errorf("tried %d times, want 4", tries)
	}
	c.expect("SELECT n FROM t WHERE id > 2", "1")

	c.exec("SET @x = 5")
	startLosing(f, txn.KindAborted, 2, false)
	c.exec("SELECT @x + n, n INTO @x, @never FROM t WHERE id = 1")
	c.expect("SELECT @x, @never", "15 | 10")
	startLosing(f, txn.KindAborted, 2, false)
	c.exec("UPDATE t SET n = n + 1 WHERE id = 1")
	c.expect("SELECT ROW_COUNT()", "1")
	const warns = "SELECT n + 'a' FROM t WHERE id = 1"
	startLosing(f, txn.KindAborted, 0, false)
	c.query(warns)
	want := c.query("SHOW WARNINGS")
	startLosing(f, txn.KindAborted, 2, true)
	c.query(warns)
	if got := c.query("SHOW WARNINGS"); got != want || got == "" {
		t.Errorf("after tries that lost the warnings are\n%s and without\n%s", got, want)
	}
	c.expect("SELECT n FROM t WHERE id = 1", "11")
}

// What cannot be undone is not done again.
func TestWhatLastsIsNotDoneAgain(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY, n INT)")
	c.exec("INSERT INTO t VALUES (1, 1)")
	for _, text := range []string{
		"SELECT GET_LOCK('a', 1) FROM t", "SELECT get_lock('a', 1) FROM t", "SELECT RELEASE_LOCK('a') FROM t", "UPDATE t SET n = RELEASE_ALL_LOCKS()",
		"SELECT '" + strings.Repeat("x", 2*session.TextBytesMax) + "', GET_LOCK('a', 1) FROM t",
	} {
		l := startLosing(f, txn.KindAborted, 1, false)
		c.fails(text, "1213")
		if tries := l.stop(f); tries != 1 {
			t.Errorf("%.60s: tried %d times, want once", text, tries)
		}
	}
	for kind, code := range map[txn.Kind]string{txn.KindLockTimeout: "1205", txn.KindUnavailable: "1158", txn.KindTooLarge: "1197", txn.KindUnknown: "1180"} {
		l := startLosing(f, kind, 1, false)
		c.fails("UPDATE t SET n = n + 1 WHERE id = 1", code)
		if tries := l.stop(f); tries != 1 {
			t.Errorf("error %s: tried %d times, want once", code, tries)
		}
		if kind == txn.KindUnknown {
			c = f.connect(t, "va", "shop") // that connection is closed
		}
	}
}

// The first statement of an explicit transaction is done again in a new one, which
// is in all else the same; later ones are not, nor is one that has been seen.
func TestTheFirstStatementIsDoneAgain(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY, n INT, s TEXT)")
	c.exec("INSERT INTO t (id, n) VALUES (1, 1), (2, 2)")
	for _, before := range [][]string{{"BEGIN"}, {"SET autocommit = 0"}, {"START TRANSACTION"}, {"BEGIN", "SET @a = 1", "SAVEPOINT s", "SELECT 1"}} {
		for _, text := range []string{"SELECT n FROM t WHERE id = 1", "SELECT n FROM t WHERE id = 1 FOR UPDATE", "UPDATE t SET n = n WHERE id = 1", "SELECT sum(n) FROM t"} {
			for _, b := range before {
				c.query(b)
			}
			l := startLosing(f, txn.KindAborted, 3, true)
			if _, err := c.try(text); err != nil {
				t.Errorf("%v, %s: %v", before, text, err)
			}
			if tries := l.stop(f); tries < 4 {
				t.Errorf("%v, %s: read %d times", before, text, tries)
			}
			if len(before) > 2 {
				c.exec("UPDATE t SET n = 50 WHERE id = 2")
				c.exec("ROLLBACK TO s")
			}
			l = startLosing(f, txn.KindAborted, 1, true)
			if _, err := c.try("SELECT n FROM t WHERE id = 2 FOR UPDATE"); numberOf(err) != 1213 {
				t.Errorf("%v, %s: the second statement lost, and %v", before, text, err)
			}
			l.stop(f)
			c.exec("ROLLBACK")
			c.exec("SET autocommit = 1")
		}
	}
	c.expect("SELECT n FROM t", "1\n2")

	c.exec("START TRANSACTION READ ONLY")
	startLosing(f, txn.KindAborted, 1, true)
	c.expect("SELECT n FROM t WHERE id = 1", "1")
	c.fails("UPDATE t SET n = 7 WHERE id = 1", "READ ONLY")
	c.exec("ROLLBACK")

	c.exec("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")
	c.exec("BEGIN")
	startLosing(f, txn.KindAborted, 1, true)
	a := watchAges(f)
	c.expect("SELECT n FROM t WHERE id = 1", "1")
	for _, o := range a.begun {
		if o.Level != txn.ReadCommitted {
			t.Errorf("it is done again at level %v", o.Level)
		}
	}
	if got := a.drain(); got != "nr" {
		t.Errorf("transactions began as %q, want nr", got)
	}
	c.exec("COMMIT")
}

// Rows that were sent are not called back: a long answer goes out as it comes.
func TestWhatWasSentIsNotDoneAgain(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY, s TEXT)")
	c.exec("CREATE TABLE late (id INT PRIMARY KEY)")
	c.exec("INSERT INTO late VALUES (1)")
	for i := range 10 {
		rows := make([]string, 200)
		for j := range rows {
			rows[j] = fmt.Sprintf("(%d, REPEAT('x', 2000))", i*len(rows)+j)
		}
		c.exec("INSERT INTO t VALUES " + strings.Join(rows, ", "))
	}
	var fail atomic.Bool
	var reads atomic.Int64
	var once sync.Once
	f.cluster.BeforeRead = func(tx *sqltest.Txn, r txn.Read) (err error) {
		if tx.Options().SessionID != 0 && fail.Load() && reads.Add(1) > 2 {
			once.Do(func() { err = txn.Errorf(txn.KindAborted, "lost") })
		}
		return err
	}
	c.exec("BEGIN")
	fail.Store(true)
	// Each batch of rows asks once more.
	_, err := c.try("SELECT s, (SELECT count(*) FROM late WHERE late.id = t.id) FROM t")
	if err == nil {
		t.Errorf("of %d reads one lost after rows had been sent, and the client heard nothing", reads.Load())
	}
}

// The tries are bounded in number and time, by the session's settings.
func TestTriesAreBounded(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY, n INT)")
	c.exec("INSERT INTO t VALUES (1, 1)")
	for _, tc := range []struct {
		settings string
		tries    int64 // 0: many
	}{
		{"SET isochron_retry_max = 0", 1},
		{"SET isochron_retry_max = 4", 5},
		{"SET isochron_retry_max = 10000, isochron_retry_timeout = 0", 1},
		{"SET isochron_retry_max = 10000, isochron_retry_timeout = 1", 0},
	} {
		c.exec(tc.settings)
		l := startLosing(f, txn.KindAborted, 1<<40, false)
		c.fails("UPDATE t SET n = n + 1 WHERE id = 1", "1213")
		if tries := l.stop(f); tc.tries != 0 && tries != tc.tries || tc.tries == 0 && tries < 4 {
			t.Errorf("%s: tried %d times, want %d", tc.settings, tries, tc.tries)
		}
	}
	c.fails("SET isochron_retry_max = 20000", "1231")
	c.expect("SELECT n FROM t", "1")
}

// KILL ends the tries, also between two of them.
func TestKillEndsTheTries(t *testing.T) {
	f := start(t)
	c, other := f.connect(t, "va", "shop"), f.connect(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY, n INT)")
	c.exec("INSERT INTO t VALUES (1, 1)")
	c.exec("SET isochron_retry_max = 10000, isochron_retry_timeout = 3600")
	id := strings.TrimSpace(c.query("SELECT CONNECTION_ID()"))
	for _, begin := range []string{"COMMIT", "BEGIN"} {
		c.exec(begin)
		l := startLosing(f, txn.KindAborted, 1<<40, true)
		ended := make(chan error, 1)
		go func() {
			_, err := c.conn.ExecContext(context.Background(), "UPDATE t SET n = n + 1 WHERE id = 1")
			ended <- err
		}()
		for l.tries.Load() < 12 { // from then on it pauses for most of the time
			time.Sleep(time.Millisecond)
		}
		other.exec("KILL QUERY " + id)
		select {
		case err := <-ended:
			if n := numberOf(err); n != 1317 && n != 1158 {
				t.Errorf("after %s: a killed statement ended with %v", begin, err)
			}
		case <-time.After(hang):
			l.stop(f)
			t.Fatal("KILL did not end the tries")
		}
		l.stop(f)
	}
	c.expect("SELECT n FROM t", "1")
	c.exec("UPDATE t SET n = n + 1 WHERE id = 1")
	c.expect("SELECT n FROM t", "2")
}

// A server that closes does not wait for tries.
func TestCloseEndsTheTries(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY, n INT)")
	c.exec("INSERT INTO t VALUES (1, 1)")
	c.exec("SET isochron_retry_max = 10000, isochron_retry_timeout = 3600")
	l := startLosing(f, txn.KindAborted, 1<<40, false)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = c.conn.ExecContext(context.Background(), "UPDATE t SET n = n + 1 WHERE id = 1")
	}()
	for l.tries.Load() < 3 {
		time.Sleep(time.Millisecond)
	}
	f.servers["va"].Close()
	<-ended
}
