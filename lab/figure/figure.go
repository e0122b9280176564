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

// Figure compares rows over a parameter.
type Figure struct {
	Name      string // paper/figure
	Title     string
	Source    string   // where the paper has it
	Protocols []string // of the protocol table, or names of Variants
	Axis      Axis
	Base      lab.Experiment // what all runs have in common
	Shows     []Measure
	Claims    []Claim
	// Variants are the rows that are one of the table with something else about it.
	Variants map[string]Variant
	// Pairs: rows stand in pairs, and all first ones and all second ones have a colour.
	Pairs bool
	// Alone, if set, makes it a figure of contention spans: they are held against
	// what the law of each row says, in this setting, where nothing costs time and
	// nobody is in another's way; Base is the setting for the picture.
	Alone *lab.Experiment
	// Over, if set, makes it a figure over time: its panels tell the measured time of each
	// row piece by piece (lab.Spec.Series), at the last value of the axis.
	Over []PieceMeasure
	// Costs names the variations under which the claims are judged beside the default; nil: all.
	Costs []string
	// Purpose is the reason, if it is known, for what is short of a claim, better, or no number.
	Purpose string
}

// with has figures stand in one setting: what a figure leaves out of its rows, axis, base, measures
// (unless it is one over time, or of contention spans) and costs is the setting's.
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

// Variant is a row of the protocol table, in a setting of its own.
type Variant struct {
	Protocol string
	Set      func(*lab.Experiment) // nil: in the figure's
}

// variant is what one of Rows names.
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

// Text is a value as people write it.
func (a Axis) Text(value int) string {
	if a.Milli {
		return strconv.FormatFloat(float64(value)/1000, 'f', -1, 64)
	}
	return strconv.Itoa(value)
}

// number is a value as it stands on the axis.
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

// label is the measure with its unit, if it has one.
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

// of is a measure of one class of transactions.
func (m Measure) of(class string) Measure {
	return Measure{m.Name + " of " + class, m.Unit, func(r lab.Result) float64 { return m.Of(lab.Result{Figures: r.ByClass[class].Figures}) }}
}

// writing is the mean commit latency of the classes that a workload names as
// those that write.
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

// All are the figures there are.
func All() []*Figure { return slices.Clone(figures) }

// ByName finds a figure; the error lists the names there are.
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

// Missing are the rows of the figure that the protocol table does not have.
func (f *Figure) Missing() []string {
	var missing []string
	for _, row := range f.Protocols {
		if _, err := protocol.ByName(f.variant(row).Protocol); err != nil {
			missing = append(missing, f.variant(row).Protocol)
		}
	}
	return missing
}

// Grid is what all runs of a figure found.
type Grid struct {
	Figure *Figure
	Values []int          // of the parameter
	Cells  [][]lab.Result // of each row of the figure, at each value; without a protocol: not run
}

// has reports whether a row, or each of several, was run at a value.
func (g *Grid) has(rows string, at int) bool {
	for _, row := range rivals(rows) {
		if g.Cells[slices.Index(g.Figure.Protocols, row)][at].Protocol == "" {
			return false
		}
	}
	return true
}

// cell is the experiment of one row.
func (g *Grid) cell(row string, at int) lab.Result {
	return g.Cells[slices.Index(g.Figure.Protocols, row)][at]
}

// each calls f for all experiments that were run, row by row.
func (g *Grid) each(f func(row, at int, r *lab.Result)) {
	for i := range g.Cells {
		for at := range g.Cells[i] {
			if r := &g.Cells[i][at]; r.Protocol != "" {
				f(i, at, r)
			}
		}
	}
}

// costs are those of all its experiments.
func (g *Grid) costs() (c lab.Costs) {
	page, list := 0.0, 0.0 // of some rows only
	g.each(func(_, _ int, r *lab.Result) {
		c, page, list = r.Costs, max(page, r.Costs.PageMicros), max(list, r.Costs.ListMicros)
	})
	c.PageMicros, c.ListMicros = page, list
	return c
}

// leastOf is the smallest of a measure of several rows at a value.
func (g *Grid) leastOf(m Measure, rows string, at int) float64 {
	least := math.Inf(1)
	for _, row := range rivals(rows) {
		least = min(least, m.Of(g.cell(row, at)))
	}
	return least
}

// of is a measure of a row at a value, or the largest of several rows; all must be in the grid.
func (g *Grid) of(m Measure, rows string, at int) (most float64) {
	for i, row := range rivals(rows) {
		if v := m.Of(g.Cells[slices.Index(g.Figure.Protocols, row)][at]); i == 0 || v > most {
			most = v
		}
	}
	return most
}
