package coordinator

import (
	"isochron/decide"
	"isochron/txn"
)

// Where the row has co-coordinators this node is that of its own region for attempts of
// gateways in others (decide.CoCoordinator), and hears of its own past the leaders.

// coCoordinates reports whether there is a co-coordinator here that speaks to others.
func (c *Coordinator) coCoordinates() bool {
	return c.cfg.Row.Decide.Bypasses() && !c.cfg.DeadCoCoordinator
}

// onAck takes in an acknowledgement: as coordinator of the attempt, or for it.
func (c *Coordinator) onAck(m *txn.Ack) {
	if m.Attempt.Node != c.cfg.Self {
		c.coords.OnAck(m)
		return
	}
	k := c.commits[m.Attempt]
	if k == nil || k.phase == deciding || m.No {
		return
	}
	k.onePhase = k.onePhase && !m.AwaitsDecision
	unanimous := k.tally.Unanimous()
	k.tally.Voted(m.Shard, m.Proposed)
	if !m.Open {
		k.tally.Resolved(m.Shard)
	}
	k.tally.Ack(m)
	if !unanimous && k.tally.Unanimous() && c.coords.PreCommits {
		decide.PreCommit((*world)(c), k.attempt, k.id, k.tally)
	}
	c.maybeDecide(k)
}

// onResolved hears that the writers of what an attempt had read at a shard are
// committed, or that one is not.
func (c *Coordinator) onResolved(m *txn.Resolved) {
	k := c.commits[m.Attempt]
	if k == nil || k.phase == deciding {
		return
	}
	if m.Doomed {
		c.doom(k)
	} else {
		k.tally.Resolved(m.Shard)
	}
	c.maybeDecide(k)
}

// doom aborts an attempt that has read what was undone.
func (c *Coordinator) doom(k *commitment) {
	if k.why == nil {
		k.why = txn.Errorf(txn.KindAborted, "a transaction whose write it had read was aborted").Because(txn.CauseCascade)
	}
	k.tally.No()
}

// shareDecision tells the other co-coordinators how an attempt ended. What became of
// one with a single participant is in that participant's log, and nowhere else of use.
func (c *Coordinator) shareDecision(k *commitment) {
	if !c.coCoordinates() || k.t == nil || k.readOnly || len(k.participants) == 1 {
		return
	}
	verdict, at := k.tally.Verdict()
	for _, n := range c.env.CoCoordinators(k.attempt) {
		if n != c.cfg.Self {
			c.env.Send(txn.Coordinator(n), txn.Message{Decision: &txn.Decision{Attempt: k.attempt, Commit: verdict == decide.Commit, At: at}})
		}
	}
}

// recall asks the co-coordinators for a decision that its coordinator may have
// told them before it was lost (D2PC section 4.4).
func (c *Coordinator) recall(k *commitment) {
	if !c.coCoordinates() {
		return
	}
	for _, n := range c.env.CoCoordinators(k.attempt) {
		c.env.Send(txn.Coordinator(n), txn.Message{Recall: &txn.Recall{Attempt: k.attempt}})
	}
}

func (c *Coordinator) onRecall(from txn.NodeID, m *txn.Recall) {
	if c.coords.OnRecall(from, m) {
		return
	}
	if k := c.commits[m.Attempt]; k != nil && k.phase == deciding {
		verdict, at := k.tally.Verdict()
		c.env.Send(txn.Coordinator(from), txn.Message{Decision: &txn.Decision{Attempt: m.Attempt, Commit: verdict == decide.Commit, At: at}})
	}
}

// onDecision keeps a decision for those who ask, and acts on one that was asked for.
func (c *Coordinator) onDecision(m *txn.Decision) {
	if k := c.commits[m.Attempt]; k != nil && k.phase != deciding {
		k.tally.Learned(m.Commit, m.At)
		c.maybeDecide(k)
	}
	c.coords.OnDecision(m)
}

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
