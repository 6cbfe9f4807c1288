package trap

// The evidence that a verdict needs.
const (
	leastPages = 8 // before a pattern is judged by itself
	warmPages  = 8 // first pages, whose links back are remembered, not counted
	copyPages  = 10
	textPages  = 16
	growPages  = 12
	mazePages  = 32

	leastForms    = 3    // decayed sum: at least four pages
	mostCopies    = 0.65 // share of copies
	leastFertile  = 0.5  // share of the barren pages that link to new URLs
	openSlack     = 0.7  // factor to the bounds below which a closed pattern opens
	ownShare      = 0.6  // of URLs found on the pattern's own pages
	leastFresh    = 0.03 // share of the pairs that are no template
	datedFresh    = 0.2  // the same for a calendar
	combinedFresh = 0.33 // the same if parameters are combined
	facetParams   = 2
	leastOwn      = 0.05 // fresh and recurring pairs a page, of those sampled
	growShare     = 0.9  // of URLs longer than those they were found on
	largeURL      = 24   // segments and parameters
	longURL       = 320  // bytes
	copiesFresh   = 0.1  // share of fresh pairs among all; a maze with less is one page many times
	mazeFertile   = 0.98 // share of pages with new URLs
	mazeRooted    = 0.9  // share of pages that link back up: a tree of directories has more
	mazeBirths    = 1.5  // new URLs a page
	mazeBack      = 0.05 // URLs known before, a page
)

// verdict is the kind of trap that the evidence shows, "" for none.
func (p *pattern) verdict() Kind {
	t, l, copies := &p.text, &p.links, mostCopies*p.slack()
	switch {
	case (p.barrenBreeds() || p.pages >= copyPages && p.mostly(t.dated)) && t.forms >= leastForms && t.formCopies >= copies*t.forms:
		return p.copied()
	case p.barrenBreeds() && t.olds >= leastForms && t.oldCopies >= copies*t.olds && p.rename():
		return p.renamed()
	case l.own < ownShare*l.weight:
		return ""
	case p.pages >= growPages && l.grown >= growShare*l.weight && (p.largest >= largeURL || p.longest >= longURL):
		return Growing
	case p.pages >= textPages && p.stale() && (p.barrenBreeds() || p.mostly(t.dated)):
		return p.staleKind()
	case p.pages >= mazePages && p.maze():
		if t.fresh < copiesFresh*(t.fresh+t.recurring+t.common) {
			return Copies
		}
		return Maze
	}
	return ""
}

// barrenBreeds reports whether pages with nothing new link to new URLs. Those of a trap do,
// without end. An honest site's empty pages are finite: someone listed them (a reference
// has a page even for a class nobody uses). A page that lists the days of a calendar has no
// end, though.
func (p *pattern) barrenBreeds() bool {
	l := &p.links
	return p.pages >= copyPages && l.barren >= leastForms && l.barrenFertile >= leastFertile*p.slack()*l.barren
}

// slack is the factor that lowers the bounds for a closed pattern, so that one page with an
// event does not open a calendar.
func (p *pattern) slack() float32 {
	if p.closed != "" {
		return openSlack
	}
	return 1
}

// stale reports whether the pages have nothing new besides their template. It is false if
// only the template of the pages was sampled.
func (p *pattern) stale() bool {
	own := p.text.fresh + p.text.recurring
	return own >= leastOwn*p.text.weight && p.text.fresh*p.slack() < p.need()*own
}

// need is the least share of fresh pairs, among those that are no template, of an open
// pattern.
func (p *pattern) need() float32 {
	switch {
	case p.mostly(p.text.combined):
		return combinedFresh
	case p.mostly(p.text.dated):
		return datedFresh
	}
	return leastFresh
}

// copied names the trap that has one page for all addresses.
func (p *pattern) copied() Kind {
	if p.mostly(p.text.dated) {
		return Calendar
	}
	return Copies
}

// rename reports whether a copy of a known form is the same page under another address,
// rather than a mirror's.
func (p *pattern) rename() bool {
	return !p.wide || p.hosts >= manyHosts || p.mostly(p.text.keyed)
}

// renamed names the trap that has endlessly many addresses for each of its pages.
func (p *pattern) renamed() Kind {
	switch {
	case p.mostly(p.text.keyed):
		return Session
	case p.hosts >= manyHosts:
		return Subdomains
	}
	return Facets
}

// renames reports whether URLs of a new form may bring new pages even though the pattern is
// closed.
func (p *pattern) renames() bool {
	return p.closed == Session || p.closed == Subdomains
}

// staleKind names the trap whose pages say nothing new.
func (p *pattern) staleKind() Kind {
	switch {
	case p.mostly(p.text.combined):
		return Facets
	case p.mostly(p.text.dated):
		return Calendar
	}
	return Pattern
}

// maze reports whether the links are a maze's. If pages recur under other addresses, links
// to those addresses are no new pages.
func (p *pattern) maze() bool {
	l := &p.links
	return l.fertile >= mazeFertile*l.weight && l.born >= mazeBirths*l.weight && l.back <= mazeBack*l.weight &&
		l.rooted < mazeRooted*l.weight && p.text.oldCopies <= p.text.olds/2
}

// vouches reports whether the pattern has shown enough to be open even if the wide one is
// closed: it has pages enough and no sign of a trap.
func (p *pattern) vouches() bool {
	if p.closed != "" || p.text.formCopies+p.text.oldCopies >= mostCopies/2*p.text.weight {
		return false
	}
	if p.links.own < ownShare*p.links.weight {
		return p.pages >= leastPages
	}
	return p.pages >= textPages && !p.maze()
}

// update closes or opens the pattern by its verdict, and reports whether it opened.
func (p *pattern) update() (opened bool) {
	k := p.verdict()
	switch {
	case p.closed == "" && k != "":
		p.closed, p.refused, p.wait = k, 0, firstWait
	case p.closed != "" && k == "":
		p.closed = ""
		return true
	case k != "":
		p.closed = k
	}
	return false
}

const (
	firstWait = 8
	mostWait  = 1 << 14
)

// probe counts a refusal and reports whether the URL must be let through instead.
func (p *pattern) probe() bool {
	p.refused++
	if p.refused < p.wait {
		return false
	}
	p.refused, p.wait = 0, min(2*p.wait, mostWait)
	return true
}
