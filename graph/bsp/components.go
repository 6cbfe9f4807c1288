package bsp

import (
	"context"
	"slices"
)

// Components names the component of each node by the smallest node in it.
type Components []uint32

// Sizes returns the numbers of nodes of all components, the largest first.
func (c Components) Sizes() []int {
	count := make([]uint32, len(c))
	for _, name := range c {
		count[name]++
	}
	var sizes []int
	for _, n := range count {
		if n > 0 {
			sizes = append(sizes, int(n))
		}
	}
	slices.SortFunc(sizes, func(a, b int) int { return b - a })
	return sizes
}

// Weak finds the weakly connected components: the nodes that are joined by links,
// followed either way. It needs the graph and its transpose. Each node sends its
// neighbours the smallest node it knows of, so it takes as many supersteps as the
// longest path that such a message travels.
func Weak(ctx context.Context, c Config, g, transpose Graph) (Components, Summary, error) {
	both := Union(g, transpose)
	p := NewVertices[struct{}, uint32](g.Nodes())
	p.Combine = Least
	p.Update = func(v int, _ *struct{}, heard uint32, t *Turn) (uint32, Vote) {
		if t.Superstep == 0 {
			return uint32(v), Speak
		}
		if heard < p.Said[v] {
			return heard, Speak
		}
		return heard, 0
	}
	c.Listeners = both
	sum, err := Run(ctx, c, both, p)
	return p.Said, sum, err
}
