package trap

import (
	"math"
	"slices"
	"strings"

	"crawler/weburl"
)

// Guard judges the URLs of a crawl. See the package comment. It has one owner.
type Guard struct {
	cfg       Config
	shapes    shapes
	patterns  map[uint64]*pattern
	spellings map[uint64]*spelling // of the URLs of fine patterns
	kin       map[uint64]*kin      // of the fine patterns
	broods    map[uint64]brood     // by host: those of its fine patterns together
	texts     cuckoo               // of all pages: texts, and forms of URLs
	page      uint32               // pages learned
	leased    map[uint64]int       // by pattern and by form: URLs on their way
	view      view
	opened    []uint64
	journal   *journal // nil if nothing will be replayed
	said      []uint32 // scratch, see read
	touched   uint32   // of no meaning: see memory.touch
	off       rules    // for the tests that show what each is worth
}

// mostTexts is how many hashes of texts, forms and values are remembered: 8 MiB. Some five are
// those of any page, some more where it has parameters, and up to 96 those of the words of one that
// is read.
const mostTexts = 1 << 20

// view is the page whose links are being watched.
type view struct {
	event
	url, via weburl.URL
	home     knownHost         // its host
	looked   int               // links looked at
	met      [maxBirths]uint64 // hashes of the new ones
	nMet     int
}

// New returns a Guard that knows nothing yet.
func New(cfg Config) *Guard {
	if cfg.Patterns == 0 {
		cfg.Patterns = defaultPatterns
	}
	if cfg.Budget <= 0 {
		cfg.Budget = DefaultBudget
	}
	cfg.Patterns = max(cfg.Patterns, leastPatterns)
	return &Guard{cfg: cfg, shapes: newShapes(4 * cfg.Patterns), patterns: map[uint64]*pattern{}, kin: map[uint64]*kin{}, broods: map[uint64]brood{}, spellings: map[uint64]*spelling{}, leased: map[uint64]int{}}
}

// Verdict is Judge's decision about a URL.
type Verdict struct {
	Kind    Kind   // "" to fetch it
	Pattern string // that refuses it, such as "shop.test/list?sort&view"; "" if refused on sight
	ID      uint64 // of the pattern, as Reopened has it; 0 if refused on sight, which is final
	Probe   bool   // with Kind "": pattern ID is closed, and this URL tests whether to open it
	Rank    uint8  // with Kind "": how many others of its host come first, 0 for none
	Wait    bool   // with Kind "": other leases of its domain should end first, if there are any
	Deeper  bool   // with a Rank: of its pattern's URLs, see Answers, a deeper one comes first

	turn  uint64 // with Deeper: the pattern
	try   uint64 // that a lease counts as, 0 for none
	added uint64 // what the URL adds to the page on which it was found, 0 for nothing
}

// Judge decides whether to fetch u now, which was found on the page at via, "" if that is not
// known. Call it just before the fetch: what is known then counts, not what was known when u was
// found. It changes nothing.
func (g *Guard) Judge(u weburl.URL, via string) Verdict {
	v, _ := g.JudgeUpTo(u, via, math.MaxUint8)
	return v
}

// JudgeUpTo is Judge for whoever minds URLs up to a rank only. For the others it returns false, and
// the Verdict has only the least Rank that they can have: that costs less, as neither their forms
// nor their names are looked up.
func (g *Guard) JudgeUpTo(u weburl.URL, via string, most uint8) (v Verdict, ok bool) {
	v, p := g.look(u, via, most)
	if v.Kind != "" && p != nil && p.granted > p.probing {
		return Verdict{ID: v.ID, Probe: true}, true
	}
	return v, v.Rank <= most
}

// Refuses reports whether a URL that Judge refused must still be refused.
func (g *Guard) Refuses(u weburl.URL) bool {
	v, _ := g.look(u, "", 0)
	return v.Kind != ""
}

// Trusts reports whether the configuration forbids to refuse u, by itself or by the pattern that
// answers for it.
func (g *Guard) Trusts(u weburl.URL) bool {
	p := g.judge(g.ask(u))
	return g.trusted(u) || p != nil && g.trusts(p.name)
}

// asked is a URL of which something is asked, and its patterns, nil if nothing is known of them.
type asked struct {
	*shape
	own, domains *pattern // the fine and the wide one
	spelt        uint64   // how it is spelt, 0 if that says no more than its pattern
}

func (g *Guard) ask(u weburl.URL) asked {
	s := g.shapes.at(u)
	a := asked{shape: s, own: g.patterns[s.fine], domains: g.patterns[s.wide]}
	if g.isSpelt(a.own) {
		a.spelt = g.shapes.spelt(u, s.fine, false)
	}
	return a
}

// look returns what is known about u, which was found on via, and the pattern that says so. Of a
// rank beyond most it is the least that it can be.
func (g *Guard) look(u weburl.URL, via string, most uint8) (Verdict, *pattern) {
	if g.trusted(u) {
		return Verdict{}, nil
	}
	if k := onSight(u); k != "" {
		return Verdict{Kind: k}, nil
	}
	a := g.ask(u)
	p := g.judge(a)
	if p != nil && g.trusts(p.name) {
		return Verdict{}, nil
	}
	var try uint64
	switch {
	case p != nil && p.closed != "" && !g.newForm(a, p):
		var spared bool
		if try, spared = g.spared(a); !spared {
			return Verdict{Kind: p.closed, Pattern: p.name, ID: p.id}, p
		}
	case p == nil && a.domains != nil && a.domains.closed != "":
		try = g.nextTry(a.tries(), firstOfSection)
	}
	if g.off&ruleOrder != 0 {
		return Verdict{}, p
	}
	chance, later := g.chance(a, nil), g.later(a, p)
	if least := min(mostRank, rank(chance)+later); least > most {
		return Verdict{Rank: least}, p
	}
	about, added := g.about(u, via)
	a.shape = g.shapes.at(u) // about may have read that of via
	well := g.isSpeltWell(a)
	switch {
	case g.off&ruleServices == 0 && !well && isService(u):
		chance *= serviceChance
	case about && !g.hasNewNumber(u, via, a.own):
		chance *= aspectChance
	}
	fresh, ahead := g.fresh(a, well)
	v := Verdict{Rank: rank(chance * fresh * g.listed(a)), added: added, try: try}
	if v.Rank > 0 && g.off&ruleTurns == 0 && g.deepens(p) {
		v.Deeper, v.turn = true, p.id
	}
	// Of what is unlikely nothing that is on its way changes much, unless it is the same page, or
	// the step before the one whose turn it is.
	if v.Rank < unlikely || ahead < fresh || v.Deeper && p.turning > 0 && p.owes < float32(g.cfg.Budget) {
		v.Wait = g.leased[a.domain] > 0 && g.waits(a, ahead)
	}
	v.Rank = min(mostRank, v.Rank+later)
	return v, p
}

// deepens reports whether the next URL of a pattern should be one of the deepest that wait, not of
// the shallowest: every second one until the pattern owes much, every eighth then, and every second
// one again once half of its budget is spent. What is worth something may be some steps from where
// it is listed, and breadth-first all first steps come before any second one.
func (g *Guard) deepens(p *pattern) bool {
	if p == nil || p.born == 0 {
		return false
	}
	next := int(p.pages) + g.leased[p.id] // a turn that has to wait stays one
	if p.owes >= g.suspect() && 2*p.spent < float32(g.cfg.Budget) {
		return next%8 == 1
	}
	return next%2 == 1
}

// Answers returns the pattern that answers for a URL, 0 if nothing is known of it.
func (g *Guard) Answers(u weburl.URL) uint64 {
	if p := g.judge(g.ask(u)); p != nil {
		return p.id
	}
	return 0
}

// Pattern returns the pattern of a URL by itself.
func (g *Guard) Pattern(u weburl.URL) uint64 { return g.shapes.at(u).fine }

// tells reports whether pages like that at via are worth something, as far as is known. If they are
// not, their aspects may be all that there is to read, such as the posts of a user whose page has
// nothing but links.
func (g *Guard) tells(via string) bool {
	u, err := weburl.Parse(via)
	if err != nil {
		return true
	}
	p := g.patterns[g.shapes.at(u).fine]
	return p == nil || 2*p.hits >= p.tries
}

// judge returns the pattern that answers for a URL: its own, if that has shown what it is or begins
// well, or whichever of the two owes more.
func (g *Guard) judge(a asked) *pattern {
	fine, wide := a.own, a.domains
	switch {
	case g.off&ruleWide != 0 || g.tries(wide, fine):
		return fine
	case wide != nil && (wide.closed != "" || wide.owes > 0) && g.beginsInSection(a):
		return fine
	case fine == nil:
		return wide
	case wide == nil || g.good(fine) || fine.beginsWell() || fine.closed != "" || wide.closed != "" && fine.hasTold():
		return fine
	case wide.closed != "" || wide.owes > fine.owes:
		return wide
	}
	return fine
}

// hasTold reports whether a young pattern owes nothing, and its pages, or those that they lead to,
// have said what is new to the site: half of what makes a whole page, on average, whether they are
// selections or not. Then it is not refused for what others have spent, though it waits as they do.
func (p *pattern) hasTold() bool {
	return p.pages > 0 && 2*p.hits*p.least() >= leastNew*p.tries && p.owes < postponed
}

// tries reports whether a wide pattern that is closed lets a young one show what it is: if it does
// not run on, and all that there were take no more than another budget for their first pages.
// Where copies are of known forms only those are refused, and no new pattern is.
func (g *Guard) tries(wide, fine *pattern) bool {
	return wide != nil && wide.closed != "" && !wide.renames() && int(wide.kinds)*settled < g.cfg.Budget &&
		(fine == nil || fine.pages < settled && !fine.runsOn())
}

// chance is how likely the next page of a URL's patterns brings something. For a pattern that is
// too young, or owes too much, to answer for itself, and has not begun well either, the wide one
// answers, and for a new one how patterns have begun there.
func (g *Guard) chance(a asked, leased map[uint64]int) float32 {
	c := g.chanceOfPatterns(a, leased)
	if a.spelt == 0 || a.own.moved >= settled { // redirects are not known by how they are spelt
		return c
	}
	if s := g.spellings[a.spelt]; s != nil {
		return g.ends(a.own) * s.chance(c, leased[a.spelt])
	}
	begins := (a.own.wellSpelt + 1) / (float32(a.own.spellings) + float32(leased[a.spelt]) + 2)
	if a.own.spellings > mostChoices { // new ones come all the time
		return min(c, begins)
	}
	return max(c, begins)
}

func (g *Guard) chanceOfPatterns(a asked, leased map[uint64]int) float32 {
	c := g.chanceOf(a.own, leased[a.fine], leased)
	switch {
	case g.off&ruleWide != 0 || a.domains == nil:
		return c
	case a.own == nil:
		if begins, known := g.begins(a.shape, leased[a.wide]); known {
			return min(c, begins)
		}
		return min(c, a.domains.kindsChance(leased[a.wide]))
	case g.beginsInSection(a):
		return c
	case g.good(a.own) || a.own.beginsWell():
		return c
	}
	return min(c, g.chanceOf(a.domains, leased[a.wide], leased))
}

// waits reports whether a URL should wait for what is on its way, as if that brought nothing. Then
// it brings no copy with the chance fresh.
func (g *Guard) waits(a asked, fresh float32) bool {
	chance, pays := g.chance(a, g.leased), g.paysAhead(a)
	if !pays && rank(chance) > 0 {
		return true
	}
	return rank(chance*fresh) > 0 && !(fresh == 1 && pays)
}

// paysAhead reports whether enough pages of a URL's pattern have paid for themselves that those on
// their way need not end first: what they bring would change little of what is known. To fetch the
// pages of a site one at a time takes two to three times the CPU.
func (g *Guard) paysAhead(a asked) bool {
	p := a.own
	return p != nil && g.good(p) && p.rich() && !p.mostly(p.copies) && !p.endless() &&
		g.leased[a.fine] <= int(p.pages)
}

// chanceOf is how likely the next page of a pattern brings something, with n on their way.
func (g *Guard) chanceOf(p *pattern, n int, leased map[uint64]int) float32 {
	chance := g.ends(p) * p.chance(n)
	if g.off&ruleMoves == 0 && p.redirects() { // what is not fetched yet counts as if on its way
		to := g.patterns[p.leads]
		chance = min(chance, g.ends(to)*to.chance(leased[p.leads]+int(p.moved)))
	}
	return chance
}

func (g *Guard) ends(p *pattern) float32 {
	if p == nil || g.off&ruleEndless != 0 {
		return 1
	}
	if k := g.kinOf(p); k != nil && p.pages < settled && k.links >= leastKin {
		return k.ends()
	}
	return p.ends()
}

// good reports whether a pattern answers for itself: it has pages enough, and owes little, or
// little for what it has earned before.
func (g *Guard) good(p *pattern) bool {
	earned := min(float32(p.pages), float32(g.cfg.Budget)) / 4
	return p.pages >= settled && p.owes < max(g.suspect(), earned)
}

// beginsWell reports whether most pages of a young pattern were worth something, or led to such, so
// that it answers for itself. So do selections: those that lead to what is known already do not
// begin well, whatever is selected first.
func (p *pattern) beginsWell() bool {
	return p.pages > 0 && 2*p.hits >= p.tries && p.owes < postponed
}

func (g *Guard) suspect() float32 { return min(suspect, float32(g.cfg.Budget)) }

// newForm reports whether p, or the fine pattern of a URL for which it answers, renames known
// pages, and that is none of them, or their own address: what was fetched under a key is fetched
// once without it.
func (g *Guard) newForm(a asked, p *pattern) bool {
	isNew := func(p *pattern) bool {
		return p.renames() && (!g.fetched(p.form(a.shape, &g.texts)) || g.isOwnAddress(a.shape))
	}
	return isNew(p) || p.wide && a.own != nil && a.own.pages >= settled && isNew(a.own)
}

// isOwnAddress reports whether a URL has no key, and its page was fetched under keys only.
func (g *Guard) isOwnAddress(s *shape) bool {
	return !s.keyed && g.texts.has(s.underKey()) && !g.texts.has(s.withoutKey())
}

// fetched reports whether a page of a form was fetched, or is on its way.
func (g *Guard) fetched(form uint64) bool {
	return g.off&ruleForms == 0 && (g.texts.has(form) || g.leased[form] > 0)
}

// fresh is the chance that a URL brings no copy, as far as its form says, and the same if what is
// on its way had come.
func (g *Guard) fresh(a asked, well bool) (now, ahead float32) {
	if g.off&ruleForms != 0 {
		return 1, 1
	}
	now, ahead = 1, 1
	tried := a.domains != nil && 2*a.domains.hits < a.domains.tries
	switch {
	case a.own != nil:
		now, ahead = a.own.fresh(a.shape, &g.texts, g.leased, well && !a.keyed)
	case tried || g.leased[a.fine] > 0: // else it is the first of its kind, to see what it brings
		if now, ahead = (&pattern{id: a.fine}).fresh(a.shape, &g.texts, g.leased, false); !tried {
			now = 1
		}
	}
	if a.session && g.texts.has(a.bare()) { // of all patterns of the host together
		others := float32(g.texts.times(a.oneMore(false)))
		chance := (others + 1) / (others + float32(g.texts.times(a.oneMore(true))) + 2)
		now, ahead = min(now, chance), min(ahead, chance)
	}
	if chance := g.lacking(a.shape); chance < 1 {
		now, ahead = min(now, chance), min(ahead, chance)
	}
	if wide := a.domains; wide != nil {
		form, chance := wide.whole(a.shape), wide.tried[parts].fresh()
		switch {
		case g.texts.has(form):
			now, ahead = min(now, chance), min(ahead, chance)
		case g.leased[form] > 0:
			ahead = min(ahead, chance)
		}
	}
	return now, ahead
}

// renames reports whether URLs of a new form may bring new pages even though the pattern is
// closed: its copies are of forms that were known.
func (p *pattern) renames() bool { return p.mostly(p.again) }

// trusted reports whether the configuration forbids to refuse u.
func (g *Guard) trusted(u weburl.URL) bool {
	return len(g.cfg.Trust) > 0 && g.trusts(strings.TrimPrefix(u.String(), u.Scheme()+"://"))
}

// trusts reports whether the configuration names a URL without scheme, or a pattern.
func (g *Guard) trusts(name string) bool {
	return slices.ContainsFunc(g.cfg.Trust, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}
