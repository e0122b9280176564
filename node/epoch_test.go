package node

import (
	"testing"

	"isochron/geo"
	"isochron/protocol"
	"isochron/routing"
	"isochron/store"
	"isochron/txn"
)

// The incarnations of an empty engine count on from the given number, and those of
// one that has data from where they were, whatever is given.
func TestIncarnationsCountOn(t *testing.T) {
	engine := store.NewMem()
	for i, want := range []uint32{7<<16 + 1, 7<<16 + 2} {
		wan, err := geo.Parse("uniform:1ms:1")
		if err != nil {
			t.Fatal(err)
		}
		region := string(wan.Regions[0])
		n, err := New(Config{ID: 1, Region: wan.Regions[0], Engine: engine, Spec: protocol.Table()[0], WAN: wan, FirstEpoch: uint32(7-i) << 16,
			Directory: &routing.Directory{Epoch: 1, Nodes: []routing.Node{{ID: 1, Region: region}}, Shards: []routing.Shard{{ID: 1, Replicas: []uint32{1}, Leader: region}}}}, txn.Now{})
		if err != nil || n.identity.epoch != want {
			t.Errorf("incarnation %d, not %d: %v", n.identity.epoch, want, err)
		}
	}
}
