package memory

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// collectEvery is how often the collector is told anew when to begin.
const collectEvery = time.Second

// The bounds of how far garbage may grow, in hundredths of what lives: less would
// collect without end, and more gains nothing.
const (
	percentLeast = 25
	percentTop   = 400
)

// Collect has garbage be collected before it takes more than its share, and ever
// more eagerly as all that the node holds comes near the setting, until stop is
// closed. GOGC and GOMEMLIMIT in the environment go before it.
//
// The collector itself knows a part of what lives only (GOGC): with 300 MB in caches
// and 400 % it would let 1.2 GB of garbage grow.
func (s Shares) Collect(stop <-chan struct{}) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(s.Total)
	}
	if os.Getenv("GOGC") != "" {
		return
	}
	percent := s.percent(liveHeap())
	debug.SetGCPercent(percent)
	go func() {
		tick := time.NewTicker(collectEvery)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
			}
			want := s.percent(liveHeap())
			if want*10 < percent*9 || want*10 > percent*11 { // each change stops the world for a moment
				percent = want
				debug.SetGCPercent(percent)
			}
		}
	}()
}

// percent is how far garbage may grow when so many bytes live.
func (s Shares) percent(live int64) int {
	return int(min(percentTop, max(percentLeast, 100*s.of[Garbage]/max(live, 1))))
}

const (
	liveMetric  = "/gc/heap/live:bytes"
	heapMetric  = "/memory/classes/heap/objects:bytes"
	totalMetric = "/memory/classes/total:bytes"
	freeMetric  = "/memory/classes/heap/released:bytes"
)

// read reads figures of the Go runtime.
func read(names ...string) []int64 {
	samples := make([]metrics.Sample, len(names))
	for i, n := range names {
		samples[i].Name = n
	}
	metrics.Read(samples)
	out := make([]int64, len(names))
	for i, s := range samples {
		if s.Value.Kind() == metrics.KindUint64 {
			out[i] = int64(s.Value.Uint64())
		}
	}
	return out
}

// liveHeap is what lived at the last collection.
func liveHeap() int64 { return read(liveMetric)[0] }
