package sim

import (
	"math/rand/v2"
	"time"

	"go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"isochron/txn"
)

// fullLog has a leader whose log has little room hear for a while of nothing that its
// followers have, just when its members are to change: so votes that name the members of now
// wait for room when the change is due. Raft's acknowledgements of this shard alone are lost.
type fullLog struct {
	n    *nemesis
	rand *rand.Rand
	left int           // how often in this run
	ends time.Duration // when it hears of them again
}

// fullUnits bounds how long.
const fullUnits = 30

// onSend loses acknowledgements.
func (p *fullLog) onSend(env *txn.Envelope) sendAction {
	r := env.Msg.Raft
	if r == nil || !p.n.moving || r.Shard != p.n.moved.shard {
		return leaves
	}
	m := new(raftpb.Message)
	if proto.Unmarshal(r.Data, m) != nil || m.GetType() != raftpb.MsgAppResp {
		return leaves
	}
	now := p.n.w.now
	if to := p.n.w.host(env.To); now >= p.ends && p.left > 0 && to.up() && !to.node.Converged() && p.rand.IntN(3) == 0 {
		p.left--
		p.ends = now + p.n.unit*time.Duration(10+p.rand.IntN(fullUnits))
		p.n.biased.count("a log with little room while members change")
	}
	if now < p.ends {
		return heldBack
	}
	return leaves
}
