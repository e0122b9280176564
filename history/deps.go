package history

import (
	"fmt"
	"slices"
)

// element is one value of a key: appended to a list, or written.
type element struct {
	key   string
	value int64
}

// dependencies are shared by the checkers of lists and registers: which
// transaction must precede which, and the verdict.
type dependencies struct {
	h      *History
	report *Report
	wrote  string // what a transaction does to a key, in the past tense
	graph  *graph // must have no cycle, real time included
	cut    *graph // the same for snapshot reads; nil if there are none
}

func newDependencies(h *History, wrote string) *dependencies {
	d := &dependencies{h: h, report: new(Report), wrote: wrote, graph: newGraph(len(h.Records))}
	for _, r := range h.Records {
		if r.ReadTS && d.cut == nil {
			d.cut = newGraph(len(h.Records))
		}
		if r.Outcome == OK {
			d.report.Checked++
		}
	}
	return d
}

// edge adds a dependency between two records, by their operations on a key.
func (d *dependencies) edge(kind edgeKind, from, to *Record, key string, value int64) {
	if from == nil || to == nil || from == to || from.Outcome == Fail || to.Outcome == Fail {
		return // reported elsewhere, or no dependency
	}
	e := edge{kind, from.Index, to.Index, key, value}
	if !from.ReadTS && !to.ReadTS {
		d.graph.add(e)
	}
	if d.cut != nil && (from.ReadTS || from.Writes()) && (to.ReadTS || to.Writes()) {
		d.cut.add(e)
	}
}

// judge searches for cycles, those of snapshot reads last: these must be a cut
// of the writers' order, and need not agree with real time beyond that,
// nor with what read-only transactions have seen.
func (d *dependencies) judge() *Report {
	current := slices.DeleteFunc(slices.Clone(d.h.Records), func(r *Record) bool { return r.ReadTS })
	d.graph.addRealTime(current)
	all := d.graph.anomalies()
	if d.cut != nil {
		all = append(all, d.cut.anomalies()...)
	}
	shown := map[Violation]bool{}
	for _, cycle := range all {
		if v := d.describe(cycle); !shown[v] {
			shown[v] = true
			d.report.Violations = append(d.report.Violations, v)
		}
	}
	return d.report
}

// describe describes a cycle, a sentence for each edge.
func (d *dependencies) describe(a anomaly) Violation {
	text := fmt.Sprintf("%d transactions depend on each other in a cycle:", len(a.cycle))
	for _, e := range a.cycle {
		from, to := d.h.Records[e.from], d.h.Records[e.to]
		switch e.kind {
		case ww:
			text += fmt.Sprintf("\n  %s was overwritten by %s (ww: it %s %d to %s next)", from, to, d.wrote, e.value, e.key)
		case wr:
			text += fmt.Sprintf("\n  %s was read by %s (wr: %d in %s)", from, to, e.value, e.key)
		case rw:
			text += fmt.Sprintf("\n  %s did not see %s (rw: %d in %s)", from, to, e.value, e.key)
		case realTime:
			text += fmt.Sprintf("\n  %s was acknowledged at %d us, before %s began at %d us",
				from, from.CompleteNanos/1000, to, to.InvokeNanos/1000)
		}
	}
	return Violation{Name: a.name, StrictOnly: a.strictOnly, Detail: text}
}
