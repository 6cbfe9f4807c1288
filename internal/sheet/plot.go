package sheet

import (
	"bytes"
	"errors"
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

// drawn is a plot as HTML shows it.
type drawn struct {
	image string   // an SVG element, or nothing
	shown []bool   // whether a line is in it
	notes []string // sentences on what is not
}

// svg draws the plot, unless its points stand above each other or there are none.
func (p *Plot) svg() (drawn, error) {
	x, y := axis{log: p.LogX}, axis{log: p.LogY}
	v := p.visible(&x, &y)
	d := drawn{shown: make([]bool, len(p.Lines)), notes: p.leftOut(v)}
	if !v.wide {
		d.notes = append([]string{"Not drawn: there are points at fewer than two values of \"" + p.X + "\". The table has them."}, d.notes...)
		return d, nil
	}
	x.extend(p.XMin, p.XMax)
	y.end(p.YMax)
	g := plot.New()
	g.BackgroundColor = nil
	x.set(&g.X)
	y.set(&g.Y)
	back := plotter.NewGrid()
	back.Vertical = draw.LineStyle{Color: grid, Width: 0.75}
	back.Horizontal = back.Vertical
	g.Add(back)
	for i, points := range v.lines {
		if err := addLine(g, points, p.Lines[i].style(i)); err != nil {
			return drawn{}, fmt.Errorf("plot %q: %w", p.Title, err)
		}
		d.shown[i] = len(points) > 0
	}
	label := fmt.Sprintf("%s: %s against %s", p.Title, p.Y, p.X)
	var err error
	d.image, err = drawing(plotWidth, plotHeight, label, func(c draw.Canvas) {
		name(c, vg.Point{X: 0, Y: c.Max.Y}, draw.XLeft, draw.YTop, p.Y)
		name(c, vg.Point{X: c.Max.X, Y: descent}, draw.XRight, draw.YBottom, p.X)
		g.Draw(draw.Crop(c, 0, 0, nameHeight, -nameHeight))
	})
	return d, err
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
		return "", err
	}
	_, body, found := strings.Cut(b.String(), "<g ")
	if !found {
		return "", errors.New("no picture in what vgsvg wrote")
	}
	role := `aria-hidden="true"`
	if label != "" {
		role = `role="img" aria-label="` + html.EscapeString(printable(label)) + `"`
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%g" height="%g" %s>`+"\n<g %s",
		w.Points(), h.Points(), w.Points(), h.Points(), role, body), nil
}
