package bsp

import (
	"context"
	"fmt"
	"math/bits"
	"sync"

	"crawler/stats"
)

// MaxPairs is how many nodes Pairs takes at most.
const MaxPairs = 1 << 17

// Pairs counts the pairs of nodes (v, w) with at most d links from v to w exactly, by d: what
// Neighbourhoods estimates. It searches from 64 nodes at a time, a bit of a word each (Then et
// al., The more the merrier: efficient multi-source graph traversal, 2014), in c.Workers
// goroutines. Ten thousand nodes with ten links each take a quarter of a second; time grows with
// nodes times links. Memory is 4 bytes a link, and 24 a node for each worker.
func Pairs(ctx context.Context, c Config, g Graph) (Neighbourhood, error) {
	n := g.Nodes()
	if n > MaxPairs {
		return Neighbourhood{}, fmt.Errorf("%d nodes: their pairs are counted exactly up to %d, take Neighbourhoods", n, MaxPairs)
	}
	c = c.orDefault(g)
	first, to := make([]int, 1, n+1), make([]uint32, 0, g.Edges())
	err := each(ctx, g, 0, n, func(_ int, list []uint32) {
		to = append(to, list...)
		first = append(first, len(to))
	})
	if err != nil {
		return Neighbourhood{}, err
	}
	batches := (n + 63) / 64
	found := make([][]int64, c.Workers) // by worker and distance
	var workers sync.WaitGroup
	for w := range c.Workers {
		workers.Go(func() {
			s := newSearches(first, to)
			for batch := w; batch < batches && ctx.Err() == nil; batch += c.Workers {
				s.from(64*batch, min(64*batch+64, n))
			}
			found[w] = s.found
		})
	}
	workers.Wait()
	if ctx.Err() != nil {
		return Neighbourhood{}, ctx.Err()
	}
	return pairsOf(found), nil
}

// pairsOf adds up what the workers found at each distance.
func pairsOf(found [][]int64) Neighbourhood {
	r := Neighbourhood{Whole: true}
	total := int64(0)
	for d := 0; ; d++ {
		more := int64(0)
		for _, f := range found {
			if d < len(f) {
				more += f[d]
			}
		}
		if more == 0 && d > 0 {
			return r
		}
		total += more
		r.Function = append(r.Function, exactly(float64(total)))
	}
}

// searches are breadth-first searches from up to 64 nodes at once.
type searches struct {
	first           []int
	to              []uint32
	met, now, next  []uint64 // by node: from which of the 64 it was met, just now, and is met next
	reached, queued []uint32 // nodes with bits in now, and in next
	found           []int64  // pairs first met at each distance, over all searches
}

func newSearches(first []int, to []uint32) *searches {
	n := len(first) - 1
	return &searches{first: first, to: to, met: make([]uint64, n), now: make([]uint64, n), next: make([]uint64, n)}
}

// from searches from the nodes from..end-1.
func (s *searches) from(from, end int) {
	clear(s.met)
	s.reached = s.reached[:0]
	for v := from; v < end; v++ {
		s.met[v] = 1 << (v - from)
		s.now[v] = s.met[v]
		s.reached = append(s.reached, uint32(v))
	}
	s.count(0, int64(end-from))
	for d := 1; len(s.reached) > 0; d++ {
		s.count(d, s.step())
	}
}

// step goes one link further and returns how many pairs are new.
func (s *searches) step() (pairs int64) {
	s.queued = s.queued[:0]
	for _, v := range s.reached {
		bit := s.now[v]
		s.now[v] = 0
		for _, w := range s.to[s.first[v]:s.first[v+1]] {
			if more := bit &^ s.met[w]; more != 0 {
				if s.next[w] == 0 {
					s.queued = append(s.queued, w)
				}
				s.next[w] |= more
			}
		}
	}
	for _, w := range s.queued {
		s.met[w] |= s.next[w]
		pairs += int64(bits.OnesCount64(s.next[w]))
	}
	s.now, s.next = s.next, s.now
	s.reached, s.queued = s.queued, s.reached
	return pairs
}

func (s *searches) count(d int, pairs int64) {
	if d == len(s.found) {
		s.found = append(s.found, 0)
	}
	s.found[d] += pairs
}

// exactly is the interval of a figure known without error.
func exactly(x float64) stats.Interval { return stats.Interval{Estimate: x, Low: x, High: x} }
