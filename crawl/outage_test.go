package crawl_test

import (
	"context"
	"fmt"
	"io"
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

// cutBody answers with a page that breaks off.
func cutBody(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/html")
	w.Header().Set("Content-Length", "1000")
	fmt.Fprint(w, "<p>half of a")
}

// sending answers with these bytes instead of HTTP, and hangs up.
func sending(answer string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		io.WriteString(conn, answer)
		conn.Close()
	}
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
		"headers end in mid-line": {from: 10 * s, to: 70 * s, answer: sending("HTTP/1.1 200 OK\r\nContent-Ty"), hosts: 10, pages: 60},
		"bodies are cut":          {from: 10 * s, to: 310 * s, answer: cutBody, hosts: 10, pages: 60},
		"a captive noise":         {from: 10 * s, to: 70 * s, answer: sending("SSH-2.0-x\r\n"), hosts: 10, pages: 60},
		"robots.txt 503":          {from: 0, to: 10 * s, robots: answering(503), hosts: 20, pages: 1},
		"no delay, two connections, refused": {from: 30 * time.Millisecond, to: 90 * s, dial: dialError(syscall.ECONNREFUSED), hosts: 20, pages: 60,
			change: func(c *crawl.Config) { c.Gate.Frontier.Delay, c.Gate.Frontier.PerHost = frontier.NoDelay, 2 }},
		"no delay, two connections, reset": {from: 30 * time.Millisecond, to: 60 * s, resets: true, hosts: 10, pages: 60,
			change: func(c *crawl.Config) { c.Gate.Frontier.Delay, c.Gate.Frontier.PerHost = frontier.NoDelay, 2 }},
	} {
		if testing.Short() && c.hosts > 10 {
			continue // like the others, but larger
		}
		t.Run(name, func(t *testing.T) {
			n, res := c.crawl(t)
			good := 0
			for _, p := range n.pages {
				if p.status == 200 && !p.truncated {
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

// Pages that never answer are not an outage, even if nothing else is left of their hosts: these
// answer for their robots.txt.
func TestLastPagesNeverAnswer(t *testing.T) {
	for name, bad := range map[string]page{"silent": {latency: time.Hour}, "reset": {fails: -1}} {
		for _, last := range []int{1, 30, -30} { // less than 0: patience ends before a request does
			patience := time.Duration(0)
			if last < 0 {
				last, patience = -last, 3*time.Second
			}
			t.Run(fmt.Sprint(name, last, patience), func(t *testing.T) {
				s, seeds := newSite(map[string]*page{}), []string(nil)
				for h := range 4 {
					host := fmt.Sprintf("h%d.example", h)
					seeds = append(seeds, many(s, host, 10)...)
					for i := range last {
						s.pages[fmt.Sprintf("%s/bad/%d", host, i)] = &bad
						seeds = append(seeds, fmt.Sprintf("http://%s/bad/%d", host, i))
					}
				}
				n, res := inBubble(t, s, func(c *crawl.Config) {
					c.Workers, c.Gate.Frontier = 64, frontier.Config{Delay: time.Second, Retries: 2, Patience: patience}
				}, seeds...)
				if res.EndedBy != crawl.Done || len(n.pages) != 40 || len(n.skips) != 4*last {
					t.Errorf("ended by %s after %v with %d pages of 40 and %d others of %d", res.EndedBy, res.Finished.Sub(res.Started), len(n.pages), len(n.skips), 4*last)
				}
			})
		}
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

// A name server or a handshake that takes seconds brings no two requests closer together than
// the delay, as the host sees them: robots.txt and its page, or two pages.
func TestSlowDialsKeepTheDelay(t *testing.T) {
	var asked []time.Time
	synctest.Test(t, func(t *testing.T) {
		serve := (&trouble{pages: 10}).host(func() bool { return false })
		w := memweb.New(map[string]http.Handler{"h.example": http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			asked = append(asked, time.Now())
			serve(rw, r)
		})})
		defer w.Close()
		cfg := config(t, w, &notes{}, "http://h.example/0")
		cfg.Gate.Frontier = frontier.Config{Delay: time.Second, Retries: 2}
		dials := 0
		cfg.Fetch.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			if dials++; dials%2 == 1 {
				<-time.After(3 * time.Second)
			}
			return w.DialContext(ctx, network, addr)
		}
		if _, err := crawl.Run(t.Context(), cfg); err != nil {
			t.Error(err)
		}
	})
	if len(asked) != 11 {
		t.Errorf("%d requests, want 11", len(asked))
	}
	checkGaps(t, asked, time.Second)
}

// checkGaps holds what a host saw against the delay.
func checkGaps(t *testing.T, asked []time.Time, delay time.Duration) {
	t.Helper()
	for i := 1; i < len(asked); i++ {
		if gap := asked[i].Sub(asked[i-1]); gap < delay {
			t.Errorf("request %d came %v after the one before", i, gap)
		}
	}
}

// Nor do redirects of robots.txt, retries, and connections that are closed, of which every second
// takes its time to be made.
func TestEveryRequestKeepsTheDelay(t *testing.T) {
	const delay, pages = 500 * time.Millisecond, 20
	var asked []time.Time
	failed := false
	synctest.Test(t, func(t *testing.T) {
		w := memweb.New(map[string]http.Handler{"h.example": http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			asked = append(asked, time.Now())
			time.Sleep(30 * time.Millisecond) // virtual
			if len(asked)%3 > 0 {
				rw.Header().Set("Connection", "close")
			}
			switch {
			case r.URL.Path == "/robots.txt":
				http.Redirect(rw, r, "/robots/1", http.StatusFound)
			case r.URL.Path == "/robots/1":
				http.Redirect(rw, r, "/robots/2", http.StatusMovedPermanently)
			case r.URL.Path == "/7" && !failed:
				failed = true
				rw.WriteHeader(http.StatusServiceUnavailable)
			default:
				rw.Header().Set("Content-Type", "text/html")
			}
		})})
		defer w.Close()
		var seeds []string
		for i := range pages {
			seeds = append(seeds, fmt.Sprintf("http://h.example/%d", i))
		}
		cfg := config(t, w, &notes{}, seeds...)
		cfg.Gate.Frontier = frontier.Config{Delay: delay, Retries: 2}
		dials := 0
		cfg.Fetch.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			if dials++; dials%2 == 0 {
				<-time.After(400 * time.Millisecond)
			}
			return w.DialContext(ctx, network, addr)
		}
		if _, err := crawl.Run(t.Context(), cfg); err != nil {
			t.Error(err)
		}
	})
	if want := pages + 4; len(asked) != want {
		t.Errorf("%d requests, want %d", len(asked), want)
	}
	checkGaps(t, asked, delay)
}
