package graph

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// An oracle is a reader of its own, written from the papers and slow on purpose: it
// takes the graph as a text of zeros and ones and shares nothing with the package but the
// parameters.
type oracle struct {
	bits string
	p    Params
}

// bitString returns data as text.
func bitString(data []byte) string {
	var s strings.Builder
	for _, b := range data {
		fmt.Fprintf(&s, "%08b", b)
	}
	return s.String()
}

func (o *oracle) number(bits int) int {
	v := 0
	for _, c := range o.bits[:bits] {
		v = v*2 + int(c-'0')
	}
	o.bits = o.bits[bits:]
	return v
}

func (o *oracle) unary() int {
	n := strings.IndexByte(o.bits, '1')
	o.bits = o.bits[n+1:]
	return n
}

func (o *oracle) code(c Code) int {
	switch c {
	case Unary:
		return o.unary()
	case Gamma:
		l := o.unary()
		return 1<<l + o.number(l) - 1
	case Delta:
		l := o.code(Gamma)
		return 1<<l + o.number(l) - 1
	}
	h := o.unary()
	lowest := int(math.Pow(2, float64(h*o.p.ZetaK)))
	size := int(math.Pow(2, float64(h*o.p.ZetaK+o.p.ZetaK))) - lowest
	return lowest + o.minimal(size) - 1
}

// minimal reads a number below size in minimal binary code: with s = ceil(log2 size), the
// first 2^s - size numbers take s-1 bits, the others s.
func (o *oracle) minimal(size int) int {
	s := 0
	for 1<<s < size {
		s++
	}
	short := 1<<s - size
	if s == 0 {
		return 0
	}
	x := o.number(s - 1)
	if x < short {
		return x
	}
	return x*2 + o.number(1) - short
}

// signed undoes the map of integers to natural numbers.
func signed(x int) int {
	if x%2 == 0 {
		return x / 2
	}
	return -(x + 1) / 2
}

// lists reads the successors of n nodes, as sets by node.
func (o *oracle) lists(n int) []map[int]bool {
	all := make([]map[int]bool, n)
	for node := range all {
		all[node] = o.list(node, all)
	}
	return all
}

func (o *oracle) list(node int, before []map[int]bool) map[int]bool {
	list := map[int]bool{}
	degree := o.code(o.p.Outdegrees)
	if degree == 0 {
		return list
	}
	if o.p.Window > 0 {
		if ref := o.code(o.p.References); ref > 0 {
			o.copy(sorted(before[node-ref]), list)
		}
	}
	if o.p.MinInterval > 0 && len(list) < degree {
		last := 0
		for i := range o.code(Gamma) {
			left := o.code(Gamma) + last + 1
			if i == 0 {
				left = node + signed(left-1)
			}
			for size := o.code(Gamma) + o.p.MinInterval; size > 0; size-- {
				list[left] = true
				left++
			}
			last = left
		}
	}
	for last, first := 0, true; len(list) < degree; first = false {
		x := o.code(o.p.Residuals)
		if first {
			last = node + signed(x)
		} else {
			last += x + 1
		}
		list[last] = true
	}
	return list
}

// copy reads copy blocks into list.
func (o *oracle) copy(from []int, list map[int]bool) {
	count := o.code(o.p.BlockCounts)
	at := 0
	for i := range count + 1 {
		size := len(from) - at
		if i < count {
			if size = o.code(o.p.Blocks); i > 0 {
				size++
			}
		}
		if i%2 == 0 {
			for _, x := range from[at : at+size] {
				list[x] = true
			}
		}
		at += size
	}
}

func sorted(set map[int]bool) (list []int) {
	highest := -1
	for x := range set {
		highest = max(highest, x)
	}
	for x := 0; x <= highest; x++ {
		if set[x] {
			list = append(list, x)
		}
	}
	return list
}

// TestOracle has what the package writes read by the oracle.
func TestOracle(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	for shape, a := range shapes(rnd(2)) {
		if len(a) > 1000 {
			continue
		}
		for name, p := range parameters() {
			p, err := p.normal()
			if err != nil {
				t.Fatal(err)
			}
			_, data, _ := encode(t, a, p)
			o := oracle{bitString(data), p}
			for node, set := range o.lists(len(a)) {
				list := sorted(set)
				if fmt.Sprint(list) != fmt.Sprint([]uint32(a[node])) {
					t.Fatalf("%s, %s: node %d: the oracle reads %v, want %v", shape, name, node, list, a[node])
				}
			}
			if len(strings.Trim(o.bits, "0")) > 0 || len(o.bits) > 7 {
				t.Errorf("%s, %s: %d bits are left", shape, name, len(o.bits))
			}
		}
	}
}
