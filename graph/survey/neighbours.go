package survey

import (
	"fmt"

	"crawler/graph"
	"crawler/internal/sheet"
)

// Neighbours lists the links of a node and to it, at most limit of each (0: all), by the
// nodes' numbers. It takes two microseconds a link.
func (s *Survey) Neighbours(node, limit int) (*sheet.Sheet, error) {
	url, err := s.urls.At(node)
	if err != nil {
		return nil, err
	}
	n := s.nodes.at(node)
	intro := url + ": " + n.String()
	switch {
	case n.Seed:
		intro += "; a seed"
	case n.Outcome == Page:
		intro += fmt.Sprintf("; %s from a seed when it was fetched", counted(int64(n.Depth), "link", "links"))
	}
	sh := &sheet.Sheet{Title: "Links of a URL and to it", Intro: []string{intro + "."}, Config: []sheet.Setting{{Name: "url", Value: url}}}
	for _, side := range []struct {
		title, noun string
		g           *graph.Graph
	}{{"Links out", "to", s.out}, {"Links in", "from", s.in}} {
		list, err := side.g.Successors(node, nil)
		if err != nil {
			return nil, err
		}
		t := &sheet.Table{Columns: []sheet.Column{{Key: "url", Name: side.noun}, {Name: "outcome"}}}
		for _, w := range firstOf(list, limit) {
			url, err := s.urls.At(int(w))
			if err != nil {
				return nil, err
			}
			t.Rows = append(t.Rows, []sheet.Cell{url, s.nodes.at(int(w)).String()})
		}
		notes := []string{counted(int64(len(list)), "URL", "URLs") + "."}
		if more := shown(len(t.Rows), len(list)); more != nil {
			notes = more
		}
		sh.Sections = append(sh.Sections, sheet.Section{Title: side.title, Notes: notes, Table: t})
	}
	return sh, nil
}
