package bsp

import (
	"context"
	"fmt"
	"slices"

	"crawler/stats"
)

// Sketch says how neighbourhoods are counted. The zero Sketch has 64 registers a node.
type Sketch struct {
	// Registers is their number at each node, a power of two from MinRegisters to
	// MaxRegisters; 0 is 64. A size is off by 1.04/√Registers: 13 % at 64. A node takes
	// twice as many bytes, and 8.
	Registers int

	// Seed chooses the hash. Runs with different seeds err independently.
	Seed uint64

	// Distance is the largest to look at; 0 continues until nothing is new.
	Distance int

	// Nodes are those whose own neighbourhoods are wanted.
	Nodes []uint32
}

// Neighbourhood is how many nodes are in reach. Every interval holds the truth in 95 % of
// the cases; as neighbourhoods overlap, the errors of one run are alike.
type Neighbourhood struct {
	// Function is the number of pairs of nodes (v, w) with at most d links from v to w,
	// by d: the neighbourhood function. Function[0] is the number of nodes.
	Function []stats.Interval `json:"function"`

	// Sizes is, for each of Sketch.Nodes, the number of nodes in reach by d.
	Sizes [][]stats.Interval `json:"sizes,omitempty"`

	// Whole reports that nothing is new at larger distances.
	Whole bool `json:"whole"`

	Run Summary `json:"run"`
}

// Neighbourhoods counts for all nodes how many others they reach by at most d links: n(v,d)
// is the union of the n(w,d-1) of v's successors w, and the sketch of a union
// holds the larger of each two registers (Boldi, Rosa and Vigna, HyperANF, 2011; Boldi
// and Vigna, In-core computation of geometric centralities with HyperBall, 2013). Nodes
// are read only from successors whose sketch has changed. The transpose may be nil;
// with it, distances at which little changes cost little. In an undirected graph both are
// the same.
func Neighbourhoods(ctx context.Context, c Config, g, transpose Graph, k Sketch) (Neighbourhood, error) {
	if k.Registers == 0 {
		k.Registers = 64
	}
	count, err := newCounters(k.Registers, k.Seed, g.Nodes())
	if err != nil {
		return Neighbourhood{}, err
	}
	for _, v := range k.Nodes {
		if int(v) >= g.Nodes() {
			return Neighbourhood{}, fmt.Errorf("node %d: the graph has only %d nodes", v, g.Nodes())
		}
	}
	p := &ball{counters: count, Sketch: k,
		now:  make([]uint64, g.Nodes()*count.words),
		next: make([]uint64, g.Nodes()*count.words),
		size: make([]float64, g.Nodes())}
	p.Sizes = make([][]stats.Interval, len(k.Nodes))
	c.Listeners = transpose
	p.Run, err = Run(ctx, c, g, p)
	return p.Neighbourhood, err
}

// ball is the program: a vertex says its sketch.
type ball struct {
	*counters
	Sketch
	Neighbourhood
	now, next        []uint64
	size             []float64 // the last estimate of each node
	total, deviation float64   // the sums over all nodes
}

func (p *ball) at(sketches []uint64, v int) []uint64 {
	return sketches[v*p.words : (v+1)*p.words]
}

// Compute implements Program. The standard deviation of a sum of estimates that depend on
// each other in an unknown way is at most the sum of theirs.
func (p *ball) Compute(v int, from []uint32, t *Turn) Vote {
	now, next := p.at(p.now, v), p.at(p.next, v)
	if t.Superstep == 0 {
		p.start(next, v)
		p.size[v] = 1
		t.Sum[0]++
		return Speak
	}
	copy(next, now)
	for _, u := range from {
		join(next, p.at(p.now, int(u)))
	}
	if slices.Equal(next, now) {
		return 0
	}
	before := p.size[v]
	after, _ := p.estimate(next)
	p.size[v] = after
	t.Sum[0] += after - before
	t.Sum[1] += after*p.relative(after) - before*p.relative(before)
	return Speak
}

// Commit implements Program.
func (p *ball) Commit(v int) { copy(p.at(p.now, v), p.at(p.next, v)) }

// Barrier implements Program.
func (p *ball) Barrier(s Superstep) bool {
	if s.Number > 0 && s.Spoke == 0 {
		p.Whole = true
		return true
	}
	p.total += s.Sum[0]
	p.deviation += s.Sum[1]
	p.Function = append(p.Function, stats.Interval{
		Estimate: p.total,
		Low:      max(p.total-width*p.deviation, p.nodes),
		High:     min(p.total+width*p.deviation, p.nodes*p.nodes),
	})
	if s.Number == 0 {
		p.Function[0] = exactly(p.nodes)
	}
	for i, v := range p.Nodes {
		size := exactly(1)
		if s.Number > 0 {
			size = p.interval(p.at(p.now, int(v)))
		}
		p.Sizes[i] = append(p.Sizes[i], size)
	}
	return s.Number == p.Distance && p.Distance > 0
}

// exactly is the interval of a figure known without error.
func exactly(x float64) stats.Interval { return stats.Interval{Estimate: x, Low: x, High: x} }

// EffectiveDiameter returns the distance within which the given share of all connected pairs
// lies, interpolated between whole distances; 0.9 is usual. It is 0 without links.
func (n Neighbourhood) EffectiveDiameter(share float64) float64 {
	if len(n.Function) == 0 {
		return 0
	}
	goal, before := share*n.Function[len(n.Function)-1].Estimate, 0.0
	for d, pairs := range n.Function {
		if pairs.Estimate >= goal {
			return max(float64(d)-1+(goal-before)/(pairs.Estimate-before), 0)
		}
		before = pairs.Estimate
	}
	return float64(len(n.Function) - 1)
}
