package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"isochron/raftgroup"
	"isochron/server"
	"isochron/store"
	"isochron/txn"
)

// verifyJSON compares the replicas and returns the report.
func verifyJSON(t *testing.T, want int, config string, args ...string) (v verified, output string) {
	t.Helper()
	var out, stderr strings.Builder
	code := run(context.Background(), append([]string{"verify", "--config", config, "--json"}, args...), &out, &stderr)
	if code != want {
		t.Fatalf("verify: exit %d, want %d\n%s%s", code, want, &out, &stderr)
	}
	if err := json.Unmarshal([]byte(out.String()), &v); err != nil {
		t.Fatalf("%v: %s", err, &out)
	}
	return v, stderr.String()
}

// Replicas are the same while clients write; and a row that was changed at one of them is found, with
// its range and the node.
func TestVerify(t *testing.T) {
	c := initCluster(t)
	for i, ready := range []<-chan struct{}{c.start(t, 0), c.start(t, 1), c.start(t, 2)} {
		c.await(t, i, ready)
	}
	config := c.about.Nodes[0].Config
	db := c.connect(t, 0)
	mustExec(t, db, "CREATE DATABASE d")
	mustExec(t, db, "CREATE TABLE d.t (id INT PRIMARY KEY, v INT NOT NULL)")
	var acknowledged atomic.Int64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() { defer close(stopped); load(db, stop, &acknowledged) }()
	for range 5 {
		before := acknowledged.Load()
		if v, _ := verifyJSON(t, exitOK, config); !v.Equal || len(v.Shards) < 2 || len(v.Shards[1].Replicas) != 3 || v.Shards[1].Keys == 0 {
			t.Errorf("under load: %+v", v)
		}
		if acknowledged.Load() == before && before > 0 {
			t.Error("nothing was written while it compared")
		}
	}
	close(stop)
	<-stopped
	rows, _ := sum(t, db)
	if err := c.nodes[1].cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := c.nodes[1].wait(); err != nil {
		t.Fatalf("%v\n%s", err, c.nodes[1].stderr)
	}
	if v, _ := verifyJSON(t, exitFailed, config, "--timeout", "60s"); len(v.Shards) == 0 || v.Equal || len(v.Shards[0].Missing) != 1 || v.Shards[0].Missing[0].Node != 2 {
		t.Errorf("with a node that is down: %+v", v)
	}
	changeARow(t, filepath.Join(c.dir, "node2", "data"))
	b, err := os.ReadFile(c.about.Nodes[1].Config)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(c.about.Nodes[1].Config, append([]byte("verify_every: 1s\n"), b...), 0o600); err != nil {
		t.Fatal(err)
	}
	c.await(t, 1, c.start(t, 1))
	order(t, "transfer-leader", "--config", config, "--shard", "2", "--to", "2")
	v, output := verifyJSON(t, exitFailed, config)
	var found []server.Difference
	for _, s := range v.Shards {
		if found = append(found, s.Different...); len(s.Missing) > 0 {
			t.Errorf("not compared: %+v", s.Missing)
		}
	}
	if len(found) != 1 || !slices.Equal(found[0].Replicas, []uint32{2}) || found[0].What != "rows" || len(found[0].Rows) != 1 {
		t.Errorf("of %d rows one was changed at node 2: %+v\n%s", rows, found, output)
	}
	t.Logf("%+v", found)
	c.awaitStatus(t, "shard 2 DIFFERS at nodes [2]: rows from ")
	for _, bad := range [][]string{{"--rate", "0"}, {"--shard", "77"}} {
		var out, stderr strings.Builder
		if code := run(context.Background(), append([]string{"verify", "--config", config}, bad...), &out, &stderr); code != exitUsage {
			t.Errorf("%v: exit %d, %s", bad, code, &stderr)
		}
	}
}

// awaitStatus waits until the status has a text.
func (c *testCluster) awaitStatus(t *testing.T, want string) {
	t.Helper()
	output := ""
	for end := time.Now().Add(startTimeout); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if output = order(t, "status", "--config", c.about.Nodes[0].Config); strings.Contains(output, want) {
			return
		}
	}
	t.Errorf("the status does not say %q:\n%s", want, output)
}

// changeARow changes one row in the store of a node that is stopped.
func changeARow(t *testing.T, dir string) {
	t.Helper()
	e, err := server.OpenEngine(server.EngineConfig{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	prefix, ok := raftgroup.State(e, txn.ShardID(2))
	if !ok {
		t.Fatal("there is no shard 2")
	}
	rows := append(prefix, 'v')
	it := e.Iter(rows, store.After(rows))
	n := 0
	var b store.Batch
	for on := it.First(); on; on = it.Next() {
		if n++; n == 7 {
			value := slices.Clone(it.Value())
			value[len(value)-1] ^= 4
			b.Set(slices.Clone(it.Key()), value)
		}
	}
	it.Close()
	e.Apply(&b)
	e.Sync()
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if b.Empty() {
		t.Fatal(fmt.Sprint("it has only rows: ", n))
	}
}
