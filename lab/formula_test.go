package lab

import (
	"math"
	"strings"
	"testing"
	"time"

	"isochron/geo"
)

// hops are the sequential messages between regions of a commit on a uniform map, by the number of
// replicas.
var hops = map[string]map[int]float64{
	"2pc+occ": {3: 4, 5: 4}, "2pc+2pl": {3: 4, 5: 4},
	"d2pc+occ": {3: 2, 5: 3}, "d2pc+2pl": {3: 2, 5: 3},
	"carousel-fast": {3: 2, 5: 2}, "tapir": {3: 2, 5: 2}, "starry": {3: 2, 5: 2}, "gpac": {3: 4, 5: 4},
}

func within(got float64, want time.Duration, part float64) bool {
	return math.Abs(got-ms(want)) <= part*ms(want)+0.001
}

// Without contention, and with processors and disks that cost nothing, commits and contention spans
// follow from the delays of the map.
func TestCommitsAndSpansFollowTheirLaws(t *testing.T) {
	for _, l := range Laws() {
		for _, name := range []string{"uniform:100ms:3", "uniform:100ms:5", "alibaba3"} {
			if l.Sources {
				name = strings.Replace(name, "alibaba3", "geotp4", 1)
			}
			t.Run(l.Protocol+"/"+name, func(t *testing.T) { checkLaw(t, l, name) })
		}
	}
}

func checkLaw(t *testing.T, l Law, name string) {
	w, err := geo.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	n := len(w.Regions)
	s := Experiment{
		Protocol: l.Protocol, Workload: "micro", WAN: name, Shards: n, Clients: n, Length: n, Spread: n, Keys: 1_000_000,
		Cores: 1, Tries: 1, Warmup: time.Second, Duration: 4 * time.Second, Seed: 1, Check: 1000,
	}
	if l.Sources {
		s.Workload, s.Sources, s.Replicas, s.Distributed = "ycsb-sources", strings.Repeat("m", n), 1, 1
		s.SourceWork, s.SourceSync, s.AgentRTT = time.Nanosecond, time.Nanosecond, 2*time.Nanosecond
		s.Warmup, s.Duration = 5*time.Second, 10*time.Second // the first request to an agent is sent twice
	}
	r := mustRun(t, s)
	if r.Committed == 0 || r.Aborted > 0 || !r.Check.Serializable {
		t.Fatalf("%d committed, %d aborted, check %+v", r.Committed, r.Aborted, r.Check)
	}
	fastest, slowest := time.Duration(math.MaxInt64), time.Duration(0)
	for _, a := range w.Regions {
		fastest, slowest = min(fastest, l.Commit(w, a)), max(slowest, l.Commit(w, a))
		for _, b := range w.Regions {
			got := r.ContentionSpanMS.ByPair[string(a)][string(b)]
			if want := l.Span(w, a, b); !within(got.Avg, want, 0.01) {
				t.Errorf("the span at %s for clients in %s is %v ms of %d, want %v", b, a, got.Avg, got.Count, want)
			}
		}
	}
	if !within(r.CommitMS.P999, slowest, 0.02) || r.CommitMS.Avg < 0.98*ms(fastest) {
		t.Errorf("commits take %+v ms, want %v to %v", r.CommitMS, fastest, slowest)
	}
	if want, ok := hops[l.Protocol][n]; ok && fastest == slowest && r.WANHopsCommit != want {
		t.Errorf("a commit waits for %v messages between regions, want %v", r.WANHopsCommit, want)
	}
}
