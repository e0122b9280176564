package sim

import (
	"math/rand/v2"
	"slices"
	"time"

	"go.etcd.io/raft/v3"

	"isochron/txn"
)

// jointMajority isolates a leader in the middle of a membership change with a majority of the new
// voters and too few of the old ones. The other old voters need not know of the change, and elect
// another leader. Only Raft's messages of this shard are cut.
type jointMajority struct {
	n      *nemesis
	rand   *rand.Rand
	left   int // repetitions left in this run
	moves  int // replica moves left
	shard  txn.ShardID
	inside []txn.NodeID // the leader, and a majority of the new voters
	until  time.Duration
}

// restUnits bounds the time before a move, and between two checks whether there is one.
const restUnits = 36

// start moves a replica now and then if no move is in progress: each move is two membership
// changes.
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

// onSend loses the messages that cross the cut.
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

// begin cuts at the first message that a leader sends after it has started the change.
func (p *jointMajority) begin(leader txn.NodeID, s txn.ShardID) {
	if p.left == 0 || !p.n.moving {
		return
	}
	st, ok := p.n.w.host(leader).status(s)
	if !ok || st.Role != raft.StateLeader.String() || !st.Serving || len(st.Outgoing) == 0 {
		return
	}
	inside, before := []txn.NodeID{leader}, 0
	for _, fresh := range []bool{true, false} { // joining voters first
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
		return // without them no leader could be elected
	}
	p.left--
	p.shard, p.inside, p.until = s, inside, p.n.w.now+p.n.unit*time.Duration(15+p.rand.IntN(20))
	p.n.biased.count("a leader reaches only joining voters")
	p.n.w.log(p.n.w.host(leader), "reaches only %[2]v at shard %[1]d, during a membership change", s, inside[1:])
}
