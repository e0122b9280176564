package coordinator

import (
	"isochron/decide"
	"isochron/protocol"
	"isochron/txn"
)

// world is the coordinator as package decide sees it.
type world struct {
	Env
	leaders   *leaders
	decisions *decisions
	late      *latePrepares
}

var _ decide.World = (*world)(nil)

// Send implements decide.World.
func (w *world) Send(to txn.Address, m txn.Message) {
	if !w.late.takes(to, m) {
		w.Env.Send(to, m)
	}
}

// Leader implements decide.World.
func (w *world) Leader(s txn.ShardID, try int) (txn.NodeID, uint64) { return w.leaders.of(s, try) }

// Replicas implements decide.World.
func (w *world) Replicas(s txn.ShardID) []txn.NodeID { return w.leaders.replicas(s) }

// LogDecision implements decide.World: only the attempt's own coordinator writes a commit.
func (w *world) LogDecision(id txn.Attempt, s txn.ShardID, commit bool, at txn.Timestamp) {
	if commit {
		w.decisions.logCommit(id, s, at)
	} else {
		w.decisions.logAbort(id, s)
	}
}

// LogData implements decide.World.
func (w *world) LogData(id txn.Attempt, s txn.ShardID, data []txn.ShardWrites) {
	w.decisions.logData(id, s, data)
}

// goBy has what begins from now on be decided by the choices of a row.
func (c *Coordinator) goBy(row protocol.Row) {
	choice := row.Decide
	if c.cfg.DeadCoCoordinator && choice.Bypasses() {
		choice = decide.LeaderVotes
	}
	c.cfg.Row, c.coords.Choice, c.coords.PreCommits = row, choice, row.Reveal.WhenVoted()
	c.forecasts.follow()
	c.temperatures.follow()
	c.commits.decider = &decide.Decider{Choice: choice, Asks: row.Asks, PreCommits: row.Reveal.WhenVoted(), Params: c.cfg.Params, World: c.world}
}
