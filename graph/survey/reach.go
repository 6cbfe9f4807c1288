package survey

import (
	"context"
	"fmt"

	"crawler/graph/bsp"
	"crawler/internal/sheet"
	"crawler/stats"
)

// ReachConfig configures Reach and ReachAll. Zero values mean the defaults.
type ReachConfig struct {
	Registers int    // of a node's sketch, a power of two from 16 to 1,024; 0 is 64
	Seed      uint64 // of the sketches: another seed errs independently
	Exact     int    // up to how many URLs Reach counts exactly; 0 is 100,000

	Undirected bool // links lead both ways
	Progress   func(what string)
}

// exactReach is ReachConfig.Exact if that is 0: some 0.2 seconds. Up to exactPairs URLs all pairs
// are counted exactly: a second or so of CPU time with a hundred links a page.
const (
	exactReach = 100_000
	exactPairs = 10_000
)

const reachNote = "Each interval contains the exact number in 95 % of the cases. Neighbourhoods overlap, so the errors of one run are correlated: " +
	"another --seed errs independently."

// Reach counts how many URLs can be reached from a node by 1, 2, 3... links, itself counted:
// exactly if they are few, otherwise by sketches, with the memory of ReachAll.
func (s *Survey) Reach(ctx context.Context, node int, c ReachConfig) (*sheet.Sheet, error) {
	url, err := s.urls.At(node)
	if err != nil {
		return nil, err
	}
	if c.Exact == 0 {
		c.Exact = exactReach
	}
	links, _ := s.directed(c.Undirected)
	sizes, whole, err := bsp.Reach(ctx, links, uint32(node), c.Exact)
	if err != nil {
		return nil, err
	}
	known := make([]stats.Interval, len(sizes))
	for d, n := range sizes {
		known[d] = stats.Interval{Estimate: float64(n), Low: float64(n), High: float64(n)}
	}
	note := "Counted exactly."
	if !whole {
		n, err := s.function(ctx, bsp.Sketch{Registers: c.Registers, Seed: c.Seed, Nodes: []uint32{uint32(node)}}, c.Undirected, c.Progress)
		if err != nil {
			return nil, err
		}
		known = append(known, n.Sizes[0][min(len(known), len(n.Sizes[0])):]...)
		note = fmt.Sprintf("Counted exactly up to %s, then estimated by sketches. %s", sheet.Group(int64(c.Exact)), reachNote)
	}
	for len(known) > 1 && known[len(known)-1] == known[len(known)-2] {
		known = known[:len(known)-1] // nothing new so far from here
	}
	return &sheet.Sheet{
		Title: "What can be reached from a URL", Intro: []string{url, note}, Config: append(c.settings(), sheet.Setting{Name: "url", Value: url}),
		Sections: []sheet.Section{reachSection("Reach", "URLs", known, float64(s.out.Nodes()))},
	}, nil
}

// ReachAll returns the neighbourhood function: how many pairs of URLs there are of which
// the second can be reached from the first by 0, 1, 2... links. It is exact for a graph of at most
// 10,000 URLs, and estimated for another. Memory is then 2 bytes a register
// and 8, 136 bytes a node by default, and CPU time some 80 ns a link and distance.
func (s *Survey) ReachAll(ctx context.Context, c ReachConfig) (*sheet.Sheet, error) {
	if _, err := s.count(); err != nil {
		return nil, err
	}
	n, err := s.pairs(ctx, bsp.Sketch{Registers: c.Registers, Seed: c.Seed}, c.Undirected, c.Progress)
	if err != nil {
		return nil, err
	}
	return &sheet.Sheet{
		Title: "How far URLs are from each other", Intro: []string{s.about(), pairsNote(n)}, Config: c.settings(),
		Sections: []sheet.Section{distances(n).section("Distances"), reachSection("Neighbourhood function", "pairs", n.Function, n.Function[len(n.Function)-1].Estimate)},
	}, nil
}

func (c *ReachConfig) settings() []sheet.Setting {
	if c.Registers == 0 {
		c.Registers = 64
	}
	return []sheet.Setting{{Name: "undirected", Value: c.Undirected}, {Name: "registers", Value: c.Registers}, {Name: "seed", Value: c.Seed}}
}

// pairs is the neighbourhood function of all URLs, by sketches if they are many.
func (s *Survey) pairs(ctx context.Context, k bsp.Sketch, undirected bool, progress func(string)) (bsp.Neighbourhood, error) {
	if s.out.Nodes() <= exactPairs {
		links, _ := s.directed(undirected)
		return bsp.Pairs(ctx, bsp.Config{}, links)
	}
	return s.function(ctx, k, undirected, progress)
}

// function runs the sketches.
func (s *Survey) function(ctx context.Context, k bsp.Sketch, undirected bool, progress func(string)) (bsp.Neighbourhood, error) {
	c := bsp.Config{}
	if progress != nil {
		c.Watch = func(step bsp.Superstep) { progress(fmt.Sprintf("distance %d", step.Number)) }
	}
	links, linkers := s.directed(undirected)
	return bsp.Neighbourhoods(ctx, c, links, linkers, k)
}

func reachSection(title, noun string, function []stats.Interval, all float64) sheet.Section {
	t := &sheet.Table{Columns: []sheet.Column{{Name: "distance", Unit: "links"}, {Key: "reached", Name: noun, Format: "%.0f"},
		{Name: "low", Format: "%.0f"}, {Name: "high", Format: "%.0f"}, {Name: "exact"}, {Name: "share", Format: "%.4f"}}}
	line := sheet.Line{Name: noun + " reached"}
	for d, n := range function {
		t.Rows = append(t.Rows, []sheet.Cell{d, n.Estimate, n.Low, n.High, n.Exact(), n.Estimate / all})
		line.Points = append(line.Points, sheet.Point{X: float64(d), Y: n.Estimate / all})
	}
	return sheet.Section{Title: title, Table: t, Plots: []sheet.Plot{{Title: title, X: "distance, links", Y: "share", YMax: 1, Lines: []sheet.Line{line}}}}
}
