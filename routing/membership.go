package routing

import (
	"fmt"
	"slices"
)

// Changes of membership. A directory contains the desired state; the
// leader of each shard brings its Raft group there, one safe step at a time.
// Every change may be written twice: the second changes nothing.

// maxNodes bounds the nodes of a cluster.
const maxNodes = 64

// Holds reports whether a node should have a replica of the shard, with a vote
// or without.
func (s Shard) Holds(node uint32) bool {
	return slices.Contains(s.Replicas, node) || slices.Contains(s.Learners, node)
}

// FoundedBy returns the nodes that the shard began with: only these may
// open it without data.
func (s Shard) FoundedBy() []uint32 {
	if len(s.Founders) > 0 {
		return s.Founders
	}
	return s.Replicas
}

// Preferred returns the replicas that should lead, the best first.
func (d *Directory) Preferred(s Shard) []uint32 {
	var out []uint32
	if slices.Contains(s.Replicas, s.LeaderNode) {
		out = append(out, s.LeaderNode)
	}
	for _, v := range s.Replicas {
		if d.RegionOf(v) == s.Leader && v != s.LeaderNode {
			out = append(out, v)
		}
	}
	return out
}

// Node returns a node by id; ok is false if it is not a member of the cluster now.
func (d *Directory) Node(id uint32) (Node, bool) {
	for _, n := range d.Nodes {
		if n.ID == id {
			return n, true
		}
	}
	return Node{}, false
}

// NextNode returns an id that no node of the cluster has ever had.
func (d *Directory) NextNode() uint32 {
	next := d.Highest
	for _, n := range d.Nodes {
		next = max(next, n.ID)
	}
	return next + 1
}

// AddNode adds a node. It follows the meta shard without a vote, and so
// receives every later directory. Ids rise and are never reused.
func (d *Directory) AddNode(n Node) error {
	if have, ok := d.Node(n.ID); ok {
		if have != n {
			return fmt.Errorf("node %d is known already, in %s at %s", have.ID, have.Region, have.Address)
		}
		return nil
	}
	if n.ID < d.NextNode() {
		return fmt.Errorf("node %d was removed from this cluster, and ids are not reused: the next is %d", n.ID, d.NextNode())
	}
	if len(d.Nodes) >= maxNodes {
		return fmt.Errorf("the cluster has %d nodes, the most that it can", len(d.Nodes))
	}
	d.Nodes = append(d.Nodes, n)
	d.Highest = n.ID
	meta := d.shard(1)
	meta.keepFounders()
	meta.Learners = append(slices.Clone(meta.Learners), n.ID)
	return nil
}

// RemoveNode removes a node that has no vote in any shard.
func (d *Directory) RemoveNode(id uint32) error {
	if _, ok := d.Node(id); !ok {
		if id > 0 && id < d.NextNode() {
			return nil // it was removed before
		}
		return fmt.Errorf("the cluster has no node %d", id)
	}
	for _, s := range d.Shards {
		if slices.Contains(s.Replicas, id) && !s.Kind.Native() {
			return fmt.Errorf("node %d is the agent of the source %s: remove the source first", id, s.Source.name(s.ID))
		}
		if slices.Contains(s.Replicas, id) {
			return fmt.Errorf("node %d has a replica of shard %d: replace it first", id, s.ID)
		}
	}
	d.Highest = d.NextNode() - 1
	d.Nodes = slices.DeleteFunc(d.Nodes, func(n Node) bool { return n.ID == id })
	for i := range d.Shards {
		d.Shards[i].Learners = without(d.Shards[i].Learners, id)
	}
	return nil
}

// Replace replaces node from by node to in one shard or, with shard 0,
// in all. It returns the changed shards, including those where the change was
// already desired.
func (d *Directory) Replace(shard uint64, from, to uint32) ([]uint64, error) {
	n, ok := d.Node(to)
	if !ok {
		return nil, fmt.Errorf("the cluster has no node %d: add it first", to)
	}
	if n.Gateway {
		return nil, fmt.Errorf("node %d is a gateway, and holds no replicas: choose another node", to)
	}
	if from == to {
		return nil, fmt.Errorf("node %d cannot be put in its own place", from)
	}
	var changed []uint64
	for i := range d.Shards {
		s := &d.Shards[i]
		if shard != 0 && s.ID != shard || !s.Kind.Native() {
			continue // a source stays with its agent
		}
		at := slices.Index(s.Replicas, from)
		if at < 0 {
			continue
		}
		if slices.Contains(s.Replicas, to) {
			return nil, fmt.Errorf("node %d has a replica of shard %d already, and cannot take that of node %d too: choose another node", to, s.ID, from)
		}
		s.keepFounders()
		s.Replicas = slices.Clone(s.Replicas)
		s.Replicas[at] = to
		s.Learners = without(s.Learners, to)
		if s.LeaderNode == from {
			s.LeaderNode = to
		}
		if _, known := d.Node(from); s.ID == 1 && known {
			s.Learners = append(s.Learners, from) // it continues to follow the directory
		}
		changed = append(changed, s.ID)
	}
	return changed, nil
}

// Prefer makes a replica the preferred leader of a shard.
func (d *Directory) Prefer(shard uint64, node uint32) error {
	s := d.shard(shard)
	switch {
	case s == nil:
		return fmt.Errorf("the cluster has no shard %d", shard)
	case !s.Kind.Native():
		return fmt.Errorf("%d is a source: it has no leader but its agent", shard)
	case !slices.Contains(s.Replicas, node):
		return fmt.Errorf("node %d has no replica of shard %d with a vote; nodes %v have", node, shard, s.Replicas)
	}
	s.LeaderNode = node
	return nil
}

func (d *Directory) shard(id uint64) *Shard {
	for i := range d.Shards {
		if d.Shards[i].ID == id {
			return &d.Shards[i]
		}
	}
	return nil
}

// keepFounders records the first replicas, before the replicas change.
func (s *Shard) keepFounders() {
	if len(s.Founders) == 0 {
		s.Founders = slices.Clone(s.Replicas)
	}
}

// without returns nodes without a node; the argument is not changed.
func without(nodes []uint32, node uint32) []uint32 {
	return slices.DeleteFunc(slices.Clone(nodes), func(n uint32) bool { return n == node })
}
