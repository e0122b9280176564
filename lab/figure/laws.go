package figure

import (
	"fmt"
	"math"
	"strings"

	"isochron/geo"
	"isochron/lab"
)

// Span is the contention span at a leader for the clients of a region: by its law, without costs
// and contention, and with them.
type Span struct {
	Protocol   string     `json:"protocol"`
	Formula    string     `json:"formula"`
	Client     geo.Region `json:"client"`
	Leader     geo.Region `json:"leader"`
	LawMS      float64    `json:"law_ms"`
	AloneMS    float64    `json:"alone_ms"`    // 0: there was none
	MeasuredMS float64    `json:"measured_ms"` // 0: there was none
	Met        bool       `json:"met"`         // AloneMS is LawMS, within LawTolerance
}

// LawTolerance is the relative difference of a span from its law without costs other than the
// network's; of a span of 0 by its law, relative to the commit's latency.
const LawTolerance = 0.01

// alone returns the part of a figure of spans without other costs.
func (f *Figure) alone(opt Options) *Part {
	p := f.part(Variation{Name: "nothing, and no conflicts", Num: 1, Den: 1}, f.values(opt.Quick), opt)
	p.Experiment = *f.Alone
	p.Experiment.Seed = opt.Seed
	return p
}

// Spans returns those of a figure of spans, protocol by protocol; other figures have none.
func (r *Report) Spans() []Span {
	f := r.Figure
	if f.Alone == nil || len(r.Parts) != 2 {
		return nil
	}
	w, err := geo.Parse(f.Base.WAN)
	if err != nil {
		return nil // the experiments would not have run
	}
	var out []Span
	for i, row := range f.Protocols {
		law, ok := lab.LawOf(f.variant(row).Protocol)
		if !ok {
			continue
		}
		measured, alone := r.Parts[0].Grid.Cells[i][0], r.Parts[1].Grid.Cells[i][0]
		for _, a := range w.Regions {
			for _, b := range w.Regions {
				s := Span{Protocol: row, Formula: law.Formula, Client: a, Leader: b, LawMS: float64(law.Span(w, a, b).Microseconds()) / 1000,
					AloneMS: of(alone, a, b), MeasuredMS: of(measured, a, b)}
				some := alone.ContentionSpanMS.ByPair[string(a)][string(b)].Count > 0
				of := s.LawMS
				if of == 0 {
					of = float64(law.Commit(w, a).Microseconds()) / 1000
				}
				s.Met = some && math.Abs(s.AloneMS-s.LawMS) <= LawTolerance*of
				out = append(out, s)
			}
		}
	}
	return out
}

// of returns the mean span of a pair.
func of(r lab.Result, client, leader geo.Region) float64 {
	return r.ContentionSpanMS.ByPair[string(client)][string(leader)].Avg
}

// laws returns the table of a figure of spans.
func (r *Report) laws() string {
	var b strings.Builder
	c := r.Parts[0].Grid.costs()
	fmt.Fprintf(&b, "Mean contention span in ms: by the formula; measured alone, without costs and conflicts;\n"+
		"and with %d clients, %v us of CPU a message, %v us a sync.\n", r.Figure.Base.Clients, c.CPUMicros, c.FsyncMicros)
	w := tabs(&b)
	last := ""
	for _, s := range r.Spans() {
		if s.Protocol != last {
			w.Flush()
			fmt.Fprintf(&b, "\n%s: %s\n", s.Protocol, s.Formula)
			fmt.Fprintf(w, "client in\tled from\tformula\talone\twith costs and contention\t\n")
			last = s.Protocol
		}
		word := "met"
		if !s.Met {
			word = "NOT MET"
		}
		fmt.Fprintf(w, "%s\t%s\t%.1f\t%.1f\t%.1f\t  %s\n", s.Client, s.Leader, s.LawMS, s.AloneMS, s.MeasuredMS, word)
	}
	w.Flush()
	fmt.Fprintf(&b, "\nA formula is met when the span measured alone differs from it by no more than %.0f%%.\n", 100*LawTolerance)
	return b.String()
}
