package main

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/go-sql-driver/mysql"
)

// agentStops stops an agent's process before a statement is sent to it. The client receives an
// error that names the source, after the time-out of its session; then its transaction's locks
// elsewhere are released, and its locks at the source when the agent is back.
func (c *testCluster) agentStops(t *testing.T, agent *process) {
	t.Helper()
	db := c.connect(t, 0)
	for _, stmt := range []string{"CREATE TABLE d.counts (id INT PRIMARY KEY, n INT)", "INSERT INTO d.counts VALUES (1, 0)", "DELETE FROM d.stock", "INSERT INTO d.stock VALUES (1, 0), (2, 0)"} {
		mustExec(t, db, stmt)
	}
	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()
	conn, err := db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, stmt := range []string{"SET isochron_source_timeout = 1", "BEGIN", "UPDATE d.counts SET n = n + 1 WHERE id = 1", "UPDATE d.stock SET n = n + 1 WHERE id = 1"} {
		if _, err := conn.ExecContext(ctx, stmt); err != nil {
			t.Fatalf("%s: %v", stmt, err)
		}
	}
	// Another node's client waits for the row of the cluster, longer than the bound.
	freed := make(chan error, 1)
	other, err := c.connect(t, 1).Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.ExecContext(ctx, "SET innodb_lock_wait_timeout = 600"); err != nil {
		t.Fatal(err)
	}
	if err := agent.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = agent.cmd.Process.Signal(syscall.SIGCONT) })
	go func() {
		_, err := other.ExecContext(ctx, "UPDATE d.counts SET n = n + 10 WHERE id = 1")
		freed <- err
	}()
	var e *mysql.MySQLError
	if _, err := conn.ExecContext(ctx, "UPDATE d.stock SET n = n + 1 WHERE id = 2"); !errors.As(err, &e) || e.Number != 1429 || !strings.Contains(e.Message, "orders") {
		t.Errorf("the statement at the stopped agent: %v", err)
	}
	if err := <-freed; err != nil {
		t.Errorf("the row that its transaction had locked: %v", err)
	}
	if _, err := conn.ExecContext(ctx, "SELECT n FROM d.counts WHERE id = 1"); err != nil {
		t.Errorf("the connection afterwards: %v", err)
	}

	if err := agent.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	awaitExec(t, c.connect(t, 1), "UPDATE d.stock SET n = n + 100 WHERE id < 3")
	if got := ask(t, db, "SELECT n FROM d.stock ORDER BY id"); len(got) != 2 || got[0] != 100 || got[1] != 100 {
		t.Errorf("at the source there are %v", got)
	}
	if got := ask(t, db, "SELECT n FROM d.counts"); len(got) != 1 || got[0] != 10 {
		t.Errorf("in the cluster there are %v", got)
	}
}
