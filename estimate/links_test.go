package estimate

import (
	"testing"
	"time"
)

// A window holds enough probes that one late by chance is not its percentile, all of them are kept,
// and a node is sent a value only when it is new.
func TestLinksAreMeasuredOftenEnough(t *testing.T) {
	const probes, every = LinkProbes, 10 * ms
	if probes < 20 || probes > DefaultSamplesMax {
		t.Errorf("%d probes a window, of which %d are kept", probes, DefaultSamplesMax)
	}
	d := ProbingOf(every, false).Delays()
	for i := range probes {
		d.Add(2, Answered(time.Duration(i)*every, 80*ms))
	}
	last := time.Duration(probes-1) * every
	d.Add(2, Answered(last, 300*ms))
	if got, _ := d.To(2, last); got.P95 != 80*ms || got.Samples != probes+1 {
		t.Errorf("one late probe in a window: %+v", got)
	}
	if got, _ := d.To(2, last+probes*every+1); got.Samples != 0 {
		t.Errorf("a window later: %+v", got)
	}
}

// A sample has the clocks' difference in it if both are set, and no trip takes no time.
func TestProbeMeasuresDelayAndClock(t *testing.T) {
	const wall = int64(1_700_000_000_000_000_000)
	if s := Answered(5*ms, 0); s.At != 5*ms || s.RoundTrip != 1 || s.HasOneWay {
		t.Errorf("%+v", s)
	}
	for name, c := range map[string]struct {
		left, came int64
		want       time.Duration // 0: none
	}{
		"both clocks":      {wall, wall + int64(12*ms), 12 * ms},
		"a slow clock":     {wall, wall - int64(time.Second), -time.Second},
		"no clock there":   {wall, 0, 0},
		"no clock here":    {0, wall, 0},
		"years apart":      {1, wall, 0},
		"more than a day":  {wall, wall + int64(25*time.Hour), 0},
		"less than a day ": {wall, wall + int64(23*time.Hour), 23 * time.Hour},
	} {
		if s := Answered(1, ms).WithClocks(c.left, c.came); s.HasOneWay != (c.want != 0) || s.HasOneWay && s.OneWay != c.want {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// Only recent measurements determine a node's distance.
func TestDistance(t *testing.T) {
	d := ProbingOf(time.Second, false).Delays()
	d.Add(2, Answered(0, 80*ms))
	near, _ := d.To(2, time.Minute)
	if trip, ok := near.Distance(); !ok || trip != near.RoundTrip || trip != 80*ms {
		t.Errorf("%v, %v", trip, ok)
	}
	late, _ := d.To(2, time.Minute+1)
	if _, ok := late.Distance(); ok {
		t.Error("a sample older than a window counts")
	}
}
