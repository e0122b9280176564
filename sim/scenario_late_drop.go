package sim

import (
	"math/rand/v2"
	"time"

	"isochron/txn"
)

// lateDrop has a shard hear that a transaction is no more when it has just voted on it: on its
// way to one participant that is a shard the Prepare waits, and the decision gets lost, until
// the gateway says, asked by who waits for the locks, that the transaction has ended. The vote
// must stand then, until the decision comes.
type lateDrop struct {
	n       *nemesis
	rand    *rand.Rand
	odds    int
	prepare txn.Envelope // the first that was held back
	until   time.Duration
}

// onSend holds back a Prepare and loses decisions, and lets the answer go after the Prepare.
func (l *lateDrop) onSend(env *txn.Envelope) sendAction {
	now, m, held := l.n.w.now, &env.Msg, l.prepare.Msg.Prepare
	if p := m.Prepare; p != nil && now >= l.until && !p.ReadOnly && len(p.Participants) > 1 && !l.n.atSource(p.Shard) && l.rand.IntN(l.odds) == 0 {
		l.prepare, l.until = *env, now+200*l.n.unit
		return heldBack
	}
	if now >= l.until {
		return leaves
	}
	switch {
	case m.Prepare != nil && m.Prepare.Attempt == held.Attempt && m.Prepare.Shard == held.Shard,
		m.Decide != nil && m.Decide.Attempt == held.Attempt && m.Decide.Shard == held.Shard:
		return heldBack
	case m.TxnStatusReply != nil && !m.TxnStatusReply.Alive && m.TxnStatusReply.Txn == held.Txn && m.TxnStatusReply.Shard == held.Shard:
		l.until = now
		l.n.biased.count("a vote is asked for just before its transaction is said to be no more")
		l.n.w.net.hold(l.prepare, 0)
		l.n.w.net.hold(*env, l.n.unit)
		return heldBack
	}
	return leaves
}
