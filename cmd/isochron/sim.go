package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"isochron/protocol"
	"isochron/sim"
)

type simFlags struct {
	hunt      int
	seed      uint64
	protocols []string
	faults    string
	regions   int
	trace     bool
	json      bool
}

func newSim() *cobra.Command {
	var f simFlags
	cmd := &cobra.Command{
		Use:   "sim",
		Short: "Hunt for broken promises in virtual time",
		Long: `Sim runs whole clusters in virtual time, with clients whose every observation is
checked, while nodes crash, disks forget what was not synced, networks part and
clocks jump. One seed is one run, byte for byte: what it finds can be seen again.`,
		Example: `  isochron sim --hunt 300
  isochron sim --hunt 1 --seed 42 --protocol 2pc+occ --trace`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().IntVar(&f.hunt, "hunt", 20, "how many seeds to run on each protocol")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "the first seed")
	cmd.Flags().StringSliceVar(&f.protocols, "protocol", sim.DefaultRows, "protocols to hunt in")
	cmd.Flags().StringVar(&f.faults, "faults", "all", "all, none, or some of: crashes,power,partitions,clocks,stalls,network,acks,roles,replace")
	cmd.Flags().IntVar(&f.regions, "regions", 0, "regions of the cluster; 0: the seed chooses 3 or 5")
	cmd.Flags().BoolVar(&f.trace, "trace", false, "print the story of each run, one line an event")
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object at the end and nothing else")
	return cmd
}

func (f simFlags) run(out, progress io.Writer) error {
	if f.hunt < 1 {
		return usagef("--hunt is %d; it must be at least 1", f.hunt)
	}
	if f.regions < 0 || f.regions > 9 {
		return usagef("--regions is %d; it must lie between 0 and 9", f.regions)
	}
	for _, name := range f.protocols {
		if _, err := protocol.ByName(name); err != nil {
			return usageError{err}
		}
	}
	faults, err := sim.ParseFaults(f.faults)
	if err != nil {
		return usageError{err}
	}
	cfg := sim.HuntConfig{Seed: f.seed, Seeds: f.hunt, Rows: f.protocols, Faults: faults, Regions: f.regions}
	if f.trace {
		cfg.Trace = func(line string) { fmt.Fprintln(out, line) }
	}
	if f.json {
		progress = io.Discard
	}
	sum, err := sim.RunHunt(cfg, progress)
	if f.json {
		return errorsFirst(err, json.NewEncoder(out).Encode(huntReport(sum)))
	}
	fmt.Fprintf(out, "%d runs, %d broke a promise; %d transactions committed, %d lost to others or to faults, %d unknown to their client.\n",
		sum.Runs, len(sum.Failed), sum.Counts["ok"], sum.Counts["fail"], sum.Counts["unknown"])
	fmt.Fprintf(out, "Met on the way: %v\n", sum.Counts)
	return err
}

// errorsFirst is the first error that is one.
func errorsFirst(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// huntReport is the hunt as machines read it.
func huntReport(sum sim.Summary) any {
	type failed struct {
		Seed       uint64   `json:"seed"`
		Protocol   string   `json:"protocol"`
		Violations []string `json:"violations"`
	}
	report := struct {
		Runs   int        `json:"runs"`
		Failed []failed   `json:"failed"`
		Counts sim.Counts `json:"counts"`
	}{Runs: sum.Runs, Failed: []failed{}, Counts: sum.Counts}
	for _, r := range sum.Failed {
		one := failed{Seed: r.Seed, Protocol: r.Row}
		for _, v := range r.Violations {
			one.Violations = append(one.Violations, fmt.Sprint(v))
		}
		report.Failed = append(report.Failed, one)
	}
	return report
}
