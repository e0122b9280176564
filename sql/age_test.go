package sql

import (
	"fmt"
	"sync"
	"testing"

	"isochron/sql/session"
	"isochron/sql/sqltest"
	"isochron/txn"
)

// ages tells of the clients' transactions whether each is done again, and whose
// retry it is, as numbers in the order in which they began.
type ages struct {
	mu    sync.Mutex
	begun []txn.Options
}

func watchAges(f *fixture) *ages {
	a := &ages{}
	f.cluster.OnBegin = func(o txn.Options) {
		if o.SessionID != 0 { // one of the catalogue's has none
			a.mu.Lock()
			defer a.mu.Unlock()
			a.begun = append(a.begun, o)
		}
	}
	return a
}

func (a *ages) drain() (again string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, o := range a.begun {
		_, is := o.RetryOf.(*sqltest.Txn)
		again += map[bool]string{true: "r", false: "n"}[is]
	}
	a.begun = nil
	return again
}

// lose has a's next commit fail, or with reads its next read of data.
func lose(f *fixture, kind txn.Kind, reads bool) {
	var once sync.Once
	fail := func(tx *sqltest.Txn) (err error) {
		if tx.Options().SessionID != 0 {
			once.Do(func() { err = txn.Errorf(kind, "lost") })
		}
		return err
	}
	f.cluster.BeforeCommit, f.cluster.BeforeRead = nil, nil
	if reads {
		f.cluster.BeforeRead = func(tx *sqltest.Txn, _ txn.Read) error { return fail(tx) }
		return
	}
	f.cluster.BeforeCommit = fail
}

// What a client does again keeps its age, whatever it says in between; n is a new
// age, r that of a transaction which lost.
func TestAnAgeIsKept(t *testing.T) {
	const update = "UPDATE t SET n = n + 1 WHERE id = 1"
	cases := []struct {
		name string
		kind txn.Kind
		// reads: the loss is at the second statement's read; else at the commit.
		reads bool
		after []string // what the client says then
		want  string   // of the transactions that begin then
	}{
		{"a commit that lost", txn.KindAborted, false, []string{"BEGIN", update, "COMMIT", update}, "rn"},
		{"with a rollback", txn.KindAborted, false, []string{"ROLLBACK", "BEGIN", update, "COMMIT", update}, "rn"},
		{"a statement that lost", txn.KindAborted, true, []string{"ROLLBACK", "BEGIN", update, "COMMIT"}, "r"},
		{"a question between", txn.KindAborted, true, []string{"ROLLBACK", "SELECT n FROM t WHERE id = 2", "SELECT 1", "SET @x = 1", "SHOW WARNINGS", "BEGIN", update, "COMMIT"}, "nr"},
		{"a transaction of its own between", txn.KindAborted, true, []string{"UPDATE t SET n = 9 WHERE id = 2", "BEGIN", update, "COMMIT"}, "nr"},
		{"by turning autocommit off", txn.KindAborted, true, []string{"SET autocommit = 0", update, "COMMIT", update, "COMMIT", "SET autocommit = 1"}, "rn"},
		{"the way of SET TRANSACTION", txn.KindAborted, false, []string{"SET TRANSACTION ISOLATION LEVEL READ COMMITTED", "BEGIN", update, "COMMIT"}, "r"},
		{"the client rolls back what did not lose", txn.KindAborted, false, []string{"BEGIN", update, "ROLLBACK", "BEGIN", update, "COMMIT"}, "rn"},
		{"begun twice without a use", txn.KindAborted, false, []string{"BEGIN", "ROLLBACK", "BEGIN", "COMMIT", "BEGIN", update, "COMMIT"}, "r"},
		{"the schema changed", txn.KindStale, true, []string{"BEGIN", update, "COMMIT"}, "r"},
		{"a shard was away", txn.KindUnavailable, true, []string{"BEGIN", update, "COMMIT"}, "r"},
		{"waited in vain, and rolled back", txn.KindLockTimeout, true, []string{"ROLLBACK", "BEGIN", update, "COMMIT", update}, "rn"},
		{"waited in vain, and went on", txn.KindLockTimeout, true, []string{update, "COMMIT", "BEGIN", update, "COMMIT"}, "n"},
		{"not waited", txn.KindNoWait, true, []string{"ROLLBACK", "BEGIN", update, "COMMIT"}, "n"},
	}
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY, n INT)")
	c.exec("INSERT INTO t VALUES (1, 1), (2, 2)")
	for _, tc := range cases {
		a := watchAges(f)
		c.exec("BEGIN")
		c.query("SELECT n FROM t WHERE id = 1")
		lose(f, tc.kind, tc.reads)
		second := "COMMIT"
		if tc.reads {
			second = "SELECT n FROM t WHERE id = 2 FOR UPDATE"
		}
		if _, err := c.try(second); err == nil {
			t.Fatalf("%s: %s did not lose", tc.name, second)
		}
		lose(f, 0, false)
		f.cluster.BeforeCommit = nil
		a.drain()
		for _, text := range tc.after {
			if _, err := c.try(text); err != nil {
				t.Fatalf("%s: %s: %v", tc.name, text, err)
			}
		}
		if got := a.drain(); got != tc.want {
			t.Errorf("%s: transactions began as %q, want %q", tc.name, got, tc.want)
		}
		f.forgetLosses()
	}
}

// forgetLosses has all sessions begin anew.
func (f *fixture) forgetLosses() {
	for _, s := range f.servers {
		s.gateway.mu.Lock()
		for _, one := range s.gateway.sessions { // order: each by itself
			one.lost = session.Lost{}
		}
		s.gateway.mu.Unlock()
	}
}

// A statement that is its own transaction and was given up keeps its age for the
// next of its kind alone, also where that is a point update.
func TestAnOwnStatementKeepsItsAge(t *testing.T) {
	c := newCounter(t)
	c.exec("SET isochron_retry_max = 0")
	c.add(1, 1)
	for _, kind := range []txn.Kind{txn.KindAborted, txn.KindLockTimeout} {
		lose(c.fixture, kind, false)
		a := watchAges(c.fixture)
		if _, err := c.up.Exec(1, 1); err == nil {
			t.Fatal("it did not lose")
		}
		c.query("SELECT n FROM t WHERE id = 1")
		c.exec("UPDATE t SET n = 0 WHERE id = 2")
		c.add(1, 1)
		c.add(1, 1)
		if got := a.drain(); got != "nnnrn" {
			t.Errorf("kind %d: transactions began as %q, want nnnrn", kind, got)
		}
	}
}

// Whoever rolls back on purpose, again and again, does not become older and older.
func TestAnAgeIsNotHeldOnPurpose(t *testing.T) {
	f := start(t)
	c := f.connect(t, "va", "shop")
	c.exec("CREATE TABLE t (id INT PRIMARY KEY, n INT)")
	c.exec("INSERT INTO t VALUES (1, 1)")
	a := watchAges(f)
	c.exec("BEGIN")
	c.query("SELECT n FROM t WHERE id = 1")
	lose(f, txn.KindAborted, false)
	c.fails("COMMIT", "1213")
	for i := range 3 {
		c.exec("BEGIN")
		c.exec(fmt.Sprintf("UPDATE t SET n = %d WHERE id = 1", i))
		c.exec("ROLLBACK")
	}
	if got := a.drain(); got != "nrnn" {
		t.Errorf("transactions began as %q, want nrnn", got)
	}
}
