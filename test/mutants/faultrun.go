package main

import (
	"encoding/json"
	"flag"
	"io"
	"strings"

	"isochron/sim"
)

// found is the result of a fault run, as one process sends it to another.
type found struct {
	Seed    uint64 `json:"seed"` // the first with a violation; 0: there is none
	Runs    int    `json:"runs"`
	Anomaly string `json:"anomaly,omitempty"`
	Detail  string `json:"detail,omitempty"`
}

// runFaults runs the command's part in a mutated tree, for which it is built there: mutants
// faultrun --row NAME --seed N --seeds N.
func runFaults(args []string, out io.Writer) error {
	f := flag.NewFlagSet("faultrun", flag.ContinueOnError)
	row := f.String("row", "", "the protocol")
	seed := f.Uint64("seed", 1, "the first seed")
	seeds := f.Int("seeds", 1, "number of seeds")
	among := f.String("switch", "", "protocols between which the cluster switches, with commas")
	if err := f.Parse(args); err != nil {
		return err
	}
	cfg := sim.FaultRunConfig{Seed: *seed, Seeds: *seeds, Specs: []string{*row}, Faults: sim.AllFaults(), StopAfter: 1}
	if *among != "" {
		cfg.Switch = strings.Split(*among, ",")
	}
	sum, err := sim.RunSeeds(cfg, io.Discard)
	result := found{Runs: sum.Runs}
	if len(sum.Failed) > 0 {
		r := sum.Failed[0]
		result.Seed, result.Anomaly, result.Detail = r.Seed, r.Violations[0].Name, r.Violations[0].Detail
	} else if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(result)
}
