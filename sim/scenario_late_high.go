package sim

import (
	"math/rand/v2"
	"strings"
	"time"

	"isochron/txn"
)

// lateHigh delivers prepares of high priority just before their arrival time, at one shard or at
// all: a transaction that should be priority-aborted elsewhere has voted there, and is aborted
// elsewhere, or is not.
type lateHigh struct {
	n       *nemesis
	rand    *rand.Rand
	odds    int
	attempt txn.Attempt
	shard   txn.ShardID // 0: all
}

// onSend delays a Prepare whose arrival time other shards know, and for longer the report of a
// priority abort.
func (l *lateHigh) onSend(env *txn.Envelope) sendAction {
	if v := env.Msg.Vote; v != nil && strings.Contains(v.Reason, "priority abort") && l.rand.IntN(l.odds) == 0 {
		l.n.biased.count("a priority abort is reported late")
		l.n.w.net.hold(*env, time.Duration(1+l.rand.IntN(6))*l.n.unit)
		return heldBack
	}
	p := env.Msg.Prepare
	if p == nil || p.FixedSet == nil || len(p.FixedSet.Parts) == 0 || p.Age.Priority < txn.PriorityHigh {
		return leaves
	}
	if p.Attempt != l.attempt && l.rand.IntN(l.odds) == 0 {
		l.attempt, l.shard = p.Attempt, 0
		if l.rand.IntN(2) == 0 {
			l.shard = p.Shard
		}
	}
	if p.Attempt != l.attempt || l.shard != 0 && p.Shard != l.shard {
		return leaves
	}
	there := l.n.w.net.delays[env.From-1][env.To-1]
	early := time.Duration(p.FixedSet.ArrivalTime-l.n.w.host(env.To).now().WallNanos) - there - 3*time.Millisecond
	if early <= 0 {
		return leaves
	}
	l.n.biased.count("a prepare of high priority arrives just before its arrival time")
	l.n.w.net.hold(*env, early)
	return heldBack
}
