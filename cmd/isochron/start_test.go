package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"isochron/server/ports"

	"github.com/go-sql-driver/mysql"
)

// testCluster is a cluster of processes made by init.
type testCluster struct {
	dir   string
	about initialized
	nodes []*process
}

// freePorts is a base port above which init's ports are free for n nodes.
func freePorts(t *testing.T, n int) int {
	t.Helper()
	c, err := ports.Take(n, 100, 200)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Release)
	return c.Base
}

func initCluster(t *testing.T) *testCluster {
	t.Helper()
	return initNodes(t, 3, "--wan", "uniform:4ms:3")
}

// initNodes makes a cluster of n nodes, in the regions that the flags name.
func initNodes(t *testing.T, n int, flags ...string) *testCluster {
	t.Helper()
	c := &testCluster{dir: filepath.Join(t.TempDir(), "c"), nodes: make([]*process, n)}
	base := freePorts(t, n)
	var out, err strings.Builder
	args := append([]string{"init", "--dir", c.dir, "--base-port", fmt.Sprint(base), "--json"}, flags...)
	if code := run(context.Background(), args, &out, &err); code != exitOK {
		t.Fatalf("init: exit %d, %s", code, &err)
	}
	if err := json.Unmarshal([]byte(out.String()), &c.about); err != nil || len(c.about.Nodes) != n {
		t.Fatalf("init --json: %v in %s", err, &out)
	}
	return c
}

// edit changes the configurations of all nodes.
func (c *testCluster) edit(t *testing.T, old, new string) {
	t.Helper()
	for _, n := range c.about.Nodes {
		b, err := os.ReadFile(n.Config)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(n.Config, []byte(strings.Replace(string(b), old, new, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// start starts a node; the channel is closed when it prints that it is ready.
func (c *testCluster) start(t *testing.T, i int) <-chan struct{} {
	t.Helper()
	p, out := startProcess(t, command("start", "--config", c.about.Nodes[i].Config))
	ready := make(chan struct{})
	go func() {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), fmt.Sprintf("node %d in %s is ready: MySQL at ", i+1, c.about.Nodes[i].Region)) {
				close(ready)
			}
		}
		p.ended <- p.cmd.Wait()
	}()
	c.nodes[i] = p
	return ready
}

func (c *testCluster) await(t *testing.T, i int, ready <-chan struct{}) {
	t.Helper()
	select {
	case <-ready:
	case err := <-c.nodes[i].ended:
		t.Fatalf("node %d ended before it was ready: %v\n%s", i+1, err, c.nodes[i].stderr)
	case <-time.After(startTimeout):
		t.Fatalf("node %d is not ready after %v\n%s", i+1, startTimeout, c.nodes[i].stderr)
	}
}

// startAll starts every node and waits until all are ready.
func (c *testCluster) startAll(t *testing.T) {
	t.Helper()
	var ready []<-chan struct{}
	for i := range c.nodes {
		ready = append(ready, c.start(t, i))
	}
	for i := range c.nodes {
		c.await(t, i, ready[i])
	}
}

func (c *testCluster) connect(t *testing.T, i int) *sql.DB {
	t.Helper()
	return c.connectTo(t, i, "")
}

// connectTo is connect to a database.
func (c *testCluster) connectTo(t *testing.T, i int, database string) *sql.DB {
	t.Helper()
	return c.connectWith(t, i, func(cfg *mysql.Config) { cfg.DBName = database })
}

// connectWith is connect with settings of the client.
func (c *testCluster) connectWith(t *testing.T, i int, set func(*mysql.Config)) *sql.DB {
	t.Helper()
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr, cfg.Logger = "root", "tcp", c.about.Nodes[i].SQL, &mysql.NopLogger{}
	set(cfg)
	password, err := os.ReadFile(c.about.RootPassword)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Passwd = strings.TrimSpace(string(password))
	conn, err := mysql.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(conn)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// mustExec runs a statement until its error is not retryable.
func mustExec(t *testing.T, db *sql.DB, stmt string) {
	t.Helper()
	var err error
	for end := time.Now().Add(startTimeout); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if _, err = db.Exec(stmt); err == nil {
			return
		}
		if my, ok := err.(*mysql.MySQLError); !ok || my.Number != 1213 && my.Number != 1205 {
			break
		}
	}
	t.Fatalf("%s: %v", stmt, err)
}

func sum(t *testing.T, db *sql.DB) (rows, total int) {
	t.Helper()
	if err := db.QueryRow("SELECT COUNT(*), SUM(v) FROM d.t").Scan(&rows, &total); err != nil {
		t.Fatal(err)
	}
	return rows, total
}

// TestProcessesLoseOneAndContinue: three real processes, SQL through two of them, the one that
// leads killed with -9, work in its absence, its return, and the data afterwards.
func TestProcessesLoseOneAndContinue(t *testing.T) {
	c := initCluster(t)
	c.startAll(t)
	db2, db3 := c.connect(t, 1), c.connect(t, 2)
	mustExec(t, db2, "CREATE DATABASE d")
	mustExec(t, db2, "CREATE TABLE d.t (id INT PRIMARY KEY, v INT NOT NULL)")
	for i := range 20 {
		mustExec(t, []*sql.DB{db2, db3}[i%2], fmt.Sprintf("INSERT INTO d.t VALUES (%d, 1)", i))
	}
	if err := c.nodes[0].cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := c.nodes[0].wait(); err == nil {
		t.Error("a killed node ended well")
	}
	for i := range 20 {
		mustExec(t, []*sql.DB{db2, db3}[i%2], fmt.Sprintf("UPDATE d.t SET v = v + 1 WHERE id = %d", i))
	}
	mustExec(t, db3, "INSERT INTO d.t VALUES (20, 2)")
	c.checkStatus(t, 0)
	c.await(t, 0, c.start(t, 0))
	for i := range 3 {
		if rows, total := sum(t, c.connect(t, i)); rows != 21 || total != 42 {
			t.Errorf("node %d: %d rows, sum %d; want 21 and 42", i+1, rows, total)
		}
	}
	c.end(t)
	// All at the same time, from their disks.
	c.startAll(t)
	if rows, total := sum(t, c.connect(t, 0)); rows != 21 || total != 42 {
		t.Errorf("after a restart: %d rows, sum %d; want 21 and 42", rows, total)
	}
	c.end(t)
}

// checkStatus asks for the status while one node is down, until the others
// have noticed and elected.
func (c *testCluster) checkStatus(t *testing.T, down int) {
	t.Helper()
	var wrong string
	for end := time.Now().Add(startTimeout); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		var out, err strings.Builder
		if code := run(context.Background(), []string{"status", "--config", c.about.Nodes[1].Config, "--json"}, &out, &err); code != exitOK {
			t.Fatalf("status: exit %d, %s", code, &err)
		}
		var s clusterStatus
		if err := json.Unmarshal([]byte(out.String()), &s); err != nil {
			t.Fatalf("%v in %s", err, &out)
		}
		if wrong = s.wrong(down); wrong == "" {
			return
		}
	}
	t.Errorf("status: %s", wrong)
}

// wrong returns the faults of the status with one node down.
func (s clusterStatus) wrong(down int) string {
	for i, n := range s.Nodes {
		if n.Up != (i != down) || n.Up && (n.Report == nil || !n.Report.Ready || len(n.Report.Links) != 2) || !n.Up && n.Error == "" {
			return fmt.Sprintf("node %+v", n)
		}
		if !n.Up {
			continue
		}
		for _, l := range n.Report.Links {
			if l.Up != (int(l.Peer) != down+1) || l.Up && l.RTTMS < 4 {
				return fmt.Sprintf("node %d: the link %+v", i+1, l)
			}
		}
	}
	for _, sh := range s.Shards {
		if sh.Leader == 0 || int(sh.Leader) == down+1 || len(sh.Lag) != 2 || sh.Applied == 0 {
			return fmt.Sprintf("shard %+v", sh)
		}
	}
	if len(s.Shards) < 2 {
		return fmt.Sprintf("%d shards", len(s.Shards))
	}
	return ""
}

// end lets all nodes end well.
func (c *testCluster) end(t *testing.T) {
	t.Helper()
	for _, p := range c.nodes {
		if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
	}
	for i, p := range c.nodes {
		if err := p.wait(); err != nil {
			t.Errorf("node %d: exit: %v\n%s", i+1, err, p.stderr)
		}
	}
}

// TestStatusOfNothing: a cluster that does not run is shown as such, and it is a failure.
func TestStatusOfNothing(t *testing.T) {
	c := initCluster(t)
	var out, err strings.Builder
	code := run(context.Background(), []string{"status", "--config", c.about.Nodes[0].Config}, &out, &err)
	if code != exitFailed || strings.Count(out.String(), "DOWN") != 3 || !strings.Contains(err.String(), "no node of the cluster answers") {
		t.Errorf("exit %d, %s%s", code, &out, &err)
	}
}

// TestStartRefused: one clear line and exit code 1.
func TestStartRefused(t *testing.T) {
	c, other := initCluster(t), initCluster(t)
	config := c.about.Nodes[0].Config
	edit := func(old, new string) string {
		b, err := os.ReadFile(config)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(c.dir, "edited.yaml")
		if err := os.WriteFile(path, []byte(strings.Replace(string(b), old, new, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, b := range []struct {
		old, new string
		code     int
		message  string
	}{
		{"protocol:", "protokoll:", exitUsage, `there is no key "protokoll"`},
		{"node1.crt", "node2.crt", exitFailed, "cannot be used"},
		{"ca.crt", filepath.Join(other.dir, "ca.crt"), exitFailed, "is not valid under"},
		{c.about.Nodes[0].SQL, taken.Addr().String(), exitFailed, "the MySQL port cannot be opened"},
		{"peer_listen: " + c.about.Nodes[0].Peers, "peer_listen: " + taken.Addr().String(), exitFailed, "the port for the other nodes cannot be opened"},
		{"data: node1", "data: .", exitFailed, "holds no node"},
		{"data: node1", "data: node2", exitFailed, "belongs to node 2"},
		{"data: node1", "data: " + filepath.Join(other.dir, "node1"), exitFailed, "of cluster "},
		{"sql_listen: 127.0.0.1", "sql_listen: 127.0.0.1x", exitFailed, "cannot be opened"},
	} {
		var out, stderr strings.Builder
		code := run(context.Background(), []string{"start", "--config", edit(b.old, b.new)}, &out, &stderr)
		if code != b.code || !strings.Contains(stderr.String(), b.message) || strings.Count(stderr.String(), "\n") != 1 || out.Len() != 0 {
			t.Errorf("%s: exit %d, stdout %q, stderr %q; want exit %d and one line with %q", b.new, code, &out, &stderr, b.code, b.message)
		}
	}
}
