package graph

import "math"

// An encoder writes successor lists in node order. For each list it counts the bits of
// writing it without a reference and with each of the Window lists before it whose chain
// of references is short enough, and takes the cheapest, the nearest among equals, as
// the framework does.
type encoder struct {
	*format
	w     *bitWriter
	node  int
	lists []past // the last Window+1 lists; that of node i at i mod (Window+1)
	plan  plan   // of the candidate being tried
	best  plan
	stats Stats
}

// past is a list that may serve as a reference.
type past struct {
	list  []uint32
	chain int // references from here to a list without one
}

// plan is how one list is written against one reference.
type plan struct {
	ref    int
	blocks []uint32
	extras []uint32
}

func newEncoder(f *format, w *bitWriter) *encoder {
	e := &encoder{format: f, w: w, lists: make([]past, f.Window+1)}
	e.stats.Nodes = f.nodes
	return e
}

// add writes the list of the next node: successors ascending, without duplicates.
func (e *encoder) add(list []uint32) {
	cur := &e.lists[e.node%len(e.lists)]
	cur.list = append(cur.list[:0], list...)
	e.stats.BitsOutdegrees += e.put(e.outdegree, uint64(len(list)))
	if len(list) > 0 {
		e.choose(cur)
		e.write(cur.list)
		e.stats.Arcs += int64(len(list))
		e.stats.refs += int64(cur.chain)
		e.stats.dists += int64(e.best.ref)
	}
	e.node++
}

// choose sets e.best to the cheapest way to write cur's list.
func (e *encoder) choose(cur *past) {
	cur.chain = 0
	cost := uint(math.MaxUint)
	for ref := 0; ref <= min(e.Window, e.node); ref++ {
		from := &e.lists[(e.node-ref)%len(e.lists)]
		if ref > 0 && (len(from.list) == 0 || e.MaxRefs >= 0 && from.chain >= e.MaxRefs) {
			continue
		}
		if c := e.try(ref, from.list, cur.list, cost); c < cost {
			cost = c
			e.plan, e.best = e.best, e.plan
			if ref > 0 {
				cur.chain = from.chain + 1
			}
		}
	}
}

// try fills e.plan with how list is written against the list ref nodes back (0: against
// none), and returns the bits that takes, or any number of at least limit if they are no
// fewer.
func (e *encoder) try(ref int, from, list []uint32, limit uint) uint {
	p := &e.plan
	p.ref, p.blocks, p.extras = ref, p.blocks[:0], p.extras[:0]
	cost := uint(0)
	if e.Window > 0 {
		cost += e.reference.len(uint64(ref))
	}
	if ref == 0 {
		p.extras = append(p.extras, list...)
		return cost + e.extrasCost(p.extras, limit)
	}
	if cost+e.blockCount.len(0) >= limit {
		return limit
	}
	p.compare(from, list)
	cost += e.blockCount.len(uint64(len(p.blocks)))
	for i, b := range p.blocks {
		if i > 0 {
			b--
		}
		cost += e.block.len(uint64(b))
	}
	if cost >= limit || len(p.extras) == 0 {
		return cost
	}
	return cost + e.extrasCost(p.extras, limit-cost)
}

// compare cuts the list from into blocks that are in turn copied and skipped, the last
// one left out, and collects the nodes of list that no block copies.
func (p *plan) compare(from, list []uint32) {
	blocks, extras := p.blocks, p.extras
	j, k, start := 0, 0, 0
	for copying := true; ; copying = !copying {
		if copying {
			j, k, extras = match(from, list, j, k, extras)
		} else {
			j, k, extras = skip(from, list, j, k, extras)
		}
		if j == len(list) || k == len(from) {
			// A skipped block at the end is left out; a copied one only when it
			// reaches the end of the reference.
			if copying && k < len(from) {
				blocks = append(blocks, uint32(k-start))
			}
			break
		}
		blocks = append(blocks, uint32(k-start))
		start = k
	}
	p.blocks, p.extras = blocks, append(extras, list[j:]...)
}

// match advances through both lists while every element of from is in list.
func match(from, list []uint32, j, k int, extras []uint32) (int, int, []uint32) {
	for j < len(list) && k < len(from) {
		switch a, b := list[j], from[k]; {
		case a == b:
			j++
			k++
		case a < b:
			extras = append(extras, a)
			j++
		default:
			return j, k, extras
		}
	}
	return j, k, extras
}

// skip advances through both lists while no element of from is in list.
func skip(from, list []uint32, j, k int, extras []uint32) (int, int, []uint32) {
	for j < len(list) && k < len(from) {
		switch a, b := list[j], from[k]; {
		case a == b:
			return j, k, extras
		case a < b:
			extras = append(extras, a)
			j++
		default:
			k++
		}
	}
	return j, k, extras
}

// run returns how many consecutive nodes begin at x[i].
func run(x []uint32, i int) int {
	n := 1
	for i+n < len(x) && x[i+n] == x[i]+uint32(n) {
		n++
	}
	return n
}

// extrasCost returns the bits of writing extras, of which there is at least one, as
// intervals and residuals; at limit it stops counting.
func (e *encoder) extrasCost(extras []uint32, limit uint) uint {
	var cost, intervals uint
	left, prev := int64(-1), int64(-1) // ends of the last interval; last residual
	for i := 0; i < len(extras) && cost < limit; {
		x := int64(extras[i])
		n := 1
		if e.MinInterval > 0 {
			n = run(extras, i)
		}
		if e.MinInterval > 0 && n >= e.interval {
			cost += e.gamma.len(e.gap(x, left, intervals == 0)) + e.gamma.len(uint64(n-e.MinInterval))
			left = x + int64(n)
			intervals++
			i += n
			continue
		}
		for end := i + n; i < end; i++ {
			x := int64(extras[i])
			cost += e.residual.len(e.gap(x, prev, prev < 0))
			prev = x
		}
	}
	if e.MinInterval > 0 {
		cost += e.gamma.len(uint64(intervals))
	}
	return cost
}

// gap returns the number that stands for x: how far it lies behind prev, or for the
// first of its kind from the node.
func (e *encoder) gap(x, prev int64, first bool) uint64 {
	if first {
		return int2nat(x - int64(e.node))
	}
	return uint64(x - prev - 1)
}
