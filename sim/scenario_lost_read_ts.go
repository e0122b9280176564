package sim

import (
	"math/rand/v2"
	"time"

	"isochron/txn"
)

// lostReadTS makes a leader serve rows at a read timestamp and crash right after. While another
// replica takes over, no other leader receives that read timestamp: it is ahead of their clocks, so
// that only the shard's log can keep them from committing something before it.
type lostReadTS struct {
	n       *nemesis
	rand    *rand.Rand
	odds    int
	left    int // repetitions left in this run
	at      txn.Timestamp
	shard   txn.ShardID
	leader  txn.NodeID
	request uint64
	asker   txn.NodeID
	until   time.Duration // no other leader receives it until then
	asked   txn.Timestamp // the largest read timestamp that a leader was sent so far
}

// aheadUnits is the distance of a read timestamp from every clock: the longest time until another
// replica leads.
const aheadUnits = 20

// ahead reports whether a read timestamp is well ahead of all clocks, which are past every read
// timestamp sent to a leader before.
func (l *lostReadTS) ahead(at txn.Timestamp) bool {
	clock := l.asked
	l.asked = max(l.asked, at)
	for _, h := range l.n.w.live() {
		clock = max(clock, txn.Timestamp(h.now().WallNanos))
	}
	return at >= clock+txn.Timestamp(aheadUnits*l.n.unit)
}

// onSend follows a read at a timestamp to its reply.
func (l *lostReadTS) onSend(env *txn.Envelope) sendAction {
	now := l.n.w.now
	if a := env.Msg.Access; a != nil && a.AsOf != 0 {
		switch {
		case now < l.until && a.AsOf == l.at:
			return heldBack // the reader sends it again
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
	l.n.biased.count("a read timestamp is lost with its leader")
	h := l.n.w.host(l.leader)
	l.n.w.log(h, "will crash after its reply at read timestamp %d at shard %d", l.at, l.shard)
	l.n.w.After(l.n.unit*time.Duration(1+l.rand.IntN(30)), h.restart)
	return leftCrash
}
