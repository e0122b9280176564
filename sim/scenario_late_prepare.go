package sim

import (
	"math/rand/v2"
	"time"

	"isochron/txn"
)

// latePrepare has a Prepare come when it is over: on its way to one participant it
// waits until that one's leader has said that its log has no vote of the attempt.
// What was said then must hold.
type latePrepare struct {
	n       *nemesis
	rand    *rand.Rand
	odds    int
	attempt txn.Attempt
	shard   txn.ShardID
	prepare txn.Envelope  // the first that was held back
	until   time.Duration // it is lost
}

// onSend holds back a Prepare, and lets it go after the Finding.
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
		l.n.biased.count("a prepare comes after the log was asked")
		l.n.w.net.hold(l.prepare, 0)
	}
	return leaves
}
