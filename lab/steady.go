package lab

import (
	"fmt"
	"math"
	"time"
)

// steadiness counts the commits of each third of the measured time.
type steadiness struct {
	since  time.Duration
	third  time.Duration
	thirds [3]int64
}

// begin starts the measured time, the first time that it is called.
func (s *steadiness) begin(now, measured time.Duration) {
	if s.third == 0 {
		s.since, s.third = now, max(measured/time.Duration(len(s.thirds)), 1)
	}
}

func (s *steadiness) add(now time.Duration, o outcome) {
	if o.committed {
		s.thirds[min(max((now-s.since)/s.third, 0), time.Duration(len(s.thirds)-1))]++
	}
}

// Conditions under which a run's averages are meaningful.
const (
	// CommitsMin is the fewest commits: with that many, chance alone moves a throughput by six
	// percent.
	CommitsMin = 300
	// DriftMax is the largest relative difference of the commits of the last third from those of
	// the first, beyond chance (four standard deviations).
	DriftMax = 0.25
)

// Unsteady returns why the run's averages do not describe the protocol, but the time at which it
// was measured or the few transactions that happened to commit. It is empty if they do.
func (r Result) Unsteady() string {
	if r.Committed < CommitsMin {
		return fmt.Sprintf("%s committed %d transactions", r.Protocol, r.Committed)
	}
	first, last := float64(r.CommittedByThird[0]), float64(r.CommittedByThird[2])
	if math.Abs(first-last) > DriftMax*first+4*math.Sqrt(first+last) {
		return fmt.Sprintf("%s is not steady: %d, %d and %d commits in the thirds of its time",
			r.Protocol, r.CommittedByThird[0], r.CommittedByThird[1], r.CommittedByThird[2])
	}
	return ""
}
