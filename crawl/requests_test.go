package crawl_test

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"crawler/crawl"
	"crawler/frontier"
	"crawler/gate"
)

// Requests are those that servers got: one for a robots.txt that many pages wait for, each hop
// of one that redirects, pages, redirects and tries that failed; none where nobody listens.
func TestRequestsAreTheServers(t *testing.T) {
	s := newSite(map[string]*page{
		"a.example/robots.txt": {html: "User-agent: *\nDisallow: /no\n", header: plainText, latency: 5 * time.Second},
		"b.example/robots.txt": {redirect: "http://b.example/r/1"}, "b.example/r/1": {redirect: "http://b.example/r/2"},
		"b.example/r/2": {html: "User-agent: *\nAllow: /\n", header: plainText},
		"a.example/old": {redirect: "/new"}, "a.example/new": {}, "a.example/no": {},
		"b.example/":     {links: []string{"http://nobody.example/", "http://a.example/old", "http://a.example/no"}},
		"b.example/fail": {fails: 2, failWith: 500},
	})
	seeds := append(many(s, "a.example", 20), "http://b.example/", "http://b.example/fail")
	n, res := inBubble(t, s, func(c *crawl.Config) {
		c.Gate.Scope.Mode, c.Gate.Frontier.Retries, c.Gate.Frontier.PerHost = gate.ScopeAny, 2, 20
	}, seeds...)
	robots := 0
	for _, h := range s.hits {
		if strings.Contains(h.url, "/robots.txt") || strings.Contains(h.url, "/r/") {
			robots++
		}
	}
	if res.Robots != robots || robots != 4 || res.Requests != len(s.hits) {
		t.Errorf("%d requests, %d of them for robots.txt; the servers got %d and %d", res.Requests, res.Robots, len(s.hits), robots)
	}
	if len(n.pages) != 23 || len(n.hops) != 1 || res.Retried == 0 {
		t.Errorf("%d pages, %d redirects, %d retried", len(n.pages), len(n.hops), res.Retried)
	}
}

// A request that net/http sends again by itself, since the server has closed a connection that
// was kept, is one more. Over connections of our own it is a failure, and none is sent unasked.
func TestRequestsThatAreSentAgain(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		t.Run(fmt.Sprintf("HTTP2 %v", http2), func(t *testing.T) { sendAgain(t, http2) })
	}
}

func sendAgain(t *testing.T, http2 bool) {
	var got, conns atomic.Int64
	site := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got.Add(1)%3 == 0 { // not an answer: the client asks again
			c, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				c.Close()
			}
			return
		}
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/" {
			for i := range 20 {
				fmt.Fprintf(w, "<a href=/%d>x</a>", i)
			}
		}
	}))
	site.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			conns.Add(1)
		}
	}
	site.Start()
	defer site.Close()
	cfg := crawl.Config{Seeds: []string{site.URL + "/"}, Workers: 1, Gate: gate.Config{IgnoreRobots: true, Frontier: frontier.Config{Delay: frontier.NoDelay, PerHost: 1, Patience: frontier.NoPatience}}}
	cfg.Fetch.HTTP2 = http2
	res, err := crawl.Run(t.Context(), cfg)
	failed := res.Requests - res.Fetched
	if http2 { // which are sent again until they are answered
		failed = 0
	}
	if err != nil || res.Requests != int(got.Load()) || res.Requests <= res.Fetched || conns.Load() < 2 || res.Errors["reset"] != failed {
		t.Errorf("%d pages by %d requests, the server got %d over %d connections: %v", res.Fetched, res.Requests, got.Load(), conns.Load(), err)
	}
}

// The requests of a crawl are counted over its runs, and by its Fetcher's answers if that does not
// use net/http.
func TestRequestsOfAFetcherThatDoesNotCount(t *testing.T) {
	pages := map[string]string{"/": "<a href=/1>x</a><a href=/none>x</a>", "/1": ""}
	lib := &library{pages: map[string]string{}}
	for path, html := range pages {
		lib.pages["http://a.example"+path] = html
	}
	res, err := crawl.Run(context.Background(), crawl.Config{
		Seeds: []string{"http://a.example/"}, Fetcher: lib, Gate: gate.Config{IgnoreRobots: true, Frontier: frontier.Config{Delay: frontier.NoDelay}},
	})
	if err != nil || res.Requests != res.Fetched || res.Fetched == 0 {
		t.Errorf("%d pages by %d requests (%v): %v", res.Fetched, res.Requests, slices.Sorted(maps.Keys(lib.pages)), err)
	}
}
