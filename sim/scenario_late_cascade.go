package sim

import (
	"math/rand/v2"
	"time"

	"isochron/txn"
)

// lateCascade delays the news at gateways that a value their transaction has read was rolled back
// or changed: the transaction continues and is voted on as if it was not.
type lateCascade struct {
	n    *nemesis
	rand *rand.Rand
	odds int
}

// cascadeUnits bounds the delay.
const cascadeUnits = 8

// onSend delays the news.
func (l *lateCascade) onSend(env *txn.Envelope) sendAction {
	if w := env.Msg.Wounded; w == nil || !w.Cascade || l.rand.IntN(l.odds) > 0 {
		return leaves
	}
	l.n.biased.count("a cascade is reported late")
	l.n.w.net.hold(*env, time.Duration(1+l.rand.Int64N(cascadeUnits*int64(l.n.unit))))
	return heldBack
}
