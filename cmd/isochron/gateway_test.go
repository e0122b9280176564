package main

import (
	"context"
	"database/sql"
	"strings"
	"syscall"
	"testing"
)

// TestALostGatewayLeavesNothingLocked: a client of node 3 has locked a row that node 1 leads, and
// node 3 is lost. A client of node 1 gets the row within the wait for one lock: after the gateway's
// lease, or immediately if the node was stopped in order.
func TestALostGatewayLeavesNothingLocked(t *testing.T) {
	c := initCluster(t)
	c.startAll(t)
	home := c.connect(t, 0)
	mustExec(t, home, "CREATE DATABASE d")
	mustExec(t, home, `CREATE TABLE d.t (id INT PRIMARY KEY, v INT NOT NULL) COMMENT='isochron: {"leader":"r1"}'`)
	mustExec(t, home, "INSERT INTO d.t VALUES (1, 0)")
	const freed = "its locks are released"
	for _, loss := range []struct {
		name    string
		signal  syscall.Signal
		noticed bool // the leader releases the locks by itself; after SIGTERM the gateway rolls back, if it is given the time
	}{
		{"SIGTERM", syscall.SIGTERM, false}, {"SIGKILL", syscall.SIGKILL, true}, {"SIGSTOP", syscall.SIGSTOP, true},
	} {
		before := strings.Count(c.nodes[0].stderr.String(), freed)
		lockRow(t, c.connect(t, 2))
		if err := c.nodes[2].cmd.Process.Signal(loss.signal); err != nil {
			t.Fatal(err)
		}
		if _, err := home.Exec("UPDATE d.t SET v = v + 1 WHERE id = 1"); err != nil {
			t.Errorf("%s: %v", loss.name, err)
		}
		if got := strings.Count(c.nodes[0].stderr.String(), freed) > before; loss.noticed && !got {
			t.Errorf("%s: the leader did not report that it released the gateway's locks", loss.name)
		}
		if loss.signal == syscall.SIGSTOP {
			if err := c.nodes[2].cmd.Process.Signal(syscall.SIGCONT); err != nil {
				t.Fatal(err)
			}
			continue
		}
		_ = c.nodes[2].wait()
		c.await(t, 2, c.start(t, 2))
	}
	var v int
	if err := home.QueryRow("SELECT v FROM d.t WHERE id = 1").Scan(&v); err != nil || v != 3 {
		t.Errorf("v = %d, %v", v, err)
	}
	c.end(t)
}

// lockRow has a transaction lock the row and write it, and stay open.
func lockRow(t *testing.T, db *sql.DB) {
	t.Helper()
	mustExec(t, db, "SELECT 1")
	tx, err := db.BeginTx(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, stmt := range []string{"SELECT v FROM d.t WHERE id = 1 FOR UPDATE", "UPDATE d.t SET v = 100 WHERE id = 1"} {
		if _, err := tx.Exec(stmt); err != nil {
			t.Fatalf("%s: %v", stmt, err)
		}
	}
}
