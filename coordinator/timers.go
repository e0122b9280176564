package coordinator

import (
	"time"

	"isochron/txn"
)

// sweepEvery is how often at most Tick looks at what is open.
const sweepEvery = 20 * time.Millisecond

// manyOpen is from how many on that are open Tick finds out itself which are due.
const manyOpen = 256

// NextWake is the earliest instant of this node's clock at which Tick has something to
// do if nothing else happens before: no message, no request, no news of a leader. Before
// it Tick changes nothing. What is to be done at once is done when Tick may look again.
func (c *Coordinator) NextWake() time.Duration {
	if len(c.parts)+len(c.commits) > manyOpen || !c.admission.Quiet() {
		return min(c.sweepAt, c.NextDeparture())
	}
	at := min(c.nextOpen(), c.turn.nextWake(c.sweepAt-sweepEvery), c.recent.nextWake(), c.nextCotally(), c.decisions.nextWake(), c.surveys.nextWake())
	return min(max(at, c.sweepAt), c.NextDeparture())
}

// nextOpen is when something is to be asked again: at once if a leader that was asked
// has a successor.
func (c *Coordinator) nextOpen() time.Duration {
	at := txn.Never
	for _, p := range c.parts { // order: the least of all
		if at = min(at, p.wakeAt); c.asksLeader(p) && c.leaders.succeeded(p.access.Shard, p.term) {
			return 0
		}
	}
	for _, k := range c.commits { // order: the least of all
		at = min(at, k.NextWake())
	}
	return at
}

// nextWake is when a bound of a switch is reached that was not when Tick looked last.
func (u *turn) nextWake(looked time.Duration) time.Duration {
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

// nextWake is when something is to be forgotten.
func (r *recentWrites) nextWake() time.Duration {
	if len(r.queue) == 0 {
		return txn.Never
	}
	return r.queue[0].until
}

// nextCotally is when an attempt of another gateway is to be forgotten.
func (c *Coordinator) nextCotally() time.Duration {
	if at, ok := c.coords.NextExpiry(); ok {
		return at
	}
	return txn.Never
}
