package main

import (
	"strings"
	"testing"

	"isochron/sqlload"
)

// A system is held beside those it is judged by in the same place alone, by the means of all rounds;
// what failed has no part in it.
func TestRatios(t *testing.T) {
	one := func(system, deployment string, share int, rate, mean, p99 float64) cell {
		return cell{System: system, Deployment: deployment, Load: "ycsb-txn", Skew: 0.9, Clients: 64, Distributed: share,
			Total: sqlload.Figures{Commits: int64(rate), Throughput: rate, LatencyMS: sqlload.Latency{Mean: mean, P99: p99}}}
	}
	cells := []cell{
		one("ssp-packet", "mixed", 25, 10, 400, 1000), one("ssp-packet", "mixed", 25, 20, 600, 3000),
		one("ssp-packet", "mixed", 25, 0, 0, 0), // it failed
		one("geotp-packet", "mixed", 25, 60, 100, 500),
		one("ssp", "mixed", 25, 5, 1, 1),        // spoken to otherwise
		one("ssp-packet", "pg", 25, 5, 1, 1),    // elsewhere
		one("geotp-packet", "pg", 75, 50, 1, 1), // another share
	}
	got := ratios(cells)
	want := "| geotp-packet over ssp-packet, mixed | ycsb-txn | 25 | 0.9 | 64 | 4.00 | 0.20 | 0.25 | 60.0 to 60.0, 10.0 to 20.0 |"
	if !strings.Contains(got, want) || strings.Count(got, " over ") != 1 {
		t.Errorf("the ratios are\n%s\nwant one line\n%s", got, want)
	}
	if got := ratios(cells[:2]); got != "" {
		t.Errorf("one system has ratios:\n%s", got)
	}
}

// A turn has a cell for each load, share, skew and number of clients.
func TestPlan(t *testing.T) {
	b := &bench{config: config{Loads: []string{"transfer", "ycsb-txn"}, Distributed: []int{25, 75}, Skews: []float64{0.3, 0.9, 1.5}, Clients: []int{64}, Seconds: 9}}
	cells, seen := b.plan(), map[place]bool{}
	for _, c := range cells {
		seen[c.place()] = true
	}
	if len(cells) != 12 || len(seen) != 12 || !seen[place{"", "ycsb-txn", 75, 1.5, 64}] || cells[0].Seconds != 9 {
		t.Errorf("%d cells, %d of them different: %+v", len(cells), len(seen), cells)
	}
}

// Every system is judged beside systems that there are.
func TestComparedSystemsExist(t *testing.T) {
	known := " " + strings.Join(systemNames(), " ") + " "
	for _, s := range systems {
		for _, other := range s.over {
			if !strings.Contains(known, " "+other+" ") || other == s.name {
				t.Errorf("%s is judged beside %q", s.name, other)
			}
		}
	}
}
