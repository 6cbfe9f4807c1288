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
	page     uint32 // pages learned
	view     view
	opened   []uint64
}

// view is the page whose links are being watched.
type view struct {
	watched    bool
	briefly    bool // only for whether it leads to new URLs
	url, via   weburl.URL
	shape      shape
	rooted     bool // it links back to via, which is a directory above it
	looked     int  // links looked at
	births     [maxBirths]uint64
	born       int // births kept
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

// The limits of what is looked at on a page.
const (
	maxLinks  = 256
	maxBirths = 64
	maxBack   = 16
)

// New returns a Guard that knows nothing yet.
func New(cfg Config) *Guard {
	if cfg.Patterns == 0 {
		cfg.Patterns = defaultPatterns
	}
	cfg.Patterns = max(cfg.Patterns, leastPatterns)
	return &Guard{cfg: cfg, shapes: newShapes(4 * cfg.Patterns), patterns: map[uint64]*pattern{}}
}

// Verdict is Judge's decision about a URL.
type Verdict struct {
	Kind    Kind   // "" to fetch it
	Pattern string // that refuses it, such as "shop.test/list?sort&view"; "" if refused on sight
	ID      uint64 // of the pattern, as Reopened has it; 0 if refused on sight, which is final
	Probe   bool   // with Kind "": its pattern is closed, and this URL tests whether to open it
}

// Judge decides whether to fetch u. Call it just before the fetch: what is known then
// counts, not what was known when u was found.
func (g *Guard) Judge(u weburl.URL) Verdict {
	k, p := g.against(u)
	switch {
	case p == nil:
		return Verdict{Kind: k}
	case p.probe():
		return Verdict{Probe: true}
	}
	return Verdict{Kind: p.closed, Pattern: p.name, ID: p.id}
}

// Refuses reports whether a URL that Judge refused with v must still be skipped. A URL may
// be cleared by its own pattern; one refused as Session or Subdomains duplicates a fetched
// page and stays refused.
func (g *Guard) Refuses(v Verdict, u weburl.URL) bool {
	if v.Kind == Session || v.Kind == Subdomains {
		p := g.patterns[v.ID]
		return p != nil && p.closed != "" && !g.trusts(p.name) && !g.trusted(u)
	}
	_, p := g.against(u)
	return p != nil
}

// against returns what speaks against u: its spelling, or a closed pattern.
func (g *Guard) against(u weburl.URL) (Kind, *pattern) {
	if g.trusted(u) {
		return "", nil
	}
	if k := onSight(u); k != "" {
		return k, nil
	}
	s := g.shapes.of(u)
	fine, wide := g.patterns[s.fine], g.patterns[s.wide]
	p := wide
	if fine != nil && (fine.closed != "" || fine.vouches()) {
		p = fine
	}
	if p == nil || p.closed == "" || g.trusts(p.name) || p.renames() && !p.known.has(s.form) {
		return "", nil
	}
	return "", p
}

// trusted reports whether the configuration forbids to refuse u.
func (g *Guard) trusted(u weburl.URL) bool {
	return len(g.cfg.Trust) > 0 && g.trusts(strings.TrimPrefix(u.String(), u.Scheme()+"://"))
}

// trusts reports whether the configuration names a URL without scheme, or a pattern.
func (g *Guard) trusts(name string) bool {
	return slices.ContainsFunc(g.cfg.Trust, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// Watch begins a page that was fetched: u, found on via, which is zero for a seed. If it
// returns true, call Link for each link of the page. Learn ends the page.
func (g *Guard) Watch(u, via weburl.URL) bool {
	s := g.shapes.of(u)
	v := &g.view
	*v = view{url: u, via: via, shape: s, fine: ownLinks{id: s.fine}, wide: ownLinks{id: s.wide}}
	if !via.IsZero() {
		from := g.shapes.of(via)
		v.wide.own = from.wide == s.wide
		v.fine.own = v.wide.own && g.samePattern(from.fine, s.fine)
	}
	p := g.patterns[s.fine]
	v.watched = p == nil || p.pages < watchedPages || p.closed != "" || p.pages%watchEvery == 0
	v.briefly = !v.watched && p.repeats()
	return v.watched || v.briefly
}

const (
	watchedPages = 64
	watchEvery   = 16
)

// Link records a link of the page being watched, and whether its URL was known before.
func (g *Guard) Link(to weburl.URL, known bool) {
	v := &g.view
	if v.looked++; v.looked > maxLinks || to == v.url || v.briefly && (known || v.wide.born > 0) {
		return
	}
	if to == v.via {
		v.rooted = v.rooted || strings.HasPrefix(v.url.Path(), to.Path())
		if v.rooted {
			return
		}
	}
	s := g.shapes.of(to)
	if s.wide != v.wide.id {
		return
	}
	h := mix(xxhash.Sum64String(to.String()), 6)
	if slices.Contains(v.births[:v.born], h) {
		return // the page has the link twice
	}
	if !known && v.born < maxBirths {
		v.births[v.born] = h
		v.born++
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
	return p == nil || p.pages < leastPages
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
