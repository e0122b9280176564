package schedule

import (
	"time"

	"isochron/estimate"
)

// Policy is a protocol's choice of when a round's parts leave.
type Policy uint8

// The choices.
const (
	// Unset is no choice; a protocol of the table that has it inherits one.
	Unset  Policy = iota
	AtOnce        // every part leaves immediately
	// AlignReplies: parts to near participants leave later, so that all replies arrive at the same
	// time: a near lock is held for no longer than a far one (GeoTP section 4.2, Eq. 3: for equal
	// execution times).
	AlignReplies
	// Postponed is AlignReplies with the expected work at each participant, waits for locks
	// included: start_j = max_i (rtt_i + lel_i) - (rtt_j + lel_j) (GeoTP section 4.3, Eq. 8).
	Postponed
	// WritesLast: every part leaves immediately, and in each read-only statements precede writing
	// ones, so that written rows are locked later (QURO, as in GeoTP section 6.1).
	WritesLast
	// InnerLast: parts to participants in the gateway's own region leave when all others have been
	// answered: so their locks are not held while a far participant is awaited (Chiller, as in
	// GeoTP section 6.1).
	InnerLast
	// AtArrivalTime: every part leaves immediately, with the time at which the last of them should
	// arrive: each is queued at its participant until then (Natto section 3.2).
	AtArrivalTime
)

// text presents a choice: its name in lists, and its meaning, cost and source, a sentence each.
type text struct{ name, meaning, cost, source string }

// texts has the text of each choice, in the order of the constants.
var texts = [...]text{
	{name: "unset"},
	{
		"immediately",
		"All messages of a round leave immediately.",
		"Near participants hold their locks until the farthest one has replied.",
		"",
	},
	{
		"so that all replies arrive together",
		"Messages to near participants leave later, so that all replies arrive at the same time.",
		"A wrong estimate of a round trip delays the round, by at most 1 s.",
		"GeoTP section 4.2",
	},
	{
		"so that all replies arrive together, expected work included",
		"Messages leave so that all replies arrive at the same time, with the execution and lock waits expected at each participant.",
		"Gateways keep statistics of hot records; a wrong forecast delays the round, by at most 1 s.",
		"GeoTP section 4.3",
	},
	{
		"immediately, writes after reads",
		"All messages leave immediately; each participant runs the statements that only read before those that write.",
		"Only statements of one message that lock no common record change their order.",
		"QURO, as in GeoTP section 6.1",
	},
	{
		"immediately, and to the own region when the others have replied",
		"Messages to the gateway's own region leave when all other participants have replied.",
		"A round takes one local round trip longer.",
		"Chiller, as in GeoTP section 6.1",
	},
	{
		"immediately, and are processed when the last should have arrived",
		"Messages leave immediately, and each participant queues its own until the last one should have arrived.",
		"Near participants reply as late as the farthest; clocks that differ delay or abort transactions.",
		"Natto section 3.2",
	},
}

func (c Policy) String() string { return texts[c].name }

// Explain returns the choice's meaning, cost and source.
func (c Policy) Explain() (meaning, cost, source string) {
	t := texts[c]
	return t.meaning, t.cost, t.source
}

// Waits reports whether parts may be delayed before they leave.
func (c Policy) Waits() bool { return c == AlignReplies || c == Postponed }

// Forecasts reports whether Delays needs the expected work of parts.
func (c Policy) Forecasts() bool { return c == Postponed }

// Part has the data on which the departure of one part of a round depends.
type Part struct {
	RoundTrip time.Duration // to its participant and back; below 0: unknown
	Admitted  time.Duration // expected there; 0 or below: none
	Near      bool          // its participant is in the gateway's own region
}

// Delays returns how long each part waits before it leaves, in their order; nil: none waits. A part
// with an unknown round trip leaves immediately, and no other waits for it. No part waits for
// longer than mostDelay, whatever the estimates.
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

// HoldsBack reports whether parts may wait for the replies to others.
func (c Policy) HoldsBack() bool { return c == InnerLast }

// HeldBack reports which parts leave when all others are answered, in their order; nil: none does.
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

// latency is the expected time until a part's reply, below 0 if unknown.
func (c Policy) latency(p Part) time.Duration {
	if p.RoundTrip < 0 || !c.Forecasts() {
		return p.RoundTrip
	}
	return p.RoundTrip + max(p.Admitted, 0)
}

// SetsArrivalTime reports whether parts have an arrival time at which they are processed.
func (c Policy) SetsArrivalTime() bool { return c == AtArrivalTime }

// ArrivalTime is that time, in nanoseconds of the receivers' wall clocks, and held the longest wait
// of a part at its participant. margin is added for errors of the estimates.
//
// No part takes longer than the longest round trip. If one seems to take so much longer than
// another, the clocks differ, and no time suits all of them: the others would wait for the clock
// that is ahead, or that is behind theirs. So the part is late where the clock is too far ahead,
// and no other waits for it.
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
	// mostDelay bounds the wait of a part, without the margin, whatever the estimates.
	mostDelay = time.Second
	// leastApart is the difference between clocks that is tolerated for any delays: those kept by a
	// time server.
	leastApart = 50 * time.Millisecond
)
