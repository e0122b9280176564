package schedule

import "time"

// Choice is a row's choice of when a round's parts leave.
type Choice uint8

// The choices.
const (
	// Unset is no choice; a row of the table that has it takes another's.
	Unset  Choice = iota
	AtOnce        // every part leaves at once
	// Together: parts to places near by leave later, so that all answers come back at the
	// same time: what is locked near by is locked for no longer than what is far away
	// (GeoTP section 4.2, Eq. 3: of places whose work takes equally long).
	Together
	// Postponed is Together with the work that is expected at each place, waits for locks
	// included: start_j = max_i (rtt_i + lel_i) - (rtt_j + lel_j) (GeoTP section 4.3, Eq. 8).
	Postponed
)

func (c Choice) String() string {
	return [...]string{"unset", "at once", "so that all answers come back together",
		"so that all answers come back together, with the work that is expected"}[c]
}

// Waits reports whether parts may have to wait before they leave.
func (c Choice) Waits() bool { return c == Together || c == Postponed }

// Forecasts reports whether Delays asks for the expected work of parts.
func (c Choice) Forecasts() bool { return c == Postponed }

// Part is one part of a round: what its departure goes by.
type Part struct {
	RoundTrip time.Duration // to its place and back; below 0: not known
	Work      time.Duration // expected there; 0 or below: none
}

// Delays says how long each part waits before it leaves, in their order; nil: none waits.
// A part whose round trip is not known leaves at once, and no other waits for it. No part
// waits for longer than a second, whatever was estimated.
func (c Choice) Delays(parts []Part) []time.Duration {
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

// latency is how long a part's answer is expected to take, below 0 if that is not known.
func (c Choice) latency(p Part) time.Duration {
	if p.RoundTrip < 0 || !c.Forecasts() {
		return p.RoundTrip
	}
	return p.RoundTrip + max(p.Work, 0)
}

// mostDelay bounds how long a part waits, whatever was estimated.
const mostDelay = time.Second
