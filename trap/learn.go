package trap

import (
	"cmp"
	"maps"
	"slices"

	"crawler/weburl"
)

// Learn takes the page that Watch began, after its Links. Errors and redirects teach
// nothing unless they link to new URLs of their pattern: by their status they are no pages.
// It reports whether Reopened has something.
func (g *Guard) Learn(page Page) (reopened bool) {
	v := &g.view
	if v.url.IsZero() || page.Status >= 300 && v.wide.born == 0 {
		return false
	}
	v.page = page
	v.spelt = g.shapes.spelt(v.url, v.shape.fine, page.Status < 300)
	v.surplus = g.withoutWhich(&v.shape)
	g.apply(&v.event)
	g.journal.page(&v.event)
	*v = view{event: event{births: v.births[:0]}}
	return len(g.opened) > 0
}

// Skim takes a page of which neither sample nor links are wanted, instead of Watch and Learn. It
// reports whether Reopened has something.
func (g *Guard) Skim(u weburl.URL, page Page) (reopened bool) {
	if page.Status >= 300 {
		return false
	}
	s := g.shapes.of(u)
	v := &g.view
	*v = view{url: u, event: event{shape: *s, fine: ownLinks{id: s.fine}, wide: ownLinks{id: s.wide}, unread: true, births: v.births[:0]}}
	return g.Learn(page)
}

// apply learns a page. All that is learned follows from the event and from what was learned before,
// so that events which are replayed lead to the same again.
func (g *Guard) apply(e *event) {
	g.page++
	s := &e.shape
	fine, wide := g.pattern(s.fine), g.pattern(s.wide)
	g.name(e, fine, wide)
	g.join(fine, s.kin)
	fine.under, fine.moved = s.wide, 0
	good := g.good(fine)
	apart, trial := good || g.bounded(fine), g.tries(wide, fine)
	n := news{unread: e.unread, site: 1, told: 1}
	var before echo
	if !e.unread {
		var fresh int
		g.touched += touch(fine, wide, e.page.Sample)
		fresh, g.said = read(fine, wide, e.page.Sample, g.said[:0])
		n.share = min(1, float32(fresh*e.page.Every)/manyWords)
		n.exact = e.page.Every == 1
		before = g.elsewhere(s.domain)
		n.site, n.told = before.site, before.told
		first := g.remember(s.readPath()) == 0
		if g.isVariant(s, fine) {
			n.unsure = first || len(g.said) == 0 && n.share > 0
			n.share *= n.site
		}
		if n.near = g.off&ruleNear == 0 && (g.isNear(e, fine, n.site, fresh) || before.twin && fine.pages >= settled); n.near {
			n.told *= nearShare
		}
	}
	n.copied, n.times = g.copied(s.domain, e.page)
	if n.copied {
		before.words = 0 // they seem to be new if the other one was not read
	}
	if n.copied || n.near {
		g.hear(s.domain, before.words)
	}
	n.told = g.beyondNoise(s.domain, n, !e.unread && len(g.said) == 0)
	g.shorten(e, &n, &before)
	if e.page.Another && g.off&ruleCanonical == 0 {
		n.near, n.told = true, 0
	}
	if e.page.NoIndex {
		g.remember(unlisted(s.fine))
		g.remember(unlisted(e.spelt))
	}
	if s.session && (!e.unread || n.copied) && g.texts.has(s.bare()) {
		g.remember(s.oneMore(n.near || n.copied))
	}
	switch {
	case s.together() != 0:
		g.remember(s.asked())
	case g.off&ruleOwn == 0 && s.params == 0 && g.texts.has(s.asked()) && g.remember(s.unasked()) == 0 && n.copied:
		n.copied, n.near, n.told = false, false, 1
	}
	inLower := n.copied && g.texts.has(s.inLower(&g.texts)) && !g.texts.has(s.bare())
	if !e.unread && len(g.said) == 0 && e.page.Pictures != 0 {
		g.show(e, &n)
	}
	n.endless = g.off&ruleEndless == 0 && (fine.endless() || !good && wide.endless() && (e.wide.own || wide.closed != ""))
	n.plain = g.off&ruleSelections != 0
	// A copy under another query is no version, nor is one below the page that led to it.
	n.again = s.params > 0 || e.below
	n.numbered = n.copied && fine.isProgram() && s.numbered()
	g.grow(e, n, good)
	if e.watched {
		g.raise(fine, wide, e)
	}
	n.apart = g.isApart(e, fine)
	cost, earn := g.learn(fine, e, &e.fine, n)
	whole := min(n.told, earn)
	worth := whole * leastNew / fine.least()
	if n.share < wholeShare {
		whole = worth
	}
	if n.guessed() && fine.tries > 0 {
		worth = fine.hits / fine.tries
	}
	fine.try(worth)
	g.begin(s, fine, worth, n.copied || n.near)
	g.spell(e, fine, n, cost, earn, whole)
	if fine.pages == 1 {
		wide.try(worth)
	}
	if k := fine.kin; k != nil {
		k.pages++
		if g.breeds(fine, s.host) {
			k.breeding++
		}
	}
	switch { // for the lists that led to it
	case e.unread && fine.rich():
		earn = fine.share / fine.texts / fine.least()
	case n.unsure:
		earn = 0
	}
	if fine.pages == 1 {
		wide.kinds++
	}
	if !apart && !n.apart {
		n.trial = trial
		g.learn(wide, e, &e.wide, n)
	} else {
		wide.pages++ // its memory of words counts them
	}
	g.remember(s.path())
	if chosen := s.chosen(); chosen != 0 {
		g.remember(chosen)
	}
	g.rename(s, e.page, n, inLower)
	if e.added != 0 {
		g.remember(e.added)
	}
	if e.list != 0 && worth >= aspectChance {
		g.remember(listed(e.list))
	}
	switch {
	case s.keyed:
		g.remember(s.underKey())
	case (n.copied || fine.closed != "" || wide.closed != "") && g.texts.has(s.underKey()):
		g.remember(s.withoutKey())
	}
	// A list whose pages lead no further is no maze: somebody has listed them.
	if list := g.patterns[e.from]; e.watched && e.wide.born == 0 && list != nil && list != fine {
		list.leaf++
	}
	g.creditSpelt(e, earn)
	g.inherit(fine, e.from, earn, g.off&ruleTexts == 0 && fine.settles(n))
	g.shapes.learned(s.host)
}

// rename remembers the other forms by which a page may be known: its head, and what it is in lower
// case. It counts the copies of the host that were known so, one of each page, and the pages of a
// head that are no copies. A text that stands elsewhere, too, such as that there is nothing yet, is
// no evidence for heads.
func (g *Guard) rename(s *shape, page Page, n news, inLower bool) {
	if inLower {
		g.remember(s.renamed(folded))
	}
	if s.folded != s.form {
		g.remember(s.otherwise())
	}
	if s.head == 0 {
		return
	}
	h := s.headed(s.head)
	before := g.remember(mix(h, page.AllHash))
	if before > 0 && int(n.times) <= int(before)+1 && g.texts.times(h) < directoryPages && g.remember(mix(h, 25)) == 0 {
		g.remember(s.renamed(head))
	}
	if n.times == 0 || !g.texts.has(h) {
		g.remember(h)
	}
}

// isVariant reports whether a URL may be a page of a known path once more, under another query or
// key. Of those only what the site has not said counts, and the first that is read of a path says
// nothing: what it says may be what the others said that were not read.
func (g *Guard) isVariant(s *shape, p *pattern) bool {
	return (s.params > 0 || s.keyed) && g.off&ruleUnread == 0 && !p.isProgram() && g.texts.has(s.path())
}

// name names patterns that are new. A replayed event has the names.
func (g *Guard) name(e *event, fine, wide *pattern) {
	if fine.name == "" {
		if !g.view.url.IsZero() {
			e.fineName = g.shapes.nameOf(g.view.url)
		}
		fine.name = e.fineName
	}
	if wide.name == "" {
		wide.wide = true
		if !g.view.url.IsZero() {
			e.wideName = g.shapes.wideName(g.view.url)
		}
		wide.name = e.wideName
	}
}

// grow counts the page's new URLs for the growth of their patterns: of its own, and of all if it
// has brought nothing itself. What good pages list is finite, since somebody has listed it, unless
// parameters are combined. If its fine pattern is good, the page is none of the wide one's, and
// neither are its births there: they would be counted without the page.
func (g *Guard) grow(e *event, n news, good bool) {
	for _, b := range e.births {
		for i, own := range [...]uint64{e.fine.id, e.wide.id} {
			p := g.patterns[b.of[i]]
			if p == nil || good && i == 1 && b.of[i] == own {
				continue
			}
			if b.of[i] == own && !p.leafy() || n.copied || n.endless || n.share == 0 || p.mostly(p.combined) {
				p.news += float32(b.n)
			}
		}
	}
}

// copied reports whether the page's text was met before: all its words, in any sequence.
func (g *Guard) copied(domain uint64, page Page) (again bool, times uint8) {
	times = g.remember(mix(domain, page.TextHash))
	if page.AllHash != page.TextHash {
		times = max(times, g.remember(mix(domain, page.AllHash)))
	}
	return times > 0, times
}

// show minds the pictures of a page that says nothing of its own, such as the scan of a page of a
// book: one that says the same and shows others is no copy, but nothing new either.
func (g *Guard) show(e *event, n *news) {
	seen := g.remember(mix(mix(e.shape.domain, e.page.TextHash), e.page.Pictures)) > 0
	if n.copied && !seen {
		n.copied, n.share = false, 0
	}
}

// echo is what a page's domain has said of it before, by the words that are sampled of all pages.
type echo struct {
	site, told float32 // what is new: its share, and how much of wholeText it is
	words      int     // that are new
	twin       bool    // the page is the twin of another
	of         uint16  // that one's number, modulo 2^16
}

// elsewhere returns what the domain has said of a page's own text before, and remembers it. What a
// list or a feed says of an article is no news to the site, though it is to the others of its
// pattern.
func (g *Guard) elsewhere(domain uint64) (e echo) {
	if len(g.said) == 0 {
		return echo{site: 1, told: 1}
	}
	var by origins
	for i := range g.said {
		g.touched += g.texts.touch(said(domain, g.said[i]))
	}
	for i := 0; i < len(g.said); i += 2 {
		a, b := g.sight(said(domain, g.said[i])), g.sight(said(domain, g.said[i+1]))
		if a.unmet() && b.unmet() {
			e.words++
		}
		by.note(a, b)
	}
	e.site, e.told = float32(2*e.words)/float32(len(g.said)), min(1, float32(e.words*everyCoarse)/wholeText)
	e.of, e.twin = g.twinOf(len(g.said)/2, &by)
	return e
}

// isNear reports whether a page that was read is, as far as its text says, another page of the site
// once more: what is new may be a quotation, or an advertisement, that changes all the time. Of a
// page under another session the pattern knows the words, too.
func (g *Guard) isNear(e *event, fine *pattern, site float32, fresh int) bool {
	if s := &e.shape; s.session && g.texts.has(s.bare()) {
		return 8*fresh < len(e.page.Sample)
	}
	return fine.pages >= settled && len(g.said) >= leastSaid && site < nearShare
}

// nearShare is the share of what a page says that is new to the site, below which it is near to
// others, and leastSaid are the grams of its own that must have been looked at.
const (
	nearShare = 0.125
	leastSaid = 16
)

// wholeShare is how much of what a page may bring makes a selection a page like any other: its text
// is no list of what is known.
const wholeShare = 0.75

// wholeText is how many words that are new to the site make a page worth as much to the order as
// any other. By their share a site's first pages would be worth little: it is not known yet what
// stands on all of them.
const wholeText = 40

// said is under what a gram of a domain's pages is remembered.
func said(domain uint64, gram uint32) uint64 { return mix(domain, uint64(gram)) }

// remember returns how often a hash was met, and counts it.
func (g *Guard) remember(h uint64) uint8 { return g.sight(h).times }

// sight returns what was known of a hash, and remembers that the page has it.
func (g *Guard) sight(h uint64) sight { return g.texts.meet(h, uint16(g.page)) }

// learn charges a page to a pattern, and returns what it has cost and earned.
func (g *Guard) learn(p *pattern, e *event, k *ownLinks, n news) (cost, earn float32) {
	p.used = g.page
	silent := n.near || e.shape.params == 0 && !n.unread && n.share == 0 && len(e.page.Sample) > 0
	n.known = p.address(&e.shape, n.copied, silent, &g.texts, g.remember)
	if !n.unread && !n.unsure {
		p.texts = p.texts*sumDecay + 1
		p.share = p.share*sumDecay + n.share
	}
	if e.watched {
		back := p.backs(e)
		p.found(e, k, back)
		if p.kin != nil && p.pages >= settled { // it is known whether it leads back
			p.kin.found(e, k, back)
		}
	}
	cost, earn = p.price(n)
	switch {
	case n.trial:
		earn = 0
	case g.off&ruleTexts == 0 && p.settles(n):
		earn = max(earn, cost+p.owes, cost+p.spent)
	case p.closed != "" && earn > cost: // it speaks for what is refused
		earn = max(earn, float32(g.cfg.Budget)/probes)
	}
	renamed := n.copied && (n.known || n.again) && e.shape.params > 0
	paid := earn
	if n.apart {
		paid = cost
	}
	p.charge(cost, paid, !n.unread, renamed || g.noEnd(p))
	g.update(p)
	return cost, earn
}

// noEnd reports whether the pattern will not end by itself, or not soon, or only renames what is
// known.
func (g *Guard) noEnd(p *pattern) bool {
	return g.off&ruleGrowth != 0 || p.renames() || p.grows() && !g.spanned(p)
}

func (g *Guard) spanned(p *pattern) bool { return g.off&ruleSpan == 0 && p.spanned(g.cfg.Budget) }

func (g *Guard) update(p *pattern) {
	if p.update(float32(g.cfg.Budget), g.noEnd(p)) && len(g.opened) < len(g.patterns) {
		g.opened = append(g.opened, p.id)
	}
}

// inherit gives what a page has earned also to the pattern on whose page it was found, and so
// on: a list is worth what it leads to. A text settles what its lists have spent.
func (g *Guard) inherit(p *pattern, from uint64, earn float32, text bool) {
	if from != 0 && from != p.id {
		p.parent = from
	}
	if earn == 0 || g.off&ruleLists != 0 {
		return
	}
	first := p
	for range maxAncestors {
		parent := g.patterns[p.parent]
		if parent == nil || parent == p || parent == first {
			return
		}
		parent.credit(earn)
		if text = text && !parent.mostly(parent.combined); text {
			g.settle(parent)
		}
		g.update(parent)
		p = parent
	}
}

// settle forgets what a list has spent, and, if it has shown what it is, the wide pattern that may
// answer for it. In which order their pages come depends on what they owe, as before. Known pages
// under new names lead to what there is anyway.
func (g *Guard) settle(list *pattern) {
	if list.renames() {
		return
	}
	list.spent = 0
	wide := g.patterns[list.under]
	if wide != nil && list.pages >= settled && !wide.mostly(wide.combined) && !wide.renames() {
		wide.spent = 0
		g.update(wide)
	}
}

// maxAncestors is how many lists above a page get their part.
const maxAncestors = 4

// pattern returns the pattern with an id, a new one if there is none.
func (g *Guard) pattern(id uint64) *pattern {
	p := g.patterns[id]
	if p == nil {
		if len(g.patterns) >= g.cfg.Patterns {
			g.forget()
		}
		p = &pattern{id: id, used: g.page} // so that the next one that is new does not put it out
		g.patterns[id] = p
	}
	return p
}

// forget drops half of the patterns: open ones first, then those unused for longest.
// Names of directories go too, when there is no more room for any.
func (g *Guard) forget() {
	all := slices.Collect(maps.Values(g.patterns))
	slices.SortFunc(all, func(a, b *pattern) int {
		if (a.closed == "") != (b.closed == "") {
			if a.closed == "" {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.used, b.used), cmp.Compare(a.id, b.id))
	})
	for _, p := range all[:len(all)/2] {
		g.leave(p)
		g.part(p)
		delete(g.patterns, p.id)
	}
	maps.DeleteFunc(g.spellings, func(_ uint64, s *spelling) bool { return g.patterns[s.of] == nil })
	if len(g.shapes.kept) >= g.shapes.most {
		g.shapes.forgetNames()
	}
	if len(g.shapes.pages) >= g.shapes.most {
		clear(g.shapes.pages)
		g.shapes.forgetHosts()
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
	Pages   int    // fetched of it, probes included
	Why     string // in words, what its latest pages were like
}

// Closed returns the patterns that are closed, by name.
func (g *Guard) Closed() []Closed {
	var all []Closed
	for _, p := range g.sorted() {
		if p.closed != "" {
			all = append(all, Closed{p.id, p.name, p.closed, int(p.pages), p.why()})
		}
	}
	slices.SortStableFunc(all, func(a, b Closed) int { return cmp.Compare(a.Pattern, b.Pattern) })
	return all
}
