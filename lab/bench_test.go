package lab

import (
	"context"
	"runtime"
	"testing"
	"time"
)

// The standard experiment, a tenth as long: what an event costs. To profile:
// go test ./lab -run - -bench Experiment -cpuprofile cpu.out
func BenchmarkExperiment(b *testing.B) {
	b.ReportAllocs()
	var events uint64
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range b.N {
		s := Defaults()
		s.Warmup, s.Duration = time.Second, 20*time.Second
		r, err := Run(context.Background(), s, nil)
		if err != nil {
			b.Fatal(err)
		}
		events += r.Events
	}
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(events), "B/event")
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/21, "s/virtual-s")
}
