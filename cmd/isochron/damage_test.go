package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// lonely is a cluster of one node, stopped, with two tables of data on its disk.
func lonely(t *testing.T) *testCluster {
	t.Helper()
	c := &testCluster{dir: filepath.Join(t.TempDir(), "c"), nodes: make([]*process, 1)}
	base := freePorts(t, 1)
	var out, stderr strings.Builder
	args := []string{"init", "--dir", c.dir, "--regions", "r1", "--base-port", fmt.Sprint(base), "--json"}
	if code := run(context.Background(), args, &out, &stderr); code != exitOK {
		t.Fatalf("init: exit %d, %s", code, &stderr)
	}
	if err := json.Unmarshal([]byte(out.String()), &c.about); err != nil {
		t.Fatal(err)
	}
	c.await(t, 0, c.start(t, 0))
	db := c.connect(t, 0)
	mustExec(t, db, "CREATE DATABASE d")
	mustExec(t, db, "CREATE TABLE d.t (id INT PRIMARY KEY, v VARCHAR(2000) NOT NULL)")
	for i := range 60 {
		mustExec(t, db, fmt.Sprintf("INSERT INTO d.t VALUES (%d, '%s')", i, strings.Repeat(fmt.Sprintf("%04d", i), 400)))
	}
	return c
}

// kill9 ends the node as a crash would.
func (c *testCluster) kill9(t *testing.T) {
	t.Helper()
	if err := c.nodes[0].cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := c.nodes[0].wait(); err == nil {
		t.Error("a killed node ended well")
	}
}

// outcome starts the node and reads everything: "" if all rows are there, the node's end, or the
// fault.
func (c *testCluster) outcome(t *testing.T) (ended bool, output string) {
	t.Helper()
	ready := c.start(t, 0)
	p := c.nodes[0]
	select {
	case <-ready:
	case <-p.ended:
		return true, p.stderr.String()
	case <-time.After(startTimeout):
		t.Fatalf("neither ready nor ended\n%s", p.stderr)
	}
	rows, err := 0, error(nil)
	if err = c.connect(t, 0).QueryRow("SELECT COUNT(*), SUM(LENGTH(v)) FROM d.t").Scan(&rows, new(int)); err == nil {
		c.kill9(t)
		return false, fmt.Sprint(rows)
	}
	select {
	case <-p.ended:
		return true, p.stderr.String()
	case <-time.After(startTimeout):
		_ = p.cmd.Process.Signal(syscall.SIGQUIT)
		<-p.ended
		t.Fatalf("a query failed (%v) and the node continues\n%.3000s", err, p.stderr)
	}
	return false, ""
}

// flip changes bytes of the newest file with the pattern, at a part of its
// written length.
func (c *testCluster) flip(t *testing.T, pattern string, part float64) string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(c.dir, "node1", pattern))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %v, %v", pattern, paths, err)
	}
	slices.Sort(paths)
	path := paths[len(paths)-1]
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	written := len(strings.TrimRight(string(b), "\x00"))
	at := int(float64(written) * part)
	for i := at; i < min(at+8, written); i++ {
		b[i] ^= 0x55
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d bytes, %d written, changed at %d", path, len(b), written, at)
	return path
}

// TestDamagedData: a node whose files were changed names the file and ends with 1; it does not
// continue without acknowledged writes.
func TestDamagedData(t *testing.T) {
	for _, b := range []struct {
		name, pattern string
		part          float64
		again         bool // start once more before: the log becomes a table
		message       string
	}{
		{"a table", "data/*.sst", 0.5, true, "damaged"},
		{"the log", "data/*.log", 0.5, false, "damaged"},
		{"the manifest", "data/MANIFEST-*", 0.3, false, "damaged"},
		{"the manifest's end", "data/MANIFEST-*", 0.85, true, "damaged"},
		{"the identity", "node.yaml", 0.1, false, "node.yaml"},
	} {
		t.Run(b.name, func(t *testing.T) {
			c := lonely(t)
			c.kill9(t)
			if b.again {
				if ended, output := c.outcome(t); ended || output != "60" {
					t.Fatalf("before the damage: %v %s", ended, output)
				}
			}
			path := c.flip(t, b.pattern, b.part)
			ended, output := c.outcome(t)
			if code := c.nodes[0].cmd.ProcessState.ExitCode(); !ended || code != exitFailed || !strings.Contains(output, b.message) {
				t.Errorf("%s changed: ended %v, exit %d: %s", path, ended, code, output)
			}
			t.Log(output)
		})
	}
}

// startEdited tries to start the node with other ports, and returns how it ended.
func (c *testCluster) startEdited(t *testing.T) (code int, output string) {
	t.Helper()
	b, err := os.ReadFile(c.about.Nodes[0].Config)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(b), "peer_listen: "+c.about.Nodes[0].Peers, "peer_listen: 127.0.0.1:0", 1)
	text = strings.Replace(text, "sql_listen: "+c.about.Nodes[0].SQL, "sql_listen: 127.0.0.1:0", 1)
	text = regexp.MustCompile(`(?m)^http_listen: .*$`).ReplaceAllString(text, "http_listen: 127.0.0.1:0")
	path := filepath.Join(c.dir, "other-ports.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	var out, stderr strings.Builder
	code = run(ctx, []string{"start", "--config", path}, &out, &stderr)
	return code, stderr.String()
}

// TestDataNotToBeHad: data in use by a running node, and data that cannot be
// written, are refused in one line, and nothing is lost by it.
func TestDataNotToBeHad(t *testing.T) {
	c := lonely(t)
	if code, output := c.startEdited(t); code != exitFailed || !strings.Contains(output, "in use by another process") || strings.Count(output, "\n") != 1 {
		t.Errorf("a second process on the same data: exit %d, %s", code, output)
	}
	c.kill9(t)
	restore := makeReadOnly(t, filepath.Join(c.dir, "node1"))
	t.Cleanup(restore)
	if code, output := c.startEdited(t); code != exitFailed || !strings.Contains(output, "must be writable") || strings.Count(output, "\n") != 1 {
		t.Errorf("data that cannot be written: exit %d, %s", code, output)
	}
	restore()
	if ended, output := c.outcome(t); ended || output != "60" {
		t.Errorf("afterwards: ended %v, %s", ended, output)
	}
}

// makeReadOnly takes away the right to write, even root's.
func makeReadOnly(t *testing.T, dir string) (restore func()) {
	t.Helper()
	if os.Getuid() == 0 {
		err := syscall.Mount(dir, dir, "", syscall.MS_BIND, "")
		if err == nil {
			err = syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_BIND|syscall.MS_RDONLY, "")
		}
		if err != nil {
			t.Skipf("LEFT OUT: root cannot mount here: %v", err)
		}
		return sync.OnceFunc(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	}
	for _, d := range []string{filepath.Join(dir, "data"), dir} {
		if err := os.Chmod(d, 0o500); err != nil {
			t.Fatal(err)
		}
	}
	return func() {
		for _, d := range []string{dir, filepath.Join(dir, "data")} {
			if err := os.Chmod(d, 0o700); err != nil {
				t.Fatal(err)
			}
		}
	}
}
