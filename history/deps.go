package history

import (
	"fmt"
	"slices"
)

// element is one value of a key: as appended to a list, or as written.
type element struct {
	key   string
	value int64
}

// dependencies are what the checkers of lists and of registers share: which
// transaction must come before which, and the judgement of it.
type dependencies struct {
	h      *History
	report *Report
	wrote  string // what a transaction does to a key, in the past tense
	graph  *graph // what must have no cycle, real time included
	cut    *graph // the same for readings of a moment; nil if there are none
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

// edge has one record come before another, by what they did to a key.
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

// judge looks for cycles, those of readings of a moment last: these must be a cut
// of the order of those who write, and need not agree with real time beyond that,
// nor with what those saw who only read.
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

// describe tells a cycle as a sentence an edge.
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
