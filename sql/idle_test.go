package sql

import (
	"context"
	"strings"
	"testing"
	"time"
)

// An idle transaction is rolled back: what it has locked is free, and its client learns why
// from its next statement or its commit, whatever the settings were in other sessions.
func TestIdleTransaction(t *testing.T) {
	f := start(t)
	a, b := f.connect(t, "va", "shop"), f.connect(t, "va", "shop")
	a.exec("CREATE TABLE t (id INT PRIMARY KEY, n INT)")
	a.exec("INSERT INTO t VALUES (1, 1), (2, 2)")
	server := f.servers["va"]
	for _, next := range []string{"COMMIT", "UPDATE t SET n = 5 WHERE id = 2", "SELECT n FROM t WHERE id = 1"} {
		a.exec("SET isochron_idle_transaction_timeout = 1")
		a.exec("BEGIN")
		a.exec("UPDATE t SET n = n + 10 WHERE id = 1")
		eventually(t, "the idle transaction is rolled back", func() bool { return server.transacting() == 0 })
		b.exec("UPDATE t SET n = n + 1 WHERE id = 1")
		if _, err := a.try(next); err == nil || !strings.Contains(err.Error(), idleVariable) {
			t.Errorf("%s: %v", next, err)
		}
		a.exec("ROLLBACK")
	}
	a.expect("SELECT n FROM t", "4\n2")
	a.exec("SET isochron_idle_transaction_timeout = 0")
	a.exec("BEGIN")
	a.exec("UPDATE t SET n = 9 WHERE id = 2")
	g := server.gateway
	for hours := range 3 {
		g.lookAfter(time.Now().Add(time.Duration(hours) * time.Hour))
	}
	a.exec("COMMIT")
	a.expect("SELECT n FROM t WHERE id = 2", "9")
}

// An idle connection is closed when its wait_timeout is over, not before, and its client is
// notified with MySQL's number; what it has left open is rolled back.
func TestWaitTimeout(t *testing.T) {
	f := start(t)
	a, b := f.connect(t, "va", "shop"), f.connect(t, "va", "shop")
	a.expect("SELECT @@wait_timeout, @@interactive_timeout, @@global.wait_timeout, @@isochron_idle_transaction_timeout, @@net_write_timeout", "28800 | 28800 | 28800 | 600 | 60")
	a.exec("SET wait_timeout = 1")
	server := f.servers["va"]
	eventually(t, "the idle connection is closed", func() bool { return server.Connections() == 2 })
	if _, err := a.try("SELECT 1"); err == nil {
		t.Error("a connection that was closed still works")
	}
	b.expect("SELECT 1", "1")
	c := f.connect(t, "va", "shop")
	ctx, cancel := context.WithTimeout(t.Context(), hang)
	defer cancel()
	c.exec("SET wait_timeout = 1")
	if _, err := c.conn.ExecContext(ctx, "SELECT SLEEP(2)"); err != nil {
		t.Errorf("a statement that runs is not idle: %v", err)
	}
}

// A client that does not take its answer while its transaction holds locks is cut off, and
// others go on; one that has no transaction, or takes it after all, is not.
func TestSlowReader(t *testing.T) {
	f := start(t)
	a, b := f.connect(t, "va", "shop"), f.connect(t, "va", "shop")
	a.exec("CREATE TABLE t (id INT PRIMARY KEY, n INT, v LONGTEXT)")
	for i := range 48 {
		a.exec("INSERT INTO t VALUES (?, 0, REPEAT('x', 500000))", i)
	}
	a.exec("SET net_write_timeout = 1")
	a.exec("BEGIN")
	a.exec("UPDATE t SET n = 1 WHERE id = 0")
	rows, err := a.conn.QueryContext(t.Context(), "SELECT * FROM t")
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the slow reader is cut off", func() bool { return f.servers["va"].transacting() == 0 && f.servers["va"].Connections() == 2 })
	b.exec("UPDATE t SET n = n + 2 WHERE id = 0")
	for rows.Next() {
		_ = rows.Scan(new(int), new(int), new(string)) // the error is asked for below
	}
	if rows.Err() == nil {
		t.Error("the reader was not cut off")
	}
	_ = rows.Close()
	b.expect("SELECT n FROM t WHERE id = 0", "2")
}

// transacting is how many sessions have a transaction that has begun.
func (s *Server) transacting() (n int) {
	s.gateway.mu.Lock()
	defer s.gateway.mu.Unlock()
	for _, one := range s.gateway.sessions { // order: a count
		if one.transacting.Load() {
			n++
		}
	}
	return n
}

// A client that says that a person sits there waits as long as interactive_timeout says.
func TestInteractiveTimeout(t *testing.T) {
	f := start(t)
	f.connect(t, "va", "").exec("SET GLOBAL interactive_timeout = 77")
	t.Cleanup(func() { f.connect(t, "va", "").exec("SET GLOBAL interactive_timeout = 28800") })
	f.connect(t, "va", "").expect("SELECT @@wait_timeout", "28800")
	c := f.connect(t, "va", "")
	var s *Session
	g := f.servers["va"].gateway
	g.mu.Lock()
	for _, one := range g.sessions { // order: any
		s = one
	}
	g.mu.Unlock()
	s.wire.capabilities |= clientInteractive
	if err := interactive(s); err != nil {
		t.Fatal(err)
	}
	if got := s.patienceNow.Wait.Load(); got != 77 {
		t.Errorf("wait_timeout is %d", got)
	}
	c.exec("SELECT 1")
}
