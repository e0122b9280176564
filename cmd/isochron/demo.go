package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"isochron/geo"
	"isochron/protocol"
	"isochron/server"
)

// demoFlags are the demo's flags as given.
type demoFlags struct {
	duration time.Duration
	data     string
	wanSpec  string
	wanScale float64
	protocol string
	load     string
	json     bool
	port     int
	clients  int
	verbose  bool
	keeps    bool // the protocol of data that exist
	sources  bool // over real PostgreSQL and MariaDB servers
	// priorities: batch jobs and a client whose transactions are to go before theirs.
	priorities bool
	native     bool // and a table of the cluster's own in the same transactions
}

// demoPlan is what the flags come to.
type demoPlan struct {
	demoFlags
	wan  geo.WAN      // scaled
	row  protocol.Row // zero: what the data runs
	temp bool         // data is removed at the end
}

// The loads there are.
const (
	loadNone = "none"
	loadShop = "shop"
)

// clientsMax is where a light load in one process has long ceased to be one.
const clientsMax = 1000

func newDemo() *cobra.Command {
	var f demoFlags
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Start a whole cluster here, its regions as far apart as on the map, and look at it work",
		Long: `Demo starts one node for each region of a map, in this process, with the delays
between the regions emulated and the data on this disk. It opens a MySQL port for
each region on the loopback interface, loads a small shop, runs a light load from
every region, and shows each region's latency beside the round trip that bounds it.

With --sources it starts two PostgreSQL and two MariaDB servers besides, if their programs
are on this machine, on free ports and with data that are removed at the end, spreads the
accounts of a bank and the warehouses of TPC-C over them, and shows by source what they cost:
transfers within a source, and the fifth of them that span two. At the end the money is added up
and TPC-C's conditions are checked.

With --priorities batch jobs in every region count up the same few rows, and one client pays, in
turns of low and of high priority; the summary has the latency of its payments in both.`,
		Example: `  isochron demo                                   until Ctrl-C, nothing is left behind
  isochron demo --for 30s --json                  one JSON object at the end
  isochron demo --data ./cluster                  kept: start it again and all is there
  isochron demo --wan uniform:100ms --load none   empty, for your own clients
  isochron demo --sources --native                over two PostgreSQL and two MariaDB of its own
  isochron demo --priorities --wan-scale 0.2      payments among batch jobs`,
		Args: noArgs,
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if f.sources && !cmd.Flags().Changed("wan") {
			f.wanSpec = "geotp4"
		}
		if f.priorities && !cmd.Flags().Changed("clients") {
			f.clients = priorityJobs
		}
		plan, err := f.plan(cmd.Flags().Changed)
		if err != nil {
			return err
		}
		if plan.sources {
			return runSourcesDemo(cmd.Context(), plan, cmd.OutOrStdout(), cmd.ErrOrStderr())
		}
		return runDemo(cmd.Context(), plan, cmd.OutOrStdout(), cmd.ErrOrStderr())
	}
	flags := cmd.Flags()
	flags.DurationVar(&f.duration, "for", 0, "end by itself after this time (default: run until Ctrl-C)")
	flags.StringVar(&f.data, "data", "", "data directory, kept (default: a temporary one, removed at the end)")
	flags.StringVar(&f.wanSpec, "wan", "azure5", "the map: "+strings.Join(geo.Names(), ", ")+", uniform:100ms, or a YAML FILE; with --data the one that it was made with")
	flags.Float64Var(&f.wanScale, "wan-scale", 1, "multiply every delay by this")
	flags.StringVar(&f.protocol, "protocol", protocol.Default, "how transactions commit: "+strings.Join(protocolNames(), ", ")+"; data that runs another goes over to it first; without it they keep theirs")
	flags.StringVar(&f.load, "load", loadShop, "what clients do: "+loadNone+" or "+loadShop)
	flags.BoolVar(&f.json, "json", false, "print one JSON object at the end and nothing else")
	flags.IntVar(&f.port, "port", 4401, "MySQL port of the first region, the others follow; 0: any free ones")
	flags.IntVar(&f.clients, "clients", 4, "clients of the load in each region; of batch jobs 16 if no other number is given")
	flags.BoolVar(&f.sources, "sources", false, "transactions over PostgreSQL and MariaDB servers, which it starts; the map is geotp4 if no other is given")
	flags.BoolVar(&f.priorities, "priorities", false, "batch jobs on hot rows, and payments of low and of high priority by turns; 30 seconds, or as --for says")
	flags.BoolVar(&f.native, "native", false, "with --sources: a replicated table of the cluster's own in the same transactions")
	flags.BoolVar(&f.verbose, "verbose", false, "log what the nodes do")
	return cmd
}

func protocolNames() []string {
	var names []string
	for _, row := range protocol.Live() {
		names = append(names, row.Name)
	}
	return names
}

// plan checks the flags. given says which were given by the person.
func (f demoFlags) plan(given func(flag string) bool) (demoPlan, error) {
	if err := f.check(); err != nil {
		return demoPlan{}, err
	}
	if err := f.adopt(given); err != nil {
		return demoPlan{}, err
	}
	p := demoPlan{demoFlags: f, temp: f.data == ""}
	wan, err := geo.Parse(f.wanSpec)
	if err != nil {
		return p, usagef("--wan: %w", err)
	}
	p.wan = wan.Scale(f.wanScale)
	if p.wanSpec, err = absolute(f.wanSpec); err != nil {
		return p, err
	}
	if last := f.port + len(wan.Regions) - 1; f.port < 0 || last > 65535 {
		return p, usagef("--port %d: the ports of %d regions would be %d to %d, and they end at 65535", f.port, len(wan.Regions), f.port, last)
	}
	if f.keeps {
		return p, nil
	}
	if p.row, err = protocol.LiveByName(f.protocol); err != nil {
		return p, usagef("--protocol: %w", err)
	}
	return p, nil
}

// check refuses values that make no sense by themselves.
func (f demoFlags) check() error {
	switch {
	case f.duration < 0:
		return usagef("--for %v: a time cannot be negative; leave it out to run until Ctrl-C", f.duration)
	case math.IsNaN(f.wanScale) || f.wanScale < 0 || f.wanScale > 100:
		return usagef("--wan-scale %v: give a factor between 0 and 100, such as 0.1", f.wanScale)
	case f.load != loadNone && f.load != loadShop:
		return usagef("--load %q: use %s or %s", f.load, loadNone, loadShop)
	case f.native && !f.sources:
		return usagef("--native: it goes with --sources")
	case f.priorities && f.sources:
		return usagef("--priorities: not together with --sources")
	case f.sources && f.data != "":
		return usagef("--data: with --sources nothing is kept")
	case f.clients < 1 || f.clients > clientsMax:
		return usagef("--clients %d: give a number between 1 and %d", f.clients, clientsMax)
	}
	if info, err := os.Stat(f.data); f.data != "" && err == nil && !info.IsDir() {
		return usagef("--data %s is a file, not a directory", f.data)
	}
	return nil
}

// adopt takes from a data directory what it was made with and nobody gave now.
func (f *demoFlags) adopt(given func(flag string) bool) error {
	if f.data == "" {
		return nil
	}
	about, ok, err := server.Describe(f.data)
	if err != nil {
		return fmt.Errorf("--data: %w", err)
	}
	if !ok {
		return nil
	}
	if !given("wan") {
		f.wanSpec = about.WAN
	}
	f.keeps = !given("protocol")
	return nil
}

// absolute makes a map's file findable from wherever the demo is started again;
// the name of a published map stays as it is.
func absolute(spec string) (string, error) {
	if _, err := os.Stat(spec); err != nil || slices.Contains(geo.Names(), spec) {
		return spec, nil
	}
	return filepath.Abs(spec)
}
