package schedule

import (
	"time"

	"isochron/estimate"
)

// Policy is a row's choice of when a round's parts leave.
type Policy uint8

// The choices.
const (
	// Unset is no choice; a row of the table that has it takes another's.
	Unset  Policy = iota
	AtOnce        // every part leaves at once
	// AlignReplies: parts to places near by leave later, so that all answers come back at the
	// same time: what is locked near by is locked for no longer than what is far away
	// (GeoTP section 4.2, Eq. 3: of places whose work takes equally long).
	AlignReplies
	// Postponed is Together with the work that is expected at each place, waits for locks
	// included: start_j = max_i (rtt_i + lel_i) - (rtt_j + lel_j) (GeoTP section 4.3, Eq. 8).
	Postponed
	// WritesLast: every part leaves at once, and in each what only reads goes before what
	// writes, so that what is written is locked later (QURO, as GeoTP section 6.1 has it).
	WritesLast
	// InnerLast: parts to places in the gateway's own region leave when all others were
	// answered: so they are locked while nothing far away is waited for (Chiller, the same).
	InnerLast
	// AtArrivalTime: every part leaves at once, stamped with the moment at which the last of them
	// should have arrived: each waits at its place until then (Natto section 3.2).
	AtArrivalTime
)

func (c Policy) String() string {
	return [...]string{"unset", "at once", "so that all answers come back together",
		"so that all answers come back together, with the work that is expected",
		"at once, with what writes after what reads", "at once, and to the own region when the others were answered",
		"at once, and are handled when the last should have arrived"}[c]
}

// Waits reports whether parts may have to wait before they leave.
func (c Policy) Waits() bool { return c == AlignReplies || c == Postponed }

// Forecasts reports whether Delays asks for the expected work of parts.
func (c Policy) Forecasts() bool { return c == Postponed }

// Part is one part of a round: what its departure goes by.
type Part struct {
	RoundTrip time.Duration // to its place and back; below 0: not known
	Admitted  time.Duration // expected there; 0 or below: none
	Near      bool          // its place is in the gateway's own region
}

// Delays says how long each part waits before it leaves, in their order; nil: none waits.
// A part whose round trip is not known leaves at once, and no other waits for it. No part
// waits for longer than a second, whatever was estimated.
func (c Policy) Delays(parts []Part) []time.Duration {
	if !c.Waits() || len(parts) < 2 {
		return nil
	}
	longest := time.Duration(0)
	for _, p := range parts {
		longest = max(longest, c.latency(p))
	}
	out := make([]time.Duration, len(parts))
	for i, p := range parts {
		if p.RoundTrip >= 0 {
			out[i] = min(longest-c.latency(p), mostDelay)
		}
	}
	return out
}

// HoldsBack reports whether parts may have to wait for the answers of others.
func (c Policy) HoldsBack() bool { return c == InnerLast }

// HeldBack says which parts leave when all others were answered, in their order; nil: none does.
func (c Policy) HeldBack(parts []Part) []bool {
	if !c.HoldsBack() {
		return nil
	}
	out, near := make([]bool, len(parts)), 0
	for i, p := range parts {
		if out[i] = p.Near; p.Near {
			near++
		}
	}
	if near == 0 || near == len(parts) {
		return nil
	}
	return out
}

// latency is how long a part's answer is expected to take, below 0 if that is not known.
func (c Policy) latency(p Part) time.Duration {
	if p.RoundTrip < 0 || !c.Forecasts() {
		return p.RoundTrip
	}
	return p.RoundTrip + max(p.Admitted, 0)
}

// SetsArrivalTime reports whether parts are handled at an instant that they are stamped with.
func (c Policy) SetsArrivalTime() bool { return c == AtArrivalTime }

// ArrivalTime is that instant, in nanoseconds of the wall clocks of those who receive the parts, and held
// the longest that any of them holds its part back. margin is for what the estimates miss.
//
// No part takes longer than the longest round trip. If one seems to take so much longer than
// another it is clocks that differ, and no instant suits all of them: the others would wait for the
// clock that is ahead, or whose clock is behind for them. So the part comes late where the clock is
// too far ahead, and nobody waits for it.
func ArrivalTime(wallNanos int64, ways []estimate.Way, margin time.Duration) (at int64, held time.Duration) {
	if len(ways) == 0 {
		ways = []estimate.Way{{}}
	}
	shortest, most := ways[0].OneWay, leastApart
	for _, w := range ways {
		shortest = min(shortest, w.OneWay)
		most = max(most, min(w.RoundTrip, mostDelay))
	}
	longest := shortest
	for _, w := range ways {
		if w.OneWay <= shortest+most {
			longest = max(longest, w.OneWay)
		}
	}
	longest += max(margin, 0)
	return wallNanos + int64(longest), longest - shortest
}

const (
	// mostDelay bounds how long a part waits, but for the margin, whatever was estimated.
	mostDelay = time.Second
	// leastApart is by how much clocks may differ that are kept by a time server, whatever the ways.
	leastApart = 50 * time.Millisecond
)
