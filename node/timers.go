package node

import (
	"time"

	"isochron/txn"
)

// touched records an event.
func (n *Node) touched() { n.timers.touched(n.now.Mono) }

// wakeAt returns the time of the next wake, if nothing happens before.
func (n *Node) wakeAt() time.Duration {
	return min(n.timers.nextLook(n.NextWake), n.coord.NextDeparture(), n.hostedParticipants.nextArrivalTime())
}

// NextWake is the earliest time at which Tick has work in the present state.
func (n *Node) NextWake() time.Duration {
	return min(n.coord.NextWake(), n.protocolSwitch.nextWake(), n.hostedParticipants.nextWake())
}

// Wake must be called at Output.WakeAt, or soon after. Before that time it does nothing,
// except that the first call may be at any time and starts the ticks.
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

// Tick checks all timers, whether anything is due or not.
func (n *Node) Tick(now txn.Now) {
	n.now = now
	n.timers.look(now.Mono)
	n.hostedParticipants.tick()
	n.coord.Tick()
	n.protocolSwitch.tick(now.Mono)
	n.hostedParticipants.retire()
}

// TimerStats returns the counts of timer checks.
func (n *Node) TimerStats() TimerStats { return n.timers.counts }
