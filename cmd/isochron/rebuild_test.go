package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A node whose log was damaged does not start, the status of the others has the reason, and one
// command replaces it by a new node, which is then one of a majority.
func TestRebuildADamagedNode(t *testing.T) {
	c := initCluster(t)
	for i, ready := range []<-chan struct{}{c.start(t, 0), c.start(t, 1), c.start(t, 2)} {
		c.await(t, i, ready)
	}
	db := c.connect(t, 0)
	mustExec(t, db, "CREATE DATABASE d")
	mustExec(t, db, "CREATE TABLE d.t (id INT PRIMARY KEY, v INT NOT NULL)")
	const rows = 40
	for i := range rows {
		mustExec(t, db, fmt.Sprintf("INSERT INTO d.t VALUES (%d, 1)", i))
	}
	damaged := c.about.Nodes[2].Config
	var out, stderr strings.Builder
	if code := run(context.Background(), []string{"rebuild", "--config", damaged}, &out, &stderr); code != exitFailed || !strings.Contains(stderr.String(), "runs, and answers") {
		t.Fatalf("the rebuilding of a node that runs: exit %d, %s", code, &stderr)
	}
	if err := c.nodes[2].cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.nodes[2].wait()
	flipMiddle(t, filepath.Join(c.dir, "node3", "data", "*.log"))
	c.start(t, 2)
	select {
	case <-c.nodes[2].ended:
	case <-time.After(startTimeout):
		t.Fatal("the damaged node still runs")
	}
	if code := c.nodes[2].cmd.ProcessState.ExitCode(); code != exitFailed || !strings.Contains(c.nodes[2].stderr.String(), "is damaged") {
		t.Fatalf("it ends with %d: %s", code, c.nodes[2].stderr)
	}
	if status := order(t, "status", "--config", c.about.Nodes[0].Config); !strings.Contains(status, "node 3 has stopped: ") || !strings.Contains(status, "is damaged") {
		t.Errorf("the status does not say so:\n%s", status)
	}
	t.Log(order(t, "rebuild", "--config", damaged, "--stop"))
	c.about.Nodes[2].Node, c.about.Nodes[2].Config = 4, filepath.Join(c.dir, "node4.yaml")
	c.awaitAdded(t, 2)
	if status := order(t, "status", "--config", c.about.Nodes[0].Config); strings.Contains(status, "has stopped: ") {
		t.Errorf("the status still lists a removed node:\n%s", status)
	}
	if err := c.nodes[1].cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.nodes[1].wait()
	mustExec(t, c.connect(t, 2), "INSERT INTO d.t VALUES (1000000, 1)")
	if n, _ := sum(t, c.connect(t, 2)); n != rows+1 {
		t.Errorf("%d rows, want %d", n, rows+1)
	}
}

// flipMiddle flips a bit in the middle of the written part of the longest file of a pattern.
func flipMiddle(t *testing.T, pattern string) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %v, %v", pattern, paths, err)
	}
	var path string
	var text []byte
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		if b = []byte(strings.TrimRight(string(b), "\x00")); len(b) > len(text) {
			path, text = p, b
		}
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	at := int64(len(text) / 2)
	if _, err := f.WriteAt([]byte{text[at] ^ 0x10}, at); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
