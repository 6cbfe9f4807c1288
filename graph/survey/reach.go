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
	Progress  func(what string)
}

// exactReach is ReachConfig.Exact if that is 0: some 0.2 seconds.
const exactReach = 100_000

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
	sizes, whole, err := bsp.Reach(ctx, s.links(), uint32(node), c.Exact)
	if err != nil {
		return nil, err
	}
	known := make([]stats.Interval, len(sizes))
	for d, n := range sizes {
		known[d] = stats.Interval{Estimate: float64(n), Low: float64(n), High: float64(n)}
	}
	note := "Counted exactly."
	if !whole {
		n, err := s.function(ctx, bsp.Sketch{Registers: c.Registers, Seed: c.Seed, Nodes: []uint32{uint32(node)}}, c.Progress)
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

// ReachAll estimates the neighbourhood function: how many pairs of URLs there are of which
// the second can be reached from the first by 0, 1, 2... links. Memory is 2 bytes a register
// and 8, 136 bytes a node by default, and CPU time some 70 ns a link and distance.
func (s *Survey) ReachAll(ctx context.Context, c ReachConfig) (*sheet.Sheet, error) {
	if _, err := s.count(); err != nil {
		return nil, err
	}
	n, err := s.function(ctx, bsp.Sketch{Registers: c.Registers, Seed: c.Seed}, c.Progress)
	if err != nil {
		return nil, err
	}
	f := &figures{}
	f.add("effective diameter (90 % of pairs), in links", n.EffectiveDiameter(effective))
	f.add("mean distance, in links", meanDistance(n.Function))
	f.add("largest distance seen, in links", len(n.Function)-1)
	return &sheet.Sheet{
		Title: "How far URLs are from each other", Intro: []string{s.about(), reachNote}, Config: c.settings(),
		Sections: []sheet.Section{f.section("Distances"), reachSection("Neighbourhood function", "pairs", n.Function, n.Function[len(n.Function)-1].Estimate)},
	}, nil
}

func (c *ReachConfig) settings() []sheet.Setting {
	if c.Registers == 0 {
		c.Registers = 64
	}
	return []sheet.Setting{{Name: "registers", Value: c.Registers}, {Name: "seed", Value: c.Seed}}
}

// function runs the sketches.
func (s *Survey) function(ctx context.Context, k bsp.Sketch, progress func(string)) (bsp.Neighbourhood, error) {
	c := bsp.Config{}
	if progress != nil {
		c.Watch = func(step bsp.Superstep) { progress(fmt.Sprintf("distance %d", step.Number)) }
	}
	return bsp.Neighbourhoods(ctx, c, s.links(), s.linkers(), k)
}

// meanDistance is that of the pairs of different URLs of which one reaches the other.
func meanDistance(function []stats.Interval) float64 {
	sum := 0.0
	for d := 1; d < len(function); d++ {
		sum += float64(d) * (function[d].Estimate - function[d-1].Estimate)
	}
	if pairs := function[len(function)-1].Estimate - function[0].Estimate; pairs > 0 {
		return sum / pairs
	}
	return 0
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
