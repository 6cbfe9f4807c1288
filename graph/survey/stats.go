package survey

import (
	"context"
	"fmt"

	"crawler/graph/bsp"
	"crawler/internal/sheet"
)

// StatsConfig configures Stats. Zero values mean the defaults.
type StatsConfig struct {
	Registers int    // of the sketches for distances, a power of two from 16; 0 is 16
	Seed      uint64 // of these sketches
	Progress  func(what string)
}

// largestShown is how many components are listed.
const largestShown = 5

// Stats says how large the graph is and what shape it has: degrees with the law they follow,
// the locality of its links, components, distances. It takes some 30 passes over the graph and
// 2 bytes a register and 8, or 24 bytes a node.
func (s *Survey) Stats(ctx context.Context, c StatsConfig) (*sheet.Sheet, error) {
	if _, err := s.count(); err != nil {
		return nil, err
	}
	progress := c.Progress
	if progress == nil {
		progress = func(string) {}
	}
	if c.Registers == 0 {
		c.Registers = bsp.MinRegisters
	}
	sh := &sheet.Sheet{Title: "The link graph of " + s.dir, Config: []sheet.Setting{
		{Name: "registers", Value: c.Registers}, {Name: "seed", Value: c.Seed}}}
	for _, part := range []struct {
		what string
		make func(context.Context) (sheet.Section, error)
	}{
		{"counting", s.size},
		{"degrees", s.degrees},
		{"locality", s.locality},
		{"components", s.components},
		{"distances", func(ctx context.Context) (sheet.Section, error) { return s.distances(ctx, c) }},
	} {
		progress(part.what)
		section, err := part.make(ctx)
		if err != nil {
			return nil, err
		}
		sh.Sections = append(sh.Sections, section)
	}
	return sh, nil
}

// size counts what there is.
func (s *Survey) size(ctx context.Context) (sheet.Section, error) {
	pages, deadEnds, deadPages, loops := 0, 0, 0, 0
	err := s.each(ctx, func(v int, list []uint32) {
		page := s.nodes.at(v).Outcome == Page
		if page {
			pages++
		}
		if len(list) == 0 {
			deadEnds++
			if page {
				deadPages++
			}
		}
		for _, w := range list {
			if int(w) == v {
				loops++
			}
		}
	})
	if err != nil {
		return sheet.Section{}, err
	}
	f := &figures{}
	f.add("URLs (nodes)", s.out.Nodes())
	f.add("links (edges)", s.out.Edges())
	f.add("pages fetched", pages)
	f.add("pages without links", deadPages)
	f.add("URLs without links (dangling)", deadEnds)
	f.add("links of a page to itself", loops)
	f.add("bits a link", s.out.BitsPerLink())
	f.add("bits a link, turned round", s.in.BitsPerLink())
	return f.section("Size"), nil
}

// components counts weak and strong ones.
func (s *Survey) components(ctx context.Context) (sheet.Section, error) {
	weak, _, err := bsp.Weak(ctx, bsp.Config{}, s.links(), s.linkers())
	if err != nil {
		return sheet.Section{}, err
	}
	weakSizes := weak.Sizes()
	strong, _, err := bsp.Strong(ctx, bsp.Config{}, s.links(), s.linkers())
	if err != nil {
		return sheet.Section{}, err
	}
	strongSizes := strong.Sizes()
	t := &sheet.Table{Columns: []sheet.Column{{Name: "largest"}, {Name: "weak", Unit: "URLs"}, {Key: "weak_share", Name: "of all", Format: "%.4f"},
		{Name: "strong", Unit: "URLs"}, {Key: "strong_share", Name: "of all", Format: "%.4f"}}}
	n := int64(s.out.Nodes())
	for i := range min(largestShown, max(len(weakSizes), len(strongSizes))) {
		row := []sheet.Cell{i + 1}
		for _, sizes := range [][]int{weakSizes, strongSizes} {
			if i < len(sizes) {
				row = append(row, sizes[i], share(int64(sizes[i]), n))
			} else {
				row = append(row, nil, nil)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return sheet.Section{Title: "Components", Table: t, Notes: []string{fmt.Sprintf(
		"%s (joined by links, followed either way) and %s (each URL can be reached from each other).",
		counted(int64(len(weakSizes)), "weak component", "weak components"),
		counted(int64(len(strongSizes)), "strong component", "strong components"))}}, nil
}

func (s *Survey) distances(ctx context.Context, c StatsConfig) (sheet.Section, error) {
	n, err := s.function(ctx, bsp.Sketch{Registers: c.Registers, Seed: c.Seed}, nil)
	if err != nil {
		return sheet.Section{}, err
	}
	f := &figures{}
	f.add("effective diameter (90 % of pairs), in links", n.EffectiveDiameter(effective))
	f.add("largest distance seen, in links", len(n.Function)-1)
	last := n.Function[len(n.Function)-1].Estimate
	all := float64(s.out.Nodes())
	f.add("pairs with a way, share of all", last/(all*all))
	return f.section("Distances", "Of all pairs of URLs of which the second can be reached from the first, estimated by sketches; "+
		"crawler graph reach has the intervals."), nil
}

// effective is the share of pairs within the effective diameter.
const effective = 0.9
