package coordinator

import (
	"slices"
	"time"

	"isochron/protocol"
	"isochron/txn"
)

// Where the parts of a round are sent, and when again.

// send sends a part to its next node.
func (rs *reads) send(p *shardRequest) {
	to, term := rs.target(p)
	rs.sendTo(p, to, term)
}

// target is the next node of a part, and the term in which it leads; 0 if it is not asked as a
// leader, or the term is unknown.
func (rs *reads) target(p *shardRequest) (to txn.NodeID, term uint64) {
	switch {
	case p.access.Batch == nil && rs.cfg.Spec.Reads.Leaderless():
		return rs.leaders.aReplica(p.access.Shard, p.tries, rs.cfg.Spec.Reads == protocol.ReadLeading), 0
	case p.access.Nearest:
		return rs.env.Nearest(p.access.Shard), 0
	}
	return rs.leaders.of(p.access.Shard, p.tries)
}

// asksLeader reports whether a part that was sent needs the leader's reply.
func (rs *reads) asksLeader(p *shardRequest) bool {
	return p.tries > 0 && !p.access.Nearest && !rs.cfg.Spec.Reads.Leaderless()
}

// askSuccessor sends a part to a leader to which it was not sent yet.
func (rs *reads) askSuccessor(p *shardRequest) {
	to, term := rs.leaders.of(p.access.Shard, 0)
	rs.sendTo(p, to, term)
}

// sendTo sends a part to a node that leads in a term, 0 if that is unknown.
func (rs *reads) sendTo(p *shardRequest, to txn.NodeID, term uint64) {
	if !rs.address(p, term) {
		return
	}
	now := rs.env.Now().Mono
	p.wakeAt = now + rs.cfg.Params.ResendAfter<<min(p.tries, 1)
	p.to, p.term = to, max(p.term, term)
	p.tries++
	if p.to == 0 {
		p.wakeAt = now + 50*time.Millisecond
		return
	}
	if rs.env.Wide(p.to) && !p.r.wide {
		p.r.wide = true
		p.r.t.stats.WideRounds++
	}
	rs.env.Send(txn.Participant(p.to, p.access.Shard), txn.Message{Access: p.access}) // immutable from now on
}

// wake resends an unanswered part, or gives up.
func (rs *reads) wake(p *shardRequest) {
	if rs.env.Now().Mono >= p.deadline {
		rs.executor.fail(p.r.t, rs.silent(p))
		return
	}
	rs.leaders.doubt(p.access.Shard, p.to) // it is silent
	p.askLeader()
	rs.send(p)
}

// patience returns how long a part may remain unanswered. An agent reports progress while its
// source executes, also while that waits for a lock: it may be silent for the configured time.
func (rs *reads) patience(p *shardRequest, wait time.Duration) time.Duration {
	if set := p.r.t.silence; p.access.Batch != nil && set > 0 {
		return max(time.Duration(set)*time.Millisecond, 4*rs.cfg.Params.ResendAfter)
	}
	return wait + readDeadline
}

// silent is the error of a round with an unanswered part.
func (rs *reads) silent(p *shardRequest) *txn.Error {
	name := called(rs.env.Directory(), p.access.Shard)
	if p.access.Batch == nil {
		return txn.Errorf(txn.KindUnavailable, "%s did not answer in time; nothing was done", name)
	}
	bound := rs.patience(p, 0)
	return txn.Errorf(txn.KindUnavailable, "%s: its agent has not answered for %v (isochron_source_timeout)", name, bound).
		Because(txn.CauseUnavailable).Of(&txn.Fault{Code: txn.FaultNotReached, State: "HY000"})
}

// partNotLed redirects a part to the reported leader.
func (rs *reads) partNotLed(p *shardRequest, m *txn.NotLeader) {
	p.askLeader()
	other := m.Leader != p.to || p.access.Batch != nil && m.Term != p.access.Batch.Term
	if m.Leader != 0 && other && p.tries < 8 {
		rs.send(p)
		return
	}
	p.wakeAt = rs.env.Now().Mono + 50*time.Millisecond
}

// askLeader makes the part go to the leader from now on.
func (p *shardRequest) askLeader() {
	a := *p.access
	a.Nearest = false
	p.access = &a
}

// sweep resends the requests that were not answered in time.
func (rs *reads) sweep(now time.Duration) {
	for _, id := range rs.due(now) {
		switch p := rs.parts[id]; {
		case p == nil:
		case now >= p.wakeAt:
			rs.wake(p)
		case rs.hasSuccessor(p):
			rs.askSuccessor(p)
		}
	}
}

// due lists the parts to be resent, in a fixed order.
func (rs *reads) due(now time.Duration) (ids []uint64) {
	for id, p := range rs.parts { // order: sorted below
		if now >= p.wakeAt || rs.hasSuccessor(p) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// hasSuccessor reports whether a part waits for a leader that has a successor.
func (rs *reads) hasSuccessor(p *shardRequest) bool {
	return rs.asksLeader(p) && rs.leaders.succeeded(p.access.Shard, p.term)
}

// nextWake is when a part is to be resent: immediately if a leader that was asked has a successor.
func (rs *reads) nextWake() time.Duration {
	at := txn.Never
	for _, p := range rs.parts { // order: the least of all
		if at = min(at, p.wakeAt); rs.hasSuccessor(p) {
			return 0
		}
	}
	return at
}

// awaited lists the shards whose leaders have not answered a round.
func (rs *reads) awaited(r *round) (out []txn.ShardID) {
	for _, p := range rs.parts { // order: sorted by the caller
		if p.r == r && !p.access.Nearest {
			out = append(out, p.access.Shard)
		}
	}
	return out
}
