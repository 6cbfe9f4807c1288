package graph

import (
	"slices"
	"sync"
	"testing"
)

// TestScanFrom has scans of every part of a graph, which begin within chains of
// references, give the lists of the whole.
func TestScanFrom(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	a := copying(rnd(3), 60, 12)
	for name, p := range parameters() {
		g := compressed(t, a, p)
		for from := range a {
			for to := from; to <= len(a); to += 7 {
				s := g.Scan(from, to)
				for node := from; node < to; node++ {
					if list, ok := s.Next(); !ok || !slices.Equal(list, a[node]) {
						t.Fatalf("%s: %d to %d: node %d: %v, %v, %v, want %v", name, from, to, node, list, ok, s.Err(), a[node])
					}
				}
				if list, ok := s.Next(); ok || s.Err() != nil {
					t.Fatalf("%s: %d to %d: %v after the end, %v", name, from, to, list, s.Err())
				}
			}
		}
	}
}

// TestConcurrent reads one graph from many goroutines, for the race detector.
func TestConcurrent(t *testing.T) {
	a := copying(rnd(4), 2000, 10)
	g := open(t, store(t, a, DefaultParams()))
	var all sync.WaitGroup
	for part := range 8 {
		all.Go(func() {
			from, to := part*250, part*250+250
			s := g.Scan(from, to)
			var buf []uint32
			for node := from; node < to; node++ {
				list, _ := s.Next()
				other := (node * 7) % len(a)
				var err error
				if buf, err = g.Successors(other, buf); err != nil || !slices.Equal(buf, a[other]) || !slices.Equal(list, a[node]) {
					t.Errorf("node %d or %d: %v, %v", node, other, err, s.Err())
					return
				}
			}
		})
	}
	all.Wait()
}

func TestOutOfRange(t *testing.T) {
	g := compressed(t, adjacency{{0, 1}, {0}}, DefaultParams())
	for _, r := range [][2]int{{-1, 1}, {0, 3}, {2, 1}, {3, 3}} {
		s := g.Scan(r[0], r[1])
		if _, ok := s.Next(); ok || s.Err() == nil {
			t.Errorf("a scan from %d to %d of 2 nodes goes", r[0], r[1])
		}
	}
	for _, node := range []int{-1, 2} {
		if _, err := g.Successors(node, nil); err == nil {
			t.Errorf("node %d of 2 has successors", node)
		}
		if _, err := g.OutDegree(node); err == nil {
			t.Errorf("node %d of 2 has an outdegree", node)
		}
	}
}

// TestOffsets holds the compact offsets against a slice.
func TestOffsets(t *testing.T) {
	r := rnd(5)
	for _, gap := range []int{1, 2, 30, 1000, 1 << 20} {
		numbers := []uint64{0}
		for range 3000 {
			last := numbers[len(numbers)-1]
			if r.IntN(100) == 0 {
				last += uint64(gap) * 500 // far apart
			}
			numbers = append(numbers, last+uint64(r.IntN(gap)))
		}
		limit := numbers[len(numbers)-1] + 1
		o := newOffsets(len(numbers), limit)
		for _, x := range numbers {
			o.add(x)
		}
		for i, x := range numbers {
			if got := o.at(i); got != x {
				t.Fatalf("gaps to %d: number %d is %d, want %d", gap, i, got, x)
			}
		}
	}
}
