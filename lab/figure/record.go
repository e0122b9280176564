package figure

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// Record is a whole run of a figure in the form kept in the repository: small, rounded, and
// sufficient to write the tables of the documents.
type Record struct {
	Figure   string `json:"figure"`
	Title    string `json:"title"`
	Source   string `json:"source"`
	Recorded string `json:"recorded"` // the day, as 2026-01-31
	Seed     uint64 `json:"seed"`

	Parameter string   `json:"parameter"`
	Values    []string `json:"values"`
	Panels    []Panel  `json:"panels"` // under the default costs

	Seconds []float64 `json:"seconds,omitempty"` // of a figure over time: where its pieces end
	Over    []Panel   `json:"over,omitempty"`    // and its panels, a number for each piece

	Costs []RecordedCosts `json:"costs"`
	Spans []Span          `json:"spans,omitempty"`
	Laws  int             `json:"laws,omitempty"`     // pairs of regions compared with their formula
	Held  int             `json:"laws_met,omitempty"` // pairs that agree with it

	Experiments int    `json:"experiments"`
	Checked     int    `json:"checked"`        // tries, all of them serializable except in torn experiments
	Torn        int    `json:"torn,omitempty"` // experiments under protocols without atomicity that violated it
	Purpose     string `json:"-"`              // of claims not met, or better: see reasons
}

// Panel is one measure of all protocols.
type Panel struct {
	Measure string `json:"measure"`
	Lines   []Line `json:"rows"`
}

// Line has a protocol's numbers, one for each value of the parameter, or for each piece of time.
type Line struct {
	Protocol string    `json:"row"`
	Numbers  []float64 `json:"numbers"` // to three significant digits
}

// RecordedCosts are the claims under some costs.
type RecordedCosts struct {
	Name   string          `json:"name"`
	Claims []RecordedClaim `json:"claims"`
}

// RecordedClaim is a claim in the words of the report.
type RecordedClaim struct {
	Claim   string `json:"claim"`
	At      string `json:"at"` // the value of the parameter
	Paper   string `json:"paper"`
	Band    string `json:"band"` // the numbers that meet it
	Ours    string `json:"ours"`
	Verdict string `json:"verdict"`
	Note    string `json:"why,omitempty"` // of no number
	Reason  string `json:"-"`             // of a claim not met, or better: see reasons
}

// digitsKept are the significant digits of a record's numbers.
const digitsKept = 3

func significant(v float64) float64 {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	p := math.Pow10(digitsKept - 1 - int(math.Floor(math.Log10(math.Abs(v)))))
	return math.Round(v*p) / p
}

// Record returns the record of the report; day is its date. It refuses a quick run, and a run that
// is not serializable although its protocol promises that: neither is to be quoted.
func (r *Report) Record(day string, seed uint64) (Record, error) {
	if r.Quick {
		return Record{}, errors.New("a quick run is not recorded: its numbers are not to be quoted")
	}
	if wrong := r.Wrong(); len(wrong) > 0 {
		return Record{}, fmt.Errorf("a run that is not serializable is not recorded: %s", wrong[0])
	}
	f := r.Figure
	rec := Record{Figure: f.Name, Title: f.Title, Source: f.Source, Recorded: day, Seed: seed, Parameter: f.Axis.Label}
	rec.takePanels(r.Parts[0].Grid)
	for _, p := range r.Parts {
		rec.Costs = append(rec.Costs, p.record())
	}
	rec.Experiments, rec.Checked, rec.Torn = r.count()
	for _, s := range r.Spans() {
		if rec.Laws++; s.Met {
			rec.Held++
		}
		s.LawMS, s.AloneMS, s.MeasuredMS = significant(s.LawMS), significant(s.AloneMS), significant(s.MeasuredMS)
		rec.Spans = append(rec.Spans, s)
	}
	rec.reasons(f)
	return rec, nil
}

// takePanels copies the numbers of the pictures.
func (r *Record) takePanels(g *Grid) {
	f := g.Figure
	for _, v := range g.Values {
		r.Values = append(r.Values, f.Axis.Text(v))
	}
	for _, m := range f.Shows {
		r.Panels = append(r.Panels, g.record(m))
	}
	for _, m := range f.Over {
		r.Over = append(r.Over, g.recordOver(m))
	}
	if len(f.Over) > 0 {
		for _, piece := range g.then(0) {
			r.Seconds = append(r.Seconds, piece.UntilS)
		}
	}
}

// reasons copies the reasons from the figure, for claims that need one. They are not kept: a reason
// can be improved later, without running the figure again.
func (r *Record) reasons(f *Figure) {
	unmet := r.Held < r.Laws
	if len(r.Costs) > 0 {
		for i := range r.Costs[0].Claims {
			c := &r.Costs[0].Claims[i]
			if c.unmet() && i < len(f.Claims) {
				c.Reason = f.Claims[i].Reason
			}
			unmet = unmet || c.unmet()
		}
	}
	if r.Purpose = ""; unmet {
		r.Purpose = strings.Join(strings.Fields(f.Purpose), " ")
	}
}

// unmet reports whether a claim is not met, or better.
func (c RecordedClaim) unmet() bool {
	return c.Paper != "-" && c.Verdict != Met.String()
}

func (g *Grid) record(m Measure) Panel {
	p := Panel{Measure: m.label()}
	for _, row := range g.Figure.Protocols {
		line := Line{Protocol: row}
		for at := range g.Values {
			line.Numbers = append(line.Numbers, significant(g.of(m, row, at)))
		}
		p.Lines = append(p.Lines, line)
	}
	return p
}

// recordOver returns one measure of all protocols over time.
func (g *Grid) recordOver(m PieceMeasure) Panel {
	p := Panel{Measure: m.Name + " (" + m.Unit + ")"}
	for i, row := range g.Figure.Protocols {
		line := Line{Protocol: row}
		for _, piece := range g.then(i) {
			line.Numbers = append(line.Numbers, significant(m.Of(piece)))
		}
		p.Lines = append(p.Lines, line)
	}
	return p
}

func (p *Part) record() RecordedCosts {
	out := RecordedCosts{Name: p.Costs.Name}
	for _, v := range p.Verdicts {
		out.Claims = append(out.Claims, v.record(p.Grid.Figure.Axis))
	}
	return out
}

// record returns the verdict as text. Without a number there is no band.
func (v Verdict) record(axis Axis) RecordedClaim {
	c := RecordedClaim{
		Claim: v.Claim.Text(), At: axis.Label + " " + axis.Text(v.At), Paper: v.Claim.PaperText(), Band: "-",
		Ours: v.Claim.Format(v.Ours), Verdict: v.Band.String(), Note: v.Reason,
	}
	if v.Claim.numbered() {
		c.Band = v.Claim.Band()
	}
	return c
}

// whole reports whether the record has values, costs, and as many claims under each of them.
func (r Record) whole() bool {
	for _, c := range r.Costs {
		if len(c.Claims) != len(r.Costs[0].Claims) {
			return false
		}
	}
	return len(r.Costs) > 0 && len(r.Values) > 0
}

// recordName returns the file name of a figure's record.
func recordName(figure string) string { return fileBase(figure) + ".record.json" }

// Save writes the record into dir and returns the file's name.
func (r Record) Save(dir string) (string, error) {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, recordName(r.Figure))
	if err := os.WriteFile(path, append(text, '\n'), 0o644); err != nil {
		return "", fmt.Errorf("the record could not be written: %w", err)
	}
	return path, nil
}

// Records reads those of all figures in dir, in the order of the figures.
func Records(dir string) (out []Record, err error) {
	for _, f := range All() {
		text, err := os.ReadFile(filepath.Join(dir, recordName(f.Name)))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("a record could not be read: %w", err)
		}
		var r Record
		if err := json.Unmarshal(text, &r); err != nil {
			return nil, fmt.Errorf("the record of %s is unreadable: %w; record the figure again", f.Name, err)
		}
		if !r.whole() {
			return nil, fmt.Errorf("the record of %s lacks values, costs or claims; record the figure again", f.Name)
		}
		r.reasons(f)
		out = append(out, r)
	}
	return out, nil
}
