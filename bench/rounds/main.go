package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"isochron/bench/command"
)

const usage = `The rounds of statements over five regions, beside those that EXPLAIN gives, for one build or several.

  make bench-rounds ARGS="--transactions 5"
  go run -tags gms_pure_go ./bench/rounds --isochron bin/isochron,/tmp/isochron-before
  go run -tags gms_pure_go ./bench/rounds --transactions 5 --json`

// config has the choices of the command line.
type config struct {
	Map          command.Map
	regions      []string
	builds       []string // programs
	transactions int      // of TPC-C and SmallBank each
	json         bool
}

func main() { command.Main("rounds", run) }

// parse reads the flags.
func parse(args []string, out io.Writer) (c config, err error) {
	f := command.NewFlags("rounds", usage)
	c.Map.Flags(f, "azure5", 0.01, "the map, of two regions and more")
	builds := f.String("isochron", "bin/isochron", "the programs to compare, with commas")
	f.IntVar(&c.transactions, "transactions", 60, "how many transactions of TPC-C are run, and how many of SmallBank")
	f.BoolVar(&c.json, "json", false, "print one JSON object and nothing else")
	if err = f.Parse(args, out); err != nil {
		return c, err
	}
	wan, err := c.Map.WAN()
	if err != nil {
		return c, err
	}
	for _, r := range wan.Regions {
		c.regions = append(c.regions, string(r))
	}
	if len(c.regions) < 2 {
		return c, command.Usagef("--wan: the map %s has %d region; two are needed", c.Map.Name, len(c.regions))
	}
	if c.transactions < 1 || c.transactions > 10_000 {
		return c, command.Usagef("--transactions %d: give a number between 1 and 10000", c.transactions)
	}
	if c.builds = command.List(*builds); len(c.builds) == 0 {
		return c, command.Usagef("--isochron: give a program")
	}
	return c, nil
}

// timeMax bounds the run of a build.
const timeMax = 15 * time.Minute

// run is the whole command.
func run(ctx context.Context, args []string, out, words io.Writer) error {
	c, err := parse(args, out)
	if err != nil {
		return err
	}
	scratch, err := command.NewScratch("rounds")
	if err != nil {
		return err
	}
	report := &report{Map: c.Map.Name, Builds: c.builds}
	for i, program := range c.builds {
		log := command.PrintWithTime(words)
		if c.json {
			log = command.Print(words, true)
		}
		if err = c.measure(ctx, program, filepath.Join(scratch.Dir, fmt.Sprint(i)), report, log); err != nil {
			break
		}
	}
	if err == nil {
		err = command.Report(out, c.json, report)
	}
	return scratch.Leave(ctx, err)
}

// measure runs everything on one build.
func (c config) measure(ctx context.Context, program, dir string, to *report, log func(string, ...any)) (err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, timeMax, fmt.Errorf("it took longer than %v", timeMax))
	defer cancel()
	log("%s: starting %d nodes", program, len(c.regions))
	cluster, err := start(ctx, program, dir, c.Map, c.regions)
	if err != nil {
		return err
	}
	defer cluster.stop()
	m, err := newMeter(cluster)
	if err != nil {
		return err
	}
	defer func() { _ = m.close() }()
	log("%s: joins", program)
	if err := m.joins(ctx, c.regions); err != nil {
		return err
	}
	for _, load := range []string{"tpcc", "smallbank"} {
		log("%s: %s", program, load)
		if err := m.load(ctx, load, c.transactions); err != nil {
			return err
		}
	}
	to.add(m.statements)
	return nil
}
