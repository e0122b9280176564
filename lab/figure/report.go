package figure

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"isochron/lab"
	"isochron/protocol"
)

// jsonReport is the JSON form of a report.
type jsonReport struct {
	Figure    string     `json:"figure"`
	Title     string     `json:"title"`
	Source    string     `json:"source"`
	Quick     bool       `json:"quick"`
	Parameter string     `json:"parameter"`
	Tolerance float64    `json:"tolerance"`
	Purpose   string     `json:"why,omitempty"` // of claims not met
	Parts     []jsonPart `json:"parts"`
	Laws      []Span     `json:"laws,omitempty"`
}

type jsonPart struct {
	Costs       string      `json:"costs"`
	Hardware    lab.Costs   `json:"hardware"`
	Experiments []jsonCell  `json:"experiments"`
	Claims      []jsonClaim `json:"claims"`
}

// jsonCell is one experiment.
type jsonCell struct {
	Protocol string     `json:"protocol"`
	Value    float64    `json:"value"` // of the parameter
	Result   lab.Result `json:"result"`
}

// jsonClaim has no number of ours if there is nothing to compare.
type jsonClaim struct {
	Claim  string   `json:"claim"`
	Unit   string   `json:"unit"`
	Paper  *float64 `json:"paper"`
	UpTo   float64  `json:"paper_up_to,omitempty"` // of a range
	Ours   *float64 `json:"ours"`
	Value  float64  `json:"value"` // of the parameter
	Band   string   `json:"band"`
	Reason string   `json:"why,omitempty"` // of no number
}

func (k Kind) unit() string {
	if k.factor() {
		return "times"
	}
	return "percent"
}

// MarshalJSON writes every experiment and every claim.
func (r *Report) MarshalJSON() ([]byte, error) {
	f := r.Figure
	out := jsonReport{Figure: f.Name, Title: f.Title, Source: f.Source, Quick: r.Quick, Parameter: f.Axis.Label, Tolerance: Tolerance}
	if r.unmet() {
		out.Purpose = f.Purpose
	}
	for _, p := range r.Parts {
		part := jsonPart{Costs: p.Costs.Name, Hardware: p.Grid.costs(), Claims: []jsonClaim{}}
		p.Grid.each(func(row, at int, result *lab.Result) {
			part.Experiments = append(part.Experiments, jsonCell{f.Protocols[row], f.Axis.number(p.Grid.Values[at]), *result})
		})
		for _, v := range p.Verdicts {
			c := jsonClaim{Claim: v.Claim.Text(), Unit: v.Claim.Kind.unit(), Value: f.Axis.number(v.At), Band: v.Band.String(), Reason: v.Reason}
			if v.Claim.numbered() {
				c.Paper, c.UpTo = &v.Claim.Paper, v.Claim.UpTo
			}
			if !math.IsNaN(v.Ours) {
				c.Ours = &v.Ours
			}
			part.Claims = append(part.Claims, c)
		}
		out.Parts = append(out.Parts, part)
	}
	out.Laws = r.Spans()
	return json.Marshal(out)
}

// Save writes the report as JSON into dir and returns the file's name.
func (r *Report) Save(dir string) (string, error) {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, r.fileName("json"))
	if err := os.WriteFile(path, append(text, '\n'), 0o644); err != nil {
		return "", fmt.Errorf("the results could not be written: %w", err)
	}
	return path, nil
}

// Text returns the report as readable text: the numbers of the pictures, then each claim under each
// of the costs.
func (r *Report) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n%s\n", r.Figure.Name, r.Figure.Title, r.Figure.Source)
	if r.Quick {
		b.WriteString("A quick run: it shows that the figure works; its numbers are not to be quoted.\n")
	}
	if r.Figure.Alone != nil {
		b.WriteString("\n" + r.laws())
	} else {
		r.measures(&b)
	}
	if r.unmet() && r.Figure.Purpose != "" {
		fmt.Fprintf(&b, "Why: %s\n", r.Figure.Purpose)
	}
	b.WriteString(r.checked())
	return b.String()
}

// measures writes the numbers of the pictures, and the claims.
func (r *Report) measures(b *strings.Builder) {
	for _, m := range r.Figure.Shows {
		b.WriteString("\n" + r.Parts[0].Grid.table(m))
	}
	for _, m := range r.Figure.Over {
		b.WriteString("\n" + r.Parts[0].Grid.timeline(m))
	}
	for _, p := range r.Parts {
		b.WriteString("\n" + p.claims())
	}
	fmt.Fprintf(b, "\nA claim is met when ours is in its band: %.0f%% about the paper's number, or its own bound.\n", 100*Tolerance)
}

func tabs(b *strings.Builder) *tabwriter.Writer {
	return tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
}

// table returns one measure of all protocols.
func (g *Grid) table(m Measure) string {
	var b strings.Builder
	w := tabs(&b)
	fmt.Fprintf(w, "%s\t", m.label())
	for _, v := range g.Values {
		fmt.Fprintf(w, "%s\t", g.Figure.Axis.Text(v))
	}
	fmt.Fprintf(w, " %s\n", g.Figure.Axis.Label)
	for _, row := range g.Figure.Protocols {
		fmt.Fprintf(w, "%s\t", row)
		for at := range g.Values {
			fmt.Fprintf(w, "%.1f\t", g.of(m, row, at))
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	return b.String()
}

// claims returns the verdicts under one kind of costs.
func (p *Part) claims() string {
	var b strings.Builder
	c := p.Grid.costs()
	fmt.Fprintf(&b, "Costs %s: %v us of CPU a message, %v cores a node, %v us a sync (%s)\n", p.Costs.Name, c.CPUMicros, c.Cores, c.FsyncMicros, c.Source)
	if s := p.Experiment; s.Coordinators > 0 {
		fmt.Fprintf(&b, "At co-coordinators of their own: %v us of CPU a message, %d cores.\n", s.CoordinatorCPU.Microseconds(), s.CoordinatorCores)
	}
	if c.PageMicros > 0 {
		fmt.Fprintf(&b, "Of protocols with MySQL's lock manager: %v us a lock for each waiter of its row, %v us a read for each writer.\n", c.PageMicros, c.ListMicros)
	}
	if c.StatementMicros > 0 {
		fmt.Fprintf(&b, "In us of CPU: %v a request, %v one that commits writes, in addition %v a statement and %v a commit's writes; %v a lock, %v a step of the wait graph.\n%s\n",
			c.RequestMicros, c.CommitMicros, c.StatementMicros, c.StoreMicros, c.LockMicros, c.StepMicros, lab.StatementCosts)
	}
	if len(p.Verdicts) == 0 {
		return b.String() + "The paper has no numbers for this figure.\n"
	}
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "claim\tat\tpaper\tband\tours\t\n")
	for _, v := range p.Verdicts {
		axis, band := p.Grid.Figure.Axis, "-"
		if v.Claim.numbered() {
			band = v.Claim.Band()
		}
		fmt.Fprintf(w, "%s\t%s %s\t%s\t%s\t%s\t%s\n", v.Claim.rows(),
			axis.Label, axis.Text(v.At), v.Claim.PaperText(), band, v.Claim.Format(v.Ours), v.verdict())
	}
	w.Flush()
	return b.String()
}

// verdict returns the band, and the reason if there is no number.
func (v Verdict) verdict() string {
	if v.Reason == "" {
		return v.Band.String()
	}
	return v.Band.String() + ": " + v.Reason
}

// unmet reports whether a claim is not met under the default costs, or better.
func (r *Report) unmet() bool {
	return slices.ContainsFunc(r.Parts[0].Verdicts, func(v Verdict) bool { return v.Band != Met && v.Band != Unscored }) ||
		slices.ContainsFunc(r.Spans(), func(s Span) bool { return !s.Met })
}

// Wrong describes the experiments whose history is not serializable although their protocol
// promises that.
func (r *Report) Wrong() []string {
	var wrong []string
	for _, p := range r.Parts {
		p.Grid.each(func(row, at int, c *lab.Result) {
			if !c.Check.Serializable && givesAtomicity(c.Protocol) {
				axis := r.Figure.Axis
				wrong = append(wrong, fmt.Sprintf("%s at %s %s, costs %s: not serializable: %s", r.Figure.Protocols[row], axis.Label, axis.Text(p.Grid.Values[at]),
					p.Costs.Name, strings.Join(c.Check.Anomalies, "; ")))
			}
		})
	}
	return wrong
}

// givesAtomicity reports whether a protocol is atomic. A figure has others for their speed.
func givesAtomicity(protocolRow string) bool {
	spec, err := protocol.ByName(protocolRow)
	return err != nil || spec.Isolation != protocol.NoAtomicity
}

// count returns the number of experiments, of checked tries, and of experiments under protocols
// without atomicity that violated it.
func (r *Report) count() (experiments, tries, torn int) {
	for _, p := range r.Parts {
		p.Grid.each(func(_, _ int, c *lab.Result) {
			experiments++
			tries += c.Check.Checked
			if !c.Check.Serializable && !givesAtomicity(c.Protocol) {
				torn++
			}
		})
	}
	return experiments, tries, torn
}

// tornText describes torn experiments, or is empty.
func tornText(torn int) string {
	if torn == 0 {
		return ""
	}
	return fmt.Sprintf(" but in %d experiments under protocols without atomicity", torn)
}

// checked describes how much of the history was checked, and the errors.
func (r *Report) checked() string {
	experiments, tries, torn := r.count()
	wrong := r.Wrong()
	if len(wrong) > 0 {
		return fmt.Sprintf("%d experiments, and these are WRONG:\n%s\n", experiments, strings.Join(wrong, "\n"))
	}
	return fmt.Sprintf("%d experiments; of %d transactions that were checked, all are serializable%s.\n", experiments, tries, tornText(torn))
}
