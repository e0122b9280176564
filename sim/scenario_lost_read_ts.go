package sim

import (
	"math/rand/v2"
	"time"

	"isochron/txn"
)

// lostReadTS has a leader show the rows of a moment and crash right after. While
// others take its place, nobody else is asked for that moment: it lies ahead of
// their clocks, so that only the shard's log can keep them from committing
// something before it.
type lostReadTS struct {
	n       *nemesis
	rand    *rand.Rand
	odds    int
	left    int // how often in this run
	at      txn.Timestamp
	shard   txn.ShardID
	leader  txn.NodeID
	request uint64
	asker   txn.NodeID
	until   time.Duration // nobody is asked
	asked   txn.Timestamp // the highest moment that a leader was asked for so far
}

// aheadUnits is how far a moment must lie after every clock: so long it may take
// until somebody else leads.
const aheadUnits = 20

// ahead reports whether a moment lies well after all clocks, which are past every
// moment that was asked of a leader before.
func (l *lostReadTS) ahead(at txn.Timestamp) bool {
	clock := l.asked
	l.asked = max(l.asked, at)
	for _, h := range l.n.w.live() {
		clock = max(clock, txn.Timestamp(h.now().WallNanos))
	}
	return at >= clock+txn.Timestamp(aheadUnits*l.n.unit)
}

// onSend follows a read of a moment to its answer.
func (l *lostReadTS) onSend(env *txn.Envelope) sendAction {
	now := l.n.w.now
	if a := env.Msg.Access; a != nil && a.AsOf != 0 {
		switch {
		case now < l.until && a.AsOf == l.at:
			return heldBack // it is asked again
		case l.n.w.Leader(a.Shard) != env.To || !l.ahead(a.AsOf) || now < l.until || l.left == 0 || l.rand.IntN(l.odds) > 0:
		default:
			l.at, l.shard, l.leader, l.request, l.asker = a.AsOf, a.Shard, env.To, a.Request, env.From
		}
		return leaves
	}
	a := env.Msg.AccessReply
	if a == nil || l.asker == 0 || env.To != l.asker || env.From != l.leader || a.Request != l.request || a.Refused != 0 || a.HasUndecidedWrite {
		return leaves
	}
	l.asker = 0
	l.left--
	l.until = now + l.n.unit*time.Duration(12+l.rand.IntN(24))
	l.n.biased.count("a moment is lost with its leader")
	h := l.n.w.host(l.leader)
	l.n.w.log(h, "will crash after its answer of the moment %d at shard %d", l.at, l.shard)
	l.n.w.After(l.n.unit*time.Duration(1+l.rand.IntN(30)), h.restart)
	return leftCrash
}
