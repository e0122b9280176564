package main

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"time"

	"isochron/test/faults"
)

// gapOptions are the flags of the gap table.
type gapOptions struct {
	wanted  bool
	times   int
	last    time.Duration
	clients int
	only    string
}

func gapFlags() *gapOptions {
	var o gapOptions
	flag.BoolVar(&o.wanted, "gaps", false, "print the gap table instead: for how long clients cannot commit, fault by fault")
	flag.IntVar(&o.times, "times", 20, "with --gaps: how often each fault is done")
	flag.DurationVar(&o.last, "last", 10*time.Second, "with --gaps: how long each fault lasts")
	flag.IntVar(&o.clients, "clients", 2, "with --gaps: clients at each node")
	flag.StringVar(&o.only, "only", "", "with --gaps: only faults whose names contain one of these, between commas")
	return &o
}

// do measures the table. An error is what ended it early, or that bounds are broken.
func (o *gapOptions) do(ctx context.Context, cfg faults.Config) (*faults.GapReport, error) {
	g := faults.GapConfig{Config: cfg, Times: o.times, Last: o.last, Clients: o.clients}
	if o.only != "" {
		g.Only = strings.Split(o.only, ",")
	}
	report, err := faults.Gaps(ctx, g)
	if broken := report.Broken(); err == nil && len(broken) > 0 {
		err = fmt.Errorf("gaps beyond their bound: %s", strings.Join(broken, "; "))
	}
	return report, err
}
