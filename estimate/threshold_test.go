package estimate

import (
	"testing"
	"time"
)

// fare has tries end, so many of a hundred of them lost, over a time.
func fare(h *Threshold, from time.Duration, lost int) (moved int) {
	for i := range 100 {
		if h.Ended(from+time.Duration(i)*20*ms, i%100 < lost) {
			moved++
		}
	}
	return moved
}

// A high rate of aborts halves the threshold, another raises it by a quarter, both within bounds.
func TestTheThresholdFollowsAborts(t *testing.T) {
	for _, c := range []struct {
		cfg  ThresholdConfig
		lost int
		want Updates
	}{
		{ThresholdConfig{Every: 1900 * ms}, 11, 500},
		{ThresholdConfig{Every: 1900 * ms}, 9, 1250},
		{ThresholdConfig{Every: 1900 * ms, AbortPercent: 50}, 40, 1250},
		{ThresholdConfig{Every: 1900 * ms, Least: 800}, 100, 800},
		{ThresholdConfig{Every: 1900 * ms, Most: 1100}, 0, 1100},
		{ThresholdConfig{Every: 1900 * ms, First: 2, Least: 1}, 0, 3},
		{ThresholdConfig{Every: 1900 * ms, Fixed: true}, 100, 1000},
	} {
		h := NewThreshold(c.cfg)
		fare(h, 0, c.lost) // of the first 96 as many are lost
		if h.At() != c.want {
			t.Errorf("%+v, %d of a hundred lost: the threshold is %d, not %d", c.cfg, c.lost, h.At(), c.want)
		}
	}
}

// It moves once in a while, and not before enough tries have ended.
func TestTheThresholdTakesItsTime(t *testing.T) {
	h := NewThreshold(ThresholdConfig{})
	if moved := fare(h, 0, 0); moved != 1 {
		t.Errorf("it moved %d times in 2 s", moved) // after 1 s, and 0.98 s more
	}
	h = NewThreshold(ThresholdConfig{})
	for i := range DefaultThresholdTries - 1 {
		if h.Ended(time.Duration(i)*time.Minute, true) {
			t.Fatalf("it moved after %d tries", i+1)
		}
	}
	if !h.Ended(time.Hour, false) || h.At() != DefaultThreshold/2 || h.AbortPercent() != 95 {
		t.Errorf("after %d it is %d, %d %% lost", DefaultThresholdTries, h.At(), h.AbortPercent())
	}
}
