package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"isochron/bench/command"
	"isochron/protocol"
)

// config has the choices of the command line.
type config struct {
	Collapse    bool
	Protocols   []string
	Default     string
	Loads       []string
	Connections []int
	Seconds     int
	Warmup      int
	Repeat      int
	Minutes     float64
	Galera      bool
	Check       bool
	WAN         string
	WANScale    float64
	Scale       float64
	Program     string
	WANProgram  string
	Data        string
	Resume      string
	Show        bool
	JSON        bool
}

const usage = `Rows of the protocol table beside each other, each on each load: throughput, latency,
tries lost per commit, and whether the default is the first.

  bin/rows [flags]                                    (make bench-rows ARGS="...")
  bin/rows --collapse [flags]                         (make bench-collapse ARGS="...")
  bin/rows --protocols d2pc+2pl-home,txsql --loads hot0,tpcc2-one --repeat 3
  bin/rows --resume rows.json --data DIR --minutes 20 as often as it takes
  bin/rows --resume rows.json --show                  the table of what is there

Run once more with the same --data, loaded data need not be loaded again.

The loads: %s.
With --collapse: %s.`

func main() { command.Main("rows", run) }

// parse reads the flags.
func parse(args []string, out io.Writer) (c config, err error) {
	var protocols, loads, connections string
	f := command.NewFlags("rows", fmt.Sprintf(usage, names(tableLoads(1)), names(collapseLoads(1))))
	f.BoolVar(&c.Collapse, "collapse", false, "more and more connections on one node, instead of the table")
	f.StringVar(&protocols, "protocols", "", "rows, with commas between them (default: every row that a cluster can be started with)")
	f.StringVar(&c.Default, "default", protocol.Default, "the row that should be the first")
	f.StringVar(&loads, "loads", "", "loads, with commas between them (default: all)")
	f.StringVar(&connections, "connections", "", "numbers of connections, with commas between them (default: each load's own)")
	f.IntVar(&c.Seconds, "seconds", 0, fmt.Sprintf("of a cell (default %d over the WAN, %d for TPC-C there, %d with --collapse, else %d)", secondsWide, secondsTPCC, secondsMore, secondsLocal))
	f.IntVar(&c.Warmup, "warmup", 2, "seconds before those, no part of the figures")
	f.IntVar(&c.Repeat, "repeat", 1, "rounds, in which rows take turns; the table has their medians")
	f.Float64Var(&c.Minutes, "minutes", 0, "begin no cell after so long; --resume continues another time (default: until all is done)")
	f.BoolVar(&c.Galera, "galera", false, "Galera beside them where it makes sense; needs root")
	f.BoolVar(&c.Check, "check", false, "check TPC-C after each cell, which takes long")
	f.StringVar(&c.WAN, "wan", "azure5", "the map of the wide loads")
	f.Float64Var(&c.WANScale, "wan-scale", 1, "multiply its delays by this")
	f.Float64Var(&c.Scale, "scale", 1, "multiply TPC-C's customers and items by this, for a short try")
	f.StringVar(&c.Program, "isochron", "bin/isochron", "the program")
	f.StringVar(&c.WANProgram, "wan-program", "bin/wan", "bench/wan as a program, for Galera")
	f.StringVar(&c.Data, "data", "", "where data is kept, for another run with the same sizes (default: a temporary directory)")
	f.StringVar(&c.Resume, "resume", "", "a file of JSON lines: its cells are not run again, new ones are added")
	f.BoolVar(&c.Show, "show", false, "run nothing, show what --resume has")
	f.BoolVar(&c.JSON, "json", false, "print JSON lines instead of the table")
	if err = f.Parse(args, out); err != nil {
		return c, err
	}
	c.Protocols, c.Loads = command.List(protocols), command.List(loads)
	if c.Connections, err = command.Numbers("connections", connections, 1, 10_000); err != nil {
		return c, err
	}
	return c, command.Usage(c.check())
}

func (c *config) check() error {
	if len(c.Protocols) == 0 {
		for _, spec := range protocol.Live() {
			c.Protocols = append(c.Protocols, spec.Name)
		}
	}
	for _, p := range append([]string{c.Default}, c.Protocols...) {
		if _, err := protocol.LiveByName(p); err != nil {
			return err
		}
	}
	switch {
	case c.Seconds < 0 || c.Seconds > 3600:
		return fmt.Errorf("--seconds %d: give a number up to 3600", c.Seconds)
	case c.Warmup < 0 || c.Warmup > 600:
		return fmt.Errorf("--warmup %d: give a number up to 600", c.Warmup)
	case c.Repeat < 1 || c.Repeat > 100:
		return fmt.Errorf("--repeat %d: give a number between 1 and 100", c.Repeat)
	case !(c.Scale > 0 && c.Scale <= 1):
		return fmt.Errorf("--scale %v: give a number above 0, up to 1", c.Scale)
	case c.Show && c.Resume == "":
		return errors.New("--show shows what --resume has: name that file")
	case c.Galera && c.Collapse:
		return errors.New("--galera: there is no Galera beside --collapse")
	case c.Galera && os.Geteuid() != 0 && !c.Show:
		return errors.New("--galera: namespaces and their devices need root")
	}
	return nil
}

func names(loads []load) string {
	var all []string
	for _, l := range loads {
		all = append(all, l.name)
	}
	return strings.Join(all, ", ")
}

// run is the whole command.
func run(ctx context.Context, args []string, out, words io.Writer) error {
	c, err := parse(args, out)
	if err != nil {
		return err
	}
	all := tableLoads(c.Scale)
	if c.Collapse {
		all = collapseLoads(c.Scale)
	}
	b := &bench{config: c, log: command.PrintWithTime(words)}
	if b.loads, err = choose(all, c.Loads); err != nil {
		return command.Usage(err)
	}
	for i := range b.loads {
		if len(c.Connections) > 0 {
			b.loads[i].connections = c.Connections
		}
	}
	if b.results, err = openResults(c.Resume); err != nil {
		return err
	}
	if !c.Show {
		err = b.measure(ctx) // what there is until an error or Ctrl-C is shown all the same
	}
	return errors.Join(err, b.print(out), b.results.failures())
}

// measure runs the missing cells.
func (b *bench) measure(ctx context.Context) error {
	if err := b.need(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "isochron-rows-")
	if err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o711); err != nil { // MariaDB gives up root
		return err
	}
	b.script, b.dir = filepath.Join(dir, "measured.lua"), dir
	err = os.WriteFile(b.script, measured, 0o600)
	if err == nil && b.Data != "" {
		if b.dir, err = filepath.Abs(b.Data); err == nil {
			err = os.MkdirAll(b.dir, 0o711)
		}
	}
	if err == nil {
		err = b.all(ctx)
	}
	return errors.Join(err, os.RemoveAll(dir))
}

// need finds the programs before anything is begun.
func (b *bench) need() error {
	wanted := []string{b.Program}
	if slices.ContainsFunc(b.loads, func(l load) bool { return l.test != "" }) {
		wanted = append(wanted, "sysbench")
	}
	if b.Galera {
		wanted = append(wanted, b.WANProgram, "mariadbd", "mariadb-install-db", "ip", "rsync")
	}
	for _, name := range wanted {
		if _, err := exec.LookPath(name); err != nil {
			return fmt.Errorf("%w (make bench-rows builds ours; the others come with: apt-get install sysbench mariadb-server galera-4 rsync iproute2)", err)
		}
	}
	var err error
	if b.Program, err = filepath.Abs(b.Program); err == nil {
		b.WANProgram, err = filepath.Abs(b.WANProgram)
	}
	return err
}

// print writes the table, or the lines.
func (b *bench) print(out io.Writer) error {
	if !b.JSON {
		_, err := io.WriteString(out, b.report())
		return err
	}
	lines := json.NewEncoder(out)
	for _, one := range b.results.list {
		if err := lines.Encode(one); err != nil {
			return err
		}
	}
	return nil
}
