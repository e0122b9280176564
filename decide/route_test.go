package decide

import (
	"slices"
	"testing"

	"isochron/routing"
	"isochron/txn"
)

// The nodes of a region share its co-coordination by attempt, all of them or the named ones; in its
// own region an attempt has its own node, in one without any none.
func TestCoCoordinatorOfARegion(t *testing.T) {
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
		for seq, want := range c.want {
			if got := (Route{Directory: dir, Some: c.some}).CoCoordinator(c.region, txn.Attempt{Node: 3, Epoch: 1, Seq: uint64(seq)}); got != want {
				t.Errorf("of %v, attempt %d has node %d in %s, want %d", c.some, seq, got, c.region, want)
			}
		}
	}
}

// A replica notifies the co-coordinator of its own region. Those of regions without a replica are
// notified by the leader, and so are all about a No, or a vote without a log entry.
func TestWhichNodesReceiveAVote(t *testing.T) {
	dir := &routing.Directory{
		Nodes:  []routing.Node{{ID: 1, Region: "a"}, {ID: 2, Region: "b"}, {ID: 3, Region: "c"}},
		Shards: []routing.Shard{{ID: 2, Replicas: []uint32{1, 2}}},
	}
	of := func(m txn.Ack) *txn.Ack {
		m.Shard, m.Attempt = 2, txn.Attempt{Node: 1}
		return &m
	}
	for _, c := range []struct {
		what  string
		from  string
		ack   *txn.Ack
		leads bool
		want  []txn.NodeID
	}{
		{"an entry, by a follower", "b", of(txn.Ack{Replica: 2}), false, []txn.NodeID{2}},
		{"an entry, by the leader", "a", of(txn.Ack{Replica: 1}), true, []txn.NodeID{1, 3}},
		{"a vote alone", "a", of(txn.Ack{}), true, []txn.NodeID{1, 2, 3}},
		{"a No, which the coordinator has", "b", of(txn.Ack{No: true}), true, []txn.NodeID{2, 3}},
	} {
		var sent []txn.NodeID
		Route{Directory: dir}.Acknowledge(c.from, c.ack, c.leads, func(n txn.NodeID) { sent = append(sent, n) })
		if !slices.Equal(sent, c.want) {
			t.Errorf("%s: notified %v, want %v", c.what, sent, c.want)
		}
	}
}
