package lab

import (
	"testing"
	"time"
)

// Where the costs come from is told of the halves and doubles of figures as well.
func TestCostSource(t *testing.T) {
	for _, c := range []struct {
		cpu, fsync time.Duration
		want       string
	}{
		{MessageCPU, Fsync, "cpu measured: BenchmarkMessage; fsync assumed: a cloud's disk"},
		{MessageCPU / 2, Fsync / 2, "cpu half of what is measured: BenchmarkMessage; fsync half of what is assumed: a cloud's disk"},
		{2 * MessageCPU, 2 * Fsync, "cpu twice what is measured: BenchmarkMessage; fsync twice what is assumed: a cloud's disk"},
		{MessageCPU, DiskSync, "cpu measured: BenchmarkMessage; fsync measured: isochron lab sync"},
		{0, 3 * Fsync, "cpu as asked for; fsync as asked for"},
	} {
		if got := (Experiment{CPU: c.cpu, Fsync: c.fsync}).costSource(); got != c.want {
			t.Errorf("%v and %v: %q, want %q", c.cpu, c.fsync, got, c.want)
		}
	}
}
