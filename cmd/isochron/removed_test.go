package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// TestARemovedNodeLearnsItsRemoval: a node that runs when it is removed reports it in its log, in
// the status and to its clients, connected and new ones; and when it is started again.
func TestARemovedNodeLearnsItsRemoval(t *testing.T) {
	c := initNodes(t, 3, "--wan", "uniform:4ms:3")
	c.startAll(t)
	config, base := c.about.Nodes[0].Config, freePorts(t, 1)
	order(t, "add-node", "--config", config, "--region", "r3", "--peer-port", fmt.Sprint(base), "--sql-port", fmt.Sprint(base+100), "--out", c.dir)
	added := filepath.Join(c.dir, "node4.yaml")
	c.about.Nodes = append(c.about.Nodes, initializedNode{Node: 4, Region: "r3", Config: added, Peers: loopback(base), SQL: loopback(base + 100)})
	c.nodes = append(c.nodes, nil)
	c.awaitAdded(t, 3)
	db := c.connect(t, 3)
	db.SetMaxOpenConns(1)
	mustExec(t, db, "CREATE DATABASE d")
	mustExec(t, db, "CREATE TABLE d.t (id INT PRIMARY KEY, v INT NOT NULL)")

	order(t, "remove-node", "--config", config, "--node", "4")
	const answered = "node 4 was removed from the cluster for good; connect to another: node 1 in r1, node 2 in r2, node 3 in r3"
	var my *mysql.MySQLError
	var err error
	for end := time.Now().Add(startTimeout); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if _, err = db.Exec("UPDATE d.t SET v = 1"); errors.As(err, &my) && my.Number == 1158 && strings.Contains(my.Message, answered) {
			break
		}
	}
	if my == nil || my.Number != 1158 || !strings.Contains(my.Message, answered) {
		t.Errorf("a client that is there: %v", err)
	}
	if err := c.connect(t, 3).Ping(); !errors.As(err, &my) || my.Number != 1053 || my.Message != answered {
		t.Errorf("a new client: %v", err)
	}
	if out := order(t, "status", "--config", added); !strings.Contains(out, "3 of 3 nodes up") || !strings.Contains(out, "removed") {
		t.Errorf("status prints\n%s", out)
	}
	if log := c.nodes[3].stderr.String(); strings.Count(log, "this node was removed from the cluster") != 1 || strings.Count(log, answered) != 1 {
		t.Errorf("its log:\n%s", log)
	}
	_ = c.nodes[3].cmd.Process.Kill()
	_ = c.nodes[3].wait()
	refused(t, added, answered)
	c.nodes, c.about.Nodes = c.nodes[:3], c.about.Nodes[:3]
	c.end(t)
}
