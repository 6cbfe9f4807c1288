package trap

// The evidence that a verdict needs.
const (
	leastPages = 8 // before a pattern is judged by itself
	warmPages  = 8 // their links that lead back are remembered, not counted
	copyPages  = 10
	textPages  = 16
	growPages  = 12
	mazePages  = 32

	leastForms    = 3    // decayed sum: four pages at the least
	mostCopies    = 0.65 // share of copies
	leastBred     = 0.5  // share that leads to new URLs of the pages that bring nothing
	openSlack     = 0.7  // what is left of a bound before a closed pattern opens
	ownShare      = 0.6  // of URLs found on the pattern's own pages
	leastFresh    = 0.03 // share of the pairs that are no template
	datedFresh    = 0.2  // the same of a calendar
	combinedFresh = 0.33 // the same where parameters are combined
	facetParams   = 2
	leastOwn      = 0.05 // fresh and recurring pairs a page, of those sampled
	growShare     = 0.9  // of URLs longer than those they were found on
	largeURL      = 24   // segments and parameters
	longURL       = 320  // bytes
	copiesFresh   = 0.1  // share of fresh pairs in all; a maze with less is one page in many places
	mazeFertile   = 0.98 // share of pages with new URLs
	mazeRooted    = 0.9  // share of pages that lead back up: a tree of directories has more
	mazeBirths    = 1.5  // new URLs a page
	mazeBack      = 0.05 // URLs known before, a page
)

// verdict is the kind of trap the evidence speaks for.
func (p *pattern) verdict() Kind {
	t, l, copies := &p.text, &p.links, mostCopies*p.slack()
	switch {
	case (p.breeds() || p.pages >= copyPages && p.mostly(t.dated)) && t.forms >= leastForms && t.formCopies >= copies*t.forms:
		return p.copied()
	case p.breeds() && t.olds >= leastForms && t.oldCopies >= copies*t.olds && p.rename():
		return p.renamed()
	case l.own < ownShare*l.weight:
		return ""
	case p.pages >= growPages && l.grown >= growShare*l.weight && (p.largest >= largeURL || p.longest >= longURL):
		return Growing
	case p.pages >= textPages && p.stale() && (p.breeds() || p.mostly(t.dated)):
		return p.staleKind()
	case p.pages >= mazePages && p.maze():
		if t.fresh < copiesFresh*(t.fresh+t.recurring+t.common) {
			return Copies
		}
		return Maze
	}
	return ""
}

// breeds reports whether pages that bring nothing lead to new URLs. Those of a trap do,
// without end. Others are as many as somebody listed: a reference has a page for all
// things, also for those of which there is nothing to say. (What lists the days of a
// calendar has no end, though.)
func (p *pattern) breeds() bool {
	l := &p.links
	return p.pages >= copyPages && l.idle >= leastForms && l.bred >= leastBred*p.slack()*l.idle
}

// slack is by how much a bound is lowered for a pattern that is closed: one page with an
// event does not open a calendar.
func (p *pattern) slack() float32 {
	if p.closed != "" {
		return openSlack
	}
	return 1
}

// stale reports whether what the pages say beside their template is not new. Of pages of
// which only the template was sampled it says nothing.
func (p *pattern) stale() bool {
	own := p.text.fresh + p.text.recurring
	return own >= leastOwn*p.text.weight && p.text.fresh*p.slack() < p.need()*own
}

// need is the share of fresh pairs among those that are no template.
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

// rename reports whether a copy of a known form is one under another name: not if it
// may be a mirror's.
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

// renames reports whether URLs of a new form may bring new pages all the same.
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

// maze reports whether the links are a maze's. Where pages come back under other names,
// links to such names are no new pages.
func (p *pattern) maze() bool {
	l := &p.links
	return l.fertile >= mazeFertile*l.weight && l.born >= mazeBirths*l.weight && l.back <= mazeBack*l.weight &&
		l.rooted < mazeRooted*l.weight && p.text.oldCopies <= p.text.olds/2
}

// vouches reports whether the pattern has shown enough to be open whatever the wide one
// says: it is of age and nothing yet speaks for a trap.
func (p *pattern) vouches() bool {
	if p.closed != "" || p.text.formCopies+p.text.oldCopies >= mostCopies/2*p.text.weight {
		return false
	}
	if p.links.own < ownShare*p.links.weight {
		return p.pages >= leastPages
	}
	return p.pages >= textPages && !p.maze()
}

// settle closes or opens the pattern as the evidence says, and reports whether it opened.
func (p *pattern) settle() (opened bool) {
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

// probe counts a refusal and reports whether it is to be let through instead.
func (p *pattern) probe() bool {
	p.refused++
	if p.refused < p.wait {
		return false
	}
	p.refused, p.wait = 0, min(2*p.wait, mostWait)
	return true
}
