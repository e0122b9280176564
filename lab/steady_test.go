package lab

import (
	"strings"
	"testing"
	"time"
)

// A difference within chance is steady; a drift beyond it is not, nor are a few commits.
func TestUnsteady(t *testing.T) {
	for _, c := range []struct {
		thirds [3]int64
		reason string
	}{
		{[3]int64{100, 100, 100}, ""},
		{[3]int64{100, 100, 99}, "committed 299"},
		{[3]int64{100, 100, 160}, ""}, // 25 and four standard deviations of 260: 64
		{[3]int64{100, 100, 210}, "not steady"},
		{[3]int64{10_000, 9000, 7800}, ""}, // of many, chance explains little
		{[3]int64{10_000, 9000, 6900}, "not steady"},
		{[3]int64{0, 200, 200}, "not steady"},
	} {
		r := Result{CommittedByThird: c.thirds}
		r.Committed = c.thirds[0] + c.thirds[1] + c.thirds[2]
		if got := r.Unsteady(); c.reason == "" && got != "" || !strings.Contains(got, c.reason) {
			t.Errorf("%v: %q", c.thirds, got)
		}
	}
}

// Commits are counted in the third in which they end, and all of them are.
func TestThirds(t *testing.T) {
	var s steadiness
	s.begin(time.Second, 3*time.Second)
	s.begin(9*time.Second, time.Hour) // the end of the measured time: no second begin
	for _, at := range []time.Duration{1000, 1999, 2000, 3999, 4000} {
		s.add(at*time.Millisecond, outcome{committed: true})
	}
	s.add(2*time.Second, outcome{})
	if s.thirds != [3]int64{2, 1, 2} {
		t.Errorf("%v", s.thirds)
	}
	r := sound(t, mustRun(t, short()))
	if sum := r.CommittedByThird[0] + r.CommittedByThird[1] + r.CommittedByThird[2]; sum != r.Committed || sum == 0 {
		t.Errorf("%v of %d commits", r.CommittedByThird, r.Committed)
	}
}
