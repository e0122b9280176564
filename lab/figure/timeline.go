package figure

import (
	"fmt"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"isochron/lab"
)

// PieceMeasure is a number of a piece of the measured time.
type PieceMeasure struct {
	Name string
	Unit string
	Of   func(lab.Piece) float64
}

// The measures of figures over time.
var (
	throughputThen = PieceMeasure{"throughput", "transactions/s", func(p lab.Piece) float64 { return p.ThroughputTPS }}
	failedThen     = PieceMeasure{"failed", "transactions/s", func(p lab.Piece) float64 { return p.FailedTPS }}
	tailThen       = PieceMeasure{"p95 latency", "ms", func(p lab.Piece) float64 { return p.P95MS }}
	cpuThen        = PieceMeasure{"CPU of the node", "%", func(p lab.Piece) float64 { return p.CPUPercent }}
)

// then returns the pieces of the i-th protocol.
func (g *Grid) then(i int) []lab.Piece { return g.Cells[i][len(g.Values)-1].Series }

// timelines draws a panel for each measure.
func (g *Grid) timelines(d *drawn) error {
	f := g.Figure
	for n, m := range f.Over {
		p := newPanel("seconds", m.Name+" ("+m.Unit+")")
		for i, row := range f.Protocols {
			points := make(plotter.XYs, len(g.then(i)))
			for at, piece := range g.then(i) {
				points[at].X, points[at].Y = piece.UntilS, m.Of(piece)
			}
			line, marks, err := f.line(points, m.Name, row, i)
			if err != nil {
				return err
			}
			marks.Radius = vg.Points(2)
			p.Add(line, marks)
			if n == 0 {
				d.legend = append(d.legend, entry{row, []plot.Thumbnailer{line, marks}})
			}
		}
		fromZero(p)
		d.panels = append(d.panels, p)
	}
	return nil
}

// timeline returns one measure of all protocols, a line for each piece.
func (g *Grid) timeline(m PieceMeasure) string {
	var b strings.Builder
	w := tabs(&b)
	fmt.Fprintf(w, "%s (%s), until second\t", m.Name, m.Unit)
	for _, row := range g.Figure.Protocols {
		fmt.Fprintf(w, "%s\t", row)
	}
	fmt.Fprintln(w)
	for at := range g.then(0) {
		fmt.Fprintf(w, "%v\t", g.then(0)[at].UntilS)
		for i := range g.Figure.Protocols {
			if pieces := g.then(i); at < len(pieces) {
				fmt.Fprintf(w, "%.1f\t", m.Of(pieces[at]))
			}
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	return b.String()
}
