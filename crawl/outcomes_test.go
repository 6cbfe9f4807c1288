package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"crawler/crawl"
	"crawler/dedup"
	"crawler/frontier"
	"crawler/gate"
	"crawler/internal/memweb"
	"crawler/ledger/disk"
	"crawler/report"
	"crawler/store"
)

// wild is a web with everything that a crawl may refuse.
type wild struct {
	*site
	links map[string][]string // of pages that answer
}

// wildWeb has a few dozen pages, or so many that a small filter errs often. Some
// redirect, also to what is out of scope, fail for a while or, if closing, for ever,
// are forbidden by robots.txt, or are linked with nofollow.
func wildWeb(rng *rand.Rand, closing bool) *wild {
	n, hosts := 6+rng.IntN(50), 1+rng.IntN(4)
	if rng.IntN(4) == 0 {
		n = 400 + rng.IntN(400)
	}
	name := func(i int) string {
		switch {
		case i >= n+3:
			return fmt.Sprintf("out%d.test/x%d", i%2, i)
		case i%7 == 6:
			return fmt.Sprintf("h%d.example/private/p%d", i%hosts, i)
		}
		return fmt.Sprintf("h%d.example/p%d", i%hosts, i)
	}
	w := &wild{newSite(map[string]*page{}), map[string][]string{}}
	for i := range n {
		p, key := &page{latency: time.Duration(rng.IntN(300)) * time.Millisecond}, name(i)
		w.pages[key] = p
		switch kind := rng.IntN(12); {
		case i == 0:
		case closing && i%hosts == hosts-1 && kind < 6:
			p.fails, p.failWith = -1, 503
			continue
		case kind < 2:
			p.redirect = "http://" + name(rng.IntN(n+4))
			continue
		case kind == 2:
			p.fails, p.failWith = 1+rng.IntN(2), []int{429, 500, 503}[rng.IntN(3)]
		}
		for range rng.IntN(6 * (1 + 5*(i%4/3))) {
			to, rel := name(rng.IntN(n+6)), ""
			if rng.IntN(5) == 0 {
				rel = "nofollow"
			}
			p.html += fmt.Sprintf("<a href=%q rel=%q>link</a>\n", "http://"+to, rel)
			w.links[key] = append(w.links[key], to)
		}
	}
	for h := range hosts {
		if rng.IntN(2) == 0 {
			w.pages[fmt.Sprintf("h%d.example/robots.txt", h)] = &page{html: "User-agent: *\nDisallow: /private/\n", header: http.Header{"Content-Type": {"text/plain"}}}
		}
	}
	return w
}

// outcomes is what became of each URL.
type outcomes struct {
	pages, hops map[string]bool
	skips       map[string]gate.Reason
}

func (d *durable) outcomes() outcomes {
	o := outcomes{map[string]bool{}, map[string]bool{}, map[string]gate.Reason{}}
	for _, p := range lines[report.PageRecord](d.t, d.mem, report.PagesFile) {
		o.pages[strings.TrimPrefix(p.URL, "http://")] = true
	}
	for _, r := range lines[report.RedirectRecord](d.t, d.mem, report.RedirectsFile) {
		u := strings.TrimPrefix(r.URL, "http://")
		if o.hops[u] || o.pages[u] {
			d.t.Errorf("%s redirects and has another outcome", u)
		}
		o.hops[u] = true
	}
	for _, s := range lines[gate.Skip](d.t, d.mem, report.SkippedFile) {
		u := strings.TrimPrefix(s.URL, "http://")
		if o.skips[u] != "" || o.pages[u] || o.hops[u] {
			d.t.Errorf("%s is refused (%s) and has another outcome (%s)", u, s.Reason, o.skips[u])
		}
		o.skips[u] = s.Reason
	}
	return o
}

// of reports whether anything became of u.
func (o outcomes) of(u string) bool { return o.pages[u] || o.hops[u] || o.skips[u] != "" }

// Every link of every page has exactly one outcome, however often the crawl is killed at
// a request or a file operation, stopped, or ended by a limit. Unless budgets and closed
// hosts make it a matter of order, the outcomes are those of a crawl that was never
// stopped.
func TestEveryURLHasOneOutcome(t *testing.T) {
	seeds := uint64(24)
	if testing.Short() {
		seeds = 8
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { oneOutcome(t, rand.New(rand.NewPCG(seed, 77)), seed) })
		})
	}
}

func oneOutcome(t *testing.T, rng *rand.Rand, seed uint64) {
	closing, budget, depth := rng.IntN(3) == 0, 0, rng.IntN(5)
	if rng.IntN(3) == 0 {
		budget = 1 + rng.IntN(8)*(1+rng.IntN(2)*15)
	}
	w := wildWeb(rng, closing)
	d := &durable{t: t, mem: vfs.NewCrashableMem(), site: w.site, web: memweb.New(w.hosts()), seed: "http://h0.example/p0"}
	defer d.web.Close()
	maxPages := 0
	d.cfg = func(c *crawl.Config) {
		c.Gate.Scope = gate.Scope{Mode: gate.ScopeAny, Include: []*regexp.Regexp{regexp.MustCompile("example/")}}
		c.Gate.MaxDepth, c.MaxPages, c.Tail = depth, maxPages, 1+int(seed%7)
		c.Gate.Dedup = dedup.Config{ExpectURLs: 800, BitsPerURL: 1, RestartEvery: int(seed % 3 * 9), Seed: seed}
		c.Gate.Frontier = frontier.Config{Delay: frontier.NoDelay, Retries: 2, PerHost: 2, Window: 1, MaxPerHost: budget, MaxFailures: 6}
	}
	want, wantRes := d.uninterrupted(w)
	last, crashed := crawl.Result{}, false
	for run := 0; last.EndedBy != crawl.Done || crashed; run++ {
		maxPages = 0
		if run < 8 && rng.IntN(4) == 0 {
			maxPages = last.Fetched + 1 + rng.IntN(5)
		}
		last, crashed = d.troubled(rng, run < 8 && maxPages == 0)
		if maxPages > 0 && last.Fetched > maxPages || run > 9 {
			t.Fatalf("run %d ended by %q with %d pages of %d", run, last.EndedBy, last.Fetched, maxPages)
		}
	}
	d.checkOutcomes(w, last, want, wantRes, closing || budget > 0)
}

// uninterrupted is the outcome of a crawl in memory that nothing troubles.
func (d *durable) uninterrupted(w *wild) (*notes, crawl.Result) {
	fails, n := map[string]int{}, &notes{}
	for k, p := range w.pages {
		fails[k] = p.fails
	}
	cfg := config(d.t, d.web, n, d.seed)
	d.cfg(&cfg)
	res, err := crawl.Run(d.t.Context(), cfg)
	if err != nil {
		d.t.Fatal(err)
	}
	for k, p := range w.pages {
		p.fails = fails[k]
	}
	return n, res
}

// atOperation tells of every file operation.
type atOperation func()

// MaybeError is errorfs.Injector's.
func (f atOperation) MaybeError(errorfs.Op) error { f(); return nil }

// String is errorfs.Injector's.
func (f atOperation) String() string { return "operations" }

// troubled is one run, in which the power or the patience ends at some request or file
// operation, and what its last commit says.
func (d *durable) troubled(rng *rand.Rand, trouble bool) (res crawl.Result, crashed bool) {
	ctx, cancel := context.WithCancel(d.t.Context())
	defer cancel()
	p := &power{mem: d.mem, stop: cancel, crash: rng.IntN(4) > 0, cfg: vfs.CrashCloneCfg{UnsyncedDataPercent: rng.IntN(3) * 50, RNG: rng}}
	d.site.asked, d.wrap = nil, nil
	switch {
	case trouble && rng.IntN(3) == 0:
		p.left.Store(1 + rng.Int64N(20))
		d.site.asked = p.request
	case trouble:
		p.left.Store(1 + rng.Int64N(400))
		d.wrap = func(m *vfs.MemFS) store.FS {
			return store.Wrap(errorfs.Wrap(m, atOperation(p.request)), store.OnMem(m).Truncate)
		}
	}
	res, _, err := d.run(ctx)
	if err != nil {
		d.t.Fatal(err)
	}
	if p.clone == nil {
		return res, false
	}
	d.mem, d.wrap = p.clone, nil
	dir, err := d.open()
	if err != nil {
		d.t.Fatal(err)
	}
	_, res, err = crawl.Complete(disk.Of(dir))
	if err = errors.Join(err, dir.Close()); err != nil {
		d.t.Fatal(err)
	}
	return res, true
}

func (d *durable) checkOutcomes(w *wild, res crawl.Result, want *notes, wantRes crawl.Result, byOrder bool) {
	got := d.outcomes()
	for u := range got.pages {
		for _, to := range w.links[u] {
			if !got.of(to) {
				d.t.Errorf("%s links to %s, which has no outcome", u, to)
			}
		}
	}
	for u := range got.hops {
		if to := strings.TrimPrefix(w.pages[u].redirect, "http://"); !got.of(to) {
			d.t.Errorf("%s redirects to %s, which has no outcome", u, to)
		}
	}
	skipped := 0
	for _, n := range res.Skipped {
		skipped += n
	}
	for _, n := range res.Errors {
		skipped += n
	}
	if res.Fetched != len(got.pages) || res.Redirects != len(got.hops) || skipped != len(got.skips) || int(res.Dedup.New) != res.Admitted {
		d.t.Errorf("%d pages, %d redirects and %d refusals counted, %d, %d and %d recorded; the filter has %d URLs, the crawl %d",
			res.Fetched, res.Redirects, skipped, len(got.pages), len(got.hops), len(got.skips), res.Dedup.New, res.Admitted)
	}
	if byOrder {
		return
	}
	if res.Fetched != wantRes.Fetched || res.Admitted != wantRes.Admitted || res.Redirects != wantRes.Redirects {
		d.t.Errorf("%d pages of %d, %d URLs of %d, %d redirects of %d", res.Fetched, wantRes.Fetched, res.Admitted, wantRes.Admitted, res.Redirects, wantRes.Redirects)
	}
	for _, u := range want.urls() {
		if !got.pages[u] {
			d.t.Errorf("%s was lost", u)
		}
	}
	for _, s := range want.skips {
		if u := strings.TrimPrefix(s.URL, "http://"); got.skips[u] != s.Reason {
			d.t.Errorf("%s was refused for %q, not %q", u, got.skips[u], s.Reason)
		}
	}
}

// A URL for which its host has no more room is refused once, also if that became so
// while the log was asked about it.
func TestBudgetIsUsedUpWhileTheLogIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(map[string]*page{"a.example/": {}, "a.example/again": {}})
		for i := range 2000 {
			s.pages["a.example/"].links = append(s.pages["a.example/"].links, fmt.Sprintf("/%d", i))
		}
		s.pages["a.example/"].links = append([]string{"/again"}, s.pages["a.example/"].links...)
		s.pages["a.example/again"].links = s.pages["a.example/"].links
		d := &durable{t: t, mem: vfs.NewCrashableMem(), site: s, web: memweb.New(s.hosts()), seed: "http://a.example/"}
		defer d.web.Close()
		d.cfg = func(c *crawl.Config) {
			c.Tail, c.Gate.Frontier.MaxPerHost = 1, 1000
			c.Gate.Dedup = dedup.Config{ExpectURLs: 2000, BitsPerURL: 2, RestartEvery: 400, Seed: 1}
		}
		res, _, err := d.run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		o := d.outcomes()
		if len(o.pages) != 1000 || len(o.skips) != 1002 || res.Dedup.FalsePositives == 0 {
			t.Errorf("%d pages, %d refusals, %d false positives", len(o.pages), len(o.skips), res.Dedup.FalsePositives)
		}
	})
}

// The target of a redirect that its host has no room for is fetched once there is room.
func TestRedirectToAFullHostUnderADepthLimit(t *testing.T) {
	s := newSite(map[string]*page{
		"a.example/":     {links: []string{"http://b.example/one", "http://b.example/slow", "/away"}},
		"a.example/away": {redirect: "http://b.example/page"},
		"b.example/one":  {},
		"b.example/slow": {redirect: "http://a.example/", latency: 20 * time.Second},
		"b.example/page": {},
	})
	n, _ := inBubble(t, s, func(c *crawl.Config) {
		c.Gate.Scope.Mode, c.Gate.MaxDepth, c.Gate.Frontier.MaxPerHost, c.Gate.IgnoreRobots = gate.ScopeAny, 3, 2, true
	}, "http://a.example/")
	if want := []string{"a.example/", "b.example/one", "b.example/page"}; !slices.Equal(n.urls(), want) {
		t.Errorf("pages %v, not %v", n.urls(), want)
	}
	if len(n.skips) != 0 {
		t.Errorf("refused: %v", n.skips)
	}
}
