package sim

import (
	"math/rand/v2"
	"time"

	"isochron/txn"
)

// lateDrop makes a shard learn that a transaction no longer exists just after it has voted on it:
// the Prepare to one participant that is a shard is delayed, and the decision gets lost, until the
// gateway, queried by a waiter for the locks, replies that the transaction has ended. The vote must
// remain valid until the decision arrives.
type lateDrop struct {
	n       *nemesis
	rand    *rand.Rand
	odds    int
	prepare txn.Envelope // the first that was delayed
	until   time.Duration
}

// onSend delays a Prepare, loses decisions, and releases the reply after the Prepare.
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
		l.n.biased.count("a prepare arrives just before its transaction is reported dead")
		l.n.w.net.hold(l.prepare, 0)
		l.n.w.net.hold(*env, l.n.unit)
		return heldBack
	}
	return leaves
}
