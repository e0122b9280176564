package sim

import (
	"math/rand/v2"
	"time"

	"isochron/txn"
)

// latePrepare delivers a Prepare after the attempt is over: on its way to one participant it is
// delayed until that participant's leader has replied that its log has no vote of the attempt. That
// reply must remain true.
type latePrepare struct {
	n       *nemesis
	rand    *rand.Rand
	odds    int
	attempt txn.Attempt
	shard   txn.ShardID
	prepare txn.Envelope  // the first that was delayed
	until   time.Duration // until then it may be delivered, then it is lost
}

// onSend delays a Prepare, and releases it after the InquireReply.
func (l *latePrepare) onSend(env *txn.Envelope) sendAction {
	now := l.n.w.now
	if p := env.Msg.Prepare; p != nil {
		if now >= l.until && !p.ReadOnly && len(p.Participants) > 1 && p.Term != 0 && l.rand.IntN(l.odds) == 0 {
			l.attempt, l.shard, l.prepare, l.until = p.Attempt, p.Shard, *env, now+50*l.n.unit
		}
		if now < l.until && p.Attempt == l.attempt && p.Shard == l.shard {
			return heldBack
		}
		return leaves
	}
	f := env.Msg.InquireReply
	if f != nil && now < l.until && f.Result == txn.OutcomeNo && f.Attempt == l.attempt && f.Shard == l.shard && env.From == l.prepare.To {
		l.until = now
		l.n.biased.count("a prepare arrives after the log was queried")
		l.n.w.net.hold(l.prepare, 0)
	}
	return leaves
}
