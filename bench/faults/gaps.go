package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"isochron/bench/command"
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

func (o *gapOptions) flags(f *command.Flags) {
	f.BoolVar(&o.wanted, "gaps", false, "print the gap table instead: for how long clients cannot commit, fault by fault")
	f.IntVar(&o.times, "times", 20, "with --gaps: how often each fault is done")
	f.DurationVar(&o.last, "last", 10*time.Second, "with --gaps: how long each fault lasts")
	f.IntVar(&o.clients, "clients", 2, "with --gaps: clients at each node")
	f.StringVar(&o.only, "only", "", "with --gaps: only faults whose names contain one of these, between commas")
}

// do measures the table. The error is the reason of an early end, or that bounds are exceeded.
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
