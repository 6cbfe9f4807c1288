package trap

import (
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"crawler/weburl"
)

// Watch begins a page that was fetched: u, found on via, which is zero for a seed. If it
// returns true, call Link for each link of the page, else for those to URLs that were not known
// before. Learn ends the page.
func (g *Guard) Watch(u, via weburl.URL) bool {
	s := *g.shapes.of(u)
	p := g.patterns[s.fine]
	v := &g.view
	*v = view{url: u, via: via, home: g.shapes.hostOf(u), event: event{shape: s, fine: ownLinks{id: s.fine}, wide: ownLinks{id: s.wide}, births: v.births[:0]}}
	if !via.IsZero() {
		from := g.shapes.of(via)
		v.from, v.fromSpelt = from.fine, g.shapes.spelt(via, from.fine, false)
		v.longer = int(s.length) > len(via.String())
		v.wide.own = from.wide == s.wide
		v.fine.own = v.wide.own && g.samePattern(from.fine, s.fine)
		if isAbout(u, via.String()) {
			v.added = g.added(u, via.String())
		}
		v.list = g.addedBy(via)
		v.below = v.wide.own && strings.HasPrefix(u.Path(), via.Path())
	}
	v.watched = p == nil || p.pages < watchedPages || p.owes >= g.suspect() || p.pages%watchEvery == 0
	return v.watched
}

const (
	watchedPages = 64
	watchEvery   = 16
)

// Link records a link of the page being watched, and whether its URL was known before.
func (g *Guard) Link(to weburl.URL, known bool) {
	v := &g.view
	if v.looked++; v.looked > MaxLinks || to == v.url || known && !v.watched {
		return
	}
	if v.watched && to == v.via {
		v.rooted = v.rooted || strings.HasPrefix(v.url.Path(), to.Path())
		if v.rooted {
			return
		}
	}
	if known && (v.backs == maxBack || !g.shapes.sameDomain(to, &v.home)) {
		return // it could only be one link back more, to a page of the wide pattern
	}
	hash := xxhash.Sum64String(to.String())
	h := mix(hash, 6)
	if slices.Contains(v.met[:v.nMet], h) || known && slices.Contains(v.back[:v.backs], fold(h)) {
		return // the page has the link twice
	}
	if known {
		// One into another pattern is a way out of the maze, so it counts whatever its pattern.
		if g.shapes.wideOf(to) == v.wide.id {
			v.leadBack(h)
		}
		return
	}
	g.bear(to, h)
	g.shapes.last = weburl.URL{} // a page's memory is used again
}

// bear records a link to a URL that was not known.
func (g *Guard) bear(to weburl.URL, h uint64) {
	v, s := &g.view, g.shapes.of(to)
	bears := v.nMet < maxBirths
	if bears {
		v.met[v.nMet] = h
		v.nMet++
		v.bear(s.fine, s.wide)
	}
	if s.wide != v.wide.id {
		return
	}
	if s.keyed && (g.texts.has(s.bare()) || s.bare() == v.shape.bare()) && !g.keysMatter(s) || g.renamed(s) || g.lacking(s) <= 0.5 {
		if v.backs < maxBack { // a known page, or this one, under another key or name
			v.leadBack(h)
		}
		return
	}
	if v.backs < maxBack && g.repeats(s) {
		v.leadBack(h)
	}
	v.wide.born++
	if g.samePattern(s.fine, v.fine.id) {
		v.fine.born++
	}
	if bears && !g.isAspect(to, v.url.String(), g.patterns[s.fine]) {
		v.wide.bred++
		if s.fine == v.fine.id {
			v.fine.bred++
		}
	}
}

// leadBack records a link to a known page.
func (v *view) leadBack(h uint64) {
	v.back[v.backs] = fold(h)
	v.backs++
}

// keysMatter reports whether the pages of a URL's pattern were others for other keys, such as the
// commits of a repository.
func (g *Guard) keysMatter(s *shape) bool {
	p := g.patterns[s.fine]
	return p != nil && p.pages >= settled && p.mostly(p.keyed) && !p.mostly(p.copies)
}

// renamed reports whether a link is as likely as not to lead to a known page under another name: a
// part of it is known, and that such URLs bring other pages was not seen yet. Since they wait, it
// may not be for long.
func (g *Guard) renamed(s *shape) bool {
	p := g.patterns[s.fine]
	if p == nil || p.params[0] == 0 {
		return false
	}
	now, _ := p.fresh(s, &g.texts, nil, false)
	return now <= 0.5
}

// repeats reports whether a link's path ends like the page's, after copies have been recognized by
// such ends: then it probably leads to the page itself, below another name.
func (g *Guard) repeats(s *shape) bool {
	p := g.patterns[s.wide]
	return s.tail != 0 && s.tail == g.view.shape.tail && p != nil && p.tried[tail].covers(p.tests)
}

// samePattern reports whether a, which has the same wide pattern as b, is b or too young to
// be known as another pattern: in a maze of random names most are that young.
func (g *Guard) samePattern(a, b uint64) bool {
	if a == b {
		return true
	}
	p := g.patterns[a]
	return p == nil || p.pages < settled
}

// ownLinks are the links of a page to URLs of its own pattern.
type ownLinks struct {
	id   uint64
	own  bool // the page was found on a page of the pattern
	born int  // links to URLs that were not known before
	bred int  // of those the ones of the very pattern that are no aspects, of the first maxBirths
}

// MaxLinks is how many links of a page are looked at.
const MaxLinks = 256

// The limits of what is kept of them.
const (
	maxBirths = 64
	maxBack   = 16
)
