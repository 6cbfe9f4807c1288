package bsp

import (
	"context"
	"fmt"
)

// Distances returns the smallest number of links from one of the seeds to each node,
// None where there is no path: how many clicks deep a page is. It needs the graph and
// its transpose, and as many supersteps as the deepest node has clicks.
func Distances(ctx context.Context, c Config, g, transpose Graph, seeds []uint32) ([]uint32, Summary, error) {
	n := g.Nodes()
	p := NewVertices[struct{}, uint32](n)
	for v := range p.Said {
		p.Said[v] = None
	}
	for _, s := range seeds {
		if int(s) >= n {
			return nil, Summary{}, fmt.Errorf("seed %d: the graph has only %d nodes", s, n)
		}
		p.Said[s] = 0
	}
	p.Combine = Least
	p.Update = func(v int, _ *struct{}, heard uint32, t *Turn) (uint32, Vote) {
		switch {
		case t.Superstep == 0 && p.Said[v] == 0:
			return 0, Speak
		case heard != None && p.Said[v] == None:
			return heard + 1, Speak
		}
		return None, 0
	}
	c.Listeners = g
	sum, err := Run(ctx, c, transpose, p)
	return p.Said, sum, err
}

// Reach counts exactly how many nodes can be reached from one by at most 0, 1, 2... links,
// by a search that reads one list after the other. It gives up after most nodes
// (0: all): then it reports false, and the last distance is left out. Memory is a bit a
// node and 4 bytes a node reached.
func Reach(ctx context.Context, g Graph, from uint32, most int) (sizes []int, all bool, err error) {
	n := g.Nodes()
	if int(from) >= n {
		return nil, false, fmt.Errorf("node %d: the graph has only %d nodes", from, n)
	}
	if most <= 0 {
		most = n
	}
	found, met := []uint32{from}, newBitmap(n)
	met.set(int(from))
	for done := 0; done < len(found); {
		sizes = append(sizes, len(found))
		for end := len(found); done < end; done++ {
			u := int(found[done])
			err := each(ctx, g, u, u+1, func(_ int, list []uint32) {
				for _, w := range list {
					if !met.has(int(w)) {
						met.set(int(w))
						found = append(found, w)
					}
				}
			})
			if err != nil {
				return sizes, false, err
			}
			if len(found) > most {
				return sizes, false, nil
			}
		}
	}
	return sizes, true, nil
}
