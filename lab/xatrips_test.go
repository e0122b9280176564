package lab

import (
	"math"
	"testing"
	"time"

	"isochron/workload"
)

// XA START and XA END take a round trip to one MySQL after another and none to a PostgreSQL; END
// only where the gateway leads the prepare one by one.
func TestXATrips(t *testing.T) {
	latency := func(row, sources string, starts, ends bool) xaLatencies {
		s := overSources(row)
		s.WAN, s.Sources, s.Shards, s.Distributed, s.Central = "star:60ms:100ms", sources, 3, 1, workload.CentralFirst
		s.Clients, s.Zipf, s.Spread, s.StartTrips, s.EndTrips, s.Duration = 1, 0, 3, starts, ends, 4*time.Second
		r := mustRun(t, s)
		return xaLatencies{r.BreakdownMS.Execute, r.BreakdownMS.Commit}
	}
	for _, x := range []struct {
		spec, sources         string
		executeMore, waitMore float64
	}{
		{"ssp", "mmm", 160, 160},
		{"ssp", "mmp", 60, 60},
		{"ssp", "ppp", 0, 0},
		{"geotp", "mmm", 160, 0},
		{"ssp-parallel", "mpm", 100, 0},
		{"scalardb", "mmm", 0, 0},
	} {
		without, with := latency(x.spec, x.sources, false, false), latency(x.spec, x.sources, true, true)
		if e, c := with.execute-without.execute, with.commit-without.commit; math.Abs(e-x.executeMore) > 2 || math.Abs(c-x.waitMore) > 2 {
			t.Errorf("%s over %s executes for %.1f ms more and commits for %.1f; %v and %v are due", x.spec, x.sources, e, c, x.executeMore, x.waitMore)
		}
	}
}

// xaLatencies are the times that a client waits, in milliseconds.
type xaLatencies struct{ execute, commit float64 }
