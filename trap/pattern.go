package trap

import "strings"

// pattern is what the Guard knows of one pattern: its account, what its latest pages were like,
// and hashes of what they had.
type pattern struct {
	account
	latest
	id     uint64
	name   string
	used   uint32 // the Guard's page at which it learned last
	parent uint64 // the pattern on whose pages it was found last, if that is another one
	under  uint64 // the wide pattern of its latest page; 0 for a wide one
	wide   bool   // of a domain's hosts together
	hosts  uint8  // that had copies of another URL's page, at most 255

	leads uint64 // the pattern to which its URLs redirect, as far as they lead to new ones
	moved uint32 // URLs in a row that redirected there, or to nothing new; pages end the row

	brood brood  // of its pages; of a wide one by the fine patterns
	kin   *kin   // nil if it has none
	host  uint64 // that has this in its brood too; 0 for a wide one, or if no page was watched

	largest, longest uint32 // size and length of the latest URL

	params params
	span
	tried [parts + 1]trial
	tests trial  // of all pages
	pairs memory // of words
	marks memory // URLs that links led back to
}

// latest are sums over the latest pages, which decay by sumDecay with each page.
type latest struct {
	weight                 float32 // pages
	copies, again          float32 // that were copies; of those, of a known form
	keyed, dated, combined float32 // whose URL has a key, a date, facetParams parameters
	texts, share           float32 // that were read; of what they may bring, what was new
	linked
}

// linked are sums over the latest pages whose links were watched, which decay by sumDecay with
// each: where they were found, and where they led.
type linked struct {
	links                          float32 // pages
	own, grown, rooted, leaf, born float32 // of those; see found
	back, bred                     float32
}

// sums are all of them but bred, in the sequence of the binary form.
func (l *latest) sums() []*float32 {
	return append([]*float32{&l.weight, &l.copies, &l.again, &l.keyed, &l.dated, &l.combined, &l.texts, &l.share}, l.linked.sums()...)
}

// sums are the same of these.
func (l *linked) sums() []*float32 {
	return []*float32{&l.links, &l.own, &l.grown, &l.rooted, &l.leaf, &l.born, &l.back}
}

const (
	sumDecay    = 15. / 16
	othersDecay = 63. / 64
	mostPairs   = 1024
	widePairs   = 4 * mostPairs // of a wide pattern
	mostMarks   = 512
	facetParams = 2
	mostChained = 1.5 // new URLs a page
)

// A URL's form is what decides which page it brings: its path without keys, and those of its
// parameters that matter. Which do is learned from the pages that were copies: a part of the
// query is enough if pages were copies just when path and part were known.
//
// The parts that are tried: nothing, each parameter alone, all parameters but one, and all of them
// with the end of the path, with its head, and with the path in lower case. A server that minds no
// more than the end has its pages below any other, and one that does not mind the last segment may
// have in it where a link was followed.
const (
	maxParams  = 8
	tail       = 1 + 2*maxParams
	head       = tail + 1
	folded     = head + 1
	parts      = folded + 1
	surplus    = parts + 1 // is no part that is tried, but copies are counted for it, too
	leastTests = 3         // copies before a part of the query is taken to be enough
	agreeing   = 0.85      // share of the copies, and of the others

	leastRenamed   = 3 // copies of a host, each of another page, before a part of the path is tried
	directoryPages = 3 // of a head, that are no copies: some are none because of the time they tell
)

// trial says how pages fared that had a part of the query which was known: copies, and others. Each
// sum decays with the pages of its like, and that of the others, slowly, with copies, too: where
// nothing but copies has come for long they are no evidence any more.
type trial struct{ copies, others float32 }

// covers reports whether copies were known by the part.
func (t *trial) covers(n trial) bool { return n.copies >= leastTests && t.copies >= agreeing*n.copies }

// fresh is the chance that a page with a known part is no copy, by the rule of succession.
func (t *trial) fresh() float32 { return (t.others + 1) / (t.copies + t.others + 2) }

// params are the names of a pattern's parameters, hashed, of those that were met first.
type params [maxParams]uint64

// place returns the number of a parameter in the pattern, -1 if there is no room.
func (ps *params) place(name uint64) int {
	for i := range ps {
		if ps[i] == name || ps[i] == 0 {
			ps[i] = name
			return i
		}
	}
	return -1
}

// forms returns the form of a URL by each part of its query, and by all of it at the end; 0 for
// parts that it does not have. New names get a place among those of the pattern.
func (p *pattern) forms(s *shape, names *params, texts *cuckoo) (of [parts + 1]uint64) {
	var at [maxParams]uint64
	var all uint64
	for _, v := range s.values() {
		if v.class == key {
			continue
		}
		h := mix(v.name, v.value)
		all += h
		if i := names.place(v.name); i >= 0 {
			at[i] += h
		}
	}
	whose := p.whose(s)
	of[parts] = s.hash(whose, all)
	if s.tail != 0 {
		of[tail] = mix(mix(whose, s.tail+all), 15)
	}
	of[head], of[folded] = s.headIn(texts), s.foldedIn(texts)
	if s.params == 0 {
		return of
	}
	of[0] = s.path()
	for i, h := range at {
		if names[i] != 0 {
			of[1+i], of[1+maxParams+i] = s.hash(whose, h), s.hash(whose, all-h)
		}
	}
	return of
}

// whole is the form by all of the query.
func (p *pattern) whole(s *shape) uint64 { return s.hash(p.whose(s), s.together()) }

// whose says among what forms are known: those of the host, or of a wide pattern.
func (p *pattern) whose(s *shape) uint64 {
	if p.wide {
		return p.id
	}
	return s.host
}

// path is the form without the query, of all patterns together.
func (s *shape) path() uint64 { return s.hash(s.host, 0) }

// headIn returns the form that a page shares with those that differ from it in the last segment, or
// that lack it or have one more. It is 0 if the path has one segment only, if the rest of it is a
// directory, of which several pages were no copies, or if the host has not shown yet that the last
// segment may make no difference.
func (s *shape) headIn(texts *cuckoo) uint64 {
	if texts.times(s.renamed(head)) < leastRenamed {
		return 0
	}
	if h := s.headed(s.form); texts.has(h) && texts.times(h) < directoryPages {
		return h // pages below it were fetched
	}
	h, itself := s.headed(s.head), s.exact(s.head)
	switch {
	case s.head == 0 || texts.times(h) >= directoryPages:
		return 0
	case texts.has(itself):
		return itself
	}
	return h
}

// foldedIn returns the form that a page shares with those whose path differs in case only; 0 if the
// host has not shown yet that case may make no difference.
func (s *shape) foldedIn(texts *cuckoo) uint64 {
	if texts.times(s.renamed(folded)) < leastRenamed {
		return 0
	}
	return s.inLower(texts)
}

func (s *shape) inLower(texts *cuckoo) uint64 {
	if h := s.exact(s.folded); s.folded != s.form && texts.has(h) {
		return h
	}
	return s.otherwise()
}

// renamed returns the hash by which the copies of a host are counted that a part of the path has
// told.
func (s *shape) renamed(part uint64) uint64 { return mix(mix(s.host, part), 23) }

// headed returns the hash by which a form is remembered as the head of others, and otherwise that
// of a path in lower case of which another spelling was fetched.
func (s *shape) headed(form uint64) uint64 { return mix(s.exact(form), 19) }
func (s *shape) otherwise() uint64         { return mix(s.exact(s.folded), 21) }

// exact returns the hash by which a page is remembered whose path has a form.
func (s *shape) exact(form uint64) uint64 { return hashForm(s.host, form+s.together()) }

// readPath is path, of pages that were read.
func (s *shape) readPath() uint64 { return mix(s.path(), 12) }

// bare is the form with the query, but without keys.
func (s *shape) bare() uint64 { return s.exact(s.form) }

// together is the query without keys.
func (s *shape) together() (all uint64) {
	for _, v := range s.values() {
		if v.class != key {
			all += mix(v.name, v.value)
		}
	}
	return all
}

// underKey is the bare form, of pages whose URL has a key.
func (s *shape) underKey() uint64 { return mix(s.bare(), 16) }

// withoutKey is the bare form, of pages whose URL has no key though one had whose form is the same.
func (s *shape) withoutKey() uint64 { return mix(s.bare(), 17) }

// oneMore is by what pages of a host are counted that were fetched under another session, or
// without one, before: those that were the same, and those that were not.
func (s *shape) oneMore(same bool) uint64 {
	if same {
		return mix(s.host, 28)
	}
	return mix(s.host, 29)
}

// asked is the path, of pages whose query is more than a key, and unasked of those without a
// query of whose path there was such a page before.
func (s *shape) asked() uint64   { return mix(s.path(), 26) }
func (s *shape) unasked() uint64 { return mix(s.path(), 27) }

// hash is under what a form is remembered, of a host or of a wide pattern.
func (s *shape) hash(of, values uint64) uint64 { return hashForm(of, s.form+values) }

func hashForm(of, form uint64) uint64 { return mix(mix(of, form), 11) }

// form is that of a URL by the smallest part of its query that is enough. A page may be taken for
// another, so where nearly all are copies some mistakes are forgiven to the part that makes fewest.
func (p *pattern) form(s *shape, texts *cuckoo) uint64 {
	names := p.params // of a URL that is only asked about nothing stays
	of := p.forms(s, &names, texts)
	return p.formOf(&of)
}

// formOf is one of the forms of a URL.
func (p *pattern) formOf(of *[parts + 1]uint64) uint64 {
	best, least := of[parts], (1-agreeing)*p.tests.copies
	for i, h := range of[:parts] {
		t := &p.tried[i]
		if h == 0 || !t.covers(p.tests) {
			continue
		}
		switch {
		case t.others <= (1-agreeing)*p.tests.others:
			return h
		case t.others < least && i > 0:
			best, least = h, t.others
		}
	}
	return best
}

// fresh is the chance that a URL brings no copy, as far as its form says by what was fetched, and
// the same if what is leased had been, too. That a part of the query is known does not count if it
// is known that others with that part, and spelt like this one, bring something.
func (p *pattern) fresh(s *shape, texts *cuckoo, leased map[uint64]int, well bool) (now, ahead float32) {
	names := p.params
	now, ahead = 1, 1
	for i, h := range p.forms(s, &names, texts) {
		switch {
		case h == 0, well && i < tail, i == tail && p.tried[tail].copies == 0, i > tail && i < parts && !p.tried[i].covers(p.tests):
			continue
		}
		if i == 0 && p.tried[0] == (trial{}) && p.isProgram() {
			continue // all its pages have that path
		}
		switch chance := p.tried[i].fresh(); {
		case texts.has(h):
			now, ahead = min(now, chance), min(ahead, chance)
		case leased[h] > 0:
			ahead = min(ahead, chance)
		}
	}
	return now, ahead
}

// address records the URL of a page, and whether the page is a copy, in the pattern and, by met,
// among the texts. It reports whether the URL's form was known. A page that says nothing new is as
// good as a copy for what is tried: another menu or date may be all that tells it from one.
func (p *pattern) address(s *shape, copied, silent bool, texts *cuckoo, met func(uint64) uint8) (again bool) {
	p.weight = p.weight*sumDecay + 1
	p.keyed = p.keyed*sumDecay + one(s.keyed)
	p.dated = p.dated*sumDecay + one(s.dated)
	p.combined = p.combined*sumDecay + one(p.combines(s))
	p.copies = p.copies*sumDecay + one(copied)
	p.largest, p.longest = s.size, s.length
	of := p.forms(s, &p.params, texts)
	again = texts.has(p.formOf(&of))
	p.again = p.again*sumDecay + one(copied && again)
	p.test(&of, copied || silent, texts, met)
	p.widen(s, met)
	if copied && met(mix(mix(p.id, s.host), 7)) == 0 {
		p.hosts = min(p.hosts, 254) + 1
	}
	return again
}

// test records for each part of a URL whether it was known. The path, its head and what it is in
// lower case are remembered when all patterns have learned the page.
func (p *pattern) test(of *[parts + 1]uint64, copied bool, texts *cuckoo, met func(uint64) uint8) {
	p.tests.add(copied, true)
	for i, h := range of {
		switch {
		case h == 0:
		case i == 0 || i > tail && i < parts:
			p.tried[i].add(copied, texts.has(h))
		default:
			p.tried[i].add(copied, met(h) > 0)
		}
	}
}

// add counts a page that was a copy or not, by whether it is one of those that are meant.
func (t *trial) add(copied, is bool) {
	if copied {
		t.copies = t.copies*sumDecay + one(is)
		t.others *= othersDecay
	} else {
		t.others = t.others*sumDecay + one(is)
	}
}

// manyHosts is how many hosts with copies there must be; mirrors are fewer.
const manyHosts = 5

func one(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

// mostly reports whether a decaying sum is over half of its pages.
func (p *pattern) mostly(sum float32) bool { return 2*sum > p.weight }

// selects reports whether its URLs combine parameters, or add to the path that led to them. Pages
// of which each leads to the next are no selections, such as the questions of many quizzes: what is
// combined leads to many others. Of days, of which there may be no end, that says nothing.
func (p *pattern) selects() bool {
	return p.mostly(p.combined) && (p.mostly(p.dated) || !p.chained()) || p.extends() && !p.leafy()
}

// chained reports whether its URLs are found on its own pages, of which most lead to one more.
func (p *pattern) chained() bool { return p.ownFound() && p.born > 0 && p.born < mostChained*p.links }

// extends reports whether its URLs are found on its own pages, and are longer than those.
func (p *pattern) extends() bool { return p.ownFound() && p.grown >= growShare*p.links }

// leafy reports whether most of its pages lead no further, as those of directories that a server
// lists. Then somebody has put them there. Programs, which have parameters, answer what they like.
func (p *pattern) leafy() bool {
	return p.links > 0 && 2*p.leaf >= p.links && p.params[0] == 0
}

// bounded reports whether the pattern has shown that it comes to its end by itself: then its pages
// say nothing about others. Of selections there are more than are known, unless they are spanned.
func (g *Guard) bounded(p *pattern) bool {
	return p.pages >= settled && !p.renames() &&
		(g.spanned(p) || !p.grows() && !p.leadsOn() && !p.mostly(p.combined))
}

// leadsOn reports whether its URLs are found on pages of its kind, or such pages lead to more.
func (p *pattern) leadsOn() bool { return p.ownFound() || p.born > 0 && p.born >= leastGrowth*p.links }

// runsOn is leadsOn of a young pattern: that one page of a program was found on another is no
// evidence yet.
func (p *pattern) runsOn() bool {
	return p.born >= leastGrowth*p.links || p.ownFound() && p.params[0] == 0
}

// rich reports whether its pages keep bringing new text, more than they cost.
func (p *pattern) rich() bool {
	return p.owes < postponed && p.texts > 0 && p.share >= richEarns*p.least()*p.texts
}

// least is the share of what a page may bring that pays for it.
func (p *pattern) least() float32 {
	if p.selects() {
		return leastCombined
	}
	return leastNew
}

// price returns what a page costs the pattern, and what it has earned. Days of a calendar are no
// versions of each other.
func (p *pattern) price(n news) (cost, earn float32) {
	switch {
	case n.copied && n.known && !n.numbered:
		return copyCost, 0
	case n.copied && !n.known && !n.again && n.times < manyCopies && !p.mostly(p.dated):
		return versionCost, 0
	case n.copied || n.endless:
		return barrenCost, 0
	case n.unread || n.unsure: // it is taken to pay for itself, but for no other
		return barrenCost, barrenCost
	}
	if n.plain {
		return barrenCost, n.share / leastNew
	}
	return barrenCost, n.share / p.least()
}

// isSpelt reports whether its URLs are spelt in several ways, so that these say more of one.
func (g *Guard) isSpelt(p *pattern) bool {
	return p != nil && p.spellings >= 2 && g.off&ruleSpelling == 0
}

// isProgram reports whether all its URLs have one path: then it is their query that names pages.
func (p *pattern) isProgram() bool {
	path, _, hasQuery := strings.Cut(p.name, "?")
	return hasQuery && !strings.ContainsAny(path, "#@*+")
}

// news is what a page has brought.
type news struct {
	share    float32 // of manyWords, how many are new
	exact    bool    // all words were looked at for that
	copied   bool    // the text was met before
	near     bool    // nearly all of it was, or the page names another URL as its own
	known    bool    // the URL's form was
	numbered bool    // the program that made it says by a number which page is meant
	again    bool    // it is no version of another: its URL is a part of another's, or has more
	times    uint8   // how often, at most 255
	endless  bool    // nothing counts: there is no end of it
	unread   bool    // share is not known
	unsure   bool    // the same: the site may have said it in pages of the path that were not read
	plain    bool    // selections are taken for pages
	trial    bool    // it is let through to see its pattern, and earns for nothing else
	apart    bool    // what it earns pays for nothing else of its pattern: see isApart
	site     float32 // of its own text, how much is new to the domain
	told     float32 // how much that is of wholeText, at most 1; below 0 if less than noise
}

// guessed reports whether what the page was worth is not known: it may be as much as others were.
func (n news) guessed() bool { return (n.unread || n.unsure) && !n.copied && !n.near }

// manyCopies is how many copies of one page there are at most for a good reason: manuals have
// versions.
const manyCopies = 16

// manyWords is how many new words make a page wholly new. Shorter ones bring less, whatever the
// template: a year's name is no news, and neither are the dates of a week.
const manyWords = 80

// settles reports whether a page that was learned has a text of its own: 20 new words, or 10 amid
// silence, and what it says is new to the site. A pattern is closed for what it has spent since the
// last one. Of parameters that are combined only texts amid silence count, as every selection of
// known things has new neighbours among its words; of days, of which there may be no end, no short
// ones.
func (p *pattern) settles(n news) bool {
	if n.copied || n.endless || n.unread || n.unsure || n.site < textIsOwn {
		return false
	}
	short := n.share >= shortText && n.exact && p.silent(n.share) && !p.mostly(p.dated)
	return short || n.share >= leastText && !p.mostly(p.combined)
}

// silent reports whether the latest pages but the last, of which share was new, said hardly
// anything.
func (p *pattern) silent(share float32) bool {
	return p.texts > settled && p.share-share < silence*(p.texts-1)
}

const (
	leastText = 0.25     // of manyWords
	shortText = 0.12     // the same, amid silence: ten words
	silence   = 1 / 160. // the same: half a word
	textIsOwn = 0.8
)

// read compares a page's sample with those of the latest pages of both patterns, and remembers
// it. It returns how many of the sampled words are new: no page before had either of their grams.
// Both grams of words that are sampled of all pages, and are no template, are appended to said.
func read(fine, wide *pattern, sample, said []uint32) (fresh int, _ []uint32) {
	fine.pairs.reserve(len(sample))
	wide.pairs.reserve(len(sample))
	for i := 0; i+1 < len(sample); i += 2 {
		a, b := meet(fine, wide, sample[i]), meet(fine, wide, sample[i+1])
		if a == unknown && b == unknown {
			fresh++
		}
		if a != template && b != template && isCoarse(sample[i]) {
			said = append(said, sample[i], sample[i+1])
		}
	}
	return fresh, said
}

// standing is what is known of a pair of words.
type standing uint8

const (
	unknown  standing = iota // no page before had it
	familiar                 // some had it
	template                 // nearly all of the latest had it
)

// touch does so for the grams that read is about to meet: see memory.touch.
func touch(fine, wide *pattern, sample []uint32) (any uint32) {
	for _, pair := range sample {
		any += fine.pairs.touch(uint64(pair)) + wide.pairs.touch(uint64(pair))
	}
	return any
}

func meet(fine, wide *pattern, pair uint32) standing {
	a := fine.pairs.meet(uint64(pair), uint16(fine.pages), mostPairs)
	b := wide.pairs.meet(uint64(pair), uint16(wide.pages), widePairs)
	switch {
	case a.unmet() && b.unmet():
		return unknown
	case a.run >= 2 || b.run >= 2:
		return template
	}
	return familiar
}

// found records where a page's URL was found, what its links lead to, and to how many known pages
// they lead back.
func (l *linked) found(e *event, k *ownLinks, back int) {
	l.links = l.links*sumDecay + 1
	l.own = l.own*sumDecay + one(k.own)
	l.grown = l.grown*sumDecay + one(k.own && e.longer)
	l.rooted = l.rooted*sumDecay + one(e.rooted)
	l.leaf = l.leaf*sumDecay + one(k.born == 0)
	l.born = l.born*sumDecay + float32(k.born)
	l.bred = l.bred*sumDecay + float32(k.bred)
	l.back = l.back*sumDecay + float32(back)
}

// backs returns to how many known pages a page leads back to which none of the pattern has led.
// Those of its first pages are the site's navigation.
func (p *pattern) backs(e *event) (n int) {
	for _, h := range e.back[:e.backs] {
		if p.marks.meet(uint64(h), uint16(p.pages), mostMarks).times == 0 {
			n++
		}
	}
	if p.pages < settled {
		return 0
	}
	return n
}

// The evidence that new text is worth nothing, since there is no end of it.
const (
	endlessPages = 32
	endlessAsked = 20   // what account.asked is after as many pages
	ownShare     = 0.6  // of URLs found on the pattern's own pages
	mazeBirths   = 1.5  // new URLs a page
	mazeBack     = 0.05 // URLs known before, a page
	mazeLeaves   = 0.02 // share of pages without a new URL
	mazeRooted   = 0.9  // share of pages that link back up: a tree of directories has more
	growShare    = 0.9  // of URLs longer than those they were found on
	largeURL     = 24   // segments and parameters
	longURL      = 320  // bytes
)

// endless reports whether every page leads to new ones and hardly any to a known one, or to
// addresses that are longer and longer. Then its text, however new, counts for nothing until a
// page ends it.
func (p *pattern) endless() bool { return p.maze() || p.growing() }

// ownFound reports whether its URLs are found on its own pages.
func (l *linked) ownFound() bool { return l.links > 0 && l.own >= ownShare*l.links }

// maze reports whether every page leads to new ones and hardly any to a known one.
func (p *pattern) maze() bool {
	enough := p.pages >= endlessPages
	if p.wide { // of which not all pages are learned
		enough = p.asked >= endlessAsked
	}
	return enough && p.ownFound() && p.born >= mazeBirths*p.links &&
		p.back <= mazeBack*p.links && p.leaf <= mazeLeaves*p.links && p.rooted < mazeRooted*p.links
}

func (p *pattern) growing() bool {
	return p.pages >= settled && p.extends() && p.leaf <= mazeLeaves*p.links && (p.largest >= largeURL || p.longest >= longURL)
}

// kind names the trap that a pattern which brings nothing is.
func (p *pattern) kind() Kind {
	switch copies := p.mostly(p.copies); {
	case copies && p.hosts >= manyHosts && p.wide:
		return Subdomains
	case copies && p.mostly(p.keyed):
		return Session
	case p.mostly(p.dated):
		return Calendar
	case p.mostly(p.combined):
		return Facets
	case p.growing():
		return Growing
	case copies:
		return Copies
	case p.maze():
		return Maze
	}
	return Pattern
}

// update closes the pattern if it has spent the budget and will not end by itself, and opens it if
// it owes less again. It reports whether it opened.
func (p *pattern) update(budget float32, noEnd bool) (opened bool) {
	switch {
	case p.closed == "" && p.spent >= budget && noEnd:
		p.closed, p.probed = p.kind(), false
	case p.closed != "" && p.spent < openAt*budget:
		p.closed = ""
		return true
	}
	return false
}
