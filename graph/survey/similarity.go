package survey

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"crawler/internal/sheet"
)

// farthest is the largest distance in URL order at which lists are compared one by one.
const farthest = 64

// farPairs is how many pairs of nodes anywhere are compared.
const farPairs = 20_000

// keptLinks is the number of links up to which all lists stay in memory while pairs are compared:
// 2 MiB. Of a small graph each would be decoded hundreds of times.
const keptLinks = 1 << 19

// similar adds up how much pairs of lists have in common.
type similar struct {
	pairs int
	sum   float64 // of their Jaccard coefficients
	half  int     // of which at least half is in common
}

// compare adds a pair of ascending lists, neither empty.
func (s *similar) compare(a, b []uint32) {
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			common++
			i++
			j++
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	jaccard := float64(common) / float64(len(a)+len(b)-common)
	s.pairs++
	s.sum += jaccard
	if jaccard >= 0.5 {
		s.half++
	}
}

// similarity says what the lists of neighbours in URL order have in common, and those of any
// two nodes.
func (s *Survey) similarity(ctx context.Context, seed uint64) (sheet.Section, error) {
	byDistance := map[int]*similar{}
	var distances []int
	for d := 1; d <= farthest; d *= 2 {
		distances = append(distances, d)
		byDistance[d] = &similar{}
	}
	var ring [farthest + 1][]uint32
	var linking []int
	pairs := pairing{s: s, kept: map[int][]uint32{}}
	err := s.each(ctx, func(v int, list []uint32) {
		ring[v%len(ring)] = append(ring[v%len(ring)][:0], list...)
		if len(list) == 0 {
			return
		}
		linking = append(linking, v)
		if s.out.Edges() <= keptLinks {
			pairs.kept[v] = slices.Clone(list)
		}
		for _, d := range distances {
			if d > v {
				break
			}
			if other := ring[(v-d)%len(ring)]; len(other) > 0 {
				byDistance[d].compare(other, list)
			}
		}
	})
	if err != nil {
		return sheet.Section{}, err
	}
	t := &sheet.Table{Columns: []sheet.Column{{Name: "distance", Unit: "in URL order"}, {Name: "pairs"}, {Name: "common", Key: "jaccard", Unit: "mean share", Format: "%.4f"},
		{Name: "half and more in common", Key: "half", Unit: "share of pairs", Format: "%.4f"}}}
	row := func(name string, x *similar) {
		if x.pairs > 0 {
			t.Rows = append(t.Rows, []sheet.Cell{name, x.pairs, x.sum / float64(x.pairs), share(int64(x.half), int64(x.pairs))})
		}
	}
	for _, d := range distances {
		row(fmt.Sprint(d), byDistance[d])
	}
	any, err := pairs.any(ctx, linking, seed)
	row("any", any)
	return sheet.Section{ID: "similarity", Title: "Similarity of neighbours in URL order", Table: t, Notes: []string{
		"What the links of two URLs have in common: those of both over those of either. Compared are URLs with links. Copy lists save what is in common with one of the lists before."}}, err
}

// pairing compares pairs of nodes.
type pairing struct {
	s    *Survey
	kept map[int][]uint32 // the lists of nodes that are decoded once
}

// any compares random pairs of different nodes.
func (p *pairing) any(ctx context.Context, linking []int, seed uint64) (*similar, error) {
	any, rnd := &similar{}, rand.New(rand.NewPCG(seed, 1))
	var a, b []uint32
	for i := 0; i < farPairs && len(linking) > 1; i++ {
		v, w := linking[rnd.IntN(len(linking))], linking[rnd.IntN(len(linking))]
		if v == w {
			continue
		}
		if i%256 == 0 && ctx.Err() != nil {
			return any, ctx.Err()
		}
		var err error
		if a, err = p.list(v, a); err != nil {
			return any, err
		}
		if b, err = p.list(w, b); err != nil {
			return any, err
		}
		any.compare(a, b)
	}
	return any, nil
}

// list is the list of a node that has one, in buf unless it is kept.
func (p *pairing) list(v int, buf []uint32) ([]uint32, error) {
	if len(p.kept) > 0 {
		return p.kept[v], nil
	}
	return p.s.out.Successors(v, buf[:0])
}

// pictureBins is the largest number of rows and columns of the picture.
const pictureBins = 200

// picture counts links in a square, in URL order both ways.
func (s *Survey) picture(ctx context.Context) (sheet.Section, error) {
	n := s.out.Nodes()
	bins := min(n, pictureBins)
	cells := make([][]int64, bins)
	for i := range cells {
		cells[i] = make([]int64, bins)
	}
	bin := func(v int) int { return int(int64(v) * int64(bins) / int64(n)) }
	diagonal := int64(0)
	err := s.each(ctx, func(v int, list []uint32) {
		row := bin(v)
		for _, w := range list {
			x := bin(int(w))
			cells[row][x]++
			if x == row {
				diagonal++
			}
		}
	})
	f := &figures{}
	f.add("rows and columns", bins)
	f.add("URLs in each", float64(n)/float64(max(bins, 1)))
	f.add("links on the diagonal", diagonal)
	f.add("share on the diagonal", share(diagonal, s.out.Edges()))
	section := f.section("Picture", "The links in URL order, from top to bottom and to which from left to right. Links within a host and a directory are near the diagonal; hosts "+
		"are squares on it. Rows that resemble the rows above, as vertical lines, are similar neighbours: pages that share their menus.")
	section.Matrix = &sheet.Matrix{Title: "Links in URL order", X: "the URL that is linked", Y: "the URL with the link", Cells: cells}
	return section, err
}
