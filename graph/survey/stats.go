package survey

import (
	"context"
	"errors"
	"fmt"
	"math"

	"crawler/graph/bsp"
	"crawler/internal/sheet"
	"crawler/stats"
)

// StatsConfig configures Stats. Zero values mean the defaults.
type StatsConfig struct {
	Registers int    // of the sketches for distances, a power of two from 16 to 1,024; 0 is 64
	Seed      uint64 // of these sketches, and of what is drawn at random
	Compare   bool   // compress it shuffled, and a random graph, too
	Progress  func(what string)
}

// largestShown is how many components are listed.
const largestShown = 5

// Stats says how large the graph is and what shape it has: degrees with the law they follow,
// the locality of its links, components, distances. It takes some 30 passes over the graph and
// the memory of ReachAll.
func (s *Survey) Stats(ctx context.Context, c StatsConfig) (*sheet.Sheet, error) {
	if _, err := s.count(); err != nil {
		return nil, err
	}
	progress := c.Progress
	if progress == nil {
		progress = func(string) {}
	}
	sh := &sheet.Sheet{Title: "The link graph of " + s.dir, Config: (&ReachConfig{Registers: c.Registers, Seed: c.Seed}).settings()}
	for _, part := range []struct {
		what string
		make func(context.Context) (sheet.Section, error)
	}{
		{"counting", s.size},
		{"degrees", func(ctx context.Context) (sheet.Section, error) { return s.degrees(ctx, c.Seed) }},
		{"locality", s.locality},
		{"similarity", func(ctx context.Context) (sheet.Section, error) { return s.similarity(ctx, c.Seed) }},
		{"components", s.components},
		{"distances", func(ctx context.Context) (sheet.Section, error) { return s.distances(ctx, c) }},
		{"picture", s.picture},
		{"random graphs", func(ctx context.Context) (sheet.Section, error) { return s.orders(ctx, c.Seed) }},
	} {
		if part.what == "random graphs" && !c.Compare {
			continue
		}
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
	isolated, err := s.isolated(ctx)
	if err != nil {
		return sheet.Section{}, err
	}
	f.add("URLs without links in or out (isolated)", isolated)
	f.add("links of a page to itself", loops)
	f.add("bits a link", s.out.BitsPerLink())
	f.add("bits a link, turned round", s.in.BitsPerLink())
	return f.section("Size"), nil
}

// isolated counts the nodes without a link either way.
func (s *Survey) isolated(ctx context.Context) (n int, err error) {
	in := s.in.Scan(0, s.in.Nodes())
	err = s.each(ctx, func(_ int, list []uint32) {
		if linkers, _ := in.Next(); len(list) == 0 && len(linkers) == 0 {
			n++
		}
	})
	return n, errors.Join(err, in.Err())
}

// lawOf says whether the sizes of components follow a power law.
func lawOf(what string, sizes []int) string {
	list := make([]uint32, len(sizes))
	for i, n := range sizes {
		list[i] = uint32(n)
	}
	law, fits := bsp.FitPowerLaw(list)
	if !fits {
		return fmt.Sprintf("Sizes of %s components: too few, or all alike, for a law.", what)
	}
	return fmt.Sprintf("Sizes of %s components: from %d on (%s) a power law of exponent %.2f [%.2f, %.2f] fits best, at a Kolmogorov-Smirnov distance of %.3f (about %.3f for a true power law).",
		what, law.From, counted(int64(law.Tail), "component", "components"), law.Exponent.Estimate, law.Exponent.Low, law.Exponent.High, law.Distance, 1/math.Sqrt(float64(law.Tail)))
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
		counted(int64(len(strongSizes)), "strong component", "strong components")), lawOf("weak", weakSizes), lawOf("strong", strongSizes)}}, nil
}

func (s *Survey) distances(ctx context.Context, c StatsConfig) (sheet.Section, error) {
	n, err := s.pairs(ctx, bsp.Sketch{Registers: c.Registers, Seed: c.Seed}, false, nil)
	if err != nil {
		return sheet.Section{}, err
	}
	f := distances(n)
	last := n.Function[len(n.Function)-1]
	all := float64(s.out.Nodes()) * float64(s.out.Nodes())
	f.estimate("pairs with a way, share of all", stats.Interval{Estimate: last.Estimate / all, Low: last.Low / all, High: last.High / all})
	return f.section("Distances", pairsNote(n)), nil
}

// distances are the figures of a neighbourhood function.
func distances(n bsp.Neighbourhood) *figures {
	f := &figures{estimates: true}
	f.estimate("effective diameter (90 % of pairs), in links", n.EffectiveDiameter(effective))
	f.estimate("mean distance, in links", n.MeanDistance())
	f.add("largest distance seen, in links", len(n.Function)-1)
	return f
}

// pairsNote says of which pairs the figures are, and how they are known.
func pairsNote(n bsp.Neighbourhood) string {
	const of = "Of all pairs of URLs of which the second can be reached from the first, "
	if n.Function[len(n.Function)-1].Exact() {
		return of + "counted exactly."
	}
	return of + "estimated by sketches, with 95 % intervals: another --seed errs independently."
}

// effective is the share of pairs within the effective diameter.
const effective = 0.9
