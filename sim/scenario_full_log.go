package sim

import (
	"math/rand/v2"
	"time"

	"go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"isochron/txn"
)

// fullLog keeps a leader with little log space from learning for a while which entries its
// followers have, just when its members are to change: votes that name the present members wait for
// space when the change is due. Only Raft's acknowledgements of this shard are lost.
type fullLog struct {
	n    *nemesis
	rand *rand.Rand
	left int           // repetitions left in this run
	ends time.Duration // when acknowledgements arrive again
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
