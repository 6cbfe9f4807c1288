package bsp_test

import (
	"context"
	"fmt"

	"crawler/graph/bsp"
)

func ExamplePageRank() {
	g := bsp.Lists{{1, 2}, {2}, {0}, {2}} // 0 links to 1 and 2, and so on
	ctx := context.Background()
	back, err := bsp.Transpose(ctx, g)
	if err != nil {
		panic(err)
	}
	rank, sum, err := bsp.PageRank(ctx, bsp.Config{}, back, bsp.Rank{Tolerance: 1e-3})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.2f after %d supersteps\n", rank, sum.Supersteps)
	// Output: [0.37 0.20 0.39 0.04] after 17 supersteps
}

// How many clicks from node 0?
func ExampleDistances() {
	g := bsp.Lists{{1}, {2}, {0}, {0}} // no link leads to 3
	ctx := context.Background()
	back, err := bsp.Transpose(ctx, g)
	if err != nil {
		panic(err)
	}
	clicks, _, err := bsp.Distances(ctx, bsp.Config{}, g, back, []uint32{0})
	fmt.Println(clicks[:3], clicks[3] == bsp.None, err)
	// Output: [0 1 2] true <nil>
}

func ExampleNeighbourhoods() {
	g := bsp.Lists{{1}, {2, 3}, {3}, {}} // from 0 all are in reach, by two links
	n, err := bsp.Neighbourhoods(context.Background(), bsp.Config{}, g, nil, bsp.Sketch{Nodes: []uint32{0}})
	if err != nil {
		panic(err)
	}
	for d, size := range n.Sizes[0] {
		fmt.Printf("within %d links: %.0f nodes\n", d, size.Estimate)
	}
	// Output:
	// within 0 links: 1 nodes
	// within 1 links: 2 nodes
	// within 2 links: 4 nodes
}

// The length of the longest way to each node of a graph without cycles: a program of one's
// own.
func ExampleVertices() {
	g := bsp.Lists{{}, {0}, {0, 1}, {2}} // the lists name whom a vertex listens to
	p := bsp.NewVertices[struct{}, int](len(g))
	p.Combine = func(from []uint32, said []int) (most int) {
		for _, u := range from {
			most = max(most, said[u]+1)
		}
		return most
	}
	p.Update = func(v int, _ *struct{}, heard int, t *bsp.Turn) (int, bsp.Vote) {
		if t.Superstep == 0 || heard > p.Said[v] {
			return heard, bsp.Speak
		}
		return heard, 0
	}
	sum, err := bsp.Run(context.Background(), bsp.Config{}, g, p)
	fmt.Println(p.Said, sum.Supersteps, err)
	// Output: [0 1 2 3] 5 <nil>
}
