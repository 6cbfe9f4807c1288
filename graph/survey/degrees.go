package survey

import (
	"context"
	"fmt"
	"math"

	"crawler/graph/bsp"
	"crawler/internal/sheet"
)

// degrees shows how links are distributed: 8 bytes a node.
func (s *Survey) degrees(ctx context.Context, seed uint64) (sheet.Section, error) {
	in, err := bsp.Degrees(ctx, s.linkers())
	if err != nil {
		return sheet.Section{}, err
	}
	all, err := bsp.Degrees(ctx, s.links())
	if err != nil {
		return sheet.Section{}, err
	}
	out := all[:0] // of pages that were read: others have none
	for v, d := range all {
		if s.nodes.at(v).Outcome == Page || s.Manifest.From != "" {
			out = append(out, d)
		}
	}
	sides := []side{newSide("links in", in), newSide("links out", out)}
	for i, d := range [][]uint32{in, out} {
		if err := sides[i].test(ctx, d, seed); err != nil {
			return sheet.Section{}, err
		}
	}
	section := sheet.Section{Title: "Degrees", Table: degreeTable(sides), Plots: []sheet.Plot{degreePlot(sides)}}
	for _, d := range sides {
		section.Notes = append(section.Notes, d.note())
	}
	return section, nil
}

// side is the distribution of one of the two kinds of degrees.
type side struct {
	name    string
	n       int
	bins    []int // bin b counts degrees from least(b) to least(b+1)-1
	mean    float64
	most    uint32
	law     bsp.PowerLaw
	fits    bool
	p       float64 // PowerLaw.PValue of so many samples
	samples int
	above   []float64 // share of the degrees that are least(b) or more
}

// least is the smallest degree of a bin: 0, 1, 2, 4, 8...
func least(bin int) int {
	if bin == 0 {
		return 0
	}
	return 1 << (bin - 1)
}

func newSide(name string, degrees []uint32) side {
	d := side{name: name, n: len(degrees)}
	sum := 0.0
	for _, x := range degrees {
		bin := 0
		for least(bin+1) <= int(x) {
			bin++
		}
		for len(d.bins) <= bin {
			d.bins = append(d.bins, 0)
		}
		d.bins[bin]++
		sum += float64(x)
		d.most = max(d.most, x)
	}
	d.mean = sum / float64(max(d.n, 1))
	d.above = make([]float64, len(d.bins))
	rest := d.n
	for b, n := range d.bins {
		d.above[b] = float64(rest) / float64(max(d.n, 1))
		rest -= n
	}
	d.law, d.fits = bsp.FitPowerLaw(degrees)
	return d
}

// A p-value comes from so many samples of the law: it is then off by 0.02 where it decides, and
// 0.04 in a graph so large that more than so many values would be drawn.
const (
	mostSamples  = 200
	leastSamples = 50
	mostDrawn    = 20_000_000
)

// ruledOut is the p-value from which a law is ruled out, as its source has it.
const ruledOut = 0.1

func (d *side) test(ctx context.Context, degrees []uint32, seed uint64) (err error) {
	if d.fits {
		d.samples = min(max(mostDrawn/d.n, leastSamples), mostSamples)
		d.p, err = d.law.PValue(ctx, degrees, d.samples, seed)
	}
	return err
}

func (d *side) note() string {
	text := fmt.Sprintf("%s: %.2f on average, %s at most", d.name, d.mean, sheet.Group(int64(d.most)))
	if d.name == "links out" {
		text += ", of pages fetched"
	}
	if !d.fits {
		return text + "; too few for a law."
	}
	e := d.law.Exponent
	verdict := "the data may follow it"
	if d.p <= ruledOut {
		verdict = "the data do not follow it"
	}
	return fmt.Sprintf("%s; from %d on (%s) a power law of exponent %.3f [%.3f, %.3f] fits best, at a Kolmogorov-Smirnov distance of %.3f. Of %d samples "+
		"of that law, fitted alike, a share of p = %.3g is as far from theirs: %s (ruled out at %.1f).",
		text, d.law.From, counted(int64(d.law.Tail), "URL", "URLs"), e.Estimate, e.Low, e.High, d.law.Distance, d.samples, d.p, verdict, ruledOut)
}

func degreeTable(sides []side) *sheet.Table {
	t := &sheet.Table{Columns: []sheet.Column{{Name: "from"}, {Name: "to"}}}
	bins := 0
	for _, d := range sides {
		t.Columns = append(t.Columns, sheet.Column{Name: d.name, Unit: "URLs"}, sheet.Column{Name: d.name + " or more", Unit: "share", Format: "%.6f"})
		bins = max(bins, len(d.bins))
	}
	for b := range bins {
		row := []sheet.Cell{least(b), max(least(b+1)-1, least(b))}
		for _, d := range sides {
			if b < len(d.bins) {
				row = append(row, d.bins[b], d.above[b])
			} else {
				row = append(row, 0, 0.0)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// degreePlot draws which share of the URLs has how many links or more, and the laws.
func degreePlot(sides []side) sheet.Plot {
	p := sheet.Plot{Title: "Links of a URL", X: "links", Y: "share of URLs with that many or more", LogX: true, LogY: true}
	for i, d := range sides {
		line := sheet.Line{Name: d.name, Style: 2*i + 1}
		for b := 1; b < len(d.bins); b++ {
			line.Points = append(line.Points, sheet.Point{X: float64(least(b)), Y: d.above[b]})
		}
		p.Lines = append(p.Lines, line)
		if d.fits && d.n > 0 {
			p.Lines = append(p.Lines, d.lawLine(2*i+2))
		}
	}
	return p
}

// lawLine is the fitted law where it holds, as a straight line.
func (d *side) lawLine(style int) sheet.Line {
	line := sheet.Line{Name: fmt.Sprintf("%s, exponent %.2f", d.name, d.law.Exponent.Estimate), Style: style}
	top := float64(d.law.Tail) / float64(d.n)
	for x := float64(d.law.From); x <= 2*float64(d.most); x *= 2 {
		y := top * math.Pow(x/float64(d.law.From), 1-d.law.Exponent.Estimate)
		line.Points = append(line.Points, sheet.Point{X: x, Y: y})
	}
	return line
}
