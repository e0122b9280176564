package estimate

import "time"

// Threshold is the temperature above which a gateway reads a record at its leader; it
// adapts to the abort rate of its transactions (Bonspiel section 3.2).
//
// How it works. A near replica may lag behind its leader by about the round trip
// between them, so the relevant quantity is the expected number of updates of a record in one: its
// temperature times the round trip. The threshold bounds that number. In the paper it is
// lowered if multi-region transactions abort at a high rate, and raised otherwise;
// by how much and how often is left open. Here the rate of the last tries is evaluated once
// enough of them have ended and some time has passed. The threshold falls by half, because
// aborts cost whole round trips, and rises by a quarter. At its minimum all recently
// updated records are read at leaders, at its maximum hardly any.
//
// What the caller owes it. Calls from one goroutine, with times of a clock that never runs
// backwards, once for each try.
type Threshold struct {
	cfg         ThresholdConfig
	at          Updates
	since       time.Duration
	ended, lost int
	rate        int
}

// Updates is an expected number of updates of a record, in millionths.
type Updates int64

// Expected returns the expected updates during in at this temperature.
func (t Temperature) Expected(in time.Duration) Updates {
	micros := min(max(in, 0), time.Minute).Microseconds()
	return Updates(min(int64(t), 1<<32) * micros / 1000)
}

// ThresholdConfig has the settings of a Threshold. Zero fields mean the defaults.
type ThresholdConfig struct {
	First        Updates       // initially, and always if Fixed; 1,000
	Least, Most  Updates       // its bounds; 100 and 1,000,000
	AbortPercent int           // of the evaluated tries: a rate above it is high; 10
	Every        time.Duration // least time between evaluations; 1 s
	TriesLeast   int           // least number of tries between evaluations; 20
	Fixed        bool          // it does not adapt
}

// The defaults. A thousandth of an update in a round trip is the public prototype's
// threshold, which does not adapt; the others are our choice.
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

// NewThreshold returns a Threshold at its initial value.
func NewThreshold(cfg ThresholdConfig) *Threshold {
	cfg = cfg.withDefaults()
	return &Threshold{cfg: cfg, at: cfg.First}
}

// At returns the present threshold: a record with at least so many updates in a round trip is
// read at its leader.
func (t *Threshold) At() Updates { return t.at }

// AbortPercent returns the rate at the last evaluation.
func (t *Threshold) AbortPercent() int { return t.rate }

// Ended counts an ended try, lost to others or not; moved reports whether the threshold
// has changed.
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

// next returns the threshold after a rate that was high, or was not.
func (t *Threshold) next(high bool) Updates {
	switch {
	case t.cfg.Fixed:
		return t.at
	case high:
		return max(t.at/2, t.cfg.Least)
	}
	return min(t.at+max(t.at/4, 1), t.cfg.Most)
}
