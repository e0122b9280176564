package node

import (
	"isochron/participant"
	"isochron/routing"
	"isochron/store"
	"isochron/txn"
)

// directoryView is where everything is, as this node has heard.
type directoryView struct {
	self      txn.NodeID
	distances distances
	dir       *routing.Directory // by which the node goes
	newDir    *routing.Directory // of which it has heard, nil: of none
	nearest   map[txn.ShardID]txn.NodeID
	// metaChanges counts what was applied in the meta shard.
	metaChanges uint64
}

// Directory is the routing the node knows.
func (p *directoryView) Directory() *routing.Directory { return p.dir }

// MetaChanges rises whenever rows of the meta shard become visible here.
func (p *directoryView) MetaChanges() uint64 { return p.metaChanges }

// observe takes in a directory that has become visible.
func (p *directoryView) observe(raw []byte) {
	d, err := routing.Decode(raw)
	if err != nil {
		panic(&store.Failure{Doing: "reading the directory of shards", Err: err})
	}
	p.newDir = d
}

// adopt takes over the newest directory; false: it is no newer than that in force.
func (p *directoryView) adopt() bool {
	d := p.newDir
	p.newDir = nil
	if d.Epoch <= p.dir.Epoch {
		return false
	}
	p.dir = d
	return true
}

// holds reports whether the directory wants a replica of the shard here.
func (p *directoryView) holds(id txn.ShardID) bool {
	s, ok := p.dir.Shard(uint64(id))
	return ok && s.Holds(uint32(p.self))
}

// desired is what the directory wants of a shard.
func (p *directoryView) desired(s routing.Shard) participant.Desired {
	return participant.Desired{Voters: nodeIDs(s.Replicas), Learners: nodeIDs(s.Learners), Preferred: nodeIDs(p.dir.Preferred(s)), Hot: p.dir.Hot, Protocol: p.dir.Protocol}
}

// away is 0 for a node of the region from which the shard should be led, else 1.
func (p *directoryView) away(s routing.Shard, id txn.NodeID) int {
	if p.dir.RegionOf(uint32(id)) == s.Leader {
		return 0
	}
	return 1
}
