package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"isochron/bench/process"
	"isochron/geo"
	"isochron/protocol"
	"isochron/sqlload"
	"isochron/test/faults"
)

// config is what a person can choose.
type config struct {
	Map      string
	Scale    float64
	Protocol string
	Jobs     int // in each region
	Turn     time.Duration
	Turns    int
	Program  string
	JSON     bool

	wan geo.WAN // scaled
}

func main() {
	ctx, restore := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, restore)
	c, err := parse(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err == nil {
		err = run(ctx, c, os.Stdout, os.Stderr)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "priorities: %v\n", err)
		os.Exit(1)
	}
}

const usage = `Payments of low and of high priority by turns, among batch jobs on the same hot rows, over SQL on
a cluster with a process for each region. Ctrl-C ends it and leaves nothing.

  make bench-priorities                           the default row over azure5 at a fifth of its delays
  make bench-priorities ARGS="--jobs 4 --json"    fewer jobs, one JSON object
  go run -tags gms_pure_go ./bench/priorities --protocol 2pc+2pl --turns 2 --turn 2s

`

// parse reads the flags.
func parse(args []string, words io.Writer) (config, error) {
	var c config
	f := flag.NewFlagSet("priorities", flag.ContinueOnError)
	f.SetOutput(words)
	f.StringVar(&c.Map, "wan", "azure5", "the map; a process in each of its regions")
	f.Float64Var(&c.Scale, "wan-scale", 0.2, "multiply every delay by this")
	f.StringVar(&c.Protocol, "protocol", protocol.Default, "how transactions commit")
	f.IntVar(&c.Jobs, "jobs", 16, "batch jobs in each region")
	f.DurationVar(&c.Turn, "turn", 10*time.Second, "how long a turn lasts")
	f.IntVar(&c.Turns, "turns", 6, "turns, half of them of low priority and half of high")
	f.StringVar(&c.Program, "isochron", "bin/isochron", "the binary to run")
	f.BoolVar(&c.JSON, "json", false, "print one JSON object at the end and nothing else")
	f.Usage = func() { fmt.Fprint(words, usage); f.PrintDefaults() }
	if err := f.Parse(args); err != nil {
		return c, err
	}
	if f.NArg() > 0 {
		return c, fmt.Errorf("%q is no flag; see --help", f.Arg(0))
	}
	return c, c.check()
}

func (c *config) check() error {
	switch {
	case !(c.Scale >= 0 && c.Scale <= 10):
		return fmt.Errorf("--wan-scale %v: give a number up to 10", c.Scale)
	case c.Jobs < 1 || c.Jobs > 1000:
		return fmt.Errorf("--jobs %d: give a number between 1 and 1000", c.Jobs)
	case c.Turn < 100*time.Millisecond || c.Turn > time.Hour:
		return fmt.Errorf("--turn %v: give a time between 100ms and 1h", c.Turn)
	case c.Turns < 2 || c.Turns > 1000 || c.Turns%2 != 0:
		return fmt.Errorf("--turns %d: give an even number between 2 and 1000", c.Turns)
	}
	if _, err := protocol.LiveByName(c.Protocol); err != nil {
		return fmt.Errorf("--protocol: %w", err)
	}
	wan, err := geo.Parse(c.Map)
	if err != nil {
		return fmt.Errorf("--wan: %w", err)
	}
	c.wan = wan.Scale(c.Scale)
	c.Program, err = filepath.Abs(c.Program)
	return err
}

// run makes the cluster, measures, and takes it away again.
func run(ctx context.Context, c config, out, words io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "isochron-priorities-")
	if err != nil {
		return err
	}
	defer func() {
		if err == nil || ctx.Err() != nil {
			err = errors.Join(err, os.RemoveAll(dir))
			return
		}
		err = fmt.Errorf("%w (logs and data are in %s)", err, dir)
	}()
	command := func(args ...string) *exec.Cmd { return process.Apart(exec.Command(c.Program, args...)) }
	cluster, err := faults.NewCluster(dir, command, c.wan, c.Protocol)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cluster.Close()) }()
	fmt.Fprintf(words, "starting %d processes (%s x %g, %s)\n", len(cluster.Nodes), c.Map, c.Scale, c.Protocol)
	if err := cluster.StartAll(ctx); err != nil {
		return err
	}
	report, err := measure(ctx, c, cluster, words)
	if err != nil {
		return err
	}
	return errors.Join(c.tell(report, out), report.Err())
}

// measure has the clients work.
func measure(ctx context.Context, c config, cluster *faults.Cluster, words io.Writer) (report *sqlload.PriorityReport, err error) {
	target := sqlload.Target{User: "root", Password: cluster.Password, Database: "bench", Connections: c.Jobs + 1, AsIs: true}
	for _, n := range cluster.Nodes {
		target.Addresses = append(target.Addresses, n.SQL)
	}
	env, err := target.Open(ctx, true)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, env.Close()) }()
	fmt.Fprintf(words, "%d turns of %v: %d batch jobs in each region, payments in %s\n", c.Turns, c.Turn, c.Jobs, cluster.Nodes[0].Region)
	p := sqlload.Priorities{Pools: env.DBs, Jobs: c.Jobs, Turn: c.Turn, Turns: c.Turns}
	if report, err = p.Run(ctx); err == nil {
		err = ctx.Err() // turns were cut short, and their figures are of nothing
	}
	for _, n := range cluster.Nodes {
		err = errors.Join(err, n.Strayed())
	}
	return report, err
}

// tell prints what was measured, and under what.
func (c config) tell(report *sqlload.PriorityReport, out io.Writer) error {
	if c.JSON {
		return json.NewEncoder(out).Encode(struct {
			WAN      string  `json:"wan"`
			Scale    float64 `json:"wan_scale"`
			Protocol string  `json:"protocol"`
			Nodes    int     `json:"processes"`
			Jobs     int     `json:"jobs_in_each_region"`
			TurnS    float64 `json:"turn_s"`
			Turns    int     `json:"turns"`
			*sqlload.PriorityReport
		}{c.Map, c.Scale, c.Protocol, len(c.wan.Regions), c.Jobs, c.Turn.Seconds(), c.Turns, report})
	}
	return report.Print(out)
}
