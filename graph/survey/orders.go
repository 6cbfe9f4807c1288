package survey

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"crawler/graph"
	"crawler/internal/sheet"
)

// orders compresses the graph again with its nodes shuffled, and a uniform random graph of as
// many nodes and links: what of its compression comes from the order of URLs, and what from
// the links. It takes 8 bytes a node and temporary files as large as the graphs.
func (s *Survey) orders(ctx context.Context, seed uint64) (section sheet.Section, err error) {
	dir, err := os.MkdirTemp("", "crawler-graph-*")
	if err != nil {
		return section, err
	}
	defer os.RemoveAll(dir)
	n, links := s.out.Nodes(), s.out.Edges()
	t := &sheet.Table{Columns: []sheet.Column{{Name: "graph"}, {Name: "links"}, {Name: "bits a link", Format: "%.3f"}},
		Rows: [][]sheet.Cell{{"this one, in URL order", links, s.out.BitsPerLink()}}}
	add := func(name string, lists graph.Lists) error {
		stats, err := graph.Write(filepath.Join(dir, "g"), n, lists, s.Manifest.Params())
		if err == nil && stats.Arcs > 0 {
			t.Rows = append(t.Rows, []sheet.Cell{name, stats.Arcs, stats.BitsPerLink()})
		}
		return err
	}
	if err := add("the same, its URLs shuffled", newShuffled(ctx, s.out, rand.New(rand.NewPCG(seed, 2)))); err != nil {
		return section, err
	}
	if err := add("uniform random", newUniform(ctx, n, links, rand.New(rand.NewPCG(seed, 3)))); err != nil {
		return section, err
	}
	if pairs := float64(n) * float64(n); links > 0 {
		t.Rows = append(t.Rows, []sheet.Cell{"the least for a random one, by its entropy", links, logBinomial(pairs, float64(links)) / float64(links)})
	}
	return sheet.Section{ID: "orders", Title: "What the order of URLs is worth", Table: t, Notes: []string{
		"The same links with the URLs in random order have lost locality and similarity, but keep their degrees; a uniform random graph has not even these. No code can write random graphs, on average, " +
			"in fewer bits than the entropy: log2 of the number of ways to choose as many of all pairs."}}, nil
}

// logBinomial is log2 of n over k.
func logBinomial(n, k float64) float64 {
	gamma := func(x float64) float64 { l, _ := math.Lgamma(x + 1); return l }
	if k*1e6 < n { // where the difference of large numbers would have no digits left
		return (k*math.Log(n/k) + k - 0.5*math.Log(2*math.Pi*k)) / math.Ln2
	}
	return (gamma(n) - gamma(k) - gamma(n-k)) / math.Ln2
}

// shuffled is a graph whose nodes have new numbers.
type shuffled struct {
	ctx    context.Context
	g      *graph.Graph
	number []uint32 // the new numbers
	old    []uint32 // and back
	next   int
	list   []uint32
	err    error
}

func newShuffled(ctx context.Context, g *graph.Graph, rnd *rand.Rand) *shuffled {
	n := g.Nodes()
	s := &shuffled{ctx: ctx, g: g, number: make([]uint32, n), old: make([]uint32, n)}
	for i := range s.old {
		s.old[i] = uint32(i)
	}
	rnd.Shuffle(n, func(i, j int) { s.old[i], s.old[j] = s.old[j], s.old[i] })
	for i, v := range s.old {
		s.number[v] = uint32(i)
	}
	return s
}

// Next implements graph.Lists.
func (s *shuffled) Next() ([]uint32, bool) {
	if s.next == len(s.old) || s.err != nil {
		return nil, false
	}
	if s.next%1024 == 0 {
		if s.err = s.ctx.Err(); s.err != nil {
			return nil, false
		}
	}
	s.list, s.err = s.g.Successors(int(s.old[s.next]), s.list[:0])
	s.next++
	for i, w := range s.list {
		s.list[i] = s.number[w]
	}
	slices.Sort(s.list)
	return s.list, s.err == nil
}

// Err implements graph.Lists.
func (s *shuffled) Err() error { return s.err }

// uniform is a random graph: each link leaves a random node for another random one, no two alike.
type uniform struct {
	ctx     context.Context
	rnd     *rand.Rand
	degrees []uint32
	next    int
	list    []uint32
	err     error
}

func newUniform(ctx context.Context, n int, links int64, rnd *rand.Rand) *uniform {
	u := &uniform{ctx: ctx, rnd: rnd, degrees: make([]uint32, n)}
	for range links {
		for {
			if v := rnd.IntN(n); int(u.degrees[v]) < n { // links are at most n², so there is room
				u.degrees[v]++
				break
			}
		}
	}
	return u
}

// Next implements graph.Lists.
func (u *uniform) Next() ([]uint32, bool) {
	if u.next == len(u.degrees) || u.err != nil {
		return nil, false
	}
	if u.next%1024 == 0 {
		if u.err = u.ctx.Err(); u.err != nil {
			return nil, false
		}
	}
	n, degree := len(u.degrees), int(u.degrees[u.next])
	u.next++
	// Half and more of all nodes are drawn as those that are left out.
	drawn := min(degree, n-degree)
	u.list = u.list[:0]
	for len(u.list) < drawn {
		for len(u.list) < drawn {
			u.list = append(u.list, uint32(u.rnd.IntN(n)))
		}
		slices.Sort(u.list)
		u.list = slices.Compact(u.list)
	}
	if drawn < degree {
		u.list = complement(u.list, n)
	}
	return u.list, true
}

// complement returns the nodes that are not in an ascending list.
func complement(list []uint32, n int) []uint32 {
	out, next := make([]uint32, 0, n-len(list)), 0
	for v := range uint32(n) {
		if next < len(list) && list[next] == v {
			next++
			continue
		}
		out = append(out, v)
	}
	return out
}

// Err implements graph.Lists.
func (u *uniform) Err() error { return u.err }
