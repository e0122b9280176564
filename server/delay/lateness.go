package delay

import (
	"fmt"
	"sync"
	"time"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// Lateness is the delay with which pieces were forwarded after they were due.
type Lateness struct {
	Pieces        int64
	P50, P99, Max time.Duration
}

// String formats it for people.
func (l Lateness) String() string {
	round := func(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }
	return fmt.Sprintf("%d pieces, late by %v in the middle, %v at the 99th percentile, %v at most", l.Pieces, round(l.P50), round(l.P99), round(l.Max))
}

// lateness counts; a proxy's connections share it.
type lateness struct {
	mu    *sync.Mutex
	times *hdr.Histogram // microseconds
}

// latestKept is the largest recorded lateness; longer ones count as this.
const latestKept = time.Minute

func newLateness() lateness {
	return lateness{&sync.Mutex{}, hdr.New(1, latestKept.Microseconds(), 2)}
}

func (l lateness) note(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.times.RecordValue(min(max(0, d), latestKept).Microseconds()) // within its bounds
}

func (l lateness) sum() Lateness {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := func(q float64) time.Duration { return time.Duration(l.times.ValueAtQuantile(q)) * time.Microsecond }
	return Lateness{l.times.TotalCount(), at(50), at(99), time.Duration(l.times.Max()) * time.Microsecond}
}
