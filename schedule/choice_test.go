package schedule

import (
	"slices"
	"testing"
	"time"
)

const ms = time.Millisecond

// Answers come back together, an unknown place holds nobody up, and no wait is without bound.
func TestDelays(t *testing.T) {
	for _, c := range []struct {
		choice          Choice
		roundTrips, out []time.Duration
	}{
		{AtOnce, []time.Duration{10 * ms, 80 * ms}, nil},
		{Together, []time.Duration{10 * ms}, nil},
		{Together, []time.Duration{10 * ms, 80 * ms, 0}, []time.Duration{70 * ms, 0, 80 * ms}},
		{Together, []time.Duration{10 * ms, -1, 30 * ms}, []time.Duration{20 * ms, 0, 0}},
		{Together, []time.Duration{0, time.Hour}, []time.Duration{mostDelay, 0}},
	} {
		if got := c.choice.Delays(c.roundTrips); !slices.Equal(got, c.out) {
			t.Errorf("%v, %s: %v, not %v", c.roundTrips, c.choice, got, c.out)
		}
	}
}
