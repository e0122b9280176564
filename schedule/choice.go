package schedule

import "time"

// Choice is a row's choice of when a round's parts leave.
type Choice uint8

// The choices.
const (
	// Unset is no choice; a row of the table that has it takes another's.
	Unset  Choice = iota
	AtOnce        // every part leaves at once
)

func (c Choice) String() string { return [...]string{"unset", "at once"}[c] }

// Delays says how long each part waits, given the round trips to their places.
func (c Choice) Delays(roundTrips []time.Duration) []time.Duration {
	return make([]time.Duration, len(roundTrips))
}
