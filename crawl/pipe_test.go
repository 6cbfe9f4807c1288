package crawl_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"crawler/crawl"
	"crawler/dedup"
	"crawler/frontier"
	"crawler/gate"
)

// TestPipeIsFull crawls many hosts in virtual time, where the engine itself takes none:
// what is missing of the rate that politeness and connections allow was lost by waiting
// for the wrong thing. Starts are counted, since the delay counts from start to start.
func TestPipeIsFull(t *testing.T) {
	const delay, latency = 100 * time.Millisecond, 20 * time.Millisecond
	steady := func(string, int) time.Duration { return latency }
	uneven := func(host string, page int) time.Duration { // 5 to 35 ms, 20 on average
		return time.Duration(5+(7*int(host[1])+11*int(host[2])+5*int(host[3])+13*page)%31) * time.Millisecond
	}
	for name, c := range map[string]struct {
		latency func(host string, page int) time.Duration
		load
	}{
		"politeness limits":                 {steady, load{hosts: 1000, pages: 10, conns: 256}},
		"politeness limits, uneven answers": {uneven, load{hosts: 200, pages: 15, conns: 51}},
		"connections limit":                 {steady, load{hosts: 200, pages: 15, conns: 26}},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && c.hosts > 200 {
				t.Skip("TestManyHostsKeepThePipeFull is the same, smaller")
			}
			c.delay, c.mean = delay, latency
			synctest.Test(t, func(t *testing.T) {
				p := newPipe(c.load, c.latency)
				cfg := p.config("80")
				cfg.Fetch.DialContext = p.dial
				res, err := crawl.Run(t.Context(), cfg)
				if err != nil || res.Fetched != c.hosts*c.pages {
					t.Fatalf("%d pages fetched of %d: %v", res.Fetched, c.hosts*c.pages, err)
				}
				f := p.flow()
				t.Log(f)
				if f.share() < pipeGoal || f.wholeShare() < pipeGoal {
					t.Errorf("the pipe is not full: the goal is %.0f %%", 100*pipeGoal)
				}
				if f.closest < delay {
					t.Errorf("a host was asked again after %s, politeness wants %s", f.closest, delay)
				}
			})
		})
	}
}

// pipeGoal is the least share of the allowed rate.
const pipeGoal = 0.95

// load is what a crawl of a pipe has to do.
type load struct {
	hosts, pages int           // pages a host, "/" included
	conns        int           // requests at a time
	delay        time.Duration // between the starts of two requests to one host
	mean         time.Duration // latency, on average
}

// allowed is how many requests may start in a second: each host's once a delay, each
// connection's once a latency.
func (l load) allowed() float64 {
	return min(float64(l.hosts)/l.delay.Seconds(), float64(l.conns)/l.mean.Seconds())
}

// shortest is the least time from the first start to the last. Each host is asked for
// robots.txt and its pages, a delay apart, and the last host has to wait for its first
// connection; and no connection carries two requests at a time.
func (l load) shortest() time.Duration {
	last := time.Duration((l.hosts-1)/l.conns) * l.mean
	all := time.Duration((l.hosts*(l.pages+1)-1)/l.conns) * l.mean
	return max(last+time.Duration(l.pages)*l.delay, all)
}

// pipe is a web of hosts of equally many small pages, whose answers come late. It notes
// when it is asked.
type pipe struct {
	load
	latency func(host string, page int) time.Duration

	mu      sync.Mutex
	began   time.Time            // guarded by mu, and so is all below
	starts  []time.Duration      // of the pages since then, robots.txt aside
	last    map[string]time.Time // by host
	closest time.Duration        // two requests to one host
}

func newPipe(l load, latency func(string, int) time.Duration) *pipe {
	return &pipe{load: l, latency: latency, last: map[string]time.Time{}, closest: time.Hour}
}

// config is a crawl of the hosts h000.example, h001.example and so on.
func (l load) config(port string) crawl.Config {
	cfg := crawl.Config{Workers: l.conns, Gate: gate.Config{Dedup: dedup.Config{ExpectURLs: l.hosts * l.pages, Seed: 1}}}
	for i := range l.hosts {
		cfg.Seeds = append(cfg.Seeds, fmt.Sprintf("http://h%03d.example:%s/", i, port))
	}
	cfg.Gate.Frontier = frontier.Config{Delay: l.delay}
	cfg.Fetch.UserAgent = "crawler/test"
	cfg.Fetch.MaxConns = l.hosts // or nearly every page needs a new connection
	return cfg
}

// answer notes a request and returns the answer and how late it is to be sent.
func (p *pipe) answer(request []byte) (answer []byte, latency time.Duration) {
	target, rest, _ := bytes.Cut(request[len("GET "):], []byte(" "))
	_, rest, _ = bytes.Cut(rest, []byte("Host: "))
	host, _, _ := bytes.Cut(rest, []byte("\r\n"))
	n, isPage := 0, true
	if len(target) > 1 {
		var err error
		n, err = strconv.Atoi(string(target[1:]))
		isPage = err == nil
	}
	p.note(string(host), isPage)
	if !isPage {
		return []byte("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"), p.latency(string(host), 0)
	}
	body := []byte("<title>A page</title><p>With a few words and its links.")
	for next := n + 1; next < min(n+6, p.pages); next++ {
		body = fmt.Appendf(body, "<a href=/%d>next</a>\n", next)
	}
	head := fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n", len(body))
	return append(head, body...), p.latency(string(host), n)
}

func (p *pipe) note(host string, isPage bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.began.IsZero() {
		p.began = now
	}
	if last, ok := p.last[host]; ok {
		p.closest = min(p.closest, now.Sub(last))
	}
	p.last[host] = now
	if isPage {
		p.starts = append(p.starts, now.Sub(p.began))
	}
}

// flow is what went through the pipe.
type flow struct {
	load
	count   int           // pages
	steady  float64       // starts of pages a second, without the ends
	whole   time.Duration // from the first start, of a robots.txt, to the last page's
	closest time.Duration // two requests to one host
}

// flow sums up. The steady rate is that of as many whole delays as fit between the
// first tenth of the pages and the last: in a whole number of them no host may be asked
// more often than the rate allows, so waves do not flatter it.
func (p *pipe) flow() flow {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.starts)
	f := flow{load: p.load, count: n, closest: p.closest}
	if n < 10 {
		return f
	}
	f.whole = p.starts[n-1]
	from := p.starts[n/10]
	window := (p.starts[n-n/10-1] - from) / p.delay * p.delay
	at := func(d time.Duration) int { i, _ := slices.BinarySearch(p.starts, d); return i }
	f.steady = float64(at(from+window)-at(from)) / window.Seconds()
	return f
}

func (f flow) share() float64      { return f.steady / f.allowed() }
func (f flow) wholeShare() float64 { return f.shortest().Seconds() / f.whole.Seconds() }

func (f flow) String() string {
	return fmt.Sprintf("%d hosts, %d pages: %.0f pages/s of %.0f allowed (%.1f %%); first start to last %s, %s at best (%.1f %%)",
		f.hosts, f.count, f.steady, f.allowed(), 100*f.share(), f.whole.Round(time.Millisecond), f.shortest(), 100*f.wholeShare())
}

// dial connects to the pipe without a network.
func (p *pipe) dial(context.Context, string, string) (net.Conn, error) {
	return newPipeConn(p.answer), nil
}

// pipeConn is the client's end of a connection without a network or a server. What it
// does not override is never called.
type pipeConn struct {
	net.Conn
	answer  func(request []byte) (answer []byte, latency time.Duration)
	answers chan []byte // one at most: requests are not pipelined
	rest    []byte      // of the present answer; owned by the reader
	once    sync.Once
	closed  chan struct{}

	mu    sync.Mutex
	until time.Time     // guarded by mu; reads fail from then on
	moved chan struct{} // guarded by mu; closed when until changes
}

func newPipeConn(answer func([]byte) ([]byte, time.Duration)) *pipeConn {
	return &pipeConn{answer: answer, answers: make(chan []byte, 1), closed: make(chan struct{}), moved: make(chan struct{})}
}

// Write takes a whole request.
func (c *pipeConn) Write(request []byte) (int, error) {
	answer, latency := c.answer(request)
	if latency == 0 {
		c.answers <- answer
	} else {
		time.AfterFunc(latency, func() { c.answers <- answer })
	}
	return len(request), nil
}

func (c *pipeConn) SetDeadline(t time.Time) error { return c.SetReadDeadline(t) }

func (c *pipeConn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.until = t
	close(c.moved)
	c.moved = make(chan struct{})
	return nil
}

// Read waits for the answer.
func (c *pipeConn) Read(buf []byte) (int, error) {
	for len(c.rest) == 0 {
		c.mu.Lock()
		until, moved := c.until, c.moved
		c.mu.Unlock()
		late := time.NewTimer(time.Until(until))
		select {
		case c.rest = <-c.answers:
		case <-c.closed:
			late.Stop()
			return 0, io.EOF
		case <-late.C:
			return 0, os.ErrDeadlineExceeded
		case <-moved:
		}
		late.Stop()
	}
	n := copy(buf, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// Close ends a Read that waits.
func (c *pipeConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}
