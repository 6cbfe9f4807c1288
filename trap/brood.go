package trap

import "math/bits"

// brood counts pages whose links were watched, and their links to new URLs of their own pattern
// that are neither aspects nor known pages under other names.
type brood struct{ pages, bred uint64 }

func (b brood) plus(o brood) brood { return brood{b.pages + o.pages, b.bred + o.bred} }

// minus takes o away as far as it is in b: a wide pattern has what is of other hosts, too, and of
// patterns that were forgotten.
func (b brood) minus(o brood) brood {
	return brood{b.pages - min(b.pages, o.pages), b.bred - min(b.bred, o.bred)}
}

const (
	leastBred   = 2    // new URLs of the pattern itself, a page
	breedMargin = 1.25 // times those of the others: sections that are alike differ by less
	chainBred   = 0.9  // of a chain: the same
	breedTurns  = 64   // one page in as many is judged without, so nothing holds it up for ever
	breedPages  = 64   // pages from which on it waits longer with each doubling
	manyPages   = 512  // the same of a pattern that does not breed
)

// later is how many ranks a URL waits longer than the chance of p says, the pattern that answers
// for it: if that breeds, if it may be a chain like others before it, or if it has had very many
// pages, since it may not show that they are made up. However good these are, what is a little less
// likely, and of which less is known, has its turn so.
func (g *Guard) later(a asked, p *pattern) uint8 {
	switch {
	case p == nil || g.off&ruleBreeds != 0 || mix(a.host, uint64(g.page))%breedTurns == 0:
		return 0
	case g.breeds(p, a.host):
		return p.breedRanks(g.hadWithKin(a, p))
	case p.wide:
		return 0
	case p.pages < endlessPages && a.domains != nil && a.domains.lengthens(a.domains.pages) && g.breeds(a.domains, a.host):
		return 1
	}
	return uint8(bits.Len32(g.had(a, p) / manyPages))
}

// hadWithKin returns what had does, or the number of pages of the pattern's kin that breed, if that
// is larger. If the pattern's URLs are spelt in several ways, only their spelling counts.
func (g *Guard) hadWithKin(a asked, p *pattern) uint32 {
	had := g.had(a, p)
	if k := g.kinOf(p); k != nil && a.spelt == 0 { // a wide pattern has no kin
		had = max(had, k.breeding)
	}
	return had
}

// had is how many pages a pattern has had; of a URL's own, if that is spelt in several ways, how
// many were spelt like the URL.
func (g *Guard) had(a asked, p *pattern) uint32 {
	if p != a.own || a.spelt == 0 {
		return p.pages
	}
	if s := g.spellings[a.spelt]; s != nil {
		return s.pages
	}
	return 0
}

// breedRanks is how many ranks a pattern that breeds comes later: one, and one more whenever it has
// had twice as many pages, from breedPages on. However good its pages are, others of which less is
// known have their turn so: a rank more lets a pattern that brings nothing have a page or two. A
// wide one answers for what is not known itself, so it is one.
func (p *pattern) breedRanks(had uint32) uint8 {
	if p.wide {
		return 1
	}
	return 1 + uint8(bits.Len32(had/breedPages))
}

// breeds reports whether the pages of a pattern lead to more and more of it, and those of the
// others of its host have led to fewer of theirs, or to one more each and no end is in sight: then
// URLs of these that are as likely should be fetched first, since they will end. While most of a
// site is not known all its pages lead to new ones of their kind, and breadth-first is best. Unlike
// born, bred counts URLs of the very pattern only, and no aspects: there are as many as there are
// pages.
func (g *Guard) breeds(p *pattern, host uint64) bool {
	k := g.kinOf(p)
	chain := p.lengthens(p.pages) || k != nil && p.pages < endlessPages && p.goesOn() && k.lengthens(k.pages)
	if !chain && (p.pages < settled || p.links == 0 || p.bred < leastBred*p.links) {
		return false
	}
	others := g.broods[host].minus(p.brood)
	return others.pages >= settled && (chain || float64(p.bred)*float64(others.pages) > breedMargin*float64(others.bred)*float64(p.links))
}

// lengthens reports whether a pattern with the given number of pages is a chain that shows no sign
// of ending, such as made-up pages of comments: nearly every page leads to the next one. Asked of a
// wide pattern or of kin, it tells whether the chains in them are like that, though each of these
// may still be short.
func (l *linked) lengthens(pages uint32) bool {
	return pages >= endlessPages && l.ownFound() &&
		l.bred >= chainBred*l.links && l.bred < mostChained*l.links && l.goesOn()
}

// goesOn reports whether hardly any page is a leaf or lists one.
func (l *linked) goesOn() bool { return l.leaf <= (1-chainBred)*l.links }

// raise counts a page whose links were watched, unless its fine pattern was forgotten a moment ago,
// to make room for the wide one.
func (g *Guard) raise(fine, wide *pattern, e *event) {
	if g.patterns[fine.id] != fine {
		return
	}
	fine.host = e.shape.host
	page := brood{1, uint64(e.fine.bred)}
	g.broods[fine.host] = g.broods[fine.host].plus(page)
	fine.brood, wide.brood = fine.brood.plus(page), wide.brood.plus(page)
}

// leave takes the brood of a pattern out of that of its host.
func (g *Guard) leave(p *pattern) {
	if rest := g.broods[p.host].minus(p.brood); rest.pages > 0 {
		g.broods[p.host] = rest
	} else {
		delete(g.broods, p.host)
	}
}
