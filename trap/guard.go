package trap

import (
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"crawler/weburl"
)

// Guard judges the URLs of a crawl. See the package comment. It has one owner.
type Guard struct {
	cfg      Config
	shapes   shapes
	patterns map[uint64]*pattern
	texts    memory         // of all pages: texts, and forms of URLs
	page     uint32         // pages learned
	leased   map[uint64]int // by pattern and by form: URLs on their way
	view     view
	opened   []uint64
	own      []uint64 // scratch
}

// mostTexts is how many hashes of texts and forms are remembered, some ten for each page: 8 MiB.
const mostTexts = 1 << 20

// view is the page whose links are being watched.
type view struct {
	watched    bool
	url, via   weburl.URL
	shape      shape
	from       uint64 // the fine pattern of via
	rooted     bool   // it links back to via, which is a directory above it
	looked     int    // links looked at
	births     [maxBirths]uint64
	of         [maxBirths][2]uint64 // the patterns of those URLs
	born       int                  // births kept
	fine, wide ownLinks
}

// ownLinks are the links of a page to URLs of its own pattern.
type ownLinks struct {
	id    uint64
	own   bool            // the page was found on a page of the pattern
	born  int             // links to URLs that were not known before
	back  [maxBack]uint64 // hashes of the others' URLs
	backs int             // how many, up to maxBack
}

// MaxLinks is how many links of a page are looked at.
const MaxLinks = 256

// The limits of what is kept of them.
const (
	maxBirths = 64
	maxBack   = 16
)

// New returns a Guard that knows nothing yet.
func New(cfg Config) *Guard {
	if cfg.Patterns == 0 {
		cfg.Patterns = defaultPatterns
	}
	if cfg.Budget <= 0 {
		cfg.Budget = DefaultBudget
	}
	cfg.Patterns = max(cfg.Patterns, leastPatterns)
	return &Guard{cfg: cfg, shapes: newShapes(4 * cfg.Patterns), patterns: map[uint64]*pattern{}, leased: map[uint64]int{}}
}

// Verdict is Judge's decision about a URL.
type Verdict struct {
	Kind    Kind   // "" to fetch it
	Pattern string // that refuses it, such as "shop.test/list?sort&view"; "" if refused on sight
	ID      uint64 // of the pattern, as Reopened has it; 0 if refused on sight, which is final
	Probe   bool   // with Kind "": its pattern is closed, and this URL tests whether to open it
	Rank    uint8  // with Kind "": how many others of its host come first, 0 for none
	Wait    bool   // with Kind "": other leases of its host should end first, if there are any
	Deepest bool   // with Kind "": it waits for all others, and then the deepest comes first
}

// repeatRank is by how many ranks a URL waits longer that is likely to bring a copy.
const repeatRank = 2

// Judge decides whether to fetch u now. Call it just before the fetch: what is known then
// counts, not what was known when u was found.
func (g *Guard) Judge(u weburl.URL) Verdict {
	v, p := g.look(u)
	if v.Kind != "" && p != nil && p.granted > 0 {
		p.granted--
		return Verdict{Probe: true}
	}
	return v
}

// Refuses reports whether a URL that Judge refused must still be refused.
func (g *Guard) Refuses(u weburl.URL) bool {
	v, _ := g.look(u)
	return v.Kind != ""
}

// look returns what is known about u, and the pattern that says so.
func (g *Guard) look(u weburl.URL) (Verdict, *pattern) {
	if g.trusted(u) {
		return Verdict{}, nil
	}
	if k := onSight(u); k != "" {
		return Verdict{Kind: k}, nil
	}
	s := g.shapes.of(u)
	p := g.judge(&s)
	if p != nil && g.trusts(p.name) {
		return Verdict{}, nil
	}
	repeats := g.repeats(&s)
	if p != nil && p.closed != "" && (repeats || !p.renames()) {
		return Verdict{Kind: p.closed, Pattern: p.name, ID: p.id}, p
	}
	owes, leased := g.due(&s)
	v := Verdict{Rank: rank(owes + float32(leased))}
	v.Wait = v.Rank > 0 && leased > 0
	if repeats {
		v.Rank += repeatRank
		v.Wait = v.Wait || g.leased[s.fine] > 0
	}
	v.Deepest = p != nil && p.maze()
	return v, p
}

// judge returns the pattern that answers for a URL: its own, if that has shown what it is, or
// whichever of the two owes more.
func (g *Guard) judge(s *shape) *pattern {
	fine, wide := g.patterns[s.fine], g.patterns[s.wide]
	switch {
	case fine == nil:
		return wide
	case wide == nil || g.good(fine) || fine.closed != "":
		return fine
	case wide.closed != "" || wide.owes > fine.owes:
		return wide
	}
	return fine
}

// due returns what the patterns owe that answer for a URL, and how many leases count as pages
// that bring nothing. While a pattern owes nothing, as many as it had pages do not.
func (g *Guard) due(s *shape) (owes float32, leased int) {
	fine, wide := g.patterns[s.fine], g.patterns[s.wide]
	leased = g.leased[s.fine]
	switch {
	case fine != nil && g.good(fine):
		if fine.owes < postponed {
			leased = max(0, leased-int(fine.pages))
		}
		return fine.owes, leased
	case fine != nil:
		owes = fine.owes
	}
	if n := g.leased[s.wide]; wide != nil && wide.owes+float32(n) > owes+float32(leased) {
		return wide.owes, n
	}
	return owes, leased
}

// Lease is what a URL on its way is counted as: its patterns, and its form in each of them.
type Lease [4]uint64

// Lease notes that u is being fetched. Call Ended with the result whatever becomes of it.
func (g *Guard) Lease(u weburl.URL) (l Lease) {
	s := g.shapes.of(u)
	for i, id := range [...]uint64{s.fine, s.wide} {
		l[2*i] = id
		if p := g.patterns[id]; p != nil {
			l[2*i+1] = p.form(&s)
		}
	}
	for _, id := range l {
		g.leased[id]++
	}
	return l
}

// Ended notes that a lease has ended.
func (g *Guard) Ended(l Lease) {
	for _, id := range l {
		if g.leased[id]--; g.leased[id] <= 0 {
			delete(g.leased, id)
		}
	}
}

// good reports whether a pattern answers for itself: it has pages enough, and owes little.
func (g *Guard) good(p *pattern) bool { return p.pages >= settled && p.owes < g.suspect() }

func (g *Guard) suspect() float32 { return min(suspect, float32(g.cfg.Budget)) }

// repeats reports whether u is likely to bring a copy.
func (g *Guard) repeats(s *shape) bool {
	fine, wide := g.patterns[s.fine], g.patterns[s.wide]
	fetched := func(form uint64) bool { return g.texts.has(form) || g.leased[form] > 0 }
	return fine != nil && fine.repeats(s, fetched) || wide != nil && wide.repeats(s, fetched)
}

// renames reports whether URLs of a new form may bring new pages even though the pattern is
// closed: its copies are of forms that were known.
func (p *pattern) renames() bool { return p.mostly(p.again) }

// Probe lets up to most of the URLs that the pattern refused through, before the crawl ends, to
// see whether it has changed, and returns how many. It does so once since the pattern closed.
func (g *Guard) Probe(id uint64, most int) int {
	p := g.patterns[id]
	if p == nil || p.closed == "" || p.probed {
		return 0
	}
	p.probed, p.granted = true, uint8(min(most, probes))
	return int(p.granted)
}

const probes = 8

// trusted reports whether the configuration forbids to refuse u.
func (g *Guard) trusted(u weburl.URL) bool {
	return len(g.cfg.Trust) > 0 && g.trusts(strings.TrimPrefix(u.String(), u.Scheme()+"://"))
}

// trusts reports whether the configuration names a URL without scheme, or a pattern.
func (g *Guard) trusts(name string) bool {
	return slices.ContainsFunc(g.cfg.Trust, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// Watch begins a page that was fetched: u, found on via, which is zero for a seed. If it
// returns true, call Link for each link of the page, else for those to URLs that were not known
// before. Learn ends the page.
func (g *Guard) Watch(u, via weburl.URL) bool {
	s := g.shapes.of(u)
	v := &g.view
	*v = view{url: u, via: via, shape: s, fine: ownLinks{id: s.fine}, wide: ownLinks{id: s.wide}}
	if !via.IsZero() {
		from := g.shapes.of(via)
		v.from = from.fine
		v.wide.own = from.wide == s.wide
		v.fine.own = v.wide.own && g.samePattern(from.fine, s.fine)
	}
	p := g.patterns[s.fine]
	v.watched = p == nil || p.pages < watchedPages || p.owes >= g.suspect() || p.pages%watchEvery == 0
	return v.watched
}

const (
	watchedPages = 64
	watchEvery   = 16
)

// Link records a link of the page being watched, and whether its URL was known before.
func (g *Guard) Link(to weburl.URL, known bool) {
	v := &g.view
	if v.looked++; v.looked > MaxLinks || to == v.url || known && !v.watched {
		return
	}
	if v.watched && to == v.via {
		v.rooted = v.rooted || strings.HasPrefix(v.url.Path(), to.Path())
		if v.rooted {
			return
		}
	}
	s := g.shapes.of(to)
	h := mix(xxhash.Sum64String(to.String()), 6)
	if slices.Contains(v.births[:v.born], h) {
		return // the page has the link twice
	}
	if !known {
		if v.born < maxBirths {
			v.births[v.born], v.of[v.born] = h, [2]uint64{s.fine, s.wide}
			v.born++
		}
	}
	if s.wide != v.wide.id {
		return
	}
	v.wide.link(h, known)
	// A link back into another pattern is a way out of the maze, so it counts whatever its pattern.
	if known || g.samePattern(s.fine, v.fine.id) {
		v.fine.link(h, known)
	}
}

// samePattern reports whether a, which has the same wide pattern as b, is b or too young to
// be known as another pattern: in a maze of random names most are that young.
func (g *Guard) samePattern(a, b uint64) bool {
	if a == b {
		return true
	}
	p := g.patterns[a]
	return p == nil || p.pages < settled
}

func (k *ownLinks) link(h uint64, known bool) {
	switch {
	case !known:
		k.born++
	case k.backs < maxBack:
		k.back[k.backs] = h
		k.backs++
	}
}
