package sim

import (
	"math/rand/v2"
	"slices"
	"time"

	"go.etcd.io/raft/v3"

	"isochron/participant"
	"isochron/txn"
)

// leftBehind has one who knows only the members of old ask those for their votes who were
// members then, went, and are back with nothing. Replicas of a shard are moved away and back;
// a voter hears nothing of the shard all the while. When those who were moved are back, and
// blank, they hear of that one alone. Raft's messages of this shard are lost, nothing else.
type leftBehind struct {
	n             *nemesis
	rand          *rand.Rand
	shard         txn.ShardID // 0: nothing is moved yet
	rival         txn.NodeID
	blanks        []txn.NodeID  // who are moved
	removed       bool          // they have no replica any more
	uninitialized bool          // they are back
	looked        time.Duration // when that was looked at last
	until         time.Duration
}

// behindUnits bounds how long all of it may take, and alone how long the blank ones hear of nobody
// else.
const (
	behindUnits = 160
	aloneUnits  = 50
)

// start has replicas be moved at some time, and later back: as many as would elect somebody
// together with one more.
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

// onSend cuts the rival off, and later those who are blank from all but it.
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
		return heldBack // so that they are still blank when that is seen
	}
	return leaves
}

// begin takes up a shard whose replicas are about to be moved, at a message of its leader.
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
			l.n.w.log(l.n.w.host(v), "will hear nothing of shard %d, of which %v are moved away and back", r.Shard, l.blanks)
			return
		}
	}
}

// look finds out whether those who were moved are gone, or back and have nothing yet.
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
	l.n.biased.count("who was left behind asks those who are blank")
	l.n.w.log(l.n.w.host(l.rival), "is all that %v hear of shard %d", l.blanks, l.shard)
}

func isUninitialized(st participant.Status) bool { return len(st.Voters) == 0 }
