package sim

import (
	"slices"
	"time"

	"isochron/txn"
)

// lostPath loses a coordinator right after it has reported to its client a commit by a fast path,
// before any other node learns of it; without a fast path, a commit that a majority has accepted.
// Of the replicas that voted OK some are cut off then, the leader among them if possible, so that
// the others must find out in a new view what the coordinator had reported. In some runs the
// attempt does not reach as many replicas as a fast path can spare, and one more: then there must
// be no fast path.
type lostPath struct {
	n          *nemesis
	odds       int
	left       int  // repetitions left in this run
	short      bool // too few receive the attempt
	attempt    txn.Attempt
	shard      txn.ShardID
	away       []txn.NodeID // these do not receive the attempt
	unreceived []txn.NodeID // these are cut off once the coordinator is lost
	notified   bool         // it is lost
	until      time.Duration
}

// onSend loses what must not arrive.
func (l *lostPath) onSend(env *txn.Envelope) sendAction {
	m := &env.Msg
	if p := m.Prepare; p != nil && l.n.w.now >= l.until {
		l.begin(env.From, p)
	}
	if l.n.w.now >= l.until {
		return leaves
	}
	a, about := attemptOf(m)
	switch about = about && a == l.attempt; {
	case l.notified:
		if slices.Contains(l.unreceived, env.From) || slices.Contains(l.unreceived, env.To) {
			return heldBack
		}
	case about && m.Prepare != nil && m.Prepare.Shard == l.shard && slices.Contains(l.away, env.To),
		about && m.Accept != nil && (l.short || l.n.w.cfg.Spec.Decide.HasFastPath()):
		return heldBack
	case about && m.Decide != nil && m.Decide.Commit && env.From == a.Node:
		return l.lose(l.n.w.host(env.From))
	case about && m.Decide != nil:
		l.until = l.n.w.now
	}
	return leaves
}

func (l *lostPath) begin(from txn.NodeID, p *txn.Prepare) {
	w := l.n.w
	leader := w.Leader(p.Shard)
	shard, placed := w.cfg.Directory.Shard(uint64(p.Shard))
	if l.left == 0 || len(p.Writes) == 0 || leader == 0 || !placed || from != p.Attempt.Node || l.n.steps.IntN(l.odds) > 0 {
		return
	}
	received := []txn.NodeID{leader}
	if from != leader {
		received = append(received, from)
	}
	for _, id := range shard.Replicas {
		if !slices.Contains(received, txn.NodeID(id)) {
			received = append(received, txn.NodeID(id))
		}
	}
	n, c := len(shard.Replicas), w.cfg.Spec.Decide
	l.attempt, l.shard, l.notified, l.away = p.Attempt, p.Shard, false, nil
	if l.short {
		l.away = received[c.FastPath(n)-1:]
	}
	l.unreceived = received[:(n-1)/2]
	l.until = w.now + 8*l.n.unit
}

// lose crashes the coordinator: only its client knows the outcome.
func (l *lostPath) lose(h *host) sendAction {
	l.notified = true
	l.left--
	back, end := l.n.unit, l.n.fewUnits(40, 70) // time for others to query, and for the view after the next
	if slices.Contains(l.unreceived, h.id) {
		back = end
	}
	l.until = l.n.w.now + end
	l.n.biased.count("a coordinator is lost right after replicas agreed")
	l.n.w.log(h, "a coordinator is lost right after it has reported %v", l.attempt)
	l.n.w.After(back, h.restart)
	return lostCrash
}
