package crawl

import (
	"slices"

	"crawler/dedup"
	"crawler/frontier"
	"crawler/parse"
	"crawler/weburl"
)

// enter admits the seeds. They define the scope, so it does not apply to them.
func (c *coordinator) enter(seeds []weburl.URL) {
	for _, u := range seeds {
		c.result.Seeds = append(c.result.Seeds, u.String())
		c.seed(frontier.Item{URL: u})
	}
	c.noteJSON(stateKey(keySeeds), c.result.Seeds)
}

// seed admits an entry point: a seed or an entry of a sitemap.
func (c *coordinator) seed(it frontier.Item) {
	if c.depths == nil {
		c.admit(it)
		return
	}
	for _, found := range c.depths.Seed(it.URL) {
		if found.URL == it.URL {
			found = it
		}
		c.admit(found)
	}
}

// offer is the gate for every link of every page: scope, nofollow, depth, budget,
// and Seen last, so that nothing refused is remembered as seen.
func (c *coordinator) offer(page *Visit, l parse.Link) {
	it := frontier.Item{URL: l.URL, Via: page.via(), Depth: page.Depth + 1}
	if r := c.scope.refuses(l.URL); r != "" {
		c.refuse(it, r)
		return
	}
	if l.NoFollow && !c.cfg.IgnoreRobots {
		c.refuse(it, Nofollow)
		return
	}
	if c.depths == nil {
		c.traps.link(l.URL, !c.admit(it))
		return
	}
	if c.traps.watching {
		_, a := c.seen.Peek(l.URL)
		c.traps.link(l.URL, a != dedup.New)
	}
	c.admitAll(c.depths.Link(page.URL, l.URL, 1))
}

func (c *coordinator) admitAll(items []frontier.Item) {
	for _, it := range items {
		c.admit(it)
	}
}

// admit queues a URL that is in scope if its host has room and it is new, and reports
// whether it did. A URL that may be new is queued when the log has said so.
func (c *coordinator) admit(it frontier.Item) bool {
	if r := c.full(it.URL); r != "" {
		c.refuse(it, r)
		return false
	}
	// Nearly every link leads to a known page: this is ask, without the detour.
	switch name, a := c.seen.Ask(it.URL); a {
	case dedup.New:
		c.push(it)
		return true
	case dedup.Maybe:
		c.result.Audit.Maybe++
		c.doubts.add(name, question{Item: it})
	}
	return false
}

// push queues a URL that is new and remembers it.
func (c *coordinator) push(it frontier.Item) {
	c.seen.Remember(it.URL)
	c.result.Admitted++
	c.frontier.Push(it)
	if c.ring.durable() {
		c.unsafe.urls++
		c.changed()
	}
}

// fetched counts a page that was recorded and offers its links.
func (c *coordinator) fetched(v *Visit) {
	c.result.Fetched++
	c.result.Bytes += v.Bytes
	c.result.WireBytes += v.WireBytes
	c.traps.watch(v)
	for _, l := range v.Page.Links {
		if v.entrance() && (l.Kind == parse.Entry || l.Kind == parse.Sitemap) {
			c.enterBy(v, l.URL, l.Kind == parse.Sitemap)
			continue
		}
		c.offer(v, l)
	}
	if c.traps.learn(v) {
		c.reopen()
	}
	c.credit(v)
	switch {
	case c.result.Fetched == c.cfg.MaxPages:
		c.stop(ByMaxPages)
	case c.cfg.MaxBytes > 0 && c.result.Bytes >= c.cfg.MaxBytes:
		c.stop(ByMaxBytes)
	}
}

// credit gives the links of a page their part in deciding what is fetched first.
func (c *coordinator) credit(v *Visit) {
	if c.cfg.Frontier.Order == frontier.BreadthFirst {
		return
	}
	c.frontier.Credit(v.Item, func(yield func(weburl.URL) bool) {
		for i := range v.Page.Links {
			l := &v.Page.Links[i]
			if (!l.NoFollow || c.cfg.IgnoreRobots) && !yield(l.URL) {
				return
			}
		}
	})
}

// entrance reports whether what a sitemap or feed lists are entry points: it was
// asked for as one, or is a seed. One that a page merely links to lists links.
func (v *Visit) entrance() bool { return v.Sitemap || v.Via == "" }

// enterBy admits an entry of a sitemap: an entry point like a seed, but one that
// must be in scope.
func (c *coordinator) enterBy(v *Visit, u weburl.URL, sitemap bool) {
	it := frontier.Item{URL: u, Via: v.via(), Sitemap: sitemap}
	refuses := c.scope.refuses
	if sitemap { // the file itself is no page; its entries are judged
		refuses = c.scope.refusesSitemap
	}
	if r := refuses(u); r != "" {
		c.refuse(it, r)
		return
	}
	c.seed(it)
}

// readRobots takes in what a robots.txt says and puts the page that needed it back
// to the front of its queue.
func (c *coordinator) readRobots(v *Visit) {
	c.rules[v.URL.Origin()] = permission{v.URL, v.Rules.For(v.URL.RequestURI()), v.look}
	if d, ok := v.Rules.CrawlDelay(); ok && !c.cfg.IgnoreRobots {
		c.frontier.SetDelay(v.URL.Host(), d)
	}
	if c.cfg.Sitemaps {
		for _, s := range v.Rules.Sitemaps() {
			if u, err := c.cfg.Parse.URL.Parse(s); err == nil {
				c.enterBy(v, u, true)
			}
		}
	}
	c.putBack(v)
}

// follow offers the target of a redirect, at the depth of the URL that redirects.
func (c *coordinator) follow(v *Visit) {
	it := frontier.Item{URL: v.Target, Via: v.Via, From: v.From, Depth: v.Depth, Hops: v.Hops + 1, Sitemap: v.Sitemap}
	if it.From == "" {
		it.From = v.URL.String()
	}
	moved := v.Via == "" && v.Reason == "" // a seed that may live under another name
	if moved {
		c.scope.addRedirected(v.URL, v.Target)
		c.noteJSON(numberedKey(keyMoves, c.moves), move{v.URL.String(), v.Target.String()})
		c.moves++
	}
	if v.Reason != "" {
		c.skip(Skip{URL: v.URL.String(), Reason: v.Reason, Via: v.Via, Detail: v.Detail})
	} else {
		c.admitTarget(v.URL, question{Item: it, source: &Skip{URL: v.URL.String(), Via: v.Via, Detail: "redirects to " + v.Target.String()}})
	}
	if c.cfg.Frontier.Order != frontier.BreadthFirst {
		c.frontier.Credit(v.Item, slices.Values([]weburl.URL{v.Target}))
	}
	if moved {
		c.widened()
	}
}

// admitTarget passes a redirect's target through the gate. If it is not followed, the
// URL that redirects is refused for that reason.
func (c *coordinator) admitTarget(from weburl.URL, q question) {
	if q.Hops > MaxRedirects {
		c.without(q, RedirectLimit)
		return
	}
	if q.URL == from || q.URL.String() == q.From {
		c.without(q, RedirectLoop)
		return
	}
	if r := c.scope.refuses(q.URL); r != "" {
		c.without(q, r)
		return
	}
	if c.depths != nil {
		// The target is no deeper than from, so it is within the limit; what else
		// comes within it stands behind the target.
		for _, other := range c.depths.Link(from, q.URL, 0) {
			if other.URL != q.URL {
				c.admit(other)
			}
		}
	}
	if r := c.full(q.URL); r != "" {
		c.noRoom(q, r)
		return
	}
	c.ask(q)
}

// via is the page as it is named to those it links to.
func (v *Visit) via() string { return v.URL.String() }
