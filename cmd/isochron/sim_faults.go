package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"isochron/lab"
	"isochron/protocol"
	"isochron/sim"
)

// faultRunFlags are the flags of fault-injection runs. seed, faults and json belong to both modes.
type faultRunFlags struct {
	seeds     int
	seed      uint64
	protocols []string
	faults    string
	regions   int
	shape     sim.FaultRunConfig // set by the flags in shared
	trace     bool
	json      bool
	injectBug string
	among     []string
	rules     bool
}

// shared are the flags of experiments that apply to fault-injection runs too, if they are set, with
// their effect on the configuration of the runs.
var shared = map[string]func(s *lab.Experiment, cfg *sim.FaultRunConfig){
	"wan":    func(s *lab.Experiment, cfg *sim.FaultRunConfig) { cfg.WAN = s.WAN },
	"shards": func(s *lab.Experiment, cfg *sim.FaultRunConfig) { cfg.Shards = s.Shards },
	"zipf":   func(s *lab.Experiment, cfg *sim.FaultRunConfig) { cfg.Zipf = s.Zipf },
	"loss":   func(s *lab.Experiment, cfg *sim.FaultRunConfig) { cfg.Loss = s.Loss },
	"jitter": func(s *lab.Experiment, cfg *sim.FaultRunConfig) { cfg.Jitter = s.Jitter },
}

// faultRunOnly are the flags of fault-injection runs only.
var faultRunOnly = []string{"regions", "trace", "inject-bug", "switch-protocols", "coverage"}

func (f *faultRunFlags) add(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.seeds, "seeds", 20, "fault-injection runs: number of seeds on each protocol")
	cmd.Flags().IntVar(&f.regions, "regions", 0, "fault-injection runs: regions of the cluster, 3 or more, or 2 without the fault replace; 0: the seed chooses 3 or 5")
	cmd.Flags().StringVar(&f.injectBug, "inject-bug", "", "fault-injection runs: inject these bugs, one after the other (a list, or all), and report after how many seeds each is found")
	cmd.Flags().StringSliceVar(&f.among, "switch-protocols", nil, "fault-injection runs: switch the cluster between these protocols under load, such as "+strings.Join(sim.DefaultSwitch[:2], ","))
	cmd.Flags().BoolVar(&f.rules, "coverage", false, "fault-injection runs: count the hits of each coverage mark of the core, and fail if a mark that the protocol can hit was never hit")
	cmd.Flags().BoolVar(&f.trace, "trace", false, "fault-injection runs: print the trace of each run, one event per line")
}

// run runs all seeds and prints the summary.
func (f faultRunFlags) run(ctx context.Context, out, progress io.Writer) error {
	if f.seeds < 1 {
		return usagef("--seeds is %d; it must be at least 1", f.seeds)
	}
	if f.regions < 0 || f.regions > 9 {
		return usagef("--regions is %d; it must be 0, or lie between 2 and 9", f.regions)
	}
	for _, name := range f.protocols {
		if _, err := protocol.ByName(name); err != nil {
			return usageError{err}
		}
	}
	for _, name := range f.among {
		if _, err := protocol.LiveByName(name); err != nil {
			return usagef("--switch-protocols: %w", err)
		}
	}
	faults, err := sim.ParseFaults(f.faults)
	if err != nil {
		return usageError{err}
	}
	cfg := f.shape
	cfg.Seed, cfg.Seeds, cfg.Specs, cfg.Faults, cfg.Regions, cfg.Switch = f.seed, f.seeds, f.protocols, faults, f.regions, f.among
	cfg.Rules = f.rules
	cfg.Stop = func() bool { return ctx.Err() != nil }
	if err := cfg.Check(); err != nil {
		return usageError{err}
	}
	if f.trace {
		cfg.Trace = func(line string) { fmt.Fprintln(out, line) }
	}
	if f.injectBug != "" {
		return f.runInjected(cfg, out, progress)
	}
	if f.json {
		progress = io.Discard
	}
	for _, name := range cfg.WithoutAtomicity() {
		fmt.Fprintf(progress, "%s guarantees no atomicity: expect violations of the checks.\n", name)
	}
	sum, err := sim.RunSeeds(cfg, progress)
	if f.json {
		return errorsFirst(err, json.NewEncoder(out).Encode(faultRunReport(sum)))
	}
	fmt.Fprintf(out, "%d runs, %d with violations, %d without a commit; %d transactions committed, %d aborted, %d with an outcome unknown to their client.\n",
		sum.Runs, len(sum.Failed), sum.Idle, sum.Counts["ok"], sum.Counts["fail"], sum.Counts["unknown"])
	median, least := sum.WorkDone()
	fmt.Fprintf(out, "Committed transactions with writes in a run: median %d, minimum %d.\n", median, least)
	printCounts(out, sum.Counts)
	for _, r := range sum.ByRow {
		printPaths(out, r)
	}
	for _, r := range rulesOf(sum.Rules) {
		printRules(out, r)
	}
	return err
}

// errorsFirst returns the first error that is not nil.
func errorsFirst(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// faultRunReport returns the summary of the runs as --json prints it.
func faultRunReport(sum sim.Summary) any {
	type failed struct {
		Seed       uint64   `json:"seed"`
		Protocol   string   `json:"protocol"`
		Violations []string `json:"violations"`
	}
	type work struct {
		Median int `json:"median"`
		Least  int `json:"least"`
	}
	report := struct {
		Runs   int             `json:"runs"`
		Idle   int             `json:"runs_without_a_commit"`
		Work   work            `json:"writes_committed_by_run"`
		Failed []failed        `json:"failed"`
		Counts sim.Counts      `json:"counts"`
		Paths  []rarePaths     `json:"rare_paths"`
		Rules  []protocolRules `json:"rules,omitempty"`
	}{Runs: sum.Runs, Idle: sum.Idle, Failed: []failed{}, Counts: sum.Counts, Rules: rulesOf(sum.Rules)}
	report.Work.Median, report.Work.Least = sum.WorkDone()
	for _, r := range sum.ByRow {
		report.Paths = append(report.Paths, pathsOf(r))
	}
	for _, r := range sum.Failed {
		one := failed{Seed: r.Seed, Protocol: r.Protocol}
		for _, v := range r.Violations {
			one.Violations = append(one.Violations, fmt.Sprint(v))
		}
		report.Failed = append(report.Failed, one)
	}
	return report
}
