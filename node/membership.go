package node

import (
	"isochron/routing"
	"isochron/store"
	"isochron/txn"
)

// Joining returns the directory that an added node starts with: the addresses of the others,
// and this node as a learner of the meta shard, from which it learns everything else.
func Joining(self uint32, nodes []routing.Node) *routing.Directory {
	meta := routing.Shard{ID: uint64(txn.MetaShard), Learners: []uint32{self}}
	for _, n := range nodes {
		if n.ID != self && !n.Gateway {
			meta.Replicas = append(meta.Replicas, n.ID)
		}
	}
	return &routing.Directory{Nodes: nodes, Shards: []routing.Shard{meta}}
}

func nodeIDs(ids []uint32) []txn.NodeID {
	var out []txn.NodeID
	for _, v := range ids {
		out = append(out, txn.NodeID(v))
	}
	return out
}

// adoptDirectory adopts a newer directory and opens the participants that it places here.
func (n *Node) adoptDirectory() {
	if !n.directoryView.adopt() {
		return
	}
	n.touched()
	n.identity.storeDirectory(n.directoryView.dir)
	if err := n.follow(); err != nil {
		panic(&store.Failure{Doing: "going by a new directory", Err: err})
	}
}

// SetDraining has the node transfer its leaderships and lead nothing more, or
// ends that. A restart ends it too.
func (n *Node) SetDraining(now txn.Now, on bool) {
	n.now = now
	n.touched()
	n.hostedParticipants.drain(on)
}

// follow applies the directory in force.
func (n *Node) follow() error {
	if err := n.protocolSwitch.follow(); err != nil {
		return err
	}
	n.directoryView.measure(false)
	return n.hostedParticipants.open()
}

// RollBackOpen rolls back this gateway's open transactions that are not committing.
func (n *Node) RollBackOpen(now txn.Now) {
	n.now = now
	n.touched()
	n.coord.RollBackOpen()
}

// Unfinished counts this gateway's open transactions and its commits that are not finished everywhere.
func (n *Node) Unfinished() int {
	open, commits := n.coord.Unfinished()
	return open + commits
}
