package sheet

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
)

// SHEET_PAGE=file writes a page with everything in it, to be looked at.
func TestPageToLookAt(t *testing.T) {
	name := os.Getenv("SHEET_PAGE")
	if name == "" {
		t.Skip("SHEET_PAGE=file writes a page with everything in it")
	}
	s := specimen()
	p := Plot{Title: "Eight lines", X: "URLs", Y: "share of new URLs answered \"seen\"", LogX: true, LogY: true}
	for i := range 10 {
		l := Line{Name: fmt.Sprintf("structure number %d", i)}
		for x := 1000.0; x <= 1e6; x *= 2 {
			l.Points = append(l.Points, Point{x, 1e-6 * math.Pow(x, float64(i)/8) * float64(i)})
		}
		p.Lines = append(p.Lines, l)
	}
	s.Sections[0].Plots = append(s.Sections[0].Plots, p)
	s.Config = []Setting{{"URLs", 1_000_000}, {"seed", uint64(1_234_567)}}
	address := "https://www.example.org/" + strings.Repeat("directory/", 12) + "page.html"
	prose := "the rate of a filter whose layers are all of one size, in the words of its source"
	for i := range 4 {
		s.Sections = append(s.Sections, Section{Title: fmt.Sprintf("Addresses, part %d", i+1), Table: &Table{
			Columns: []Column{{Name: "source"}, {Name: "address"}, {Name: "what"}, {Name: "printed"}, {Name: "note"}, {Name: "verdict"}},
			Rows:    [][]Cell{{"000 slide 7", address, prose, 0.000953, prose, "MISPRINT"}, {"001", "short", "n", 2, "", "agrees"}},
		}})
	}
	var b strings.Builder
	if err := s.HTML(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
