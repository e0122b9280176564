package coordinator

import (
	"isochron/decide"
	"isochron/protocol"
	"isochron/txn"
)

// world is the coordinator as package decide sees it.
type world Coordinator

var _ decide.World = (*world)(nil)

func (w *world) Now() txn.Now                       { return w.env.Now() }
func (w *world) Send(to txn.Address, m txn.Message) { w.env.Send(to, m) }
func (w *world) Wide(n txn.NodeID) bool             { return w.env.Wide(n) }

// Leader implements decide.World.
func (w *world) Leader(s txn.ShardID, try int) (txn.NodeID, uint64) {
	return (*Coordinator)(w).leaderOf(s, try)
}

// Replicas implements decide.World.
func (w *world) Replicas(s txn.ShardID) []txn.NodeID { return (*Coordinator)(w).replicasOf(s) }

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

func (w *world) Nearest(s txn.ShardID) txn.NodeID          { return w.env.Nearest(s) }
func (w *world) CoCoordinators(a txn.Attempt) []txn.NodeID { return w.env.CoCoordinators(a) }
func (w *world) Note(n txn.Note)                           { w.env.Note(n) }
func (w *world) Trace(format string, args ...any)          { w.env.Trace(format, args...) }

// goBy has what begins from now on be decided by the choices of a row.
func (c *Coordinator) goBy(row protocol.Row) {
	choice := row.Decide
	if c.cfg.DeadCoCoordinator && choice.Bypasses() {
		choice = decide.LeaderVotes
	}
	c.cfg.Row, c.coords.PreCommits = row, row.Reveal.PreCommits()
	c.room = &decide.Room{Choice: choice, PreCommits: row.Reveal.PreCommits(), Params: c.cfg.Params, World: (*world)(c)}
}
