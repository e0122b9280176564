package decide

import (
	"slices"
	"time"

	"isochron/txn"
)

// CoCoordinator is a node's part in attempts of gateways in other regions (D2PC section 4.2). It
// receives the votes from the replicas of its own region, half a round trip after the leaders gave
// them. When all are Yes it lets the leaders here end the contention span; if one is No it makes
// them abort. It relays every acknowledgement to the coordinator, which alone decides.
//
// Its state is a convenience: losing it costs time only. Recovery derives the decision from the
// participants' logs, and asks co-coordinators besides only because they may know it already. So
// entries beyond the bounds are dropped, the oldest first.
//
// Where participants decide for themselves (R4) it receives what the coordinator receives, for the
// leaders of this node, and relays nothing: the same majorities force the same decision, and the
// leaders here need not wait for the coordinator's message. They are also notified that all have
// voted, if the protocol reveals the transaction then.
type CoCoordinator struct {
	self txn.NodeID
	env  Env
	// Policy is the protocol's.
	Policy Policy
	// PreCommits: the protocol reveals writes that every leader has voted on.
	PreCommits bool
	params     txn.Params
	open       map[txn.Attempt]*cotally
	queue      []txn.Attempt // of open, the oldest first
	decided    map[txn.Attempt]txn.Decision
	ended      []txn.Attempt // of decided, the oldest first
}

// cotally is a co-coordinator's state of one attempt.
type cotally struct {
	tally *Tally
	until time.Duration
}

// The bounds of a co-coordinator.
const (
	maxCotallies = 50_000
	maxDecided   = 50_000
)

// NewCoCoordinator returns a node's co-coordinator. It drops attempts without a message for
// RecoverAfter.
func NewCoCoordinator(self txn.NodeID, w Env, p txn.Params) *CoCoordinator {
	return &CoCoordinator{self: self, env: w, params: p, open: map[txn.Attempt]*cotally{}, decided: map[txn.Attempt]txn.Decision{}}
}

// OnAck handles a replica's message about the vote of another gateway's attempt. Where
// acknowledgements are relayed the replica is in this region.
func (c *CoCoordinator) OnAck(m *txn.Ack) {
	a := m.Attempt
	if !c.Policy.ParticipantsDecide() && m.Replica != 0 && !m.No {
		relayed := *m
		c.env.Send(txn.Coordinator(a.Node), txn.Message{Ack: &relayed})
	}
	if _, known := c.decided[a]; known {
		return
	}
	t := c.open[a]
	if t == nil {
		if t = c.begin(m); t == nil {
			return
		}
	}
	if m.No {
		t.tally.No()
		c.abortHere(a, m)
		return
	}
	if c.Policy.ParticipantsDecide() {
		c.count(t.tally, m)
		return
	}
	before := t.tally.Unanimous()
	t.tally.Voted(m.Shard, m.Proposed)
	if after := t.tally.Unanimous(); c.PreCommits && after && (!before || m.Replica == 0) {
		PreCommit(c.env, c.here, a, m.Txn, t.tally) // again, if a new leader reported its vote
	}
}

func (c *CoCoordinator) begin(m *txn.Ack) *cotally {
	if len(m.Participants) == 0 {
		return nil
	}
	for len(c.queue) >= maxCotallies {
		delete(c.open, c.queue[0])
		c.queue = c.queue[1:]
	}
	t := &cotally{NewTally(m.Participants).InjectBug(c.params.InjectedBugs).Count(c.params.Rules), c.env.Now().Mono + c.params.RecoverAfter}
	c.open[m.Attempt] = t
	c.queue = append(c.queue, m.Attempt)
	return t
}

// count counts an acknowledgement as the coordinator does, and commits at the leaders of this node
// when that forces the decision. The coordinator notifies them too, since it needs their
// acknowledgement.
func (c *CoCoordinator) count(t *Tally, m *txn.Ack) {
	before := t.Unanimous()
	t.Acknowledged(m)
	if c.PreCommits && c.Policy.preCommits(m) && t.Unanimous() && (!before || m.Replica == 0) {
		PreCommit(c.env, c.here, m.Attempt, m.Txn, t)
	}
	v, at := t.Verdict()
	if c.params.InjectedBugs.DecideUnlogged && t.Unanimous() {
		v, at = Commit, t.Proposed()
	}
	if v != Commit {
		return
	}
	leadersHere(c.env, c.here, m.Participants, func(s txn.ShardID, leader txn.NodeID) {
		c.env.Send(txn.Participant(leader, s), txn.Message{Decide: &txn.Decide{Shard: s, Attempt: m.Attempt, Txn: m.Txn, Commit: true, At: at}})
	})
	c.OnDecision(&txn.Decision{Attempt: m.Attempt, Commit: true, At: at})
}

// here reports whether a node's leaders are notified from here: those of this region, or of this
// node alone where every participant is notified.
func (c *CoCoordinator) here(n txn.NodeID) bool {
	if c.Policy.ParticipantsDecide() {
		return n == c.self
	}
	return !c.env.Wide(n)
}

// abortHere aborts, at the leaders here, an attempt that cannot commit any more. The coordinator
// notifies them too, and awaits their acknowledgement.
func (c *CoCoordinator) abortHere(a txn.Attempt, m *txn.Ack) {
	leadersHere(c.env, c.here, m.Participants, func(s txn.ShardID, leader txn.NodeID) {
		if s != m.Shard {
			c.env.Send(txn.Participant(leader, s), txn.Message{Decide: &txn.Decide{Shard: s, Attempt: a, Txn: m.Txn}})
		}
	})
}

// Knows reports whether it knows an attempt's decision.
func (c *CoCoordinator) Knows(a txn.Attempt) bool {
	_, known := c.decided[a]
	return known
}

// OnQueryDecision answers a recovering coordinator, if it knows the decision.
func (c *CoCoordinator) OnQueryDecision(from txn.NodeID, m *txn.QueryDecision) bool {
	d, known := c.decided[m.Attempt]
	if known {
		c.env.Send(txn.Coordinator(from), txn.Message{Decision: &d})
	}
	return known
}

// OnDecision keeps a decision for later queries.
func (c *CoCoordinator) OnDecision(m *txn.Decision) {
	a := m.Attempt
	delete(c.open, a)
	if _, known := c.decided[a]; known || a.Node == c.self {
		return
	}
	for len(c.ended) >= maxDecided {
		delete(c.decided, c.ended[0])
		c.ended = c.ended[1:]
	}
	c.decided[a] = *m
	c.ended = append(c.ended, a)
}

// Expire drops the attempts without recent messages.
func (c *CoCoordinator) Expire(now time.Duration) {
	q := c.queue
	for len(q) > 0 {
		if t := c.open[q[0]]; t != nil && now < t.until {
			break
		}
		delete(c.open, q[0])
		q = q[1:]
	}
	c.queue = slices.Clip(q)
}

// NextExpiry is when Expire has something to drop; ok is false if it has nothing.
func (c *CoCoordinator) NextExpiry() (at time.Duration, ok bool) {
	if len(c.queue) == 0 {
		return 0, false
	}
	if t := c.open[c.queue[0]]; t != nil {
		return t.until, true
	}
	return 0, true
}
