package coordinator

import (
	"cmp"
	"slices"
	"time"

	"isochron/txn"
)

// Parts of a round that leave later than others, as the row's choice of departures says
// (package schedule). They leave at their instant and not with a tick: what they wait for
// is to arrive together.

// leave sends the parts of a round that begins, each at its instant.
func (c *Coordinator) leave(parts []*part) {
	delays := c.cfg.Row.Arrive.Delays(c.roundTrips(parts))
	for i, p := range parts {
		if delays == nil || delays[i] == 0 {
			c.sendPart(p)
			continue
		}
		p.leavesAt = c.env.Now().Mono + delays[i]
		p.wakeAt, p.deadline = p.leavesAt, p.deadline+delays[i]
		at, _ := slices.BinarySearchFunc(c.departures, p, byDeparture)
		c.departures = slices.Insert(c.departures, at, p)
	}
}

func byDeparture(a, b *part) int {
	return cmp.Or(cmp.Compare(a.leavesAt, b.leavesAt), cmp.Compare(a.id, b.id))
}

// roundTrips are those to where the parts go, below 0 where that is not known; nil if
// nobody asks.
func (c *Coordinator) roundTrips(parts []*part) []time.Duration {
	if !c.cfg.Row.Arrive.Waits() || len(parts) < 2 {
		return nil
	}
	out := make([]time.Duration, len(parts))
	for i, p := range parts {
		out[i] = -1
		if to, _ := c.target(p); to != 0 {
			if rtt, ok := c.env.RoundTrip(to); ok {
				out[i] = rtt
			}
		}
	}
	return out
}

// NextDeparture is the instant at which the next part leaves, by this node's clock: Depart
// is to be called then, and not with the next tick.
func (c *Coordinator) NextDeparture() time.Duration {
	if len(c.departures) == 0 {
		return txn.Never
	}
	return c.departures[0].leavesAt
}

// Depart sends the parts whose instant has come.
func (c *Coordinator) Depart() {
	now := c.env.Now().Mono
	for len(c.departures) > 0 && c.departures[0].leavesAt <= now {
		p := c.departures[0]
		c.departures = slices.Delete(c.departures, 0, 1)
		if c.parts[p.id] == p && p.tries == 0 { // its transaction may have ended
			c.sendPart(p)
		}
	}
}
