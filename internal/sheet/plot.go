package sheet

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

const (
	plotWidth  = 640 // points
	plotHeight = 400
	labelRunes = 80 // of an axis
	nameHeight = 24 // of the names above and below
	descent    = 4  // of letters such as g, below the line
	maxGlyphs  = 24 // marks on a line; a line of more points has every n-th marked
)

// The colours that the page's style sheet replaces by those of the reader's
// light or dark setting.
var (
	ink  = color.RGBA{0x22, 0x22, 0x22, 0xff}
	grid = color.RGBA{0xdd, 0xdd, 0xdd, 0xff}
)

// svg returns the plot as an SVG element, and a sentence on points that have no
// place in it ("" if there are none).
func (p *Plot) svg() (image, note string, err error) {
	x, y := axis{log: p.LogX}, axis{log: p.LogY}
	lines, left := p.visible(&x, &y)
	g := plot.New()
	g.BackgroundColor = nil
	x.set(&g.X)
	y.set(&g.Y)
	back := plotter.NewGrid()
	back.Vertical = draw.LineStyle{Color: grid, Width: 0.75}
	back.Horizontal = back.Vertical
	g.Add(back)
	for i, points := range lines {
		if err := addLine(g, points, p.Lines[i].style(i)); err != nil {
			return "", "", fmt.Errorf("sheet: plot %q: %w", p.Title, err)
		}
	}
	label := fmt.Sprintf("%s: %s against %s", p.Title, p.Y, p.X)
	image, err = drawing(plotWidth, plotHeight, label, func(c draw.Canvas) {
		name(c, vg.Point{X: 0, Y: c.Max.Y}, draw.XLeft, draw.YTop, p.Y)
		name(c, vg.Point{X: c.Max.X, Y: descent}, draw.XRight, draw.YBottom, p.X)
		g.Draw(draw.Crop(c, 0, 0, nameHeight, -nameHeight))
	})
	return image, leftOut(left, p.LogX || p.LogY), err
}

// name writes what an axis shows at its end. gonum would write it along the axis,
// the vertical one turned, and make room for long names by pushing the data aside.
func name(c draw.Canvas, at vg.Point, x text.XAlignment, y text.YAlignment, label string) {
	style := textStyle(13)
	style.XAlign, style.YAlign = x, y
	c.FillText(style, at, shorten(printable(label), labelRunes))
}

func textStyle(size vg.Length) text.Style {
	return text.Style{
		Color:   ink,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		Handler: plot.DefaultTextHandler,
	}
}

// visible returns the points of each line that have a place on both axes, which
// it sets to their range, and how many have none.
func (p *Plot) visible(x, y *axis) (lines []plotter.XYs, left int) {
	var xs, ys []float64
	lines = make([]plotter.XYs, len(p.Lines))
	for i, l := range p.Lines {
		for _, at := range l.Points {
			if !x.bears(at.X) || !y.bears(at.Y) {
				left++
				continue
			}
			lines[i] = append(lines[i], plotter.XY(at))
			xs, ys = append(xs, at.X), append(ys, at.Y)
		}
	}
	x.rangeOver(xs)
	y.rangeOver(ys)
	return lines, left
}

func leftOut(n int, log bool) string {
	what := fmt.Sprintf("%d points are not shown", n)
	switch {
	case n == 0:
		return ""
	case n == 1:
		what = "1 point is not shown"
	}
	if log {
		return what + ": a logarithmic axis has no place for zero and below. The table has them."
	}
	return what + ": they are not finite."
}

// addLine adds a line in style i with its marks.
func addLine(g *plot.Plot, points plotter.XYs, i int) error {
	if len(points) == 0 {
		return nil
	}
	line, err := plotter.NewLine(points)
	if err != nil {
		return err
	}
	line.LineStyle = lineStyle(i)
	marked := points
	if every := (len(points) + maxGlyphs - 1) / maxGlyphs; every > 1 {
		marked = nil
		for j := 0; j < len(points); j += every {
			marked = append(marked, points[j])
		}
	}
	marks, err := plotter.NewScatter(marked)
	if err != nil {
		return err
	}
	marks.GlyphStyle = glyphStyle(i)
	g.Add(line, marks)
	return nil
}

// sample draws the piece of a line in style i that stands in the legend.
func sample(i int) (string, error) {
	return drawing(44, 14, "", func(c draw.Canvas) {
		mid := c.Center()
		c.StrokeLine2(lineStyle(i), c.Min.X, mid.Y, c.Max.X, mid.Y)
		c.DrawGlyph(glyphStyle(i), mid)
	})
}

// drawing returns an SVG element of the given size in points. The head that
// vgsvg writes is replaced: its size in points would not bend to the page.
func drawing(w, h vg.Length, label string, paint func(draw.Canvas)) (string, error) {
	canvas := vgsvg.New(w, h)
	paint(draw.New(canvas))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return "", fmt.Errorf("sheet: %w", err)
	}
	_, body, found := strings.Cut(b.String(), "<g ")
	if !found {
		return "", fmt.Errorf("sheet: no picture in what vgsvg wrote")
	}
	role := `aria-hidden="true"`
	if label != "" {
		role = `role="img" aria-label="` + html.EscapeString(printable(label)) + `"`
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%g" height="%g" %s>`+"\n<g %s",
		w.Points(), h.Points(), w.Points(), h.Points(), role, body), nil
}
