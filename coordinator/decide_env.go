package coordinator

import (
	"isochron/decide"
	"isochron/protocol"
	"isochron/txn"
)

// decideEnv is the coordinator as decide.Env.
type decideEnv struct {
	Env
	leaders   *leaders
	decisions *decisions
	late      *latePrepares
}

var _ decide.Env = (*decideEnv)(nil)

// Send implements decide.Env.
func (w *decideEnv) Send(to txn.Address, m txn.Message) {
	if !w.late.takes(to, m) {
		w.Env.Send(to, m)
	}
}

// Leader implements decide.Env.
func (w *decideEnv) Leader(s txn.ShardID, try int) (txn.NodeID, uint64) { return w.leaders.of(s, try) }

// Replicas implements decide.Env.
func (w *decideEnv) Replicas(s txn.ShardID) []txn.NodeID { return w.leaders.replicas(s) }

// LogDecision implements decide.Env: only the attempt's own coordinator writes a commit.
func (w *decideEnv) LogDecision(id txn.Attempt, s txn.ShardID, commit bool, at txn.Timestamp) {
	if commit {
		w.decisions.logCommit(id, s, at)
	} else {
		w.decisions.logAbort(id, s)
	}
}

// LogData implements decide.Env.
func (w *decideEnv) LogData(id txn.Attempt, s txn.ShardID, data []txn.ShardWrites) {
	w.decisions.logData(id, s, data)
}

// useProtocol applies the choices of a protocol to attempts that begin from now on.
func (c *Coordinator) useProtocol(spec protocol.Spec) {
	choice := spec.Decide
	if c.cfg.DeadCoCoordinator && choice.Bypasses() {
		choice = decide.LeaderVotes
	}
	c.cfg.Spec, c.coords.Policy, c.coords.PreCommits = spec, choice, spec.Reveal.WhenVoted()
	c.forecasts.follow()
	c.temperatures.follow()
	c.commits.decider = &decide.Decider{Policy: choice, Prepares: spec.Prepares, PreCommits: spec.Reveal.WhenVoted(), Params: c.cfg.Params, Env: c.decideEnv}
}
