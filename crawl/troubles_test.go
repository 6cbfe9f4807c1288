package crawl_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"crawler/crawl"
	"crawler/frontier"
	"crawler/gate"
	"crawler/internal/memweb"
)

var plainText = http.Header{"Content-Type": {"text/plain"}}

// many makes n pages on a host and returns their URLs as seeds.
func many(s *site, host string, n int) (seeds []string) {
	for i := range n {
		k := fmt.Sprintf("%s/%d", host, i)
		s.pages[k] = &page{}
		seeds = append(seeds, "http://"+k)
	}
	return seeds
}

// Ten requests that were under way together and fail together are one failure.
func TestOneBurstOfFailuresDoesNotCloseAHost(t *testing.T) {
	for _, status := range []int{0, 503} {
		s := newSite(map[string]*page{})
		seeds := many(s, "a.example", 40)
		for i := range 10 {
			p := s.pages[fmt.Sprintf("a.example/%d", i)]
			p.latency, p.fails, p.failWith = time.Second, 1, status
		}
		n, res := inBubble(t, s, func(c *crawl.Config) {
			c.Gate.IgnoreRobots, c.Workers = true, 16
			c.Gate.Frontier.PerHost, c.Gate.Frontier.Retries = 10, 2
		}, seeds...)
		if len(n.pages) != 40 {
			t.Errorf("status %d: %d pages of 40, skipped %v, errors %v", status, len(n.pages), res.Skipped, res.Errors)
		}
	}
}

// A robots.txt that fails once costs no page, with one connection or many.
func TestRobotsThatFailsOnce(t *testing.T) {
	for _, connections := range []int{1, 2, 10} {
		s := newSite(map[string]*page{"a.example/robots.txt": {header: http.Header{"Retry-After": {"10"}}, fails: 1, failWith: 503, latency: time.Second}})
		n, res := inBubble(t, s, func(c *crawl.Config) {
			c.Workers = 1 + connections
			c.Gate.Frontier.PerHost, c.Gate.Frontier.Retries = connections, 2
		}, many(s, "a.example", 40)...)
		if len(n.pages) != 40 {
			t.Errorf("%d connections: %d pages of 40, skipped %v, errors %v", connections, len(n.pages), res.Skipped, res.Errors)
		}
		if gap := s.hits[1].at.Sub(s.hits[0].at); gap < 10*time.Second {
			t.Errorf("%d connections: asked again after %v, Retry-After was 10 s", connections, gap)
		}
	}
}

// A robots.txt that never comes whole is asked for until patience ends, whatever is wrong with
// it, and the crawl ends then. A host that never answers at all ends sooner.
func TestRobotsThatNeverComes(t *testing.T) {
	for what, failWith := range map[string]int{"reset": 0, "cut": 200, "trickle": trickle, "error": 500, "busy": 503} {
		t.Run(what, func(t *testing.T) {
			s := newSite(map[string]*page{"b.example/robots.txt": {fails: -1, failWith: failWith}})
			n, res := inBubble(t, s, func(c *crawl.Config) {
				c.Fetch.MinRate, c.Gate.Frontier.Patience = 1<<10, 10*time.Minute
			}, append(many(s, "a.example", 20), many(s, "b.example", 20)...)...)
			took := s.hits[len(s.hits)-1].at.Sub(s.hits[0].at)
			if res.EndedBy != crawl.Done || len(n.pages) != 20 {
				t.Errorf("ended by %s with %d pages, want all of the other host's 20", res.EndedBy, len(n.pages))
			}
			if asked := len(s.hits) - len(s.requests()); asked < 10 || asked > 100 || took > 11*time.Minute || took < 9*time.Minute && what != "reset" {
				t.Errorf("robots.txt was asked for %d times, the last %v after the first", asked, took)
			}
		})
	}
}

// Rules that are forgotten before their page's turn comes must not be read for ever.
func TestRobotsBeyondTheCache(t *testing.T) {
	s := newSite(map[string]*page{})
	var seeds []string
	for i := range 30 {
		h := fmt.Sprintf("h%d.example", i)
		s.pages[h+"/"] = &page{}
		s.pages[h+"/robots.txt"] = &page{html: "User-agent: *\nDisallow: /x\n", header: plainText}
		seeds = append(seeds, "http://"+h+"/")
	}
	n, res := inBubble(t, s, func(c *crawl.Config) {
		c.Robots.MaxOrigins = 1
		c.Gate.Frontier.Delay, c.TimeLimit = time.Second, time.Minute
	}, seeds...)
	if res.EndedBy != crawl.Done || len(n.pages) != 30 || res.Robots != 30 {
		t.Errorf("ended by %s with %d pages after reading %d robots.txt, want 30 and 30", res.EndedBy, len(n.pages), res.Robots)
	}
}

func TestStopWhileReadingRobotsLeavesTheURL(t *testing.T) {
	s := newSite(map[string]*page{"a.example/": {}, "a.example/robots.txt": {latency: time.Hour}})
	n := &notes{}
	synctest.Test(t, func(t *testing.T) {
		w := memweb.New(s.hosts())
		defer w.Close()
		cfg := config(t, w, n, "http://a.example/")
		cfg.Grace = time.Second
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		res, err := crawl.Run(ctx, cfg)
		if err != nil || res.Left() != 1 || len(n.skips) != 0 {
			t.Errorf("error %v, %d left, skips %v; want 1 left and nothing told", err, res.Left(), n.skips)
		}
	})
}

func TestNothingIsAskedAfterACancelBeforeTheStart(t *testing.T) {
	s := newSite(map[string]*page{})
	seeds := many(s, "a.example", 30)
	synctest.Test(t, func(t *testing.T) {
		w := memweb.New(s.hosts())
		defer w.Close()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		res, err := crawl.Run(ctx, config(t, w, &notes{}, seeds...))
		if err != nil || res.EndedBy != crawl.ByInterrupt || res.Left() != 30 || len(s.hits) != 0 {
			t.Errorf("error %v, ended by %s, %d left, %d requests", err, res.EndedBy, res.Left(), len(s.hits))
		}
	})
}

// A status and a Location count whatever becomes of the body.
func TestHeaderCountsWhenTheBodyIsBroken(t *testing.T) {
	broken := func(h http.Header) http.Header {
		h.Set("Content-Encoding", "gzip")
		return h
	}
	s := newSite(map[string]*page{
		"a.example/":     {links: []string{"/old", "/busy", "/gone", "/page"}},
		"a.example/old":  {redirect: "/new", header: broken(http.Header{})},
		"a.example/new":  {},
		"a.example/busy": {fails: 1, failWith: 429, header: http.Header{"Retry-After": {"60"}}},
		"a.example/gone": {status: 404, html: "no gzip", header: broken(http.Header{})},
		"a.example/page": {html: "no gzip", header: broken(http.Header{})},
	})
	n, res := inBubble(t, s, func(c *crawl.Config) { c.Gate.Frontier.Retries = 2 }, "http://a.example/")
	if got := n.urls(); !slices.Equal(got, []string{"a.example/", "a.example/busy", "a.example/gone", "a.example/new"}) {
		t.Errorf("recorded %v", got)
	}
	if r := n.reason("http://a.example/page"); r != "decode" || res.Errors["decode"] != 1 {
		t.Errorf("a page that cannot be decoded: %q, errors %v", r, res.Errors)
	}
	if asked := slices.DeleteFunc(s.requests(), func(u string) bool { return u != "a.example/page" }); len(asked) != 1 {
		t.Errorf("a page that cannot be decoded was asked for %d times", len(asked))
	}
}

// A body that breaks off is tried again; the last time what came of it is kept.
func TestBrokenBodyIsKeptOnTheLastTry(t *testing.T) {
	s := newSite(map[string]*page{"a.example/": {links: []string{"/cut"}}, "a.example/x": {},
		"a.example/cut": {html: `<a href=/x>x</a> some words`, header: http.Header{"Content-Length": {"1000"}}}})
	n, _ := inBubble(t, s, func(c *crawl.Config) { c.Gate.Frontier.Retries = 1 }, "http://a.example/")
	if got := n.urls(); !slices.Equal(got, []string{"a.example/", "a.example/cut", "a.example/x"}) {
		t.Fatalf("recorded %v, skips %v", got, n.skips)
	}
	for _, p := range n.pages {
		if p.truncated != strings.HasSuffix(p.url, "/cut") {
			t.Errorf("%s: truncated %v", p.url, p.truncated)
		}
	}
}

// Ten pages in a row whose coding is broken are pages' faults, not the host's.
func TestAnswersDoNotCloseAHost(t *testing.T) {
	s := newSite(map[string]*page{})
	seeds := many(s, "a.example", 30)
	for i := range 12 {
		p := s.pages[fmt.Sprintf("a.example/%d", i)]
		p.html, p.header = "no gzip", http.Header{"Content-Encoding": {"gzip"}}
	}
	n, res := inBubble(t, s, nil, seeds...)
	if len(n.pages) != 18 || res.Errors["decode"] != 12 {
		t.Errorf("%d pages, errors %v, skipped %v", len(n.pages), res.Errors, res.Skipped)
	}
}

// Running out of file descriptors is this machine's trouble: the crawl pauses and no
// host pays for it.
func TestLocalTroubleIsWaitedOut(t *testing.T) {
	s := newSite(map[string]*page{})
	seeds := many(s, "a.example", 10)
	n := &notes{}
	synctest.Test(t, func(t *testing.T) {
		w := memweb.New(s.hosts())
		defer w.Close()
		start := time.Now()
		cfg := config(t, w, n, seeds...)
		cfg.Gate.IgnoreRobots, cfg.Gate.Frontier.Retries = true, 0 // no page has had its try
		cfg.Fetch.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			if time.Since(start) < 2500*time.Millisecond {
				return nil, &net.OpError{Op: "dial", Err: os.NewSyscallError("socket", syscall.EMFILE)}
			}
			return w.DialContext(ctx, network, addr)
		}
		if res, err := crawl.Run(t.Context(), cfg); err != nil || len(n.pages) != 10 {
			t.Errorf("error %v, %d pages of 10, errors %v, skipped %v", err, len(n.pages), res.Errors, res.Skipped)
		}
	})
}

// A URL is told as skipped only if it was fetched in no other way, and once.
func TestNofollowIsToldAtTheEnd(t *testing.T) {
	web := func() *site {
		return newSite(map[string]*page{
			"a.example/":  {html: `<a rel=nofollow href="/x">x</a><a rel=nofollow href="/z">z</a><a href="/y">y</a>`},
			"a.example/y": {links: []string{"/x"}}, "a.example/x": {}, "a.example/z": {},
		})
	}
	n, _ := inBubble(t, web(), nil, "http://a.example/")
	if len(n.skips) != 1 || n.reason("http://a.example/z") != gate.Nofollow {
		t.Errorf("skips %v, want /z alone", n.skips)
	}
	n, _ = inBubble(t, web(), func(c *crawl.Config) { c.Gate.MaxDepth = 1 }, "http://a.example/")
	if len(n.skips) != 2 || n.reason("http://a.example/x") == "" || n.reason("http://a.example/z") == "" {
		t.Errorf("with a depth limit: skips %v, want /x and /z once each", n.skips)
	}
}

func TestForbiddenURLsDoNotUseUpTheRate(t *testing.T) {
	s := newSite(map[string]*page{"a.example/": {}, "a.example/robots.txt": {html: "User-agent: *\nDisallow: /private/\n", header: plainText}})
	for i := range 100 {
		s.pages["a.example/"].links = append(s.pages["a.example/"].links, fmt.Sprintf("/private/%d", i))
	}
	_, res := inBubble(t, s, func(c *crawl.Config) { c.Gate.Frontier.Interval = time.Second }, "http://a.example/")
	if d := res.Finished.Sub(res.Started); d > 3*time.Second {
		t.Errorf("2 requests at one a second took %v", d)
	}
}

func TestBudgetIsNotSpentOnRedirectsAndRefusals(t *testing.T) {
	s := newSite(map[string]*page{
		"a.example/": {redirect: "/x"}, "a.example/x": {links: []string{"/private/1", "/private/2", "/y", "/z"}},
		"a.example/y": {}, "a.example/z": {}, "a.example/robots.txt": {html: "User-agent: *\nDisallow: /private/\n", header: plainText},
	})
	n, _ := inBubble(t, s, func(c *crawl.Config) { c.Gate.Frontier.MaxPerHost = 1 }, "http://a.example/")
	if got := n.urls(); !slices.Equal(got, []string{"a.example/x"}) {
		t.Errorf("a budget of one page, spent on %v", got)
	}
}

// A place in the budget that a redirect gives back goes to a URL refused for want of it.
func TestBudgetGivenBackIsUsed(t *testing.T) {
	s := newSite(map[string]*page{"a.example/": {links: []string{"/r", "/x", "/y"}}, "a.example/r": {redirect: "http://b.example/"},
		"a.example/x": {}, "a.example/y": {}, "b.example/": {}})
	n, res := inBubble(t, s, func(c *crawl.Config) { c.Gate.Frontier.MaxPerHost = 2; c.Gate.Scope.Mode = gate.ScopeAny }, "http://a.example/")
	if got := n.urls(); !slices.Equal(got, []string{"a.example/", "a.example/x", "b.example/"}) {
		t.Errorf("fetched %v", got)
	}
	if len(n.skips) != 1 || n.reason("http://a.example/y") != gate.HostBudget || res.Skipped[gate.HostBudget] != 1 {
		t.Errorf("skips %v, want /y alone", n.skips)
	}
}

// What was out of scope before a seed turned out to live under another name is offered
// again, with a depth limit and without.
func TestScopeWidenedLate(t *testing.T) {
	for _, limit := range []int{0, 3} {
		s := newSite(map[string]*page{
			"a.example/": {links: []string{"http://www.b.example/x", "http://far.example/"}}, "far.example/": {},
			"b.example/": {redirect: "http://www.b.example/", latency: 5 * time.Second}, "www.b.example/": {}, "www.b.example/x": {},
		})
		n, _ := inBubble(t, s, func(c *crawl.Config) { c.Gate.MaxDepth = limit }, "http://a.example/", "http://b.example/")
		if got := n.urls(); !slices.Equal(got, []string{"a.example/", "www.b.example/", "www.b.example/x"}) {
			t.Errorf("depth limit %d: fetched %v", limit, got)
		}
		if len(n.skips) != 1 || n.reason("http://far.example/") != gate.OutOfScope {
			t.Errorf("depth limit %d: skips %v", limit, n.skips)
		}
	}
}

// With robots.txt ignored it is asked for its sitemaps once, even if it fails.
func TestIgnoredRobotsIsAskedOnce(t *testing.T) {
	s := newSite(map[string]*page{"a.example/robots.txt": {status: 503}})
	n, res := inBubble(t, s, func(c *crawl.Config) { c.Gate.IgnoreRobots, c.Sitemaps = true, true }, many(s, "a.example", 10)...)
	if len(n.pages) != 10 || res.Robots != 1 {
		t.Errorf("%d pages, robots.txt asked for %d times", len(n.pages), res.Robots)
	}
}

func TestRedirectingSeedDoesNotWidenAPrefix(t *testing.T) {
	s := newSite(map[string]*page{
		"site.example/docs/": {redirect: "http://www.site.example/docs/"}, "www.site.example/docs/": {links: []string{"/docs/a", "/admin"}},
		"www.site.example/docs/a": {}, "www.site.example/admin": {},
		"b.example/docs/": {redirect: "/login"}, "b.example/login": {links: []string{"/shop"}}, "b.example/shop": {},
	})
	n, _ := inBubble(t, s, func(c *crawl.Config) { c.Gate.Scope.Mode = gate.ScopePrefix }, "http://site.example/docs/", "http://b.example/docs/")
	if got := n.urls(); !slices.Equal(got, []string{"www.site.example/docs/", "www.site.example/docs/a"}) {
		t.Errorf("fetched %v", got)
	}
}

func TestALimitMetByTheLastPageEndsNothing(t *testing.T) {
	s := newSite(map[string]*page{"a.example/": {links: []string{"/x"}}, "a.example/x": {}})
	if _, res := inBubble(t, s, func(c *crawl.Config) { c.MaxPages = 2 }, "http://a.example/"); res.EndedBy != crawl.Done {
		t.Errorf("ended by %s with nothing left", res.EndedBy)
	}
}

func TestSitemapsAreReadWhateverTheScopeOfPages(t *testing.T) {
	web := func() *site {
		return newSite(map[string]*page{
			"a.example/docs/": {}, "a.example/docs/hidden": {}, "a.example/other": {},
			"a.example/robots.txt": {html: "User-agent: *\nDisallow: /docs/private\nSitemap: http://a.example/map\n", header: plainText},
			"a.example/map":        {header: http.Header{"Content-Type": {"application/xml"}}, html: "<sitemapindex><sitemap><loc>http://a.example/list.txt</loc></sitemap></sitemapindex>"},
			"a.example/list.txt":   {header: plainText, html: "http://a.example/docs/hidden\nhttp://a.example/other\nhttp://a.example/docs/private\n"},
		})
	}
	want := []string{"a.example/docs/", "a.example/docs/hidden", "a.example/list.txt", "a.example/map"}
	n, _ := inBubble(t, web(), func(c *crawl.Config) { c.Sitemaps, c.Gate.Scope.Mode = true, gate.ScopePrefix }, "http://a.example/docs/")
	if got := n.urls(); !slices.Equal(got, want) {
		t.Errorf("by prefix: fetched %v, want %v", got, want)
	}
	n, _ = inBubble(t, web(), func(c *crawl.Config) { c.Sitemaps, c.Gate.IgnoreRobots = true, true }, "http://a.example/docs/")
	if got := n.urls(); len(got) != 6 || !slices.Contains(got, "a.example/docs/private") {
		t.Errorf("robots ignored: fetched %v", got)
	}
}

// An ordinary page's link to a sitemap makes its entries links, not entry points.
func TestLinkedSitemapKeepsItsDepth(t *testing.T) {
	s := newSite(map[string]*page{
		"a.example/": {links: []string{"/map"}}, "a.example/deep": {},
		"a.example/map": {header: http.Header{"Content-Type": {"application/xml"}}, html: "<urlset><url><loc>http://a.example/deep</loc></url></urlset>"},
	})
	n, _ := inBubble(t, s, func(c *crawl.Config) { c.Gate.MaxDepth = 1 }, "http://a.example/")
	if r := n.reason("http://a.example/deep"); r != gate.TooDeep {
		t.Errorf("an entry two links away: fetched %v, skips %v", n.urls(), n.skips)
	}
}

// failing is a Recorder whose Skip or Flush fails.
type failing struct {
	notes
	skip, flush bool
}

func (f *failing) Skip(gate.Skip) error {
	if f.skip {
		return fmt.Errorf("disk full")
	}
	return nil
}

func (f *failing) Flush() error {
	if f.flush && len(f.pages) > 0 {
		return fmt.Errorf("disk full")
	}
	return nil
}

// Whatever method of the Recorder fails, the crawl ends at once, not when the next page
// comes home.
func TestRecorderErrorsEndTheCrawlAtOnce(t *testing.T) {
	for _, rec := range []*failing{{skip: true}, {flush: true}} {
		s := newSite(map[string]*page{"a.example/": {links: []string{"http://out.example/", "/x", "/y"}}, "a.example/x": {}, "a.example/y": {}})
		synctest.Test(t, func(t *testing.T) {
			w := memweb.New(s.hosts())
			defer w.Close()
			cfg := config(t, w, nil, "http://a.example/")
			cfg.Recorder, cfg.Gate.IgnoreRobots = rec, true
			cfg.Gate.Frontier.Delay = time.Hour
			start := time.Now()
			res, err := crawl.Run(t.Context(), cfg)
			if err == nil || res.EndedBy != crawl.ByRecordError || res.Left() != 2 || time.Since(start) > time.Minute {
				t.Errorf("error %v, ended by %s, %d left, after %v", err, res.EndedBy, res.Left(), time.Since(start))
			}
		})
	}
}

func TestZeroConnectionsMeanOne(t *testing.T) {
	s := newSite(map[string]*page{"a.example/": {}})
	n, _ := inBubble(t, s, func(c *crawl.Config) { c.Gate.Frontier = frontier.Config{PerHost: -1, Delay: frontier.NoDelay} }, "http://a.example/")
	if len(n.pages) != 1 {
		t.Error("nothing was fetched")
	}
}

// The target of a redirect comes before those who wait for the place it gives back, and
// who still finds no room is told.
func TestRedirectKeepsItsOwnPlaceInTheBudget(t *testing.T) {
	s := newSite(map[string]*page{"a.example/": {links: []string{"/old", "/x"}}, "a.example/old": {redirect: "/new"},
		"a.example/new": {}, "a.example/x": {}})
	n, _ := inBubble(t, s, func(c *crawl.Config) { c.Gate.Frontier.MaxPerHost = 2 }, "http://a.example/")
	if got := n.urls(); !slices.Equal(got, []string{"a.example/", "a.example/new"}) {
		t.Errorf("fetched %v", got)
	}
	if len(n.skips) != 1 || n.reason("http://a.example/x") != gate.HostBudget {
		t.Errorf("skips %v, want /x alone", n.skips)
	}
}

// A URL that comes into scope late and then finds no room, or a closed host, is told
// like any other.
func TestWhatIsOfferedAgainIsToldIfItIsRefusedAgain(t *testing.T) {
	for _, limit := range []int{0, 5} {
		s := newSite(map[string]*page{
			"a.example/": {links: []string{"http://www.b.example/x", "http://www.b.example/y"}},
			"b.example/": {redirect: "http://www.b.example/", latency: 5 * time.Second}, "www.b.example/": {}, "www.b.example/x": {}, "www.b.example/y": {},
		})
		n, _ := inBubble(t, s, func(c *crawl.Config) { c.Gate.MaxDepth = limit; c.Gate.Frontier.MaxPerHost = 1 }, "http://a.example/", "http://b.example/")
		if total := len(n.pages) + len(n.skips); total != 4 {
			t.Errorf("depth limit %d: pages %v and skips %v do not account for the 4 URLs", limit, n.urls(), n.skips)
		}
	}
}
