package node

import (
	"testing"

	"isochron/routing"
	"isochron/txn"
)

// The nodes of a region share its co-coordination by attempt, all or those that
// are named; in its own region an attempt has its own node, in one without any none.
func TestWhoCoCoordinates(t *testing.T) {
	dir := &routing.Directory{Nodes: []routing.Node{
		{ID: 1, Region: "a"}, {ID: 2, Region: "b"}, {ID: 3, Region: "a"}, {ID: 4, Region: "b"}, {ID: 5, Region: "b"},
	}}
	for _, c := range []struct {
		some   []txn.NodeID
		region string
		want   [4]txn.NodeID // of attempts 0 to 3 of node 3
	}{
		{nil, "a", [4]txn.NodeID{3, 3, 3, 3}},
		{nil, "b", [4]txn.NodeID{2, 4, 5, 2}},
		{[]txn.NodeID{3, 4, 5}, "b", [4]txn.NodeID{4, 5, 4, 5}},
		{[]txn.NodeID{1, 4}, "b", [4]txn.NodeID{4, 4, 4, 4}},
		{[]txn.NodeID{1, 4}, "a", [4]txn.NodeID{3, 3, 3, 3}},
		{[]txn.NodeID{1}, "b", [4]txn.NodeID{}},
		{nil, "c", [4]txn.NodeID{}},
	} {
		n := &Node{cfg: Config{CoCoordinators: c.some}, dir: dir}
		for seq, want := range c.want {
			if got := n.coCoordinator(c.region, txn.Attempt{Node: 3, Epoch: 1, Seq: uint64(seq)}); got != want {
				t.Errorf("of %v, attempt %d has node %d in %s, not %d", c.some, seq, got, c.region, want)
			}
		}
	}
}
