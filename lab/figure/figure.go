package figure

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"isochron/lab"
	"isochron/protocol"
	"isochron/txn"
)

// Figure compares protocols over a parameter.
type Figure struct {
	Name      string // paper/figure
	Title     string
	Source    string   // its place in the paper
	Protocols []string // of the protocol table, or names of Variants
	Axis      Axis
	Base      lab.Experiment // the common part of all runs
	Shows     []Measure
	Claims    []Claim
	// Variants are protocols of the table with another setting.
	Variants map[string]Variant
	// Pairs: protocols are listed in pairs, and all first ones and all second ones have a colour.
	Pairs bool
	// Alone, if set, makes it a figure of contention spans: they are compared with the law of each
	// protocol, in this setting, without costs and conflicts; Base is the setting for the picture.
	Alone *lab.Experiment
	// Over, if set, makes it a figure over time: its panels show the measured time of each protocol
	// piece by piece (lab.Experiment.Series), at the last value of the axis.
	Over []PieceMeasure
	// Costs names the variations under which the claims are judged beside the default; nil: all.
	Costs []string
	// Purpose is the reason, if it is known, why claims are short, better, or without a number.
	Purpose string
}

// with gives figures a common setting: protocols, axis, base, measures (unless it is a figure over
// time, or of contention spans) and costs that a figure omits are the setting's.
func with(setting Figure, figures []*Figure) []*Figure {
	for _, f := range figures {
		if f.Protocols == nil {
			f.Protocols = setting.Protocols
		}
		if f.Axis.Set == nil {
			f.Axis = setting.Axis
		}
		if f.Base.Protocol == "" {
			f.Base = setting.Base
		}
		if f.Shows == nil && f.Over == nil && f.Alone == nil {
			f.Shows = setting.Shows
		}
		if f.Costs == nil {
			f.Costs = setting.Costs
		}
	}
	return figures
}

// Variant is a protocol of the table, in a setting of its own.
type Variant struct {
	Protocol string
	Set      func(*lab.Experiment) // nil: in the figure's
}

// variant returns the variant of one of Protocols.
func (f *Figure) variant(name string) Variant {
	v, ok := f.Variants[name]
	if !ok {
		v.Protocol = name
	}
	if v.Set == nil {
		v.Set = func(*lab.Experiment) {}
	}
	return v
}

// Axis is the parameter.
type Axis struct {
	Label  string
	Values []int
	Quick  []int // fewer, for a quick run; the last is the last of Values
	Milli  bool  // the values are thousandths
	Log    bool  // equal steps are equal ratios; no value is 0 then
	Set    func(*lab.Experiment, int)
}

// Text formats a value.
func (a Axis) Text(value int) string {
	if a.Milli {
		return strconv.FormatFloat(float64(value)/1000, 'f', -1, 64)
	}
	return strconv.Itoa(value)
}

// number returns a value in the unit of the axis.
func (a Axis) number(value int) float64 {
	if a.Milli {
		return float64(value) / 1000
	}
	return float64(value)
}

// Measure is a number of a result.
type Measure struct {
	Name string
	Unit string
	Of   func(lab.Result) float64
}

// label returns the measure with its unit, if it has one.
func (m Measure) label() string {
	if m.Unit == "" {
		return m.Name
	}
	return m.Name + " (" + m.Unit + ")"
}

// The measures of the papers.
var (
	throughput    = Measure{"throughput", "transactions/s", func(r lab.Result) float64 { return r.ThroughputTPS }}
	latency       = Measure{"mean latency", "ms", func(r lab.Result) float64 { return r.LatencyMS.Avg }}
	commitLatency = Measure{"mean commit latency", "ms", func(r lab.Result) float64 { return r.CommitMS.Avg }}
	lockingTime   = Measure{"contention span", "ms", func(r lab.Result) float64 { return r.ContentionSpanMS.Avg }}
	tail          = Measure{"p95 latency", "ms", func(r lab.Result) float64 { return r.LatencyMS.P95 }}
	lockWait      = Measure{"latency that is waiting for locks", "%", func(r lab.Result) float64 { return percent(r.LockWaitMS.Avg, r.LatencyMS.Avg) }}
	cpuUse        = Measure{"CPU of the node", "%", func(r lab.Result) float64 { return r.Machine.CPUPercent }}
	locks         = Measure{"locks and steps of walks, each", "", func(r lab.Result) float64 { return r.Machine.Locks + r.Machine.Steps }}
	staleRate     = Measure{"aborted because a row had changed since it was read", "%", abortedBy(txn.CauseValidation)}
	conflictRate  = Measure{"aborted because of another that was under way", "%", func(r lab.Result) float64 { return 100*r.AbortRate - staleRate.Of(r) }}
	abortRate     = Measure{"abort rate", "%", func(r lab.Result) float64 { return 100 * r.AbortRate }}
)

// abortedBy is the rate of tries that were aborted for one cause.
func abortedBy(cause txn.Cause) func(lab.Result) float64 {
	return func(r lab.Result) float64 {
		return percent(float64(r.AbortedBy[cause.String()]), float64(r.Committed+r.Aborted))
	}
}

func percent(part, of float64) float64 {
	if of == 0 {
		return 0
	}
	return 100 * part / of
}

// of restricts a measure to one class of transactions.
func (m Measure) of(class string) Measure {
	return Measure{m.Name + " of " + class, m.Unit, func(r lab.Result) float64 { return m.Of(lab.Result{Figures: r.ByClass[class].Figures}) }}
}

// writing is the mean commit latency of the given classes of a workload, the writing ones.
func writing(classes ...string) Measure {
	return Measure{"mean commit latency of what writes", "ms", func(r lab.Result) float64 {
		sum, n := 0.0, int64(0)
		for _, name := range classes {
			c := r.ByClass[name]
			sum, n = sum+c.CommitMS.Avg*float64(c.Committed), n+c.Committed
		}
		if n == 0 {
			return 0
		}
		return sum / float64(n)
	}}
}

// All returns all figures.
func All() []*Figure { return slices.Clone(figures) }

// ByName finds a figure; the error lists the names.
func ByName(name string) (*Figure, error) {
	var names []string
	for _, f := range figures {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return nil, fmt.Errorf("there is no figure %q; choose one of: %s", name, strings.Join(names, ", "))
}

// Missing returns the protocols of the figure that the table does not have.
func (f *Figure) Missing() []string {
	var missing []string
	for _, row := range f.Protocols {
		if _, err := protocol.ByName(f.variant(row).Protocol); err != nil {
			missing = append(missing, f.variant(row).Protocol)
		}
	}
	return missing
}

// Grid has the results of all runs of a figure.
type Grid struct {
	Figure *Figure
	Values []int          // of the parameter
	Cells  [][]lab.Result // of each protocol of the figure, at each value; without a protocol: not run
}

// has reports whether a protocol, or each of several, was run at a value.
func (g *Grid) has(rows string, at int) bool {
	for _, row := range rivals(rows) {
		if g.Cells[slices.Index(g.Figure.Protocols, row)][at].Protocol == "" {
			return false
		}
	}
	return true
}

// cell returns the experiment of one protocol.
func (g *Grid) cell(row string, at int) lab.Result {
	return g.Cells[slices.Index(g.Figure.Protocols, row)][at]
}

// each calls f for all experiments that were run, protocol by protocol.
func (g *Grid) each(f func(row, at int, r *lab.Result)) {
	for i := range g.Cells {
		for at := range g.Cells[i] {
			if r := &g.Cells[i][at]; r.Protocol != "" {
				f(i, at, r)
			}
		}
	}
}

// costs returns those of all its experiments.
func (g *Grid) costs() (c lab.Costs) {
	page, list := 0.0, 0.0 // of some protocols only
	g.each(func(_, _ int, r *lab.Result) {
		c, page, list = r.Costs, max(page, r.Costs.PageMicros), max(list, r.Costs.ListMicros)
	})
	c.PageMicros, c.ListMicros = page, list
	return c
}

// leastOf returns the smallest of a measure of several protocols at a value.
func (g *Grid) leastOf(m Measure, rows string, at int) float64 {
	least := math.Inf(1)
	for _, row := range rivals(rows) {
		least = min(least, m.Of(g.cell(row, at)))
	}
	return least
}

// of returns a measure of a protocol at a value, or the largest of several protocols; all must be
// in the grid.
func (g *Grid) of(m Measure, rows string, at int) (most float64) {
	for i, row := range rivals(rows) {
		if v := m.Of(g.Cells[slices.Index(g.Figure.Protocols, row)][at]); i == 0 || v > most {
			most = v
		}
	}
	return most
}
