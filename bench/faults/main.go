package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"isochron/bench/command"
	"isochron/test/faults"
)

const usage = `A cluster of five processes under load, one fault after another, and the judgement of it.

  make faults                                            an hour
  make faults FAULT_MINUTES=5 ARGS="--seed 7 --json"     five minutes of known faults, one JSON object
  make gaps ARGS="--only pause"                          for how long clients cannot commit
  make faults-sources                                    over a PostgreSQL and a MariaDB`

func main() { command.Main("faults", run) }

var errViolations = errors.New("the cluster broke its promises")

// options are the flags.
type options struct {
	wan     command.Map
	binary  string
	minutes float64
	asJSON  bool
	sources bool
	gaps    gapOptions
	cfg     faults.Config
}

// parse reads the flags.
func parse(args []string, out io.Writer) (o options, err error) {
	f := command.NewFlags("faults", usage)
	f.Float64Var(&o.minutes, "minutes", 60, "how long")
	f.DurationVar(&o.cfg.Period, "period", 5*time.Minute, "after how long the loads pause and everything is checked")
	o.wan.Flags(f, "azure5", 0.2, "the map, of an odd number of regions")
	f.StringVar(&o.cfg.Protocol, "protocol", "", "the protocol; empty: the default")
	f.Uint64Var(&o.cfg.Seed, "seed", 0, "the faults follow from it; 0: another each time")
	f.IntVar(&o.cfg.DiskMB, "disk-mb", 600, "the size of one node's disk, which is filled now and then; 0: none")
	f.Float64Var(&o.cfg.Scale, "tpcc-scale", 0.02, "customers and items of TPC-C times this")
	f.StringVar(&o.binary, "isochron", "bin/isochron", "the binary to run")
	f.BoolVar(&o.asJSON, "json", false, "print one JSON object at the end and nothing else")
	f.BoolVar(&o.sources, "sources", false, "inject a cluster with a PostgreSQL and a MariaDB instead, which it starts")
	o.gaps.flags(f)
	if err = f.Parse(args, out); err != nil {
		return o, err
	}
	if !(o.minutes > 0) {
		return o, command.Usagef("--minutes %v: give a number above 0", o.minutes)
	}
	if o.cfg.WAN, err = o.wan.WAN(); err != nil {
		return o, err
	}
	o.cfg.For = time.Duration(o.minutes * float64(time.Minute))
	if o.cfg.Seed == 0 {
		o.cfg.Seed = rand.Uint64N(1 << 40)
	}
	o.binary, err = filepath.Abs(o.binary)
	o.cfg.Command = func(args ...string) *exec.Cmd { return exec.Command(o.binary, args...) }
	return o, err
}

// run is the whole command.
func run(ctx context.Context, args []string, out, words io.Writer) error {
	o, err := parse(args, out)
	if err != nil {
		return err
	}
	scratch, err := command.NewScratch("faults")
	if err != nil {
		return err
	}
	o.cfg.Dir, o.cfg.Log = scratch.Dir, command.Print(words, o.asJSON)
	o.cfg.Log("seed %d, in %s", o.cfg.Seed, scratch.Dir)
	report, violations, err := o.inject(ctx)
	if violations > 0 {
		scratch.Keep()
		err = errors.Join(errViolations, err)
	}
	err = errors.Join(err, command.Report(out, o.asJSON, report))
	if err == nil {
		return scratch.Leave(ctx, nil)
	}
	return scratch.Leave(ctx, errors.Join(fmt.Errorf("%w (seed %d)", err, o.cfg.Seed), keep(scratch.Dir, report)))
}

// report is the result of a run of either kind.
type report interface{ Print(io.Writer) }

// inject runs the faults that the flags request, and returns the number of broken promises.
func (o *options) inject(ctx context.Context) (report, int, error) {
	switch {
	case o.gaps.wanted:
		r, err := o.gaps.do(ctx, o.cfg)
		return r, 0, err
	case o.sources:
		o.cfg.Period = min(o.cfg.Period, time.Minute)
		r, err := faults.DoSources(ctx, o.cfg)
		return r, len(r.Violations), err
	}
	r, err := faults.Do(ctx, o.cfg)
	return r, len(r.Violations), err
}

// keep writes the report beside the logs.
func keep(dir string, report any) error {
	b, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "report.json"), b, 0o600)
}
