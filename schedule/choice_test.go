package schedule

import (
	"slices"
	"testing"
	"time"

	"isochron/estimate"
)

const ms = time.Millisecond

// trips are parts of which only the round trips are known.
func trips(all ...time.Duration) (out []Part) {
	for _, rtt := range all {
		out = append(out, Part{RoundTrip: rtt})
	}
	return out
}

// work is a part with a round trip and expected work.
func work(rtt, expected time.Duration) Part { return Part{RoundTrip: rtt, Admitted: expected} }

// Replies arrive together, an unknown participant delays no other, and every wait is bounded.
// Without expected work Postponed equals AlignReplies.
func TestDelays(t *testing.T) {
	for _, c := range []struct {
		parts []Part
		out   []time.Duration
	}{
		{trips(10 * ms), nil},
		{trips(10*ms, 80*ms, 0), []time.Duration{70 * ms, 0, 80 * ms}},
		{trips(10*ms, -1, 30*ms), []time.Duration{20 * ms, 0, 0}},
		{trips(0, time.Hour), []time.Duration{mostDelay, 0}},
	} {
		for _, choice := range []Policy{AlignReplies, Postponed} {
			if got := choice.Delays(c.parts); !slices.Equal(got, c.out) {
				t.Errorf("%v, %s: got %v, want %v", c.parts, choice, got, c.out)
			}
		}
		if got := AtOnce.Delays(c.parts); got != nil {
			t.Errorf("%v: %v", c.parts, got)
		}
	}
}

// With expected work replies arrive together too: a near part that waits for locks leaves earlier,
// or is the one for which the others leave later. AlignReplies ignores expected work.
func TestDelaysWithExpectedWork(t *testing.T) {
	for _, c := range []struct {
		parts []Part
		out   []time.Duration
	}{
		{[]Part{work(10*ms, 30*ms), work(80*ms, 0)}, []time.Duration{40 * ms, 0}},
		{[]Part{work(10*ms, 170*ms), work(80*ms, 20*ms), work(60*ms, 0)}, []time.Duration{0, 80 * ms, 120 * ms}},
		{[]Part{work(10*ms, 30*ms), work(-1, time.Hour), work(80*ms, -time.Hour)}, []time.Duration{40 * ms, 0, 0}},
		{[]Part{work(10*ms, time.Hour), work(80*ms, 0)}, []time.Duration{0, mostDelay}},
	} {
		if got := Postponed.Delays(c.parts); !slices.Equal(got, c.out) {
			t.Errorf("%v: got %v, want %v", c.parts, got, c.out)
		}
		bare := slices.Clone(c.parts)
		for i := range bare {
			bare[i].Admitted = 0
		}
		if got, want := AlignReplies.Delays(c.parts), AlignReplies.Delays(bare); !slices.Equal(got, want) {
			t.Errorf("%v, %s: got %v, want %v", c.parts, AlignReplies, got, want)
		}
	}
}

// The arrival time is when the last part should arrive, by the receivers' clocks, and no part waits
// for a clock that must be wrong.
func TestAnArrivalTimeFitsTheClocks(t *testing.T) {
	const ms, margin = time.Millisecond, 2 * time.Millisecond
	trip := func(rtt time.Duration, ways ...time.Duration) (out []estimate.Way) {
		for _, w := range ways {
			out = append(out, estimate.Way{OneWay: w, RoundTrip: rtt})
		}
		return out
	}
	for _, c := range []struct {
		what     string
		ways     []estimate.Way
		at, held time.Duration
	}{
		{"no delay is known", nil, margin, margin},
		{"the last part", trip(160*ms, 10*ms, 80*ms, 30*ms), 82 * ms, 72 * ms},
		{"the sender's clock is ahead of all", trip(160*ms, -3990*ms, -3920*ms), -3918 * ms, 72 * ms},
		{"the sender's clock is behind all", trip(160*ms, 4010*ms, 4080*ms), 4082 * ms, 72 * ms},
		{"clocks differ by less than the longest round trip", trip(160*ms, 10*ms, 170*ms), 172 * ms, 162 * ms},
		{"and by more", trip(160*ms, 10*ms, 171*ms), 12 * ms, 2 * ms},
		{"and machines are near", trip(1*ms, 0, 50*ms), 52 * ms, 52 * ms},
		{"and round trips are no measure", trip(time.Hour, 10*ms, 1011*ms), 12 * ms, 2 * ms},
		{"one clock is far ahead", trip(160*ms, 10*ms, 4080*ms, 30*ms), 32 * ms, 22 * ms},
		{"one clock is far behind", trip(160*ms, 10*ms, -3920*ms, 30*ms), -3918 * ms, 2 * ms},
	} {
		at, held := ArrivalTime(int64(time.Hour), c.ways, margin)
		if at != int64(time.Hour+c.at) || held != c.held {
			t.Errorf("%s: arrival time %v from now and held for %v, want %v and %v", c.what, time.Duration(at)-time.Hour, held, c.at, c.held)
		}
	}
}
