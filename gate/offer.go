package gate

import (
	"slices"
	"time"

	"crawler/dedup"
	"crawler/frontier"
	"crawler/parse"
	"crawler/weburl"
)

// Page is a page that was fetched and recorded.
type Page struct {
	Task
	Outcome frontier.Outcome // for the host's clock
	Status  int
	Links   []parse.Link
	Sample  Sample // what the guard against traps wants to know; see Sampler
}

// Page offers the links of a page and ends its lease.
func (g *Gate) Page(p *Page, now time.Time) {
	g.traps.watch(p)
	for i := range p.Links {
		l := &p.Links[i]
		if p.entrance() && (l.Kind == parse.Entry || l.Kind == parse.Sitemap) {
			g.offerEntry(l, p.URL.String())
			continue
		}
		g.offer(p, l)
	}
	g.readmit(g.traps.learn(p))
	g.credit(p)
	g.done(&p.Task, now, p.Outcome)
}

// offer is what happens to every link of every page: scope, nofollow, depth, and then the
// host's budget and whether the URL was admitted before, so that nothing refused is
// remembered as admitted.
func (g *Gate) offer(page *Page, l *parse.Link) {
	it := frontier.Item{URL: l.URL, Via: page.URL.String(), Depth: page.Depth + 1}
	if r := g.scope.refusesLink(l, g.cfg.IgnoreRobots); r != "" {
		g.admitter.refuse(it, r)
		return
	}
	if g.depths == nil {
		isNew := g.admitter.admit(it)
		g.traps.link(l.URL, !isNew)
		return
	}
	if g.traps.watching {
		_, a := g.admitter.seen.Peek(l.URL)
		g.traps.link(l.URL, a != dedup.New)
	}
	g.admitAll(g.depths.Link(page.URL, l.URL, 1))
}

// admitAll admits what has come within the depth limit.
func (g *Gate) admitAll(items []frontier.Item) {
	for _, it := range items {
		g.admitter.admit(it)
	}
}

// credit gives the links of a page their part in deciding what is fetched first.
func (g *Gate) credit(p *Page) {
	if g.cfg.Frontier.Order == frontier.BreadthFirst {
		return
	}
	g.queue.Credit(p.Item, func(yield func(weburl.URL) bool) {
		for i := range p.Links {
			l := &p.Links[i]
			if (!l.NoFollow || g.cfg.IgnoreRobots) && !yield(l.URL) {
				return
			}
		}
	})
}

// entrance reports whether what a sitemap or feed lists are entry points: it was asked for
// as one, or is a seed. One that a page merely links to lists links.
func (t *Task) entrance() bool { return t.Sitemap || t.Via == "" }

// Seeds admits the entry points of a new crawl. They define the scope, so it does not apply
// to them.
func (g *Gate) Seeds(seeds []weburl.URL) {
	g.scope = newScope(g.cfg.Scope, seeds)
	g.admitter.scope = g.scope
	texts := make([]string, len(seeds))
	for i, u := range seeds {
		texts[i] = u.String()
		g.enter(frontier.Item{URL: u})
	}
	g.journal.Note(recordKey(keySeeds), appendJSON(texts))
}

// Add admits one more seed while the crawl runs.
func (g *Gate) Add(u weburl.URL) {
	g.scope.addSeed(u)
	g.journal.Note(numberedKey(keyAdded, g.added), []byte(u.String()))
	g.added++
	g.enter(frontier.Item{URL: u})
	g.widened()
}

// enter admits an entry point: a seed or an entry of a sitemap.
func (g *Gate) enter(it frontier.Item) {
	if g.depths == nil {
		g.admitter.admit(it)
		return
	}
	for _, found := range g.depths.Seed(it.URL) {
		if found.URL == it.URL {
			found = it
		}
		g.admitter.admit(found)
	}
}

// offerEntry admits an entry of a sitemap or feed: an entry point like a seed, but one that
// must be in scope. A sitemap itself is no page; its entries are judged.
func (g *Gate) offerEntry(l *parse.Link, via string) {
	it := frontier.Item{URL: l.URL, Via: via, Sitemap: l.Kind == parse.Sitemap}
	if r := g.scope.refusesEntry(l); r != "" {
		g.admitter.refuse(it, r)
		return
	}
	g.enter(it)
}

// Redirect is an answer that only points elsewhere.
type Redirect struct {
	Task
	Outcome  frontier.Outcome
	Target   weburl.URL
	Declined bool   // Target is not to be followed; see parse.Link
	Bad      string // why there is no Target; "" if there is one
}

// Redirect ends the lease of a URL that redirects, and offers the target at the same depth.
func (g *Gate) Redirect(r *Redirect, now time.Time) {
	g.done(&r.Task, now, r.Outcome)
	from := r.URL.String()
	if r.Bad != "" {
		g.admitter.refusals.add(Skip{URL: from, Reason: RedirectBad, Via: r.Via, Detail: r.Bad})
	} else {
		if r.Via == "" { // a seed that may live under another name
			g.move(r.URL, r.Target)
		}
		g.follow(r, Skip{URL: from, Via: r.Via, Target: r.Target.String(), Detail: "redirects to " + r.Target.String()})
		if r.Via == "" {
			g.widened()
		}
	}
	if r.Bad == "" && g.cfg.Frontier.Order != frontier.BreadthFirst {
		g.queue.Credit(r.Item, slices.Values([]weburl.URL{r.Target}))
	}
	g.returnBudget(r.URL) // after the redirect's own target
}

// follow passes a redirect's target through the rules. If it is not followed, source is
// refused for that reason.
func (g *Gate) follow(r *Redirect, source Skip) {
	it := frontier.Item{URL: r.Target, Via: r.Via, From: r.From, Depth: r.Depth, Hops: r.Hops + 1, Sitemap: r.Sitemap}
	if it.From == "" {
		it.From = r.URL.String()
	}
	if reason := g.scope.refusesTarget(it, r); reason != "" {
		g.admitter.refuseSource(&source, reason)
		return
	}
	if g.depths != nil {
		// The target is no deeper than r.URL, so it is within the limit; what else comes
		// within it stands behind the target.
		for _, other := range g.depths.Link(r.URL, r.Target, 0) {
			if other.URL != r.Target {
				g.admitter.admit(other)
			}
		}
	}
	g.admitter.follow(it, source)
}

// move takes a seed's redirect into the scope.
func (g *Gate) move(seed, target weburl.URL) {
	g.scope.addRedirected(seed, target)
	g.journal.Note(numberedKey(keyMoves, g.moves), appendJSON(move{seed.String(), target.String()}))
	g.moves++
}

// widened offers again what was out of scope before.
func (g *Gate) widened() {
	for _, d := range g.admitter.takeInScope() {
		if g.depths == nil {
			g.admitter.admit(d.Item)
			continue
		}
		// It may be too deep, which is reported at the end.
		g.admitAll(g.depths.Link(pageURL(d.Via), d.URL, 1))
	}
}

// pageURL is the URL that a Via names.
func pageURL(via string) weburl.URL {
	u, err := weburl.Parse(via)
	if err != nil {
		panic("gate: a page's URL no longer parses: " + err.Error())
	}
	return u
}

// RobotsFile is what a robots.txt says that was read for a leased page.
type RobotsFile struct {
	Permission               // for that page
	Delay      time.Duration // its Crawl-delay; 0 for none
	Sitemaps   []weburl.URL
}

// RobotsFile takes in what a robots.txt says, and puts the page that needed it back to the
// front of its queue. started is when robots.txt was asked for.
func (g *Gate) RobotsFile(t *Task, f RobotsFile, started time.Time) {
	if f.Delay > 0 && !g.cfg.IgnoreRobots {
		g.queue.SetDelay(t.URL.Host(), f.Delay)
	}
	for _, u := range f.Sitemaps {
		g.offerEntry(&parse.Link{URL: u, Kind: parse.Sitemap}, t.URL.String())
	}
	t.Permission = &f.Permission
	g.Return(t, started)
}
