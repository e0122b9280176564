package node

import (
	"testing"
	"time"

	"isochron/geo"
	"isochron/routing"
	"isochron/txn"
)

// Reads go to the replica that is nearest by the map, then to the nearest by measurements; a small
// difference does not change the choice, and a node without measurements is last.
func TestTheNearestNodeIsMeasured(t *testing.T) {
	wan, err := geo.Parse("azure5")
	if err != nil {
		t.Fatal(err)
	}
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	s := routing.Shard{ID: 7, Replicas: []uint32{5, 2, 3}}
	dir := &routing.Directory{Nodes: []routing.Node{{ID: 1, Region: "va"}, {ID: 2, Region: "wa"}, {ID: 3, Region: "pr"}, {ID: 5, Region: "moon"}}, Shards: []routing.Shard{s}}
	n := &Node{cfg: Config{ID: 1}, directoryView: &directoryView{self: 1, dir: dir, distances: distances{wan: wan, own: "va"}}}
	n.directoryView.measure(false)
	for _, c := range []struct {
		measured map[txn.NodeID]time.Duration
		want     txn.NodeID
	}{
		{nil, 2},
		{map[txn.NodeID]time.Duration{2: ms(70), 3: ms(60)}, 2},
		{map[txn.NodeID]time.Duration{2: ms(70), 3: ms(50)}, 3},
		{map[txn.NodeID]time.Duration{2: ms(45), 3: ms(50)}, 3},
		{map[txn.NodeID]time.Duration{2: ms(45), 3: ms(50), 5: ms(10)}, 5},
		{nil, 2}, // nothing is known of the moon any more
	} {
		n.Measured(txn.Now{}, c.measured)
		if n.directoryView.nearest[7] != c.want {
			t.Errorf("measured %v: reads from node %d, not %d", c.measured, n.directoryView.nearest[7], c.want)
		}
	}
}
