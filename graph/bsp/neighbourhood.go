package bsp

import (
	"context"
	"fmt"
	"math"
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
// the cases; as neighbourhoods overlap, the errors of one run are alike. Where Low and High are
// equal, nothing was estimated.
type Neighbourhood struct {
	// Function is the number of pairs of nodes (v, w) with at most d links from v to w,
	// by d: the neighbourhood function. Function[0] is the number of nodes.
	Function []stats.Interval `json:"function"`

	// Sizes is, for each of Sketch.Nodes, the number of nodes in reach by d.
	Sizes [][]stats.Interval `json:"sizes,omitempty"`

	// Whole reports that nothing is new at larger distances.
	Whole bool `json:"whole"`

	Run Summary `json:"run"`

	// without is by distance how much the function deviates when one of the groups of
	// registers is left out; none if it is exact.
	without [][groups]float64
	lean    float64 // by how much a figure of the function errs more than that says, measured
}

// groups is in how many groups the registers of all nodes are divided for the intervals of the
// function, and student the half of a 95 % interval for as many, in standard errors.
const (
	groups  = 16
	student = 2.131
)

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
		now:       make([]uint64, g.Nodes()*count.words),
		next:      make([]uint64, g.Nodes()*count.words),
		size:      make([]float64, g.Nodes()),
		deviation: make([][groups]float64, (g.Nodes()+block-1)/block)}
	p.Sizes, p.lean = make([][]stats.Interval, len(k.Nodes)), 1.05+10/float64(k.Registers)
	c.Listeners = transpose
	p.Run, err = Run(ctx, c, g, p)
	return p.Neighbourhood, err
}

// ball is the program: a vertex says its sketch.
type ball struct {
	*counters
	Sketch
	Neighbourhood
	now, next []uint64
	size      []float64 // the last estimate of each node
	total     float64   // the sum over all nodes

	// deviation is how much the sum over the nodes of a block deviates when each group of
	// registers is left out. A block is written by one worker at a time.
	deviation [][groups]float64
}

func (p *ball) at(sketches []uint64, v int) []uint64 {
	return sketches[v*p.words : (v+1)*p.words]
}

// Compute implements Program. The estimates of all nodes depend on each other, as they count the
// same nodes by the same registers. How far their sum is off is therefore taken from the
// registers: leaving out those of one group, in all sketches, leaves out the nodes that fell to
// them, and the sums without each of the groups vary as the sum does (a jackknife, Tukey
// 1958).
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
	p.deviate(&p.deviation[v/block], now, before, -1)
	p.deviate(&p.deviation[v/block], next, after, 1)
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
	var without [groups]float64
	for i := range p.deviation {
		for g, x := range p.deviation[i] {
			without[g] += x
		}
	}
	p.without = append(p.without, without)
	p.Function = append(p.Function, p.pairs(without))
	for i, v := range p.Nodes {
		size := exactly(1)
		if s.Number > 0 {
			size = p.interval(p.at(p.now, int(v)))
		}
		p.Sizes[i] = append(p.Sizes[i], size)
	}
	return s.Number == p.Distance && p.Distance > 0
}

// pairs is the interval of the sum over all nodes, of which it is certain that every node
// reaches itself, and no more than all.
func (p *ball) pairs(without [groups]float64) stats.Interval {
	if len(p.Function) == 0 {
		return exactly(p.nodes)
	}
	factor := math.Exp(student * jackknife(without) / p.total)
	return stats.Interval{Estimate: p.total, Low: max(p.total/factor, p.nodes), High: min(p.total*factor, p.nodes*p.nodes)}
}

// jackknife is the standard error of what deviates so when a group is left out.
func jackknife(without [groups]float64) float64 {
	mean, sum := 0.0, 0.0
	for _, x := range without {
		mean += x / groups
	}
	for _, x := range without {
		sum += (x - mean) * (x - mean)
	}
	return math.Sqrt(sum * (groups - 1) / groups)
}

// EffectiveDiameter returns the distance within which the given share of all connected pairs
// lies, interpolated between whole distances; 0.9 is usual. It is 0 without links.
func (n Neighbourhood) EffectiveDiameter(share float64) stats.Interval {
	return n.of(func(function []float64) float64 {
		goal, before := share*function[len(function)-1], 0.0
		for d, pairs := range function {
			if pairs >= goal {
				return max(float64(d)-1+(goal-before)/(pairs-before), 0)
			}
			before = pairs
		}
		return float64(len(function) - 1)
	})
}

// MeanDistance returns the mean number of links from one node to another that it reaches. It is 0
// without links.
func (n Neighbourhood) MeanDistance() stats.Interval {
	return n.of(func(function []float64) float64 {
		sum, last := 0.0, len(function)-1
		for d := 1; d <= last; d++ {
			sum += float64(d) * (function[d] - function[d-1])
		}
		return sum / max(function[last]-function[0], 1)
	})
}

// of is a figure of the function, which is at least 0 and at most the largest distance.
func (n Neighbourhood) of(figure func(function []float64) float64) stats.Interval {
	if len(n.Function) == 0 {
		return exactly(0)
	}
	function := make([]float64, len(n.Function))
	for d, pairs := range n.Function {
		function[d] = pairs.Estimate
	}
	x := figure(function)
	if n.without == nil {
		return exactly(x)
	}
	var without [groups]float64
	for g := range without {
		least := 0.0 // a function never falls
		for d, pairs := range n.Function {
			function[d] = max(pairs.Estimate+n.without[d][g], least)
			least = function[d]
		}
		without[g] = figure(function)
	}
	half := student * jackknife(without) * n.lean
	return stats.Interval{Estimate: x, Low: max(x-half, 0), High: min(x+half, float64(len(function)-1))}
}
