package sim

import (
	"fmt"
	"io"
	"slices"
	"time"

	"isochron/coverage"
	"isochron/history"
	"isochron/protocol"
)

// Result is the result of one seed under one protocol.
type Result struct {
	Seed       uint64
	Protocol   string
	Violations []history.Violation
	Counts     Counts           // of faults, of messages, of outcomes
	Writes     int              // transactions with writes that clients committed
	Rules      *coverage.Counts // nil: not counted
	Hash       uint64
	Virtual    time.Duration
}

// Serializable reports whether nothing worse than real-time order was violated.
func (r *Result) Serializable() bool {
	report := history.Report{Violations: r.Violations}
	return report.Serializable()
}

// Summary is the result of all runs.
type Summary struct {
	Runs   int
	Idle   int      // runs in which clients committed no write: they test nothing
	Work   []int    // transactions with writes that clients committed, by run
	Failed []Result // runs with a violation
	Counts Counts
	ByRow  []ProtocolCounts
	Rules  []ProtocolRules // none: they were not counted
}

// WorkDone returns the number of transactions with writes that clients committed in a run: the
// median, and the smallest.
func (s *Summary) WorkDone() (median, least int) {
	if len(s.Work) == 0 {
		return 0, 0
	}
	sorted := slices.Sorted(slices.Values(s.Work))
	return sorted[len(sorted)/2], sorted[0]
}

// ProtocolCounts are the counts of the runs of one protocol.
type ProtocolCounts struct {
	Protocol string
	Counts   Counts
}

// RunSeeds runs every seed under every protocol and reports progress. The error reports that
// something was violated; the Summary has the violations and the seeds that repeat them.
func RunSeeds(cfg FaultRunConfig, progress io.Writer) (Summary, error) {
	if len(cfg.Specs) == 0 {
		cfg.Specs = DefaultRows
	}
	sum := Summary{Counts: Counts{}}
	for _, name := range cfg.Specs {
		sum.ByRow = append(sum.ByRow, ProtocolCounts{name, Counts{}})
	}
	if err := sum.rules(&cfg); err != nil {
		return sum, err
	}
	for i := range max(cfg.Seeds, 1) {
		for j, name := range cfg.Specs {
			if cfg.Stop != nil && cfg.Stop() {
				return sum, errStopped(sum)
			}
			spec, err := protocol.ByName(name)
			if err != nil {
				return sum, err
			}
			r := RunSeed(cfg.Seed+uint64(i), spec, cfg)
			sum.Runs++
			sum.Work = append(sum.Work, r.Writes)
			if r.Writes == 0 {
				sum.Idle++
			}
			sum.Counts.add(r.Counts)
			sum.ByRow[j].Counts.add(r.Counts)
			if cfg.Rules {
				sum.Rules[j].add(r.Seed, r.Rules)
			}
			if len(r.Violations) > 0 {
				sum.Failed = append(sum.Failed, r)
				report(progress, r, spec, cfg, len(sum.Failed) <= storiesMax)
			}
			if cfg.StopAfter > 0 && len(sum.Failed) >= cfg.StopAfter {
				return sum, fmt.Errorf("%d of %d runs broke a promise", len(sum.Failed), sum.Runs)
			}
		}
		if (i+1)%50 == 0 {
			fmt.Fprintf(progress, "%d seeds: %d runs, %d with violations, %d commits\n", i+1, sum.Runs, len(sum.Failed), sum.Counts["ok"])
		}
	}
	if len(sum.Failed) > 0 {
		return sum, fmt.Errorf("%d of %d runs broke a promise", len(sum.Failed), sum.Runs)
	}
	return sum, errNeverBit(sum.Rules)
}

// errStopped reports how many runs were done before they were stopped.
func errStopped(sum Summary) error {
	return fmt.Errorf("stopped after %d runs, of which %d broke a promise", sum.Runs, len(sum.Failed))
}
