package figure

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"isochron/lab"
)

// Options of a run.
type Options struct {
	// Quick runs fewer and shorter experiments: they show that the figure works.
	Quick bool
	// Seed of every experiment.
	Seed uint64
	// Parallel is the number of parallel experiments; 0 is one a processor.
	Parallel int
	// Progress, if not nil, is called with the virtual time of all experiments that has passed:
	// from nothing to all for those under the default costs, and once more for the others. It is
	// called by one goroutine at a time.
	Progress func(done, total time.Duration)
	// RunAll makes the experiments; nil is lab.RunAll.
	RunAll func(ctx context.Context, specs []lab.Experiment, atOnce int, progress func(done, total time.Duration)) ([]lab.Result, error)
}

// The times of a quick run; less where even those of a whole one are short.
const (
	quickDuration = 2 * time.Second
	quickWarmup   = 1 * time.Second
)

// Variation is a change of hardware costs, or of read-only transactions, relative to the figure's
// defaults. Processor and disk are varied separately: together they would leave every ratio between
// them unchanged.
type Variation struct {
	Name     string
	Num, Den int64         // all CPU time, times Num over Den
	Sync     time.Duration // of one sync; 0: the figure's own
	// OwnReadOnly ends read-only transactions as each protocol does by itself.
	OwnReadOnly bool
}

// variations are the costs under which claims are judged. The pictures are made under the first.
var variations = []Variation{
	{Name: "by default", Num: 1, Den: 1},
	{Name: "CPU halved", Num: 1, Den: 2}, {Name: "CPU doubled", Num: 2, Den: 1},
	{Name: "a sync of 0.1 ms", Num: 1, Den: 1, Sync: 100 * time.Microsecond},
	{Name: "a sync of 0.25 ms", Num: 1, Den: 1, Sync: 250 * time.Microsecond},
	{Name: "a sync of 1 ms", Num: 1, Den: 1, Sync: time.Millisecond},
	// A paper does not always specify whether its prototype treats read-only transactions
	// specially.
	{Name: "by default, and what only reads ends as the rows have it", Num: 1, Den: 1, OwnReadOnly: true},
}

// differs reports whether the costs are others than the figure's own, and apply to it.
func (v Variation) differs(f *Figure) bool {
	switch {
	case f.Costs != nil && !slices.Contains(f.Costs, v.Name):
		return false
	case v.OwnReadOnly:
		return f.Base.ReadOnly != "" // else that is the default
	case v.Sync > 0:
		return f.Base.Fsync != v.Sync
	}
	return true
}

// Part is a figure under some costs.
type Part struct {
	Costs      Variation
	Experiment lab.Experiment // the common part of all experiments, these costs included
	Grid       *Grid
	Verdicts   []Verdict
	only       []asked // if not nil: the experiments to run
}

// asked is one experiment of a grid.
type asked struct {
	row   string
	value int
}

// Report is a whole figure: all of it under the default costs, and under others the values of the
// parameter that claims use.
type Report struct {
	Figure *Figure
	Quick  bool
	Parts  []*Part
}

// Run makes all experiments of a figure. It fails when a protocol is unknown, at the first
// experiment that fails, and when ctx ends.
func Run(ctx context.Context, f *Figure, opt Options) (*Report, error) {
	if missing := f.Missing(); len(missing) > 0 {
		return nil, fmt.Errorf("%s needs protocols that this build does not have: %s", f.Name, strings.Join(missing, ", "))
	}
	report := &Report{Figure: f, Quick: opt.Quick}
	p := f.part(variations[0], f.values(opt.Quick), opt)
	if f.Alone != nil {
		return report, report.add(ctx, opt, p, f.alone(opt))
	}
	if err := report.add(ctx, opt, p); err != nil {
		return nil, err
	}
	claimed := p.claimed()
	if len(claimed) == 0 {
		return report, nil
	}
	var others []*Part
	for _, v := range variations[1:] {
		if !v.differs(f) {
			continue
		}
		other := f.part(v, values(claimed), opt)
		other.only = claimed
		others = append(others, other)
	}
	return report, report.add(ctx, opt, others...)
}

// add runs the experiments of some parts and adds the parts to the report.
func (r *Report) add(ctx context.Context, opt Options, parts ...*Part) error {
	var specs []lab.Experiment
	for _, p := range parts {
		specs = append(specs, p.specs()...)
	}
	run, parallel := opt.RunAll, opt.Parallel
	if run == nil {
		run = lab.RunAll
	}
	if parallel <= 0 {
		parallel = runtime.GOMAXPROCS(0)
	}
	results, err := run(ctx, specs, parallel, opt.Progress)
	if err != nil {
		return err
	}
	for _, p := range parts {
		results = p.take(results)
	}
	r.Parts = append(r.Parts, parts...)
	return nil
}

func (f *Figure) values(quick bool) []int {
	if quick {
		return f.Axis.Quick
	}
	return f.Axis.Values
}

// part returns the figure under some costs, before its experiments.
func (f *Figure) part(costs Variation, values []int, opt Options) *Part {
	p := &Part{Costs: costs, Experiment: f.Base, Grid: &Grid{Figure: f, Values: values}}
	p.Experiment.Seed = opt.Seed
	if opt.Quick {
		p.Experiment.Duration, p.Experiment.Warmup = min(quickDuration, f.Base.Duration/4), min(quickWarmup, f.Base.Warmup/2)
	}
	if costs.OwnReadOnly {
		p.Experiment.ReadOnly = ""
	}
	s := &p.Experiment
	for _, d := range []*time.Duration{&s.CPU, &s.CoordinatorCPU, &s.RequestCPU, &s.StatementCPU, &s.CommitCPU, &s.StoreCPU, &s.LockCPU, &s.StepCPU, &s.PageCPU, &s.ListCPU, &s.SourceWork} {
		*d = *d * time.Duration(costs.Num) / time.Duration(costs.Den)
	}
	if costs.Sync > 0 {
		s.Fsync = costs.Sync
	}
	return p
}

// claimed returns the experiments that claims use: the best under these costs is run again under
// others.
func (p *Part) claimed() []asked {
	var out []asked
	for _, v := range p.Verdicts {
		over := p.Grid.Values[v.Claim.placeOfOver(p.Grid, slices.Index(p.Grid.Values, v.At))]
		out = append(out, asked{v.Claim.Protocol, v.At})
		for _, row := range rivals(v.Claim.Over) {
			out = append(out, asked{row, over})
		}
	}
	return out
}

// values returns those of some experiments, ascending, each once.
func values(of []asked) (out []int) {
	for _, a := range of {
		out = append(out, a.value)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// runs reports whether an experiment is run.
func (p *Part) runs(row string, value int) bool {
	return p.only == nil || slices.Contains(p.only, asked{row, value})
}

// specs returns the experiments of the part, protocol by protocol.
func (p *Part) specs() []lab.Experiment {
	var specs []lab.Experiment
	f := p.Grid.Figure
	for _, row := range f.Protocols {
		for _, v := range p.Grid.Values {
			if !p.runs(row, v) {
				continue
			}
			s, variant := p.Experiment, f.variant(row)
			s.Protocol = variant.Protocol
			variant.Set(&s)
			f.Axis.Set(&s, v)
			specs = append(specs, s)
		}
	}
	return specs
}

// take puts the results of the part's experiments, protocol by protocol, into its grid, and returns
// the remaining ones.
func (p *Part) take(results []lab.Result) []lab.Result {
	for _, row := range p.Grid.Figure.Protocols {
		cells := make([]lab.Result, len(p.Grid.Values))
		for at, v := range p.Grid.Values {
			if p.runs(row, v) {
				cells[at], results = results[0], results[1:]
			}
		}
		p.Grid.Cells = append(p.Grid.Cells, cells)
	}
	p.Verdicts = p.Grid.Judge()
	return results
}
