package trap

// A segment of a path is surplus if a site's pages are the same without it: a symbolic link to the
// directory in which it is, or a relative link where only the end of a path counts. URLs with such
// a segment, and without it known, wait as copies do.

// maxTerms is how many segments a path may have that is looked at.
const maxTerms = 12

// terms are what a path's segments without keys add to its form.
type terms struct {
	of [maxTerms]uint64
	n  uint8 // maxTerms+1 if there are more
}

func (t *terms) add(term uint64) {
	if t.n < maxTerms {
		t.of[t.n] = term
	}
	t.n = min(t.n+1, maxTerms+1)
}

// all returns the terms, none if there are too many.
func (t *terms) all() []uint64 {
	if t.n > maxTerms {
		return nil
	}
	return t.of[:t.n]
}

// withoutWhich returns a segment of a URL's path without which it is the path of a page that was
// fetched, 0 if there is none. Segments that are known to be surplus come first. Of the others the
// last is not tried, since the directory above was fetched of most pages.
func (g *Guard) withoutWhich(s *shape) (found uint64) {
	known := g.hasSurplus(s)
	segments := s.terms.all()
	for i, t := range segments {
		is := known && g.isSurplus(s, t)
		if !is && (found != 0 || i == len(segments)-1) || !g.texts.has(s.exact(s.form-t)) {
			continue
		}
		if found = t; is {
			break
		}
	}
	return found
}

// lacking is the chance that a URL brings another page than it does without segments that are
// surplus: 1 if no such page was fetched. Each alone is left out, all are, and all but the last.
func (g *Guard) lacking(s *shape) float32 {
	if !g.hasSurplus(s) {
		return 1
	}
	one, several := float32(1), float32(0)
	rest, last := s.form, uint64(0)
	for _, t := range s.terms.all() {
		if !g.isSurplus(s, t) {
			continue
		}
		same, others := g.texts.times(s.sameWithout(t)), g.texts.times(s.otherWithout(t))
		chance := float32(others+1) / float32(same+others+2)
		if g.texts.has(s.exact(s.form - t)) {
			one = min(one, chance)
		}
		several = max(several, chance)
		rest -= t
		last = t
	}
	if last != 0 && one == 1 && (g.texts.has(s.exact(rest)) || g.texts.has(s.exact(rest+last))) {
		return several
	}
	return one
}

// shorten learns whether a page is the one that was fetched without the segment e.surplus: it is if
// both have the same words, or are twins, and it is not if most of what it says is new. It also
// records the page's words with its path, for pages with more segments.
func (g *Guard) shorten(e *event, n *news, before *echo) {
	s, term := &e.shape, e.surplus
	g.remember(wordsAt(s.exact(s.form), e.page.AllHash))
	if term == 0 {
		return
	}
	without := s.exact(s.form - term)
	switch {
	case n.copied && g.texts.has(wordsAt(without, e.page.AllHash)), before.twin && n.near && before.of == g.texts.lastOf(without):
		g.remember(s.sameWithout(term))
		g.remember(s.renamed(surplus))
	case !n.unread && !n.copied && !n.near && 2*n.site >= 1 && g.isSurplus(s, term):
		g.remember(s.otherWithout(term))
	}
}

// wordsAt is the hash under which the words of a page are kept.
func wordsAt(page, words uint64) uint64 { return mix(mix(page, words), 40) }

func (g *Guard) hasSurplus(s *shape) bool {
	return g.off&ruleSurplus == 0 && g.texts.times(s.renamed(surplus)) >= leastRenamed
}

func (g *Guard) isSurplus(s *shape, term uint64) bool {
	return g.texts.times(s.sameWithout(term)) >= leastRenamed
}

// sameWithout is the hash under which the pages of a host are counted that are the same without a
// segment, and otherWithout that of the ones that are not, though it is surplus.
func (s *shape) sameWithout(term uint64) uint64  { return mix(mix(s.host, term), 37) }
func (s *shape) otherWithout(term uint64) uint64 { return mix(mix(s.host, term), 38) }
