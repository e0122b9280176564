package sim

import (
	"math/rand/v2"
	"time"

	"isochron/txn"
)

// laterTerm delivers a Prepare twice, the second time when its leader leads in a later term. The
// leader no longer knows its refusals of the first term; the client has the answer that the
// transaction aborted.
type laterTerm struct {
	n       *nemesis
	rand    *rand.Rand
	odds    int
	left    int          // repetitions left in this run
	prepare txn.Envelope // the one that is followed
	until   time.Duration
	waits   bool // its leader was lost, and is to lead again
}

// laterUnits bounds the wait for a refusal, and the wait for a leader's return.
const (
	laterUnits  = 20
	returnUnits = 60
)

// onSend follows one Prepare to its refusal.
func (l *laterTerm) onSend(env *txn.Envelope) sendAction {
	now := l.n.w.now
	if p := env.Msg.Prepare; p != nil {
		follows := l.left > 0 && !l.waits && now >= l.until && len(p.Participants) == 1 && !p.ReadOnly && len(p.Writes) > 0 && p.Term > 0 && p.LockTerm == 0
		if follows && l.rand.IntN(l.odds) == 0 {
			l.prepare, l.until = *env, now+laterUnits*l.n.unit
		}
		return leaves
	}
	v := env.Msg.Vote
	if v == nil || v.Yes || l.waits || now >= l.until || v.Attempt != l.prepare.Msg.Prepare.Attempt || env.From != l.prepare.To {
		return leaves
	}
	l.left--
	l.waits, l.until = true, now+returnUnits*l.n.unit
	h := l.n.w.host(env.From)
	l.n.w.log(h, "will be lost with its refusal of %v", v.Attempt)
	l.n.w.After(l.n.unit/20, h.restart)
	l.n.w.After(l.n.unit/4, l.look)
	return leftCrash
}

// look sends the Prepare again once its receiver leads in another term.
func (l *laterTerm) look() {
	p := l.prepare.Msg.Prepare
	st, ok := l.n.w.host(l.prepare.To).status(p.Shard)
	switch {
	case !l.n.active || l.n.w.now >= l.until:
		l.waits = false
	case ok && st.Serving && st.Term > p.Term:
		l.waits = false
		l.n.biased.count("a prepare arrives again in a later term")
		l.n.w.net.hold(l.prepare, 0)
	default:
		l.n.w.After(l.n.unit/16, l.look)
	}
}
