package sim

import (
	"context"
	"fmt"
	"testing"
	"time"

	"isochron/geo"
	"isochron/node"
	"isochron/protocol"
	"isochron/txn"
	"isochron/workload"
)

// Where nothing is written for a restart, a node that was cut off for longer than the log is kept
// still gets the state as a snapshot, and continues from it.
func TestAnEphemeralNodeCatchesUpBySnapshot(t *testing.T) {
	spec, err := protocol.ByName("d2pc+occ")
	if err != nil {
		t.Fatal(err)
	}
	wan, err := geo.Parse("uniform:20ms:3")
	if err != nil {
		t.Fatal(err)
	}
	dir := workload.Cluster(wan.Regions)
	workload.Spread(dir, 1)
	w, err := New(Config{Seed: 1, WAN: wan, Spec: spec, Directory: dir, NoCrash: true, Params: node.Params{LogEntries: 8}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	if !w.RunUntil(time.Minute, w.Ready) {
		t.Fatal("no leaders")
	}
	keys := (&workload.Bank{Parts: 3, Accounts: 40}).Keys() // on three shards
	write := func(from, to int) {
		c := w.Go(1, func(c *Client) {
			for i := from; i < to; i++ {
				for {
					tx := c.DB().Begin(txn.Options{})
					tx.Put(keys[i%len(keys)], []byte(fmt.Sprint(i)))
					tx.Put(keys[(i+7)%len(keys)], []byte(fmt.Sprint(i)))
					if tx.Commit(context.Background()) == nil {
						break
					}
				}
			}
		})
		if !w.RunUntil(10*time.Minute, c.Done) {
			t.Fatal("the writer did not finish")
		}
	}
	cut := func(cut bool) {
		for _, o := range []txn.NodeID{1, 2} {
			w.net.setCut(3, o, cut)
			w.net.setCut(o, 3, cut)
		}
	}
	write(0, 20)
	cut(true)
	w.Run(10 * time.Second) // another node takes over the shards of node 3
	write(20, 120)
	snapshots := 0
	w.onSend = func(_ *host, env *txn.Envelope) sendAction {
		if env.Msg.SnapChunk != nil && env.To == 3 {
			snapshots++
		}
		return leaves
	}
	cut(false)
	w.Run(20 * time.Second)
	write(120, 160)
	w.Run(5 * time.Second)
	if snapshots == 0 {
		t.Error("node 3 was sent no snapshot")
	}
	for i, key := range keys {
		want, at, _ := w.host(1).node.ReadLocal(key)
		for _, h := range w.hosts[1:] {
			if got, v, _ := h.node.ReadLocal(key); string(got) != string(want) || v != at || v == (txn.Version{}) {
				t.Errorf("key %d is %q (%v) at node 1 and %q (%v) at node %d", i, want, at, got, v, h.id)
			}
		}
	}
	if r := w.Residue(); len(r) > 0 {
		t.Errorf("left behind: %v", r)
	}
}
