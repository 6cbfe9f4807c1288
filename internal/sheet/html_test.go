package sheet

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func render(t *testing.T, s *Sheet) string {
	t.Helper()
	var b strings.Builder
	if err := s.HTML(&b); err != nil {
		t.Fatal(err)
	}
	checkPage(t, b.String())
	return b.String()
}

// checkPage holds a page to what HTML promises: its elements are balanced, its
// pictures are XML, and nothing in it makes a browser ask for anything.
func checkPage(t *testing.T, text string) {
	t.Helper()
	void := map[string]bool{"meta": true}
	var open []string
	z := html.NewTokenizer(strings.NewReader(text))
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		token := z.Token()
		switch kind {
		case html.StartTagToken:
			checkTag(t, token)
			if !void[token.Data] {
				open = append(open, token.Data)
			}
		case html.SelfClosingTagToken:
			checkTag(t, token)
		case html.EndTagToken:
			if len(open) == 0 || open[len(open)-1] != token.Data {
				t.Fatalf("</%s> closes what is open: %v", token.Data, open)
			}
			open = open[:len(open)-1]
		}
	}
	if !errors.Is(z.Err(), io.EOF) || len(open) > 0 {
		t.Fatalf("the page ends with %v and %v open", z.Err(), open)
	}
	if strings.Contains(text, "@import") || strings.Contains(text, "url(") {
		t.Error("the style sheet loads something")
	}
	for rest, n := text, 0; ; n++ {
		_, after, found := strings.Cut(rest, "<svg ")
		if !found {
			break
		}
		picture, after, _ := strings.Cut(after, "</svg>")
		checkPicture(t, "<svg "+picture+"</svg>")
		rest = after
	}
}

func checkTag(t *testing.T, token html.Token) {
	t.Helper()
	switch token.Data {
	case "script", "link", "img", "iframe", "object", "embed", "image", "use", "base", "form":
		t.Errorf("the page has <%s>", token.Data)
	}
	for _, a := range token.Attr {
		if token.Data == "a" && a.Key == "href" && strings.HasPrefix(a.Val, "#") {
			continue
		}
		if http := strings.HasPrefix(a.Val, "http://") || strings.HasPrefix(a.Val, "https://"); token.Data == "a" && a.Key == "href" && http && strings.Contains(token.String(), `rel="noreferrer nofollow"`) {
			continue
		}
		if a.Key == "src" || strings.HasSuffix(a.Key, "href") || strings.HasPrefix(a.Key, "on") {
			t.Errorf("<%s> has %s=%q", token.Data, a.Key, a.Val)
		}
	}
}

func checkPicture(t *testing.T, svg string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("a picture is no XML: %v", err)
		}
		if e, ok := token.(xml.StartElement); ok {
			for _, a := range e.Attr {
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
					t.Errorf("<%s> has %s=%q", e.Name.Local, a.Name.Local, a.Value)
				}
			}
		}
	}
}

func TestHTML(t *testing.T) {
	text := render(t, specimen())
	for _, want := range []string{
		"<h1>Two structures</h1>", ">URLs</text>", ">time (ns)</text>", ">10,000</text>", "<small>ns</small>",
		`<td class="n">2,500,000</td>`, "</svg>\nmap</li>", "</svg>\nfilter</li>",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %s", want)
		}
	}
}

func TestHTMLHostileStrings(t *testing.T) {
	for _, bad := range []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, "]]></svg><!--", "&amp;<&", "\x00\x1b[31m\u202e\ufeff",
		"a\xffb", "two\nlines\r\n", strings.Repeat("long", 500), "</style></title>", "{{.}}", "日本語 \U0001f600",
	} {
		s := &Sheet{
			Title: bad, Intro: []string{bad},
			Sections: []Section{{
				ID: bad, Title: bad, Notes: []string{bad},
				Table: &Table{Columns: []Column{{Name: bad, Unit: bad}}, Rows: [][]Cell{{bad}, {[]string{bad}}}},
				Plots: []Plot{{Title: bad, X: bad, Y: bad, Lines: []Line{{Name: bad, Points: []Point{{1, 1}, {2, 2}}}, {Name: bad}}}},
			}},
			Config: []Setting{{bad, bad}},
		}
		s.Sections = append(s.Sections, make([]Section, contentsFrom)...)
		text := render(t, s)
		for _, c := range text {
			if c < ' ' && c != '\n' && c != '\t' {
				t.Errorf("%q: the page has the control character %#x", bad, c)
			}
		}
		var b strings.Builder
		if err := errors.Join(s.Text(&b), s.JSON(io.Discard)); err != nil {
			t.Errorf("%q: %v", bad, err)
		}
		if strings.ContainsAny(b.String(), "\x00\x1b\r\u202e") {
			t.Errorf("%q: the text form has a control character", bad)
		}
	}
}

// Data that have made plotting libraries panic or loop.
func TestPlotsOfStrangeData(t *testing.T) {
	nan, inf, tiny := math.NaN(), math.Inf(1), math.SmallestNonzeroFloat64
	many, below := make([]Point, 10_000), 0
	for i := range many {
		many[i] = Point{float64(i), math.Sin(float64(i) / 500)}
		if i == 0 || many[i].Y <= 0 {
			below++
		}
	}
	for name, c := range map[string]struct {
		points []Point
		left   int // on linear axes
		log    int // on logarithmic ones
	}{
		"none":        {nil, 0, 0},
		"one":         {[]Point{{5, 7}}, 0, 0},
		"one at zero": {[]Point{{0, 0}}, 0, 1},
		"equal":       {[]Point{{5, 7}, {5, 7}, {5, 7}}, 0, 0},
		"equal large": {[]Point{{1e18, 1e18}, {1e18, 1e18}}, 0, 0},
		"level":       {[]Point{{5, 7}, {6, 7}}, 0, 0},
		"level large": {[]Point{{1e18, 1e18}, {2e18, 1e18}}, 0, 0},
		"not finite":  {[]Point{{nan, 1}, {1, inf}, {-inf, 1}, {1, 1}, {2, 2}}, 3, 3},
		"too large":   {[]Point{{math.MaxFloat64, 1}, {1, -math.MaxFloat64}}, 2, 2},
		"extremes":    {[]Point{{-1e300, 1e300}, {1e300, -1e300}}, 0, 2},
		"tiny":        {[]Point{{0, 0}, {tiny, tiny}}, 0, 2},
		"decades":     {[]Point{{1e-300, 1e300}, {1, 1}}, 0, 0},
		"negative":    {[]Point{{-1, -1}, {2, 2}, {3, 3}}, 0, 1},
		"close":       {[]Point{{1, 1}, {1.0000001, 1.0000001}}, 0, 0},
		"many":        {many, 0, below},
	} {
		for _, log := range []bool{false, true} {
			p := Plot{Title: name, X: "x", Y: "y", LogX: log, LogY: log, Lines: []Line{{Name: name, Points: c.points}}}
			text := render(t, &Sheet{Sections: []Section{{Plots: []Plot{p}}}})
			left, notes := c.left, strings.Join(p.leftOut(p.visible(&axis{log: log}, &axis{log: log})), " ")
			if log {
				left = c.log
			}
			if says := strings.Contains(notes, "ot shown: "); says != (left > 0) {
				t.Errorf("%s, logarithmic %t: notes are %q", name, log, notes)
			}
			if part := fmt.Sprintf("Points not shown: %s (%s of %s).", name, Group(int64(left)), Group(int64(len(c.points)))); left > 0 && left < len(c.points) &&
				!strings.Contains(text, escape(part)) {
				t.Errorf("%s, logarithmic %t: the page does not say %q", name, log, part)
			}
			if len(text) > 1<<20 {
				t.Errorf("%s: the page has %d bytes", name, len(text))
			}
		}
	}
}

func TestLogTicks(t *testing.T) {
	for _, c := range []struct {
		low, top float64
		want     string
	}{
		{1000, 1e6, "1,000 10,000 100,000 1,000,000"},
		{1000, 1e7, "1e3 1e4 1e5 1e6 1e7"},
		{0.00001, 0.1, "1e-5 1e-4 1e-3 1e-2 1e-1"},
		{30, 900, "50 100 200 500"},
		{1e-300, 1e300, "1e-300 1e-225 1e-150 1e-75 1 1e75 1e150 1e225 1e300"},
	} {
		var got []string
		for _, tick := range logTicks(c.low, c.top) {
			if tick.label != "" {
				got = append(got, tick.label)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("ticks of %v to %v: %v, want %s", c.low, c.top, got, c.want)
		}
	}
}

func TestLinearTicks(t *testing.T) {
	for _, c := range []struct {
		low, top float64
		want     string
	}{
		{0, 1, "0 0.2 0.4 0.6 0.8 1"},
		{0, 140, "0 20 40 60 80 100 120 140"},
		{-3, 2.5e6, "0 500,000 1,000,000 1,500,000 2,000,000 2,500,000"},
		{5, 9, "5 6 7 8 9"},
		{0, 2.5e7, "0 5e6 1e7 1.5e7 2e7 2.5e7"},
	} {
		var got []string
		for _, tick := range linearTicks(c.low, c.top, false) {
			got = append(got, tick.label)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("ticks of %v to %v: %v, want %s", c.low, c.top, got, c.want)
		}
	}
}

// No two of 64 lines look alike.
func TestStylesDiffer(t *testing.T) {
	seen := map[string]int{}
	for i := range styles * styles {
		look := stroke(i) + marks(i, []Point{{10, 10}})
		if j, ok := seen[look]; ok {
			t.Errorf("lines %d and %d look alike: %s", j, i, look)
		}
		seen[look] = i
	}
}

// The whole of an axis is in the picture, its end where the largest value is, at any range.
func TestAxisPlaces(t *testing.T) {
	for _, a := range []axis{
		{low: 0, top: 1}, {low: -5, top: 5}, {low: -farthest, top: farthest}, {log: true, low: 1 / farthest, top: farthest}, {log: true, low: 2, top: 3},
	} {
		a.place(40, 600)
		if from, to := a.at(a.low), a.at(a.top); from != 40 || to != 600 {
			t.Errorf("%+v stands at %g to %g", a, from, to)
		}
		for _, tick := range a.ticks() {
			if at := a.at(tick.value); !(at >= 40-1e-6 && at <= 600+1e-6) {
				t.Errorf("%+v: %g stands at %g", a, tick.value, at)
			}
		}
	}
}
