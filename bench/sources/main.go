package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"isochron/bench/command"
)

// config has the choices of the command line.
type config struct {
	Deployments []string
	Systems     []string
	Loads       []string
	Skews       []float64
	Clients     []int
	Distributed []int // transactions of a hundred that work at several sources
	Central     int   // the source of the others, from 1 on; 0: any
	Span        int
	Seconds     int
	Warmup      int
	Rounds      int
	Rows        int // of a source
	Map         command.Map
	Peers       string
	Program     string
	Lines       string
	JSON        bool
	Hold        bool
	Sockets     bool
}

func main() { command.Main("sources", run) }

const usage = `Middleware over four databases, one system after another: throughput, latency, tries
lost, memory.

  bench/sources/run.sh [flags]                  fetches the peers first (make bench-sources ARGS="...")
  bench/sources/run.sh --deployments mysql --systems shardingsphere,spider --clients 8 --seconds 5`

// parse reads the flags.
func parse(args []string, out io.Writer) (c config, err error) {
	var deployments, named, loads, skews, clients, shares string
	f := command.NewFlags("sources", usage)
	f.StringVar(&deployments, "deployments", strings.Join(deploymentNames(), ","), "which databases, with commas between them")
	f.StringVar(&named, "systems", strings.Join(systemNames(), ","), "which systems, each where it can run")
	f.StringVar(&loads, "loads", "transfer,ycsb-txn", "loads of isochron workload")
	f.StringVar(&skews, "skews", "0.3,0.9,1.5", "skews of the keys")
	f.StringVar(&clients, "clients", "1,8,64", "numbers of clients")
	f.StringVar(&shares, "distributed", "20", "transactions of a hundred that work at several sources; a cell for each number")
	f.IntVar(&c.Span, "span", 2, "at how many those work")
	f.IntVar(&c.Central, "central", 0, "the source at which the others work, from 1 on, such as 1 (beside the middleware, as in figure 1 of GeoTP's paper); 0: any")
	f.IntVar(&c.Seconds, "seconds", 15, "of a cell")
	f.IntVar(&c.Rounds, "rounds", 1, "how often the systems take turns; ratios are of all rounds together")
	f.IntVar(&c.Warmup, "warmup", 5, "seconds before those, no part of the figures")
	f.IntVar(&c.Rows, "rows", 100_000, "rows of each table at each source")
	c.Map.Flags(f, "geotp4", 1, "the map; a source at each of its first four regions, the middleware at the first")
	f.StringVar(&c.Peers, "peers", "", "where run.sh put the peers")
	f.StringVar(&c.Program, "isochron", "bin/isochron", "the program")
	f.StringVar(&c.Lines, "lines", "", "a file to which each cell is added as a line of JSON")
	f.BoolVar(&c.JSON, "json", false, "print lines of JSON instead of the table")
	f.BoolVar(&c.Sockets, "sockets", false, "have Isochron's agents reach the servers over their sockets, not their ports")
	f.BoolVar(&c.Hold, "hold", false, "run nothing: start the first deployment and its systems, and wait for Ctrl-C")
	if err = f.Parse(args, out); err != nil {
		return c, err
	}
	c.Deployments, c.Systems, c.Loads = command.List(deployments), command.List(named), command.List(loads)
	for _, text := range command.List(skews) {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || v <= 0 || v == 1 || v > 5 {
			return c, command.Usagef("--skews %q: give numbers above 0, up to 5, and not 1", text)
		}
		c.Skews = append(c.Skews, v)
	}
	if c.Clients, err = command.Numbers("clients", clients, 1, clientsMax); err != nil {
		return c, err
	}
	if c.Distributed, err = command.Numbers("distributed", shares, 0, 100); err != nil {
		return c, err
	}
	return c, command.Usage(c.check())
}

// clientsMax is the number of clients for which the servers have connections.
const clientsMax = 200

func (c *config) check() error {
	for _, one := range []struct {
		flag         string
		given, known []string
	}{{"deployments", c.Deployments, deploymentNames()}, {"systems", c.Systems, systemNames()}, {"loads", c.Loads, []string{"transfer", "ycsb-txn"}}} {
		for _, name := range one.given {
			if !slices.Contains(one.known, name) {
				return fmt.Errorf("--%s %q: there are %s", one.flag, name, strings.Join(one.known, ", "))
			}
		}
	}
	switch {
	case c.Seconds < 1 || c.Seconds > 3600 || c.Warmup < 0 || c.Warmup > 600:
		return errors.New("--seconds and --warmup: give numbers up to 3600 and 600")
	case c.Rows < 100 || c.Rows > 10_000_000:
		return fmt.Errorf("--rows %d: give a number between 100 and 10000000", c.Rows)
	case c.Rounds < 1 || c.Rounds > 100:
		return fmt.Errorf("--rounds %d: give a number between 1 and 100", c.Rounds)
	case c.Span < 2 || c.Span > sources:
		return fmt.Errorf("--span between 2 and %d", sources)
	case c.Central < 0 || c.Central > sources:
		return fmt.Errorf("--central %d: give the number of a source, up to %d, or 0", c.Central, sources)
	}
	var err error
	if c.Program, err = filepath.Abs(c.Program); err == nil {
		_, err = c.delays()
	}
	return err
}

// delays are the round trips from the middleware to each source.
func (c config) delays() ([]time.Duration, error) {
	wan, err := c.Map.WAN()
	if err != nil {
		return nil, err
	}
	if len(wan.Regions) < sources {
		return nil, fmt.Errorf("--wan %s has %d regions, and there are %d sources", c.Map.Name, len(wan.Regions), sources)
	}
	out := make([]time.Duration, sources)
	for i := range out[1:] { // the first is where the middleware is
		out[i+1] = wan.RTT(wan.Regions[0], wan.Regions[i+1])
	}
	return out, nil
}
