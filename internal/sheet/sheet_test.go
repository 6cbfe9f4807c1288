package sheet

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math"
	"strings"
	"testing"
)

// specimen has every kind of cell and both kinds of axis.
func specimen() *Sheet {
	return &Sheet{
		Title: "Two structures",
		Intro: []string{"A paragraph that is long enough to be broken: it says what was measured, on what, how often, and what else the reader should know before the figures."},
		Sections: []Section{{
			Title: "Time",
			Notes: []string{"Medians of five rounds."},
			Table: &Table{
				Columns: []Column{{Name: "structure"}, {Name: "URLs"}, {Name: "query", Unit: "ns", Format: "%.1f"}, {Name: "rate"}, {Name: "exact"}},
				Rows: [][]Cell{
					{"map", 1000, 81.25, 0.0, true},
					{"filter", int64(2_500_000), 7.0, 1.05e-5, false},
					{"none", nil, math.NaN(), math.Inf(1)},
				},
			},
			Plots: []Plot{{
				Title: "Query time", X: "URLs", Y: "time (ns)", LogX: true,
				Lines: []Line{
					{Name: "map", Points: []Point{{1000, 81.25}, {10_000, 90}, {100_000, 140}}},
					{Name: "filter", Points: []Point{{1000, 7}, {10_000, 7.5}, {100_000, 9}}},
				},
			}},
		}},
	}
}

const specimenText = `Two structures
==============
A paragraph that is long enough to be broken: it says what was measured, on what, how often, and
what else the reader should know before the figures.


Time
----
Medians of five rounds.

structure       URLs  query     rate  exact
                         ns
---------  ---------  -----  -------  -----
map            1,000   81.2        0  yes
filter     2,500,000    7.0  1.05e-5  no
none               -    NaN     +Inf  -
`

func TestText(t *testing.T) {
	var b strings.Builder
	if err := specimen().Text(&b); err != nil {
		t.Fatal(err)
	}
	if b.String() != specimenText {
		t.Errorf("text is\n%s\nwant\n%s", b.String(), specimenText)
	}
}

func TestTextWithoutTables(t *testing.T) {
	var b strings.Builder
	s := Sheet{Title: "T", Sections: []Section{{Title: "S"}, {Title: "E", Table: &Table{Columns: []Column{{Name: "n"}}}}, {Table: &Table{}}}}
	if err := s.Text(&b); err != nil {
		t.Fatal(err)
	}
	if want := "T\n=\n\nS\n-\n\nE\n-\nn\n-\n\n\n\n"; b.String() != want {
		t.Errorf("text is %q, want %q", b.String(), want)
	}
}

func TestTextCutsLongCells(t *testing.T) {
	var b strings.Builder
	long := strings.Repeat("é", 300)
	s := Sheet{Sections: []Section{{Table: &Table{Columns: []Column{{Name: long}}, Rows: [][]Cell{{long, "beyond the head"}}}}}}
	if err := s.Text(&b); err != nil {
		t.Fatal(err)
	}
	// 99 and 99 letters on lines of 100, the later ones with 98 after an indent.
	want := strings.Repeat("é", 99) + ".\n  ." + strings.Repeat("é", 97) + "\n  éé\n"
	if strings.Count(b.String(), want) != 2 || strings.Contains(b.String(), "beyond") {
		t.Errorf("text is %q", b.String())
	}
}

func TestJSONHasTheSameFigures(t *testing.T) {
	var b bytes.Buffer
	if err := specimen().JSON(&b); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Title    string
		Intro    []string
		Sections []struct {
			Title string
			Notes []string
			ID    string
			Table struct {
				Columns []struct{ Key, Name, Unit string }
				Rows    []map[string]any
			}
			Plots []struct {
				Title, X, Y string
				LogX        bool `json:"log_x"`
				Lines       []struct {
					Name   string
					Points [][2]float64
				}
			}
		}
	}
	d := json.NewDecoder(&b)
	d.DisallowUnknownFields()
	if err := d.Decode(&got); err != nil {
		t.Fatal(err)
	}
	want := specimen()
	s := got.Sections[0]
	if got.Title != want.Title || got.Intro[0] != want.Intro[0] || s.Notes[0] != want.Sections[0].Notes[0] || s.Table.Columns[2].Unit != "ns" {
		t.Errorf("decoded %+v", got)
	}
	rows := []map[string]any{
		{"structure": "map", "urls": 1000.0, "query": 81.25, "rate": 0.0, "exact": true},
		{"structure": "filter", "urls": 2_500_000.0, "query": 7.0, "rate": 1.05e-5, "exact": false},
		{"structure": "none", "urls": nil, "query": nil, "rate": nil, "exact": nil},
	}
	for i, row := range rows {
		if !maps.Equal(s.Table.Rows[i], row) {
			t.Errorf("row %d is %v, want %v", i, s.Table.Rows[i], row)
		}
	}
	for i, l := range want.Sections[0].Plots[0].Lines {
		for j, p := range l.Points {
			if got := s.Plots[0].Lines[i].Points[j]; got != [2]float64{p.X, p.Y} {
				t.Errorf("line %d, point %d is %v, want %v", i, j, got, p)
			}
		}
	}
	if p := s.Plots[0]; !p.LogX || p.X != "URLs" || p.Y != "time (ns)" {
		t.Errorf("plot is %+v", p)
	}
}

func TestJSONPointThatIsNone(t *testing.T) {
	got, err := json.Marshal(Point{math.NaN(), 2})
	if err != nil || string(got) != "[null,2]" {
		t.Errorf("a point without x is %s, %v", got, err)
	}
}

func TestNumber(t *testing.T) {
	for want, x := range map[string]float64{
		"0": 0, "1.23e-5": 1.23e-5, "1.00e-10": 1e-10, "0.00123": 0.00123, "12.3": 12.34, "-0.500": -0.5, "0.00130": 0.0013, "1.00": 0.99999, "1,000": 999.96,
		"123.4": 123.4, "12,346": 12345.6, "-1,000,000": -1e6, "1.00e+15": 1e15, "NaN": math.NaN(), "-Inf": math.Inf(-1),
	} {
		if got := number(x); got != want {
			t.Errorf("number(%v) is %q, want %q", x, got, want)
		}
	}
}

var errFull = errors.New("disk full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrorsAreTold(t *testing.T) {
	s := specimen()
	for name, form := range map[string]func(io.Writer) error{"Text": s.Text, "JSON": s.JSON, "HTML": s.HTML} {
		if err := form(full{}); !errors.Is(err, errFull) || strings.HasPrefix(err.Error(), "sheet") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
