package gate

import (
	"cmp"
	"time"

	"crawler/dedup"
	"crawler/frontier"
	"crawler/parse"
	"crawler/weburl"
)

// offer is a URL that the Gate has met, and how.
type offer struct {
	frontier.Item
	nofollow bool // the link says so, and the crawl obeys
	declined bool // the link is not to be followed; see parse.Link
	nearer   bool // of another shard: nothing but its depth is new
}

// seed reports whether it is a seed.
func (o *offer) seed() bool { return o.Via == "" && o.From == "" }

// link reports whether it is the link of a page, and neither a redirect's target nor an entry
// point.
func (o *offer) link() bool { return o.From == "" && o.Depth > 0 && !o.Sitemap }

// foundOn is the URL that redirects here, or the page with the link: zero for a seed.
func (o *offer) foundOn() weburl.URL {
	at := cmp.Or(o.From, o.Via)
	if at == "" {
		return weburl.URL{}
	}
	u, err := weburl.Parse(at)
	if err != nil {
		panic("gate: a page's URL no longer parses: " + err.Error())
	}
	return u
}

// refused is the record of its refusal.
func (o *offer) refused(r Reason) Skip {
	return Skip{URL: o.URL.String(), Reason: r, Via: o.Via, From: o.From}
}

// Page is a page that was fetched and recorded.
type Page struct {
	Task
	Outcome frontier.Outcome // for the host's clock
	Status  int
	GivenUp bool   // another answer may be had later
	NoPage  bool   // it was not recorded: see LinksOnly
	Reason  Reason // of GivenUp: why, "" if Status says so
	Links   []parse.Link
	Sample  Sample // for the guard against traps; see Sampler
}

// Page offers the links of a page and ends its lease.
func (g *Gate) Page(p *Page, now time.Time) {
	g.traps.came(&p.lease)
	g.traps.watch(p)
	offerLinks(g, p, g.offerLink)
	if l := g.traps.end(p); l != nil {
		checks{g}.learn(l)
	}
	if p.NoPage {
		g.admitter.refusals.add(Skip{URL: p.URL.String(), Reason: LinksOnly, Via: p.Via, From: p.From})
	}
	if p.Hops == MaxRedirects { // it was no hop
		g.admitter.deferred.takeLastHop(p.URL.String())
	}
	if p.GivenUp {
		g.admitter.givenUps.note(givenUp{offer: offer{Item: p.Item}, reason: p.Reason, status: p.Status, admitted: true, charged: true})
	}
	g.queue.credit(p, g.cfg.IgnoreRobots)
	g.queue.done(&p.Task, now, p.Outcome)
}

// offerLinks offers the links of a page, its entries as entry points and the others by link.
func offerLinks(g *Gate, p *Page, link func(page weburl.URL, o offer)) {
	via, depth := p.URL.String(), p.Depth+1
	if p.Sitemap { // an entry point, whatever leads to it
		depth = 1
	}
	for i := range p.Links {
		l := &p.Links[i]
		if p.entrance() && (l.Kind == parse.Entry || l.Kind == parse.Sitemap) {
			g.offerEntry(l, via, p.Depth+1)
			continue
		}
		link(p.URL, offer{
			Item:     frontier.Item{URL: l.URL, Via: via, Depth: depth},
			nofollow: l.NoFollow && !g.cfg.IgnoreRobots, declined: l.Declined,
		})
	}
}

// offerLink is what happens to every link of every page: scope, nofollow, depth, and then the
// host's budget and whether the URL was admitted before, so that nothing refused is
// remembered as admitted.
func (g *Gate) offerLink(page weburl.URL, o offer) {
	if g.admitter.border.foreign(o.URL) {
		g.admitter.export(page, o)
		return
	}
	if r := g.admitter.scope.refuses(&o); r != "" {
		g.admitter.refuse(o, r)
		return
	}
	if g.admitter.depths != nil && g.traps.watching && g.traps.reads {
		_, a := g.admitter.seen.Peek(o.URL)
		g.traps.link(o.URL, a != dedup.New)
	}
	answer := g.admitter.within(page, o)
	switch {
	case g.admitter.depths != nil:
	case answer == dedup.Maybe:
		g.traps.wait(g.admitter.pending.of(o.URL))
	default:
		g.traps.link(o.URL, answer == dedup.Seen)
	}
}

// entrance reports whether the URLs that a sitemap or feed lists are entry points: they are
// if it was requested as a sitemap or is a seed. One that a page merely links to lists links.
func (t *Task) entrance() bool { return t.Sitemap || t.Via == "" }

// Seeds admits the entry points of a new crawl, but for those that another shard admits: all of
// them define the scope.
func (g *Gate) Seeds(seeds []weburl.URL) {
	g.admitter.scope = newScope(g.cfg.Scope, g.journal, seeds)
	g.admitter.scope.sampleHosts(g.cfg.Dedup.Seed)
	texts := make([]string, len(seeds))
	for i, u := range seeds {
		texts[i] = u.String()
		if !g.admitter.border.foreign(u) {
			g.admitter.offer(weburl.URL{}, offer{Item: frontier.Item{URL: u}})
		}
	}
	g.journal.Note(recordKey(keySeeds), appendJSON(texts))
}

// Add admits one more seed while the crawl runs: see Config.MoreSeeds.
func (g *Gate) Add(u weburl.URL) {
	g.admitter.scope.join(u)
	g.admitter.offer(weburl.URL{}, offer{Item: frontier.Item{URL: u}})
	g.admitter.widened(u)
}

// offerEntry offers an entry of a sitemap or feed: an entry point like a seed, but one that
// must be in scope. The depth of a sitemap is the number of indexes that lead to it, here nested.
// So the pages that a sitemap lists are fetched before the next sitemap is.
func (g *Gate) offerEntry(l *parse.Link, via string, nested int) {
	it := frontier.Item{URL: l.URL, Via: via}
	if l.Kind == parse.Sitemap {
		it.Sitemap, it.Depth = true, nested
	}
	g.admitter.offer(weburl.URL{}, offer{Item: it, declined: l.Declined})
}

// Redirect is an answer that only points elsewhere, and was recorded.
type Redirect struct {
	Task
	Outcome  frontier.Outcome
	Target   weburl.URL // zero if it leads to no URL
	Declined bool       // Target is not to be followed; see parse.Link
}

// Redirect ends the lease of a URL that redirects, and offers the target at the same depth.
func (g *Gate) Redirect(r *Redirect, now time.Time) {
	g.traps.came(&r.lease)
	g.traps.ended(r.lease)
	g.queue.done(&r.Task, now, r.Outcome)
	if !r.Target.IsZero() {
		_, before := g.admitter.seen.Peek(r.Target)
		offerTarget(g, r)
		_, after := g.admitter.seen.Peek(r.Target)
		if !g.admitter.border.foreign(r.Target) {
			g.traps.moved(r, before, after)
		}
		g.queue.creditTarget(r)
	}
	g.returnBudget(r.URL) // after the redirect's own target
}

// offerTarget offers where a URL redirects.
func offerTarget(g *Gate, r *Redirect) {
	if r.Via == "" { // a seed that may live under another name
		g.admitter.scope.move(r.URL, r.Target)
	}
	it := frontier.Item{URL: r.Target, Via: r.Via, From: r.URL.String(), Depth: r.Depth, Hops: r.Hops + 1, Sitemap: r.Sitemap}
	if r.Hops > 0 {
		it.First = r.Linked()
	}
	g.admitter.offer(r.URL, offer{Item: it, declined: r.Declined})
	if r.Via == "" {
		g.admitter.widened(r.Target)
	}
}

// RobotsFile is what a robots.txt says that was read for a leased page.
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
		g.offerEntry(&parse.Link{URL: u, Kind: parse.Sitemap}, t.URL.String(), 0)
	}
	t.Permission = &f.Permission
	g.traps.ended(t.lease)
	g.queue.robotsRead(t, started)
}
