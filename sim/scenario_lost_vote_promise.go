package sim

import (
	"math/rand/v2"
	"time"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"

	"isochron/txn"
)

// lostPromise restarts followers while they have promised their leader to elect no other for one
// election time-out. A rival does not receive the leader's messages, and requests votes; meanwhile
// the others receive heartbeats, and get no entries that the rival lacks. Just then a majority of
// those crash, and restart immediately. No follower receives anything of the leader any longer,
// which still has its lease. Only Raft's messages of this shard are lost or late, and hosts crash.
type lostPromise struct {
	n       *nemesis
	rand    *rand.Rand
	odds    int
	left    int // repetitions left in this run
	shard   txn.ShardID
	leader  txn.NodeID // 0: nothing is forced now
	rival   txn.NodeID
	voters  []txn.NodeID // the voters to restart
	crashed bool         // they have
	until   time.Duration
}

// promiseUnits bounds the time until the rival requests votes; lasts is the time for which the
// leader stays alone then.
const (
	promiseUnits = 30
	promiseLasts = 12
)

// onSend cuts the rival off, and then the leader.
func (l *lostPromise) onSend(env *txn.Envelope) sendAction {
	r := env.Msg.Raft
	if r == nil || r.Shard == txn.MetaShard {
		return leaves
	}
	if l.leader == 0 {
		l.begin(env, r)
		return leaves
	}
	if r.Shard != l.shard {
		return leaves
	}
	if l.n.w.now >= l.until {
		l.leader = 0
		return leaves
	}
	ofLeader, ofRival := env.From == l.leader || env.To == l.leader, env.From == l.rival || env.To == l.rival
	if ofLeader && (l.crashed || ofRival) {
		return heldBack
	}
	m := new(raftpb.Message)
	if l.crashed || proto.Unmarshal(r.Data, m) != nil {
		return leaves
	}
	switch {
	case ofLeader && len(m.GetEntries()) > 0: // else the rival's log would be too old
		return heldBack
	case env.From == l.rival && m.GetType() == raftpb.MsgPreVote:
		return l.strike(env)
	}
	return leaves
}

// begin takes a leader at one of its heartbeats, whose receiver becomes the rival.
func (l *lostPromise) begin(env *txn.Envelope, r *txn.Raft) {
	if l.left == 0 || r.SentNanos == 0 || l.rand.IntN(l.odds) > 0 {
		return
	}
	st, ok := l.n.w.host(env.From).status(r.Shard)
	if !ok || !st.Serving || st.Role != raft.StateLeader.String() || len(st.Outgoing) > 0 || len(st.Voters) < 3 {
		return
	}
	l.voters = nil
	for _, v := range st.Voters {
		if v != env.From && v != env.To && len(l.voters) < len(st.Voters)/2 {
			l.voters = append(l.voters, v)
		}
	}
	l.shard, l.leader, l.rival, l.crashed, l.until = r.Shard, env.From, env.To, false, l.n.w.now+promiseUnits*l.n.unit
}

// strike restarts the voters while the rival's vote request is in transit.
func (l *lostPromise) strike(env *txn.Envelope) sendAction {
	w := l.n.w
	l.left--
	l.crashed, l.until = true, w.now+promiseLasts*l.n.unit
	l.n.biased.count("followers restart within their promise")
	for _, v := range l.voters {
		h := w.host(v)
		w.log(h, "will restart within its promise to n%d at shard %d", l.leader, l.shard)
		h.crash(strictly)
		w.After(l.n.unit/20, h.restart)
	}
	w.net.hold(*env, l.n.unit/8)
	return heldBack
}
