package crawl_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"crawler/crawl"
	"crawler/frontier"
	"crawler/gate"
)

// shardWeb is a random web over several domains, and how it is crawled.
type shardWeb struct {
	pages  map[string]page
	names  []string
	seeds  []string
	depth  int
	scope  gate.ScopeMode
	delay  time.Duration
	shards int
	budget int
}

// newShardWeb returns a web whose every page has one page that leads to it, more often than not
// on another domain, and many links beside. A loss shows where there is no second way.
func newShardWeb(rng *rand.Rand) *shardWeb {
	w := &shardWeb{pages: map[string]page{}, shards: 2 + rng.IntN(3), depth: []int{0, 0, 2, 3, 5}[rng.IntN(5)],
		scope: []gate.ScopeMode{gate.ScopeAny, gate.ScopeAny, gate.ScopeDomain}[rng.IntN(3)], delay: time.Duration(rng.IntN(2)) * 200 * time.Millisecond}
	hosts := []string{}
	for d := range 2 + rng.IntN(7) {
		hosts = append(hosts, fmt.Sprintf("d%d.example", d))
		if rng.IntN(4) == 0 {
			hosts = append(hosts, fmt.Sprintf("www.d%d.example", d))
		}
	}
	for i := range 12 + rng.IntN(50) {
		w.names = append(w.names, fmt.Sprintf("%s/p%d", hosts[(i+rng.IntN(2))%len(hosts)], i))
	}
	links := make([]strings.Builder, len(w.names))
	for i := 1; i < len(w.names); i++ {
		w.link(&links[w.parent(rng, i)], rng, w.names[i])
	}
	dense := 1 + rng.IntN(3)
	for i := range links {
		for range rng.IntN(dense * 3) {
			w.link(&links[i], rng, w.names[rng.IntN(len(w.names))])
		}
		if rng.IntN(8) == 0 {
			w.link(&links[i], rng, fmt.Sprintf("%s/none%d", hosts[rng.IntN(len(hosts))], rng.IntN(9)))
		}
	}
	for i, name := range w.names {
		w.pages[name] = w.page(rng, links[i].String(), i)
	}
	w.seeds = append(w.seeds, "http://"+w.names[0])
	for range rng.IntN(3) {
		w.seeds = append(w.seeds, "http://"+w.names[rng.IntN(len(w.names))])
	}
	w.sitemaps(rng, hosts)
	if w.depth == 0 && rng.IntN(3) == 0 {
		w.chain(rng, hosts)
	}
	return w
}

// parent chooses the page that leads to page i: few have many, so that there are long ways.
func (w *shardWeb) parent(rng *rand.Rand, i int) int {
	if rng.IntN(3) == 0 {
		return i - 1
	}
	return rng.IntN(i)
}

func (w *shardWeb) link(to *strings.Builder, rng *rand.Rand, name string) {
	rel := ""
	if rng.IntN(12) == 0 {
		rel = " rel=nofollow"
	}
	fmt.Fprintf(to, "<a href=\"http://%s\"%s>link</a>\n", name, rel)
}

// page is what answers: most are pages, some fail for a while or for good, some redirect.
func (w *shardWeb) page(rng *rand.Rand, html string, i int) page {
	p := page{latency: time.Duration(rng.IntN(300)) * time.Millisecond, html: html}
	if i == 0 {
		return page{html: html}
	}
	switch rng.IntN(14) {
	case 0, 1:
		// A redirect leads where the page would have: its links are lost, and so what only they
		// lead to.
		p = page{latency: p.latency, redirect: "http://" + w.names[rng.IntN(len(w.names))]}
	case 2:
		p.fails, p.failWith = 1+rng.IntN(2), []int{429, 500, 503}[rng.IntN(3)]
	case 3:
		p.fails, p.failWith = -1, 500
	case 4:
		p.status = 404
	}
	return p
}

// sitemaps gives some hosts a robots.txt, with a rule, and a sitemap on another host, which lists
// pages of all.
func (w *shardWeb) sitemaps(rng *rand.Rand, hosts []string) {
	xml := http.Header{"Content-Type": {"application/xml"}}
	for _, host := range hosts {
		if rng.IntN(3) > 0 {
			continue
		}
		at := fmt.Sprintf("%s/map%d.xml", hosts[rng.IntN(len(hosts))], rng.IntN(3))
		w.pages[host+"/robots.txt"] = page{html: fmt.Sprintf("User-agent: *\nDisallow: /p%d$\nSitemap: http://%s\n", rng.IntN(len(w.names)), at), header: plainText}
		var list strings.Builder
		for range rng.IntN(6) {
			fmt.Fprintf(&list, "<url><loc>http://%s</loc></url>", w.names[rng.IntN(len(w.names))])
		}
		w.pages[at] = page{html: "<urlset>" + list.String() + "</urlset>", header: xml}
	}
}

// chain adds a chain of redirects that is too long, over all hosts. Often another page has a link
// to its last hop, from where it goes on.
func (w *shardWeb) chain(rng *rand.Rand, hosts []string) {
	hop := func(i int) string { return fmt.Sprintf("%s/hop%d", hosts[i%len(hosts)], i) }
	for i := range gate.MaxRedirects + 2 {
		w.pages[hop(i)] = page{redirect: "http://" + hop(i+1)}
	}
	w.pages[hop(gate.MaxRedirects+2)] = page{html: "the end"}
	w.add(0, hop(0))
	if rng.IntN(3) > 0 {
		w.add(rng.IntN(len(w.names)), hop(gate.MaxRedirects))
	}
}

// add gives a page one more link.
func (w *shardWeb) add(i int, name string) {
	p := w.pages[w.names[i]]
	if p.redirect == "" {
		p.html += fmt.Sprintf("<a href=\"http://%s\">link</a>\n", name)
	}
	w.pages[w.names[i]] = p
}

// site is a copy of the web that nobody has asked yet.
func (w *shardWeb) site() *site {
	s := newSite(map[string]*page{})
	for name, p := range w.pages {
		s.pages[name] = &p
	}
	return s
}

// configure is the part of a crawl's Config that all shards and the crawl alone share.
func (w *shardWeb) configure(c *crawl.Config) {
	c.Seeds = w.seeds
	c.Sitemaps = true
	c.Workers = 4
	c.Gate.Scope.Mode = w.scope
	c.Gate.MaxDepth = w.depth
	c.Gate.Frontier = frontier.Config{Delay: w.delay, Retries: 3, PerHost: 1, Window: 1, Patience: 5 * time.Minute}
	if w.delay == 0 {
		c.Gate.Frontier.Delay = frontier.NoDelay
	}
	c.ProgressEvery = time.Hour
}
