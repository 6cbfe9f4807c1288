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
