package bsp

import (
	"context"
	"slices"

	"crawler/internal/splitmix"
)

// Strong finds the strongly connected components: the nodes that can reach each other. It
// needs the graph and its transpose, and 16 bytes a node.
//
// It goes by rounds of two runs (Orzan, On distributed verification and verified
// distribution, 2004; Blelloch and others, Parallelism in randomized incremental
// algorithms, 2016). Every node learns of the first node, in a random order, that
// reaches it within its class; that one's component are those in its new class that reach
// it. The classes of a round are the next one's limits, so their number is expected to
// grow with the logarithm of the nodes only.
func Strong(ctx context.Context, c Config, g, transpose Graph) (Components, Summary, error) {
	n := g.Nodes()
	s := &strong{class: make([]uint32, n), first: make([]uint32, n), next: make([]uint32, n), of: make([]uint32, n)}
	for v := range n {
		s.of[v] = None
	}
	var sum Summary
	for slices.Contains(s.of, None) {
		c.Listeners = g
		forth, err := Run(ctx, c, transpose, (*colouring)(s))
		if sum.add(forth); err != nil {
			return nil, sum, err
		}
		c.Listeners = transpose
		back, err := Run(ctx, c, g, (*collecting)(s))
		if sum.add(back); err != nil {
			return nil, sum, err
		}
		copy(s.class, s.first)
	}
	return s.named(), sum, nil
}

// strong is the state of the rounds, by node.
type strong struct {
	class []uint32 // what first was after the last round
	first []uint32 // the first node of the class that reaches it, as far as known
	next  []uint32 // first, before Commit
	of    []uint32 // the first node of its component, None while that is not found
}

// sooner is the random order of nodes.
func sooner(v, w uint32) bool {
	return splitmix.Finish(uint64(v)+splitmix.Golden) < splitmix.Finish(uint64(w)+splitmix.Golden)
}

// named names each component by its smallest node.
func (s *strong) named() Components {
	for v := range s.next {
		s.next[v] = None
	}
	for v, of := range s.of {
		s.next[of] = min(s.next[of], uint32(v))
	}
	for v, of := range s.of {
		s.of[v] = s.next[of]
	}
	return s.of
}

// colouring runs on the transpose: nodes without a component say who reaches them.
type colouring strong

// Compute implements Program.
func (s *colouring) Compute(v int, from []uint32, t *Turn) Vote {
	if s.of[v] != None {
		return 0
	}
	if t.Superstep == 0 {
		s.next[v] = uint32(v)
		return Speak
	}
	first := s.first[v]
	for _, u := range from {
		if s.class[u] == s.class[v] && s.first[u] != first && sooner(s.first[u], first) {
			first = s.first[u]
		}
	}
	if first == s.first[v] {
		return 0
	}
	s.next[v] = first
	return Speak
}

// Commit implements Program.
func (s *colouring) Commit(v int) { s.first[v] = s.next[v] }

// Barrier implements Program.
func (s *colouring) Barrier(Superstep) bool { return false }

// collecting runs on the graph: those that reach the first of their class say so.
type collecting strong

// Compute implements Program. All in from found their component in this round.
func (s *collecting) Compute(v int, from []uint32, t *Turn) Vote {
	if s.of[v] != None {
		return 0
	}
	if t.Superstep == 0 && s.first[v] == uint32(v) {
		return Speak
	}
	for _, u := range from {
		if s.first[u] == s.first[v] {
			return Speak
		}
	}
	return 0
}

// Commit implements Program.
func (s *collecting) Commit(v int) { s.of[v] = s.first[v] }

// Barrier implements Program.
func (s *collecting) Barrier(Superstep) bool { return false }
