package crawl_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"crawler/crawl"
	"crawler/frontier"
	"crawler/gate"
	"crawler/internal/memweb"
)

// fewer is how many random cases to try of all: with -short, which the race detector runs
// with, a sixth.
func fewer(all uint64) uint64 {
	if testing.Short() {
		return all / 6
	}
	return all
}

// Three hundred random webs with latencies, redirects, failures that pass and broken
// links, in every order: the crawl ends by itself and has recorded exactly what an oracle
// finds reachable, each once.
func TestRandomWebsAgainstOracle(t *testing.T) {
	for seed := range fewer(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		s, want := randomWeb(rng)
		n, res := inBubble(t, s, func(c *crawl.Config) {
			c.Gate.Scope.Mode = gate.ScopeAny
			c.Workers = 1 + rng.IntN(10)
			c.Gate.Frontier = frontier.Config{Delay: time.Duration(1+rng.IntN(200)) * time.Millisecond, PerHost: 1 + rng.IntN(3), Retries: 3,
				Order: frontier.Order(seed % 4), OrderPages: 1 + int(seed%20)}
		}, "http://h0.example/p0")
		checkAgainst(t, seed, n, want)
		if res.EndedBy != crawl.Done || res.Left() != 0 || res.Fetched != len(want) {
			t.Fatalf("seed %d: ended by %s, %d left, %d fetched of %d", seed, res.EndedBy, res.Left(), res.Fetched, len(want))
		}
	}
}

func checkAgainst(t *testing.T, seed uint64, n *notes, want map[string]bool) {
	t.Helper()
	got := map[string]int{}
	for _, u := range n.urls() {
		got[u]++
		if !want[u] {
			t.Fatalf("seed %d: %s was recorded and is not reachable", seed, u)
		}
		if got[u] > 1 {
			t.Fatalf("seed %d: %s was recorded %d times", seed, u, got[u])
		}
	}
	for u := range want {
		if got[u] == 0 {
			t.Fatalf("seed %d: %s is reachable and was not recorded; skips: %v", seed, u, n.skips)
		}
	}
}

// Cancelled at a random moment, a crawl ends, and every URL it admitted is either
// recorded, explained or counted as left.
func TestCancellationLosesNothing(t *testing.T) {
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 2))
		s, want := randomWeb(rng)
		n := &notes{}
		synctest.Test(t, func(t *testing.T) {
			w := memweb.New(s.hosts())
			defer w.Close()
			cfg := config(t, w, n, "http://h0.example/p0")
			cfg.Gate.Scope.Mode = gate.ScopeAny
			cfg.Gate.Frontier.Retries, cfg.Gate.Frontier.PerHost = 3, 3
			cfg.Workers = 1 + rng.IntN(3) // so that a visit often waits for a worker
			cfg.Grace = time.Duration(rng.IntN(400)) * time.Millisecond
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rng.IntN(3000))*time.Millisecond)
			defer cancel()
			res, err := crawl.Run(ctx, cfg)
			if err != nil {
				t.Fatal(err)
			}
			admitted := res.Dedup.New
			accounted := len(n.pages) + res.Redirects + res.Left()
			for _, s := range n.skips {
				if s.Reason == "protocol" || s.Reason == "canceled" {
					t.Fatalf("seed %d: the stop was taken for a failure: %v", seed, s)
				}
				if !s.Reason.Decision() || s.Reason == gate.HostClosed {
					accounted++
				}
			}
			if res.Leased != 0 || int(admitted) != accounted {
				t.Fatalf("seed %d: %d admitted, but %d pages, %d redirects, %d left, skips %v", seed, admitted, len(n.pages), res.Redirects, res.Left(), n.skips)
			}
		})
		for _, u := range n.urls() {
			if !want[u] {
				t.Fatalf("seed %d: %s is not reachable", seed, u)
			}
		}
	}
}

func TestDepthLimitFindsExactlyThePagesWithin(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 3))
		s, _ := randomWeb(rng)
		for _, p := range s.pages {
			p.fails, p.status = 0, 0
			p.latency = time.Duration(rng.IntN(5000)) * time.Millisecond
		}
		limit := 1 + rng.IntN(4)
		want := within(s, "h0.example/p0", limit)
		n, _ := inBubble(t, s, func(c *crawl.Config) {
			c.Gate.Scope.Mode = gate.ScopeAny
			c.Gate.MaxDepth = limit
			c.Gate.Frontier.PerHost = 4
			c.Gate.Frontier.Order = frontier.Order(seed % 4)
		}, "http://h0.example/p0")
		checkAgainst(t, seed, n, want)
		for _, sk := range n.skips {
			if sk.Reason == gate.TooDeep && want[strings.TrimPrefix(sk.URL, "http://")] {
				t.Fatalf("seed %d: %s was fetched and is called too deep", seed, sk.URL)
			}
		}
	}
}

// within is the oracle of the depth limit: distances over links, redirects for free.
func within(s *site, start string, limit int) map[string]bool {
	dist := map[string]int{start: 0}
	for changed := true; changed; {
		changed = false
		for k, p := range s.pages {
			d, known := dist[k]
			if !known || d > limit {
				continue
			}
			next, step := p.links, 1
			if p.redirect != "" {
				next, step = []string{p.redirect}, 0
			}
			for _, l := range next {
				l = strings.TrimPrefix(l, "http://")
				if old, ok := dist[l]; !ok || d+step < old {
					dist[l], changed = d+step, true
				}
			}
		}
	}
	want := map[string]bool{}
	for k, d := range dist {
		if p := s.pages[k]; d <= limit && (p == nil || p.redirect == "") {
			want[k] = true
		}
	}
	return want
}

func TestSeedsOnly(t *testing.T) {
	s := newSite(map[string]*page{"a.example/": {links: []string{"/x"}}, "a.example/x": {}})
	n, _ := inBubble(t, s, func(c *crawl.Config) { c.Gate.MaxDepth = gate.SeedsOnly }, "http://a.example/")
	if got := n.urls(); !slices.Equal(got, []string{"a.example/"}) {
		t.Errorf("fetched %v", got)
	}
	if r := n.reason("http://a.example/x"); r != gate.TooDeep {
		t.Errorf("the link was skipped for %q", r)
	}
}

func TestPageLimitIsNeverOvershot(t *testing.T) {
	s := newSite(map[string]*page{"a.example/": {}})
	for i := range 200 {
		k := fmt.Sprintf("a.example/%d", i)
		s.pages["a.example/"].links = append(s.pages["a.example/"].links, "http://"+k)
		s.pages[k] = &page{latency: time.Duration(i%7) * 10 * time.Millisecond}
		if i%5 == 0 {
			s.pages[k].redirect = fmt.Sprintf("/%d", i+1)
		}
	}
	for _, limit := range []int{1, 2, 5, 17} {
		n, res := inBubble(t, s, func(c *crawl.Config) {
			c.MaxPages = limit
			c.Workers, c.Gate.Frontier.PerHost = 32, 32
		}, "http://a.example/")
		if len(n.pages) != limit || res.Fetched != limit || res.EndedBy != crawl.ByMaxPages {
			t.Errorf("limit %d: %d recorded, %d counted, ended by %s", limit, len(n.pages), res.Fetched, res.EndedBy)
		}
		if res.Left() == 0 {
			t.Errorf("limit %d: nothing left of 200", limit)
		}
	}
}

// A page limit above what there is must not keep the crawl from ending.
func TestPageLimitAboveTheSite(t *testing.T) {
	s := newSite(map[string]*page{"a.example/": {links: []string{"/x", "/gone"}}, "a.example/x": {}})
	_, res := inBubble(t, s, func(c *crawl.Config) { c.MaxPages = 100 }, "http://a.example/")
	if res.EndedBy != crawl.Done || res.Fetched != 3 {
		t.Errorf("ended by %s after %d pages", res.EndedBy, res.Fetched)
	}
}

func TestSlowHostDoesNotHoldFastOne(t *testing.T) {
	s := newSite(map[string]*page{"slow.example/": {}, "fast.example/": {}})
	for i := range 20 {
		for _, h := range []string{"slow", "fast"} {
			k := fmt.Sprintf("%s.example/%d", h, i)
			s.pages[h+".example/"].links = append(s.pages[h+".example/"].links, "http://"+k)
			s.pages[k] = &page{}
			if h == "slow" {
				s.pages[k].latency = 20 * time.Second
			}
		}
	}
	_, res := inBubble(t, s, func(c *crawl.Config) { c.Workers = 2; c.Gate.Frontier.Delay = time.Second }, "http://slow.example/", "http://fast.example/")
	var start, fastEnd time.Time
	start = s.hits[0].at
	for _, h := range s.hits {
		if strings.HasPrefix(h.url, "fast") {
			fastEnd = h.at
		}
	}
	if took := fastEnd.Sub(start); took > 22*time.Second {
		t.Errorf("the fast host took %v for 22 requests a second apart", took)
	}
	if res.Fetched != 42 {
		t.Errorf("fetched %d, want 42", res.Fetched)
	}
}

// Fifty hosts, two connections' worth of workers: no host ever sees two requests
// closer than its delay, robots.txt included, to the millisecond.
func TestPolitenessOverFiftyHosts(t *testing.T) {
	s := newSite(map[string]*page{})
	var seeds []string
	want := map[string]time.Duration{}
	for h := range 50 {
		host := fmt.Sprintf("h%d.example", h)
		root := &page{}
		want[host] = time.Second
		if h%5 == 0 {
			want[host] = 2500 * time.Millisecond
			s.pages[host+"/robots.txt"] = &page{html: "User-agent: *\nCrawl-delay: 2.5\n", header: http.Header{"Content-Type": {"text/plain"}}}
		}
		for i := range 6 {
			root.links = append(root.links, fmt.Sprintf("/%d", i))
			s.pages[fmt.Sprintf("%s/%d", host, i)] = &page{latency: time.Duration(h*i) * time.Millisecond}
		}
		s.pages[host+"/"] = root
		seeds = append(seeds, "http://"+host+"/")
	}
	inBubble(t, s, func(c *crawl.Config) { c.Workers = 7; c.Gate.Frontier.Delay = time.Second }, seeds...)
	last, count := map[string]time.Time{}, map[string]int{}
	for _, h := range s.hits {
		host, path, _ := strings.Cut(h.url, "/")
		// The page after robots.txt learns the new delay on its way.
		if prev, ok := last[host]; ok && path != "" {
			if gap := h.at.Sub(prev); gap < want[host] {
				t.Errorf("%s: %v after the request before, want at least %v", h.url, gap, want[host])
			}
		}
		last[host] = h.at
		count[host]++
	}
	for host, n := range count {
		if n != 8 {
			t.Errorf("%s saw %d requests, want robots.txt and 7 pages", host, n)
		}
	}
}

// A visit that waits for a free worker counts on the host's clock from when it is
// handed over, so that the one after it does not follow at once.
func TestWaitingForAWorkerDoesNotShortenTheDelay(t *testing.T) {
	s := newSite(map[string]*page{})
	seeds := many(s, "a.example", 6)
	s.pages["a.example/0"].latency, s.pages["a.example/1"].latency = 5*time.Second, 5*time.Second
	inBubble(t, s, func(c *crawl.Config) {
		c.Workers, c.Gate.IgnoreRobots = 2, true
		c.Gate.Frontier.PerHost, c.Gate.Frontier.Delay = 4, time.Second
	}, seeds...)
	for i := 1; i < len(s.hits); i++ {
		if gap := s.hits[i].at.Sub(s.hits[i-1].at); gap < time.Second {
			t.Errorf("%s came %v after the request before", s.hits[i].url, gap)
		}
	}
}

func TestRetryAfterIsWaitedFor(t *testing.T) {
	s := newSite(map[string]*page{
		"a.example/":      {links: []string{"/busy", "/other"}},
		"a.example/busy":  {fails: 2, failWith: 429, header: http.Header{"Retry-After": {"30"}}},
		"a.example/other": {},
	})
	n, res := inBubble(t, s, func(c *crawl.Config) { c.Gate.Frontier.Delay = time.Second; c.Gate.Frontier.Retries = 2 }, "http://a.example/")
	if got := n.urls(); !slices.Equal(got, []string{"a.example/", "a.example/busy", "a.example/other"}) {
		t.Errorf("fetched %v", got)
	}
	if res.Retried != 2 {
		t.Errorf("%d retries, want 2", res.Retried)
	}
	for i := 1; i < len(s.hits); i++ {
		if s.hits[i-1].url == "a.example/busy" {
			if gap := s.hits[i].at.Sub(s.hits[i-1].at); gap < 30*time.Second && s.hits[i].url != "a.example/other" {
				t.Errorf("asked again %v after a Retry-After of 30 s", gap)
			}
		}
	}
}

func TestServerErrorsAreTriedAgainThenStand(t *testing.T) {
	s := newSite(map[string]*page{
		"a.example/":     {links: []string{"/once", "/always", "/reset"}},
		"a.example/once": {fails: 1, failWith: 500}, "a.example/always": {fails: -1, failWith: 502},
		"a.example/reset": {fails: -1},
	})
	n, res := inBubble(t, s, func(c *crawl.Config) { c.Gate.Frontier.Retries = 2 }, "http://a.example/")
	status := map[string]int{}
	for _, p := range n.pages {
		status[p.url] = p.status
	}
	if status["http://a.example/once"] != 200 || status["http://a.example/always"] != 502 {
		t.Errorf("statuses %v", status)
	}
	if r := n.reason("http://a.example/reset"); r != "reset" || res.Errors["reset"] != 1 {
		t.Errorf("a connection that breaks for ever: reason %q, errors %v", r, res.Errors)
	}
	asked := map[string]int{}
	for _, u := range s.requests() {
		asked[u]++
	}
	// Without an answer a page is tried until patience is over; net/http itself asks once
	// more when a reused connection dies before an answer.
	if asked["a.example/always"] < 3 || asked["a.example/always"] > 4 || asked["a.example/reset"] < 7 || asked["a.example/reset"] > 14 {
		t.Errorf("requests %v, want 3 or 4 attempts and 7", asked)
	}
}

func TestRobots(t *testing.T) {
	text := http.Header{"Content-Type": {"text/plain"}}
	pages := func(robots *page) *site {
		s := newSite(map[string]*page{
			"a.example/":          {links: []string{"/private/x", "/public", "/nf"}},
			"a.example/private/x": {}, "a.example/public": {html: `<a rel=nofollow href="/nf">n</a>`}, "a.example/nf": {},
			"a.example/map": {header: http.Header{"Content-Type": {"application/xml"}}, html: "<urlset><url><loc>http://a.example/hidden</loc></url></urlset>"}, "a.example/hidden": {},
		})
		if robots != nil {
			s.pages["a.example/robots.txt"] = robots
		}
		return s
	}
	rules := &page{html: "User-agent: *\nDisallow: /private/\nSitemap: http://a.example/map\n", header: text}
	all := []string{"a.example/", "a.example/nf", "a.example/private/x", "a.example/public"}
	for _, c := range []struct {
		name   string
		robots *page
		change func(*crawl.Config)
		want   []string
		reason gate.Reason // of /private/x
	}{
		{"obeyed", rules, nil, []string{"a.example/", "a.example/nf", "a.example/public"}, gate.Disallowed},
		{"missing", nil, nil, all, ""},
		{"ignored", rules, func(c *crawl.Config) { c.Gate.IgnoreRobots = true }, all, ""},
		{"server error", &page{status: 500}, func(c *crawl.Config) { c.Gate.Frontier.Retries = 1 }, nil, ""},
		{"server error that passes", &page{html: "User-agent: *\nAllow: /\n", header: text, fails: 1, failWith: 503}, func(c *crawl.Config) { c.Gate.Frontier.Retries = 1 }, all, ""},
		{"with sitemap", rules, func(c *crawl.Config) { c.Sitemaps = true }, []string{"a.example/", "a.example/hidden", "a.example/map", "a.example/nf", "a.example/public"}, gate.Disallowed},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := pages(c.robots)
			n, res := inBubble(t, s, c.change, "http://a.example/")
			if got := n.urls(); !slices.Equal(got, c.want) {
				t.Errorf("fetched %v, want %v; skips %v", got, c.want, n.skips)
			}
			if r := n.reason("http://a.example/private/x"); r != c.reason {
				t.Errorf("/private/x skipped for %q, want %q", r, c.reason)
			}
			if c.want == nil && res.Errors[gate.RobotsUnreachable] != 1 {
				t.Errorf("errors %v, want the seed given up for its robots.txt", res.Errors)
			}
			asked := 0
			for _, h := range s.hits {
				if h.url == "a.example/robots.txt" {
					asked++
				}
			}
			if asked != res.Robots || asked > 2 && c.want != nil {
				t.Errorf("robots.txt asked for %d times, counted %d", asked, res.Robots)
			}
		})
	}
}

func TestNofollowAndNoindex(t *testing.T) {
	s := newSite(map[string]*page{
		"a.example/":     {html: `<a href=/a rel="nofollow">a</a><a href=/meta>m</a><a href=/head>h</a>`},
		"a.example/meta": {html: `<meta name=robots content="nofollow"><a href=/b>b</a>`},
		"a.example/head": {header: http.Header{"X-Robots-Tag": {"nofollow"}}, links: []string{"/c"}},
		"a.example/a":    {}, "a.example/b": {}, "a.example/c": {},
	})
	n, res := inBubble(t, s, nil, "http://a.example/")
	if got := n.urls(); !slices.Equal(got, []string{"a.example/", "a.example/head", "a.example/meta"}) {
		t.Errorf("fetched %v", got)
	}
	if res.Skipped[gate.Nofollow] != 3 {
		t.Errorf("skipped %v, want 3 nofollow", res.Skipped)
	}
}

func TestRedirects(t *testing.T) {
	s := newSite(map[string]*page{
		"a.example/":    {links: []string{"/old", "/loop", "/self", "/out", "/bad", "/empty", "/long/0", "/known", "/target", "/two"}},
		"a.example/old": {redirect: "/new#frag"}, "a.example/new": {},
		"a.example/two": {redirect: "/three", status: 302}, "a.example/three": {redirect: "/four", status: 308}, "a.example/four": {},
		"a.example/loop": {redirect: "/loop2"}, "a.example/loop2": {redirect: "/loop"},
		"a.example/self": {redirect: "/self"},
		"a.example/out":  {redirect: "http://b.example/"}, "b.example/": {},
		"a.example/bad":   {redirect: "mailto:x@example.org"},
		"a.example/empty": {status: 302},
		"a.example/known": {redirect: "/target"}, "a.example/target": {latency: time.Millisecond},
	})
	for i := range 15 {
		s.pages[fmt.Sprintf("a.example/long/%d", i)] = &page{redirect: fmt.Sprintf("/long/%d", i+1)}
	}
	n, _ := inBubble(t, s, nil, "http://a.example/")
	want := []string{"a.example/", "a.example/four", "a.example/new", "a.example/target"}
	if got := n.urls(); !slices.Equal(got, want) {
		t.Errorf("recorded %v, want %v", got, want)
	}
	for url, reason := range map[string]gate.Reason{"http://b.example/": gate.OutOfScope, "http://a.example/long/11": gate.RedirectLimit} {
		if got := n.reason(url); got != reason {
			t.Errorf("%s: %q, want %q", url, got, reason)
		}
	}
	for url, target := range map[string]string{
		"loop2": "http://a.example/loop", "self": "http://a.example/self", "out": "http://b.example/", "empty": "status 302 without a Location",
		"long/10": "http://a.example/long/11", "known": "http://a.example/target", "two": "http://a.example/three", "three": "http://a.example/four",
	} {
		if got := n.target("http://a.example/" + url); got != target {
			t.Errorf("%s leads to %q, want %q", url, got, target)
		}
	}
	for _, p := range n.pages {
		if p.url == "http://a.example/four" && (p.from != "http://a.example/three" || p.depth != 1 || p.via != "http://a.example/") {
			t.Errorf("the end of a chain: %+v", p)
		}
	}
	if slices.Contains(s.requests(), "b.example/") {
		t.Error("a redirect out of scope was followed")
	}
	counts := map[string]int{}
	for _, u := range s.requests() {
		if counts[u]++; counts[u] > 1 {
			t.Errorf("%s was asked for twice", u)
		}
	}
}

func TestSeedThatMovedToItsOtherName(t *testing.T) {
	s := newSite(map[string]*page{
		"site.example/":      {redirect: "http://www.site.example/"},
		"www.site.example/":  {links: []string{"/x"}},
		"www.site.example/x": {}, "evil.test/": {}, "moved.example/": {redirect: "http://evil.test/"},
	})
	n, _ := inBubble(t, s, nil, "http://site.example/", "http://moved.example/")
	if got := n.urls(); !slices.Equal(got, []string{"www.site.example/", "www.site.example/x"}) {
		t.Errorf("fetched %v", got)
	}
	if r := n.reason("http://evil.test/"); r != gate.OutOfScope {
		t.Errorf("what a seed moved to on another site: %q", r)
	}
}

func TestScope(t *testing.T) {
	s := newSite(map[string]*page{
		"www.site.example/docs/":  {links: []string{"/docs/a", "/other", "http://api.site.example/", "http://far.test/", "/docs/a.zip"}},
		"www.site.example/docs/a": {}, "www.site.example/other": {}, "api.site.example/": {}, "far.test/": {}, "www.site.example/docs/a.zip": {},
	})
	for _, c := range []struct {
		mode gate.ScopeMode
		want string
	}{
		{gate.ScopePrefix, "www.site.example/docs/ www.site.example/docs/a"},
		{gate.ScopeHost, "www.site.example/docs/ www.site.example/docs/a www.site.example/other"},
		{gate.ScopeDomain, "api.site.example/ www.site.example/docs/ www.site.example/docs/a www.site.example/other"},
		{gate.ScopeAny, "api.site.example/ far.test/ www.site.example/docs/ www.site.example/docs/a www.site.example/other"},
	} {
		n, res := inBubble(t, s, func(cfg *crawl.Config) {
			cfg.Gate.Scope = gate.Scope{Mode: c.mode, Exclude: []*regexp.Regexp{regexp.MustCompile(`\.zip$`)}}
		}, "http://www.site.example/docs/")
		if got := strings.Join(n.urls(), " "); got != c.want {
			t.Errorf("%s: fetched %s, want %s", c.mode, got, c.want)
		}
		if res.Skipped[gate.Excluded] != 1 && c.mode != gate.ScopePrefix {
			t.Errorf("%s: skipped %v", c.mode, res.Skipped)
		}
	}
	n, _ := inBubble(t, s, func(cfg *crawl.Config) {
		cfg.Gate.Scope.Include = []*regexp.Regexp{regexp.MustCompile(`/docs/`)}
	}, "http://www.site.example/docs/")
	if got := strings.Join(n.urls(), " "); got != "www.site.example/docs/ www.site.example/docs/a www.site.example/docs/a.zip" {
		t.Errorf("include: fetched %s", got)
	}
}

// What is refused is told once, however many pages link to it, and is not
// remembered as seen.
func TestRefusalsComeBeforeSeenAndAreToldOnce(t *testing.T) {
	s := newSite(map[string]*page{"a.example/": {links: []string{"/1", "/2", "/3"}}})
	for i := range 4 {
		s.pages[fmt.Sprintf("a.example/%d", i)] = &page{links: []string{"http://out.example/", "/1"}}
	}
	n, res := inBubble(t, s, nil, "http://a.example/")
	if len(n.skips) != 1 || n.skips[0].Reason != gate.OutOfScope || n.skips[0].Via != "http://a.example/1" {
		t.Errorf("skips %v, want one", n.skips)
	}
	if got := res.Dedup.New; got != 4 {
		t.Errorf("%d URLs remembered, want the 4 in scope", got)
	}
}

func TestHostBudget(t *testing.T) {
	s := newSite(map[string]*page{"a.example/": {}, "b.example/": {}})
	for i := range 10 {
		s.pages["a.example/"].links = append(s.pages["a.example/"].links, fmt.Sprintf("/%d", i), "http://b.example/")
		s.pages[fmt.Sprintf("a.example/%d", i)] = &page{links: []string{"/"}}
	}
	n, res := inBubble(t, s, func(c *crawl.Config) { c.Gate.Frontier.MaxPerHost = 4; c.Gate.Scope.Mode = gate.ScopeAny }, "http://a.example/")
	if len(n.pages) != 5 || res.Skipped[gate.HostBudget] != 7 {
		t.Errorf("%d pages, skipped %v; want 4 of a, 1 of b, 7 over the budget", len(n.pages), res.Skipped)
	}
	if r := n.reason("http://a.example/"); r != "" {
		t.Errorf("a page that was fetched is told as skipped: %s", r)
	}
}

func TestDeadHostIsGivenUp(t *testing.T) {
	s := newSite(map[string]*page{"a.example/": {}, "a.example/ok": {}})
	for i := range 50 {
		s.pages["a.example/"].links = append(s.pages["a.example/"].links, fmt.Sprintf("http://gone.example/%d", i))
	}
	s.pages["a.example/"].links = append(s.pages["a.example/"].links, "/ok")
	n, res := inBubble(t, s, func(c *crawl.Config) { c.Gate.Scope.Mode = gate.ScopeAny; c.Gate.Frontier.Delay = time.Second }, "http://a.example/")
	if len(n.pages) != 2 {
		t.Errorf("pages %v", n.urls())
	}
	if res.Errors["no-host"] != 10 || res.Skipped[gate.HostClosed] != 40 {
		t.Errorf("errors %v, skipped %v; want 10 tries and 40 given up", res.Errors, res.Skipped)
	}
}

// The grace period is 5 s unless Config names another.
func TestGracefulStop(t *testing.T) {
	for _, grace := range []time.Duration{0, 5 * time.Second} {
		t.Run(grace.String(), func(t *testing.T) { gracefulStop(t, grace) })
	}
}

func gracefulStop(t *testing.T, grace time.Duration) {
	s := newSite(map[string]*page{"a.example/": {links: []string{"/fast", "/slow", "/never", "/queued"}}})
	for p, d := range map[string]time.Duration{"/fast": time.Second, "/slow": 4 * time.Second, "/never": time.Hour, "/queued": 0} {
		s.pages["a.example"+p] = &page{latency: d}
	}
	n := &notes{}
	synctest.Test(t, func(t *testing.T) {
		w := memweb.New(s.hosts())
		defer w.Close()
		cfg := config(t, w, n, "http://a.example/")
		cfg.Workers, cfg.Gate.Frontier.PerHost, cfg.Grace, cfg.Gate.IgnoreRobots = 3, 3, grace, true
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(500*time.Millisecond, cancel)
		start := time.Now()
		res, err := crawl.Run(ctx, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if got := n.urls(); !slices.Equal(got, []string{"a.example/", "a.example/fast", "a.example/slow"}) {
			t.Errorf("recorded %v: what was in flight had 5 s to finish", got)
		}
		if res.EndedBy != crawl.ByInterrupt || res.Left() != 2 {
			t.Errorf("ended by %s with %d left, want interrupted with 2", res.EndedBy, res.Left())
		}
		if took := time.Since(start); took != 5500*time.Millisecond {
			t.Errorf("stopped after %v, want the grace period", took)
		}
	})
}

func TestTimeLimit(t *testing.T) {
	s := newSite(map[string]*page{"a.example/": {}})
	for i := range 100 {
		s.pages["a.example/"].links = append(s.pages["a.example/"].links, fmt.Sprintf("/%d", i))
		s.pages[fmt.Sprintf("a.example/%d", i)] = &page{}
	}
	_, res := inBubble(t, s, func(c *crawl.Config) { c.TimeLimit = 10 * time.Second; c.Gate.Frontier.Delay = time.Second }, "http://a.example/")
	if res.EndedBy != crawl.ByTimeLimit || res.Fetched < 9 || res.Fetched > 11 {
		t.Errorf("ended by %s after %d pages, want about 10 at one a second", res.EndedBy, res.Fetched)
	}
}

func TestByteLimit(t *testing.T) {
	s := newSite(map[string]*page{"a.example/": {}})
	for i := range 50 {
		s.pages["a.example/"].links = append(s.pages["a.example/"].links, fmt.Sprintf("/%d", i))
		s.pages[fmt.Sprintf("a.example/%d", i)] = &page{html: strings.Repeat("x", 1000)}
	}
	_, res := inBubble(t, s, func(c *crawl.Config) { c.MaxBytes = 10_000 }, "http://a.example/")
	if res.EndedBy != crawl.ByMaxBytes || res.Bytes < 10_000 || res.Fetched > 20 {
		t.Errorf("ended by %s after %d bytes, %d pages", res.EndedBy, res.Bytes, res.Fetched)
	}
	_, first := inBubble(t, s, func(c *crawl.Config) { c.Gate.MaxDepth = gate.SeedsOnly }, "http://a.example/")
	_, res = inBubble(t, s, func(c *crawl.Config) { c.MaxBytes = first.Bytes }, "http://a.example/")
	if res.EndedBy != crawl.ByMaxBytes || res.Fetched != 1 || res.Left() != 50 {
		t.Errorf("ended by %s after %d pages, %d left; the first has all bytes that are allowed", res.EndedBy, res.Fetched, res.Left())
	}
}

// A recorder that fails ends the crawl with its cause, and nothing counts as done
// that was not recorded.
func TestRecorderError(t *testing.T) {
	s := newSite(map[string]*page{"a.example/": {}})
	for i := range 30 {
		s.pages["a.example/"].links = append(s.pages["a.example/"].links, fmt.Sprintf("/%d", i))
		s.pages[fmt.Sprintf("a.example/%d", i)] = &page{}
	}
	synctest.Test(t, func(t *testing.T) {
		w := memweb.New(s.hosts())
		defer w.Close()
		n := &notes{failAt: 10}
		cfg := config(t, w, n, "http://a.example/")
		cfg.Gate.Frontier.PerHost = 4
		res, err := crawl.Run(t.Context(), cfg)
		if err == nil || !strings.Contains(err.Error(), "disk full") {
			t.Errorf("error %v, want the recorder's", err)
		}
		if res.EndedBy != crawl.ByRecordError || res.Fetched != 10 || len(n.pages) != 10 || res.Left() != 21 {
			t.Errorf("ended by %s; %d counted, %d recorded, %d left", res.EndedBy, res.Fetched, len(n.pages), res.Left())
		}
	})
}

func TestProgressIsReported(t *testing.T) {
	s := newSite(map[string]*page{"a.example/": {}})
	for i := range 30 {
		s.pages["a.example/"].links = append(s.pages["a.example/"].links, fmt.Sprintf("/%d", i))
		s.pages[fmt.Sprintf("a.example/%d", i)] = &page{}
	}
	var looks []crawl.Progress
	inBubble(t, s, func(c *crawl.Config) {
		c.Gate.Frontier.Delay = time.Second
		c.Progress = func(p crawl.Progress) { looks = append(looks, p) }
		c.ProgressEvery = 10 * time.Second
	}, "http://a.example/")
	if len(looks) != 3 {
		t.Fatalf("%d looks in 31 s, want 3", len(looks))
	}
	p := looks[1]
	if p.Fetched < 19 || p.Queued < 9 || p.Hosts != 1 || len(p.Busiest) != 1 || p.Busiest[0].Host != "a.example" {
		t.Errorf("after 20 s: %+v", p)
	}
}

func TestConfigErrors(t *testing.T) {
	good := func() crawl.Config { return crawl.Config{Seeds: []string{"http://a.example/"}} }
	for _, c := range []struct {
		name   string
		change func(*crawl.Config)
		want   string
	}{
		{"no seeds", func(c *crawl.Config) { c.Seeds = nil }, "no seeds"},
		{"no filter", func(c *crawl.Config) { c.Gate.Dedup.FPRate = 2 }, "FPRate"},
		{"bad seed", func(c *crawl.Config) { c.Seeds = []string{"ftp://x/"} }, "ftp://x/"},
		{"negative", func(c *crawl.Config) { c.MaxPages = -1 }, "negative"},
		{"bad header", func(c *crawl.Config) { c.Fetch.Header = http.Header{"X": {"a\r\nb"}} }, "X"},
	} {
		cfg := good()
		c.change(&cfg)
		if _, err := crawl.Run(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one naming %q", c.name, err, c.want)
		}
	}
}

// A thousand hosts that answer after 20 ms, one request each 100 ms, 256 workers: the
// crawl goes at 95 % at least of the rate that politeness allows.
func TestManyHostsKeepThePipeFull(t *testing.T) {
	hosts, workers := 1000, 256
	if testing.Short() {
		hosts, workers = 200, 51
	}
	const each = 10
	s := newSite(map[string]*page{})
	var seeds []string
	for h := range hosts {
		seeds = append(seeds, many(s, fmt.Sprintf("h%d.example", h), each)...)
	}
	for _, p := range s.pages {
		p.latency = 20 * time.Millisecond
	}
	n, res := inBubble(t, s, func(c *crawl.Config) {
		c.Workers, c.Gate.IgnoreRobots = workers, true
		c.Gate.Frontier.Delay = 100 * time.Millisecond
	}, seeds...)
	took := res.Finished.Sub(res.Started).Seconds()
	if rate, allowed := float64(len(n.pages))/took, float64(hosts)/0.1; len(n.pages) != hosts*each || rate < 0.95*allowed {
		t.Errorf("%d pages in %.3f s: %.0f a second of the %.0f allowed", len(n.pages), took, rate, allowed)
	}
}
