package trap

// A page is a twin of another if it says what that one said, and no more besides than that did: one
// page under two names, with a quotation or an advertisement that changes with each answer. A
// reply, which has most of what it answers and its own text, is none.
const (
	leastTwin = 4 // words that the two have in common, of those that are sampled of all pages
	fewSaid   = 3 // pages: what more have said stands on many of a site, and is not one's own
)

// origins are the pages that said a page's words last, by their number modulo 2^16.
type origins struct {
	of [MaxSample / 2]uint16
	n  int
}

// note adds the last page that said a word, if only a few did. a and b are what is known of the
// word's two grams.
func (o *origins) note(a, b sight) {
	for _, s := range [...]sight{a, b} {
		if s.times > 0 && s.times <= fewSaid && !s.again {
			o.of[o.n] = s.page
			o.n++
			return
		}
	}
}

// most returns the page that said more than half of the words, and how many it said. If there is
// none it returns any of them.
func (o *origins) most() (page uint16, words int) {
	votes := 0
	for _, p := range o.of[:o.n] {
		switch {
		case p == page && votes > 0:
			votes++
		case votes == 0:
			page, votes = p, 1
		default:
			votes--
		}
	}
	for _, p := range o.of[:o.n] {
		if p == page {
			words++
		}
	}
	return page, words
}

// twinOf returns the page of which the one that is being learned is a twin, if there is one. The
// page being learned has the given number of words, and by tells which pages said them before. Only
// words that are sampled of all pages, and belong to no template, count. Two pages are twins if
// they share two thirds of the words of each, and the later one has no more than one word more: a
// reply has more. It also records the number of words, for the pages to come.
func (g *Guard) twinOf(words int, by *origins) (page uint16, ok bool) {
	g.texts.put(saidBy(uint16(g.page)), uint16(g.page), uint8(words))
	if g.off&ruleTwins != 0 || by.n < leastTwin {
		return 0, false
	}
	page, same := by.most()
	had := g.texts.times(saidBy(page))
	return page, 3*same >= 2*max(words, had) && words <= had+1
}

// saidBy is the hash under which the number of a page's words is kept.
func saidBy(page uint16) uint64 { return mix(uint64(page), 36) }
