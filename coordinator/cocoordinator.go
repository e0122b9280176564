package coordinator

import (
	"slices"
	"time"

	"isochron/decide"
	"isochron/txn"
)

// The co-coordinator (D2PC section 4.2). For attempts of gateways in other
// regions this node may be the co-coordinator of its own region: it hears the
// votes from the replicas here, half a round trip after the leaders gave them.
// When all are Yes it lets the leaders here end the contention span; if one is
// No it has them abort. It passes every acknowledgement on to the coordinator,
// who alone decides.
//
// What it knows is a convenience: nothing is lost with it but time. Whoever
// finishes an attempt derives the decision from the participants' logs, and asks
// the co-coordinators beside them only because they may have it at hand.

// cotally is what a co-coordinator knows of one attempt.
type cotally struct {
	tally *decide.Tally
	until time.Duration
}

// coords are the attempts that this node co-coordinates.
type coords struct {
	open    map[txn.Attempt]*cotally
	queue   []txn.Attempt // of open, the oldest first
	decided map[txn.Attempt]txn.Decision
	ended   []txn.Attempt // of decided, the oldest first
}

// The bounds of a co-coordinator: what is beyond them ends by the decision of
// the coordinator, or is found in the logs.
const (
	maxCotallies = 50_000
	maxDecided   = 50_000
)

func newCoords() coords {
	return coords{open: map[txn.Attempt]*cotally{}, decided: map[txn.Attempt]txn.Decision{}}
}

// coCoordinates reports whether there is a co-coordinator here that speaks to others.
func (c *Coordinator) coCoordinates() bool {
	return c.cfg.Row.Decide.Bypasses() && !c.cfg.DeadCoCoordinator
}

// onAck takes in an acknowledgement: as coordinator of the attempt, or for it.
func (c *Coordinator) onAck(m *txn.Ack) {
	if m.Attempt.Node != c.cfg.Self {
		c.coordinate(m)
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
	if !unanimous && k.tally.Unanimous() {
		c.preCommit(k.attempt, k.id, k.tally)
	}
	c.maybeDecide(k)
}

// coordinate does the work of a co-coordinator.
func (c *Coordinator) coordinate(m *txn.Ack) {
	a := m.Attempt
	if m.Replica != 0 && !m.No {
		relayed := *m
		c.env.Send(txn.Coordinator(a.Node), txn.Message{Ack: &relayed})
	}
	if _, known := c.coords.decided[a]; known {
		return
	}
	t := c.coords.open[a]
	if t == nil {
		if t = c.openCotally(m); t == nil {
			return
		}
	}
	if m.No {
		t.tally.No()
		c.abortHere(a, m)
		return
	}
	before := t.tally.Unanimous()
	t.tally.Voted(m.Shard, m.Proposed)
	if after := t.tally.Unanimous(); after && (!before || m.Replica == 0) {
		c.preCommit(a, m.Txn, t.tally) // again, if a new leader told its vote
	}
}

func (c *Coordinator) openCotally(m *txn.Ack) *cotally {
	if len(m.Participants) == 0 {
		return nil
	}
	for len(c.coords.queue) >= maxCotallies {
		delete(c.coords.open, c.coords.queue[0])
		c.coords.queue = c.coords.queue[1:]
	}
	t := &cotally{decide.NewTally(m.Participants), c.env.Now().Mono + c.cfg.Params.RecoverAfter}
	c.coords.open[m.Attempt] = t
	c.coords.queue = append(c.coords.queue, m.Attempt)
	return t
}

// leadersHere lists the participants that are led from this region, with their leaders.
func (c *Coordinator) leadersHere(participants []txn.ShardID, tell func(s txn.ShardID, leader txn.NodeID)) {
	for _, s := range participants {
		if n, _ := c.leaderOf(s, 0); n != 0 && !c.env.Wide(n) {
			tell(s, n)
		}
	}
}

// preCommit lets the leaders here end the attempt's contention span.
func (c *Coordinator) preCommit(a txn.Attempt, id txn.ID, t *decide.Tally) {
	if !c.cfg.Row.Reveal.PreCommits() {
		return
	}
	c.leadersHere(t.Participants, func(s txn.ShardID, leader txn.NodeID) {
		c.env.Send(txn.Participant(leader, s), txn.Message{PreCommit: &txn.PreCommit{Shard: s, Attempt: a, Txn: id, At: t.Proposed()}})
	})
}

// abortHere has the leaders here end an attempt that cannot commit any more.
// The coordinator tells them too, and hears from them.
func (c *Coordinator) abortHere(a txn.Attempt, m *txn.Ack) {
	c.leadersHere(m.Participants, func(s txn.ShardID, leader txn.NodeID) {
		if s != m.Shard {
			c.env.Send(txn.Participant(leader, s), txn.Message{Decide: &txn.Decide{Shard: s, Attempt: a, Txn: m.Txn}})
		}
	})
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
	if d, known := c.coords.decided[m.Attempt]; known {
		c.env.Send(txn.Coordinator(from), txn.Message{Decision: &d})
	} else if k := c.commits[m.Attempt]; k != nil && k.phase == deciding {
		verdict, at := k.tally.Verdict()
		c.env.Send(txn.Coordinator(from), txn.Message{Decision: &txn.Decision{Attempt: m.Attempt, Commit: verdict == decide.Commit, At: at}})
	}
}

// onDecision keeps a decision for those who ask, and acts on one that was asked for.
func (c *Coordinator) onDecision(m *txn.Decision) {
	a := m.Attempt
	if k := c.commits[a]; k != nil && k.phase != deciding {
		k.tally.Learned(m.Commit, m.At)
		c.maybeDecide(k)
	}
	delete(c.coords.open, a)
	if _, known := c.coords.decided[a]; known || a.Node == c.cfg.Self {
		return
	}
	for len(c.coords.ended) >= maxDecided {
		delete(c.coords.decided, c.coords.ended[0])
		c.coords.ended = c.coords.ended[1:]
	}
	c.coords.decided[a] = *m
	c.coords.ended = append(c.coords.ended, a)
}

// expireCotallies forgets the attempts of which no more is heard.
func (c *Coordinator) expireCotallies(now time.Duration) {
	q := c.coords.queue
	for len(q) > 0 {
		if t := c.coords.open[q[0]]; t != nil && now < t.until {
			break
		}
		delete(c.coords.open, q[0])
		q = q[1:]
	}
	c.coords.queue = slices.Clip(q)
}
