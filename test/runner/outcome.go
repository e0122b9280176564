package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// event is a line of go test -json.
type event struct {
	Action      string
	Package     string
	ImportPath  string // of what cannot be built
	Test        string
	Output      string
	Elapsed     float64
	FailedBuild string
}

// failure is a test that failed, or a package that ended in the midst of its tests.
type failure struct {
	group  group
	pkg    string
	test   string // "": the package
	reason string // it is not run again
}

func (f failure) String() string {
	if f.test == "" {
		return f.pkg
	}
	return f.pkg + " " + f.test
}

// again returns go test's arguments to run it alone.
func (f failure) again() []string {
	args := append(slices.Clone(f.group.flags()), "-count=1")
	if f.test != "" {
		args = append(args, "-run", "^"+regexp.QuoteMeta(f.test)+"$")
	}
	return append(args, f.pkg)
}

// took is for how long a package ran.
type took struct {
	pkg     string
	race    bool
	seconds float64
}

// outcome is the result of some tests.
type outcome struct {
	passed, skipped int
	packages        []took
	failures        []failure
	broken          bool // go test failed, and no test did
}

func (o *outcome) add(of *outcome, g group) {
	o.passed += of.passed
	o.skipped += of.skipped
	o.broken = o.broken || of.broken
	for _, p := range of.packages {
		p.race = slices.Contains(g.args, "-race")
		o.packages = append(o.packages, p)
	}
	for _, f := range of.failures {
		f.group = g
		o.failures = append(o.failures, f)
	}
}

// running is a package under test.
type running struct {
	open   map[string]bool             // tests that have begun and not ended
	output map[string]*strings.Builder // what each top test has said
	failed []string
	raced  bool
}

// read reads what go test writes, and shows each package's line, and what failed tests have said.
func (o *outcome) read(r io.Reader, out io.Writer) {
	packages := map[string]*running{}
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		if line == "" && err != nil {
			return
		}
		var e event
		if json.Unmarshal([]byte(line), &e) != nil {
			fmt.Fprint(out, line)
			continue
		}
		if e.Package == "" { // of the build
			fmt.Fprint(out, e.Output)
			continue
		}
		p := packages[e.Package]
		if p == nil {
			p = &running{open: map[string]bool{}, output: map[string]*strings.Builder{}}
			packages[e.Package] = p
		}
		o.take(p, e, out)
	}
}

// take takes one event.
func (o *outcome) take(p *running, e event, out io.Writer) {
	top, _, below := strings.Cut(e.Test, "/")
	switch e.Action {
	case "run":
		p.open[e.Test] = true
	case "output":
		p.raced = p.raced || strings.Contains(e.Output, "WARNING: DATA RACE")
		if p.output[top] == nil {
			p.output[top] = &strings.Builder{}
		}
		p.output[top].WriteString(e.Output)
	case "pass", "skip", "fail":
		delete(p.open, e.Test)
		switch {
		case e.Test == "":
			o.end(p, e, out)
		case below:
		case e.Action == "pass":
			o.passed++
			delete(p.output, top)
		case e.Action == "skip":
			o.skipped++
			delete(p.output, top)
		default:
			p.failed = append(p.failed, top)
		}
	}
}

// end is the end of a package.
func (o *outcome) end(p *running, e event, out io.Writer) {
	if e.Action == "skip" { // it has no tests
		return
	}
	o.packages = append(o.packages, took{pkg: e.Package, seconds: e.Elapsed})
	if e.Action == "pass" {
		fmt.Fprintf(out, "ok  \t%s\t%.1fs\n", e.Package, e.Elapsed)
		return
	}
	whole := len(p.open) > 0 || len(p.failed) == 0
	for _, name := range slices.Sorted(maps.Keys(p.output)) {
		if whole || slices.Contains(p.failed, name) || name == "" {
			fmt.Fprint(out, p.output[name].String())
		}
	}
	fmt.Fprintf(out, "FAIL\t%s\t%.1fs\n", e.Package, e.Elapsed)
	reason := ""
	switch {
	case e.FailedBuild != "":
		reason = "it cannot be built"
	case p.raced:
		reason = "a data race"
	}
	if whole {
		p.failed = []string{""}
	}
	for _, test := range p.failed {
		o.failures = append(o.failures, failure{pkg: e.Package, test: test, reason: reason})
	}
}

// slowestAtLeast is from how many seconds on a package has a line of its own.
const slowestAtLeast = 5

// print prints the times.
func (o *outcome) print(out io.Writer, all time.Duration) {
	slices.SortStableFunc(o.packages, func(a, b took) int { return cmp.Compare(b.seconds, a.seconds) })
	fmt.Fprintf(out, "== minutes by package (%.1f in all, building included)\n", all.Minutes())
	rest, n := 0.0, 0
	for _, p := range o.packages {
		if p.seconds < slowestAtLeast {
			rest, n = rest+p.seconds, n+1
			continue
		}
		race := ""
		if p.race {
			race = "  under the race detector"
		}
		fmt.Fprintf(out, "%6.1f  %s%s\n", p.seconds/60, p.pkg, race)
	}
	fmt.Fprintf(out, "%6.1f  in %d others\n", rest/60, n)
}
