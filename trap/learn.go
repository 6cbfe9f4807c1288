package trap

import (
	"cmp"
	"slices"
)

// Learn takes the page that Watch began, after its Links. Errors and redirects teach
// nothing unless they link to new URLs of their pattern: by their status they are no pages.
// It reports whether Reopened has something.
func (g *Guard) Learn(page Page) (reopened bool) {
	v := &g.view
	if v.url.IsZero() || page.Status >= 300 && v.wide.born == 0 {
		return false
	}
	g.page++
	s := v.shape
	fine := g.pattern(s.fine)
	if fine.name == "" {
		fine.name = g.shapes.nameOf(v.url)
	}
	vouched := fine.vouches()
	g.learn(fine, &v.fine, s, page)
	if !vouched {
		wide := g.pattern(s.wide)
		if wide.name == "" {
			wide.wide = true
			wide.name = g.shapes.wideName(v.url)
		}
		g.learn(wide, &v.wide, s, page)
	}
	g.shapes.learned(s.host)
	*v = view{}
	return len(g.opened) > 0
}

func (g *Guard) learn(p *pattern, k *ownLinks, s shape, page Page) {
	v := &g.view
	p.used = g.page
	copied := p.read(page, s.host, p.address(s))
	if (v.watched || v.briefly) && (copied || p.stale()) {
		p.readBarren(v.wide.born > 0)
	}
	if v.watched {
		p.found(k, int(s.length) > len(v.via.String()), v.rooted)
	}
	p.pages++
	if p.update() && len(g.opened) < len(g.patterns) {
		g.opened = append(g.opened, p.id)
	}
}

// pattern returns the pattern with an id, a new one if there is none.
func (g *Guard) pattern(id uint64) *pattern {
	p := g.patterns[id]
	if p == nil {
		if len(g.patterns) >= g.cfg.Patterns {
			g.forget()
		}
		p = &pattern{id: id}
		g.patterns[id] = p
	}
	return p
}

// forget drops half of the patterns: open ones first, then those unused for longest.
// Names of directories go too, when there is no more room for any.
func (g *Guard) forget() {
	all := g.sorted()
	slices.SortStableFunc(all, func(a, b *pattern) int {
		if (a.closed == "") != (b.closed == "") {
			if a.closed == "" {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.used, b.used)
	})
	for _, p := range all[:len(all)/2] {
		delete(g.patterns, p.id)
	}
	if len(g.shapes.kept) >= g.shapes.most {
		g.shapes.children, g.shapes.kept = map[uint64]uint8{}, map[uint64]struct{}{}
	}
	if len(g.shapes.pages) >= g.shapes.most {
		clear(g.shapes.pages)
		g.shapes.host = ""
	}
}

// sorted returns the patterns by id, since the sequence of a map must not show.
func (g *Guard) sorted() []*pattern {
	all := make([]*pattern, 0, len(g.patterns))
	for _, p := range g.patterns {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *pattern) int { return cmp.Compare(a.id, b.id) })
	return all
}

// Reopened returns the ids of the patterns that were closed and have opened since the last
// call: the URLs they refused may be offered again.
func (g *Guard) Reopened() []uint64 {
	opened := g.opened
	g.opened = nil
	return opened
}

// Closed is a pattern that refuses URLs.
type Closed struct {
	ID      uint64
	Pattern string
	Kind    Kind
	Pages   int // fetched of it, probes included
}

// Closed returns the patterns that are closed, by name.
func (g *Guard) Closed() []Closed {
	var all []Closed
	for _, p := range g.sorted() {
		if p.closed != "" {
			all = append(all, Closed{p.id, p.name, p.closed, int(p.pages)})
		}
	}
	slices.SortStableFunc(all, func(a, b Closed) int { return cmp.Compare(a.Pattern, b.Pattern) })
	return all
}
