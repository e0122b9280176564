package lab

import (
	"testing"
	"time"
)

// The origin of the costs is also described for the halves and doubles of figures.
func TestCostSource(t *testing.T) {
	for _, c := range []struct {
		cpu, fsync time.Duration
		want       string
	}{
		{MessageCPU, Fsync, "cpu measured: BenchmarkMessage; fsync assumed: a cloud's disk"},
		{MessageCPU / 2, Fsync / 2, "cpu half of the one measured: BenchmarkMessage; fsync half of the one assumed: a cloud's disk"},
		{2 * MessageCPU, 2 * Fsync, "cpu twice the one measured: BenchmarkMessage; fsync twice the one assumed: a cloud's disk"},
		{MessageCPU, DiskSync, "cpu measured: BenchmarkMessage; fsync measured: isochron lab fsync"},
		{0, 3 * Fsync, "cpu as requested; fsync as requested"},
	} {
		if got := (Experiment{CPU: c.cpu, Fsync: c.fsync}).costSource(); got != c.want {
			t.Errorf("%v and %v: %q, want %q", c.cpu, c.fsync, got, c.want)
		}
	}
}
