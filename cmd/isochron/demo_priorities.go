package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"isochron/sqlload"
)

// The demo of priorities: batch jobs in all regions and one client that pays, on the same few rows.
const (
	priorityJobs  = 16 // in each region: enough that the rows are never free
	priorityTurns = 6
	turnDefault   = 5 * time.Second
)

// livePriorities is the demo with its cluster up.
func (d *demo) livePriorities(ctx context.Context) error {
	p := &sqlload.Priorities{Jobs: d.plan.clients, Turn: turnDefault, Turns: priorityTurns}
	if d.plan.duration > 0 {
		p.Turn = d.plan.duration / priorityTurns
	}
	pools := d.ports.pools(d.plan.clients)
	for _, r := range d.plan.wan.Regions {
		p.Pools = append(p.Pools, pools[r])
	}
	d.log.done()
	if !d.plan.json {
		fmt.Fprintf(d.out, "%d regions, delays of %s x %g, protocol %s. %d batch jobs in each region increment %d hot rows; a client in %s increments one of them, with low and high priority alternately for %v each.\n\n",
			len(d.plan.wan.Regions), d.plan.wanSpec, d.plan.wanScale, d.plan.spec.Name, d.plan.clients, sqlload.PriorityRows, d.plan.wan.Regions[0], p.Turn)
	}
	r, err := p.Run(ctx)
	if err != nil {
		return err
	}
	if !d.plan.json {
		return errors.Join(r.Print(d.out), r.Err())
	}
	return errors.Join(r.Err(), json.NewEncoder(d.out).Encode(struct {
		WAN      string  `json:"wan"`
		Scale    float64 `json:"wan_scale"`
		Protocol string  `json:"protocol"`
		*sqlload.PriorityReport
	}{d.plan.wanSpec, d.plan.wanScale, d.plan.spec.Name, r}))
}
