package trap

// listed is the chance that a page like a URL does not ask not to be indexed, 1 if none did, by the
// rule of succession. Search results, histories and lists by tag ask that in many programs, and the
// report does not count what they say. It is no evidence against anything, and closes nothing: of
// some sites all pages ask.
func (g *Guard) listed(a asked) float32 {
	pages, like := uint32(0), a.fine
	switch s := g.spellings[a.spelt]; {
	case g.off&ruleCanonical != 0:
	case a.spelt == 0 && a.own != nil:
		pages = a.own.pages
	case s != nil:
		pages, like = s.pages, a.spelt
	}
	asked := uint32(g.texts.times(unlisted(like)))
	if pages == 0 || asked == 0 {
		return 1
	}
	pages = max(asked, min(pages, mostTimes))
	return float32(pages-asked+1) / float32(pages+2)
}

// mostTimes is what a counter of the texts counts to.
const mostTimes = 255

// unlisted is the hash under which the pages of a pattern, or of a spelling, are counted that asked
// not to be indexed.
func unlisted(like uint64) uint64 { return mix(like, 39) }
