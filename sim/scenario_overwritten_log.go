package sim

import (
	"math/rand/v2"
	"time"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"isochron/txn"
)

// overtaken makes a leader log alone until another leads; the old leader then accepts the first
// entries of the new log, and crashes: the entries that it logged alone are overwritten on its
// disk, and more of them than the entries in their place. Raft's messages of this shard are lost,
// or carry fewer entries than they might; nothing else is affected.
type overtaken struct {
	n     *nemesis
	rand  *rand.Rand
	odds  int
	left  int // repetitions left in this run
	shard txn.ShardID
	old   txn.NodeID // logs alone; 0: no scenario
	rival txn.NodeID // the new leader, once there is one
	until time.Duration
}

// overtakenUnits bounds how long the old leader logs alone.
const overtakenUnits = 40

// onSend follows the old leader from its isolation to its first acknowledgement.
func (o *overtaken) onSend(env *txn.Envelope) sendAction {
	if p := env.Msg.Prepare; p != nil {
		o.begin(env.To, p)
		return leaves
	}
	r := env.Msg.Raft
	if r == nil || o.old == 0 || r.Shard != o.shard || env.From != o.old && env.To != o.old {
		return leaves
	}
	if o.n.w.now >= o.until {
		o.old = 0
		return leaves
	}
	if o.rival == 0 {
		o.rival = o.successor()
	}
	m := new(raftpb.Message)
	if o.rival == 0 || env.From != o.rival && env.To != o.rival || proto.Unmarshal(r.Data, m) != nil {
		return heldBack
	}
	switch {
	case env.From == o.rival && m.GetType() == raftpb.MsgApp && len(m.GetEntries()) > 1:
		o.shorten(env, m)
	case env.From == o.old && m.GetType() == raftpb.MsgAppResp && !m.GetReject():
		return o.end()
	}
	return leaves
}

// successor returns the new leader; 0 if there is none yet.
func (o *overtaken) successor() txn.NodeID {
	old, ok := o.n.w.host(o.old).status(o.shard)
	for _, h := range o.n.w.live() {
		st, has := h.status(o.shard)
		if ok && has && h.id != o.old && st.Role == raft.StateLeader.String() && st.Term > old.Term {
			return h.id
		}
	}
	return 0
}

// shorten keeps the first of the entries.
func (o *overtaken) shorten(env *txn.Envelope, m *raftpb.Message) {
	m.Entries = m.Entries[:1]
	if short, err := proto.Marshal(m); err == nil {
		r := env.Msg.Raft
		env.Msg.Raft = &txn.Raft{Shard: r.Shard, Data: short, SentNanos: r.SentNanos, EchoNanos: r.EchoNanos}
	}
}

func (o *overtaken) begin(leader txn.NodeID, p *txn.Prepare) {
	w := o.n.w
	if o.old != 0 || o.left == 0 || p.ReadOnly || len(p.Writes) == 0 || o.rand.IntN(o.odds) > 0 {
		return
	}
	st, ok := w.host(leader).status(p.Shard)
	if !ok || !st.Serving || len(st.Outgoing) > 0 || len(st.Voters) < 3 {
		return
	}
	o.left--
	o.shard, o.old, o.rival, o.until = p.Shard, leader, 0, w.now+overtakenUnits*o.n.unit
	w.log(w.host(leader), "will log alone at shard %d, and be overtaken", p.Shard)
}

// end crashes the old leader once it has acknowledged the first entries of the rival's log.
func (o *overtaken) end() sendAction {
	h := o.n.w.host(o.old)
	o.old = 0
	o.n.biased.count("a log is overwritten, and its node restarts")
	o.n.w.After(o.n.unit/20, h.restart)
	return leftCrash
}
