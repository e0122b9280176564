package memory

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// collectEvery is the interval at which the collector's target is adjusted.
const collectEvery = time.Second

// The bounds of garbage, in percent of the live heap: less would collect without end, more gains nothing. A node begins
// with Go's default.
const (
	percentLeast = 25
	percentFirst = 100
	percentTop   = 400
)

// The collector's share of processor time, in thousandths: above the upper bound more garbage is allowed, below the
// lower bound less, and between them nothing changes.
const (
	milliLittle = 10
	milliMuch   = 30
)

// Collect adjusts the garbage collector until stop is closed, so that garbage stays within its share. It collects
// sooner as the node's memory nears the setting, and no later than saves work. GOGC and GOMEMLIMIT in the environment
// take precedence.
//
// Go's own target (GOGC) covers only a part of the live data: with 300 MB in caches and 400 % it would let 1.2 GB of
// garbage grow. It also ignores the gain: a node with a hundred transactions a second would let as much garbage grow as
// one with twenty thousand, without a benefit.
func (s Shares) Collect(stop <-chan struct{}) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(s.Total)
	}
	if os.Getenv("GOGC") != "" {
		return
	}
	p := pace{percent: percentFirst, spent: spent()}
	percent := min(p.percent, s.percent(liveHeap()))
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
			want := min(p.next(spent()), s.percent(liveHeap()))
			if want*10 < percent*9 || want*10 > percent*11 { // each change briefly stops the world
				percent = want
				debug.SetGCPercent(percent)
			}
		}
	}()
}

// percent returns the allowed garbage with so many live bytes.
func (s Shares) percent(live int64) int {
	return int(min(percentTop, max(percentLeast, 100*s.of[Garbage]/max(live, 1))))
}

// pace adapts the allowed garbage to the cost of collecting it.
type pace struct {
	percent int
	spent   cpu
}

// cpu is processor time in seconds since the process began, as of the end of a collection.
type cpu struct {
	collecting float64 // without idle time that no other goroutine needed
	all        float64 // available time, idle or not
}

// next returns the allowed garbage given the time spent; unchanged if there was no collection since.
func (p *pace) next(now cpu) int {
	collecting, all := now.collecting-p.spent.collecting, now.all-p.spent.all
	if all <= 0 {
		return p.percent
	}
	p.spent = now
	switch milli := 1000 * collecting / all; {
	case milli > milliMuch:
		p.percent = min(p.percent*3/2, percentTop)
	case milli < milliLittle:
		p.percent = max(p.percent*4/5, percentFirst)
	}
	return p.percent
}

const (
	liveMetric  = "/gc/heap/live:bytes"
	heapMetric  = "/memory/classes/heap/objects:bytes"
	totalMetric = "/memory/classes/total:bytes"
	freeMetric  = "/memory/classes/heap/released:bytes"

	collectingMetric = "/cpu/classes/gc/total:cpu-seconds"
	idleMetric       = "/cpu/classes/gc/mark/idle:cpu-seconds"
	cpuMetric        = "/cpu/classes/total:cpu-seconds"
)

// read reads metrics of the Go runtime.
func read(names ...string) []int64 {
	samples := sample(names)
	out := make([]int64, len(names))
	for i, s := range samples {
		if s.Value.Kind() == metrics.KindUint64 {
			out[i] = int64(s.Value.Uint64())
		}
	}
	return out
}

func sample(names []string) []metrics.Sample {
	samples := make([]metrics.Sample, len(names))
	for i, n := range names {
		samples[i].Name = n
	}
	metrics.Read(samples)
	return samples
}

// liveHeap returns the live bytes at the last collection.
func liveHeap() int64 { return read(liveMetric)[0] }

// spent returns the time spent until the end of the last collection.
func spent() cpu {
	var seconds [3]float64
	for i, s := range sample([]string{collectingMetric, idleMetric, cpuMetric}) {
		if s.Value.Kind() == metrics.KindFloat64 {
			seconds[i] = s.Value.Float64()
		}
	}
	return cpu{collecting: seconds[0] - seconds[1], all: seconds[2]}
}
