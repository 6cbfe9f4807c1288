package crawl_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"crawler/crawl"
	"crawler/dedup"
	"crawler/frontier"
	"crawler/gate"
	"crawler/internal/memweb"
)

// site is a small web of pages for tests: each path answers with links or with
// what is set. It notes every request.
type site struct {
	mu    sync.Mutex
	hits  []hit // guarded by mu
	pages map[string]*page
	asked func() // called for every request, if not nil
}

type hit struct {
	url string
	at  time.Time
}

// page is one resource. The zero value is an empty page.
type page struct {
	links    []string
	html     string        // instead of links
	status   int           // 0 means 200
	header   http.Header   // added
	latency  time.Duration // before the answer
	redirect string        // Location, with status 301 unless set
	fails    int           // answers with failStatus that come first; -1 for ever
	failWith int           // 0 breaks the connection, 200 the body, trickle sends it slowly
}

const trickle = 1

func newSite(pages map[string]*page) *site { return &site{pages: pages} }

// ServeHTTP answers for every host: pages are keyed "host/path?query".
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host, _, _ := strings.Cut(r.Host, ":")
	key := host + r.URL.RequestURI()
	s.mu.Lock()
	s.hits = append(s.hits, hit{key, time.Now()})
	p, ok := s.pages[key]
	failing := ok && p.fails != 0
	if ok && p.fails > 0 {
		p.fails--
	}
	s.mu.Unlock()
	if s.asked != nil {
		s.asked()
	}
	switch {
	case !ok:
		http.NotFound(w, r)
		return
	case p.latency > 0:
		select {
		case <-time.After(p.latency):
		case <-r.Context().Done():
			return
		}
	}
	for k, v := range p.header {
		w.Header()[k] = v
	}
	switch {
	case failing && p.failWith == 0:
		panic(http.ErrAbortHandler)
	case failing && p.failWith == 200:
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Length", "100000")
		fmt.Fprint(w, "words that do not count")
		for _, l := range p.links[:len(p.links)/2] {
			fmt.Fprintf(w, "<a href=%q>link</a>\n", l)
		}
		return
	case failing && p.failWith == trickle:
		for tick := time.NewTicker(time.Second); ; {
			fmt.Fprint(w, "#")
			w.(http.Flusher).Flush()
			select {
			case <-tick.C:
			case <-r.Context().Done():
				return
			}
		}
	case failing:
		w.WriteHeader(p.failWith)
		return
	case p.redirect != "":
		w.Header().Set("Location", p.redirect)
		w.WriteHeader(max(p.status, 301))
		return
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "text/html")
	}
	if p.status != 0 {
		w.WriteHeader(p.status)
	}
	fmt.Fprint(w, p.html)
	for _, l := range p.links {
		fmt.Fprintf(w, "<a href=%q>link</a>\n", l)
	}
}

// requests returns the keys asked for, robots.txt aside.
func (s *site) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, h := range s.hits {
		if !strings.HasSuffix(h.url, "/robots.txt") {
			out = append(out, h.url)
		}
	}
	return out
}

// hosts names every host that has a page.
func (s *site) hosts() map[string]http.Handler {
	m := map[string]http.Handler{}
	for k := range s.pages {
		host, _, _ := strings.Cut(k, "/")
		m[host] = s
	}
	return m
}

// notes is a Recorder that remembers.
type notes struct {
	pages  []note
	hops   []note
	skips  []gate.Skip
	failAt int // Page fails when so many are recorded; 0 never
}

type note struct {
	url, from, via string
	target         string // of a redirect; where it has none, why
	status, depth  int
	words          int
	truncated      bool
}

func (n *notes) Page(v *crawl.Visit) error {
	if n.failAt > 0 && len(n.pages) == n.failAt {
		return fmt.Errorf("disk full")
	}
	n.pages = append(n.pages, noteOf(v))
	return nil
}

func (n *notes) Redirect(v *crawl.Visit) error {
	hop := noteOf(v)
	if hop.target = v.Detail; !v.Target.IsZero() {
		hop.target = v.Target.String()
	}
	n.hops = append(n.hops, hop)
	return nil
}

func noteOf(v *crawl.Visit) note {
	return note{url: v.URL.String(), from: v.From, via: v.Via, status: v.Status, depth: v.Depth, words: len(v.Page.Words), truncated: v.Truncated}
}

func (n *notes) Skip(s gate.Skip) error { n.skips = append(n.skips, s); return nil }
func (n *notes) Flush() error           { return nil }

// urls are the recorded pages without the scheme, sorted.
func (n *notes) urls() []string {
	var out []string
	for _, p := range n.pages {
		out = append(out, strings.TrimPrefix(p.url, "http://"))
	}
	slices.Sort(out)
	return out
}

// target is where a URL redirects, "" if it does not.
func (n *notes) target(url string) string {
	for _, h := range n.hops {
		if h.url == url {
			return h.target
		}
	}
	return ""
}

func (n *notes) reason(url string) gate.Reason {
	for _, s := range n.skips {
		if s.URL == url {
			return s.Reason
		}
	}
	return ""
}

// config is a Config for the in-memory web: eager, no delay. The pages of most tests have
// one word, over and over, as a trap's might.
func config(t testing.TB, w *memweb.Web, n *notes, seeds ...string) crawl.Config {
	cfg := crawl.Config{Seeds: seeds, Gate: gate.Config{Dedup: dedup.Config{ExpectURLs: 1000, Seed: 1}, FollowTraps: true}, Recorder: n, Workers: 8}
	cfg.Gate.Frontier = frontier.Config{Delay: frontier.NoDelay}
	cfg.Fetch.DialContext = w.DialContext
	cfg.Fetch.UserAgent = "crawler/test"
	return cfg
}

// inBubble runs a crawl of the site in virtual time.
func inBubble(t *testing.T, s *site, change func(*crawl.Config), seeds ...string) (*notes, crawl.Result) {
	t.Helper()
	n := &notes{}
	var res crawl.Result
	synctest.Test(t, func(t *testing.T) {
		w := memweb.New(s.hosts())
		defer w.Close()
		cfg := config(t, w, n, seeds...)
		if change != nil {
			change(&cfg)
		}
		var err error
		if res, err = crawl.Run(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
	})
	return n, res
}

// randomWeb is a connected mess of n pages on a few hosts, with latencies,
// redirects, broken links and passing failures, and what a crawl must record.
func randomWeb(rng *rand.Rand) (*site, map[string]bool) {
	n := 4 + rng.IntN(40)
	hosts := 1 + rng.IntN(4)
	name := func(i int) string { return fmt.Sprintf("h%d.example/p%d", i%hosts, i) }
	s := newSite(map[string]*page{})
	for i := range n {
		p := &page{latency: time.Duration(rng.IntN(300)) * time.Millisecond}
		for range rng.IntN(5) {
			p.links = append(p.links, "http://"+name(rng.IntN(n+3))) // some lead to no page
		}
		switch rng.IntN(12) {
		case 0:
			p.redirect = "http://" + name(rng.IntN(n))
		case 1:
			p.fails, p.failWith = 1+rng.IntN(2), []int{0, 429, 500, 503}[rng.IntN(4)]
		case 2:
			p.status = 404
			p.links = nil
		}
		s.pages[name(i)] = p
	}
	s.pages[name(0)] = &page{links: s.pages[name(0)].links}
	return s, oracle(s, name(0))
}

// oracle walks the pages themselves: what is reachable, with redirects leading on.
func oracle(s *site, start string) map[string]bool {
	want, todo, met := map[string]bool{}, []string{start}, map[string]bool{start: true}
	for len(todo) > 0 {
		k := todo[0]
		todo = todo[1:]
		p, ok := s.pages[k]
		next := []string{}
		switch {
		case !ok:
			want[k] = true // a 404 is an answer
		case p.redirect != "":
			next = append(next, p.redirect)
		default:
			want[k] = true
			next = p.links
		}
		for _, l := range next {
			if l = strings.TrimPrefix(l, "http://"); !met[l] {
				met[l] = true
				todo = append(todo, l)
			}
		}
	}
	return want
}
