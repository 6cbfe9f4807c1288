package sheet

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What a plot cannot show is reported by the lines' names, and these have no place in
// the legend.
func TestPlotNamesWhatIsLeftOut(t *testing.T) {
	p := Plot{Title: "t", X: "x", Y: "y", LogX: true, LogY: true, Lines: []Line{
		{Name: "exact", Points: []Point{{1, 0}, {2, 0}}},
		{Name: "sometimes", Points: []Point{{1, 0}, {2, 1}, {3, 1}}},
		{Name: "always", Points: []Point{{1, 1}, {2, 1}}},
		{Name: "below", Points: []Point{{1, -1}}},
		{Name: "unknown"},
	}}
	text := render(t, &Sheet{Sections: []Section{{Plots: []Plot{p}}}})
	for _, want := range []string{
		"Always 0, not shown: exact.", "Points not shown: sometimes (1 of 3).", "Not shown: below.", "Without a point to show: unknown.",
		"no place for zero and below",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	var legend []string
	for _, m := range regexp.MustCompile("</svg>\n(.*)</li>").FindAllStringSubmatch(text, -1) {
		legend = append(legend, m[1])
	}
	if want := []string{"sometimes", "always"}; !slices.Equal(legend, want) {
		t.Errorf("the legend has %v, want %v", legend, want)
	}
}

func TestPlotOfOneValueOfXIsNotDrawn(t *testing.T) {
	for _, points := range [][]Point{nil, {{5, 7}}, {{5, 7}, {5, 8}}} {
		p := Plot{Title: "t", X: "URLs", Y: "y", XMin: 1, XMax: 9, Lines: []Line{{Name: "n", Points: points}}}
		text := render(t, &Sheet{Sections: []Section{{Plots: []Plot{p}}}})
		if strings.Contains(text, "<svg") || strings.Contains(text, "legend\"") || !strings.Contains(text, "Not drawn: there are points at fewer than two values") {
			t.Errorf("%v: the page is %s", points, text[strings.Index(text, "<body>"):])
		}
	}
}

// axes returns the ranges that a plot gives its axes.
func axes(p *Plot) (x, y axis) {
	x, y = axis{log: p.LogX}, axis{log: p.LogY}
	p.visible(&x, &y)
	x.extend(p.XMin, p.XMax)
	y.end(p.YMax)
	return x, y
}

func TestPlotLimits(t *testing.T) {
	level := []Line{{Points: []Point{{10, 1}, {20, 1}}}}
	above := []Line{{Points: []Point{{10, 0.5}, {20, 3}}}}
	for _, c := range []struct {
		p               Plot
		low, high, most float64
	}{
		{Plot{Lines: level}, 10, 20, 2},
		{Plot{Lines: level, YMax: 1}, 10, 20, 1},
		{Plot{Lines: level, YMax: 1, LogX: true, LogY: true}, 10, 20, 1},
		{Plot{Lines: above, YMax: 1}, 10, 20, 3},
		{Plot{Lines: level, XMin: 1, XMax: 100}, 1, 100, 2},
		{Plot{Lines: level, XMin: 15, XMax: 16}, 10, 20, 2},
		{Plot{Lines: level, XMin: 0, XMax: 100, LogX: true}, 10, 100, 2},
	} {
		if x, y := axes(&c.p); x.low != c.low || x.top != c.high || y.top != c.most {
			t.Errorf("%+v: x spans %v to %v, y ends at %v; want %v to %v and %v", c.p, x.low, x.top, y.top, c.low, c.high, c.most)
		}
	}
	wide, narrow := Plot{Lines: level, XMin: 1, XMax: 1e6, LogX: true}, Plot{Lines: level, LogX: true}
	a, b := render(t, &Sheet{Sections: []Section{{Plots: []Plot{wide}}}}), render(t, &Sheet{Sections: []Section{{Plots: []Plot{narrow}}}})
	if !strings.Contains(a, ">100,000</text>") || strings.Contains(b, ">100,000</text>") {
		t.Error("XMax does not reach the picture")
	}
}
