package coordinator

import (
	"time"

	"isochron/txn"
)

// sweepEvery is the minimum time between Tick's sweeps over open transactions.
const sweepEvery = 20 * time.Millisecond

// manyOpen is the number of open entries from which on Tick itself determines the due ones.
const manyOpen = 256

// NextWake is the earliest time at which Tick has something to do if nothing else happens before:
// no message, no request, no new leader. Before it Tick changes nothing. Immediate work waits for
// the next sweep.
func (c *Coordinator) NextWake() time.Duration {
	if len(c.reads.parts)+len(c.commits.all) > manyOpen || !c.admission.admission.Quiet() {
		return min(c.sweepAt, c.NextDeparture())
	}
	at := min(c.reads.nextWake(), c.commits.nextWake(), c.protocolSwitch.nextWake(c.sweepAt-sweepEvery), c.recent.nextWake(), c.decisions.nextWake(), c.contentionQueries.nextWake(), c.asks.nextWake())
	if expiry, ok := c.coords.NextExpiry(); ok {
		at = min(at, expiry)
	}
	return min(max(at, c.sweepAt), c.NextDeparture())
}

// NextDeparture is when the next part of a round or Prepare leaves, or the next sleeping
// transaction is judged again: Depart is to be called then, and not at the next tick.
func (c *Coordinator) NextDeparture() time.Duration {
	return min(c.reads.nextDeparture(), c.commits.late.next(), c.admission.late.NextWake())
}

// Depart sends the parts and Prepares whose departure time has come, and judges sleeping
// transactions again.
func (c *Coordinator) Depart() {
	c.reads.depart()
	c.commits.late.depart()
	c.admission.wake()
}

// nextWake is when a bound of a switch is reached that had not been at the last Tick.
func (u *protocolSwitch) nextWake(looked time.Duration) time.Duration {
	at := txn.Never
	switch {
	case u.try != 0 && u.drain > looked:
		at = min(u.drain, u.until)
	case u.try != 0:
		at = u.until
	}
	if u.behind > u.seq {
		at = min(at, u.patch)
	}
	if len(u.held) > 0 && !u.holds() {
		at = 0
	}
	return at
}

// nextWake is when an entry expires.
func (r *recentWrites) nextWake() time.Duration {
	if len(r.queue) == 0 {
		return txn.Never
	}
	return r.queue[0].until
}
