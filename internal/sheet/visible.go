package sheet

import (
	"fmt"
	"strings"
)

// visible is what of a plot has a place on its axes.
type visible struct {
	lines [][]Point
	wide  bool // there are two values of x at least
}

// visible finds the points of each line that have a place on both axes, which it
// sets to their range.
func (p *Plot) visible(x, y *axis) visible {
	var xs, ys []float64
	v := visible{lines: make([][]Point, len(p.Lines))}
	for i, l := range p.Lines {
		for _, at := range l.Points {
			if !x.bears(at.X) || !y.bears(at.Y) {
				continue
			}
			v.lines[i] = append(v.lines[i], at)
			xs, ys = append(xs, at.X), append(ys, at.Y)
			v.wide = v.wide || at.X != xs[0]
		}
	}
	x.rangeOver(xs)
	y.rangeOver(ys)
	return v
}

// leftOut says which lines are not in the picture, or not with all their points.
func (p *Plot) leftOut(v visible) []string {
	var empty, zero, whole, part, notes []string
	for i, l := range p.Lines {
		left := len(l.Points) - len(v.lines[i])
		switch {
		case len(l.Points) == 0:
			empty = append(empty, l.Name)
		case left == len(l.Points) && l.zero():
			zero = append(zero, l.Name)
		case left == len(l.Points):
			whole = append(whole, l.Name)
		case left > 0:
			part = append(part, fmt.Sprintf("%s (%s of %s)", l.Name, Group(int64(left)), Group(int64(len(l.Points)))))
		}
	}
	for _, n := range []struct {
		what  string
		names []string
	}{
		{"Without a point to show: ", empty}, {"Always 0, not shown: ", zero},
		{"Not shown: ", whole}, {"Points not shown: ", part},
	} {
		if len(n.names) > 0 {
			notes = append(notes, n.what+strings.Join(n.names, ", ")+".")
		}
	}
	if len(zero)+len(whole)+len(part) > 0 {
		notes = append(notes, p.whyLeftOut())
	}
	return notes
}

func (p *Plot) whyLeftOut() string {
	if p.LogX || p.LogY {
		return "A logarithmic axis has no place for zero and below. The table has all figures."
	}
	return "What is not finite has no place in a plot."
}

// zero reports whether all of a line is 0.
func (l *Line) zero() bool {
	for _, at := range l.Points {
		if at.Y != 0 {
			return false
		}
	}
	return true
}
