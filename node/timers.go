package node

import (
	"time"

	"isochron/txn"
)

// touched notes an event.
func (n *Node) touched() { n.wakes.touched(n.now.Mono) }

// wakeAt is when the node wants to be woken, if nothing happens before.
func (n *Node) wakeAt() time.Duration {
	return min(n.wakes.nextLook(n.NextWake), n.coord.NextDeparture(), n.hosts.nextInstant())
}

// NextWake is the earliest instant at which Tick has something to do, as things are now.
func (n *Node) NextWake() time.Duration {
	return min(n.coord.NextWake(), n.turn.nextWake(), n.hosts.nextWake())
}

// Wake is to be called at Output.WakeAt, or soon after. Before that instant it does nothing;
// but the first call may come at any time, and ticks are counted from there.
func (n *Node) Wake(now txn.Now) {
	if n.wakes.begun && now.Mono < n.wakes.nextLook(n.NextWake) {
		n.now = now
		if n.coord.NextDeparture() <= now.Mono {
			n.touched()
			n.coord.Depart()
		}
		if n.hosts.nextInstant() <= now.Mono {
			n.touched()
			n.hosts.atInstant()
		}
		return
	}
	n.Tick(now)
}

// Tick looks at all timers, whether anything is due or not.
func (n *Node) Tick(now txn.Now) {
	n.now = now
	n.wakes.look(now.Mono)
	n.hosts.tick()
	n.coord.Tick()
	n.turn.tick(now.Mono)
	n.hosts.retire()
}

// Wakes tells how often the node has looked at its timers.
func (n *Node) Wakes() Wakes { return n.wakes.counts }
