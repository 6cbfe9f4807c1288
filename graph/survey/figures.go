package survey

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"crawler/internal/sheet"
	"crawler/stats"
)

// figures is a table of names and values, and of the ends of intervals if some are estimates.
type figures struct {
	rows      [][]sheet.Cell
	estimates bool
}

func (f *figures) add(name string, value sheet.Cell) {
	row := []sheet.Cell{name, value}
	if f.estimates {
		row = append(row, nil, nil)
	}
	f.rows = append(f.rows, row)
}

// estimate adds a figure with its interval, which is empty where it is exact.
func (f *figures) estimate(name string, i stats.Interval) {
	row := []sheet.Cell{name, i.Estimate, nil, nil}
	if !i.Exact() {
		row[2], row[3] = i.Low, i.High
	}
	f.rows = append(f.rows, row)
}

// section makes a section of the table.
func (f *figures) section(title string, notes ...string) sheet.Section {
	columns := []sheet.Column{{Name: "figure"}, {Name: "value"}}
	if f.estimates {
		columns = append(columns, sheet.Column{Name: "low"}, sheet.Column{Name: "high"})
	}
	return sheet.Section{Title: title, Notes: notes, Table: &sheet.Table{Columns: columns, Rows: f.rows}}
}

// share is a part of a whole, nil if there is no whole.
func share(part, whole int64) sheet.Cell {
	if whole == 0 {
		return nil
	}
	return float64(part) / float64(whole)
}

// counted writes a number with its noun.
func counted(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return sheet.Group(n) + " " + many
}

// shown says how many of all rows a table has, "" if it has all.
func shown(rows, all int) []string {
	if rows >= all {
		return nil
	}
	return []string{fmt.Sprintf("The first %s of %s.", sheet.Group(int64(rows)), sheet.Group(int64(all)))}
}

// firstOf cuts a list to a limit, of which 0 is none.
func firstOf[T any](list []T, limit int) []T {
	if limit > 0 && len(list) > limit {
		return list[:limit]
	}
	return list
}

// about is the sentence that names the graph.
func (s *Survey) about() string {
	what := "the crawl in " + s.dir
	if s.Manifest.From != "" {
		what = s.Manifest.From + " in " + s.dir
	}
	return fmt.Sprintf("Link graph of %s: %s, %s.", what,
		counted(int64(s.out.Nodes()), "URL", "URLs"), counted(s.out.Edges(), "link", "links"))
}

// Sheet says what was built.
func (m *Manifest) Sheet(dir string) *sheet.Sheet {
	f := &figures{}
	f.add("URLs", m.Nodes)
	for o, name := range slices.Backward(outcomeNames[:]) {
		f.add(name, m.Outcomes[Outcome(o).String()])
	}
	f.add("links", m.Links)
	f.add("bits a link", m.Bits)
	f.add("bits a link, turned round", m.BitsTranspose)
	f.add("bytes on disk", m.Bytes)
	sh := &sheet.Sheet{Title: "The link graph of " + dir, Sections: []sheet.Section{f.section("Written to " + filepath.Join(dir, Folder))}}
	if len(m.Include) > 0 {
		sh.Config = []sheet.Setting{{Name: "include", Value: strings.Join(m.Include, ", ")}}
	}
	return sh
}

var outcomeNames = [...]string{Unknown: "URLs without a record", Refused: "URLs refused", Failed: "URLs failed", Redirect: "redirects", Page: "pages fetched"}
