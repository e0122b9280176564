package node

import (
	"isochron/decide"
	"isochron/txn"
)

// route selects the co-coordinators that receive acknowledgements of votes.
func (n *Node) route() decide.Route {
	return decide.Route{Directory: n.dir, Policy: n.Spec().Decide, Leader: n.coord.Leader, Some: n.cfg.CoCoordinators}
}

// CoCoordinators implements coordinator.Env.
func (e *coordEnv) CoCoordinators(a txn.Attempt) []txn.NodeID {
	return (*Node)(e).route().CoCoordinators(a)
}

// Acknowledge implements shard.Env.
func (e *shardEnv) Acknowledge(m *txn.Ack, leads bool) {
	n := (*Node)(e)
	n.route().Acknowledge(string(n.cfg.Region), m, leads, func(to txn.NodeID) {
		sent := *m
		n.outbox.send(txn.Coordinator(to), txn.Message{Ack: &sent})
	})
}
