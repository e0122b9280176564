package node

import (
	"isochron/participant"
	"isochron/routing"
	"isochron/store"
	"isochron/txn"
)

// directoryView is this node's knowledge of where shards are.
type directoryView struct {
	self      txn.NodeID
	distances distances
	dir       *routing.Directory // in force at this node
	newDir    *routing.Directory // received and not adopted yet; nil: none
	nearest   map[txn.ShardID]txn.NodeID
	// metaChanges counts the applied changes of the meta shard.
	metaChanges uint64
}

// Directory is the routing information in force at the node.
func (p *directoryView) Directory() *routing.Directory { return p.dir }

// MetaChanges rises whenever rows of the meta shard become visible here.
func (p *directoryView) MetaChanges() uint64 { return p.metaChanges }

// observe records a directory that has become visible.
func (p *directoryView) observe(raw []byte) {
	d, err := routing.Decode(raw)
	if err != nil {
		panic(&store.Failure{Doing: "reading the directory of shards", Err: err})
	}
	p.newDir = d
}

// adopt adopts the newest directory; false: it is not newer than the one in force.
func (p *directoryView) adopt() bool {
	d := p.newDir
	p.newDir = nil
	if d.Epoch <= p.dir.Epoch {
		return false
	}
	p.dir = d
	return true
}

// holds reports whether the directory places a replica of the shard here.
func (p *directoryView) holds(id txn.ShardID) bool {
	s, ok := p.dir.Shard(uint64(id))
	return ok && s.Holds(uint32(p.self))
}

// desired returns the desired state of a shard.
func (p *directoryView) desired(s routing.Shard) participant.Desired {
	return participant.Desired{Voters: nodeIDs(s.Replicas), Learners: nodeIDs(s.Learners), Preferred: nodeIDs(p.dir.Preferred(s)), Hot: p.dir.Hot, Protocol: p.dir.Protocol}
}

// away returns 0 for a node of the region of the shard's preferred leader, else 1.
func (p *directoryView) away(s routing.Shard, id txn.NodeID) int {
	if p.dir.RegionOf(uint32(id)) == s.Leader {
		return 0
	}
	return 1
}
