package trap

import (
	"iter"
	"math/bits"
	"slices"
	"strings"

	"crawler/weburl"
)

// Lease is what a URL on its way is counted as. Leases are no part of a Guard's state; that a URL
// was tried is, see spared.
type Lease struct {
	of    [7]uint64 // its patterns, a form in each, its host, what it adds to a page, its spelling
	probe uint64    // the pattern that it probes, 0 for none
	turn  uint64    // the pattern of which it is a deeper URL out of turn, 0 for none

	// Neither the page's sample is wanted nor its links: call Skim instead of Watch and Learn. Of a
	// pattern whose pages keep bringing new text fewer and fewer are read, and of the others only
	// whether they are copies. If two of those that are read bring nothing, the next ones are all
	// read until that is made up for.
	Unread bool
}

// Lease notes that u is being fetched, by Judge's verdict v. Call Ended with the result whatever
// becomes of it.
func (g *Guard) Lease(u weburl.URL, v Verdict) (l Lease) {
	s := g.shapes.at(u)
	for i, id := range [...]uint64{s.fine, s.wide} {
		l.of[2*i] = id
		if p := g.patterns[id]; p != nil {
			l.of[2*i+1] = p.form(s, &g.texts)
		}
	}
	l.of[4], l.of[5] = s.domain, v.added
	l.of[6] = g.shapes.spelt(u, s.fine, false)
	l.Unread = g.off&ruleUnread == 0 && g.unread(s, l.of[6])
	if g.off&ruleLeases != 0 {
		l.of = [7]uint64{}
	}
	for _, id := range l.of {
		g.leased[id]++
	}
	if v.try != 0 {
		g.tried(v.try)
	}
	if p := g.patterns[v.turn]; p != nil {
		l.turn = v.turn
		p.turning++
	}
	if p := g.patterns[v.ID]; p != nil && v.Probe {
		l.probe = v.ID
		p.probing++
	}
	return l
}

// unread reports whether the next page of a URL's fine pattern need not be read. All of a pattern's
// first 32 are read; or only the first 4, if there is no program behind the URL and pages of the
// wide pattern, 32 in several fine ones, have paid for themselves: then the site's next directory
// is expected to be like those before. What may be a page of a known path once more, under another
// query, is always read.
func (g *Guard) unread(s *shape, spelt uint64) bool {
	p, wide := g.patterns[s.fine], g.patterns[s.wide]
	if p == nil || !p.pays() || g.isVariant(s, p) || !g.isKnown(spelt) {
		return false
	}
	first := uint32(32)
	if s.params == 0 && wide != nil && wide.pages >= first && wide.kinds >= severalKinds && wide.closed == "" && wide.pays() {
		first = 4
	}
	return (int(p.pages)+g.leased[p.id])%readEvery(p.pages, first) != 0
}

// isKnown reports whether several pages were spelt so.
func (g *Guard) isKnown(spelt uint64) bool {
	s := g.spellings[spelt]
	return g.off&ruleSpelling != 0 || s != nil && s.pages >= firstSpelt
}

// firstSpelt is how many of the pages that are spelt in one way are always read.
const firstSpelt = 4

// severalKinds is how many fine patterns say what the next one will be like.
const severalKinds = 4

// pays reports whether new text can be expected of a pattern's next page.
func (p *pattern) pays() bool { return p.rich() && !p.endless() }

// readEvery returns how many pages of a pattern are one that is read: all of the first ones, whose
// number is a power of two, and half as many of each twice as many, until it is one in 64.
func readEvery(pages, first uint32) int {
	return 1 << min(6, max(0, bits.Len32(pages)-bits.Len32(first)+1))
}

// Ended notes that a lease has ended. A probe that has come to nothing so far may be let through
// again.
func (g *Guard) Ended(l Lease) {
	for _, id := range l.of {
		if g.leased[id]--; g.leased[id] <= 0 {
			delete(g.leased, id)
		}
	}
	if p := g.patterns[l.turn]; p != nil && p.turning > 0 {
		p.turning--
	}
	if p := g.patterns[l.probe]; p != nil && p.probing > 0 {
		p.probing--
	}
}

// Probed notes that a lease has come to something, whatever that is: if it was a probe it is spent.
// Until then it counts as if it were not on its way, for the Guard of a crawl that continues
// after it broke off.
func (g *Guard) Probed(l *Lease) {
	if p := g.patterns[l.probe]; p != nil && p.probing > 0 {
		p.probing--
		p.granted = max(p.granted, 1) - 1
		g.journal.probes(p)
	}
	l.probe = 0
}

// Probe gives a closed pattern its last look before the crawl ends: it says how many of the URLs
// that the pattern has refused may be fetched, to see whether it has changed. These are all of them
// if they are few. A second call returns 0 unless the pattern has opened and closed again.
func (g *Guard) Probe(id uint64, refused int) int {
	p := g.patterns[id]
	if p == nil || p.closed == "" || p.probed || g.off&ruleLook != 0 {
		return 0
	}
	n := probes
	if refused <= fewRefused {
		n = refused
	}
	p.probed, p.granted = true, uint8(n)
	g.journal.probes(p)
	return int(p.granted)
}

// Spread says which n of the URLs that a pattern has refused should be its probes, given in the
// sequence in which they were refused, with their depths. Three of eight are of the shallowest, as
// a trap goes deeper than a site. Five, as many as can open the pattern, are of those of which a
// part is in the fewest others, as a trap repeats itself. Where that leaves a choice they are
// spread.
func Spread(urls []weburl.URL, depths []int, n int) (take []bool) {
	take = make([]bool, len(urls))
	shallow := int(openAt * float32(max(0, n-1)))
	pick(take, depths, shallow, 1)
	pick(take, commonness(urls), n-shallow, 0)
	return take
}

// pick marks n more URLs in take: those with the smallest values. Where more than n qualify, they
// are picked at even distances, starting with the first, or, if offset is 1, half a distance later.
func pick(take []bool, values []int, n, offset int) {
	var left []int
	for i, is := range take {
		if !is {
			left = append(left, values[i])
		}
	}
	if n = min(n, len(left)); n == 0 {
		return
	}
	slices.Sort(left)
	most := left[n-1]
	var at []int // with that value
	for i, value := range values {
		switch {
		case take[i] || value > most:
		case value < most:
			take[i] = true
			n--
		default:
			at = append(at, i)
		}
	}
	for k := range n {
		take[at[(2*k+offset)*len(at)/(2*n)]] = true
	}
}

// commonness returns for each URL how often its rarest part is in all of them: a segment of the
// path or a parameter.
func commonness(urls []weburl.URL) []int {
	count := map[string]int{}
	for _, u := range urls {
		for part := range partsOf(u) {
			count[part]++
		}
	}
	rarest := make([]int, len(urls))
	for i, u := range urls {
		rarest[i] = len(urls)
		for part := range partsOf(u) {
			rarest[i] = min(rarest[i], count[part])
		}
	}
	return rarest
}

// partsOf iterates over the segments of a URL's path and its parameters.
func partsOf(u weburl.URL) iter.Seq[string] {
	return func(yield func(string) bool) {
		for part := range strings.SplitSeq(u.Path()[1:], "/") {
			if part != "" && !yield(part) {
				return
			}
		}
		for part := range paramsOf(queryOf(u)) {
			if part != "" && !yield(part) {
				return
			}
		}
	}
}

const (
	probes     = 8
	fewRefused = 4 * probes // fetched to the last: eight probes would miss a single honest page
)
