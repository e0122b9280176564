package server

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"isochron/node"
	"isochron/protocol"
	"isochron/store"
	"isochron/txn"
)

// A node whose disk failed or whose invariant is violated stops and reports it; its clients receive an error,
// and the rest of the cluster continues.
func TestNodeStops(t *testing.T) {
	full := errors.New("no space left on device")
	for _, c := range []struct {
		name    string
		panic   any
		message string
	}{
		{"disk", &store.Failure{Doing: "writing", Err: full}, "no space left"},
		{"invariant", "two leaders in one term", "two leaders in one term"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := testConfig(t, t.TempDir(), protocol.Table()[0])
			cluster := startTest(t, cfg)
			defer closeTest(t, cluster)
			last := cluster.runners[2]
			last.box.putAlways(input{call: func(*node.Node) { panic(c.panic) }})
			select {
			case err := <-cluster.Failed():
				if !strings.Contains(err.Error(), c.message) {
					t.Errorf("stopped with %v", err)
				}
			case <-time.After(time.Minute):
				t.Fatal("no failure was reported")
			}
			tx := cluster.DB(last.region).Begin(txn.Options{})
			if _, err := tx.Read(context.Background(), txn.Read{Gets: []txn.Key{counter()}}); txn.KindOf(err) != txn.KindUnavailable {
				t.Errorf("a client of the stopped node got %v", err)
			}
			others := cluster.DB(cfg.WAN.Regions[0])
			atomically(t, others, increment)
			if got := count(t, others); got != 1 {
				t.Errorf("counted %d, want 1", got)
			}
		})
	}
}
