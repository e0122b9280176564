package figure

import (
	"cmp"
	"fmt"
	"math"
	"strings"
)

// Claim is a number of a paper: how much better one protocol is than another.
type Claim struct {
	Measure        Measure
	Protocol, Over string // may be several, see rivals: then it is the best of them at each value
	Where          Where
	Kind           Kind
	Paper          float64 // in the unit of Kind; 0: the paper has no such number, the claim is for comparison (but see Level, Ahead, Below)
	UpTo           float64 // if not 0, the paper has a range: from Paper to UpTo, the better end
	Reason         string  // a short reason, if it is known, for a claim that is short, better, or without a number
}

// claim returns a claim of one number.
func claim(m Measure, row, over string, where Where, kind Kind, paper float64) Claim {
	return Claim{Measure: m, Protocol: row, Over: over, Where: where, Kind: kind, Paper: paper}
}

// upTo makes the claim a range that begins with its number.
func (c Claim) upTo(most float64) Claim {
	c.UpTo = most
	return c
}

// rivals returns the protocols in Over, separated by |.
func rivals(over string) []string { return strings.Split(over, "|") }

// over formats Over.
func (c Claim) over() string {
	if rows := rivals(c.Over); len(rows) > 1 {
		return "the best of " + strings.Join(rows, ", ")
	}
	return c.Over
}

// numbered reports whether the paper has a number to compare with.
func (c Claim) numbered() bool {
	return c.Paper != 0 || c.Kind == Level || c.Kind == Ahead || c.Kind == Below
}

// because adds the reason, for a claim that is not met.
func (c Claim) because(reason string) Claim {
	c.Reason = reason
	return c
}

// Kind is the unit of a claim.
type Kind uint8

// The kinds.
const (
	Times  Kind = iota // the protocol has a multiple of the other's
	Change             // the protocol has more by this percentage (or less, below 0)
	Level              // the protocol has as much as the other: a change of about nothing
	Ahead              // the protocol has more than the other, and the paper has no number: a multiple
	AtMost             // the protocol has less than the other by at most this percentage
	Below              // the protocol has less than the other, or than each of several, which is better
	Lower              // the other, or the least of several, has this multiple of the protocol's, where less is better
)

// Where is the value of the parameter for which a claim holds.
type Where uint8

// The places.
const (
	AtTheEnd   Where = iota // the last value
	AtBest                  // the value at which the protocol does best by the claim
	AtPeak                  // of each protocol its own largest number, wherever that is
	AtTheStart              // the first value
	AtWorst                 // the value at which the protocol does worst by the claim
	Across                  // the protocol at the last value, the other at the first
)

// Tolerance is the relative difference of our number from the paper's, either way, within which a
// claim is met: of a factor, or of a change in percent. For Level it is the difference itself.
// Claims of the kinds Ahead, Below and AtMost have none.
const Tolerance = 0.15

// band returns the least and the most that meets the claim, in the unit of Kind: more is better
// than claimed, less is short. A range is met from its least to its most, with the tolerance of
// each.
func (c Claim) band() (least, most float64) {
	switch c.Kind {
	case Level:
		return -100 * Tolerance, 100 * Tolerance
	case Ahead:
		return 1, math.Inf(1)
	case Below:
		return 1, math.Inf(-1)
	case AtMost:
		return -c.Paper, math.Inf(1)
	}
	return c.Paper * (1 - Tolerance), cmp.Or(c.UpTo, c.Paper) / (1 - Tolerance)
}

// Band is the position of our number relative to the paper's.
type Band uint8

// The bands.
const (
	Unscored Band = iota // the paper has no number: for comparison
	Met
	Better   // better than claimed: that needs a reason as much as a short one
	Short    // short of the claim
	NoNumber // there is nothing to compare, or the runs behind it are unsteady
)

var bandWords = [...]string{"for comparison", "met", "BETTER", "SHORT", "NO NUMBER"}

// String returns the band in a word or two.
func (b Band) String() string { return bandWords[b] }

// Text returns the claim as text.
func (c Claim) Text() string {
	where := [...]string{"at the end of the axis", "at best", "each at its peak", "at the start of the axis", "at worst", "at the end of the axis beside its start"}[c.Where]
	return c.rows() + ", " + where
}

// rows describes the compared protocols.
func (c Claim) rows() string {
	beside := " over "
	if c.Kind == Lower {
		beside = " below "
	}
	return c.Measure.Name + " of " + c.Protocol + beside + c.over()
}

// Band describes the numbers that meet the claim.
func (c Claim) Band() string {
	least, most := c.band()
	if math.IsInf(most, 1) {
		return "from " + c.Format(least)
	}
	if math.IsInf(most, -1) {
		return "up to " + c.Format(least)
	}
	if c.better(least, most) {
		least, most = most, least
	}
	return c.Format(least) + " to " + c.Format(most)
}

// PaperText formats the paper's number.
func (c Claim) PaperText() string {
	switch {
	case !c.numbered():
		return "-"
	case c.Kind == Level:
		return "as much"
	case c.Kind == Ahead:
		return "more"
	case c.Kind == Below:
		return "less"
	case c.Kind == AtMost:
		return fmt.Sprintf("%.0f%% less at most", c.Paper)
	case c.UpTo != 0:
		return c.Format(c.Paper) + " to " + c.Format(c.UpTo)
	}
	return c.Format(c.Paper)
}

// Format formats a number of the claim's kind.
func (c Claim) Format(n float64) string {
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return "none"
	}
	if c.Kind.factor() {
		return fmt.Sprintf("%.2fx", n)
	}
	return fmt.Sprintf("%+.0f%%", n)
}

// Verdict is the result of a claim.
type Verdict struct {
	Claim  Claim
	Ours   float64 // NaN if one of the protocols has nothing to compare, or was not run there
	At     int     // the value of the parameter
	Band   Band
	Reason string // of NoNumber: why the runs give none
}

// ours returns the claim's number at one value.
func (c Claim) ours(g *Grid, at int) float64 {
	if !g.has(c.Protocol, at) || !g.has(c.Over, at) {
		return math.NaN()
	}
	return c.compare(g.of(c.Measure, c.Protocol, at), c.overs(g, at))
}

// overs returns the measure of the other side at one value.
func (c Claim) overs(g *Grid, at int) float64 {
	if c.Kind == Below || c.Kind == Lower {
		return g.leastOf(c.Measure, c.Over, at)
	}
	return g.of(c.Measure, c.Over, at)
}

func (c Claim) compare(row, over float64) float64 {
	if c.Kind == Lower {
		row, over = over, row
	}
	if over == 0 {
		return math.NaN()
	}
	if c.Kind.factor() {
		return row / over
	}
	return 100 * (row/over - 1)
}

// factor reports whether numbers of this kind are multiples.
func (k Kind) factor() bool { return k == Times || k == Ahead || k == Below || k == Lower }

// better reports whether a is better than b for the claim.
func (c Claim) better(a, b float64) bool {
	if c.Kind == Change && c.Paper < 0 || c.Kind == Below {
		return a < b
	}
	return a > b
}

// Judge compares the claim with the grid.
func (c Claim) Judge(g *Grid) Verdict {
	v, over := c.place(g)
	v.Claim = c
	v.Band, v.Reason = c.score(v.Ours), ""
	if reason := g.unsteady(c, v.at, over); reason != "" || math.IsNaN(v.Ours) {
		v.Reason = cmp.Or(reason, "one of the protocols has nothing to compare")
		if c.numbered() {
			v.Band = NoNumber
		}
	}
	return v.Verdict
}

// placed is a verdict and the index on the axis of its protocol's value.
type placed struct {
	Verdict
	at int
}

// place finds the value for which the claim holds, and our number there; over is the index of the
// other protocol.
func (c Claim) place(g *Grid) (v placed, over int) {
	at := len(g.Values) - 1
	if c.Where == AtTheStart {
		at = 0
	}
	ours := c.ours(g, at)
	if c.Where == AtBest || c.Where == AtWorst {
		for i := range at {
			n := c.ours(g, i)
			if math.IsNaN(ours) || c.Where == AtBest && c.better(n, ours) || c.Where == AtWorst && c.better(ours, n) {
				ours, at = n, i
			}
		}
	}
	if c.Where == AtPeak {
		at = g.peak(c.Measure, c.Protocol)
	}
	if over = c.placeOfOver(g, at); over != at || c.Where == AtPeak {
		ours = c.compare(g.of(c.Measure, c.Protocol, at), c.overs(g, over))
	}
	return placed{Verdict{Ours: ours, At: g.Values[at]}, at}, over
}

// placeOfOver returns the index of the other side, given the index of the claim's protocol.
func (c Claim) placeOfOver(g *Grid, at int) int {
	switch c.Where {
	case AtPeak:
		return g.peak(c.Measure, c.Over)
	case Across:
		return 0
	}
	return at
}

// score returns the band of a number.
func (c Claim) score(ours float64) Band {
	least, most := c.band()
	switch {
	case !c.numbered():
		return Unscored
	case math.IsNaN(ours):
		return NoNumber
	case c.Kind == Level && ours > most, c.Kind == Level && ours < least:
		return Short // a Level claim is missed either way
	case c.better(least, ours):
		return Short
	case c.better(ours, most):
		return Better
	}
	return Met
}

// unsteady returns why the runs behind a claim are unsteady, or "".
func (g *Grid) unsteady(c Claim, at, over int) string {
	if g.has(c.Protocol, at) {
		if reason := g.cell(c.Protocol, at).Unsteady(); reason != "" {
			return reason
		}
	}
	for _, row := range rivals(c.Over) {
		if g.has(row, over) {
			if reason := g.cell(row, over).Unsteady(); reason != "" {
				return reason
			}
		}
	}
	return ""
}

// peak returns the index at which a measure of a protocol is largest.
func (g *Grid) peak(m Measure, row string) (at int) {
	for i := range g.Values {
		if g.of(m, row, i) > g.of(m, row, at) {
			at = i
		}
	}
	return at
}

// Judge compares all claims of the figure with the grid.
func (g *Grid) Judge() []Verdict {
	var out []Verdict
	for _, c := range g.Figure.Claims {
		out = append(out, c.Judge(g))
	}
	return out
}
