package bsp

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
)

// web makes a graph like the web's: a new page copies most links of an older one and adds
// some near itself, so that in-degrees follow a power law; one page in 20 has no links,
// and older ones link back to newer.
func web(n int, seed uint64) Lists {
	r := rand.New(rand.NewPCG(seed, 1))
	g := make(Lists, n)
	for v := range g {
		if v == 0 || r.IntN(20) == 0 {
			continue
		}
		for _, w := range g[r.IntN(v)] {
			if r.IntN(10) < 7 {
				g[v] = append(g[v], w)
			}
		}
		for range 1 + r.IntN(4) {
			g[v] = append(g[v], uint32(max(0, v-r.IntN(50))))
		}
		if r.IntN(3) == 0 {
			g[v] = append(g[v], uint32(r.IntN(n)))
		}
	}
	return sorted(g)
}

// pieces makes a graph of many small components, rings, chains and lone nodes, with
// numbers that are shuffled.
func pieces(n int, seed uint64) Lists {
	r := rand.New(rand.NewPCG(seed, 2))
	name, g := r.Perm(n), make(Lists, n)
	link := func(v, w int) { g[name[v]] = append(g[name[v]], uint32(name[w])) }
	for at := 0; at < n; {
		end := min(at+1+r.IntN(1+r.IntN(300)), n)
		for v := at + 1; v < end; v++ {
			if link(v-1, v); r.IntN(4) == 0 {
				link(v, at+r.IntN(v-at))
			}
		}
		if r.IntN(2) == 0 {
			link(end-1, at)
		}
		at = end
	}
	return sorted(g)
}

// chain is a graph of one path, 0 to n-1.
func chain(n int) Lists {
	g := make(Lists, n)
	for v := range n - 1 {
		g[v] = []uint32{uint32(v + 1)}
	}
	return g
}

func sorted(g Lists) Lists {
	for v, list := range g {
		slices.Sort(list)
		g[v] = slices.Compact(list)
	}
	return g
}

func transposed(t testing.TB, g Graph) Lists {
	t.Helper()
	back, err := Transpose(context.Background(), g)
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// levels is a plain breadth-first search.
func levels(g Lists, seeds ...uint32) []uint32 {
	far := make([]uint32, len(g))
	for v := range far {
		far[v] = None
	}
	for _, s := range seeds {
		far[s] = 0
	}
	for queue := slices.Clone(seeds); len(queue) > 0; queue = queue[1:] {
		for _, w := range g[queue[0]] {
			if far[w] == None {
				far[w] = far[queue[0]] + 1
				queue = append(queue, w)
			}
		}
	}
	return far
}

// ballSizes returns how many nodes are within 0, 1, 2... links of v.
func ballSizes(g Lists, v uint32) (sizes []float64) {
	for _, d := range levels(g, v) {
		if d == None {
			continue
		}
		for len(sizes) <= int(d) {
			sizes = append(sizes, 0)
		}
		sizes[d]++
	}
	for d := range sizes[1:] {
		sizes[d+1] += sizes[d]
	}
	return sizes
}
