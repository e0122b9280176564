package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"isochron/bench/command"
	"isochron/geo"
	"isochron/protocol"
	"isochron/server"
)

const usage = `Statements from each region without contention, each beside the round trips that nothing can undercut.

  make bench
  go run -tags gms_pure_go ./bench/latency --wan-scale 0.2 --protocol 2pc+occ
  go run -tags gms_pure_go ./bench/latency --times 5 --json`

// config has the choices of the command line.
type config struct {
	Map   command.Map
	wan   geo.WAN // scaled
	spec  protocol.Spec
	times int // that each statement is run
	json  bool
}

func main() { command.Main("latency", run) }

// parse reads the flags.
func parse(args []string, out io.Writer) (c config, err error) {
	f := command.NewFlags("latency", usage)
	c.Map.Flags(f, "azure5", 1, "the map, of four regions and more")
	name := f.String("protocol", protocol.Table()[0].Name, "the protocol")
	f.IntVar(&c.times, "times", 15, "how often each statement is run")
	f.BoolVar(&c.json, "json", false, "print a JSON object for each line of the table, and nothing else")
	if err = f.Parse(args, out); err != nil {
		return c, err
	}
	if c.wan, err = c.Map.WAN(); err != nil {
		return c, err
	}
	if len(c.wan.Regions) < 4 {
		return c, command.Usagef("--wan: the map %s has %d regions; four are needed", c.Map.Name, len(c.wan.Regions))
	}
	if c.times < 1 || c.times > 10_000 {
		return c, command.Usagef("--times %d: give a number between 1 and 10000", c.times)
	}
	c.spec, err = protocol.LiveByName(*name)
	return c, command.Usage(err)
}

// timeMax bounds a run.
const timeMax = 20 * time.Minute

// run is the whole command.
func run(ctx context.Context, args []string, out, _ io.Writer) error {
	c, err := parse(args, out)
	if err != nil {
		return err
	}
	scratch, err := command.NewScratch("latency")
	if err != nil {
		return err
	}
	return scratch.Leave(ctx, c.measure(ctx, scratch.Dir, out))
}

// measure starts a cluster in dir, measures, and prints.
func (c config) measure(ctx context.Context, dir string, out io.Writer) error {
	ctx, cancel := context.WithTimeoutCause(ctx, timeMax, fmt.Errorf("it took longer than %v", timeMax))
	defer cancel()
	cluster, err := server.Start(ctx, server.Config{Dir: dir, WAN: c.wan, WANName: c.Map.Name, Spec: c.spec})
	if err != nil {
		return err
	}
	b := &bench{config: c, out: out}
	err = b.open(cluster)
	if err == nil {
		err = b.all(ctx)
	}
	return errors.Join(err, b.close(), cluster.Close())
}
