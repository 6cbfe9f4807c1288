package lab

import (
	"context"
	"math/rand/v2"

	"crawler/dedup"
)

// policy is a way to keep a filter good during a crawl.
type policy uint8

const (
	never    policy = iota // one filter from beginning to end
	clearing               // an empty filter at a restart, of which there is a number
	ageing                 // two filters of half the size; at a restart the older is dropped
	rebuild                // a new seed at every restart, rebuilt from the log
	reoffer                // and what the filter called "maybe" is offered to the new one
	lookup                 // and what the filter called "maybe" is looked up in the log
	policies
)

var policyNames = [policies]string{
	"never restarted", "cleared", "two ageing generations", "rebuilt, new seed",
	"rebuilt, maybes re-offered", "rebuilt, maybes looked up",
}

// maxRefetch is how many times its pages a simulated crawl fetches at most: one that
// forgets may go round in circles for ever.
const maxRefetch = 8

// outcome is what a simulated crawl did.
type outcome struct {
	lost     int // pages that could be reached and were not fetched
	again    int // fetches of pages that were fetched before
	restarts int
	maybes   int  // logged, to be offered or looked up again
	cut      bool // ended because it had fetched maxRefetch times the pages
}

// simulation is one crawl, breadth first, of a graph through a filter.
type simulation struct {
	graph  *Graph
	policy policy
	size   dedup.Size
	every  int // pages admitted from one restart to the next
	most   int // restarts of a crawl that clears; without a limit it would not end
	rnd    *rand.Rand

	hash     []uint64
	admitted []bool
	log      []uint32 // admitted pages, in order: the exact log and the queue at once
	maybes   []uint32
	filter   *dedup.Bloom
	old      *dedup.Bloom // ageing
	since    int          // admitted since the restart
	outcome
}

// simulate crawls the graph with bits of filter memory for each page that can be
// reached, and restarts the filter the given number of times. When ctx ends, it is cut short.
func simulate(ctx context.Context, g *Graph, p policy, reachable int, bits float64, restarts int, seed uint64) outcome {
	s := &simulation{
		graph: g, policy: p, rnd: rand.New(rand.NewPCG(seed, 2)),
		size:     dedup.Size{Bits: int64(bits * float64(reachable)), Lines: 1},
		every:    max(1, reachable/(restarts+1)),
		most:     restarts,
		hash:     make([]uint64, g.Pages()),
		admitted: make([]bool, g.Pages()),
	}
	for i := range s.hash {
		s.hash[i] = s.rnd.Uint64()
	}
	if p == ageing {
		s.size.Bits /= 2
		s.old = dedup.NewBloom(s.size, s.rnd.Uint64())
	}
	s.filter = dedup.NewBloom(s.size, s.rnd.Uint64())
	s.crawl(ctx, reachable)
	return s.outcome
}

func (s *simulation) crawl(ctx context.Context, reachable int) {
	for _, p := range s.graph.seeds {
		s.offer(p)
	}
	next := 0
	for {
		for ; next < len(s.log) && !s.cut; next++ {
			for _, p := range s.graph.links(s.log[next]) {
				s.offer(p)
			}
			if s.due() {
				s.restart()
			}
			s.cut = next+1 >= maxRefetch*reachable || next%contextEvery == 0 && ctx.Err() != nil
		}
		// The last generation's maybes are looked up before the crawl may end.
		if s.cut || len(s.maybes) == 0 {
			break
		}
		s.restart()
	}
	distinct := 0
	for _, a := range s.admitted {
		if a {
			distinct++
		}
	}
	s.lost, s.again = reachable-distinct, next-distinct
}

// due reports whether it is time for a restart.
func (s *simulation) due() bool {
	return s.since >= s.every && s.policy != never && (s.policy != clearing || s.restarts < s.most)
}

// offer asks the filter about a page, and admits what is new.
func (s *simulation) offer(p uint32) {
	h := s.hash[p]
	if s.old != nil && s.old.Has(h) {
		return
	}
	if s.filter.Add(h) {
		s.admit(p)
		return
	}
	if s.policy >= reoffer {
		s.maybes = append(s.maybes, p)
		s.outcome.maybes++
	}
}

func (s *simulation) admit(p uint32) {
	s.log = append(s.log, p)
	s.admitted[p] = true
	s.since++
}

// restart begins a new epoch.
func (s *simulation) restart() {
	s.restarts++
	s.since = 0
	if s.policy == ageing {
		s.old = s.filter
	}
	s.filter = dedup.NewBloom(s.size, s.rnd.Uint64())
	if s.policy < rebuild {
		return
	}
	for _, p := range s.log {
		s.filter.Add(s.hash[p])
	}
	for _, p := range s.maybes {
		switch {
		case s.policy == lookup && !s.admitted[p]:
			s.filter.Add(s.hash[p])
			s.admit(p)
		case s.policy == reoffer && s.filter.Add(s.hash[p]):
			s.admit(p)
		}
	}
	s.maybes = s.maybes[:0]
}
