package node

import (
	"slices"

	"isochron/routing"
	"isochron/txn"
)

// coCoordinator is the node that co-coordinates an attempt in a region, 0 if
// the region has none: the attempt's own node in its own region, elsewhere one
// of the region's nodes in turn, so that they share the work (D2PC section 4.2).
// Gateways take no part in what is not their own: they may be gone at any time.
func (n *Node) coCoordinator(region string, a txn.Attempt) txn.NodeID {
	d, some := n.dir, n.cfg.CoCoordinators
	if d.RegionOf(uint32(a.Node)) == region {
		return a.Node
	}
	var here []txn.NodeID
	for _, other := range d.Nodes {
		if id := txn.NodeID(other.ID); other.Region == region && !other.Gateway && (len(some) == 0 || slices.Contains(some, id)) {
			here = append(here, id)
		}
	}
	if len(here) == 0 {
		return 0
	}
	return here[a.Seq%uint64(len(here))]
}

// CoCoordinators implements coordinator.Env.
func (e *coordEnv) CoCoordinators(a txn.Attempt) []txn.NodeID {
	var out []txn.NodeID
	for _, region := range e.dir.Regions() {
		if n := (*Node)(e).coCoordinator(region, a); n != 0 {
			out = append(out, n)
		}
	}
	return out
}

// Acknowledge implements shard.Env.
func (e *shardEnv) Acknowledge(m *txn.Ack, leads bool) {
	n := (*Node)(e)
	shard, ok := n.dir.Shard(uint64(m.Shard))
	for _, region := range n.dir.Regions() {
		own := region == string(n.cfg.Region)
		switch to := n.coCoordinator(region, m.Attempt); {
		case to == 0, m.No && to == m.Attempt.Node: // the coordinator has the vote itself
		case own, leads && (m.No || m.Replica == 0 || !ok || !n.replicaIn(shard, region)):
			sent := *m
			n.send(txn.Coordinator(to), txn.Message{Ack: &sent})
		}
	}
}

// replicaIn reports whether a region holds a replica of the shard.
func (n *Node) replicaIn(s routing.Shard, region string) bool {
	for _, id := range s.Replicas {
		if n.dir.RegionOf(id) == region {
			return true
		}
	}
	return false
}
