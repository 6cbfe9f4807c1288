package crawl_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"crawler/crawl"
	"crawler/fetch"
	"crawler/frontier"
	"crawler/gate"
	"crawler/internal/memweb"
	"crawler/parse"
	"crawler/report"
	"crawler/weburl"
)

// chain is a host of n pages, each of which leads to the next.
func chain(host string, n int) *site {
	s := newSite(map[string]*page{})
	for i := range n {
		s.pages[fmt.Sprintf("%s/%d", host, i)] = &page{links: []string{fmt.Sprintf("http://%s/%d", host, i+1)}}
	}
	return s
}

// at is a Recorder that returns err from one of its methods, once n pages are recorded.
type at struct {
	*notes
	method string
	n      int
	err    error
}

func (a *at) fail(method string) error {
	if method == a.method && len(a.pages) >= a.n {
		return a.err
	}
	return nil
}
func (a *at) Page(v *crawl.Visit) error {
	return errors.Join(a.notes.Page(v), a.fail("Page"))
}
func (a *at) Redirect(v *crawl.Visit) error {
	return errors.Join(a.notes.Redirect(v), a.fail("Redirect"))
}
func (a *at) Skip(s gate.Skip) error                           { return errors.Join(a.notes.Skip(s), a.fail("Skip")) }
func (a *at) Flush() error                                     { return a.fail("Flush") }
func (a *at) Exchange(_ *crawl.Visit, _ *crawl.Exchange) error { return a.fail("Exchange") }

// A Recorder or hook that has what it wants ends the crawl as "stopped", which is no error,
// and what it was given counts as recorded.
func TestErrStop(t *testing.T) {
	for _, method := range []string{"Page", "Redirect", "Skip", "Flush", "Exchange", "OnPage"} {
		s := chain("a.example", 200)
		for _, p := range s.pages {
			p.links = append(p.links, strings.Replace(p.links[0], "a.example", "elsewhere.example", 1))
		}
		if method == "Redirect" {
			s.pages["a.example/10"] = &page{redirect: "/11"}
		}
		n, res := inBubble(t, s, func(c *crawl.Config) {
			c.Gate.IgnoreRobots = true
			c.Gate.Frontier.Delay = 50 * time.Millisecond
			n := c.Recorder.(*notes)
			if method == "OnPage" {
				c.OnPage = func(v *crawl.Visit) error {
					if v.URL.Path() == "/10" {
						return fmt.Errorf("found: %w", crawl.ErrStop)
					}
					return nil
				}
				return
			}
			c.Recorder = &at{notes: n, method: method, n: 10, err: fmt.Errorf("enough: %w", crawl.ErrStop)}
		}, "http://a.example/0")
		if res.EndedBy != crawl.ByStop || len(n.pages) != res.Fetched || len(n.pages) < 10 || len(n.pages) > 13 || res.Queued != 1 {
			t.Errorf("%s: ended by %q with %d of %d pages, %d queued", method, res.EndedBy, len(n.pages), res.Fetched, res.Queued)
		}
	}
}

// Any other error of the hook ends the crawl with it, and the page does not count.
func TestAnErrorOfTheHook(t *testing.T) {
	broken := errors.New("no more ink")
	s := chain("a.example", 20)
	n := &notes{}
	synctest.Test(t, func(t *testing.T) {
		w := memweb.New(s.hosts())
		defer w.Close()
		cfg := config(t, w, n, "http://a.example/0")
		cfg.Gate.IgnoreRobots = true
		cfg.OnPage = func(v *crawl.Visit) error {
			if v.URL.Path() == "/7" {
				return broken
			}
			return nil
		}
		res, err := crawl.Run(t.Context(), cfg)
		if !errors.Is(err, broken) || res.EndedBy != crawl.ByRecordError || res.Fetched != 7 || len(n.pages) != 7 || res.Queued != 1 {
			t.Errorf("%v, ended by %q, %d pages counted, %d recorded, %d queued", err, res.EndedBy, res.Fetched, len(n.pages), res.Queued)
		}
	})
}

// A crawl that was stopped by its Recorder is resumed like any other.
func TestAStoppedCrawlIsResumed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := chain("a.example", 50)
		d := &durable{t: t, mem: vfs.NewCrashableMem(), site: s, web: memweb.New(s.hosts()), seed: "http://a.example/0"}
		defer d.web.Close()
		stops := 0
		d.cfg = func(c *crawl.Config) {
			c.OnPage = func(v *crawl.Visit) error {
				if stops++; stops%7 == 0 {
					return crawl.ErrStop
				}
				return nil
			}
		}
		for range 20 {
			res, rep, err := d.run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if res.EndedBy == crawl.Done {
				d.check(oracle(s, "a.example/0"), res, rep)
				return
			}
			if res.EndedBy != crawl.ByStop {
				t.Fatalf("ended by %q", res.EndedBy)
			}
		}
		t.Error("the crawl does not come to its end")
	})
}

// Follow says no to links, to entries of sitemaps and to targets of redirects: each is
// refused as excluded, once.
func TestFollow(t *testing.T) {
	s := newSite(map[string]*page{
		"a.example/robots.txt": {html: "Sitemap: http://a.example/map.xml\n", header: plainText},
		"a.example/map.xml":    {html: "<urlset><url><loc>http://a.example/no-entry</loc></url><url><loc>http://a.example/entry</loc></url></urlset>", header: http.Header{"Content-Type": {"application/xml"}}},
		"a.example/":           {links: []string{"/yes", "/no-link", "/no-link", "/moved", "/moved-no"}},
		"a.example/yes":        {links: []string{"/no-link"}},
		"a.example/entry":      {},
		"a.example/moved":      {redirect: "/target"},
		"a.example/target":     {},
		"a.example/moved-no":   {redirect: "/no-target"},
		"a.example/no-link":    {},
		"a.example/no-target":  {},
		"a.example/no-entry":   {},
	})
	n, res := inBubble(t, s, func(c *crawl.Config) {
		c.Sitemaps = true
		c.Follow = func(page *crawl.Visit, l *parse.Link) bool {
			if page.Status == 0 {
				t.Errorf("asked about %s before %s was fetched", l.URL, page.URL)
			}
			return !strings.HasPrefix(l.URL.Path(), "/no-")
		}
	}, "http://a.example/")
	if got := strings.Join(n.urls(), " "); got != "a.example/ a.example/entry a.example/map.xml a.example/target a.example/yes" {
		t.Errorf("fetched %s", got)
	}
	for _, u := range []string{"no-link", "no-entry", "no-target"} {
		if r := n.reason("http://a.example/" + u); r != gate.Excluded {
			t.Errorf("%s is refused as %q", u, r)
		}
	}
	if res.Skipped[gate.Excluded] != 3 {
		t.Errorf("refused %v", res.Skipped)
	}
}

// library is a Fetcher without any network.
type library struct {
	mu    sync.Mutex
	pages map[string]string
	asked []string // guarded by mu
}

func (l *library) Get(_ context.Context, u weburl.URL) (*fetch.Response, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = append(l.asked, u.String())
	body, ok := l.pages[u.String()]
	if !ok {
		return &fetch.Response{URL: u, Status: 404, Started: time.Now()}, nil
	}
	if body == "" {
		return nil, errors.New("the shelf is empty")
	}
	return &fetch.Response{URL: u, Status: 200, ContentType: "text/html", MediaType: "text/html", Body: []byte(body), Started: time.Now()}, nil
}

// A Fetcher replaces the client for pages and for robots.txt; its answers need no more than
// a status and a body.
func TestAFetcherOfOnesOwn(t *testing.T) {
	l := &library{pages: map[string]string{
		"http://a.example/":           `<a href="/1">1</a> <a href="/closed">2</a> <a href="/empty">3</a>`,
		"http://a.example/1":          "one",
		"http://a.example/empty":      "",
		"http://a.example/robots.txt": "User-agent: *\nDisallow: /closed\n",
	}}
	n := &notes{}
	synctest.Test(t, func(t *testing.T) {
		res, err := crawl.Run(t.Context(), crawl.Config{
			Seeds: []string{"http://a.example/"}, Fetcher: l, Recorder: n, KeepResponse: true,
			Gate: gate.Config{Frontier: frontier.Config{Delay: frontier.NoDelay}},
		})
		if err != nil || res.EndedBy != crawl.Done || res.Fetched != 2 || res.Skipped[gate.Disallowed] != 1 || res.Errors[gate.Reason(fetch.ReasonProtocol)] != 1 {
			t.Errorf("%v, ended by %q: %d pages, refused %v, errors %v", err, res.EndedBy, res.Fetched, res.Skipped, res.Errors)
		}
	})
	if strings.Join(n.urls(), " ") != "a.example/ a.example/1" || len(l.asked) != 4 {
		t.Errorf("pages %v, asked %v", n.urls(), l.asked)
	}
}

// What is added to a running crawl is a seed: it widens the scope, also after a resume, and
// the crawl waits for more until the Inbox is closed.
func TestInbox(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(map[string]*page{
			"a.example/": {}, "b.example/": {links: []string{"/1", "http://c.example/"}}, "b.example/1": {links: []string{"/2"}}, "b.example/2": {}, "c.example/": {},
		})
		d := &durable{t: t, mem: vfs.NewCrashableMem(), site: s, web: memweb.New(s.hosts()), seed: "http://a.example/"}
		defer d.web.Close()
		in, ctx := crawl.NewInbox(), t.Context()
		d.cfg = func(c *crawl.Config) { c.Inbox, c.Gate.Frontier.Delay = in, time.Second }
		stopping, stop := context.WithCancel(ctx)
		go func() {
			time.Sleep(time.Hour) // the seed is done long since
			for _, u := range []string{"http://b.example/", "http://b.example/", "http://a.example/"} {
				if err := in.Add(ctx, u); err != nil {
					t.Errorf("%s: %v", u, err)
				}
			}
			if err := in.Add(ctx, "mailto:a@b.example"); err == nil || errors.Is(err, crawl.ErrEnded) {
				t.Errorf("mailto: is no page: %v", err)
			}
			time.Sleep(2500 * time.Millisecond) // robots.txt, / and perhaps /1 of b.example
			stop()
		}()
		if res, _, err := d.run(stopping); err != nil || res.EndedBy != crawl.ByInterrupt || res.Admitted < 3 {
			t.Fatalf("%v, ended by %q, %d admitted", err, res.EndedBy, res.Admitted)
		}
		if err := in.Add(ctx, "http://a.example/late"); !errors.Is(err, crawl.ErrEnded) {
			t.Errorf("a URL that comes too late: %v", err)
		}
		in = crawl.NewInbox()
		in.Close()
		res, rep, err := d.run(ctx)
		if err != nil {
			t.Fatal(err)
		}
		d.check(map[string]bool{"a.example/": true, "b.example/": true, "b.example/1": true, "b.example/2": true}, res, rep)
		skips := lines[gate.Skip](t, d.mem, report.SkippedFile)
		if len(skips) != 1 || skips[0].URL != "http://c.example/" || skips[0].Reason != gate.OutOfScope {
			t.Errorf("refused %v", skips)
		}
	})
}

// A Recorder may add URLs to the crawl that it records, and is turned away at the end
// without anybody waiting for ever.
func TestInboxFromTheRecorder(t *testing.T) {
	s := chain("a.example", 30)
	r := &adder{}
	inBubble(t, s, func(c *crawl.Config) {
		// An inbox from outside the bubble would stop its time.
		r.notes, r.in = c.Recorder.(*notes), crawl.NewInbox()
		c.Recorder, c.Inbox, c.MaxPages = r, r.in, 20
		c.Gate.IgnoreRobots = true
	}, "http://a.example/0")
	if len(r.pages) != 20 || r.late == nil || !errors.Is(r.late, crawl.ErrEnded) {
		t.Errorf("%d pages; at the end %v", len(r.pages), r.late)
	}
}

// adder adds a URL for each page and for each flush.
type adder struct {
	*notes
	in   *crawl.Inbox
	late error
}

func (a *adder) Page(v *crawl.Visit) error {
	a.late = a.in.Add(context.Background(), fmt.Sprintf("http://a.example/%d", len(a.pages)+10))
	return a.notes.Page(v)
}

func (a *adder) Flush() error {
	a.late = a.in.Add(context.Background(), "http://a.example/29")
	return nil
}
