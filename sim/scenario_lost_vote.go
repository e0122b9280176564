package sim

import (
	"time"

	"isochron/txn"
)

// lostVote makes a leader lose a Yes that other nodes have received. A leader's entry at a Prepare
// reaches, of its followers, only the node that leads another participant; so the co-coordinator
// there receives the vote. Then the leader crashes, and that follower is cut off in the shard,
// until a replica without the vote is elected. Writes revealed meanwhile, and their readers, must
// be rolled back.
//
// It takes five replicas: of three, two that have the vote are a majority.
type lostVote struct {
	n        *nemesis
	odds     int
	left     int // repetitions left in this run
	shard    txn.ShardID
	leader   txn.NodeID
	follower txn.NodeID
	deaf     bool // the leader is down, and the follower is cut off
	until    time.Duration
}

// raftEntryBytes is the least size of a Raft message with an entry of a transaction; messages
// without one are shorter.
const raftEntryBytes = 40

// onSend loses the messages of the crashed leader and of the follower that is cut off.
func (l *lostVote) onSend(env *txn.Envelope) sendAction {
	m := &env.Msg
	switch {
	case m.Prepare != nil:
		l.begin(env.To, m.Prepare)
	case m.Raft != nil && m.Raft.Shard == l.shard && l.n.w.now < l.until:
		lost := env.From == l.leader && env.To != l.follower && len(m.Raft.Data) >= raftEntryBytes
		if l.deaf {
			lost = env.From == l.follower
		}
		if lost {
			return heldBack
		}
	}
	return leaves
}

func (l *lostVote) begin(leader txn.NodeID, p *txn.Prepare) {
	w := l.n.w
	if l.left == 0 || w.now < l.until || p.ReadOnly || len(p.Writes) == 0 || l.n.steps.IntN(l.odds) > 0 {
		return
	}
	for _, s := range p.Participants {
		if f := w.Leader(s); s != p.Shard && f != 0 && f != leader {
			l.left--
			l.shard, l.leader, l.follower, l.deaf = p.Shard, leader, f, false
			stay, away := l.n.fewUnits(4, 14), l.n.fewUnits(14, 24)
			l.until = w.now + stay + away
			l.n.counts["forced: a vote is lost with its leader"]++
			w.log(w.host(leader), "will lose the vote of %v at shard %d", p.Attempt, p.Shard)
			w.After(stay, func() { l.lose(away) })
			return
		}
	}
}

func (l *lostVote) lose(away time.Duration) {
	l.deaf = true
	h := l.n.w.host(l.leader)
	h.crash(strictly)
	l.n.w.After(away, h.restart)
}

// fewUnits is drawn from the chance of faults at messages.
func (n *nemesis) fewUnits(lo, hi int) time.Duration {
	return n.unit * time.Duration(lo+n.steps.IntN(hi-lo))
}
