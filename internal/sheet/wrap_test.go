package sheet

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// Cells are wrapped at spaces, and no word or figure is lost or broken.
func TestTextWrapsCells(t *testing.T) {
	prose := "a known segment passes its layer, so that the last array is all that stands between a new page and the answer seen"
	s := Sheet{Sections: []Section{{Table: &Table{
		Columns: []Column{{Name: "what"}, {Name: "n", Format: "%.0f"}, {Name: "note"}, {Name: "verdict"}},
		Rows:    [][]Cell{{"surprise number", 1234567.0, prose, "MISPRINT"}, {prose, 5.0, "", "agrees"}},
	}}}}
	var b strings.Builder
	if err := s.Text(&b); err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(b.String(), "\n") {
		if n := utf8.RuneCountInString(line); n > width {
			t.Errorf("a line of %d columns: %s", n, line)
		}
	}
	words := strings.Fields(b.String())
	for _, word := range strings.Fields(prose + " " + prose + " surprise number 1,234,567 MISPRINT agrees") {
		i := slices.Index(words, word)
		if i < 0 {
			t.Fatalf("%q is missing in\n%s", word, b.String())
		}
		words[i] = ""
	}
}

func TestPieces(t *testing.T) {
	for _, c := range []struct {
		cell string
		n    int
		want string
	}{
		{"as  it is", 9, "as  it is"},
		{"one two three", 9, "one two|  three"},
		{"one two three four", 9, "one two|  three|  four"},
		{"abcdefghijklm", 7, "abcdefg|  hijkl|  m"},
		{"x abcdefghijklm y", 7, "x|  abcde|  fghij|  klm y"},
		{"abcdef", 4, "abcd|ef"},
		{"éé éé", 2, "éé|éé"},
		{"", 0, ""},
	} {
		if got := strings.Join(pieces(c.cell, c.n), "|"); got != c.want {
			t.Errorf("%q in %d columns is %q, want %q", c.cell, c.n, got, c.want)
		}
	}
}

// Figures are never broken: a table of many is as wide as it is.
func TestTextKeepsFigures(t *testing.T) {
	table := &Table{Rows: [][]Cell{nil}}
	for range 20 {
		table.Columns = append(table.Columns, Column{Name: "of all the words"})
		table.Rows[0] = append(table.Rows[0], 1_234_567)
	}
	var b strings.Builder
	if err := (&Sheet{Sections: []Section{{Table: table}}}).Text(&b); err != nil {
		t.Fatal(err)
	}
	if strings.Count(b.String(), "1,234,567") != 20 {
		t.Errorf("text is %s", b.String())
	}
}

// Only what has no spaces may be broken anywhere in HTML.
func TestHTMLCells(t *testing.T) {
	address := "https://www.example.org/" + strings.Repeat("x", 40)
	s := &Sheet{Sections: []Section{{Table: &Table{
		Columns: []Column{{Name: "a"}, {Name: "b"}},
		Rows:    [][]Cell{{"MISPRINT", 1}, {"a sentence of more than a few words", 2}, {address, 3}},
	}}}}
	text := render(t, s)
	for _, want := range []string{
		`<td>MISPRINT</td><td class="n">1</td>`, `<td class="t">a sentence of more than a few words</td>`, `<td class="u"><a href="` + address + `" rel="noreferrer nofollow">` + address + `</a></td>`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %s", want)
		}
	}
}

func TestHTMLContents(t *testing.T) {
	s := &Sheet{}
	for i := range contentsFrom + 1 {
		if text := render(t, s); strings.Contains(text, "<nav>") {
			t.Errorf("%d sections have a table of contents", i)
		}
		s.Sections = append(s.Sections, Section{Title: "All <segments> new"})
	}
	text := render(t, s)
	for _, want := range []string{
		`<a href="#all_segments_new_3">All &lt;segments&gt; new</a>`, `<section id="all_segments_new_3">`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %s", want)
		}
	}
}
