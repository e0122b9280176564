package lab

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

func collapse(load, place string) Spec {
	s := Defaults()
	s.ClientRTT, s.Loop = 100*time.Microsecond, true
	s.RequestCPU, s.CommitCPU, s.StatementCPU, s.StoreCPU = RequestCPU, CommitCPU, StatementCPU, StoreCPU
	s.LockCPU, s.StepCPU = LockCPU, StepCPU
	s.Check, s.Tries, s.Cores = 1000, 1000, 4
	switch load {
	case "bank":
		s.Workload, s.Keys = "bank", 20
	case "ycsb":
		s.Workload, s.Keys, s.Zipf = "ycsb+t", 10_000, 0.99
	case "tpcc":
		s.Workload, s.Warehouses = "tpcc", 1
	}
	switch place {
	case "1r":
		s.WAN, s.Shards, s.ClientRegions = "uniform:1ms:1", 1, 1
		s.Warmup, s.Duration = time.Second, 2*time.Second
	case "3r":
		s.WAN, s.Shards = "uniform:50ms:3", 2
		s.Warmup, s.Duration = 20*time.Second, 30*time.Second
	}
	return s
}

func TestCollapseTable(t *testing.T) {
	if os.Getenv("COLLAPSE") == "" {
		t.Skip()
	}
	f := strings.Split(os.Getenv("COLLAPSE"), " ") // loads places rows off
	for _, load := range strings.Split(f[0], ",") {
		for _, place := range strings.Split(f[1], ",") {
			for _, row := range strings.Split(f[2], ",") {
				for _, off := range strings.Split(f[3], ",") {
					var specs []Spec
					for _, n := range []int{4, 16, 64, 256, 1024} {
						s := collapse(load, place)
						s.Protocol, s.Clients, s.AdmissionOff = row, n, off == "off"
						specs = append(specs, s)
					}
					rs, err := RunAll(context.Background(), specs, 2, nil)
					if err != nil {
						t.Fatal(err)
					}
					line := fmt.Sprintf("%-5s %s %-14s %-4s", load, place, row, off)
					for _, r := range rs {
						line += fmt.Sprintf(" | %7.1f %4.2f %6.0f", r.ThroughputTPS, float64(r.Aborted)/float64(max(r.Committed, 1)), r.LatencyMS.P999)
						if !r.Check.Serializable {
							line += "!!"
						}
					}
					fmt.Println(line)
				}
			}
		}
	}
}
