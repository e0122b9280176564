package estimate

import "time"

// Threshold is from which temperature on a gateway reads a record at its leader, and
// follows how its transactions fare (Bonspiel section 3.2).
//
// How it thinks. A replica that is near may be behind its leader by about the round trip
// between them, so what counts is how many updates of a record are to be expected in one: its
// temperature times the round trip. That is what the threshold bounds. The paper has it
// lowered if transactions of several regions abort at a high rate, and raised otherwise;
// how far and how often it leaves open. Here the rate of the last tries is looked at once
// enough of them have ended and some time has passed. The threshold falls by half, for
// aborts cost whole round trips, and rises by a quarter. A threshold at its least reads all
// that was updated of late at leaders, one at its most hardly anything.
//
// What the caller owes it. It calls from one goroutine, with times of a clock that never runs
// back, once for each try.
type Threshold struct {
	cfg         ThresholdConfig
	at          Updates
	since       time.Duration
	ended, lost int
	rate        int
}

// Updates is how many updates of a record are expected in some time, in millionths.
type Updates int64

// Expected is how many there are in a round trip at a temperature.
func (t Temperature) Expected(in time.Duration) Updates {
	micros := min(max(in, 0), time.Minute).Microseconds()
	return Updates(min(int64(t), 1<<32) * micros / 1000)
}

// ThresholdConfig are the settings of a Threshold. Zero fields mean the defaults.
type ThresholdConfig struct {
	First        Updates       // at the beginning, and always if Fixed; 1,000
	Least, Most  Updates       // its bounds; 100 and 1,000,000
	AbortPercent int           // of the tries that were looked at: above it the rate is high; 10
	Every        time.Duration // how long tries are gathered at least, and
	TriesLeast   int           // how many; 1 s and 20
	Fixed        bool          // it stays as it is
}

// The defaults. A thousandth of an update in a round trip is the public prototype's
// threshold, which does not adapt; the others are ours.
const (
	DefaultThreshold      Updates = 1_000
	DefaultThresholdLeast Updates = 100
	DefaultThresholdMost  Updates = 1_000_000
	DefaultAbortPercent           = 10
	DefaultThresholdEvery         = time.Second
	DefaultThresholdTries         = 20
)

func (c ThresholdConfig) withDefaults() ThresholdConfig {
	or := func(u *Updates, d Updates) {
		if *u <= 0 {
			*u = d
		}
	}
	or(&c.First, DefaultThreshold)
	or(&c.Least, DefaultThresholdLeast)
	or(&c.Most, DefaultThresholdMost)
	if c.AbortPercent <= 0 {
		c.AbortPercent = DefaultAbortPercent
	}
	if c.Every <= 0 {
		c.Every = DefaultThresholdEvery
	}
	if c.TriesLeast <= 0 {
		c.TriesLeast = DefaultThresholdTries
	}
	return c
}

// NewThreshold is one at its beginning.
func NewThreshold(cfg ThresholdConfig) *Threshold {
	cfg = cfg.withDefaults()
	return &Threshold{cfg: cfg, at: cfg.First}
}

// At is the threshold now: so many updates of a record in a round trip, or more, and it is
// read at its leader.
func (t *Threshold) At() Updates { return t.at }

// AbortPercent is of which rate the threshold is the answer: that of the tries that were
// looked at last.
func (t *Threshold) AbortPercent() int { return t.rate }

// Ended takes in that a try has ended, lost to others or not; moved tells that the threshold
// is another now.
func (t *Threshold) Ended(now time.Duration, lost bool) (moved bool) {
	if t.ended == 0 {
		t.since = now
	}
	t.ended++
	if lost {
		t.lost++
	}
	if t.ended < t.cfg.TriesLeast || now-t.since < t.cfg.Every {
		return false
	}
	before := t.at
	t.at = t.next(t.lost*100 > t.ended*t.cfg.AbortPercent)
	t.rate, t.ended, t.lost = t.lost*100/t.ended, 0, 0
	return t.at != before
}

// next is the threshold after a rate that was high, or was not.
func (t *Threshold) next(high bool) Updates {
	switch {
	case t.cfg.Fixed:
		return t.at
	case high:
		return max(t.at/2, t.cfg.Least)
	}
	return min(t.at+max(t.at/4, 1), t.cfg.Most)
}
