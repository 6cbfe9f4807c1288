package crawl_test

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"crawler/crawl"
	"crawler/frontier"
	"crawler/gate"
	"crawler/internal/memweb"
)

// hostHits are the times at which a host was asked.
func (s *site) hostHits(host string) (at []time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.hits {
		if strings.HasPrefix(h.url, host+"/") {
			at = append(at, h.at)
		}
	}
	return at
}

// A host that answers every request with a plea for patience, or with none at all, is
// asked ever more rarely for half an hour, and given up; its pages are reported, and a host
// beside it is none the slower. One that answers with an error page is asked for each.
func TestRFC9110_15_6_4_TroubleForEver(t *testing.T) {
	const patience = frontier.DefaultPatience
	for name, c := range map[string]struct {
		answer page
		robots bool // it is robots.txt that fails
		most   int  // requests
		least  time.Duration
	}{
		"429":                            {page{failWith: 429}, false, 60, patience},
		"503":                            {page{failWith: 503}, false, 60, patience},
		"503 with Retry-After 120":       {page{failWith: 503, header: http.Header{"Retry-After": {"120"}}}, false, 16, patience},
		"429 with Retry-After 0":         {page{failWith: 429, header: http.Header{"Retry-After": {"0"}}}, false, 60, patience},
		"429 with Retry-After of a year": {page{failWith: 429, header: http.Header{"Retry-After": {"31536000"}}}, false, 1, 0},
		"503 with Retry-After in past":   {page{failWith: 503, header: http.Header{"Retry-After": {"Thu, 01 Jan 1970 00:00:00 GMT"}}}, false, 60, patience},
		// The host never answers, and the other one does: ten failures. net/http may ask twice.
		"broken connections":                {page{}, false, 20, 80 * time.Second},
		"robots.txt 429":                    {page{failWith: 429}, true, 60, patience},
		"RFC 9309 2.3.1.4 robots.txt 500":   {page{failWith: 500}, true, 60, patience},
		"RFC 9309 2.3.1.4 robots.txt 503":   {page{failWith: 503}, true, 60, patience},
		"RFC 9309 2.3.1.4 robots.txt reset": {page{}, true, 20, 80 * time.Second},
		"RFC 9309 2.3.1.4 robots.txt slow":  {page{latency: time.Hour}, true, 11, 300 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(map[string]*page{})
			seeds := append(many(s, "bad.example", 50), many(s, "good.example", 20)...)
			for k, p := range s.pages {
				if strings.HasPrefix(k, "bad.") && !c.robots {
					*p = c.answer
					p.fails = -1
				}
			}
			if c.robots {
				p := c.answer
				p.fails = -1
				s.pages["bad.example/robots.txt"] = &p
			}
			n, res := inBubble(t, s, func(cfg *crawl.Config) {
				cfg.Gate.IgnoreRobots, cfg.Gate.Frontier.Retries, cfg.Gate.Frontier.Delay = !c.robots, 2, time.Second
			}, seeds...)
			asked := s.hostHits("bad.example")
			if len(asked) > c.most || len(asked) < c.most/2 {
				t.Errorf("asked %d times, want %d at most", len(asked), c.most)
			}
			if took := asked[len(asked)-1].Sub(asked[0]); took < c.least {
				t.Errorf("asked %d times within %v, want at least %v", len(asked), took, c.least)
			}
			good := s.hostHits("good.example")
			if took := good[len(good)-1].Sub(good[0]); took > 21*time.Second {
				t.Errorf("the good host took %v", took)
			}
			of := map[string]bool{}
			for _, u := range n.urls() {
				of["http://"+u] = true
			}
			for _, skip := range n.skips {
				of[skip.URL] = true
			}
			if len(of) != 70 || res.EndedBy != crawl.Done || res.Skipped[gate.HostClosed] < 40 {
				t.Errorf("%d outcomes of 70, ended by %s, skipped %v, errors %v", len(of), res.EndedBy, res.Skipped, res.Errors)
			}
		})
	}
}

// A host that fails every other request is crawled to its end, no page asked more than
// its tries allow, and no faster than its delay.
func TestFlappingHost(t *testing.T) {
	for _, status := range []int{429, 500, 503} {
		s := newSite(map[string]*page{})
		seeds := many(s, "a.example", 30)
		for i := 0; i < 30; i += 2 {
			p := s.pages[fmt.Sprintf("a.example/%d", i)]
			p.fails, p.failWith = 2, status
		}
		for i := 1; i < 30; i += 10 { // beyond its tries
			p := s.pages[fmt.Sprintf("a.example/%d", i)]
			p.fails, p.failWith = -1, status
		}
		n, res := inBubble(t, s, func(c *crawl.Config) {
			c.Gate.IgnoreRobots, c.Gate.Frontier.Retries, c.Gate.Frontier.Delay = true, 2, time.Second
		}, seeds...)
		tries := map[string]int{}
		for _, u := range s.requests() {
			tries[u]++
		}
		if most := slices.Max(slices.Collect(maps.Values(tries))); most > 5 || len(n.pages) != 30 || res.Retried < 2*15+2*3 || res.Retried > 2*15+4*3 {
			t.Errorf("status %d: at most %d requests a page, %d pages of 30, %d tries more; skipped %v, errors %v",
				status, most, len(n.pages), res.Retried, res.Skipped, res.Errors)
		}
		at := s.hostHits("a.example")
		for i := 1; i < len(at); i++ {
			if gap := at[i].Sub(at[i-1]); gap < time.Second {
				t.Errorf("status %d: request %d came %v after the one before", status, i, gap)
			}
		}
	}
}

// A name server that fails every other time costs no page; a name that is never found costs
// some ten questions.
func TestFlappingDNS(t *testing.T) {
	s := newSite(map[string]*page{})
	seeds := append(many(s, "a.example", 10), many(s, "never.example", 30)...)
	for _, p := range s.pages {
		p.header = http.Header{"Connection": {"close"}}
	}
	n := &notes{}
	synctest.Test(t, func(t *testing.T) {
		w := memweb.New(s.hosts())
		defer w.Close()
		cfg := config(t, w, n, seeds...)
		cfg.Gate.IgnoreRobots, cfg.Gate.Frontier.Retries, cfg.Gate.Frontier.Delay, cfg.Workers = true, 4, time.Second, 4
		var dials, never atomic.Int64
		cfg.Fetch.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			dns := &net.DNSError{Err: "server misbehaving", Name: addr, IsTemporary: true}
			switch {
			case strings.HasPrefix(addr, "never"):
				dns.IsTimeout = never.Add(1)%2 == 0
			case dials.Add(1)%2 == 0:
				return w.DialContext(ctx, network, addr)
			}
			return nil, &net.OpError{Op: "dial", Err: dns}
		}
		res, err := crawl.Run(t.Context(), cfg)
		if err != nil || len(n.pages) != 10 || dials.Load() != 20 || never.Load() < 10 || never.Load() > 14 {
			t.Errorf("%v: %d pages of 10 after %d dials, %d questions about a name that is never found", err, len(n.pages), dials.Load(), never.Load())
		}
		if got := res.Errors["dns"] + res.Skipped[gate.HostClosed]; got != 30 {
			t.Errorf("errors %v, skipped %v; want 30 together", res.Errors, res.Skipped)
		}
	})
}
