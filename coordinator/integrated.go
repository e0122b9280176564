package coordinator

import (
	"isochron/protocol"
	"isochron/txn"
)

// Where every replica of a participant validates for itself, any of them is read, and the
// coordinator proposes the timestamp, so that all of them compare the same thing.

// maxTimestamps is how many timestamps one commit tries before its client is
// told that it lost: each costs a round to all replicas.
const maxTimestamps = 4

func (c *Coordinator) integrated() bool { return c.cfg.Row.Validates == protocol.EveryReplica }

// byLease reports whether leaders answer for transactions that wrote nothing.
func (c *Coordinator) byLease() bool {
	return c.cfg.Row.ReadOnly == protocol.ByLease
}

// replicasOf are the nodes that hold a shard.
func (c *Coordinator) replicasOf(s txn.ShardID) []txn.NodeID {
	shard, ok := c.env.Directory().Shard(uint64(s))
	if !ok {
		return nil
	}
	out := make([]txn.NodeID, len(shard.Replicas))
	for i, n := range shard.Replicas {
		out[i] = txn.NodeID(n)
	}
	return out
}

// aReplica is where to read: the nearest, or the others in turn if it is silent.
func (c *Coordinator) aReplica(s txn.ShardID, try int) txn.NodeID {
	all := c.replicasOf(s)
	if try == 0 || len(all) == 0 {
		return c.env.Nearest(s)
	}
	return all[try%len(all)]
}

func (c *Coordinator) onOpinion(from txn.NodeID, m *txn.Message) {
	if k := c.commits[m.Opinion.Attempt]; k != nil && !k.Decided() {
		c.clock.Observe(m.Opinion.Above)
	}
	c.toAttempt(m.Opinion.Attempt, from, m)
}

// again opens an attempt at a later timestamp for one that was refused for its
// own alone; nil if there is nothing to try. It is sent after the end of the old
// one, which is in its way where it was called OK.
func (c *Coordinator) again(k *commitment) *commitment {
	if k.t == nil || k.req == nil || k.timestamps >= maxTimestamps || k.Above() == 0 {
		return nil
	}
	c.clock.Observe(k.Above())
	var prepares []*txn.Prepare
	for _, was := range k.Prepares {
		p := *was
		prepares = append(prepares, &p)
	}
	next := c.open(k.t, k.req, prepares, false)
	next.began, next.answerBy, next.timestamps = k.began, k.answerBy, k.timestamps+1
	k.req = nil
	return next
}

// forgetTxn lets go of a transaction, unless a later attempt goes on with it.
func (c *Coordinator) forgetTxn(k *commitment) {
	if t := c.txns[k.Txn]; t != nil && (t.commit == nil || t.commit == k) {
		delete(c.txns, k.Txn)
	}
}
