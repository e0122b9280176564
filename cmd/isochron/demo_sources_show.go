package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"isochron/console"
)

// show keeps the figures on the standard output while the demo runs.
func (d *sourcesDemo) show() *refresher {
	table := func() string { return sourcesTable(d.figures((*console.Meter).Window)) }
	return newRefresher(d.out, d.plan.json, table, table)
}

// sourcesTable is a line for each source.
func sourcesTable(figures []sourceFigures) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "source\tregion\tone source, 1/s\tp50 ms\tp99\ttwo sources, 1/s\tp50\tp99\tlocks held p50\tp99\taborts, 1/s\n")
	for _, f := range figures {
		fmt.Fprintf(w, "%s\t%s\t%.0f\t%.1f\t%.1f\t%.1f\t%.0f\t%.0f\t%.1f\t%.0f\t%.1f\n", f.Source, f.Region, f.Near, f.NearP50, f.NearP99, f.Far, f.FarP50, f.FarP99, f.SpanP50, f.SpanP99, f.Aborts)
	}
	fmt.Fprint(w, "\t\t\n\tTPC-C\tits warehouse, 1/s\tp50 ms\tp99\taborts, 1/s\n")
	for _, f := range figures {
		fmt.Fprintf(w, "%s\t%s\t%.1f\t%.0f\t%.0f\t%.1f\n", f.Source, f.Region, f.TPCC, f.TPCCP50, f.TPCCP99, f.TPCCAborts)
	}
	_ = w.Flush() // into memory
	return b.String()
}

// welcome prints how to connect.
func (d *sourcesDemo) welcome() {
	p := d.plan
	fmt.Fprintf(d.out, "%d regions, delays of %s x %g, protocol %s. bank.accounts and the tables of tpcc are distributed over four sources:\n\n", len(p.wan.Regions), p.wanSpec, p.wanScale, p.spec.Name)
	for _, s := range d.all {
		fmt.Fprintf(d.out, "  %-6s %-10s in %-6s at %s\n", s.name, s.kind, s.region, s.server.Addr())
	}
	fmt.Fprint(d.out, "\nConnect to any region and change rows at several of them in one transaction:\n\n")
	for _, r := range p.wan.Regions {
		fmt.Fprintf(d.out, "  %-6s mariadb -h 127.0.0.1 -P %d -u root bank\n", r, d.ports.port(r))
	}
	until := "Press Ctrl-C to stop; all data is removed."
	if p.duration > 0 {
		until = fmt.Sprintf("It stops after %v; all data is removed.", p.duration)
	}
	fmt.Fprintf(d.out, "\n%d clients near each source transfer money, %d %% of the transfers to another source, and one TPC-C terminal works for the warehouse there. %s\n\n", p.clients, demoFarPercent, until)
}

// report sums up the run, and fails if money was made or lost.
func (d *sourcesDemo) report(end []sourceFigures, sum int64) error {
	balanced := sum == demoAccounts*demoBalance
	var err error
	if d.plan.json {
		err = json.NewEncoder(d.out).Encode(map[string]any{"wan": d.plan.wanSpec, "wan_scale": d.plan.wanScale, "protocol": d.plan.spec.Name,
			"native": d.plan.native, "sources": end, "sum": sum, "books_balance": balanced})
	} else {
		_, err = fmt.Fprintf(d.out, "\nSummary:\n\n%s\nTPC-C's twelve conditions hold, and the accounts at all sources sum to %d.\n", sourcesTable(end), sum)
	}
	if err == nil && !balanced {
		err = fmt.Errorf("the accounts sum to %d instead of %d", sum, int64(demoAccounts*demoBalance))
	}
	return err
}
