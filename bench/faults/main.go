package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"isochron/geo"
	"isochron/test/faults"
)

func main() {
	ctx, restore := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, restore)
	if err := run(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "faults: %v\n", err)
		os.Exit(1)
	}
}

var errViolations = errors.New("the cluster broke its promises")

func run(ctx context.Context) error {
	minutes := flag.Float64("minutes", 60, "how long")
	period := flag.Duration("period", 5*time.Minute, "after how long the loads pause and everything is checked")
	wan := flag.String("wan", "azure5", "the map, of an odd number of regions")
	scale := flag.Float64("wan-scale", 0.2, "multiply every delay by this")
	protocol := flag.String("protocol", "", "how transactions commit; empty: as they do unless told otherwise")
	seed := flag.Uint64("seed", 0, "the faults follow from it; 0: another each time")
	disk := flag.Int("disk-mb", 600, "the size of one node's disk, which is filled now and then; 0: none")
	tpcc := flag.Float64("tpcc-scale", 0.02, "customers and items of TPC-C times this")
	binary := flag.String("isochron", "bin/isochron", "the binary to run")
	asJSON := flag.Bool("json", false, "print one JSON object at the end and nothing else")
	gaps := gapFlags()
	sources := flag.Bool("sources", false, "torment a cluster with a PostgreSQL and a MariaDB instead, which it starts")
	flag.Parse()

	w, err := geo.Parse(*wan)
	if err != nil {
		return err
	}
	path, err := filepath.Abs(*binary)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "isochron-faults-")
	if err != nil {
		return err
	}
	cfg := faults.Config{
		Dir: dir, WAN: w.Scale(*scale), Protocol: *protocol, Seed: *seed, For: time.Duration(*minutes * float64(time.Minute)), Period: *period, DiskMB: *disk, Scale: *tpcc,
		Command: func(args ...string) *exec.Cmd { return exec.Command(path, args...) },
		Say:     func(format string, args ...any) { fmt.Printf(format+"\n", args...) },
	}
	if cfg.Seed == 0 {
		cfg.Seed = rand.Uint64N(1 << 40)
	}
	if *asJSON {
		cfg.Say = func(string, ...any) {}
	}
	cfg.Say("seed %d, in %s", cfg.Seed, dir)
	if gaps.wanted {
		report, err := gaps.do(ctx, cfg)
		return finish(cfg, report, *asJSON, err)
	}
	if *sources {
		return overSources(ctx, cfg, *asJSON)
	}
	report, err := faults.Do(ctx, cfg)
	if err == nil && len(report.Violations) > 0 {
		err = errViolations
	}
	return finish(cfg, report, *asJSON, err)
}

// overSources is the run over a PostgreSQL and a MariaDB.
func overSources(ctx context.Context, cfg faults.Config, asJSON bool) error {
	cfg.Period = min(cfg.Period, time.Minute)
	report, err := faults.DoSources(ctx, cfg)
	if err == nil && len(report.Violations) > 0 {
		err = errViolations
	}
	return finish(cfg, report, asJSON, err)
}

// finish prints a report, and keeps the files if something was wrong.
func finish(cfg faults.Config, report interface{ Print(io.Writer) }, asJSON bool, err error) error {
	if asJSON {
		err = errors.Join(err, json.NewEncoder(os.Stdout).Encode(report))
	} else {
		report.Print(os.Stdout)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("%w (seed %d; logs, histories and data are in %s)", err, cfg.Seed, cfg.Dir), keep(cfg.Dir, report))
	}
	return os.RemoveAll(cfg.Dir)
}

// keep writes the report beside the logs.
func keep(dir string, report any) error {
	b, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "report.json"), b, 0o600)
}
