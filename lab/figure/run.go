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
	// Parallel is how many experiments go side by side; 0 is one a processor.
	Parallel int
	// Progress, if not nil, is told how much of the virtual time of all experiments
	// has passed: from nothing to all for those under the default costs, and once
	// more for the others. It is called by one goroutine at a time.
	Progress func(done, total time.Duration)
	// RunAll makes the experiments; nil is lab.RunAll.
	RunAll func(ctx context.Context, specs []lab.Spec, atOnce int, progress func(done, total time.Duration)) ([]lab.Result, error)
}

// The times of a quick run; less where even those of a whole one are short.
const (
	quickDuration = 2 * time.Second
	quickWarmup   = 1 * time.Second
)

// Variation is what the hardware and those who only read are taken to cost,
// beside the laboratory's defaults.
type Variation struct {
	Name     string
	Num, Den int64 // the default, times Num over Den
	// OwnReadOnly has what only reads end as each row does by itself.
	OwnReadOnly bool
}

// variations are the costs under which claims are judged. The pictures are made
// under the first.
var variations = []Variation{
	{"by default", 1, 1, false}, {"halved", 1, 2, false}, {"doubled", 2, 1, false},
	// A paper does not always say whether its prototype spares those who only read.
	{"by default, and what only reads ends as the rows have it", 1, 1, true},
}

// Part is a figure under some costs.
type Part struct {
	Costs    Variation
	Spec     lab.Spec // what all experiments had in common, these costs included
	Grid     *Grid
	Verdicts []Verdict
	only     []asked // if not nil: the experiments that are made
}

// asked is one experiment of a grid.
type asked struct {
	row   string
	value int
}

// Report is a whole figure: all of it under the default costs, and under others
// the values of the parameter at which the claims stand.
type Report struct {
	Figure *Figure
	Quick  bool
	Parts  []*Part
}

// Run makes all experiments of a figure. It fails when a row is not there, at the
// first experiment that fails, and when ctx ends.
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
		if v.OwnReadOnly && f.Base.ReadOnly == "" {
			continue // the rows have it so by default
		}
		other := f.part(v, values(claimed), opt)
		other.only = claimed
		others = append(others, other)
	}
	return report, report.add(ctx, opt, others...)
}

// add makes the experiments of some parts and adds the parts to the report.
func (r *Report) add(ctx context.Context, opt Options, parts ...*Part) error {
	var specs []lab.Spec
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

// part is the figure under some costs, before its experiments.
func (f *Figure) part(costs Variation, values []int, opt Options) *Part {
	p := &Part{Costs: costs, Spec: f.Base, Grid: &Grid{Figure: f, Values: values}}
	p.Spec.Seed = opt.Seed
	if opt.Quick {
		p.Spec.Duration, p.Spec.Warmup = min(quickDuration, f.Base.Duration/4), min(quickWarmup, f.Base.Warmup/2)
	}
	if costs.OwnReadOnly {
		p.Spec.ReadOnly = ""
	}
	s := &p.Spec
	for _, d := range []*time.Duration{&s.CPU, &s.CoordinatorCPU, &s.RequestCPU, &s.StatementCPU, &s.CommitCPU, &s.StoreCPU, &s.LockCPU, &s.StepCPU, &s.Fsync} {
		*d = *d * time.Duration(costs.Num) / time.Duration(costs.Den)
	}
	return p
}

// claimed are the experiments on which the claims stand: what was best under these
// costs is looked at again under others.
func (p *Part) claimed() []asked {
	var out []asked
	for _, v := range p.Verdicts {
		over := v.At
		if v.Claim.Where == AtPeak {
			over = p.Grid.Values[p.Grid.peak(v.Claim.Measure, v.Claim.Over)]
		}
		out = append(out, asked{v.Claim.Row, v.At})
		for _, row := range rivals(v.Claim.Over) {
			out = append(out, asked{row, over})
		}
	}
	return out
}

// values are those of some experiments, rising, each once.
func values(of []asked) (out []int) {
	for _, a := range of {
		out = append(out, a.value)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// wants reports whether an experiment is made.
func (p *Part) wants(row string, value int) bool {
	return p.only == nil || slices.Contains(p.only, asked{row, value})
}

// specs are the experiments of the part, row by row.
func (p *Part) specs() []lab.Spec {
	var specs []lab.Spec
	f := p.Grid.Figure
	for _, row := range f.Rows {
		for _, v := range p.Grid.Values {
			if !p.wants(row, v) {
				continue
			}
			s, variant := p.Spec, f.variant(row)
			s.Protocol = variant.Row
			variant.Set(&s)
			f.Axis.Set(&s, v)
			specs = append(specs, s)
		}
	}
	return specs
}

// take puts the results of the part's experiments, row by row, into its grid,
// and returns those that are left.
func (p *Part) take(results []lab.Result) []lab.Result {
	for _, row := range p.Grid.Figure.Rows {
		cells := make([]lab.Result, len(p.Grid.Values))
		for at, v := range p.Grid.Values {
			if p.wants(row, v) {
				cells[at], results = results[0], results[1:]
			}
		}
		p.Grid.Cells = append(p.Grid.Cells, cells)
	}
	p.Verdicts = p.Grid.Judge()
	return results
}
