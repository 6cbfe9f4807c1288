package survey

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"crawler/crawl"
	"crawler/frontier"
	"crawler/gate"
	"crawler/graph/bsp"
	"crawler/internal/memweb"
	"crawler/ledger/disk"
	"crawler/report"
	"crawler/store"
	"crawler/weburl"
)

// source is what a URL of a hopWeb answers.
type source struct {
	redirects bool
	target    string   // of a redirect: "" without a Location
	links     []string // of a page, followed
	nofollow  []string
	sitemap   bool // links are its entries
	missing   bool
}

// hopWeb is a web full of redirects, with a log of what it was asked for.
type hopWeb struct {
	sources map[string]*source
	seeds   []string
	robots  string
	sitemap string // that robots.txt names

	mu   sync.Mutex
	hits []string // guarded by mu
}

// newHopWeb makes a web with chains, loops, redirects out of scope, to nowhere, to pages that
// are linked and to pages that are missing; seeds and a sitemap redirect, too.
func newHopWeb(rng *rand.Rand) *hopWeb {
	w := &hopWeb{sources: map[string]*source{}, robots: "User-agent: *\nDisallow: /none\n"}
	n := 5 + rng.IntN(60)
	url := func(i int) string { return fmt.Sprintf("http://h%d.example/%d", i%3, i) }
	some := func() string {
		if rng.IntN(15) == 0 {
			return fmt.Sprintf("http://out.test/%d", rng.IntN(5))
		}
		return url(rng.IntN(n + 2)) // two are missing
	}
	for i := range n {
		s := &source{}
		w.sources[url(i)] = s
		switch kind := rng.IntN(20); {
		case kind < 7:
			s.redirects, s.target = true, some()
			if rng.IntN(3) == 0 { // chains and larger loops
				s.target = url((i + 3) % n)
			}
		case kind == 7:
			s.redirects = true
		case kind == 8:
			s.missing = true
		default:
			for range rng.IntN(6) {
				s.links = append(s.links, some())
			}
			if rng.IntN(3) == 0 {
				s.nofollow = append(s.nofollow, some())
			}
		}
	}
	w.seeds = []string{url(0), url(1), url(2)} // one of each host, which is in scope so
	for range rng.IntN(3) {
		w.seeds = append(w.seeds, url(rng.IntN(n)))
	}
	if rng.IntN(2) == 0 {
		w.sitemap = "http://h0.example/moved.xml"
		w.sources[w.sitemap] = &source{redirects: true, target: "http://h0.example/map.xml"}
		w.sources["http://h0.example/map.xml"] = &source{sitemap: true, links: []string{some(), some()}}
	}
	return w
}

// ServeHTTP answers for every host.
func (w *hopWeb) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	url := "http://" + r.Host + r.URL.RequestURI()
	w.mu.Lock()
	w.hits = append(w.hits, url)
	w.mu.Unlock()
	s := w.sources[url]
	switch {
	case strings.HasSuffix(url, "/robots.txt"):
		out.Header().Set("Content-Type", "text/plain")
		fmt.Fprint(out, w.robots)
		if w.sitemap != "" && r.Host == "h0.example" {
			fmt.Fprintf(out, "Sitemap: %s\n", w.sitemap)
		}
	case s == nil || s.missing:
		http.NotFound(out, r)
	case s.redirects:
		if s.target != "" {
			out.Header().Set("Location", s.target)
		}
		out.WriteHeader(http.StatusMovedPermanently)
	case s.sitemap:
		out.Header().Set("Content-Type", "application/xml")
		fmt.Fprint(out, "<urlset>")
		for _, l := range s.links {
			fmt.Fprintf(out, "<url><loc>%s</loc></url>", l)
		}
		fmt.Fprint(out, "</urlset>")
	default:
		out.Header().Set("Content-Type", "text/html")
		for _, l := range s.links {
			fmt.Fprintf(out, "<a href=%s>x</a>", l)
		}
		for _, l := range s.nofollow {
			fmt.Fprintf(out, "<a href=%s rel=nofollow>x</a>", l)
		}
	}
}

// follow returns the hops from a URL on, and whether they are a loop.
func (w *hopWeb) follow(url string) (hops []string, end string, loop bool) {
	for s := w.sources[url]; s != nil && s.redirects; s = w.sources[url] {
		if slices.Contains(hops, url) {
			return hops, url, true
		}
		hops = append(hops, url)
		if s.target == "" {
			return hops, "", false
		}
		url = s.target
	}
	return hops, url, false
}

// longest is the length of the longest chain.
func (w *hopWeb) longest() (n int) {
	for url := range w.sources {
		hops, _, _ := w.follow(url)
		n = max(n, len(hops))
	}
	return n
}

// distances returns the least number of links to all URLs, in levels: redirects cost none.
// Entries of a sitemap begin as seeds do if entries is set.
func (w *hopWeb) distances(limit int, entries bool, asked func(string) bool) map[string]int {
	far := map[string]int{}
	type step struct {
		url string
		d   int
	}
	var todo []step
	for _, s := range w.seeds {
		todo = append(todo, step{s, 0})
	}
	if entries && w.sitemap != "" {
		todo = append(todo, step{w.sitemap, 0})
	}
	for len(todo) > 0 {
		slices.SortStableFunc(todo, func(a, b step) int { return a.d - b.d })
		at := todo[0]
		todo = todo[1:]
		if d, ok := far[at.url]; ok && d <= at.d || strings.HasPrefix(at.url, "http://out.test/") {
			continue
		}
		if limit > 0 && at.d > limit {
			continue
		}
		far[at.url] = at.d
		s := w.sources[at.url]
		switch {
		case s == nil || !asked(at.url):
		case s.redirects && s.target != "":
			todo = append(todo, step{s.target, at.d})
		case s.sitemap && entries:
			for _, l := range s.links {
				todo = append(todo, step{l, 0})
			}
		case !s.sitemap:
			for _, l := range s.links {
				todo = append(todo, step{l, at.d + 1})
			}
		}
	}
	return far
}

// hopCrawl is a crawl of such a web, read back.
type hopCrawl struct {
	t         *testing.T
	web       *hopWeb
	dir       string
	res       crawl.Result
	depth     int
	pages     map[string]report.PageRecord
	redirects map[string]report.RedirectRecord
	skips     map[string]gate.Skip
}

func crawlHops(t *testing.T, seed uint64) *hopCrawl {
	rng := rand.New(rand.NewPCG(seed, 5))
	c := &hopCrawl{t: t, web: newHopWeb(rng), dir: t.TempDir(), depth: rng.IntN(2) * (1 + rng.IntN(4)),
		pages: map[string]report.PageRecord{}, redirects: map[string]report.RedirectRecord{}, skips: map[string]gate.Skip{}}
	synctest.Test(t, func(t *testing.T) {
		hosts := map[string]http.Handler{"out.test": c.web}
		for i := range 3 {
			hosts[fmt.Sprintf("h%d.example", i)] = c.web
		}
		net := memweb.New(hosts)
		defer net.Close()
		dir, err := store.Create(store.Disk(), c.dir, store.Meta{}, false)
		if err != nil {
			t.Fatal(err)
		}
		rec, err := report.NewRecorder(report.Config{Dir: dir, Edges: true, EdgesCSV: true})
		if err != nil {
			t.Fatal(err)
		}
		cfg := crawl.Config{Seeds: c.web.seeds, Recorder: rec, Store: disk.Of(dir), Sitemaps: true, Workers: 1 + rng.IntN(8)}
		cfg.Gate = gate.Config{MaxDepth: c.depth, FollowTraps: true, Frontier: frontier.Config{Delay: time.Duration(rng.IntN(20)) * time.Millisecond}}
		cfg.Fetch.DialContext = net.DialContext
		c.res, err = crawl.Run(t.Context(), cfg)
		if err := errors.Join(err, dir.Close()); err != nil {
			t.Fatal(err)
		}
	})
	readLines(t, c.dir, report.PagesFile, func(p report.PageRecord) { c.once(p.URL); c.pages[p.URL] = p })
	readLines(t, c.dir, report.RedirectsFile, func(r report.RedirectRecord) { c.once(r.URL); c.redirects[r.URL] = r })
	readLines(t, c.dir, report.SkippedFile, func(s gate.Skip) { c.once(s.URL); c.skips[s.URL] = s })
	return c
}

// once demands that a URL has no record yet.
func (c *hopCrawl) once(url string) {
	_, page := c.pages[url]
	_, hop := c.redirects[url]
	_, skip := c.skips[url]
	if page || hop || skip {
		c.t.Errorf("%s has two records", url)
	}
}

func readLines[R any](t *testing.T, dir, name string, fn func(R)) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var r R
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%s: %q: %v", name, line, err)
		}
		fn(r)
	}
}

// Random webs full of redirects against their log and their sources: every URL that was asked
// for has one record, every record is an asking or a refusal, and each hop, distance and story is
// what the sources say.
func TestEveryHopIsARecord(t *testing.T) {
	seeds, exact := uint64(30), 0
	if testing.Short() {
		seeds = 8
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			c := crawlHops(t, seed)
			c.checkRequests()
			c.checkSources()
			c.checkLinks()
			c.checkGraph()
			c.checkStories()
			if c.web.longest() <= gate.MaxRedirects { // else it matters which way is found first
				exact++
				c.checkReach()
			}
		})
	}
	if exact < int(seeds)/2 {
		t.Errorf("only %d of %d webs have no chain beyond the limit", exact, seeds)
	}
}

// checkRequests holds the records against the server's log.
func (c *hopCrawl) checkRequests() {
	hits, robots := map[string]int{}, 0
	for _, url := range c.web.hits {
		if strings.HasSuffix(url, "/robots.txt") {
			robots++
		} else {
			hits[url]++
		}
	}
	for url, n := range hits {
		_, page := c.pages[url]
		_, hop := c.redirects[url]
		if n != 1 || !page && !hop {
			c.t.Errorf("%s was asked for %d times; page %v, redirect %v, refusal %+v", url, n, page, hop, c.skips[url])
		}
	}
	if len(hits) != len(c.pages)+len(c.redirects) {
		c.t.Errorf("%d URLs were asked for, %d pages and %d redirects are recorded", len(hits), len(c.pages), len(c.redirects))
	}
	if c.res.Requests != len(c.web.hits) || c.res.Robots != robots || c.res.Redirects != len(c.redirects) {
		c.t.Errorf("%d requests, %d for robots.txt, %d redirects; the server got %d, %d and %d", c.res.Requests, c.res.Robots, c.res.Redirects, len(c.web.hits), robots, len(c.redirects))
	}
}

// checkSources holds each record against what the URL answers, and how it was found.
func (c *hopCrawl) checkSources() {
	for url, r := range c.redirects {
		s := c.web.sources[url]
		if s == nil || !s.redirects || s.target != r.Target || (r.Error == "") != (r.Target != "") || r.Status != 301 {
			c.t.Errorf("%+v; its source is %+v", r, s)
		}
		c.found(url, r.Via, r.From, r.Hop)
		if r.Target != "" && !c.recorded(r.Target) {
			c.t.Errorf("%s redirects to %s, which has no record", url, r.Target)
		}
	}
	for url, p := range c.pages {
		s := c.web.sources[url]
		if s != nil && s.redirects || (s == nil || s.missing) != (p.Status == 404) {
			c.t.Errorf("%+v; its source is %+v", p, s)
		}
		c.found(url, p.Via, p.From, 0)
		if s == nil {
			continue
		}
		for _, l := range slices.Concat(s.links, s.nofollow) {
			if !c.recorded(l) {
				c.t.Errorf("%s links to %s, which has no record", url, l)
			}
		}
	}
	for url, s := range c.skips {
		c.found(url, s.Via, s.From, 0)
	}
}

func (c *hopCrawl) recorded(url string) bool {
	_, page := c.pages[url]
	_, hop := c.redirects[url]
	_, skip := c.skips[url]
	return page || hop || skip
}

// found holds via and from against the sources: from redirects to the URL, and via has a link to
// the first of the chain.
func (c *hopCrawl) found(url, via, from string, hop int) {
	first, hops := url, 1
	for at := from; at != ""; hops++ {
		r, ok := c.redirects[at]
		if !ok || r.Target != first || r.Via != via || hops > 30 {
			c.t.Errorf("%s was found from %s, which is %+v; via %s", url, at, r, via)
			return
		}
		first, at = at, r.From
	}
	if hop > 0 && hop != hops {
		c.t.Errorf("%s is hop %d, its chain says %d", url, hop, hops)
	}
	s := c.web.sources[via]
	switch {
	case via == "":
		if !slices.Contains(c.web.seeds, first) {
			c.t.Errorf("%s is no seed, which %s says", first, url)
		}
	case first == c.web.sitemap:
	case s == nil || !slices.Contains(slices.Concat(s.links, s.nofollow), first):
		c.t.Errorf("%s has no link to %s, by which %s was found", via, first, url)
	}
}

// checkReach holds what was fetched, and how deep, against the sources.
func (c *hopCrawl) checkReach() {
	want := c.web.distances(c.depth, true, func(string) bool { return true })
	for url, depth := range want {
		got, ok := -1, false
		if p, page := c.pages[url]; page {
			got, ok = p.Depth, true
		} else if r, hop := c.redirects[url]; hop {
			got, ok = r.Depth, true
		}
		if !ok || c.depth > 0 && got < depth {
			c.t.Errorf("%s has depth %d, want %d, recorded %v: %+v", url, got, depth, ok, c.skips[url])
		}
	}
	if got := len(c.pages) + len(c.redirects); got != len(want) {
		c.t.Errorf("%d URLs were fetched, want %d", got, len(want))
	}
}

// checkLinks holds the three files of links against the sources.
func (c *hopCrawl) checkLinks() {
	want := map[string][]string{}
	for url := range c.redirects {
		if s := c.web.sources[url]; s.target != "" {
			want[url] = []string{"redirect " + s.target}
		}
	}
	for url, p := range c.pages {
		want[url] = []string{}
		s := c.web.sources[url]
		if s == nil || p.Status != 200 {
			continue
		}
		kind := "anchor "
		if s.sitemap {
			kind = "entry "
		}
		for _, l := range slices.Concat(s.links, s.nofollow) {
			want[url] = append(want[url], kind+l)
		}
	}
	for _, list := range want {
		slices.Sort(list)
	}
	jsonl, csv, bin := map[string][]string{}, map[string][]string{}, map[string][]string{}
	readLines(c.t, c.dir, report.EdgesFile, func(e report.EdgeRecord) {
		jsonl[e.URL] = []string{}
		for _, l := range e.Links {
			kind := l.Kind
			if kind == "" {
				kind = "anchor"
			}
			jsonl[e.URL] = append(jsonl[e.URL], kind+" "+l.URL)
		}
	})
	rows, err := os.ReadFile(filepath.Join(c.dir, report.EdgesCSVFile))
	if err != nil {
		c.t.Fatal(err)
	}
	for row := range strings.Lines(string(rows)) {
		if f := strings.Split(row, ","); f[0] != "source" {
			csv[f[0]] = append(csv[f[0]], f[2]+" "+f[1])
		}
	}
	err = report.ReadLinks(c.dir, func(p *report.PageLinks) error {
		url := string(p.URL)
		bin[url] = []string{}
		for p.Next() {
			kind := p.Link().Kind.String()
			if p.Redirect {
				kind = "redirect"
			}
			bin[url] = append(bin[url], kind+" "+string(p.Link().URL))
		}
		return nil
	})
	if err != nil {
		c.t.Fatal(err)
	}
	for name, got := range map[string]map[string][]string{report.EdgesFile: jsonl, report.EdgesCSVFile: csv, report.LinksFile: bin} {
		for url, list := range want {
			list, have := slices.Clone(list), slices.Clone(got[url])
			slices.Sort(have)
			if name == report.LinksFile {
				list, have = slices.Compact(list), slices.Compact(have)
			}
			if strings.Join(list, "\n") != strings.Join(have, "\n") {
				c.t.Errorf("%s: %s has %v, want %v", name, url, have, list)
			}
		}
		if len(slices.Sorted(maps.Keys(got))) > len(want) {
			c.t.Errorf("%s has %d sources of %d", name, len(got), len(want))
		}
	}
}

// checkGraph holds clicks and hops against the sources.
func (c *hopCrawl) checkGraph() {
	s := built(c.t, Config{Dir: c.dir})
	w := &walk{Survey: s, ends: map[int]ending{}, byURL: map[string]*target{}}
	if err := errors.Join(w.measure(c.t.Context()), w.look(c.t.Context())); err != nil {
		c.t.Fatal(err)
	}
	asked := func(url string) bool {
		_, page := c.pages[url]
		_, hop := c.redirects[url]
		return page || hop
	}
	want := c.web.distances(0, false, asked)
	for v := range s.nodes.count() {
		url, err := s.urls.At(v)
		if err != nil {
			c.t.Fatal(err)
		}
		clicks, ok := want[url]
		if got := w.clicks[v]; !strings.HasPrefix(url, "http://out.test/") && (ok != (got != bsp.None) || ok && int(got) != clicks) {
			c.t.Errorf("%s is %d clicks deep, want %d %v", url, got, clicks, ok)
		}
		if _, redirects := c.redirects[url]; !redirects {
			continue
		}
		hops, end, loop := c.web.follow(url)
		hops, cut := c.cut(hops)
		e, err := w.lead(v)
		if err != nil {
			c.t.Fatal(err)
		}
		node := s.nodes.at(v)
		switch {
		case loop && !cut:
			if node.Reason != reasonLoop || !node.Broken() {
				c.t.Errorf("%s is a loop, and %+v", url, node)
			}
		case end == "" && !cut:
			if node.Reason != reasonNowhere || e.hops != len(hops)-1 {
				c.t.Errorf("%s leads nowhere in %d hops, not %d: %+v", url, len(hops), e.hops, node)
			}
		case e.hops != len(hops):
			c.t.Errorf("%s is %d hops from its end, want %d", url, e.hops, len(hops))
		}
	}
	c.checkLoops(s)
}

// cut ends a chain where the crawl did.
func (c *hopCrawl) cut(hops []string) (_ []string, cut bool) {
	for i, url := range hops {
		if _, ok := c.redirects[url]; !ok {
			return hops[:i], true
		}
	}
	return hops, false
}

// checkLoops holds the circles that Clicks lists against the sources.
func (c *hopCrawl) checkLoops(s *Survey) {
	sh, err := s.Clicks(c.t.Context(), ClicksConfig{})
	if err != nil {
		c.t.Fatal(err)
	}
	got, want := map[string]bool{}, map[string]bool{}
	for _, row := range table(c.t, sh, "Redirect loops", 1) {
		around := strings.Split(row[0].(string), " -> ")
		around = around[1:]
		slices.Sort(around)
		got[strings.Join(around, " ")] = true
	}
	for url := range c.redirects {
		hops, back, loop := c.web.follow(url)
		if _, cut := c.cut(hops); !loop || cut {
			continue
		}
		around := slices.Clone(hops[slices.Index(hops, back):])
		slices.Sort(around)
		want[strings.Join(around, " ")] = true
	}
	if !reflect.DeepEqual(got, want) {
		c.t.Errorf("loops %v, want %v", got, want)
	}
}

// checkStories asks why of every redirect, and of every page that one led to.
func (c *hopCrawl) checkStories() {
	story := func(url string) *report.Story {
		u, err := weburl.Parse(url)
		if err != nil {
			c.t.Fatal(err)
		}
		s, err := report.Why(c.dir, u, true)
		if err != nil {
			c.t.Fatal(err)
		}
		return s
	}
	for url := range c.redirects {
		hops, _, _ := c.web.follow(url)
		hops, _ = c.cut(hops)
		var got []string
		for _, r := range story(url).Hops {
			got = append(got, r.URL)
		}
		if !slices.Equal(got, hops[:min(len(hops), 20)]) {
			c.t.Errorf("why %s: %v, want %v", url, got, hops)
		}
	}
	for url, p := range c.pages {
		if p.From == "" {
			continue
		}
		var want []string
		for at := p.From; at != ""; at = c.redirects[at].From {
			want = append(want, at)
		}
		slices.Reverse(want)
		s, got := story(url), []string(nil)
		for _, r := range s.LedBy {
			got = append(got, r.URL)
		}
		if !slices.Equal(got, want) || !strings.Contains(s.Text(), "found by") {
			c.t.Errorf("why %s: found by %v, want %v", url, got, want)
		}
	}
}
