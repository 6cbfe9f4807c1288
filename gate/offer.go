package gate

import (
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
	Sample  Sample // for the guard against traps; see Sampler
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
	for _, pattern := range g.traps.learn(p) { // that proved honest
		g.requeue(g.admitter.deferred.takePattern(pattern))
	}
	g.queue.credit(p, g.cfg.IgnoreRobots)
	g.queue.done(&p.Task, now, p.Outcome)
}

// offer passes a link through the rules: scope, nofollow, depth, the host's budget, and last
// whether the URL was admitted before, so that no refused URL is recorded as admitted.
func (g *Gate) offer(page *Page, l *parse.Link) {
	it := frontier.Item{URL: l.URL, Via: page.URL.String(), Depth: page.Depth + 1}
	if r := g.admitter.scope.refusesLink(l, g.cfg.IgnoreRobots); r != "" {
		g.admitter.refuse(it, r)
		return
	}
	if g.admitter.depths == nil {
		isNew := g.admitter.admit(it)
		g.traps.link(l.URL, !isNew)
		return
	}
	if g.traps.watching {
		_, a := g.admitter.seen.Peek(l.URL)
		g.traps.link(l.URL, a != dedup.New)
	}
	g.admitter.linked(page.URL, l.URL)
}

// entrance reports whether the URLs that a sitemap or feed lists are entry points: they are
// if it was requested as a sitemap or is a seed. One that a page merely links to lists links.
func (t *Task) entrance() bool { return t.Sitemap || t.Via == "" }

// Seeds admits the entry points of a new crawl. They define the scope, so it does not apply
// to them.
func (g *Gate) Seeds(seeds []weburl.URL) {
	g.admitter.scope = newScope(g.cfg.Scope, g.journal, seeds)
	texts := make([]string, len(seeds))
	for i, u := range seeds {
		texts[i] = u.String()
		g.admitter.enter(frontier.Item{URL: u})
	}
	g.journal.Note(recordKey(keySeeds), appendJSON(texts))
}

// Add admits one more seed while the crawl runs.
func (g *Gate) Add(u weburl.URL) {
	g.admitter.scope.join(u)
	g.admitter.enter(frontier.Item{URL: u})
	g.widened()
}

// offerEntry admits an entry of a sitemap or feed: an entry point like a seed, but one that
// must be in scope. A sitemap itself is no page; its entries are judged.
func (g *Gate) offerEntry(l *parse.Link, via string) {
	it := frontier.Item{URL: l.URL, Via: via, Sitemap: l.Kind == parse.Sitemap}
	if r := g.admitter.scope.refusesEntry(l); r != "" {
		g.admitter.refuse(it, r)
		return
	}
	g.admitter.enter(it)
}

// Redirect is an answer that only points elsewhere.
type Redirect struct {
	Task
	Outcome  frontier.Outcome
	Target   weburl.URL // zero if it leads to no URL
	Declined bool       // Target must not be followed; see parse.Link
	Detail   string     // in words, why there is no Target
}

// Redirect ends the lease of a URL that redirects, and offers the target at the same depth.
func (g *Gate) Redirect(r *Redirect, now time.Time) {
	g.queue.done(&r.Task, now, r.Outcome)
	from := r.URL.String()
	if r.Target.IsZero() {
		g.admitter.refusals.add(Skip{URL: from, Reason: RedirectBad, Via: r.Via, Detail: r.Detail})
	} else {
		if r.Via == "" { // a seed whose host may have another name
			g.admitter.scope.move(r.URL, r.Target)
		}
		g.follow(r, Skip{URL: from, Via: r.Via, Target: r.Target.String(), Detail: "redirects to " + r.Target.String()})
		if r.Via == "" {
			g.widened()
		}
		g.queue.creditTarget(r)
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
	if reason := g.admitter.scope.refusesTarget(it, r); reason != "" {
		g.admitter.refuseSource(&source, reason)
		return
	}
	g.admitter.redirected(r.URL, r.Target)
	g.admitter.follow(it, source)
}

// widened offers again the URLs that were out of scope before.
func (g *Gate) widened() {
	for _, d := range g.admitter.takeInScope() {
		if g.admitter.depths == nil {
			g.admitter.admit(d.Item)
		} else { // it may be too deep, which is reported at the end
			g.admitter.linked(pageURL(d.Via), d.URL)
		}
	}
}

// pageURL returns the URL of a Via.
func pageURL(via string) weburl.URL {
	u, err := weburl.Parse(via)
	if err != nil {
		panic("gate: a page's URL no longer parses: " + err.Error())
	}
	return u
}

// RobotsFile is the contents of a robots.txt that was read for a leased page.
type RobotsFile struct {
	Permission               // for that page
	Delay      time.Duration // its Crawl-delay; 0 for none
	Sitemaps   []weburl.URL
}

// RobotsFile records the contents of a robots.txt, and puts the page that needed it back to
// the front of its queue. started is when robots.txt was requested.
func (g *Gate) RobotsFile(t *Task, f RobotsFile, started time.Time) {
	if f.Delay > 0 && !g.cfg.IgnoreRobots {
		g.queue.frontier.SetDelay(t.URL.Host(), f.Delay)
	}
	for _, u := range f.Sitemaps {
		g.offerEntry(&parse.Link{URL: u, Kind: parse.Sitemap}, t.URL.String())
	}
	t.Permission = &f.Permission
	g.Return(t, started)
}
