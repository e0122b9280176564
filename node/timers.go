package node

import (
	"time"

	"isochron/txn"
)

// touched notes an event.
func (n *Node) touched() { n.timers.touched(n.now.Mono) }

// wakeAt is when the node wants to be woken, if nothing happens before.
func (n *Node) wakeAt() time.Duration {
	return min(n.timers.nextLook(n.NextWake), n.coord.NextDeparture(), n.hostedParticipants.nextArrivalTime())
}

// NextWake is the earliest instant at which Tick has something to do, as things are now.
func (n *Node) NextWake() time.Duration {
	return min(n.coord.NextWake(), n.protocolSwitch.nextWake(), n.hostedParticipants.nextWake())
}

// Wake is to be called at Output.WakeAt, or soon after. Before that instant it does nothing;
// but the first call may come at any time, and ticks are counted from there.
func (n *Node) Wake(now txn.Now) {
	if n.timers.begun && now.Mono < n.timers.nextLook(n.NextWake) {
		n.now = now
		if n.coord.NextDeparture() <= now.Mono {
			n.touched()
			n.coord.Depart()
		}
		if n.hostedParticipants.nextArrivalTime() <= now.Mono {
			n.touched()
			n.hostedParticipants.atArrivalTime()
		}
		return
	}
	n.Tick(now)
}

// Tick looks at all timers, whether anything is due or not.
func (n *Node) Tick(now txn.Now) {
	n.now = now
	n.timers.look(now.Mono)
	n.hostedParticipants.tick()
	n.coord.Tick()
	n.protocolSwitch.tick(now.Mono)
	n.hostedParticipants.retire()
}

// TimerStats tells how often the node has looked at its timers.
func (n *Node) TimerStats() TimerStats { return n.timers.counts }
