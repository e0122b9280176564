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
// collect without end, and more gains nothing. A node begins with as much as Go itself lets grow.
const (
	percentLeast = 25
	percentFirst = 100
	percentTop   = 400
)

// What the collector may take of the processors' time, in thousandths: above the upper one more
// garbage is let grow, below the lower one less. In between is peace.
const (
	milliLittle = 10
	milliMuch   = 30
)

// Collect has garbage be collected before it takes more than its share, ever more eagerly as all
// that the node holds comes near the setting, and no later than that saves work, until stop is
// closed. GOGC and GOMEMLIMIT in the environment go before it.
//
// The collector itself knows a part of what lives only (GOGC): with 300 MB in caches
// and 400 % it would let 1.2 GB of garbage grow. And it knows nothing of what garbage is good for:
// a node with a hundred transactions a second would let as much grow as one with twenty thousand,
// and gain nothing by it.
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

// pace is how far garbage grows by what collecting it costs.
type pace struct {
	percent int
	spent   cpu
}

// cpu is processor time since the process began, in seconds, as of the end of a collection.
type cpu struct {
	collecting float64 // but for what nobody else wanted
	all        float64 // that there was, idle or not
}

// next is how far garbage may grow when so much has been spent; what it was if nothing was
// collected since.
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

// read reads figures of the Go runtime.
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

// liveHeap is what lived at the last collection.
func liveHeap() int64 { return read(liveMetric)[0] }

// spent is what was spent until the end of the last collection.
func spent() cpu {
	var seconds [3]float64
	for i, s := range sample([]string{collectingMetric, idleMetric, cpuMetric}) {
		if s.Value.Kind() == metrics.KindFloat64 {
			seconds[i] = s.Value.Float64()
		}
	}
	return cpu{collecting: seconds[0] - seconds[1], all: seconds[2]}
}
