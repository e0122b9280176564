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
	// (GeoTP section 4.2, of places whose work takes equally long).
	Together
)

func (c Choice) String() string {
	return [...]string{"unset", "at once", "so that all answers come back together"}[c]
}

// Waits reports whether parts may have to wait before they leave.
func (c Choice) Waits() bool { return c == Together }

// Delays says how long each part waits before it leaves, given the round trips to their
// places, in their order; nil: none waits. A round trip below 0 is not known: such a part
// leaves at once, and no other waits for it.
func (c Choice) Delays(roundTrips []time.Duration) []time.Duration {
	if !c.Waits() || len(roundTrips) < 2 {
		return nil
	}
	longest := time.Duration(0)
	for _, rtt := range roundTrips {
		longest = max(longest, rtt)
	}
	out := make([]time.Duration, len(roundTrips))
	for i, rtt := range roundTrips {
		if rtt >= 0 {
			out[i] = min(longest-rtt, mostDelay)
		}
	}
	return out
}

// mostDelay bounds how long a part waits, whatever was estimated.
const mostDelay = time.Second
