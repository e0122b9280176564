package coordinator

import (
	"slices"
	"time"

	"isochron/protocol"
	"isochron/txn"
)

// Where the parts of a round go, and when they are asked for again.

// send sends a part to where it goes next.
func (rs *reads) send(p *shardRequest) {
	to, term := rs.target(p)
	rs.sendTo(p, to, term)
}

// target is where a part goes next, and the term in which that node leads, 0 if it is not
// asked as a leader, or that is not known.
func (rs *reads) target(p *shardRequest) (to txn.NodeID, term uint64) {
	switch {
	case p.access.Batch == nil && rs.cfg.Spec.Reads.Leaderless():
		return rs.leaders.aReplica(p.access.Shard, p.tries, rs.cfg.Spec.Reads == protocol.ReadLeading), 0
	case p.access.Nearest:
		return rs.env.Nearest(p.access.Shard), 0
	}
	return rs.leaders.of(p.access.Shard, p.tries)
}

// asksLeader reports whether a part that was sent waits for an answer that a leader alone gives.
func (rs *reads) asksLeader(p *shardRequest) bool {
	return p.tries > 0 && !p.access.Nearest && !rs.cfg.Spec.Reads.Leaderless()
}

// askSuccessor sends a part to a leader that it was not sent to yet.
func (rs *reads) askSuccessor(p *shardRequest) {
	to, term := rs.leaders.of(p.access.Shard, 0)
	rs.sendTo(p, to, term)
}

// sendTo sends a part to a node that leads in a term, 0 if that is not known.
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
	rs.env.Send(txn.Participant(p.to, p.access.Shard), txn.Message{Access: p.access}) // not ours to change any more
}

// wake sends again what was not answered, or gives up.
func (rs *reads) wake(p *shardRequest) {
	if rs.env.Now().Mono >= p.deadline {
		rs.executor.fail(p.r.t, rs.silent(p))
		return
	}
	rs.leaders.doubt(p.access.Shard, p.to) // it is silent
	p.askLeader()
	rs.send(p)
}

// patience is for how long a part may stay without an answer. An agent says now and then that its
// source takes its time, also while that waits for a lock: it may be silent for as long as is set.
func (rs *reads) patience(p *shardRequest, wait time.Duration) time.Duration {
	if set := p.r.t.silence; p.access.Batch != nil && set > 0 {
		return max(time.Duration(set)*time.Millisecond, 4*rs.cfg.Params.ResendAfter)
	}
	return wait + readDeadline
}

// silent is why a round fails of which a part was not answered.
func (rs *reads) silent(p *shardRequest) *txn.Error {
	name := called(rs.env.Directory(), p.access.Shard)
	if p.access.Batch == nil {
		return txn.Errorf(txn.KindUnavailable, "%s did not answer in time; nothing was done", name)
	}
	bound := rs.patience(p, 0)
	return txn.Errorf(txn.KindUnavailable, "%s: its agent has not answered for %v (isochron_source_timeout)", name, bound).
		Because(txn.CauseUnavailable).Of(&txn.Fault{Code: txn.FaultNotReached, State: "HY000"})
}

// partNotLed has a part go on to who is said to lead.
func (rs *reads) partNotLed(p *shardRequest, m *txn.NotLeader) {
	p.askLeader()
	other := m.Leader != p.to || p.access.Batch != nil && m.Term != p.access.Batch.Term
	if m.Leader != 0 && other && p.tries < 8 {
		rs.send(p)
		return
	}
	p.wakeAt = rs.env.Now().Mono + 50*time.Millisecond
}

// askLeader has the part go to the leader from now on.
func (p *shardRequest) askLeader() {
	a := *p.access
	a.Nearest = false
	p.access = &a
}

// sweep asks again for what was not answered in time.
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

// due lists the parts that are to be asked for again, in a fixed order.
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

// nextWake is when something is to be asked again: at once if a leader that was asked has a
// successor.
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
