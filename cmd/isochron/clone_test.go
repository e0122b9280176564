package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// copied copies the data of a node and gives the node a configuration for the copy;
// with a base port above 0 it listens elsewhere.
func (c *testCluster) copied(t *testing.T, i int, name string, base int) (config string) {
	t.Helper()
	n := c.about.Nodes[i]
	from := fmt.Sprintf("node%d", i+1)
	if err := os.CopyFS(filepath.Join(c.dir, name), os.DirFS(filepath.Join(c.dir, from))); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(n.Config)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(b), "data: "+from+"\n", "data: "+name+"\n", 1)
	if base > 0 {
		for j, old := range []string{"peer_listen: " + n.Peers, "sql_listen: " + n.SQL, "http_listen: " + n.HTTP} {
			key, _, _ := strings.Cut(old, " ")
			text = strings.Replace(text, old, key+" "+loopback(base+100*j), 1)
		}
	}
	config = filepath.Join(c.dir, name+".yaml")
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return config
}

// refused starts a node that must end with exit code 1 and these words, soon.
func refused(t *testing.T, config, words string) {
	t.Helper()
	cmd, stderr := command("start", "--config", config), new(safeBuffer)
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		_ = cmd.Process.Kill()
		t.Fatalf("it continues\n%s", stderr)
	}
	if code := cmd.ProcessState.ExitCode(); code != exitFailed || !strings.Contains(stderr.String(), words) {
		t.Errorf("exit %d, want 1 and %q\n%s", code, words, stderr)
	}
}

// TestACloneIsRefused: a copy of a running node's data is refused and does not disturb it; when the
// node is gone the copy replaces it, and then the node itself is refused permanently. Ordinary
// restarts are not refused, with others down or all at the same time.
func TestACloneIsRefused(t *testing.T) {
	c := initCluster(t)
	c.startAll(t)
	mustExec(t, c.connect(t, 0), "CREATE DATABASE d")
	mustExec(t, c.connect(t, 0), "CREATE TABLE d.t (id INT PRIMARY KEY, v INT NOT NULL)")
	mustExec(t, c.connect(t, 2), "INSERT INTO d.t VALUES (1, 1)")
	third := func() *os.Process { return c.nodes[2].cmd.Process }
	signal := func(s syscall.Signal) {
		if err := third().Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	signal(syscall.SIGSTOP) // so that the copy is of one time
	elsewhere := c.copied(t, 2, "clone", freePorts(t, 1))
	signal(syscall.SIGCONT)
	refused(t, elsewhere, "node 3 is running already, at "+c.about.Nodes[2].Peers)
	mustExec(t, c.connect(t, 2), "UPDATE d.t SET v = v + 1 WHERE id = 1")
	if log := c.nodes[2].stderr.String(); strings.Contains(log, "the node is refused") || strings.Contains(log, "a connection of a peer ended") {
		t.Errorf("the original was disturbed:\n%s", log)
	}

	// It is killed and restarts, with a node down.
	_ = c.nodes[0].cmd.Process.Kill()
	_ = c.nodes[0].wait()
	signal(syscall.SIGKILL)
	_ = c.nodes[2].wait()
	ready := c.start(t, 2)
	c.await(t, 2, ready)
	c.await(t, 0, c.start(t, 0))

	// The copy was made before that start: it is too old by now, and is never admitted.
	signal(syscall.SIGKILL)
	_ = c.nodes[2].wait()
	refused(t, elsewhere, "has run since with a newer data directory")

	// A copy made now is the newest, and replaces the node.
	original := c.about.Nodes[2].Config
	c.about.Nodes[2].Config = c.copied(t, 2, "moved", 0)
	c.await(t, 2, c.start(t, 2))
	mustExec(t, c.connect(t, 2), "UPDATE d.t SET v = v + 1 WHERE id = 1")
	signal(syscall.SIGTERM)
	_ = c.nodes[2].wait()
	refused(t, original, "replace it by a new node")
	c.await(t, 2, c.start(t, 2))
	if rows, total := sum(t, c.connect(t, 2)); rows != 1 || total != 3 {
		t.Errorf("%d rows, sum %d", rows, total)
	}
	// All at the same time.
	c.end(t)
	c.startAll(t)
	c.end(t)
}
