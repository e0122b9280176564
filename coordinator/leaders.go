package coordinator

import (
	"isochron/routing"
	"isochron/txn"
)

// leaders is a gateway's knowledge of the shards' leaders and replicas.
type leaders struct {
	env   leaderEnv
	hints map[txn.ShardID]hint // the last reports of other nodes
}

// leaderEnv is the part of the node that leaders uses.
type leaderEnv interface {
	Send(to txn.Address, m txn.Message)
	Directory() *routing.Directory
	Leader(s txn.ShardID) (leader txn.NodeID, term uint64, ok bool)
	Nearest(s txn.ShardID) txn.NodeID
}

type hint struct {
	leader txn.NodeID
	term   uint64
}

// of returns the node to ask for a shard's leader: by a local replica, else by the last report of
// another node, else any replica in turn.
func (l *leaders) of(s txn.ShardID, try int) (txn.NodeID, uint64) {
	if n, term, ok := l.env.Leader(s); ok && term >= l.hints[s].term {
		return n, term
	}
	if h, ok := l.hints[s]; ok && h.leader != 0 && try%3 != 2 {
		return h.leader, h.term
	}
	shard, ok := l.env.Directory().Shard(uint64(s))
	if !ok || len(shard.Replicas) == 0 {
		return 0, 0
	}
	return txn.NodeID(shard.Replicas[try%len(shard.Replicas)]), 0
}

// Leader is a shard's leader, as far as this gateway knows, else its preferred leader; 0: unknown.
func (c *Coordinator) Leader(s txn.ShardID) txn.NodeID { return c.leaders.likely(s) }

// likely is a shard's leader if one is known, else its preferred leader; 0: unknown.
func (l *leaders) likely(s txn.ShardID) txn.NodeID {
	n, term := l.of(s, 0)
	dir := l.env.Directory()
	if shard, ok := dir.Shard(uint64(s)); ok && term == 0 {
		if p := dir.Preferred(shard); len(p) > 0 {
			return txn.NodeID(p[0])
		}
	}
	return n
}

// succeeded reports whether a later leader of a shard is known than the one that was asked in a
// term, or any leader if none was known then (term 0). The node that was asked may never answer,
// and the interval of resends grows with each.
func (l *leaders) succeeded(s txn.ShardID, asked uint64) bool {
	leader, term := l.of(s, 0)
	return leader != 0 && term > asked
}

func (l *leaders) send(s txn.ShardID, m txn.Message) {
	if n, _ := l.of(s, 0); n != 0 {
		l.env.Send(txn.Participant(n, s), m)
	}
}

func (l *leaders) observe(s txn.ShardID, n txn.NodeID, term uint64) {
	if h := l.hints[s]; n != 0 && term >= h.term {
		l.hints[s] = hint{n, term}
	}
}

// replicas are the nodes that hold a shard.
func (l *leaders) replicas(s txn.ShardID) []txn.NodeID {
	shard, ok := l.env.Directory().Shard(uint64(s))
	if !ok {
		return nil
	}
	out := make([]txn.NodeID, len(shard.Replicas))
	for i, n := range shard.Replicas {
		out[i] = txn.NodeID(n)
	}
	return out
}

// aReplica returns the replica to read from: the nearest, or the leader; after silence the others
// in turn.
func (l *leaders) aReplica(s txn.ShardID, try int, leading bool) txn.NodeID {
	all := l.replicas(s)
	switch {
	case try > 0 && len(all) > 0:
		return all[try%len(all)]
	case leading:
		return l.likely(s)
	}
	return l.env.Nearest(s)
}

// doubt drops the hint that a node leads a shard: it is silent, or has denied it. The next node
// asked may know another.
func (l *leaders) doubt(s txn.ShardID, n txn.NodeID) {
	if h := l.hints[s]; h.leader == n {
		delete(l.hints, s)
	}
}
