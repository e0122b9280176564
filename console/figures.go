package console

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// The range and precision of measurements: a microsecond to ten minutes, to two significant digits on the screen and
// three in the summary.
const (
	lowestMicros   = 1
	highestMicros  = int64(10 * time.Minute / time.Microsecond)
	digitsOfWindow = 2
	digitsOfTotal  = 3
)

// windowSlots is the screen's window in seconds.
const windowSlots = 5

// Figures are the measurements of one region over a time.
type Figures struct {
	Over        time.Duration // the time they cover
	HomeCommits int64
	WideCommits int64
	Aborts      int64
	Unknown     int64 // commits whose outcome the client did not receive
	Home, Wide  Quantiles
	Span        Quantiles // contention spans of home and wide transactions
}

// Quantiles of a distribution; all are zero if Count is.
type Quantiles struct {
	Count    int64
	P50, P99 time.Duration
}

// PerSecond returns a count as a rate over the figures' time.
func (f Figures) PerSecond(count int64) float64 {
	if f.Over <= 0 {
		return 0
	}
	return float64(count) / f.Over.Seconds()
}

func quantiles(h *hdrhistogram.Histogram) Quantiles {
	if h.TotalCount() == 0 {
		return Quantiles{}
	}
	return Quantiles{
		Count: h.TotalCount(),
		P50:   micros(h.ValueAtQuantile(50)),
		P99:   micros(h.ValueAtQuantile(99)),
	}
}

func micros(v int64) time.Duration { return time.Duration(v) * time.Microsecond }

// series is one measured quantity: the last slots and the total.
type series struct {
	slots [windowSlots]*hdrhistogram.Histogram
	at    int // slot being filled
	total *hdrhistogram.Histogram
}

func newSeries() *series {
	s := &series{total: hdrhistogram.New(lowestMicros, highestMicros, digitsOfTotal)}
	for i := range s.slots {
		s.slots[i] = hdrhistogram.New(lowestMicros, highestMicros, digitsOfWindow)
	}
	return s
}

func (s *series) add(d time.Duration) {
	v := min(max(d.Microseconds(), lowestMicros), highestMicros)
	// A value inside the range is always recorded.
	_ = s.slots[s.at].RecordValue(v)
	_ = s.total.RecordValue(v)
}

// turn begins the next slot and drops the oldest.
func (s *series) turn() {
	s.at = (s.at + 1) % windowSlots
	s.slots[s.at].Reset()
}

func (s *series) window() Quantiles {
	sum := hdrhistogram.New(lowestMicros, highestMicros, digitsOfWindow)
	for _, h := range s.slots {
		sum.Merge(h)
	}
	return quantiles(sum)
}

// counter counts in the last slots and in total.
type counter struct {
	slots [windowSlots]int64
	at    int
	total int64
}

func (c *counter) add()  { c.slots[c.at]++; c.total++ }
func (c *counter) turn() { c.at = (c.at + 1) % windowSlots; c.slots[c.at] = 0 }

func (c *counter) window() int64 {
	var n int64
	for _, v := range c.slots {
		n += v
	}
	return n
}
