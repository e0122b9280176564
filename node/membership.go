package node

import (
	"errors"
	"slices"

	"isochron/group"
	"isochron/participant"
	"isochron/routing"
	"isochron/shard"
	"isochron/store"
	"isochron/txn"
)

// Joining is the directory that an added node starts with: where the others are,
// and that it follows the meta shard, from which it learns all the rest.
func Joining(self uint32, nodes []routing.Node) *routing.Directory {
	meta := routing.Shard{ID: uint64(txn.MetaShard), Learners: []uint32{self}}
	for _, n := range nodes {
		if n.ID != self && !n.Gateway {
			meta.Replicas = append(meta.Replicas, n.ID)
		}
	}
	return &routing.Directory{Nodes: nodes, Shards: []routing.Shard{meta}}
}

// openReplicas opens those that the directory places here, and tells all of
// them what it wants. A replica that is here still and is placed elsewhere is
// opened too: the others may need its vote until the change of members is made.
func (n *Node) openReplicas() error {
	clear(n.nearest)
	for _, s := range n.dir.Shards {
		id := txn.ShardID(s.ID)
		n.nearest[id] = n.nearestOf(s)
		if r := n.replicas[id]; r != nil {
			r.want(n.desired(s))
			continue
		}
		if !s.Holds(uint32(n.cfg.ID)) && !group.Kept(n.cfg.Engine, id) {
			continue
		}
		p, err := n.open(s)
		if errors.Is(err, errNoOpener) {
			n.trace("takes no part in shard %d, of kind %s: %v", id, s.Kind, err)
			continue
		}
		if err != nil {
			return err
		}
		r := host(p)
		if n.draining {
			r.setDraining(true)
		}
		n.replicas[id] = r
		n.order = append(n.order, id)
	}
	slices.Sort(n.order)
	n.sharePools()
	return nil
}

func (n *Node) shardConfig(s routing.Shard) shard.Config {
	cfg := shard.Config{
		ID: txn.ShardID(s.ID), Self: n.cfg.ID, Engine: n.cfg.Engine, Row: n.cfg.Row, Wish: n.desired(s),
		Params: n.cfg.Params, Seed: n.cfg.Seed, Env: (*shardEnv)(n), Process: n.cfg.Process, Rows: n.cfg.Rows, Logs: n.cfg.Logs,
	}
	if !slices.Contains(s.FoundedBy(), uint32(n.cfg.ID)) {
		return cfg // it joins
	}
	cfg.Founders = nodeIDs(s.FoundedBy())
	cfg.Genesis = n.genesis(cfg.ID)
	return cfg
}

// genesis are the rows that a shard is born with.
func (n *Node) genesis(id txn.ShardID) []txn.Write {
	if id != txn.MetaShard {
		return nil
	}
	return []txn.Write{{Key: txn.Key(routing.DirectoryKey), Value: n.cfg.Directory.Encode()}}
}

// desired is what the directory wants of a shard.
func (n *Node) desired(s routing.Shard) participant.Desired {
	return participant.Desired{Voters: nodeIDs(s.Replicas), Learners: nodeIDs(s.Learners), Preferred: nodeIDs(n.dir.Preferred(s)), Hot: n.dir.Hot, Protocol: n.dir.Protocol}
}

func nodeIDs(ids []uint32) []txn.NodeID {
	var out []txn.NodeID
	for _, v := range ids {
		out = append(out, txn.NodeID(v))
	}
	return out
}

// holds reports whether the directory wants a replica of the shard here.
func (n *Node) holds(id txn.ShardID) bool {
	s, ok := n.dir.Shard(uint64(id))
	return ok && s.Holds(uint32(n.cfg.ID))
}

// adoptDirectory takes over a newer directory and opens what it places here.
func (n *Node) adoptDirectory() {
	d := n.newDir
	n.newDir = nil
	if d.Epoch <= n.dir.Epoch {
		return
	}
	n.touched()
	n.dir = d
	n.storeDirectory(d)
	err := n.followProtocol()
	if err == nil {
		err = n.openReplicas()
	}
	if err != nil {
		panic(&store.Failure{Doing: "going by a new directory", Err: err})
	}
}

// retireReplicas ends those that the directory places elsewhere, once they are
// members no more. A node that was removed from the cluster keeps what it has.
func (n *Node) retireReplicas() {
	for _, id := range slices.Clone(n.order) {
		if r := n.replicas[id]; !n.holds(id) && r.member != nil && r.member.Out() {
			r.member.Retire()
			delete(n.replicas, id)
			n.order = slices.DeleteFunc(n.order, func(o txn.ShardID) bool { return o == id })
		}
	}
	n.sharePools()
}

// sharePools divides what replicas keep in memory among those that there are.
func (n *Node) sharePools() {
	n.cfg.Rows.Among(len(n.order))
	n.cfg.Logs.Among(len(n.order))
}

// Holds is what the replicas keep in memory of rows and of log entries, in bytes.
func (n *Node) Holds() (rows, logs int64) {
	for _, id := range n.order {
		if h := n.replicas[id].holding; h != nil {
			r, l := h.Holds()
			rows, logs = rows+r, logs+l
		}
	}
	return rows, logs
}

// SetDraining has the node hand over what it leads and lead nothing more, or
// ends that. A restart ends it too.
func (n *Node) SetDraining(now txn.Now, on bool) {
	n.now, n.draining = now, on
	n.touched()
	for _, id := range n.order {
		n.replicas[id].setDraining(on)
	}
}

// RollBackOpen ends what is open at this gateway and in no commit.
func (n *Node) RollBackOpen(now txn.Now) {
	n.now = now
	n.touched()
	n.coord.RollBackOpen()
}

// Unfinished counts what is open at this gateway, or in a commit that is not finished everywhere.
func (n *Node) Unfinished() int {
	open, commits := n.coord.Unfinished()
	return open + commits
}

// Draining reports whether the node leads nothing by intention.
func (n *Node) Draining() bool { return n.draining }

// CanHandOver lists the shards that this node leads and another could.
func (n *Node) CanHandOver() []txn.ShardID {
	var out []txn.ShardID
	for _, id := range n.order {
		if m := n.replicas[id].member; m != nil && m.CanHandOver() {
			out = append(out, id)
		}
	}
	return out
}

// Converged reports whether every replica here has the members that the directory
// wants, and every shard that it wants here is here.
func (n *Node) Converged() bool {
	for _, s := range n.dir.Shards {
		r := n.replicas[txn.ShardID(s.ID)]
		if held := s.Holds(uint32(n.cfg.ID)); held != (r != nil) || held && !r.converged() {
			return false
		}
	}
	return n.dir.Epoch > 0
}
