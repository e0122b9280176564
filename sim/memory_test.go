package sim

import (
	"context"
	"testing"
	"time"

	"isochron/geo"
	"isochron/node"
	"isochron/protocol"
	"isochron/store"
	"isochron/txn"
	"isochron/workload"
)

// poolBytes is the memory that the nodes of TestReplicasShareTheirMemory have for rows, and again
// for their logs.
const poolBytes = 512 << 10

// The memory of a node's replicas stays within the node's pools, however long the values are, and a
// replica that lags behind a log that was cut catches up.
func TestReplicasShareTheirMemory(t *testing.T) {
	wan, err := geo.Parse("uniform:10ms:3")
	if err != nil {
		t.Fatal(err)
	}
	spec, err := protocol.ByName("2pc+occ")
	if err != nil {
		t.Fatal(err)
	}
	dir := workload.Cluster(wan.Regions)
	workload.SpreadOver(dir, 4)
	w, err := New(Config{Seed: 3, WAN: wan, Spec: spec, Directory: dir, Codec: true, Hardware: Hardware{Fsync: time.Millisecond},
		Fit: func(c *node.Config) { c.Specs, c.Logs = store.NewPool(poolBytes), store.NewPool(poolBytes) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	if !w.RunUntil(time.Minute, w.Ready) {
		t.Fatal("no leader")
	}
	const writes, length = 1200, 1 << 10 // 1.2 MB, all of it at each node
	keys := (&workload.Bank{Parts: 4, Accounts: writes}).Keys()
	put := func(c *Client, k txn.Key) error {
		tx := c.DB().Begin(txn.Options{})
		defer tx.Rollback()
		if _, err := tx.Read(context.Background(), txn.Read{Gets: []txn.Key{k}}); err != nil {
			return err
		}
		tx.Put(k, make([]byte, length))
		return tx.Commit(context.Background())
	}
	lost := w.host(3)
	c := w.Go(1, func(c *Client) {
		for i, k := range keys {
			if i == writes/4 {
				lost.crash(strictly)
			}
			err := put(c, k)
			for range 100 { // until there is another leader
				if err == nil {
					break
				}
				c.Sleep(100 * time.Millisecond)
				err = put(c, k)
			}
			if err != nil {
				t.Errorf("write %d: %v", i, err)
			}
		}
	})
	most := map[string]int64{}
	look := func() {
		for _, h := range w.hosts {
			if h.up() {
				rows, logs := h.node.(*node.Node).Holds()
				most["rows"], most["logs"] = max(most["rows"], rows), max(most["logs"], logs)
			}
		}
	}
	for !c.Done() && w.Elapsed() < 10*time.Minute {
		w.Run(100 * time.Millisecond)
		look()
	}
	if !c.Done() {
		t.Fatal("the writer does not finish")
	}
	// The logs are cut periodically, and entries written in between may exceed the bound.
	const between = 64 * length
	if most["rows"] > poolBytes || most["logs"] > poolBytes+between || most["logs"] < poolBytes/4 || most["rows"] < poolBytes/8 {
		t.Errorf("of %d bytes for each, rows had %d and logs %d", poolBytes, most["rows"], most["logs"])
	}
	lost.restart()
	after := func() bool {
		for _, k := range keys[writes-8:] {
			if v, _, ok := lost.node.ReadLocal(k); !ok || v == nil {
				return false
			}
		}
		return true
	}
	if !w.RunUntil(time.Minute, after) {
		t.Error("a node that was down while the logs were cut does not catch up")
	}
}
