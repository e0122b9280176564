package figure

import (
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"isochron/geo"
)

// A figure of spans has a panel for each region of clients, there a group of bars for each region
// of leaders, and there a bar for each protocol: its height is the measured span. A black line
// across the bar is the formula's, a ring the span measured without costs and contention.

// The width of a bar and of the line across it; groups are 1 apart.
const (
	barWidth  = 0.22
	lawExcess = 0.025 // of the line on either side
)

// bars draws the panels and the legend.
func (r *Report) bars(d *drawn) error {
	spans := r.Spans()
	highest := 0.0
	var clients []geo.Region
	for _, s := range spans {
		highest = max(highest, s.LawMS, s.AloneMS, s.MeasuredMS)
		if !slices.Contains(clients, s.Client) {
			clients = append(clients, s.Client)
		}
	}
	for _, client := range clients {
		p := plot.New()
		p.X.Label.Text, p.Y.Label.Text = "led from; clients in "+string(client), "contention span (ms)"
		p.X.Label.Padding, p.Y.Label.Padding = vg.Points(4), vg.Points(4)
		grid := plotter.NewGrid()
		grid.Vertical.Color, grid.Horizontal.Color = nil, color.Gray{225}
		p.Add(grid)
		var ticks plot.ConstantTicks
		for i, leader := range clients {
			ticks = append(ticks, plot.Tick{Value: float64(i), Label: string(leader)})
		}
		for _, s := range spans {
			if s.Client == client {
				if err := r.bar(p, s, slices.Index(clients, s.Leader)); err != nil {
					return err
				}
			}
		}
		p.X.Tick.Marker, p.Y.Tick.Marker = ticks, plot.TickerFunc(roundTicks)
		p.X.Min, p.X.Max = -0.5, float64(len(clients))-0.5
		p.Y.Min, p.Y.Max = 0, max(1.05*highest, 1)
		d.panels = append(d.panels, p)
	}
	return r.barLegend(d)
}

// bar draws one span into its group.
func (r *Report) bar(p *plot.Plot, s Span, group int) error {
	row := slices.Index(r.Figure.Protocols, s.Protocol)
	middle := float64(group) + barWidth*(float64(row)-float64(len(r.Figure.Protocols)-1)/2)
	left, right := middle-barWidth/2, middle+barWidth/2
	box, err := r.box(row, plotter.XYs{{X: left, Y: 0}, {X: right, Y: 0}, {X: right, Y: s.MeasuredMS}, {X: left, Y: s.MeasuredMS}})
	if err != nil {
		return err
	}
	law, ring, err := lawMarks(plotter.XYs{{X: left - lawExcess, Y: s.LawMS}, {X: right + lawExcess, Y: s.LawMS}}, plotter.XYs{{X: middle, Y: s.AloneMS}})
	if err != nil {
		return err
	}
	p.Add(box, law, ring)
	return nil
}

func (r *Report) box(row int, corners plotter.XYs) (*plotter.Polygon, error) {
	box, err := plotter.NewPolygon(corners)
	if err != nil {
		return nil, fmt.Errorf("a bar of %s cannot be drawn: %w", r.Figure.Protocols[row], err)
	}
	box.Color, box.LineStyle.Width = r.Figure.look(row).color, 0
	return box, nil
}

// lawMarks returns the line of a formula and the ring of the span measured alone.
func lawMarks(line, ring plotter.XYs) (*plotter.Line, *plotter.Scatter, error) {
	law, err := plotter.NewLine(line)
	if err != nil {
		return nil, nil, fmt.Errorf("the line of a formula cannot be drawn: %w", err)
	}
	law.Width = vg.Points(2)
	alone, err := plotter.NewScatter(ring)
	if err != nil {
		return nil, nil, fmt.Errorf("a span measured alone cannot be drawn: %w", err)
	}
	alone.GlyphStyle = draw.GlyphStyle{Color: color.Black, Radius: vg.Points(3.5), Shape: draw.RingGlyph{}}
	return law, alone, nil
}

func (r *Report) barLegend(d *drawn) error {
	for i, row := range r.Figure.Protocols {
		box, err := r.box(i, plotter.XYs{{}, {}, {}})
		if err != nil {
			return err
		}
		d.legend = append(d.legend, entry{row, []plot.Thumbnailer{box}})
	}
	law, ring, err := lawMarks(plotter.XYs{{}, {}}, plotter.XYs{{}})
	if err != nil {
		return err
	}
	d.legend = append(d.legend, entry{"formula", []plot.Thumbnailer{law}}, entry{"measured alone", []plot.Thumbnailer{ring}})
	return nil
}
