package gate_test

import (
	"cmp"
	"strings"
	"testing"

	"crawler/gate"
)

// property is what can be wrong with a link of the page a/d, which is as deep as the crawl
// goes if the property demands it.
type property struct {
	name   string
	reason string
	change change
	dir    string // of the URL it leads to, if not /in
	sub    string // below that
	seeds  string // that make it so
	script string // and before
	prefix string // of the link
}

// properties are in the order in which the rules are asked.
var properties = []property{
	{name: "seen", seeds: "TARGET"},
	{name: "out of scope", reason: "scope", dir: "/out"},
	{name: "excluded", reason: "excluded", sub: "/x", change: excluding("/x")},
	{name: "declined", reason: "excluded", prefix: "declined:"},
	{name: "nofollow", reason: "nofollow", prefix: "nofollow:"},
	{name: "too deep", reason: "depth", change: depth(1)},
	{name: "closed", reason: "host-closed", script: "b/in/ gone"},
	{name: "over budget", reason: "host-budget", change: budget(3), seeds: "b/in/2 b/in/3"},
}

// A link that two rules refuse is refused by the one that is asked first, and a URL that was
// admitted before is reported for neither. Seen and out of scope cannot meet here: a seed is
// in scope, and what is in scope stays there.
func TestPairsOfOneLink(t *testing.T) {
	pairs := 0
	for i, first := range properties {
		for _, second := range properties[i+1:] {
			if first.name == "seen" && second.name == "out of scope" {
				continue
			}
			pairs++
			t.Run(first.name+" and "+second.name, func(t *testing.T) {
				r, target := meet(first, second)
				for _, m := range all {
					w := r.play(m)
					w.checkFates()
					w.checkCounts()
					if got, want := w.fate(target), fateOf(first, second); got != want {
						w.fail("%s: %s, want %s", target, got, want)
					}
					for _, e := range w.errs {
						t.Errorf("%s: %s", m, e)
					}
				}
			})
		}
	}
	if want := len(properties)*(len(properties)-1)/2 - 1; pairs != want {
		t.Errorf("%d pairs, want %d", pairs, want)
	}
}

// meet is a script in which the page a/d has a link with both properties, and where that leads.
func meet(first, second property) (r row, target string) {
	target = "b" + cmp.Or(first.dir, second.dir, "/in") + first.sub + second.sub + "/target"
	r.seeds = strings.ReplaceAll("a/ b/in/ "+first.seeds+" "+second.seeds, "TARGET", target)
	r.script = "a/ page a/d\n" + first.script + "\n" + second.script + "\na/d page " + first.prefix + second.prefix + target
	r.change = both(scope(gate.ScopePrefix), first.set, second.set)
	return r, target
}

func (p *property) set(c *gate.Config) {
	if p.change != nil {
		p.change(c)
	}
}

// fateOf is what becomes of a URL with both properties.
func fateOf(first, second property) string {
	switch {
	case first.name == "seen" && second.name == "closed":
		return second.reason // it was queued
	case first.name == "seen":
		return "a page"
	}
	return first.reason + " via a/d"
}

// fate is what became of a URL.
func (w *world) fate(url string) string {
	var fates []string
	if w.pages[url] > 0 {
		fates = append(fates, "a page")
	}
	for _, s := range w.skips {
		if short(s.URL) == url {
			fates = append(fates, strings.TrimPrefix(describe(s), url+" "))
		}
	}
	return strings.Join(fates, ", ")
}

// pairs are rules that meet at one URL one after the other. By what the URL meets first:
//
//	scope       may pass (a seed redirects, or is added): then any other rule can meet it
//	excluded    is the URL's own and never passes: it meets only "added" and "a seed"
//	declined    is a link's, so another link may admit the URL: as nofollow
//	nofollow    is a link's: then any other rule but scope, which was asked before
//	depth       passes when a shorter way is found: then budget and closed
//	budget      passes when a place is given back: then closed, and budget again
//	closed      never passes; the URL is reported once
//	trap        may pass: then budget and closed, which are final for it
//	robots      is the last word on a URL, as failures are
//	limit       of redirects: another way may admit the URL: as nofollow
//	seen        the first admission counts, so later refusals are nothing: TestPairsOfOneLink
//
// Bad redirects have no target, so they meet nothing but the budget. A trap and robots.txt
// cannot meet: a trap's URL is not asked for.
var pairs = []row{
	// Scope, then another rule.
	{
		name: "scope, then a seed redirects there: admitted", seeds: "b/ a/",
		script: `b/ page www.a/1 www.a/2
			a/ moved www.a/`,
		leased: "b/ a/ www.a/ www.a/1 www.a/2",
	},
	{
		name: "scope, then a seed redirects there: too deep", seeds: "b/ a/", change: depth(1),
		script: `b/ page b/1
			b/1 page www.a/1
			a/ moved www.a/`,
		leased: "b/ a/ b/1 www.a/",
		skips:  `www.a/1 depth via b/1`,
	},
	{
		name: "scope, then a seed redirects there: over budget, and a place is given back", seeds: "b/ a/", change: budget(2),
		script: `b/ page www.a/1 www.a/2 www.a/3
			a/ moved www.a/
			www.a/1 forbidden`,
		leased: "b/ a/ www.a/ www.a/1 www.a/2",
		skips: `www.a/1 robots via b/
			www.a/3 host-budget via b/`,
	},
	{
		name: "scope, then a seed redirects there: the host is closed", seeds: "b/ a/",
		script: `b/ page www.a/1
			a/ moved www.a/
			www.a/ gone`,
		leased:   "b/ a/ www.a/",
		admitted: 4,
		skips: `www.a/ host-closed
			www.a/1 host-closed via b/`,
	},
	{
		name: "scope prefix, then a seed redirects there: the host was closed before", seeds: "b/ a/y/ www.a/x/", change: scope(gate.ScopePrefix),
		script: `b/ page www.a/y/1
			www.a/x/ gone
			a/y/ moved www.a/y/`,
		leased: "b/ www.a/x/ a/y/",
		skips: `www.a/x/ host-closed
			www.a/y/ host-closed from a/y/
			www.a/y/1 host-closed via b/`,
	},
	{
		name: "scope, then a seed redirects there: it was linked to with nofollow", seeds: "b/ a/",
		script: `b/ page nofollow:www.a/1
			a/ moved www.a/`,
		leased: "b/ a/ www.a/",
		skips:  `www.a/1 nofollow via b/`,
	},
	{
		name: "scope, then a seed redirects there: the hook was against the link", seeds: "b/ a/",
		script: `b/ page declined:www.a/1
			a/ moved www.a/`,
		leased: "b/ a/ www.a/",
		skips:  `www.a/1 excluded via b/`,
	},
	{
		name: "scope, then a seed redirects there: excluded", seeds: "b/ a/", change: excluding("/x"),
		script: `b/ page www.a/x
			a/ moved www.a/`,
		leased: "b/ a/ www.a/",
		skips:  `www.a/x excluded via b/`,
	},
	{
		name: "scope, then a seed is added: admitted", seeds: "a/ b/",
		script: `b/ page www.a/1
			add www.a/`,
		leased: "a/ b/ www.a/ www.a/1",
	},
	{
		name: "scope, then a seed is added: the URL itself", seeds: "a/ b/",
		script: `b/ page www.a/
			add www.a/`,
		leased: "a/ b/ www.a/",
	},
	{
		name: "scope, then a seed is added: too deep but for another way", seeds: "a/ b/", change: depth(1),
		script: `b/ page b/1
			b/1 page www.a/1 www.a/2
			add www.a/
			www.a/ page www.a/1`,
		leased: "a/ b/ b/1 www.a/ www.a/1",
		skips:  `www.a/2 depth via b/1`,
	},
	{
		name: "scope of another site, then a seed is added there: linked to again", seeds: "a/",
		script: `a/ page a/1 c/1
			add c/
			a/1 page c/1`,
		leased: "a/ c/ a/1 c/1",
	},
	{
		name: "scope, then a seed redirects there: two ways, of which the first is too deep", seeds: "b/ a/", change: depth(2),
		script: `b/ page b/1 b/2
			b/1 page b/3
			b/3 page www.a/1
			b/2 page www.a/1
			a/ moved www.a/`,
		leased: "b/ a/ b/1 b/2 b/3 www.a/ www.a/1",
	},
	{
		name: "scope, then a seed redirects there: two ways, and excluded", seeds: "b/ a/", change: both(depth(2), excluding("/x")),
		script: `b/ page b/1 www.a/x
			b/1 page www.a/x
			a/ moved www.a/`,
		leased: "b/ a/ b/1 www.a/",
		skips:  `www.a/x excluded via b/`,
	},
	{
		name: "scope, then a seed redirects there: two ways, the shorter one later, and excluded", seeds: "b/ a/", change: both(depth(3), excluding("/x")),
		script: `b/ page b/1 b/2
			b/1 page b/3
			b/3 page www.a/x
			b/2 page www.a/x
			a/ moved www.a/`,
		leased: "b/ a/ b/1 b/2 b/3 www.a/",
		skips:  `www.a/x excluded via b/3`,
	},
	{
		name: "scope: two ways, the shorter one later", seeds: "b/ a/", change: depth(3),
		script: `b/ page b/1 b/2
			b/1 page b/3
			b/3 page www.a/x
			b/2 page www.a/x`,
		leased: "b/ a/ b/1 b/2 b/3",
		skips:  `www.a/x scope via b/3`,
	},
	{
		name: "scope of a redirect's target, then a seed redirects there: followed", seeds: "b/ a/",
		script: `b/ page b/1
			b/1 moved www.a/1
			a/ moved www.a/`,
		leased: "b/ a/ b/1 www.a/ www.a/1",
	},
	{
		name: "scope of a redirect's target and of a link", seeds: "a/",
		script: `a/ page a/1 b/1
			a/1 moved b/1`,
		leased: "a/ a/1",
		skips:  `b/1 scope via a/`,
	},

	// Excluded.
	{
		name: "excluded seed: fetched", seeds: "a/x", change: excluding("/x"),
		script: `a/x page a/1 a/x/1`,
		leased: "a/x a/1",
		skips:  `a/x/1 excluded via a/x`,
	},
	{
		name: "excluded seed that redirects to itself: a loop", seeds: "a/x", change: excluding("/x"),
		script: `a/x moved a/x`,
		leased: "a/x",
	},
	{
		name: "excluded, then added", seeds: "a/", change: excluding("/x"),
		script: `a/ page a/x
			add a/x`,
		leased: "a/ a/x",
	},

	// Declined.
	{
		name: "declined, then linked to without the hook's refusal: admitted", seeds: "a/",
		script: `a/ page declined:a/1 a/2
			a/2 page a/1`,
		leased: "a/ a/2 a/1",
	},
	{
		name: "declined, then nofollow: reported once", seeds: "a/",
		script: `a/ page declined:a/1 nofollow:a/1`,
		leased: "a/",
		skips:  `a/1 excluded via a/`,
	},

	// Nofollow, then another rule.
	{
		name: "nofollow, then followed: admitted", seeds: "a/",
		script: `a/ page nofollow:a/1 a/2
			a/2 page a/1`,
		leased: "a/ a/2 a/1",
	},
	{
		name: "nofollow and followed on one page: admitted", seeds: "a/", change: depth(3),
		script: `a/ page nofollow:a/1 a/1 a/2 nofollow:a/2`,
		leased: "a/ a/1 a/2",
	},
	{
		name: "nofollow, then declined: reported once", seeds: "a/",
		script: `a/ page nofollow:a/1 declined:a/1`,
		leased: "a/",
		skips:  `a/1 nofollow via a/`,
	},
	{
		name: "nofollow, then too deep: reported once", seeds: "a/", change: depth(1),
		script: `a/ page a/2 nofollow:a/1
			a/2 page a/1`,
		leased: "a/ a/2",
		skips:  `a/1 nofollow via a/`,
	},
	{
		name: "nofollow is no way to a URL: its depth is that of the links that are followed", seeds: "a/", change: depth(1),
		script: `a/ page nofollow:a/1 a/2
			a/2 page a/1 nofollow:a/3`,
		leased: "a/ a/2",
		skips: `a/1 nofollow via a/
			a/3 nofollow via a/2`,
	},
	{
		name: "nofollow, then over budget: reported once", seeds: "a/", change: budget(2),
		script: `a/ page nofollow:a/1 a/2
			a/2 page a/1`,
		leased: "a/ a/2",
		skips:  `a/1 nofollow via a/`,
	},
	{
		name: "nofollow, then over budget, then a place is given back: admitted", seeds: "a/", change: budget(3),
		script: `a/ page nofollow:a/1 a/2 a/3
			a/2 page a/1
			a/3 forbidden`,
		leased: "a/ a/2 a/3 a/1",
		skips:  `a/3 robots via a/`,
	},
	{
		name: "nofollow, then over budget within a depth limit, then linked to with room", seeds: "a/ b/", change: both(budget(3), depth(5)),
		script: `a/ page nofollow:a/1 a/2 a/3
			a/2 page a/1
			a/3 forbidden
			b/ page a/1`,
		leased: "a/ b/ a/2 a/3 a/1",
		skips:  `a/3 robots via a/`,
	},
	{
		name: "nofollow, then the host is closed: reported once", seeds: "a/ b/ b/2",
		script: `b/ page nofollow:a/1
			a/ gone
			b/2 page a/1`,
		leased: "a/ b/ b/2",
		skips: `a/ host-closed
			a/1 nofollow via b/`,
	},
	{
		name: "nofollow, then added: admitted", seeds: "a/",
		script: `a/ page nofollow:a/1
			add a/1`,
		leased: "a/ a/1",
	},
	{
		name: "nofollow, then a redirect's target: admitted", seeds: "a/",
		script: `a/ page nofollow:a/1 a/2
			a/2 moved a/1`,
		leased: "a/ a/2 a/1",
	},
	{
		name: "nofollow in a sitemap: an entry is followed", seeds: "a/s.xml",
		script: `a/s.xml page nofollow:entry:a/1 nofollow:a/2`,
		leased: "a/s.xml a/1",
		skips:  `a/2 nofollow via a/s.xml`,
	},

	// Depth, then another rule.
	{
		name: "too deep, then a seed is added: admitted", seeds: "a/", change: depth(1),
		script: `a/ page a/1
			a/1 page a/2
			add a/2
			a/2 page a/3`,
		leased: "a/ a/1 a/2 a/3",
	},
	{
		name: "too deep, then a shorter way over budget, then a place is given back", seeds: "a/ b/ b/2", change: both(depth(1), budget(2)),
		script: `a/ page a/1
			a/1 page b/1
			b/ page b/1
			b/2 forbidden`,
		leased: "a/ b/ a/1 b/2 b/1",
		skips:  `b/2 robots`,
	},
	{
		name: "too deep, then a shorter way to a closed host", seeds: "a/ b/ c/", change: depth(1),
		script: `a/ page a/1
			a/1 page c/1
			c/ gone
			b/ page c/1`,
		leased: "a/ c/ b/ a/1",
		skips: `c/ host-closed
			c/1 host-closed via a/1`,
	},
	{
		name: "too deep, then nofollow: reported once", seeds: "a/", change: depth(1),
		script: `a/ page a/1 a/2
			a/1 page a/3
			a/2 page nofollow:a/3`,
		leased: "a/ a/1 a/2",
		skips:  `a/3 nofollow via a/2`,
	},
	{
		name: "too deep, then an entry point: admitted", seeds: "a/ a/s.xml", change: depth(gate.SeedsOnly),
		script: `a/ page a/1
			a/s.xml page entry:a/1`,
		leased: "a/ a/s.xml a/1",
	},
	{
		name: "too deep, then a redirect's target: admitted", seeds: "a/", change: depth(1),
		script: `a/ page a/1 a/2
			a/1 page a/3
			a/2 moved a/3
			a/3 page a/4`,
		leased: "a/ a/1 a/2 a/3",
		skips:  `a/4 depth via a/3`,
	},

	// The budget, then another rule.
	{
		name: "over budget, then the host is closed: a place that is given back is of no use", seeds: "a/", change: budget(3), modes: steadily,
		script: `a/ page a/1 a/2 a/3 a/4
			a/2 leased
			a/1 gone
			a/2 forbidden`,
		leased: "a/ a/1 a/2",
		skips: `a/1 host-closed via a/
			a/2 robots via a/
			a/3 host-closed via a/
			a/4 host-closed via a/`,
	},
	{
		name: "over budget, then the host is closed: no place is given back", seeds: "a/", change: budget(2),
		script: `a/ page a/1 a/2
			a/1 gone`,
		leased: "a/ a/1",
		skips: `a/1 host-closed via a/
			a/2 host-budget via a/`,
	},
	{
		name: "over budget, then nofollow: reported once", seeds: "a/", change: budget(1),
		script: `a/ page a/1 nofollow:a/1`,
		leased: "a/",
		skips:  `a/1 host-budget via a/`,
	},
	{
		name: "over budget, then added: still so", seeds: "a/", change: budget(1),
		script: `a/ page a/1
			add a/1`,
		leased: "a/",
		skips:  `a/1 host-budget via a/`,
	},
	{
		name: "over budget: a place is given back twice", seeds: "a/", change: budget(2),
		script: `a/ page a/1 a/2 a/3 a/4
			a/1 forbidden
			a/2 moved`,
		leased: "a/ a/1 a/2 a/3",
		skips: `a/1 robots via a/
			a/4 host-budget via a/`,
	},
	{
		name: "over budget: a URL that has its turn and is a trap's gives its place back", seeds: "a/", change: both(budget(2), guarded),
		script: `a/ page a/1 a/?k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k a/2
			a/1 forbidden`,
		leased:   "a/ a/1 a/2",
		admitted: 4,
		skips: `a/1 robots via a/
			a/?k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k trap:equal-keys via a/`,
	},
	{
		name: "over budget as an entry of a sitemap, then a place is given back: still an entry point", seeds: "a/s.xml", change: both(budget(2), depth(gate.SeedsOnly)),
		script: `a/s.xml page entry:a/1 sitemap:a/t.xml
			a/1 forbidden
			a/t.xml page entry:a/2`,
		leased: "a/s.xml a/1 a/t.xml",
		skips: `a/1 robots via a/s.xml
			a/2 host-budget via a/t.xml`,
	},

	// A redirect whose target another rule refuses.
	{
		name: "redirect over budget, and the target is linked to as well: it has the next place", seeds: "a/ b/ b/2", change: budget(2),
		script: `a/ page a/1
			a/1 moved b/1
			b/ page b/1
			b/2 forbidden`,
		leased: "a/ b/ a/1 b/2 b/1",
		skips:  `b/2 robots`,
	},
	{
		name: "redirect over budget: the target has the next place", seeds: "a/ b/ b/2", change: budget(2),
		script: `a/ page a/1
			a/1 moved b/1
			b/2 forbidden`,
		leased: "a/ b/ a/1 b/2 b/1",
		skips:  `b/2 robots`,
	},
	{
		name: "redirect over budget within a depth limit: the target has the next place", seeds: "a/ b/ b/2", change: both(budget(2), depth(3)),
		script: `a/ page a/1 a/2
			a/1 moved b/1
			a/2 moved b/3
			b/2 forbidden`,
		leased: "a/ b/ a/1 b/2 a/2 b/1",
		skips: `b/2 robots
			b/3 host-budget via a/ from a/2`,
	},
	{
		name: "redirect to a closed host", seeds: "a/ b/",
		script: `a/ page a/1
			b/ gone
			a/1 moved b/1`,
		leased: "a/ b/ a/1",
		skips: `b/ host-closed
			b/1 host-closed via a/ from a/1`,
	},
	{
		name: "redirect to a closed host within a depth limit", seeds: "a/ b/", change: depth(3),
		script: `a/ page a/1
			b/ gone
			a/1 moved b/1`,
		leased: "a/ b/ a/1",
		skips: `b/ host-closed
			b/1 host-closed via a/ from a/1`,
	},
	{
		name: "redirect whose target is seen and a loop: a loop", seeds: "a/ a/1",
		script: `a/1 moved a/1`,
		leased: "a/ a/1",
	},
	{
		name: "redirect beyond the limit, to where it began: seen", seeds: "a/0",
		script: chain + `
			a/10 moved a/0`,
		leased: "a/0 a/1 a/2 a/3 a/4 a/5 a/6 a/7 a/8 a/9 a/10",
	},
	{
		name: "redirect beyond the limit, out of scope: the limit", seeds: "a/0",
		script: chain + `
			a/10 moved b/`,
		leased: "a/0 a/1 a/2 a/3 a/4 a/5 a/6 a/7 a/8 a/9 a/10",
		skips:  `b/ redirect-limit from a/10`,
	},
	{
		name: "redirect beyond the limit, linked to as well: admitted", seeds: "a/0",
		script: chain + `
			a/10 moved a/11
			add a/
			a/ page a/11`,
		leased: "a/0 a/1 a/2 a/3 a/4 a/5 a/6 a/7 a/8 a/9 a/10 a/ a/11",
	},
	{
		name: "redirect out of scope and declined: scope", seeds: "a/",
		script: `a/ unwanted b/`,
		leased: "a/",
		skips:  `b/ scope from a/`,
	},
	{
		name: "redirect declined and over budget: excluded", seeds: "a/ b/", change: budget(1),
		script: `a/ unwanted b/1`,
		leased: "a/ b/",
		skips:  `b/1 excluded from a/`,
	},
	{
		name: "redirect declined and seen: seen", seeds: "a/ b/",
		script: `a/ unwanted b/`,
		leased: "a/ b/",
	},
	{
		name: "redirect seen and over budget: seen", seeds: "a/ b/", change: budget(1),
		script: `a/ moved b/`,
		leased: "a/ b/",
	},
	{
		name: "redirect bad: a place is given back to a URL of another host's page", seeds: "a/ b/", change: budget(2),
		script: `a/ page a/1
			b/ page a/2
			a/1 moved`,
		leased: "a/ b/ a/1 a/2",
	},
	{
		name: "redirect of a seed to an excluded URL of its site's other name: in scope from then on", seeds: "a/", change: excluding("/x"),
		script: `a/ moved www.a/x
			add b/
			b/ page www.a/1`,
		leased: "a/ b/ www.a/1",
		skips:  `www.a/x excluded from a/`,
	},
	{
		name: "redirect to a trap: followed, and the target refused", seeds: "a/", change: guarded,
		script: `a/ page a/1
			a/1 moved a/?k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k`,
		leased:   "a/ a/1",
		admitted: 3,
		skips:    `a/?k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k trap:equal-keys via a/ from a/1`,
	},
	{
		name: "redirect of a seed to what looks like a trap: fetched", seeds: "a/", change: guarded,
		script: `a/ moved a/?k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k`,
		leased: "a/ a/?k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k",
	},
	{
		name: "redirect to what robots.txt forbids", seeds: "a/",
		script: `a/ page a/1
			a/1 moved a/2
			a/2 forbidden`,
		leased: "a/ a/1 a/2",
		skips:  `a/2 robots via a/`,
	},

	// Traps, then another rule.
	{
		name: "trap and a seed: fetched", seeds: "a/?k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k", change: guarded,
		leased: "a/?k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k",
	},
	{
		name: "trap and a sitemap: read", seeds: "a/", change: guarded,
		script: `a/ robots a/?k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k`,
		leased: "a/ a/?k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k",
	},
	{
		name: "trap and an entry of a sitemap: refused", seeds: "a/s.xml", change: guarded,
		script:   `a/s.xml page entry:a/?k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k`,
		leased:   "a/s.xml",
		admitted: 2,
		skips:    `a/?k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k&k trap:equal-keys via a/s.xml`,
	},
	{
		name: "trap and another try: fetched", seeds: "a/", change: both(guarded, patient), same: true, modes: answered,
		script: `a/ page a/2026-03-01 a/2026-01-01
			a/2026-03-01 failed timeout` + strings.Replace(calendar, "a/ page a/2026-01-01", "", 1) + `
			a/2026-01-10 same ` + days(1, 41) + `
			a/2026-03-01 same`,
		leased:   "a/ a/2026-03-01 " + calendarDays + " " + lookedAt,
		admitted: 52,
		honest:   8,
		skips:    refusedDays(),
	},
	{
		name: "trap, then linked to again: refused once", seeds: "a/", change: guarded, same: true, modes: answered,
		script: calendar + `
			a/2026-01-10 same a/list/1 ` + days(1, 41) + `
			a/list/1 same a/2026-02-09`, // new text would speak for the calendar
		leased:   "a/ " + calendarDays + " a/list/1 " + lookedAt,
		admitted: 52,
		honest:   8,
		skips:    refusedDays(),
	},
	{
		name: "trap, then honest on a closed host", seeds: "a/", change: guarded, modes: restarts,
		script: calendar + `
			a/2026-01-10 same a/2026-02-01 a/list/1 a/list/2
			a/list/1 page
			a/list/2 gone
			trust a/`,
		leased:   "a/ " + calendarDays + " a/list/1 a/list/2",
		admitted: 14,
		honest:   1,
		skips: `a/list/2 host-closed via a/2026-01-10
			a/2026-02-01 host-closed via a/2026-01-10`,
	},
	{
		name: "trap, then honest, its place taken: final", seeds: "a/", change: both(guarded, budget(12)), modes: restarts,
		script: calendar + `
			a/2026-01-10 same a/2026-02-01 a/list/1 a/list/2
			a/list/1 page
			trust a/`,
		leased:   "a/ " + calendarDays + " a/list/1",
		admitted: 13,
		honest:   1,
		skips: `a/list/2 host-budget via a/2026-01-10
			a/2026-02-01 host-budget via a/2026-01-10`,
	},

	// Entry points.
	{
		name: "entry out of scope", seeds: "a/s.xml",
		script: `a/s.xml page entry:b/1 entry:www.a/1 sitemap:b/s.xml`,
		leased: "a/s.xml",
		skips: `b/1 scope via a/s.xml
			www.a/1 scope via a/s.xml
			b/s.xml scope via a/s.xml`,
	},
	{
		name: "entry excluded, and a sitemap that would be", seeds: "a/s.xml", change: excluding("x"),
		script: `a/s.xml page entry:a/x sitemap:a/t.xml
			a/t.xml page entry:a/1`,
		leased: "a/s.xml a/t.xml a/1",
		skips:  `a/x excluded via a/s.xml`,
	},
	{
		name: "entry declined", seeds: "a/s.xml",
		script: `a/s.xml page declined:entry:a/1`,
		leased: "a/s.xml",
		skips:  `a/1 excluded via a/s.xml`,
	},
	{
		name: "sitemap declined", seeds: "a/s.xml",
		script: `a/s.xml page declined:sitemap:a/t.xml`,
		leased: "a/s.xml",
		skips:  `a/t.xml excluded via a/s.xml`,
	},
	{
		name: "sitemap beyond the prefix: read, and its entries are judged", seeds: "a/d/", change: scope(gate.ScopePrefix),
		script: `a/d/ robots a/s.xml b/s.xml
			a/d/ page
			a/s.xml page entry:a/d/1 entry:a/1`,
		leased: "a/d/ a/s.xml a/d/1",
		skips: `b/s.xml scope via a/d/
			a/1 scope via a/s.xml`,
	},
	{
		name: "entry over budget, and a place is given back", seeds: "a/s.xml", change: budget(2),
		script: `a/s.xml page entry:a/1 entry:a/2
			a/1 forbidden`,
		leased: "a/s.xml a/1 a/2",
		skips:  `a/1 robots via a/s.xml`,
	},
	{
		name: "entry out of scope, then a seed redirects there: an entry point", seeds: "b/s.xml a/", change: depth(gate.SeedsOnly),
		script: `b/s.xml page entry:www.a/1
			a/ moved www.a/`,
		leased: "b/s.xml a/ www.a/ www.a/1",
	},
	{
		name: "sitemap out of scope, then a seed redirects there: a sitemap", seeds: "b/s.xml a/",
		script: `b/s.xml page sitemap:www.a/s.xml
			a/ moved www.a/
			www.a/s.xml page entry:www.a/1`,
		leased: "b/s.xml a/ www.a/ www.a/s.xml www.a/1",
	},
	{
		name: "sitemap out of scope, then a seed redirects there within a depth limit: a sitemap", seeds: "b/s.xml a/", change: depth(1),
		script: `b/s.xml page sitemap:www.a/s.xml
			a/ moved www.a/
			www.a/s.xml page entry:www.a/1
			www.a/1 page www.a/2`,
		leased: "b/s.xml a/ www.a/ www.a/s.xml www.a/1 www.a/2",
	},
	{
		name: "sitemap out of the prefix's host, then a seed redirects there", seeds: "b/d/s.xml a/d/", change: scope(gate.ScopePrefix),
		script: `b/d/s.xml page sitemap:www.a/s.xml
			a/d/ moved www.a/d/
			www.a/s.xml page entry:www.a/d/1`,
		leased: "b/d/s.xml a/d/ www.a/d/ www.a/s.xml www.a/d/1",
	},

	// A failing host.
	{
		name: "failures that close the host", seeds: "a/", script: `a/ page a/1 a/2 a/3
			a/1 silent timeout
			a/2 silent timeout`,
		leased:   "a/ a/1 a/2",
		admitted: 4,
		skips: `a/1 timeout via a/
			a/2 timeout via a/
			a/3 host-closed via a/`,
	},
}

// chain is ten redirects.
const chain = `
	a/0 moved a/1
	a/1 moved a/2
	a/2 moved a/3
	a/3 moved a/4
	a/4 moved a/5
	a/5 moved a/6
	a/6 moved a/7
	a/7 moved a/8
	a/8 moved a/9
	a/9 moved a/10`

func TestPairsInTime(t *testing.T) { runRows(t, pairs) }

// doubts are admissions and refusals that wait for the log while something else happens.
var doubts = []row{
	{
		name: "a refusal waits, and another link admits the URL", seeds: "a/",
		script: `a/ leased
			hold
			a/ page nofollow:a/1 a/1
			answer`,
		leased: "a/ a/1",
	},
	{
		name: "an admission waits, and another link refuses the URL", seeds: "a/",
		script: `hold
			a/ page a/1 nofollow:a/1
			answer`,
		leased: "a/ a/1",
	},
	{
		name: "a refusal waits, and is one", seeds: "a/",
		script: `hold
			a/ page nofollow:a/1 nofollow:a/1
			answer`,
		leased: "a/",
		skips:  `a/1 nofollow via a/`,
	},
	{
		name: "a refusal waits until the end", seeds: "a/",
		script: `hold
			a/ page b/1 a/x`,
		leased: "a/ a/x",
		skips:  `b/1 scope via a/`,
	},
	{
		name: "two links wait: admitted once", seeds: "a/ a/1",
		script: `hold
			a/ page a/2
			a/1 page a/2
			answer`,
		leased: "a/ a/1 a/2",
	},
	{
		name: "a redirect to a URL that waits: seen", seeds: "a/ a/1",
		script: `hold
			a/ page a/2
			a/1 moved a/2
			answer`,
		leased: "a/ a/1 a/2",
	},
	{
		name: "a redirect's target waits, and is linked to: followed", seeds: "a/ a/1",
		script: `hold
			a/1 moved a/2
			a/ page a/2
			answer`,
		leased: "a/ a/1 a/2",
	},
	{
		name: "two redirects to one URL wait: one is followed", seeds: "a/ a/1",
		script: `hold
			a/ moved a/2
			a/1 moved a/2
			answer`,
		leased: "a/ a/1 a/2",
	},
	{
		name: "a redirect's target waits, and a link refuses it: followed", seeds: "a/ a/1",
		script: `hold
			a/1 moved a/2
			a/ page nofollow:a/2
			answer`,
		leased: "a/ a/1 a/2",
	},
	{
		name: "a redirect's target waits, is linked to, and its host has no room by then", seeds: "a/ a/1 b/", change: budget(2),
		script: `hold
			a/ page b/2
			a/1 moved b/1
			b/ page b/1
			answer`,
		leased: "a/ b/ a/1 b/2",
		skips:  `b/1 host-budget from a/1`,
	},
	{
		name: "an admission waits, and the budget is spent by then", seeds: "a/", change: budget(2),
		script: `hold
			a/ page a/1 a/2
			answer`,
		leased: "a/ a/1",
		skips:  `a/2 host-budget via a/`,
	},
	{
		name: "an admission waits, and the host is closed by then", seeds: "a/ b/",
		script: `hold
			b/ page a/1
			a/ gone
			answer`,
		leased: "a/ b/",
		skips: `a/ host-closed
			a/1 host-closed via b/`,
	},
	{
		name: "a redirect's target waits, and the host is closed by then", seeds: "a/ b/",
		script: `hold
			b/ moved a/1
			a/ gone
			answer`,
		leased: "a/ b/",
		skips: `a/ host-closed
			a/1 host-closed from b/`,
	},
	{
		name: "a refusal for the budget waits, and a place is given back", seeds: "a/ a/1", change: budget(2),
		script: `hold
			a/ page a/2
			a/1 forbidden
			answer`,
		leased: "a/ a/1 a/2",
		skips:  `a/1 robots`,
	},
	{
		name: "a refusal for scope waits, and a seed redirects there", seeds: "b/ a/",
		script: `hold
			b/ page www.a/1
			a/ moved www.a/
			answer`,
		leased: "b/ a/ www.a/ www.a/1",
	},
}

func TestPairsInDoubt(t *testing.T) {
	for i := range doubts {
		doubts[i].modes = doubtfully
	}
	runRows(t, doubts)
}
