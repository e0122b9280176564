package estimate

import (
	"math/bits"
	"time"

	"isochron/txn"
)

// Temperatures are how often records are updated, of those that are updated most (Bonspiel
// section 3.2).
//
// How it thinks. Of each record there is one number, the sum of the weights of its updates.
// An update weighs the more the later it comes, twice as much after each half-life, so that
// what was counted need not be touched to grow old; within a half-life weights rise along a
// straight line. A steady rate comes out of the sum exactly, whenever it is asked for. All
// is integer arithmetic, so that it is the same on every processor.
//
// The first update of a record that is not known is not counted: one says nothing of how
// often, and of rows that are inserted, or loaded, most are not updated soon. Beyond the
// bounds the record is forgotten that was longest not updated.
//
// What the caller owes it. It calls from one goroutine, with times of a clock that never runs
// back. All costs O(log n) for each record; a range, so many of its records as RangeMax says.
type Temperatures struct {
	cfg TemperatureConfig
	recent[warmth]
}

// Temperature is updates in a thousand seconds.
type Temperature int64

// TemperatureConfig are the settings of Temperatures. Zero fields mean the defaults.
type TemperatureConfig struct {
	RecordsMax int           // known at once; 65,536
	RangeMax   int           // records of a range that are looked at, its first; 256
	HalfLife   time.Duration // of an update's weight, at least 1 ms; 5 s
}

// The defaults. The half-life is the window of the public prototype's counts; the paper
// names none.
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

// warmth is one record that was updated of late.
type warmth struct {
	sum uint64 // of weights, in units of one at the beginning of age
	age int64  // half-lives since the clock's zero
}

// The weight of an update at the beginning of a half-life, and the bound of a sum: it is
// reached beyond a hundred million updates a half-life.
const (
	one    = 1 << 20
	sumMax = 1 << 50
)

// NewTemperatures knows nothing yet.
func NewTemperatures(cfg TemperatureConfig) *Temperatures {
	t := &Temperatures{cfg: cfg.withDefaults()}
	t.init(t.cfg.RecordsMax, 0, 0)
	return t
}

// Len is how many records are known.
func (t *Temperatures) Len() int { return t.all.Len() }

// Updated takes in that a record was.
func (t *Temperatures) Updated(k txn.Key, now time.Duration) {
	r, known := t.remember(k)
	age, part := t.ageAt(now)
	r.is.comeTo(age)
	if known {
		r.is.sum = min(r.is.sum+one+part, sumMax)
	}
}

// Observe takes in what another node says of a record, in place of what is known of it.
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

// Of is a record's temperature now, 0 if it is not known.
func (t *Temperatures) Of(k txn.Key, now time.Duration) Temperature {
	r, ok := t.all.Get(k)
	if !ok {
		return 0
	}
	return t.of(r, now)
}

// In calls f with the records of a range that are known and not cold, rising, until f
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

// milliNanos turns updates a nanosecond into updates in a thousand seconds.
const milliNanos = 1_000_000_000_000

func (t *Temperatures) of(r *record[warmth], now time.Duration) Temperature {
	age, part := t.ageAt(now)
	sum := r.is.sum >> min(uint64(max(age-r.is.age, 0)), 63)
	hi, lo := bits.Mul64(sum, milliNanos)
	is, _ := bits.Div64(hi, lo, t.spread(part)) // sumMax keeps hi below any spread
	return Temperature(is)
}

// ageAt is how many half-lives have passed at a time, and the part of the next, of one.
func (t *Temperatures) ageAt(now time.Duration) (age int64, part uint64) {
	h := int64(t.cfg.HalfLife)
	n := max(int64(now), 0)
	hi, lo := bits.Mul64(uint64(n%h), one)
	part, _ = bits.Div64(hi, lo, uint64(h))
	return n / h, part
}

// spread is the sum of all weights up to a part of a half-life, of one update each
// nanosecond: a half-life and a half of those before it, and what lies under the line.
func (t *Temperatures) spread(part uint64) uint64 {
	hi, lo := bits.Mul64(uint64(t.cfg.HalfLife), one+one/2+part+part*part/(2*one))
	if hi > 0 {
		return 1<<64 - 1 // a half-life of hours
	}
	return lo
}

// comeTo has a sum be in units of another half-life.
func (w *warmth) comeTo(age int64) {
	w.sum >>= min(uint64(max(age-w.age, 0)), 63)
	w.age = age
}
