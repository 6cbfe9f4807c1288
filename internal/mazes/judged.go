package mazes

import (
	"hash/fnv"
	"strings"
)

// Half says who may look at what a guard does on a site.
type Half string

const (
	Table Half = "table" // named in the complaint that made the guard be written again
	Open  Half = "open"  // bounds may be set on it
	Newer Half = "newer" // written after it: since 2026-11-24 defects may be found on it
	Apart Half = "apart" // nothing may be tuned on it

	Newest Half = "newest" // written after that: looked at since 2026-11-24, too
	Later  Half = "later"  // nor may anything be tuned on what was written last
)

// Held reports whether no bound may be set on the half.
func (h Half) Held() bool { return h != Table && h != Open }

// templates are the words that every page of a judged site has in common: five seeds in a row
// give a site each of them once.
var templates = []int{0, 20, 120, 400, 800}

// Judged returns the sites that judge a guard, honest ones and traps of each Half. Honest
// sites have size pages or a few less, unless their kind has fewer; from size 5000 on the
// sites of the Table have as many as where they were first seen, up to 5,447. Each has Shape,
// Half, Pages and Template. The honest pages of a trap's site, some hundreds whatever the size,
// can all be reached without a trap page. Its trap pages have no end, or one beyond 2,000.
func Judged(seed uint64, size int) []*Site {
	var all []*Site
	add := func(half Half, sites []*Site) {
		for _, s := range sites {
			s.Half = half
			all = append(all, s)
		}
	}
	add(Table, tablePlans(size))
	for _, p := range openPlans() {
		add(Open, p.sites(size))
	}
	for _, p := range apartPlans() {
		add(Apart, p.sites(size))
	}
	words, ranks := vocabulary(seed), zipf(seed)
	for _, s := range all {
		s.furnish(seed, words, ranks)
	}
	for _, g := range []struct {
		half  Half
		traps []blog
	}{{Table, tableTraps()}, {Open, openTraps()}, {Apart, apartTraps()}, {Newer, newerTraps()}, {Newest, newestTraps()}, {Later, laterTraps()}} {
		for _, b := range g.traps {
			s := b.site()
			s.furnish(seed, words, ranks)
			s.Pages = b.pages(s)
			add(g.half, []*Site{s})
		}
	}
	return all
}

// furnish gives a site what it draws from the seed.
func (s *Site) furnish(seed uint64, words []string, ranks []uint16) {
	s.seed, s.words, s.ranks, s.host = seed, words, ranks, host(s.Name)
	if s.Seed == "" {
		s.Seed = "http://" + s.host + "/"
	}
	if s.Template == 0 {
		h := fnv.New32a()
		h.Write([]byte(s.Name))
		s.Template = templates[(seed+uint64(h.Sum32()))%uint64(len(templates))]
	}
	s.template = s.text("template", s.Template)
}

// Serves reports whether a host is one of a judged site's.
func (s *Site) Serves(name string) bool {
	return name == s.host || strings.HasSuffix(name, "."+s.host) || s.addresses && strings.HasPrefix(name, "10.")
}
