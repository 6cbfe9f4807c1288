package ring

import (
	"cmp"
	"math/bits"
	"slices"

	"crawler/internal/splitmix"
)

// Node is a machine: a hash of its name.
type Node uint64

// Point is a place on the circle where a machine stands.
type Point struct {
	At   uint64 // of 2^64
	Node int    // its place in the list of machines
}

// Ring is machines on the unit circle, which is the 64-bit numbers: a key belongs to the
// machine at the first point that is not below it, and behind the last point to the first
// one. A machine that joins takes keys from others and moves none between those ("monotone").
//
// With one point each the shares of the machines differ as gaps between random points do, by a
// factor of the order of log n; each further point of a machine evens them out, to a relative
// standard deviation of one over the root of the points. Owner takes about 10 ns. A Ring is
// read only.
type Ring struct {
	points []Point
	start  []uint32 // the first point not below i << shift
	shift  int
	nodes  int
}

// LogPoints is how many points the literature gives each of n machines: log2 n, rounded up.
func LogPoints(n int) int { return max(1, bits.Len(uint(max(n, 1)-1))) }

// New returns the ring of machines with the given number of points each, at least 1. Two
// points at one place belong to the machine first in the list.
func New(nodes []Node, points int) *Ring {
	list := make([]Point, 0, len(nodes)*max(points, 1))
	for i, n := range nodes {
		for p := range max(points, 1) {
			list = append(list, Point{splitmix.Finish(splitmix.Finish(uint64(n)) + uint64(p+1)*splitmix.Golden), i})
		}
	}
	return At(list)
}

// At returns the ring with the given points, for worked examples.
func At(points []Point) *Ring {
	r := &Ring{points: slices.Clone(points)}
	slices.SortFunc(r.points, func(a, b Point) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Node, b.Node)) })
	for _, p := range points {
		r.nodes = max(r.nodes, p.Node+1)
	}
	// A table of about as many parts as there are points: the points of one are few.
	width := bits.Len(uint(len(points)))
	r.shift = 64 - width
	r.start = make([]uint32, 1<<width)
	next := 0
	for i := range r.start {
		for next < len(r.points) && r.points[next].At < uint64(i)<<r.shift {
			next++
		}
		r.start[i] = uint32(next)
	}
	return r
}

// Owner returns the machine that a key belongs to, as its place in the list, or -1 if there
// are none.
func (r *Ring) Owner(key uint64) int {
	if len(r.points) == 0 {
		return -1
	}
	i := int(r.start[key>>r.shift])
	for i < len(r.points) && r.points[i].At < key {
		i++
	}
	if i == len(r.points) {
		i = 0 // around
	}
	return r.points[i].Node
}

// Shares returns which share of the circle each machine has.
func (r *Ring) Shares() []float64 {
	shares := make([]float64, r.nodes)
	for i, p := range r.points {
		before := r.points[(i+len(r.points)-1)%len(r.points)].At
		arc := p.At - before // modulo 2^64, as the circle is
		if len(r.points) == 1 {
			return []float64{1}
		}
		shares[p.Node] += float64(arc) * 0x1p-64
	}
	return shares
}

// Rendezvous returns the machine that a key belongs to by highest random weight, as its place in
// the list, or -1 if there are none. It takes 2 ns a machine.
func Rendezvous(nodes []Node, key uint64) int {
	best, most := -1, uint64(0)
	for i, n := range nodes {
		if w := weight(n, key); best < 0 || w > most {
			best, most = i, w
		}
	}
	return best
}

// weight is how much a machine wants a key.
func weight(n Node, key uint64) uint64 {
	return splitmix.Finish(splitmix.Finish(uint64(n)) ^ splitmix.Finish(key+splitmix.Golden))
}
