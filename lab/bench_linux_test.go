package lab

import (
	"context"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime returns the processor time of this process, the collector's included: other processes
// affect it less than wall time.
func cpuTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}

// The standard experiment, a third as long, for the cost of an event. To profile: go test ./lab
// -run - -bench Experiment -cpuprofile cpu.out
func BenchmarkExperiment(b *testing.B) {
	for _, row := range []string{"2pc+occ", "d2pc+occ", "carousel-fast"} {
		b.Run(row, func(b *testing.B) {
			s := Defaults()
			s.Protocol, s.Warmup, s.Duration = row, time.Second, 20*time.Second
			benchmark(b, s)
		})
	}
}

func benchmark(b *testing.B, s Experiment) {
	b.ReportAllocs()
	var events uint64
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu := cpuTime()
	for range b.N {
		r, err := Run(context.Background(), s, nil)
		if err != nil {
			b.Fatal(err)
		}
		events += r.Events
	}
	cpu = cpuTime() - cpu
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(events)/cpu.Seconds(), "events/cpu-s")
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(events), "B/event")
	virtual := (s.Warmup + s.Duration).Seconds() * float64(b.N)
	b.ReportMetric(cpu.Seconds()/virtual, "cpu-s/virtual-s")
}
