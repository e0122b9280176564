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

// demoPlan is the plan that follows from the flags.
type demoPlan struct {
	demoFlags
	wan  geo.WAN       // scaled
	spec protocol.Spec // zero: what the data runs
	temp bool          // data is removed at the end
}

// The loads there are.
const (
	loadNone = "none"
	loadShop = "shop"
)

// clientsMax is beyond any light load in one process.
const clientsMax = 1000

func newDemo() *cobra.Command {
	var f demoFlags
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run a cluster of several regions in this process and show its latencies",
		Long: `Demo starts one node for each region of a map, in this process, with the delays
between the regions emulated and the data on this disk. It opens a MySQL port for
each region on the loopback interface, loads a small shop, runs a light load from
every region, and shows each region's latency beside the round trip that bounds it.

With --sources it also starts two PostgreSQL and two MariaDB servers, which must be
installed, on free ports and with temporary data. It distributes the accounts of a bank and
the warehouses of TPC-C over them and shows, for each source, the cost of transfers within
that source and of those between two sources (a fifth). At the end it compares the sum of
all accounts with the initial one and checks TPC-C's consistency conditions.

With --priorities batch jobs in every region increment the same few rows, and one client
makes payments, alternately with low and with high priority; the summary shows the latency
of both kinds of payment.`,
		Example: `  isochron demo                                   until Ctrl-C; the data is removed
  isochron demo --for 30s --json                  one JSON object at the end
  isochron demo --data ./cluster                  the data is kept; the next start continues with it
  isochron demo --wan uniform:100ms --load none   no tables and no load
  isochron demo --sources --native                over two PostgreSQL and two MariaDB servers
  isochron demo --priorities --wan-scale 0.2      payments beside batch jobs on the same rows`,
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
	flags.DurationVar(&f.duration, "for", 0, "stop after this time (default: run until Ctrl-C)")
	flags.StringVar(&f.data, "data", "", "data directory, kept at the end (default: a temporary one, removed)")
	flags.StringVar(&f.wanSpec, "wan", "azure5", "the map: "+strings.Join(geo.Names(), ", ")+", uniform:100ms, or a YAML FILE; the default for existing --data is the map it was created with")
	flags.Float64Var(&f.wanScale, "wan-scale", 1, "multiply every delay by this")
	flags.StringVar(&f.protocol, "protocol", protocol.Default, "how transactions commit: "+strings.Join(protocolNames(), ", ")+"; existing --data is switched to it first, and keeps its own protocol without this flag")
	flags.StringVar(&f.load, "load", loadShop, "the load: "+loadNone+" or "+loadShop)
	flags.BoolVar(&f.json, "json", false, "print one JSON object at the end and nothing else")
	flags.IntVar(&f.port, "port", 4401, "MySQL port of the first region, the next regions use the next ports; 0: any free ports")
	flags.IntVar(&f.clients, "clients", 4, "clients of the load in each region (with --priorities batch jobs, 16 by default)")
	flags.BoolVar(&f.sources, "sources", false, "start PostgreSQL and MariaDB servers and run transactions over them; the default map is geotp4")
	flags.BoolVar(&f.priorities, "priorities", false, "batch jobs on hot rows, and payments alternately of low and of high priority, for 30 seconds or --for")
	flags.BoolVar(&f.native, "native", false, "with --sources: the same transactions also write a replicated table of the cluster")
	flags.BoolVar(&f.verbose, "verbose", false, "print the nodes' log")
	return cmd
}

func protocolNames() []string {
	var names []string
	for _, spec := range protocol.Live() {
		names = append(names, spec.Name)
	}
	return names
}

// plan checks the flags. given reports whether the user gave a flag.
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
		return p, usagef("--port %d: %d regions need the ports %d to %d, and the highest port is 65535", f.port, len(wan.Regions), f.port, last)
	}
	if f.keeps {
		return p, nil
	}
	if p.spec, err = protocol.LiveByName(f.protocol); err != nil {
		return p, usagef("--protocol: %w", err)
	}
	return p, nil
}

// check refuses values that make no sense by themselves.
func (f demoFlags) check() error {
	switch {
	case f.duration < 0:
		return usagef("--for %v: the time is negative; omit --for to run until Ctrl-C", f.duration)
	case math.IsNaN(f.wanScale) || f.wanScale < 0 || f.wanScale > 100:
		return usagef("--wan-scale %v: give a factor between 0 and 100, such as 0.1", f.wanScale)
	case f.load != loadNone && f.load != loadShop:
		return usagef("--load %q: use %s or %s", f.load, loadNone, loadShop)
	case f.native && !f.sources:
		return usagef("--native: only valid with --sources")
	case f.priorities && f.sources:
		return usagef("--priorities: not valid with --sources")
	case f.sources && f.data != "":
		return usagef("--data: not valid with --sources, whose data is always temporary")
	case f.clients < 1 || f.clients > clientsMax:
		return usagef("--clients %d: give a number between 1 and %d", f.clients, clientsMax)
	}
	if info, err := os.Stat(f.data); f.data != "" && err == nil && !info.IsDir() {
		return usagef("--data %s is a file, not a directory", f.data)
	}
	return nil
}

// adopt takes flags that were not given from the data directory's description.
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
