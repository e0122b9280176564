package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// statusOf asks a cluster how it is.
func (c *testCluster) statusOf(t *testing.T) clusterStatus {
	t.Helper()
	var s clusterStatus
	if err := json.Unmarshal([]byte(order(t, "status", "--config", c.about.Nodes[0].Config, "--json")), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// leaders returns the leader of each shard and its term; "" while one has none.
func (s clusterStatus) leaders() string {
	out := ""
	for _, sh := range s.Shards {
		if sh.Leader == 0 {
			return ""
		}
		out += fmt.Sprintf("%d: node %d in term %d; ", sh.Shard, sh.Leader, sh.Term)
	}
	return out
}

// raise adds to rows through a gateway until it is stopped, and counts.
func raise(db *sql.DB, row int, stop <-chan struct{}, done *atomic.Int64) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		if _, err := db.ExecContext(ctx, "UPDATE d.t SET v = v + 1 WHERE id = ?", row); err == nil {
			done.Add(1)
		}
		cancel()
	}
}

// TestAKilledGatewayCostsNoLeader: three nodes with data, two gateways. One gateway is killed under
// load: no shard changes its leader, the other gateway continues, and the first restarts with
// nothing in its directory.
func TestAKilledGatewayCostsNoLeader(t *testing.T) {
	c := initNodes(t, 5, "--wan", "uniform:4ms:3", "--regions", "r1,r2,r3", "--gateways", "r1,r2")
	c.startAll(t)
	first, second := c.connect(t, 3), c.connect(t, 4)
	mustExec(t, first, "CREATE DATABASE d")
	mustExec(t, second, "CREATE TABLE d.t (id INT PRIMARY KEY, v INT NOT NULL)")
	mustExec(t, second, "INSERT INTO d.t VALUES (1, 0), (2, 0)")
	s := c.statusOf(t)
	for _, sh := range s.Shards {
		for _, v := range append(sh.Voters, sh.Outgoing...) {
			if v > 3 {
				t.Errorf("a gateway votes: %+v", sh)
			}
		}
	}
	if text := order(t, "status", "--config", c.about.Nodes[3].Config); strings.Count(text, "gateway, up") != 2 {
		t.Errorf("status prints\n%s", text)
	}
	before := s.leaders()
	var lost, continues atomic.Int64
	stop := make(chan struct{})
	go raise(first, 1, stop, &lost)
	go raise(second, 2, stop, &continues)
	reach := func(n *atomic.Int64, more int64) {
		t.Helper()
		want := n.Load() + more
		for end := time.Now().Add(startTimeout); n.Load() < want; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%d updates instead of %d", n.Load(), want)
			}
		}
	}
	reach(&lost, 20)
	reach(&continues, 20)
	if err := c.nodes[3].cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.nodes[3].wait()
	mustExec(t, second, "UPDATE d.t SET v = v + 1 WHERE id = 1") // what the killed one may have locked
	reach(&continues, 50)
	close(stop)
	if after := c.statusOf(t).leaders(); before == "" || after != before {
		t.Errorf("leaders were %s and are %s", before, after)
	}

	// With an empty directory, and with none, under the same id.
	dir := filepath.Join(c.dir, "node4")
	for _, empty := range []func(string) error{os.RemoveAll, func(d string) error { return os.RemoveAll(filepath.Join(d, "data")) }} {
		if err := empty(dir); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		c.await(t, 3, c.start(t, 3))
		t.Logf("the gateway was ready after %v", time.Since(began).Round(time.Millisecond))
		mustExec(t, c.connect(t, 3), "UPDATE d.t SET v = v + 1 WHERE id = 1")
		_ = c.nodes[3].cmd.Process.Signal(syscall.SIGTERM)
		if err := c.nodes[3].wait(); err != nil {
			t.Errorf("a gateway that is stopped: %v\n%s", err, c.nodes[3].stderr)
		}
	}
	if after := c.statusOf(t).leaders(); after != before {
		t.Errorf("leaders were %s and are %s", before, after)
	}
	c.checkRoles(t)
}

// checkRoles: gateways are added and removed, and no command makes of one what holds data.
func (c *testCluster) checkRoles(t *testing.T) {
	t.Helper()
	config := c.about.Nodes[0].Config
	began := time.Now()
	c.await(t, 3, c.start(t, 3))
	t.Logf("with its data it was ready after %v", time.Since(began).Round(time.Millisecond))
	var out, stderr strings.Builder
	if code := run(context.Background(), []string{"replace-replica", "--config", config, "--from", "3", "--to", "4"}, &out, &stderr); code != exitFailed || !strings.Contains(stderr.String(), "node 4 is a gateway") {
		t.Errorf("replace-replica: exit %d, %s%s", code, &out, &stderr)
	}
	base := freePorts(t, 1)
	order(t, "add-node", "--config", config, "--role", "gateway", "--region", "r3", "--peer-port", fmt.Sprint(base), "--sql-port", fmt.Sprint(base+100), "--out", c.dir)
	added := initializedNode{Node: 6, Region: "r3", Role: "gateway", Config: filepath.Join(c.dir, "node6.yaml"), Peers: loopback(base), SQL: loopback(base + 100)}
	c.about.Nodes, c.nodes = append(c.about.Nodes, added), append(c.nodes, nil)
	c.await(t, 5, c.start(t, 5))
	mustExec(t, c.connect(t, 5), "CREATE TABLE d.u (id INT PRIMARY KEY)")
	for _, sh := range c.statusOf(t).Shards {
		for _, v := range sh.Voters {
			if v > 3 {
				t.Errorf("a gateway votes: %+v", sh)
			}
		}
	}
	order(t, "remove-node", "--config", config, "--node", "4")
	_ = c.nodes[3].cmd.Process.Signal(syscall.SIGTERM)
	_ = c.nodes[3].wait()
	if err := os.RemoveAll(filepath.Join(c.dir, "node4")); err != nil {
		t.Fatal(err)
	}
	refused(t, c.about.Nodes[3].Config, "node 4 was removed from the cluster for good")
	// A node that holds data does not become a gateway, nor the other way.
	b, err := os.ReadFile(c.about.Nodes[4].Config)
	if err != nil {
		t.Fatal(err)
	}
	_ = c.nodes[4].cmd.Process.Signal(syscall.SIGTERM)
	_ = c.nodes[4].wait()
	storage := filepath.Join(c.dir, "storage5.yaml")
	text := withoutRoles(string(b))
	if err := os.WriteFile(storage, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, storage, "a node's role cannot change")
}

// withoutRoles returns a configuration without its role and the role of the last of its nodes.
func withoutRoles(text string) string {
	const role = "role: gateway\n"
	at := strings.LastIndex(text, role)
	text = text[:strings.LastIndex(text[:at], "\n")+1] + text[at+len(role):]
	return strings.Replace(text, role, "", 1)
}
