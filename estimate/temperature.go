package estimate

import (
	"math/bits"
	"time"

	"isochron/txn"
)

// Temperatures are the update rates of the most updated records (Bonspiel
// section 3.2).
//
// How it works. For each record there is one number, the sum of the weights of its updates.
// A later update weighs more, twice as much after each half-life, so that
// older updates need no processing to lose weight; within a half-life weights rise
// linearly. A steady rate results exactly from the sum, at any time. All
// arithmetic is on integers, so that it is the same on every processor.
//
// The first update of an unknown record is not counted: one update gives no
// rate, and most inserted or loaded rows are not updated soon. Beyond the
// bounds the least recently updated record is evicted.
//
// What the caller owes it. Calls from one goroutine, with times of a clock that never runs
// backwards. Costs are O(log n) for each record; for a range, at most RangeMax of its records.
type Temperatures struct {
	cfg TemperatureConfig
	recent[warmth]
}

// Temperature is in updates per thousand seconds.
type Temperature int64

// TemperatureConfig has the settings of Temperatures. Zero fields mean the defaults.
type TemperatureConfig struct {
	RecordsMax int           // records kept; 65,536
	RangeMax   int           // records visited of a range, its first; 256
	HalfLife   time.Duration // of an update's weight, at least 1 ms; 5 s
}

// The defaults. The half-life is the window of the public prototype's counts; the paper
// gives none.
const (
	DefaultWarmRecordsMax = 1 << 16
	DefaultWarmRangeMax   = 256
	DefaultWarmHalfLife   = 5 * time.Second
)

func (c TemperatureConfig) withDefaults() TemperatureConfig {
	if c.RecordsMax <= 0 {
		c.RecordsMax = DefaultWarmRecordsMax
	}
	if c.RangeMax <= 0 {
		c.RangeMax = DefaultWarmRangeMax
	}
	if c.HalfLife <= 0 {
		c.HalfLife = DefaultWarmHalfLife
	}
	c.HalfLife = max(c.HalfLife, time.Millisecond)
	return c
}

// warmth is the state of one recently updated record.
type warmth struct {
	sum uint64 // of weights, in units of one at the start of age
	age int64  // half-lives since the clock's zero
}

// The weight of an update at the start of a half-life, and the bound of a sum: it is
// reached beyond a hundred million updates a half-life.
const (
	one    = 1 << 20
	sumMax = 1 << 50
)

// NewTemperatures returns empty Temperatures.
func NewTemperatures(cfg TemperatureConfig) *Temperatures {
	t := &Temperatures{cfg: cfg.withDefaults()}
	t.init(t.cfg.RecordsMax, 0, 0)
	return t
}

// Len is the number of records kept.
func (t *Temperatures) Len() int { return t.all.Len() }

// Updated counts an update of a record.
func (t *Temperatures) Updated(k txn.Key, now time.Duration) {
	r, known := t.remember(k)
	age, part := t.ageAt(now)
	r.is.comeTo(age)
	if known {
		r.is.sum = min(r.is.sum+one+part, sumMax)
	}
}

// Observe replaces a record's temperature by the one that another node has reported.
func (t *Temperatures) Observe(k txn.Key, is Temperature, now time.Duration) {
	r, _ := t.remember(k)
	age, part := t.ageAt(now)
	hi, lo := bits.Mul64(uint64(min(max(is, 0), 1<<40)), t.spread(part))
	r.is = warmth{sum: sumMax, age: age}
	if hi < milliNanos {
		sum, _ := bits.Div64(hi, lo, milliNanos)
		r.is.sum = min(sum, sumMax)
	}
}

// Of returns a record's present temperature, 0 if it is not kept.
func (t *Temperatures) Of(k txn.Key, now time.Duration) Temperature {
	r, ok := t.all.Get(k)
	if !ok {
		return 0
	}
	return t.of(r, now)
}

// In calls f with the kept records of a range that are not cold, in key order, until f
// returns false.
func (t *Temperatures) In(s txn.Span, now time.Duration, f func(txn.Key, Temperature) bool) {
	looks := 0
	t.all.Ascend(s.Start, func(k txn.Key, r *record[warmth]) bool {
		if looks++; looks > t.cfg.RangeMax || s.End != "" && k >= s.End {
			return false
		}
		if is := t.of(r, now); is > 0 {
			return f(k, is)
		}
		return true
	})
}

// milliNanos converts updates per nanosecond to updates per thousand seconds.
const milliNanos = 1_000_000_000_000

func (t *Temperatures) of(r *record[warmth], now time.Duration) Temperature {
	age, part := t.ageAt(now)
	sum := r.is.sum >> min(uint64(max(age-r.is.age, 0)), 63)
	hi, lo := bits.Mul64(sum, milliNanos)
	is, _ := bits.Div64(hi, lo, t.spread(part)) // sumMax keeps hi below any spread
	return Temperature(is)
}

// ageAt returns the number of half-lives that have passed at a time, and the fraction of the next, in units of one.
func (t *Temperatures) ageAt(now time.Duration) (age int64, part uint64) {
	h := int64(t.cfg.HalfLife)
	n := max(int64(now), 0)
	hi, lo := bits.Mul64(uint64(n%h), one)
	part, _ = bits.Div64(hi, lo, uint64(h))
	return n / h, part
}

// spread is the sum of all weights up to a fraction of a half-life, for one update each
// nanosecond: a half-life and a half of those before it, and the area below the line.
func (t *Temperatures) spread(part uint64) uint64 {
	hi, lo := bits.Mul64(uint64(t.cfg.HalfLife), one+one/2+part+part*part/(2*one))
	if hi > 0 {
		return 1<<64 - 1 // a half-life of hours
	}
	return lo
}

// comeTo converts a sum to the units of another half-life.
func (w *warmth) comeTo(age int64) {
	w.sum >>= min(uint64(max(age-w.age, 0)), 63)
	w.age = age
}
