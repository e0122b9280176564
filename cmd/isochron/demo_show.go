package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"isochron/cmd/isochron/shop"
	"isochron/console"
)

// lineEvery is the interval between logged figures where no screen can be redrawn.
const lineEvery = 5 * time.Second

// isTerminal reports whether a text written to w can be redrawn in place.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// progress shows the present step while a user waits.
type progress struct {
	w     io.Writer
	tty   bool
	begun time.Time
	used  bool
}

func newProgress(w io.Writer) *progress {
	return &progress{w: w, tty: isTerminal(w), begun: time.Now()}
}

// step replaces the last step on a terminal, and follows it elsewhere.
func (p *progress) step(what string) {
	p.used = true
	if p.tty {
		fmt.Fprintf(p.w, "\r\x1b[K%3.0fs  %s ...", time.Since(p.begun).Seconds(), what)
		return
	}
	fmt.Fprintf(p.w, "isochron: %s\n", what)
}

// done clears the last step.
func (p *progress) done() {
	if p.tty && p.used {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

// show keeps the figures on the standard output while the demo runs.
func (d *demo) show() *refresher {
	table := func() string { return console.Table(d.rows(d.meter.Window)) + "\n" + console.Legend() }
	return newRefresher(d.out, d.plan.json, table, func() string { return console.Line(d.rows(d.meter.Window)) })
}

// printWelcome prints how to connect.
func (d *demo) printWelcome() {
	p := d.plan
	kept := ", kept"
	if p.temp {
		kept = ", removed at the end"
	}
	fmt.Fprintf(d.out, "%d regions, delays of %s x %g, protocol %s.\nThe data is in %s%s. Connect to any region:\n\n",
		len(p.wan.Regions), p.wanSpec, p.wanScale, p.spec.Name, p.data, kept)
	for _, r := range p.wan.Regions {
		fmt.Fprintf(d.out, "  %-6s mariadb -h 127.0.0.1 -P %d -u root %s\n", r, d.ports.port(r), shop.Name)
	}
	until := "Press Ctrl-C to stop."
	if p.duration > 0 {
		until = fmt.Sprintf("It stops after %v.", p.duration)
	}
	fmt.Fprintf(d.out, "\n%s\n\n", until)
}

// printEnd sums up the run; books is nil if there was no load.
func (d *demo) printEnd(rows []console.Row, books *shop.Books) error {
	if d.plan.json {
		r := console.Report{WAN: d.plan.wanSpec, WANScale: d.plan.wanScale, Protocol: d.plan.spec.Name}
		if books != nil {
			balance := true // or we would not have come here
			r.BooksBalance = &balance
		}
		r.AddRows(rows)
		return r.Write(d.out)
	}
	_, err := io.WriteString(d.out, d.summary(rows, books))
	return err
}

func (d *demo) summary(rows []console.Row, books *shop.Books) string {
	var commits, aborts, unknown int64
	var over time.Duration
	for _, r := range rows {
		commits += r.Figures.HomeCommits + r.Figures.WideCommits
		aborts += r.Figures.Aborts
		unknown += r.Figures.Unknown
		over = r.Figures.Over
	}
	var b strings.Builder
	if books != nil {
		fmt.Fprintf(&b, "In %v: %d commits, %d aborts (retried), %d with unknown outcome.\n\n", over.Round(time.Second), commits, aborts, unknown)
		b.WriteString(console.Table(rows) + "\n" + console.Legend())
		fmt.Fprintf(&b, "\nThe shop's books balance: %d orders and %d products sold account for all money and stock.\n", books.Orders, books.Sold)
	}
	if d.plan.temp {
		fmt.Fprintf(&b, "Removing %s.\n", d.plan.data)
	} else {
		fmt.Fprintf(&b, "The data stays in %s.\n", d.plan.data)
	}
	return b.String()
}
