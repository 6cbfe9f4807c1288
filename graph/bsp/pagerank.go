package bsp

import (
	"context"
	"fmt"
	"math"
)

// Rank says how PageRank is computed. The zero Rank is the usual one.
type Rank struct {
	// Damping is the chance that the surfer follows a link, above 0 and below 1. 0 is
	// 0.85.
	Damping float64

	// Tolerance ends the run when a superstep changed the ranks by at most that much,
	// summed over all nodes. They are then within Tolerance·Damping/(1-Damping) of the
	// true ones in the same measure, L1. 0 is 1e-7: an error below 6e-7.
	Tolerance float64
}

// PageRank ranks the nodes of a graph of which it is given the transpose: a node's rank is
// the chance that a surfer is there who follows a random link with chance Damping and
// otherwise, as on a page without links, jumps to a random node (Brin and Page, The anatomy
// of a large-scale hypertextual web search engine, 1998). The ranks sum to 1. It takes about
// ln(Tolerance)/ln(Damping) supersteps at most, 100 by default. If Config.Limit is 0 it is
// twice that.
func PageRank(ctx context.Context, c Config, transpose Graph, r Rank) ([]float64, Summary, error) {
	r, err := r.orDefault()
	if err != nil || transpose.Nodes() == 0 {
		return nil, Summary{}, err
	}
	links, err := InDegrees(ctx, transpose)
	if err != nil {
		return nil, Summary{}, err
	}
	if c.Limit == 0 {
		c.Limit = 10 + int(2*math.Log(r.Tolerance)/math.Log(r.Damping))
	}
	p := r.program(links)
	sum, err := Run(ctx, c, transpose, p)
	return p.Value, sum, err
}

func (r Rank) orDefault() (Rank, error) {
	if r.Damping == 0 {
		r.Damping = 0.85
	}
	if r.Tolerance == 0 {
		r.Tolerance = 1e-7
	}
	if !(r.Damping > 0 && r.Damping < 1) {
		return r, fmt.Errorf("damping of PageRank: %v is not between 0 and 1", r.Damping)
	}
	if !(r.Tolerance > 1e-15 && r.Tolerance < 1) {
		return r, fmt.Errorf("tolerance of PageRank: %v is not between 1e-15 and 1", r.Tolerance)
	}
	return r, nil
}

// program is PageRank: a node's value is its rank, and it says the share of it that each of
// its links carries.
func (r Rank) program(links []uint32) *Vertices[float64, float64] {
	n := float64(len(links))
	p := NewVertices[float64, float64](len(links))
	base := 1 / n // what a node has without links to it
	p.Combine = Total
	p.Update = func(v int, rank *float64, heard float64, t *Turn) (float64, Vote) {
		old := *rank
		*rank = base + r.Damping*heard
		t.Sum[0] += math.Abs(*rank - old)
		if links[v] == 0 {
			t.Sum[1] += *rank
			return 0, Speak | Stay
		}
		return *rank / float64(links[v]), Speak | Stay
	}
	p.End = func(s Superstep) bool {
		base = (1 - r.Damping + r.Damping*s.Sum[1]) / n
		return s.Number > 0 && s.Sum[0] <= r.Tolerance
	}
	return p
}
