package lab

import (
	"math"
	"testing"
	"time"

	"isochron/geo"
)

// quiet is an experiment in which only the network costs time and no transactions conflict.
func quiet(row string) Experiment {
	return Experiment{
		Protocol: row, Workload: "micro", WAN: "uniform:100ms:3", Shards: 3, Clients: 3, Length: 3, Spread: 3, Keys: 1_000_000,
		Cores: 1, Tries: 1, Warmup: time.Second, Duration: 4 * time.Second, Seed: 1, Check: 1000,
	}
}

// Without its co-coordinator a region's clients wait for the leaders' votes, two round trips, and
// its leaders hold rows until the decision; the others are unchanged.
func TestDeadCoCoordinators(t *testing.T) {
	for dead := range 4 {
		s := quiet("d2pc+occ")
		s.DeadCoCoordinators = dead
		r := mustRun(t, s)
		if !r.Check.Serializable || r.Committed == 0 || r.Aborted+r.Indeterminate+r.GaveUp > 0 {
			t.Fatalf("%d dead: %+v", dead, r.Figures)
		}
		// With one dead the clients in the other regions receive acknowledgements of two replicas
		// of each shard, but of a shard that is led from there after one and a half round trips,
		// 150 ms; those in its region wait 200 ms: 4, 4 and 3 commits in the same time.
		if hops := []float64{2, 3.27, 4, 4}[dead]; math.Abs(r.WANHopsCommit-hops) > 0.05 {
			t.Errorf("%d dead: a commit waits for %v messages between regions, want %v", dead, r.WANHopsCommit, hops)
		}
		for leader, early := range map[string]bool{"r1": dead < 3, "r2": dead < 2, "r3": dead < 1} {
			got := r.ContentionSpanMS.ByRegion[leader].Avg
			if early != (got < 110) {
				t.Errorf("%d dead: rows led from %s are held for %v ms", dead, leader, got)
			}
		}
	}
}

// Separate coordinators change no law: clients are at them, and they are as near as the node with
// the shards.
func TestCoordinatorsOfTheirOwn(t *testing.T) {
	for _, l := range Laws() {
		if l.Sources { // a region's node with shards has no clients
			continue
		}
		s := quiet(l.Protocol)
		s.Clients, s.Coordinators = 6, 2
		r := mustRun(t, s)
		w, err := geo.Parse(s.WAN)
		if err != nil {
			t.Fatal(err)
		}
		if want := l.Commit(w, "r1"); !within(r.CommitMS.Avg, want, 0.02) || !r.Check.Serializable || r.Committed == 0 {
			t.Errorf("%s: a commit takes %v ms, want %v: %+v", l.Protocol, r.CommitMS.Avg, want, r.Check)
		}
		if len(r.ContentionSpanMS.ByPair) != 3 {
			t.Errorf("%s: clients in %d regions", l.Protocol, len(r.ContentionSpanMS.ByPair))
		}
	}
}

// A slow processor at the coordinators delays everything, and twice as many share the load.
func TestCoordinatorsShare(t *testing.T) {
	tps := func(n int, cpu time.Duration) float64 {
		s := quiet("d2pc+occ")
		s.Clients, s.Coordinators, s.CoordinatorCPU, s.CoordinatorCores, s.Check = 60, n, cpu, 1, 0
		s.Warmup, s.Duration = 500*time.Millisecond, time.Second
		return mustRun(t, s).ThroughputTPS
	}
	free, one, two := tps(1, 0), tps(1, 2*time.Millisecond), tps(2, 2*time.Millisecond)
	if one > 0.7*free || two < 1.5*one {
		t.Errorf("%v a second where a message costs nothing, %v where it costs, %v with two coordinators", free, one, two)
	}
}
