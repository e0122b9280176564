package sim

import (
	"math/rand/v2"
	"slices"
	"time"

	"go.etcd.io/raft/v3"

	"isochron/participant"
	"isochron/txn"
)

// leftBehind makes a voter that knows only an old membership request votes from nodes that were
// members then, were removed, and are back without data. Replicas of a shard are moved away and
// back; a voter receives nothing of the shard meanwhile. When the moved replicas are back, and
// uninitialized, they receive only that voter's messages. Only Raft's messages of this shard are
// lost.
type leftBehind struct {
	n             *nemesis
	rand          *rand.Rand
	shard         txn.ShardID // 0: nothing is moved yet
	rival         txn.NodeID
	blanks        []txn.NodeID  // the moved replicas
	removed       bool          // they no longer have a replica
	uninitialized bool          // they are back
	looked        time.Duration // when that was last checked
	until         time.Duration
}

// behindUnits bounds the whole scenario; alone bounds how long the uninitialized replicas receive
// only the rival's messages.
const (
	behindUnits = 160
	aloneUnits  = 50
)

// start moves replicas at some time, and later back: as many as would form a majority together with
// one more.
func (l *leftBehind) start() {
	l.n.w.After(l.n.unit*time.Duration(1+l.rand.IntN(30)), func() {
		shards := len(l.n.replicated())
		switch {
		case !l.n.active || shards < 2:
			return
		case l.n.moving:
			l.start()
			return
		}
		l.n.moveSomeOf(1+l.rand.IntN(shards-1), (len(l.n.w.cfg.Directory.Nodes)-1)/2)
	})
}

// onSend cuts the rival off, and later the uninitialized replicas from all but it.
func (l *leftBehind) onSend(env *txn.Envelope) sendAction {
	r := env.Msg.Raft
	if r == nil {
		return leaves
	}
	if l.shard == 0 {
		l.begin(env.From, r)
	}
	now := l.n.w.now
	if r.Shard != l.shard || now >= l.until {
		return leaves
	}
	if !l.uninitialized && now >= l.looked+l.n.unit/4 {
		l.look()
	}
	rivals := env.From == l.rival || env.To == l.rival
	ofBlank := slices.Contains(l.blanks, env.From) || slices.Contains(l.blanks, env.To)
	if l.uninitialized {
		if rivals != ofBlank {
			return heldBack
		}
	} else if rivals || l.removed && ofBlank {
		return heldBack // so that they are still uninitialized at the next check
	}
	return leaves
}

// begin selects a shard whose replicas are about to be moved, at a message of its leader.
func (l *leftBehind) begin(leader txn.NodeID, r *txn.Raft) {
	if !l.n.moving || r.Shard != l.n.moved.shard || r.Shard == txn.MetaShard || r.SentNanos == 0 {
		return
	}
	st, ok := l.n.w.host(leader).status(r.Shard)
	if !ok || st.Role != raft.StateLeader.String() || len(st.Outgoing) > 0 {
		return
	}
	for _, v := range st.Voters {
		if v != leader && !slices.Contains(l.n.moved.from, v) {
			l.shard, l.rival, l.blanks = r.Shard, v, l.n.moved.from
			l.until = l.n.w.now + behindUnits*l.n.unit
			l.n.w.log(l.n.w.host(v), "will receive nothing of shard %d, of which %v are moved away and back", r.Shard, l.blanks)
			return
		}
	}
}

// look checks whether the moved replicas are removed, or back and still without data.
func (l *leftBehind) look() {
	l.looked = l.n.w.now
	gone, blank := true, true
	for _, b := range l.blanks {
		h := l.n.w.host(b)
		st, has := h.status(l.shard)
		gone = gone && h.up() && !has
		blank = blank && has && isUninitialized(st)
	}
	l.removed = l.removed || gone
	if !blank {
		return
	}
	l.uninitialized, l.until = true, l.looked+aloneUnits*l.n.unit
	l.n.biased.count("a stale voter requests votes from uninitialized replicas")
	l.n.w.log(l.n.w.host(l.rival), "is the only node of shard %[2]d that %[1]v receive from", l.blanks, l.shard)
}

func isUninitialized(st participant.Status) bool { return len(st.Voters) == 0 }
