package sim

import (
	"math/rand/v2"
	"time"

	"isochron/txn"
)

// lateCascade has gateways hear late that a transaction has gone on from a value that was
// undone or changed: so it asks for more, and votes, as if it had not.
type lateCascade struct {
	n    *nemesis
	rand *rand.Rand
	odds int
}

// cascadeUnits bounds how late.
const cascadeUnits = 8

// onSend holds the news back.
func (l *lateCascade) onSend(env *txn.Envelope) sendAction {
	if w := env.Msg.Wounded; w == nil || !w.Cascade || l.rand.IntN(l.odds) > 0 {
		return leaves
	}
	l.n.biased.count("a cascade is told late")
	l.n.w.net.hold(*env, time.Duration(1+l.rand.Int64N(cascadeUnits*int64(l.n.unit))))
	return heldBack
}
