package sql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-sql-driver/mysql"

	"isochron/sql/sqltest"
	"isochron/txn"
)

// points is how many point updates were executed so far, at the gateway va.
func (f *fixture) points() int64 { return f.servers["va"].gateway.pointUpdates.Load() }

// counter is a table with one row, and an update of it that is prepared and has
// been executed, so that it is a point update from now on.
type counter struct {
	*fixture
	*client
	up *sql.Stmt
}

func newCounter(t *testing.T) *counter {
	c := &counter{fixture: start(t)}
	c.client = c.fixture.connect(t, "va", "shop")
	c.exec("CREATE TABLE t (id BIGINT PRIMARY KEY, n SMALLINT, c VARCHAR(300))")
	c.exec("INSERT INTO t VALUES (1, 0, ''), (2, 0, '')")
	c.up = c.prepare("UPDATE t SET n = n + ? WHERE id = ?")
	c.add(0, 2) // the engine describes it
	c.add(1, 2) // it is compiled
	return c
}

func (c *client) prepare(query string) *sql.Stmt {
	c.t.Helper()
	s, err := c.conn.PrepareContext(context.Background(), query)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { s.Close() })
	return s
}

func (c *counter) add(n, id any) int64 {
	c.t.Helper()
	r, err := c.up.Exec(n, id)
	if err != nil {
		c.t.Fatal(err)
	}
	affected, err := r.RowsAffected()
	if err != nil {
		c.t.Fatal(err)
	}
	return affected
}

// went checks how many point updates are executed by what is done.
func (c *counter) went(what string, do func(), want int64) {
	c.t.Helper()
	before := c.points()
	do()
	if n := c.points() - before; n != want {
		c.t.Errorf("%s: %d point updates, not %d", what, n, want)
	}
}

func TestPointUpdates(t *testing.T) {
	c := newCounter(t)
	c.went("updates", func() {
		for _, w := range []struct {
			n, id any
			want  int64
		}{{5, 1, 1}, {0, 1, 0}, {int64(7), 1, 1}, {1, 99, 0}, {uint8(200), 2, 1}, {-2, 1, 1}} {
			if n := c.add(w.n, w.id); n != w.want {
				t.Errorf("%v added to row %v: %d rows affected, not %d", w.n, w.id, n, w.want)
			}
		}
	}, 6)
	c.expect("SELECT n FROM t", "10\n201")
	c.went("what is beyond the column", func() { _, _ = c.up.Exec(32767, 2) }, 0)
	c.went("the next", func() { c.add(1, 1) }, 1)
	c.expect("SELECT n FROM t WHERE id = 1", "11")
	if c.cluster.Held() != 0 {
		t.Error("locks are left")
	}

	text := c.prepare("UPDATE t SET c = ? WHERE id = 1")
	set := func(v any) {
		t.Helper()
		if _, err := text.Exec(v); err != nil {
			t.Fatal(err)
		}
	}
	set("a")
	set("aa")
	c.went("texts", func() { set("b"); set(strings.Repeat("ü", 150)); set("") }, 3)
	c.went("another kind", func() { set(nil); set(7) }, 2)
	c.expect("SELECT c FROM t WHERE id = 1", "7")
}

// Whatever is unusual about the session gives a statement another plan.
func TestPointUpdatesFollowTheSession(t *testing.T) {
	c := newCounter(t)
	for _, step := range []struct {
		before, after string
		want          int64 // of three updates
	}{
		{"SELECT 1", "SELECT 1", 3},
		{"BEGIN", "ROLLBACK", 0},
		{"SET autocommit = 0", "ROLLBACK", 0},
		{"SET autocommit = 1", "SELECT 1", 3},
		{"SET TRANSACTION ISOLATION LEVEL READ COMMITTED", "SELECT 1", 3},
		{"SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED", "SELECT 1", 3},
		{"ALTER TABLE t ADD COLUMN more INT", "SELECT 1", 3},
		{"SET @v = 1", "SELECT 1", 3},
	} {
		c.exec(step.before)
		c.went(step.before, func() { c.add(1, 1); c.add(1, 1); c.add(1, 1) }, step.want)
		c.exec(step.after)
	}
	c.exec("SET SESSION TRANSACTION READ ONLY")
	if _, err := c.up.Exec(1, 1); numberOf(err) == 0 {
		t.Error("a read-only transaction wrote")
	}
}

// What a point update leaves for later questions is what all plans leave.
func TestPointUpdatesAreRemembered(t *testing.T) {
	c := newCounter(t)
	c.add(1, 1)
	c.exec("DROP TABLE IF EXISTS gone")
	c.went("after the catalogue was written", func() { c.add(3, 1) }, 1)
	c.add(3, 1)
	c.exec("SELECT 'a' + 1")
	c.went("after a warning", func() { c.add(3, 1) }, 1)
	c.expect("SHOW WARNINGS", "")
	c.add(3, 1)
	c.expect("SELECT ROW_COUNT()", "1")
	c.add(3, 99)
	c.expect("SELECT ROW_COUNT()", "0")
	before := len(c.seen.committed)
	c.add(1, 1)
	if n := len(c.seen.committed); n != before+1 {
		t.Errorf("the observer heard of %d transactions", n-before)
	}
	status := func() string { return c.query("SHOW GLOBAL STATUS LIKE 'Threads_running'") }
	was := status()
	c.add(1, 1)
	if now := status(); now != was {
		t.Errorf("of running threads there were %s and are %s", was, now)
	}
}

func TestPointUpdatesLoseAndFail(t *testing.T) {
	c := newCounter(t)
	var tries atomic.Int64
	failing := func(times int64, err error) {
		tries.Store(0)
		c.cluster.BeforeCommit = func(*sqltest.Txn) error {
			if tries.Add(1) <= times {
				return err
			}
			return nil
		}
	}
	failing(3, txn.Errorf(txn.KindAborted, "lost"))
	c.went("one that lost is done again", func() { c.add(1, 1) }, 1)
	c.expect("SELECT n FROM t WHERE id = 1", "1")
	failing(1, txn.Errorf(txn.KindLockTimeout, "locked"))
	if _, err := c.up.Exec(1, 1); numberOf(err) != 1205 || tries.Load() != 1 {
		t.Errorf("not had in time: %v after %d tries", err, tries.Load())
	}
	c.went("the next", func() { c.add(1, 1) }, 1)
	failing(1, txn.Errorf(txn.KindUnknown, "lost its shard"))
	if _, err := c.up.Exec(1, 1); numberOf(err) != 1180 || tries.Load() != 1 {
		t.Errorf("not known: %v after %d tries", err, tries.Load())
	}
	if _, err := c.conn.ExecContext(context.Background(), "SELECT 1"); err == nil {
		t.Error("the connection goes on after an unknown outcome")
	}
	c.cluster.BeforeCommit = nil
	if c.cluster.Held() != 0 {
		t.Error("locks are left")
	}
}

// Others see a statement that waits, and can end it.
func TestPointUpdatesAreSeenAndKilled(t *testing.T) {
	c := newCounter(t)
	other := c.fixture.connect(t, "va", "shop")
	id := strings.TrimSpace(c.query("SELECT CONNECTION_ID()"))
	c.add(1, 1)
	var number uint32
	if _, err := fmt.Sscan(id, &number); err != nil {
		t.Fatal(err)
	}
	session := c.servers["va"].gateway.session(number)
	waits := make(chan context.Context, 1)
	c.cluster.BeforeCommit = func(*sqltest.Txn) error {
		c.cluster.BeforeCommit = nil
		ctx := session.interruption.LastingContext()
		waits <- ctx
		select {
		case <-ctx.Done():
		case <-t.Context().Done(): // the test has failed
		}
		return txn.Errorf(txn.KindLockTimeout, "it waited in vain")
	}
	failed := make(chan error, 1)
	go func() {
		_, err := c.up.Exec(1, 1)
		failed <- err
	}()
	<-waits
	list := "SELECT command, info FROM information_schema.processlist WHERE id = " + id
	other.expect(list, "Query | UPDATE t SET n = n + ? WHERE id = ?")
	if got := other.query("SHOW PROCESSLIST"); !strings.Contains(got, "UPDATE t SET n = n + ? WHERE id = ?") {
		t.Errorf("SHOW PROCESSLIST without the statement:\n%s", got)
	}
	other.exec("KILL QUERY " + id)
	if err := <-failed; numberOf(err) != 1317 {
		t.Errorf("a killed statement: %v", err)
	}
	other.expect(list, "Sleep | ")
	c.went("the next", func() { c.add(1, 1); c.add(1, 1) }, 2)
	other.exec("KILL QUERY " + id) // nothing runs
	c.went("after a late kill", func() { c.add(1, 1) }, 1)
	c.expect("SELECT n FROM t WHERE id = 1", "4")
}

// A grant that is revoked is gone at once.
func TestPointUpdatesAskForGrants(t *testing.T) {
	g := startGuarded(t, nil)
	root := g.open(t, "va", "root", rootPassword, true)
	must(t, root, "CREATE DATABASE d", "CREATE TABLE d.t (id INT PRIMARY KEY, n INT)", "INSERT INTO d.t VALUES (1, 0)", "CREATE USER u IDENTIFIED BY 'pass'", "GRANT ALL ON d.* TO u")
	for _, secure := range []bool{false, true} {
		must(t, root, "GRANT ALL ON d.* TO u")
		g.updatesUntilRevoked(t, root, secure)
	}
}

func (g *guarded) updatesUntilRevoked(t *testing.T, root *sql.DB, secure bool) {
	t.Helper()
	pool := g.open(t, "va", "u", "pass", secure)
	pool.SetMaxOpenConns(1)
	up, err := pool.Prepare("UPDATE d.t SET n = n + ? WHERE id = 1")
	if err != nil {
		t.Fatal(err)
	}
	defer up.Close()
	before := g.servers["va"].gateway.pointUpdates.Load()
	for range 4 {
		if r, err := up.Exec(1); err != nil {
			t.Fatal(err)
		} else if n, _ := r.RowsAffected(); n != 1 {
			t.Errorf("%d rows affected", n)
		}
	}
	if n := g.servers["va"].gateway.pointUpdates.Load() - before; n < 2 {
		t.Fatalf("%d of four statements were point updates (TLS: %v)", n, secure)
	}
	// It is revoked elsewhere, and this gateway has the catalogue but not yet heeded it.
	must(t, g.open(t, "wa", "root", rootPassword, true), "REVOKE ALL ON d.* FROM u")
	if _, err := g.servers["va"].gateway.store.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	var e *mysql.MySQLError
	if _, err := up.Exec(1); !errors.As(err, &e) {
		t.Fatalf("after REVOKE: %v", err)
	}
	must(t, root, "GRANT UPDATE, SELECT ON d.* TO u")
	if _, err := up.Exec(1); err != nil {
		t.Fatalf("after GRANT: %v", err)
	}
}

// While statements queue for a place, a point update queues too.
func TestPointUpdatesQueue(t *testing.T) {
	c := newCounter(t)
	adm := c.servers["va"].gateway.admission
	free := adm.Occupy() // all places are taken, and a statement waits for one
	done := make(chan error, 1)
	go func() {
		_, err := c.up.Exec(1, 1)
		done <- err
	}()
	eventually(t, "it queues", func() bool { _, queued := adm.Working(); return queued == 2 })
	free()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	c.went("afterwards", func() { c.add(1, 1) }, 1)
}
