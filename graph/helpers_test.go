package graph

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// adjacency is a graph in memory, to write and to compare with.
type adjacency [][]uint32

// lister makes Lists of an adjacency, and fails after the last if err is set.
type lister struct {
	lists adjacency
	err   error
}

func (l *lister) Next() ([]uint32, bool) {
	if len(l.lists) == 0 {
		return nil, false
	}
	list := l.lists[0]
	l.lists = l.lists[1:]
	return list, true
}

func (l *lister) Err() error { return l.err }

// links counts the arcs.
func (a adjacency) links() (n int) {
	for _, list := range a {
		n += len(list)
	}
	return n
}

// store writes a with p below a new folder and returns the base.
func store(t testing.TB, a adjacency, p Params) string {
	t.Helper()
	base := filepath.Join(t.TempDir(), "g")
	if _, err := Write(base, len(a), &lister{lists: a}, p); err != nil {
		t.Fatal(err)
	}
	return base
}

// encode compresses a in memory.
func encode(t testing.TB, a adjacency, p Params) (s Stats, graph, offsets []byte) {
	t.Helper()
	f, err := newFormat(len(a), p)
	if err != nil {
		t.Fatal(err)
	}
	return encodeAs(t, a, f)
}

func encodeAs(t testing.TB, a adjacency, f *format) (s Stats, graph, offsets []byte) {
	t.Helper()
	var out, gaps bytes.Buffer
	e, g := newEncoder(f, newBitWriter(&out)), newBitWriter(&gaps)
	err := encodeAll(e, g, &lister{lists: a})
	if err := errors.Join(err, e.w.flush(), g.flush()); err != nil {
		t.Fatal(err)
	}
	return e.stats, out.Bytes(), gaps.Bytes()
}

// memory is Open for files in memory.
func memory(nodes int, arcs int64, p Params, graph, offsets []byte) (*Graph, error) {
	f, err := newFormat(nodes, p)
	if err != nil {
		return nil, err
	}
	g := &Graph{format: f, base: "memory", arcs: arcs, data: graph}
	return g, g.setOffsets(offsets)
}

// compressed returns a compressed in memory.
func compressed(t testing.TB, a adjacency, p Params) *Graph {
	t.Helper()
	f, err := newFormat(len(a), p)
	if err != nil {
		t.Fatal(err)
	}
	s, graph, offsets := encodeAs(t, a, f)
	g := &Graph{format: f, base: "memory", arcs: s.Arcs, data: graph}
	if err := g.setOffsets(offsets); err != nil {
		t.Fatal(err)
	}
	return g
}

// open opens base until the test ends.
func open(t testing.TB, base string) *Graph {
	t.Helper()
	g, err := Open(base)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return g
}

// collect reads all lists of g.
func collect(t testing.TB, g *Graph) adjacency {
	t.Helper()
	a := adjacency{}
	s := g.Scan(0, g.Nodes())
	for list, ok := s.Next(); ok; list, ok = s.Next() {
		a = append(a, slices.Clone(list))
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return a
}

// equal fails the test where two graphs differ.
func equal(t testing.TB, what string, got, want adjacency) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d nodes, want %d", what, len(got), len(want))
	}
	for i := range want {
		if !slices.Equal(got[i], want[i]) {
			t.Fatalf("%s: node %d: %v, want %v", what, i, got[i], want[i])
		}
	}
}

// load reads a file of the test.
func load(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// copying generates a graph like that of a site, after the copying model of Kumar et al.
// (2000): each page copies most links of one a little before it, and adds near ones, runs
// and a few far ones.
func copying(rnd *rand.Rand, nodes, degree int) adjacency {
	a := make(adjacency, nodes)
	for i := range a {
		var list []uint32
		if i > 0 && rnd.IntN(10) > 0 {
			for _, x := range a[i-1-rnd.IntN(min(i, 5))] {
				if rnd.IntN(16) > 0 {
					list = append(list, x)
				}
			}
		}
		for len(list) < degree && rnd.IntN(8) > 0 {
			switch at := rnd.IntN(nodes); rnd.IntN(8) {
			case 0:
				list = append(list, uint32(at))
			case 1:
				for x := i; x < min(i+rnd.IntN(12), nodes); x++ {
					list = append(list, uint32(x))
				}
			default:
				at = i + int(rnd.NormFloat64()*40)
				list = append(list, uint32(min(max(at, 0), nodes-1)))
			}
		}
		slices.Sort(list)
		a[i] = slices.Compact(list)
	}
	return a
}

// shapes are small graphs of many kinds.
func shapes(rnd *rand.Rand) map[string]adjacency {
	full := make(adjacency, 40)
	for i := range full {
		for x := range full {
			full[i] = append(full[i], uint32(x))
		}
	}
	random := make(adjacency, 200)
	for i := range random {
		for x := range random {
			if rnd.IntN(20) == 0 {
				random[i] = append(random[i], uint32(x))
			}
		}
	}
	back := make(adjacency, 60) // every node links to all before it
	for i := range back {
		for x := range i {
			back[i] = append(back[i], uint32(x))
		}
	}
	star := make(adjacency, 2000)
	for x := 0; x < 2000; x += 1 + rnd.IntN(4) {
		star[1999] = append(star[1999], uint32(x))
		star[x] = append(star[x], 1999)
	}
	star[1999] = slices.Compact(star[1999])
	slices.Sort(star[1999])
	star[1999] = slices.Compact(star[1999])
	return map[string]adjacency{
		"empty": {}, "one node": {nil}, "loop": {{0}}, "no links": make(adjacency, 100),
		"full": full, "random": random, "back": back, "star": star,
		"site": copying(rnd, 500, 20), "empty lists between": {{1, 2, 3, 4, 5}, nil, nil, {1, 2, 3, 4, 5}, nil, {0, 5}},
	}
}

// parameters are settings that reach every branch of the format.
func parameters() map[string]Params {
	all := map[string]Params{"default": DefaultParams()}
	set := func(name string, change func(*Params)) {
		p := DefaultParams()
		change(&p)
		all[name] = p
	}
	for _, w := range []int{0, 1, 30} {
		set(fmt.Sprint("window ", w), func(p *Params) { p.Window = w })
	}
	for _, m := range []int{-1, 0, 1} {
		set(fmt.Sprint("chain ", m), func(p *Params) { p.MaxRefs = m })
	}
	for _, i := range []int{0, 1, 2, 50} {
		set(fmt.Sprint("interval ", i), func(p *Params) { p.MinInterval = i })
	}
	for _, k := range []int{1, 2, 5, 16} {
		set(fmt.Sprint("zeta ", k), func(p *Params) { p.ZetaK = k })
	}
	set("delta", func(p *Params) {
		p.Outdegrees, p.References, p.BlockCounts, p.Blocks, p.Residuals, p.Offsets = Delta, Delta, Delta, Delta, Delta, Delta
	})
	set("gamma", func(p *Params) { p.References, p.Residuals = Gamma, Gamma })
	set("unary", func(p *Params) { p.BlockCounts, p.Blocks = Unary, Unary })
	return all
}
