package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// order gives a command that must succeed.
func order(t *testing.T, args ...string) string {
	t.Helper()
	var out, stderr strings.Builder
	if code := run(context.Background(), args, &out, &stderr); code != exitOK {
		t.Fatalf("%v: exit %d\n%s%s", args, code, &out, &stderr)
	}
	return out.String()
}

// load inserts rows until it is stopped, and counts the acknowledged ones.
func load(db *sql.DB, stop <-chan struct{}, acknowledged *atomic.Int64) {
	for id := 0; ; id++ {
		select {
		case <-stop:
			return
		default:
		}
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		if _, err := db.ExecContext(ctx, "INSERT INTO d.t VALUES (?, 1)", id); err == nil {
			acknowledged.Add(1)
		}
		cancel()
	}
}

// TestReplaceLostNode: under load a node is killed and its data deleted, a new
// one takes its place, and then another of the old ones is killed.
func TestReplaceLostNode(t *testing.T) {
	c := initCluster(t)
	for i, ready := range []<-chan struct{}{c.start(t, 0), c.start(t, 1), c.start(t, 2)} {
		c.await(t, i, ready)
	}
	db := c.connect(t, 0)
	mustExec(t, db, "CREATE DATABASE d")
	mustExec(t, db, "CREATE TABLE d.t (id INT PRIMARY KEY, v INT NOT NULL)")
	var acknowledged atomic.Int64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() { defer close(stopped); load(db, stop, &acknowledged) }()
	config := c.about.Nodes[0].Config
	order(t, "transfer-leader", "--config", config, "--shard", "2", "--to", "2")
	if err := c.nodes[2].cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.nodes[2].wait()
	if err := os.RemoveAll(filepath.Join(c.dir, "node3")); err != nil {
		t.Fatal(err)
	}
	base := freePorts(t, 1)
	add := []string{"add-node", "--config", config, "--region", "r3", "--peer-port", fmt.Sprint(base), "--sql-port", fmt.Sprint(base + 100), "--out", c.dir}
	if first, second := order(t, add...), order(t, add...); first != second {
		t.Errorf("add-node prints %q, and again %q", first, second)
	}
	c.about.Nodes[2] = initializedNode{Node: 4, Region: "r3", Config: filepath.Join(c.dir, "node4.yaml"), Peers: loopback(base), SQL: loopback(base + 100)}
	c.awaitAdded(t, 2)
	for range 2 { // again: nothing is left to do
		t.Log(order(t, "replace-replica", "--config", config, "--from", "3", "--to", "4"))
	}
	t.Log(order(t, "remove-node", "--config", config, "--node", "3"))
	if err := c.nodes[1].cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.nodes[1].wait()
	mustExec(t, c.connect(t, 2), "INSERT INTO d.t VALUES (1000000, 1)") // the new node and the first are a majority
	close(stop)
	<-stopped
	if rows, _ := sum(t, c.connect(t, 2)); int64(rows) < acknowledged.Load()+1 {
		t.Errorf("%d rows, and %d were acknowledged", rows, acknowledged.Load()+1)
	} else {
		t.Logf("%d rows, %d acknowledged", rows, acknowledged.Load()+1)
	}
	c.checkDrain(t, config)
	if out := order(t, "hot-rows", "--config", config, "--group-size", "50"); !strings.Contains(out, "groups of 50") {
		t.Errorf("hot-rows prints %q", out)
	}
	if out := order(t, "admission", "--config", config, "--max-window", "20"); !strings.Contains(out, "between 1 and 20") {
		t.Errorf("admission prints %q", out)
	}
	if out := order(t, "hot-rows", "--config", config, "--off"); !strings.Contains(out, "as other rows") {
		t.Errorf("hot-rows --off prints %q", out)
	}
}

// awaitAdded starts the node in a place of the cluster and waits until it is ready.
func (c *testCluster) awaitAdded(t *testing.T, i int) {
	t.Helper()
	c.start(t, i)
	for end := time.Now().Add(startTimeout); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if c.connect(t, i).Ping() == nil {
			return
		}
	}
	t.Fatalf("the added node takes no clients\n%s", c.nodes[i].stderr)
}

// checkDrain: a drained node refuses new clients, and accepts them when that is reverted.
func (c *testCluster) checkDrain(t *testing.T, config string) {
	t.Helper()
	if out := order(t, "drain", "--config", config); !strings.Contains(out, "safe to stop") {
		t.Errorf("drain prints %q", out)
	}
	var refused *mysql.MySQLError
	if err := c.connect(t, 0).Ping(); !errors.As(err, &refused) || refused.Number != 1053 {
		t.Errorf("a drained node answers a new client with %v, want error 1053", err)
	}
	order(t, "drain", "--config", config, "--undo")
	if err := c.connect(t, 0).Ping(); err != nil {
		t.Errorf("after --undo: %v", err)
	}
}
