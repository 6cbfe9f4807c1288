package bsp

import (
	"context"
	"math"
	"slices"
	"testing"
)

// power ranks by pushing along the links, until nothing changes in double precision.
func power(g Lists, damping float64) []float64 {
	n := float64(len(g))
	rank, next := make([]float64, len(g)), make([]float64, len(g))
	for v := range rank {
		rank[v] = 1 / n
	}
	for range 400 {
		dangling := 0.0
		clear(next)
		for v, list := range g {
			if len(list) == 0 {
				dangling += rank[v]
			}
			for _, w := range list {
				next[w] += rank[v] / float64(len(list))
			}
		}
		moved := 0.0
		for v := range next {
			next[v] = (1-damping)/n + damping*(next[v]+dangling/n)
			moved += math.Abs(next[v] - rank[v])
		}
		if rank, next = next, rank; moved < 1e-14 {
			break
		}
	}
	return rank
}

// solved ranks by Gaussian elimination of (I - d·Pᵀ)·r = (1-d)/n.
func solved(g Lists, damping float64) []float64 {
	n := len(g)
	a := make([][]float64, n)
	for v := range a {
		a[v] = make([]float64, n+1)
		a[v][v], a[v][n] = 1, (1-damping)/float64(n)
	}
	for v, list := range g {
		for w := range a {
			if len(list) == 0 {
				a[w][v] -= damping / float64(n)
			}
		}
		for _, w := range list {
			a[w][v] -= damping / float64(len(list))
		}
	}
	for i := range a { // diagonally dominant by columns: no pivoting
		for j := range a {
			if f := a[j][i] / a[i][i]; j != i && f != 0 {
				for k := i; k <= n; k++ {
					a[j][k] -= f * a[i][k]
				}
			}
		}
	}
	rank := make([]float64, n)
	for v := range rank {
		rank[v] = a[v][n] / a[v][v]
	}
	return rank
}

// The ranks of all nodes together are within 1e-6 of the exact ones, in L1 and so also one by one.
func TestPageRankAgainstExact(t *testing.T) {
	large := web(100_000/raceScale, 5)
	for _, c := range []struct {
		name  string
		g     Lists
		exact []float64
	}{
		{"slide", slideGraph(), solved(slideGraph(), 0.85)},
		{"web of 200, solved", web(200, 1), solved(web(200, 1), 0.85)},
		{"chain of 300, solved", chain(300), solved(chain(300), 0.85)},
		{"pieces", pieces(5000, 1), power(pieces(5000, 1), 0.85)},
		{"large web", large, power(large, 0.85)},
	} {
		rank, sum, err := PageRank(context.Background(), Config{}, transposed(t, c.g), Rank{})
		if err != nil {
			t.Fatal(c.name, err)
		}
		off, total := 0.0, 0.0
		for v := range rank {
			off += math.Abs(rank[v] - c.exact[v])
			total += rank[v]
		}
		t.Logf("%s: %d nodes, %d links, %d supersteps: off by %.1e in L1", c.name, len(c.g), c.g.Edges(), sum.Supersteps, off)
		if off > 6e-7 || math.Abs(total-1) > 1e-9 {
			t.Errorf("%s: off by %v in L1, ranks sum to %v", c.name, off, total)
		}
	}
}

func TestPageRankConfig(t *testing.T) {
	for _, r := range []Rank{{Damping: 1}, {Damping: -1}, {Damping: math.NaN()}, {Tolerance: 1}, {Tolerance: 1e-20}} {
		if _, _, err := PageRank(context.Background(), Config{}, chain(3), r); err == nil {
			t.Errorf("%+v: no error", r)
		}
	}
	if rank, _, err := PageRank(context.Background(), Config{}, Lists{}, Rank{}); err != nil || len(rank) != 0 {
		t.Error(rank, err)
	}
}

// joined finds weak components by union and find.
func joined(g Lists) Components {
	of := make(Components, len(g))
	for v := range of {
		of[v] = uint32(v)
	}
	root := func(v uint32) uint32 {
		for of[v] != v {
			of[v] = of[of[v]]
			v = of[v]
		}
		return v
	}
	for v, list := range g {
		for _, w := range list {
			a, b := root(uint32(v)), root(w)
			of[max(a, b)] = min(a, b)
		}
	}
	for v := range of {
		of[v] = root(uint32(v))
	}
	return of
}

// kosaraju finds strong components by two searches in depth.
func kosaraju(g, back Lists) Components {
	of, met := make(Components, len(g)), make([]bool, len(g))
	var order []uint32
	for v := range g {
		of[v] = None
		search(g, uint32(v), met, func(w uint32) { order = append(order, w) })
	}
	clear(met)
	for _, v := range slices.Backward(order) {
		var members []uint32
		search(back, v, met, func(w uint32) { members = append(members, w) })
		if len(members) == 0 {
			continue
		}
		least := slices.Min(members)
		for _, w := range members {
			of[w] = least
		}
	}
	return of
}

// search calls leave for each node not yet met that v reaches, when all behind it are done.
func search(g Lists, v uint32, met []bool, leave func(uint32)) {
	if met[v] {
		return
	}
	met[v] = true
	path, at := []uint32{v}, []int{0}
	for len(path) > 0 {
		i := len(path) - 1
		if at[i] == len(g[path[i]]) {
			leave(path[i])
			path, at = path[:i], at[:i]
			continue
		}
		w := g[path[i]][at[i]]
		if at[i]++; !met[w] {
			met[w] = true
			path, at = append(path, w), append(at, 0)
		}
	}
}

func TestComponentsAgainstUnionFind(t *testing.T) {
	for name, g := range map[string]Lists{
		"empty": {}, "lone": {nil}, "slide": slideGraph(), "chain": chain(1000), "loop": {{0}},
		"web": web(2000, 7), "pieces": pieces(20_000/min(raceScale, 10), 1), "more pieces": pieces(3000, 9), "large web": web(100_000/raceScale, 8),
	} {
		back := transposed(t, g)
		weak, sum, err := Weak(context.Background(), Config{}, g, back)
		if err != nil || !slices.Equal(weak, joined(g)) {
			t.Errorf("%s: weak components differ (%v)", name, err)
		}
		strong, sum2, err := Strong(context.Background(), Config{}, g, back)
		if err != nil || !slices.Equal(strong, kosaraju(g, back)) {
			t.Errorf("%s: strong components differ (%v)", name, err)
		}
		t.Logf("%s: weak %d in %d supersteps, strong %d in %d", name, len(weak.Sizes()), sum.Supersteps, len(strong.Sizes()), sum2.Supersteps)
	}
}

func TestSizes(t *testing.T) {
	if got := (Components{0, 1, 1, 0, 0, 5}).Sizes(); !slices.Equal(got, []int{3, 2, 1}) {
		t.Error(got)
	}
}

func TestDistancesAgainstSearch(t *testing.T) {
	for name, g := range map[string]Lists{"web": web(20_000, 3), "chain": chain(4000), "pieces": pieces(5000, 4)} {
		for _, seeds := range [][]uint32{{0}, {7, 3000}, nil} {
			far, _, err := Distances(context.Background(), Config{}, g, transposed(t, g), seeds)
			if err != nil || !slices.Equal(far, levels(g, seeds...)) {
				t.Errorf("%s from %v: distances differ (%v)", name, seeds, err)
			}
		}
	}
	if _, _, err := Distances(context.Background(), Config{}, chain(3), chain(3), []uint32{3}); err == nil {
		t.Error("no error for a seed that is no node")
	}
}

func TestReach(t *testing.T) {
	g := web(3000, 6)
	for _, v := range []uint32{0, 17, 2999} {
		sizes, all, err := Reach(context.Background(), g, v, 0)
		want := ballSizes(g, v)
		same := slices.EqualFunc(sizes, want, func(a int, b float64) bool { return float64(a) == b })
		if err != nil || !all || !same {
			t.Errorf("from %d: %v, want %v (%v)", v, sizes, want, err)
		}
	}
	if sizes, all, err := Reach(context.Background(), chain(10), 2, 4); err != nil || all || !slices.Equal(sizes, []int{1, 2, 3, 4}) {
		t.Error(sizes, all, err)
	}
	if _, _, err := Reach(context.Background(), chain(10), 10, 0); err == nil {
		t.Error("no error for a node that there is not")
	}
}

func TestDegrees(t *testing.T) {
	g := slideGraph()
	g[0] = nil
	in, err := InDegrees(context.Background(), g)
	if want := []uint32{2, 2, 1, 4, 2, 3, 2}; err != nil || !slices.Equal(in, want) {
		t.Error(in, want, err)
	}
	out, err := Degrees(context.Background(), g)
	if want := []uint32{0, 3, 2, 4, 2, 3, 2}; err != nil || !slices.Equal(out, want) {
		t.Error(out, want, err)
	}
}
