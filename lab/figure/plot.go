package figure

import (
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The sizes of a picture: panels side by side, a title above, the legend below.
const (
	panelWidth   = 9 * vg.Centimeter
	panelHeight  = 8 * vg.Centimeter
	titleHeight  = 1.1 * vg.Centimeter
	legendHeight = 0.9 * vg.Centimeter
	legendWidth  = 4.4 * vg.Centimeter // of one entry
	margin       = 0.4 * vg.Centimeter
	pngDPI       = 144
)

// look is the appearance of a series. Series differ in marker and dashes and not in colour alone,
// so that they can be distinguished in print and by colour-blind readers.
type look struct {
	color  color.RGBA
	marker draw.GlyphDrawer
	dashes []vg.Length
}

var (
	blue   = color.RGBA{0, 114, 178, 255}
	red    = color.RGBA{213, 94, 0, 255}
	green  = color.RGBA{0, 158, 115, 255}
	yellow = color.RGBA{230, 159, 0, 255}
	purple = color.RGBA{170, 80, 140, 255}
	grey   = color.RGBA{90, 90, 90, 255}
	long   = []vg.Length{vg.Points(6), vg.Points(3)}
	short  = []vg.Length{vg.Points(2), vg.Points(2)}
)

// looks are of single protocols; pairs of protocols listed in pairs.
var (
	looks = []look{
		{blue, draw.CircleGlyph{}, nil}, {red, draw.BoxGlyph{}, nil}, {green, draw.PyramidGlyph{}, long},
		{yellow, draw.SquareGlyph{}, short}, {purple, draw.RingGlyph{}, long}, {grey, draw.CrossGlyph{}, nil},
	}
	pairs = []look{
		{blue, draw.CircleGlyph{}, nil}, {red, draw.BoxGlyph{}, nil},
		{blue, draw.RingGlyph{}, long}, {red, draw.SquareGlyph{}, long},
		{green, draw.PyramidGlyph{}, nil}, {green, draw.CrossGlyph{}, long}, // beside the second ones
	}
)

// look returns the i-th protocol's.
func (f *Figure) look(i int) look {
	if f.Pairs {
		return pairs[i%len(pairs)]
	}
	return looks[i%len(looks)]
}

// series is one protocol in one panel, and its entry of the legend.
func (g *Grid) series(m Measure, row string, i int) (*plotter.Line, *plotter.Scatter, error) {
	points := make(plotter.XYs, len(g.Values))
	for at, v := range g.Values {
		points[at].X, points[at].Y = g.Figure.Axis.number(v), g.of(m, row, at)
	}
	return g.Figure.line(points, m.Name, row, i)
}

// line is the i-th protocol's line through points.
func (f *Figure) line(points plotter.XYs, what, row string, i int) (*plotter.Line, *plotter.Scatter, error) {
	line, marks, err := plotter.NewLinePoints(points)
	if err != nil {
		return nil, nil, fmt.Errorf("the series %s of %s cannot be drawn: %w", row, what, err)
	}
	l := f.look(i)
	line.Color, line.Width, line.Dashes = l.color, vg.Points(1.5), l.dashes
	marks.GlyphStyle = draw.GlyphStyle{Color: l.color, Radius: vg.Points(3.5), Shape: l.marker}
	return line, marks, nil
}

// newPanel returns an empty one.
func newPanel(x, y string) *plot.Plot {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = x, y
	p.X.Label.Padding, p.Y.Label.Padding = vg.Points(4), vg.Points(4)
	grid := plotter.NewGrid()
	faint := color.Gray{225}
	grid.Vertical.Color, grid.Horizontal.Color = faint, faint
	p.Add(grid)
	return p
}

// panel draws one measure of all protocols.
func (g *Grid) panel(m Measure) (*plot.Plot, error) {
	p := newPanel(g.Figure.Axis.Label, m.label())
	for i, row := range g.Figure.Protocols {
		line, marks, err := g.series(m, row, i)
		if err != nil {
			return nil, err
		}
		p.Add(line, marks)
	}
	fromZero(p)
	if g.Figure.Axis.Log {
		p.X.Scale = plot.LogScale{}
	}
	var ticks plot.ConstantTicks
	for i, v := range g.Values {
		t := plot.Tick{Value: g.Figure.Axis.number(v), Label: g.Figure.Axis.Text(v)}
		if g.Figure.Axis.Log && i+1 < len(g.Values) && g.Values[i+1] < 2*v+1 {
			t.Label = " " // the next one has its label there
		}
		ticks = append(ticks, t)
	}
	p.X.Tick.Marker = ticks
	return p, nil
}

// fromZero makes a panel's vertical axis begin at 0 and end a little above the highest value.
func fromZero(p *plot.Plot) {
	p.Y.Min, p.Y.Max = 0, 1.05*p.Y.Max
	if p.Y.Max <= 0 {
		p.Y.Max = 1
	}
	p.Y.Tick.Marker = plot.TickerFunc(roundTicks)
}

// roundTicks returns four to ten round numbers of an axis that begins at 0.
func roundTicks(_, high float64) []plot.Tick {
	step := math.Pow(10, math.Floor(math.Log10(high)))
	for _, part := range []float64{1, 0.5, 0.2, 0.1} {
		if high/(step*part) >= 4 {
			step *= part
			break
		}
	}
	var ticks []plot.Tick
	for i := 0; float64(i)*step <= high; i++ {
		v := float64(i) * step
		ticks = append(ticks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', 6, 64)})
	}
	return ticks
}

// entry is one series in the legend.
type entry struct {
	name   string
	thumbs []plot.Thumbnailer
}

// drawn is a picture before it is drawn.
type drawn struct {
	title  string
	panels []*plot.Plot
	legend []entry
}

// picture returns the figure's: a panel for each measure, or for each region of clients.
func (r *Report) picture() (drawn, error) {
	d := drawn{title: r.Figure.Name + ": " + r.Figure.Title}
	if r.Quick {
		d.title += " (a quick run)"
	}
	if r.Figure.Alone != nil {
		return d, r.bars(&d)
	}
	g := r.Parts[0].Grid
	if r.Figure.Over != nil {
		return d, g.timelines(&d)
	}
	for _, m := range r.Figure.Shows {
		p, err := g.panel(m)
		if err != nil {
			return d, err
		}
		d.panels = append(d.panels, p)
	}
	for i, row := range r.Figure.Protocols {
		line, marks, err := g.series(r.Figure.Shows[0], row, i)
		if err != nil {
			return d, err
		}
		d.legend = append(d.legend, entry{row, []plot.Thumbnailer{line, marks}})
	}
	return d, nil
}

func (d drawn) size() (width, height vg.Length) {
	return panelWidth*vg.Length(len(d.panels)) + margin, panelHeight + titleHeight + legendHeight
}

// draw draws the whole picture.
func (d drawn) draw(dc draw.Canvas) {
	style := plot.New().Title.TextStyle
	style.Font.Size = vg.Points(13)
	style.XAlign, style.YAlign = text.XCenter, text.YTop
	dc.FillText(style, vg.Point{X: dc.Center().X, Y: dc.Max.Y - margin}, d.title)
	middle := draw.Crop(dc, margin, -margin, legendHeight, -titleHeight)
	canvases := plot.Align([][]*plot.Plot{d.panels}, draw.Tiles{Rows: 1, Cols: len(d.panels), PadX: margin}, middle)
	for i, p := range d.panels {
		p.Draw(canvases[0][i])
	}
	d.drawLegend(draw.Crop(dc, margin, -margin, 0, legendHeight-dc.Size().Y))
}

// drawLegend names all protocols in one line, in its middle.
func (d drawn) drawLegend(dc draw.Canvas) {
	spare := max(dc.Size().X-legendWidth*vg.Length(len(d.legend)), 0)
	dc = draw.Crop(dc, spare/2, -spare/2, 0, 0)
	tiles := draw.Tiles{Rows: 1, Cols: len(d.legend)}
	for i, e := range d.legend {
		l := plot.NewLegend()
		l.TextStyle.Font = font.From(l.TextStyle.Font, vg.Points(11))
		l.Left, l.Top, l.ThumbnailWidth, l.Padding = true, true, vg.Points(34), vg.Points(5)
		l.Add(e.name, e.thumbs...)
		l.Draw(tiles.At(dc, i, 0))
	}
}

// Draw writes the picture of the figure into dir, as SVG and PNG, and returns the names of the
// files.
func (r *Report) Draw(dir string) ([]string, error) {
	d, err := r.picture()
	if err != nil {
		return nil, err
	}
	w, h := d.size()
	var files []string
	for _, format := range []struct {
		ext    string
		canvas func() vg.CanvasWriterTo
	}{
		{"svg", func() vg.CanvasWriterTo { return vgsvg.New(w, h) }},
		{"png", func() vg.CanvasWriterTo {
			return vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(pngDPI))}
		}},
	} {
		canvas := format.canvas()
		d.draw(draw.NewCanvas(canvas, w, h))
		path := filepath.Join(dir, r.fileName(format.ext))
		file, err := os.Create(path)
		if err != nil {
			return nil, err
		}
		_, err = canvas.WriteTo(file)
		if err := firstError(err, file.Close()); err != nil {
			return nil, fmt.Errorf("%s could not be written: %w", path, err)
		}
		files = append(files, path)
	}
	return files, nil
}

// fileName returns the figure's name as a file's name.
func (r *Report) fileName(ext string) string {
	return fileBase(r.Figure.Name) + "." + ext
}

// fileBase returns a figure's name as the beginning of a file's name.
func fileBase(figure string) string { return strings.ReplaceAll(figure, "/", "-") }

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
