package figure

import (
	"fmt"
	"math"
	"strings"
)

// Claim is a number of a paper: how much better one row is than another.
type Claim struct {
	Measure   Measure
	Row, Over string // Over may be several, see rivals: then it is the best of them at each value
	Where     Where
	Kind      Kind
	Paper     float64 // as Kind says; 0: the paper has no such number, it is here for comparison (but see Level)
}

// rivals are the rows that Over names, with a | between them.
func rivals(over string) []string { return strings.Split(over, "|") }

// over is Over in words.
func (c Claim) over() string {
	if rows := rivals(c.Over); len(rows) > 1 {
		return "the best of " + strings.Join(rows, ", ")
	}
	return c.Over
}

// numbered reports whether there is something of the paper to hold ours against.
func (c Claim) numbered() bool { return c.Paper != 0 || c.Kind == Level }

// Kind is how a claim is put.
type Kind uint8

// The kinds.
const (
	Times  Kind = iota // the row has so many times what the other has
	Change             // the row has so many percent more (or less, below 0)
	Level              // the row has as much as the other: a change of about nothing
)

// Where says for which value of the parameter a claim speaks.
type Where uint8

// The places.
const (
	AtTheEnd   Where = iota // the last value
	AtBest                  // the value at which the row does best by the claim
	AtPeak                  // of each row its own largest number, wherever that is
	AtTheStart              // the first value
	AtWorst                 // the value at which the row does worst by the claim
)

// Tolerance is by what part of the paper's number ours may fall short of it for
// the claim to be met. A claim is of an advantage: more of it is met too. As much
// is what differs by no more than this part, either way.
const Tolerance = 0.15

// Text is the claim in words.
func (c Claim) Text() string {
	where := [...]string{"at the end of the axis", "at best", "each at its peak", "at the start of the axis", "at worst"}[c.Where]
	return c.Measure.Name + " of " + c.Row + " over " + c.over() + ", " + where
}

// Format writes a number of the claim's kind.
func (c Claim) Format(n float64) string {
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return "none"
	}
	if c.Kind != Times {
		return fmt.Sprintf("%+.0f%%", n)
	}
	return fmt.Sprintf("%.2fx", n)
}

// Verdict is what became of a claim.
type Verdict struct {
	Claim Claim
	Ours  float64 // NaN if one of the rows has nothing to compare, or was not run there
	At    int     // the value of the parameter
	Met   bool
}

// ours is the claim's number at one value.
func (c Claim) ours(g *Grid, at int) float64 {
	if !g.has(c.Row, at) || !g.has(c.Over, at) {
		return math.NaN()
	}
	return c.compare(g.of(c.Measure, c.Row, at), g.of(c.Measure, c.Over, at))
}

func (c Claim) compare(row, over float64) float64 {
	if over == 0 {
		return math.NaN()
	}
	if c.Kind != Times {
		return 100 * (row/over - 1)
	}
	return row / over
}

// better reports whether the claim holds more for a than for b.
func (c Claim) better(a, b float64) bool {
	if c.Kind == Change && c.Paper < 0 {
		return a < b
	}
	return a > b
}

// Judge holds the claim against the grid.
func (c Claim) Judge(g *Grid) Verdict {
	last := len(g.Values) - 1
	v := Verdict{Claim: c, Ours: c.ours(g, last), At: g.Values[last]}
	if c.Where == AtTheStart {
		v.Ours, v.At = c.ours(g, 0), g.Values[0]
	}
	if c.Where == AtBest || c.Where == AtWorst {
		for at := range last {
			n := c.ours(g, at)
			if math.IsNaN(v.Ours) || c.Where == AtBest && c.better(n, v.Ours) || c.Where == AtWorst && c.better(v.Ours, n) {
				v.Ours, v.At = n, g.Values[at]
			}
		}
	}
	if c.Where == AtPeak {
		at, over := g.peak(c.Measure, c.Row), g.peak(c.Measure, c.Over)
		v.Ours, v.At = c.compare(g.of(c.Measure, c.Row, at), g.of(c.Measure, c.Over, over)), g.Values[at]
	}
	v.Met = c.met(v.Ours)
	return v
}

func (c Claim) met(ours float64) bool {
	if c.Kind == Level {
		return math.Abs(ours) <= 100*Tolerance
	}
	least := c.Paper * (1 - Tolerance)
	return c.Paper != 0 && (ours == least || c.better(ours, least))
}

// peak is where a measure of a row is largest.
func (g *Grid) peak(m Measure, row string) (at int) {
	for i := range g.Values {
		if g.of(m, row, i) > g.of(m, row, at) {
			at = i
		}
	}
	return at
}

// Word is the verdict in a word or two.
func (v Verdict) Word() string {
	switch {
	case !v.Claim.numbered():
		return "for comparison"
	case v.Met:
		return "met"
	}
	return "NOT MET"
}

// Judge holds all claims of the figure against the grid.
func (g *Grid) Judge() []Verdict {
	var out []Verdict
	for _, c := range g.Figure.Claims {
		out = append(out, c.Judge(g))
	}
	return out
}
