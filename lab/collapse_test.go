package lab

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"isochron/test/hours"
)

// collapseTable makes TestCollapseTable print the throughput by the number of clients, for loads
// whose transactions conflict: loads, places, protocols, and on, off or both, of admission.
var collapseTable = flag.String("collapse", "", `print a table, such as "bank,ycsb,tpcc 1r,3r 2pc+2pl-home,2pc+occ on,off"`)

var crowdSizes = []int{4, 16, 64, 256, 1024}

// contended is a load in which most tries are aborted with many clients: in one region, where they
// compete for the processor, or in three, where they wait for the network.
func contended(load, place, row string, clients int, off bool) Experiment {
	s := Defaults()
	s.Protocol, s.Clients, s.AdmissionOff = row, clients, off
	s.ClientRTT, s.Loop = 100*time.Microsecond, true
	s.RequestCPU, s.CommitCPU, s.StatementCPU, s.StoreCPU = RequestCPU, CommitCPU, StatementCPU, StoreCPU
	s.LockCPU, s.StepCPU = LockCPU, StepCPU
	s.Check, s.Tries = 1000, 1000
	switch load {
	case "bank":
		s.Workload, s.Keys = "bank", 20
	case "ycsb":
		s.Workload, s.Keys, s.Zipf = "ycsb+t", 10_000, 0.99
	case "tpcc":
		s.Workload, s.Warehouses = "tpcc", 1
	}
	s.WAN, s.Shards, s.ClientRegions = "uniform:1ms:1", 1, 1
	s.Warmup, s.Duration = time.Second, 2*time.Second
	if place == "3r" {
		s.WAN, s.Shards, s.ClientRegions = "uniform:50ms:3", 2, 0
		s.Warmup, s.Duration = 20*time.Second, 30*time.Second
	}
	return s
}

func runCrowds(t *testing.T, load, place, row string, off bool, sizes []int) []Result {
	t.Helper()
	var specs []Experiment
	for _, n := range sizes {
		specs = append(specs, contended(load, place, row, n, off))
	}
	results, err := RunAll(context.Background(), specs, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	line := fmt.Sprintf("%-5s %s %-14s off=%-5t", load, place, row, off)
	for _, r := range results {
		line += fmt.Sprintf(" | %7.1f/s %5.2f lost, p99.9 %6.0f ms", r.ThroughputTPS, ratio(r.Aborted, r.Committed, 2), r.LatencyMS.P999)
		if !r.Check.Serializable {
			t.Errorf("%s: %v", line, r.Check.Anomalies)
		}
	}
	t.Log(line)
	return results
}

func TestCollapseTable(t *testing.T) {
	parts := strings.Fields(*collapseTable)
	if len(parts) != 4 {
		t.Skip("no table is requested")
	}
	for _, load := range strings.Split(parts[0], ",") {
		for _, place := range strings.Split(parts[1], ",") {
			for _, row := range strings.Split(parts[2], ",") {
				for _, admission := range strings.Split(parts[3], ",") {
					runCrowds(t, load, place, row, admission == "off", crowdSizes)
				}
			}
		}
	}
}

// More clients never commit much less: each number of them commits at least four fifths of the best
// smaller one. Without admission they commit a tenth.
func TestMoreClientsDoNotMakeLess(t *testing.T) {
	rows, sizes := []string{"2pc+2pl-home", "2pc+2pl-group", "d2pc+2pl-group", "2pc+occ", "mysql"}, crowdSizes
	if !hours.Long() {
		rows, sizes = rows[:1], []int{4, 16, 256}
	}
	for _, row := range rows {
		best := 0.0
		for i, r := range runCrowds(t, "bank", "1r", row, false, sizes) {
			if r.ThroughputTPS < 0.8*best {
				t.Errorf("%s: %d clients commit %.1f a second, and fewer did %.1f", row, sizes[i], r.ThroughputTPS, best)
			}
			best = max(best, r.ThroughputTPS)
		}
	}
	few := sizes[1:2]
	many := sizes[len(sizes)-1:]
	a, b := runCrowds(t, "bank", "1r", rows[0], true, few), runCrowds(t, "bank", "1r", rows[0], true, many)
	if b[0].ThroughputTPS > 0.5*a[0].ThroughputTPS {
		t.Errorf("without admission %d clients commit %.1f a second and %d %.1f: this load shows nothing any more", few[0], a[0].ThroughputTPS, many[0], b[0].ThroughputTPS)
	}
}
