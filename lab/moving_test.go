package lab

import (
	"strings"
	"testing"
	"time"

	"isochron/workload"
)

// Messages have the delays of the present map, and a protocol that uses delays follows the
// measurements: before it has, near rows are held for too long.
func TestDelaysThatChange(t *testing.T) {
	s := overSources("geotp-o1o2")
	s.WAN, s.Sources, s.Shards, s.Distributed, s.Spread, s.Central = "star:200ms:200ms", "mmm", 3, 1, 3, workload.CentralFirst
	s.Clients, s.Zipf, s.Duration, s.Series = 1, 0, 16*time.Second, 4*time.Second
	s.Delays, s.ProbeEvery = "0s=star:10ms:10ms,4s=star:10ms:200ms", 10*time.Millisecond
	r := mustRun(t, s)
	var p95 []float64
	for _, piece := range r.Series {
		p95 = append(p95, piece.P95MS)
	}
	if len(p95) != 4 || p95[0] > 100 || p95[1] < 400 || p95[3] < 400 || p95[3] > 450 {
		t.Errorf("p95 of the pieces: %v", p95)
	}
	near := func(every time.Duration) float64 {
		s.ProbeEvery = every
		return mustRun(t, s).ContentionSpanMS.ByRegion["r2"].Avg
	}
	if often, seldom := near(10*time.Millisecond), near(3*time.Second); seldom < often+50 {
		t.Errorf("a row 10 ms away is held for %.1f ms where delays are measured every 10 ms, and for %.1f where every 3 s", often, seldom)
	}
	for want, text := range map[string]string{"40s=star": "4s", "three": "4s=nowhere", "of 2 regions": "1s=star:5ms"} {
		s.Delays = text
		if err := s.Validate(); err == nil || want != "three" && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
