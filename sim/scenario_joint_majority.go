package sim

import (
	"math/rand/v2"
	"slices"
	"time"

	"go.etcd.io/raft/v3"

	"isochron/txn"
)

// jointMajority has a leader in the middle of a change of members be heard by a majority of
// those who have a vote from now on, and by too few of those who had one before. These need
// not know of the change, and elect another. Raft's messages of this shard alone are cut.
type jointMajority struct {
	n      *nemesis
	rand   *rand.Rand
	left   int // how often in this run
	moves  int // how often a replica is moved for it
	shard  txn.ShardID
	inside []txn.NodeID // the leader, and a majority of the new voters
	until  time.Duration
}

// restUnits bounds the time before a move, and between two looks whether there is one.
const restUnits = 36

// start has a replica be moved now and then if none is: each is two changes of members.
func (p *jointMajority) start() {
	if p.moves == 0 {
		return
	}
	p.n.w.After(p.n.unit*time.Duration(restUnits/3+p.rand.IntN(restUnits)), func() {
		if !p.n.active {
			return
		}
		if shards := len(p.n.replicated()); !p.n.moving && shards > 1 {
			p.moves--
			p.n.moveSomeOf(1+p.rand.IntN(shards-1), 1)
		}
		p.start()
	})
}

// onSend loses what would cross the cut.
func (p *jointMajority) onSend(env *txn.Envelope) sendAction {
	r := env.Msg.Raft
	if r == nil || r.Shard == txn.MetaShard {
		return leaves
	}
	if r.SentNanos != 0 && p.n.w.now >= p.until {
		p.begin(env.From, r.Shard)
	}
	if r.Shard == p.shard && p.n.w.now < p.until && slices.Contains(p.inside, env.From) != slices.Contains(p.inside, env.To) {
		return heldBack
	}
	return leaves
}

// begin cuts at the first message that a leader sends when it has begun the change.
func (p *jointMajority) begin(leader txn.NodeID, s txn.ShardID) {
	if p.left == 0 || !p.n.moving {
		return
	}
	st, ok := p.n.w.host(leader).status(s)
	if !ok || st.Role != raft.StateLeader.String() || !st.Serving || len(st.Outgoing) == 0 {
		return
	}
	inside, before := []txn.NodeID{leader}, 0
	for _, fresh := range []bool{true, false} { // those who join first
		for _, v := range st.Voters {
			if v != leader && slices.Contains(st.Outgoing, v) != fresh && 2*len(inside) <= len(st.Voters) {
				inside = append(inside, v)
			}
		}
	}
	for _, v := range inside {
		if slices.Contains(st.Outgoing, v) {
			before++
		}
	}
	if 2*before >= len(st.Outgoing) {
		return // nobody could be elected without them
	}
	p.left--
	p.shard, p.inside, p.until = s, inside, p.n.w.now+p.n.unit*time.Duration(15+p.rand.IntN(20))
	p.n.biased.count("a leader is heard by those who join alone")
	p.n.w.log(p.n.w.host(leader), "is heard at shard %d by %v alone, while its members change", s, inside[1:])
}
