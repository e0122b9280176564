package sim

import (
	"math/rand/v2"
	"slices"
	"time"

	"go.etcd.io/raft/v3"

	"isochron/txn"
)

// guests isolates a leader with followers without a vote and too few voters, whenever a shard that
// clients use has at least two such followers. Its other voters elect another leader. Only Raft's
// messages of this shard are cut: clients reach both leaders, and all other shards.
type guests struct {
	n      *nemesis
	rand   *rand.Rand
	left   int // repetitions left in this run
	shard  txn.ShardID
	inside []txn.NodeID // the leader, all without a vote, a minority of the voters
	until  time.Duration
}

// start moves two replicas of a shard at some time, and later back.
func (g *guests) start() {
	g.n.w.After(g.n.unit*time.Duration(1+g.rand.IntN(60)), func() {
		if g.n.active {
			g.n.moveTwo()
		}
	})
}

// onSend loses the messages that cross the cut.
func (g *guests) onSend(env *txn.Envelope) sendAction {
	r := env.Msg.Raft
	if r == nil || r.Shard == txn.MetaShard {
		return leaves // no history covers the directory
	}
	if g.n.w.now >= g.until {
		g.begin(env.From, r.Shard)
	}
	if r.Shard == g.shard && g.n.w.now < g.until && slices.Contains(g.inside, env.From) != slices.Contains(g.inside, env.To) {
		return heldBack
	}
	return leaves
}

func (g *guests) begin(leader txn.NodeID, s txn.ShardID) {
	if g.left == 0 || g.rand.IntN(4) > 0 {
		return
	}
	st, ok := g.n.w.host(leader).status(s)
	if !ok || st.Role != raft.StateLeader.String() || !st.Serving || len(st.Learners) < 2 || len(st.Outgoing) > 0 {
		return
	}
	g.left--
	g.shard, g.inside = s, append([]txn.NodeID{leader}, st.Learners...)
	more := (len(st.Voters)-1)/2 - 1 // they and the leader are no majority
	for _, v := range st.Voters {
		if v != leader && more > 0 {
			g.inside = append(g.inside, v)
			more--
		}
	}
	g.until = g.n.w.now + g.n.unit*time.Duration(20+g.rand.IntN(20))
	g.n.biased.count("a leader reaches only followers without a vote")
	g.n.w.log(g.n.w.host(leader), "reaches only %[2]v at shard %[1]d", s, g.inside[1:])
}
