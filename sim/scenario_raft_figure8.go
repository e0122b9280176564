package sim

import (
	"math/rand/v2"
	"time"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"isochron/participant"
	"isochron/txn"
)

// oldEntry stores votes on a majority's disks and still loses them (Raft paper, section 5.4.2). A
// leader logs them alone; a rival is elected without it, and logs alone too; the old leader returns
// and sends the others the entries of its old term, but none of the new one; then the rival is
// elected again, whose entry is of a later term, and overwrites them. A count of the replicas that
// took the votes in the third act is not proof of a commit.
//
// No node crashes: Raft's messages of this shard are lost, or carry fewer entries than they might,
// as if the rest had been in a message that was lost.
type oldEntry struct {
	n     *nemesis
	rand  *rand.Rand
	odds  int
	left  int // repetitions left in this run
	shard txn.ShardID
	act   act
	until time.Duration // the act ends without success
	old   txn.NodeID
	rival txn.NodeID
}

// act is the step of an oldEntry.
type act uint8

const (
	waiting     act = iota
	alone           // the old leader's entries reach no follower
	usurped         // the rival leads, without the old leader, and its entries reach no follower
	back            // the old leader leads, without the rival, and sends old entries alone
	overwritten     // the rival leads, without the old leader
)

// actUnits bounds an act in which a leader is to be elected.
const actUnits = 40

// onSend loses and shortens messages.
func (o *oldEntry) onSend(env *txn.Envelope) sendAction {
	if p := env.Msg.Prepare; p != nil {
		o.begin(env.To, p)
		return leaves
	}
	r := env.Msg.Raft
	if r == nil || o.act == waiting || r.Shard != o.shard {
		return leaves
	}
	favourite, away := o.cast()
	if away != 0 && (env.From == away || env.To == away) {
		return heldBack
	}
	m := new(raftpb.Message)
	if proto.Unmarshal(r.Data, m) != nil {
		return leaves // garbled on purpose
	}
	switch m.GetType() {
	case raftpb.MsgVote, raftpb.MsgPreVote, raftpb.MsgTimeoutNow:
		if env.From != favourite {
			return heldBack
		}
	case raftpb.MsgApp:
		if o.act == back {
			o.shorten(env, m)
		} else if o.act != overwritten && len(m.GetEntries()) > 0 {
			return heldBack
		}
	}
	return leaves
}

// cast returns the only replica that may be elected in an act, and the replica that is cut off.
func (o *oldEntry) cast() (favourite, away txn.NodeID) {
	switch o.act {
	case usurped, overwritten:
		return o.rival, o.old
	case back:
		return o.old, o.rival
	}
	return 0, 0
}

// shorten keeps the entries of terms before the leader's.
func (o *oldEntry) shorten(env *txn.Envelope, m *raftpb.Message) {
	n := 0
	for n < len(m.GetEntries()) && m.Entries[n].GetTerm() < m.GetTerm() {
		n++
	}
	if n == len(m.Entries) {
		return
	}
	if n > 0 {
		o.n.biased.count("entries of an old term are handed on")
	}
	m.Entries = m.Entries[:n]
	if short, err := proto.Marshal(m); err == nil {
		r := env.Msg.Raft
		env.Msg.Raft = &txn.Raft{Shard: r.Shard, Data: short, SentNanos: r.SentNanos, EchoNanos: r.EchoNanos}
	}
}

func (o *oldEntry) begin(leader txn.NodeID, p *txn.Prepare) {
	w := o.n.w
	if o.act != waiting || o.left == 0 || p.ReadOnly || len(p.Writes) == 0 || o.rand.IntN(o.odds) > 0 {
		return
	}
	st, ok := w.host(leader).status(p.Shard)
	if !ok || !st.Serving || len(st.Outgoing) > 0 || len(st.Voters) < 3 {
		return
	}
	o.rival = st.Voters[o.rand.IntN(len(st.Voters))]
	if o.rival == leader {
		return
	}
	o.left--
	o.shard, o.old = p.Shard, leader
	o.n.biased.count("a leader logs alone")
	w.log(w.host(leader), "will log alone at shard %d, as n%d will after it", p.Shard, o.rival)
	o.enter(alone, o.n.unit*time.Duration(1+o.rand.IntN(3)))
}

// enter begins an act that lasts for d, or until its leader is elected and has had time for its
// part.
func (o *oldEntry) enter(a act, d time.Duration) {
	o.act, o.until = a, o.n.w.now+d
	o.n.w.After(o.n.unit/4, o.look)
}

// look enters the next act when it is due.
func (o *oldEntry) look() {
	favourite, _ := o.cast()
	elected := false
	if favourite != 0 {
		st, ok := o.n.w.host(favourite).status(o.shard)
		elected = ok && st.Role == raft.StateLeader.String()
	}
	limit := o.n.unit * actUnits
	switch {
	case !o.n.active, favourite != 0 && !elected && o.n.w.now >= o.until:
		o.act = waiting
	case o.act == alone && o.n.w.now >= o.until:
		o.enter(usurped, limit)
	case o.act == usurped && elected:
		o.n.w.After(o.n.unit/2, func() { o.enter(back, limit) }) // its entry gets to its disk
	case o.act == back && elected:
		o.n.w.After(o.n.unit*time.Duration(3+o.rand.IntN(5)), func() { o.enter(overwritten, limit) })
	case o.act == overwritten && elected:
		o.act = waiting
		o.n.biased.count("entries that a majority had are overwritten")
	default:
		o.n.w.After(o.n.unit/4, o.look)
	}
}

// status returns the state of a host's replica of a shard; false if it has none.
func (h *host) status(id txn.ShardID) (st participant.Status, ok bool) {
	if !h.up() {
		return st, false
	}
	for _, s := range h.node.Statuses() {
		if s.Shard == id {
			return s, true
		}
	}
	return st, false
}
