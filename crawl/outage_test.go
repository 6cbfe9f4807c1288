package crawl_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"crawler/crawl"
	"crawler/frontier"
	"crawler/internal/memweb"
)

// trouble is what happens between two moments of a crawl: a dial fails, or an answer is
// another one.
type trouble struct {
	from, to time.Duration
	dial     func(addr string) error     // nil: dials succeed
	silent   bool                        // a dial takes all the time it may
	answer   func(w http.ResponseWriter) // nil: answers are as ever
	robots   func(w http.ResponseWriter) // of robots.txt alone
	resets   bool                        // connections are cut
	change   func(c *crawl.Config)       // nil: default flags
	hosts    int
	pages    int
}

func dialError(err error) func(string) error {
	return func(string) error { return &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", err)} }
}

func dnsError(e net.DNSError) func(string) error {
	return func(addr string) error {
		failed := e
		failed.Name = addr
		return &net.OpError{Op: "dial", Err: &failed}
	}
}

func answering(status int) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) { w.WriteHeader(status) }
}

// Nothing that passes costs a page: with the flags' defaults, whatever happens to all hosts at
// once, all of them are crawled to their end.
func TestOrdinaryDays(t *testing.T) {
	const s = time.Second
	for name, c := range map[string]trouble{
		"connections are refused for five minutes": {from: 20 * s, to: 320 * s, dial: dialError(syscall.ECONNREFUSED), hosts: 20, pages: 60},
		"the network is unreachable":               {from: 10 * s, to: 310 * s, dial: dialError(syscall.ENETUNREACH), hosts: 100, pages: 30},
		"and from the start":                       {from: 0, to: 300 * s, dial: dialError(syscall.ENETUNREACH), hosts: 100, pages: 5},
		"NXDOMAIN":                                 {from: 10 * s, to: 40 * s, dial: dnsError(net.DNSError{Err: "no such host", IsNotFound: true}), hosts: 20, pages: 40},
		"SERVFAIL":                                 {from: 10 * s, to: 70 * s, dial: dnsError(net.DNSError{Err: "server misbehaving", IsTemporary: true}), hosts: 20, pages: 40},
		"REFUSED":                                  {from: 10 * s, to: 310 * s, dial: dnsError(net.DNSError{Err: "server misbehaving"}), hosts: 20, pages: 40},
		"a silent resolver":                        {from: 10 * s, to: 70 * s, silent: true, hosts: 20, pages: 40},
		"502 from all":                             {from: 10 * s, to: 70 * s, answer: answering(502), hosts: 10, pages: 100},
		"500 from all": {from: 5 * s, to: 15 * s, answer: answering(500), hosts: 1, pages: 289,
			change: func(c *crawl.Config) { c.Gate.Frontier.Delay = 100 * time.Millisecond }},
		"robots.txt 503": {from: 0, to: 10 * s, robots: answering(503), hosts: 20, pages: 1},
		"no delay, two connections, refused": {from: 30 * time.Millisecond, to: 90 * s, dial: dialError(syscall.ECONNREFUSED), hosts: 20, pages: 60,
			change: func(c *crawl.Config) { c.Gate.Frontier.Delay, c.Gate.Frontier.PerHost = frontier.NoDelay, 2 }},
		"no delay, two connections, reset": {from: 30 * time.Millisecond, to: 60 * s, resets: true, hosts: 10, pages: 60,
			change: func(c *crawl.Config) { c.Gate.Frontier.Delay, c.Gate.Frontier.PerHost = frontier.NoDelay, 2 }},
	} {
		t.Run(name, func(t *testing.T) {
			n, res := c.crawl(t)
			good := 0
			for _, p := range n.pages {
				if p.status == 200 {
					good++
				}
			}
			if good != c.hosts*c.pages || len(n.skips) > 0 || res.EndedBy != crawl.Done {
				t.Errorf("%d pages of %d, %d others, ended by %s; skipped %v, errors %v", good, c.hosts*c.pages, len(n.pages)-good, res.EndedBy, res.Skipped, res.Errors)
			}
			if took := res.Finished.Sub(res.Started); took > 2*c.to+time.Duration(c.pages)*2*s+5*time.Minute {
				t.Errorf("took %v", took)
			}
		})
	}
}

// crawl crawls hosts of linked pages in virtual time, through the trouble.
func (c *trouble) crawl(t *testing.T) (*notes, crawl.Result) {
	t.Helper()
	n := &notes{}
	var res crawl.Result
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		now := func() bool { d := time.Since(began); return d >= c.from && d < c.to }
		handlers, seeds := map[string]http.Handler{}, []string(nil)
		for h := range c.hosts {
			host := fmt.Sprintf("h%d.example", h)
			handlers[host] = c.host(now)
			seeds = append(seeds, "http://"+host+"/0")
		}
		w := memweb.New(handlers)
		defer w.Close()
		cfg := config(t, w, n, seeds...)
		cfg.Workers, cfg.Gate.Frontier = 64, frontier.Config{Delay: time.Second, Retries: 2}
		if c.change != nil {
			c.change(&cfg)
		}
		cfg.Fetch.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			switch {
			case now() && c.silent:
				<-ctx.Done()
				return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "i/o timeout", Name: addr, IsTimeout: true}}
			case now() && c.dial != nil:
				return nil, c.dial(addr)
			}
			return w.DialContext(ctx, network, addr)
		}
		var err error
		if res, err = crawl.Run(t.Context(), cfg); err != nil {
			t.Error(err)
		}
	})
	return n, res
}

// host is one host: its first page links to all others.
func (c *trouble) host(now func() bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		robots := strings.HasSuffix(r.URL.Path, "/robots.txt")
		w.Header().Set("Connection", "close")
		switch {
		case now() && c.resets:
			panic(http.ErrAbortHandler)
		case now() && c.answer != nil:
			c.answer(w)
			return
		case now() && robots && c.robots != nil:
			c.robots(w)
			return
		case robots:
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/0" {
			for p := 1; p < c.pages; p++ {
				fmt.Fprintf(w, "<a href=/%d>page</a>\n", p)
			}
		}
	}
}

// A network that does not come back stops the crawl, and nothing is given up.
func TestOutageStopsTheCrawl(t *testing.T) {
	c := trouble{from: 10 * time.Second, to: 100 * time.Hour, dial: dialError(syscall.ENETUNREACH), hosts: 20, pages: 60}
	n, res := c.crawl(t)
	took := res.Finished.Sub(res.Started)
	if res.EndedBy != crawl.ByOutage || len(n.skips) > 0 || len(n.pages)+res.Left() != 20*60 || took < frontier.DefaultPatience || took > frontier.DefaultPatience+time.Minute {
		t.Errorf("ended by %s after %v with %d pages and %d left, skips %v", res.EndedBy, took, len(n.pages), res.Left(), n.skips)
	}
}

// Dead hosts end a crawl as soon as they did before: three attempts in three seconds.
func TestDeadHostsAmongLiving(t *testing.T) {
	n := &notes{}
	synctest.Test(t, func(t *testing.T) {
		c := trouble{hosts: 10, pages: 20}
		handlers, seeds := map[string]http.Handler{}, []string(nil)
		for h := range c.hosts {
			handlers[fmt.Sprintf("h%d.example", h)] = c.host(func() bool { return false })
			seeds = append(seeds, fmt.Sprintf("http://h%d.example/0", h))
		}
		for d := range 300 {
			seeds = append(seeds, fmt.Sprintf("http://dead%d.example/", d))
		}
		w := memweb.New(handlers)
		defer w.Close()
		cfg := config(t, w, n, seeds...)
		cfg.Workers, cfg.Gate.Frontier = 64, frontier.Config{Delay: time.Second, Retries: 2}
		cfg.Fetch.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			if strings.HasPrefix(addr, "dead") {
				return nil, dialError(syscall.ECONNREFUSED)(addr)
			}
			return w.DialContext(ctx, network, addr)
		}
		res, err := crawl.Run(t.Context(), cfg)
		if took := res.Finished.Sub(res.Started); err != nil || len(n.pages) != 200 || res.Errors["connect"] != 300 || took > 40*time.Second {
			t.Errorf("%v: %d pages, errors %v, after %v", err, len(n.pages), res.Errors, took)
		}
	})
}
