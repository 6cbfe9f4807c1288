package trap

import "slices"

// span says how many URLs there may be of a pattern whose URLs have parameters: as many as its
// values can be combined, once no new value is met. Timetables by stop and day come to an end so,
// though each page leads to more of them while they are crawled.
type span struct {
	paths  uint32            // different paths
	values [maxParams]uint32 // different values of each parameter, in the sequence of params
	since  uint32            // pages since the last one that had a new path or value
}

// A pattern will end by itself if it has had twice as many pages without a new value as the thing
// that varies most has values, and pages enough, and if two things vary by which there are some
// budgets of URLs at most. Of a calendar by year and week each 52nd page has a new year. By three
// things or more it is a selection, of which nobody needs all.
const (
	spanPages   = 64
	spanSweeps  = 2
	spanBudgets = 10
	spanVary    = 2
)

// widen records the values of a page's URL; met remembers a hash, and returns how often it was met.
// Keys have no end, and neither have selections of several values by one name, so these count as
// new each time.
func (p *pattern) widen(s *shape, met func(uint64) uint8) {
	if s.params == 0 || p.wide {
		return
	}
	p.since++
	novel := s.params > len(s.first) || s.keyed
	if met(mix(mix(p.id, s.form), 14)) == 0 {
		p.paths++
		novel = true
	}
	var has [maxParams]bool
	for _, v := range s.values() {
		i := p.params.place(v.name)
		if i < 0 || has[i] {
			novel = true
			continue
		}
		has[i] = true
		if met(p.valued(v.name, v.value)) == 0 {
			p.values[i]++
			novel = true
		}
	}
	if novel {
		p.since = 0
	}
}

// combines reports whether a URL has several parameters that select something, as far as is known
// of its pattern: not one that has had the same value on all pages. Of a wide pattern that is not
// known.
func (p *pattern) combines(s *shape) bool {
	if s.params < facetParams || p.wide || s.params > len(s.first) {
		return s.params >= facetParams
	}
	n := 0
	for _, v := range s.values() {
		if i := slices.Index(p.params[:], v.name); i < 0 || p.values[i] > 1 {
			n++
		}
	}
	return n >= facetParams
}

// valued is under what a value of a parameter is remembered.
func (p *pattern) valued(name, value uint64) uint64 { return mix(mix(p.id, name), value) }

// spanned reports whether the pattern will end by itself, as far as its URLs' values say.
func (p *pattern) spanned(budget int) bool {
	if p.wide || p.paths == 0 || p.pages < spanPages {
		return false
	}
	all, most, vary := uint64(p.paths), p.paths, 0
	if p.paths > 1 {
		vary++
	}
	for _, n := range p.values {
		if n > 1 {
			all *= uint64(n)
			most = max(most, n)
			vary++
		}
	}
	return vary <= spanVary && all <= spanBudgets*uint64(budget) && p.since/spanSweeps >= most
}
