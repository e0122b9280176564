package main

import (
	"database/sql"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// awaitExec executes a statement, again and again while it fails.
func awaitExec(t *testing.T, db *sql.DB, stmt string) {
	t.Helper()
	var err error
	for end := time.Now().Add(startTimeout); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if _, err = db.Exec(stmt); err == nil {
			return
		}
	}
	t.Fatalf("%s: %v", stmt, err)
}

// A backup has the placement of tables at sources, and not their rows. In the cluster into which it
// is restored they find their database by the name of the source, whatever its number is there. The
// same holds for an agent that continues at another place, once the cluster has dropped it.
func TestTablesAtSourcesAreFoundByName(t *testing.T) {
	pg := postgresWithStock(t)
	c := clusterOf(t, 3)
	agent, args := c.joinAgent(t, "orders", pg)
	serving := func(s sourceStatus) bool { return s.Name == "orders" && s.Serving }
	c.awaitSource(t, "serving", serving)
	number := c.sourceNumber(t)
	db := c.connect(t, 0)
	for _, stmt := range []string{"CREATE DATABASE d", "CREATE TABLE d.own (id INT PRIMARY KEY, n INT)", "INSERT INTO d.own VALUES (1, 1)", "CALL isochron.import_table('orders', 'd')", "INSERT INTO d.stock VALUES (1, 10)"} {
		mustExec(t, db, stmt)
	}

	_ = agent.cmd.Process.Kill()
	_ = agent.wait()
	port, err := net.Listen("tcp", "127.0.0.1:"+args[slices.Index(args, "--peer-port")+1]) // the other is somewhere else
	if err != nil {
		t.Fatal(err)
	}
	config := c.about.Nodes[0].Config
	moved, _ := c.joinAgent(t, "orders", pg)
	port.Close()
	c.awaitSource(t, "refused", func(s sourceStatus) bool { return strings.Contains(s.Reason, "isochron source remove") })
	if output := c.isochron(t, exitFailed, "source", "remove", "--config", config, "--name", "orders"); !strings.Contains(output, "--force") {
		t.Errorf("the removal of a source whose agent is lost: %s", output)
	}
	c.isochron(t, exitOK, "source", "remove", "--config", config, "--name", "orders", "--force")
	c.awaitSource(t, "serving again", serving)
	if again := c.sourceNumber(t); again == number {
		t.Errorf("the source has the number %d as before: this test shows nothing", again)
	}
	for i := range 3 {
		awaitExec(t, c.connect(t, i), fmt.Sprintf("INSERT INTO d.stock VALUES (%d, 10)", i+2))
	}

	file := filepath.Join(t.TempDir(), "a.backup")
	output := c.isochron(t, exitOK, "backup", "--config", config, "--out", file)
	if output += c.isochron(t, exitOK, "backup", "--verify", file); strings.Count(output, "Tables at the sources orders are in it by name, without their rows") != 2 {
		t.Errorf("the backup prints %s", output)
	}
	password, err := os.ReadFile(c.about.RootPassword)
	if err != nil {
		t.Fatal(err)
	}
	_ = moved.cmd.Process.Kill()
	_ = moved.wait()
	c.end(t)

	to := clusterOf(t, 2)
	config = to.about.Nodes[0].Config
	to.isochron(t, exitOK, "restore", "--config", config, "--from", file)
	if output := to.isochron(t, exitFailed, "restore", "--config", config, "--from", file); !strings.Contains(output, "has tables or views already") {
		t.Errorf("a restore over tables: %s", output)
	}
	if err := os.WriteFile(to.about.RootPassword, password, 0o600); err != nil { // users are restored too
		t.Fatal(err)
	}
	db = to.connect(t, 0)
	if _, err := db.Exec("INSERT INTO d.stock VALUES (9, 10)"); err == nil || !strings.Contains(err.Error(), "1429") || !strings.Contains(err.Error(), "have an agent join under that name") {
		t.Errorf("a table whose source is not there yet: %v", err)
	}
	to.joinAgent(t, "orders", pg)
	awaitExec(t, db, "INSERT INTO d.stock VALUES (9, 10)")
	if got := ask(t, db, "SELECT SUM(n) FROM d.stock"); got[0] != 50 {
		t.Errorf("the table at the source sums to %d", got[0])
	}
	if got := ask(t, db, "SELECT o.n + s.n FROM d.own o JOIN d.stock s ON s.id = o.id"); len(got) != 1 || got[0] != 11 {
		t.Errorf("beside a table of the cluster it gives %v", got)
	}
}

// sourceNumber is the number under which the cluster knows its source.
func (c *testCluster) sourceNumber(t *testing.T) uint64 {
	t.Helper()
	for _, s := range c.statusOf(t).Sources {
		if s.Source != 0 {
			return uint64(s.Source)
		}
	}
	t.Fatal("the cluster has no source")
	return 0
}
