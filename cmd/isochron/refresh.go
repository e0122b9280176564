package main

import (
	"fmt"
	"io"
	"time"

	"isochron/console"
)

// refresher keeps a demo's figures on the standard output while it runs: redrawn each second on a
// terminal, an occasional line elsewhere, nothing where one JSON object is printed at the end.
type refresher struct {
	out    io.Writer
	silent bool
	screen *console.Screen // nil: not a terminal
	begun  time.Time
	lined  time.Time
	table  func() string // of the last seconds, for a terminal
	line   func() string // the same, elsewhere
}

func newRefresher(out io.Writer, json bool, table, line func() string) *refresher {
	r := &refresher{out: out, silent: json, begun: time.Now(), lined: time.Now(), table: table, line: line}
	if isTerminal(out) && !json {
		r.screen = console.NewScreen(out)
	}
	return r
}

// refresh is called once a second.
func (r *refresher) refresh() error {
	switch {
	case r.silent:
		return nil
	case r.screen != nil:
		return r.screen.Show(fmt.Sprintf("after %v, average of the last 5 seconds:\n\n%s", time.Since(r.begun).Round(time.Second), r.table()))
	case time.Since(r.lined) >= lineEvery:
		r.lined = time.Now()
		_, err := fmt.Fprintln(r.out, r.line())
		return err
	}
	return nil
}

// end leaves the last screen as it is.
func (r *refresher) end() {
	if r.screen != nil {
		fmt.Fprintln(r.out)
	}
}
