package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"time"

	"isochron/bench/command"
	"isochron/bench/process"
	"isochron/geo"
	"isochron/protocol"
	"isochron/sqlload"
	"isochron/test/faults"
)

// config has the choices of the command line.
type config struct {
	Map      command.Map
	Protocol string
	Jobs     int // in each region
	Turn     time.Duration
	Turns    int
	Program  string
	JSON     bool

	wan geo.WAN // scaled
}

func main() { command.Main("priorities", run) }

const usage = `Payments of low and of high priority by turns, among batch jobs on the same hot rows, over SQL on
a cluster with a process for each region. Ctrl-C ends it and leaves nothing.

  make bench-priorities                           the default row over azure5 at a fifth of its delays
  make bench-priorities ARGS="--jobs 4 --json"    fewer jobs, one JSON object
  go run -tags gms_pure_go ./bench/priorities --protocol 2pc+2pl --turns 2 --turn 2s`

// parse reads the flags.
func parse(args []string, out io.Writer) (c config, err error) {
	f := command.NewFlags("priorities", usage)
	c.Map.Flags(f, "azure5", 0.2, "the map; a process in each of its regions")
	f.StringVar(&c.Protocol, "protocol", protocol.Default, "how transactions commit")
	f.IntVar(&c.Jobs, "jobs", 16, "batch jobs in each region")
	f.DurationVar(&c.Turn, "turn", 10*time.Second, "how long a turn lasts")
	f.IntVar(&c.Turns, "turns", 6, "turns, half of them of low priority and half of high")
	f.StringVar(&c.Program, "isochron", "bin/isochron", "the binary to run")
	f.BoolVar(&c.JSON, "json", false, "print one JSON object at the end and nothing else")
	if err = f.Parse(args, out); err == nil {
		err = command.Usage(c.check())
	}
	return c, err
}

func (c *config) check() error {
	switch {
	case c.Jobs < 1 || c.Jobs > 1000:
		return fmt.Errorf("--jobs %d: give a number between 1 and 1000", c.Jobs)
	case c.Turn < 100*time.Millisecond || c.Turn > time.Hour:
		return fmt.Errorf("--turn %v: give a time between 100ms and 1h", c.Turn)
	case c.Turns < 2 || c.Turns > 1000 || c.Turns%2 != 0:
		return fmt.Errorf("--turns %d: give an even number between 2 and 1000", c.Turns)
	}
	_, err := protocol.LiveByName(c.Protocol)
	if err != nil {
		return fmt.Errorf("--protocol: %w", err)
	}
	if c.wan, err = c.Map.WAN(); err != nil {
		return err
	}
	c.Program, err = filepath.Abs(c.Program)
	return err
}

// run is the whole command.
func run(ctx context.Context, args []string, out, words io.Writer) error {
	c, err := parse(args, out)
	if err != nil {
		return err
	}
	scratch, err := command.NewScratch("priorities")
	if err != nil {
		return err
	}
	return scratch.Leave(ctx, c.compare(ctx, scratch.Dir, out, command.Print(words, c.JSON)))
}

// compare makes the cluster, measures, and ends it.
func (c config) compare(ctx context.Context, dir string, out io.Writer, log func(string, ...any)) (err error) {
	start := func(args ...string) *exec.Cmd { return process.Apart(exec.Command(c.Program, args...)) }
	cluster, err := faults.NewCluster(dir, start, c.wan, c.Protocol)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cluster.Close()) }()
	log("starting %d processes (%s x %g, %s)", len(cluster.Nodes), c.Map.Name, c.Map.Scale, c.Protocol)
	if err := cluster.StartAll(ctx); err != nil {
		return err
	}
	report, err := measure(ctx, c, cluster, log)
	if err != nil {
		return err
	}
	return errors.Join(c.report(report, out), report.Err())
}

// measure has the clients work.
func measure(ctx context.Context, c config, cluster *faults.Cluster, log func(string, ...any)) (report *sqlload.PriorityReport, err error) {
	target := sqlload.Target{User: "root", Password: cluster.Password, Database: "bench", Connections: c.Jobs + 1, AsIs: true}
	for _, n := range cluster.Nodes {
		target.Addresses = append(target.Addresses, n.SQL)
	}
	env, err := target.Open(ctx, true)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, env.Close()) }()
	log("%d turns of %v: %d batch jobs in each region, payments in %s", c.Turns, c.Turn, c.Jobs, cluster.Nodes[0].Region)
	p := sqlload.Priorities{Pools: env.DBs, Jobs: c.Jobs, Turn: c.Turn, Turns: c.Turns}
	if report, err = p.Run(ctx); err == nil {
		err = ctx.Err() // turns were cut short, and their figures are of nothing
	}
	for _, n := range cluster.Nodes {
		err = errors.Join(err, n.Strayed())
	}
	return report, err
}

// report prints the measurements and their conditions.
func (c config) report(report *sqlload.PriorityReport, out io.Writer) error {
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
		}{c.Map.Name, c.Map.Scale, c.Protocol, len(c.wan.Regions), c.Jobs, c.Turn.Seconds(), c.Turns, report})
	}
	return report.Print(out)
}
