package sheet

import (
	"fmt"
	"html"
	"math"
	"strings"
	"unicode/utf8"
)

const (
	plotWidth  = 640
	plotHeight = 400
	labelRunes = 80 // of an axis
	nameHeight = 24 // of the names above and below
	descent    = 4  // of letters such as g, below the line
	padding    = 6  // between an axis and the data
	tickLength = 8
	tickHeight = 14   // of a tick's label
	runeWidth  = 8    // of a digit of a tick's label, in the widest of common fonts
	titleSize  = 13   // of the letters of an axis's title
	titleShare = 0.66 // of the size, the width of a title's letters in the widest of common fonts
	maxGlyphs  = 24   // marks on a line; a line of more points has every n-th marked
)

// drawn is a plot as HTML shows it.
type drawn struct {
	image string   // an SVG element, or nothing
	shown []bool   // whether a line is in it
	notes []string // sentences on what is not
}

// svg draws the plot, unless its points stand above each other or there are none.
func (p *Plot) svg() drawn {
	x, y := axis{log: p.LogX}, axis{log: p.LogY}
	v := p.visible(&x, &y)
	d := drawn{shown: make([]bool, len(p.Lines)), notes: p.leftOut(v)}
	if !v.wide {
		d.notes = append([]string{"Not drawn: there are points at fewer than two values of \"" + p.X + "\". The table has them."}, d.notes...)
		return d
	}
	x.extend(p.XMin, p.XMax)
	y.end(p.YMax)
	var b strings.Builder
	words(&b, 0, nameHeight-2*descent, titleFits(p.Y), "start", p.Y)
	words(&b, plotWidth, plotHeight-descent, titleFits(p.X), "end", p.X)
	across, up := x.ticks(), y.ticks()
	left := float64(padding + tickLength + runeWidth*longest(up))
	right := float64(runeWidth * longest(across) / 2)
	foot := float64(plotHeight - nameHeight - tickHeight - tickLength)
	x.place(left+padding, plotWidth-padding-right)
	y.place(foot-padding, nameHeight+padding)
	frame(&b, &x, &y, across, up, left, foot)
	for i, points := range v.lines {
		if d.shown[i] = len(points) > 0; d.shown[i] {
			curve(&b, &x, &y, points, p.Lines[i].style(i))
		}
	}
	d.image = element(plotWidth, plotHeight, fmt.Sprintf("%s: %s against %s", p.Title, p.Y, p.X), b.String())
	return d
}

// frame draws the axes with their ticks, and a grid behind the data.
func frame(b *strings.Builder, x, y *axis, across, up []tick, left, foot float64) {
	var grid, lines strings.Builder
	fmt.Fprintf(&lines, "M%.2f %.2fH%.2fM%.2f %.2fV%.2f", x.from, foot, x.to, left, y.from, y.to)
	for _, t := range across {
		at, length := x.at(t.value), tickLength/2.0
		if t.label != "" {
			length = tickLength
			fmt.Fprintf(&grid, "M%.2f %.2fV%.2f", at, y.from, y.to)
			words(b, at, foot+tickLength+tickHeight-descent, 12, "middle", t.label)
		}
		fmt.Fprintf(&lines, "M%.2f %.2fv%.2f", at, foot, length)
	}
	for _, t := range up {
		at, length := y.at(t.value), tickLength/2.0
		if t.label != "" {
			length = tickLength
			fmt.Fprintf(&grid, "M%.2f %.2fH%.2f", x.from, at, x.to)
			words(b, left-tickLength-2, at+descent, 12, "end", t.label)
		}
		fmt.Fprintf(&lines, "M%.2f %.2fh%.2f", left, at, -length)
	}
	fmt.Fprintf(b, `<path class="grid" d="%s"/>`+"\n"+`<path class="axis" d="%s"/>`+"\n", grid.String(), lines.String())
}

// curve draws a line in style i with its marks.
func curve(b *strings.Builder, x, y *axis, points []Point, i int) {
	placed := make([]Point, len(points))
	for j, p := range points {
		placed[j] = Point{x.at(p.X), y.at(p.Y)}
	}
	b.WriteString(`<polyline points="`)
	for _, p := range placed {
		fmt.Fprintf(b, "%.2f,%.2f ", p.X, p.Y)
	}
	b.WriteString(`" ` + stroke(i) + "/>\n")
	marked := placed
	if every := (len(placed) + maxGlyphs - 1) / maxGlyphs; every > 1 {
		marked = nil
		for j := 0; j < len(placed); j += every {
			marked = append(marked, placed[j])
		}
	}
	b.WriteString(marks(i, marked))
}

// titleFits is the size of letters in which an axis's title is whole, whatever the font.
func titleFits(text string) float64 {
	n := min(utf8.RuneCountInString(text), labelRunes)
	return min(titleSize, plotWidth/(titleShare*float64(max(n, 1))))
}

// words writes a text that starts, ends or has its middle at a place.
func words(b *strings.Builder, x, y, size float64, anchor, text string) {
	fmt.Fprintf(b, `<text x="%.2f" y="%.2f" font-size="%.4g" text-anchor="%s">%s</text>`+"\n",
		x, y, size, anchor, escape(shorten(text, labelRunes)))
}

// longest is the number of bytes of the longest label; all are of digits and ASCII.
func longest(ticks []tick) int {
	n := 0
	for _, t := range ticks {
		n = max(n, len(t.label))
	}
	return n
}

// sample draws the piece of a line in style i that stands in the legend.
func sample(i int) string {
	return element(44, 14, "", fmt.Sprintf(`<path d="M0 7H44" %s/>`+"\n", stroke(i))+marks(i, []Point{{22, 7}}))
}

// element is an SVG element of a size that bends to the page.
func element(w, h int, label, body string) string {
	role := `aria-hidden="true"`
	if label != "" {
		role = `role="img" aria-label="` + html.EscapeString(printable(label)) + `"`
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" %s>`+"\n%s</svg>\n", w, h, w, h, role, body)
}

// place says where in the picture the axis begins and ends.
func (a *axis) place(from, to float64) { a.from, a.to = from, to }

// at is where a value stands. Differences are of halves: those of values near the largest
// number would overflow.
func (a *axis) at(v float64) float64 {
	low, top := a.low, a.top
	if a.log {
		v, low, top = math.Log10(v), math.Log10(low), math.Log10(top)
	}
	return a.from + (a.to-a.from)*(v/2-low/2)/(top/2-low/2)
}
