package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// clusterWeb is a web of many hosts whose pages link to each other across hosts, on one loopback
// address. It notes when each request came, by its own clock, and from which node. What a crawl
// of it finds does not depend on the order in which it does: no page is named both by a link and
// by a redirect, except those that are seeds.
type clusterWeb struct {
	hosts, pages int
	big          bool // every second host is one of a domain's
	port         string

	mu    sync.Mutex
	log   *arrivals   // guarded by mu
	waits []threshold // guarded by mu
}

// arrivals are the requests of one crawl.
type arrivals struct {
	times map[string][]visited // by host
	asked map[string]int       // by URL, robots.txt apart
	sent  map[string]int       // by node, robots.txt apart
}

func newArrivals() *arrivals {
	return &arrivals{times: map[string][]visited{}, asked: map[string]int{}, sent: map[string]int{}}
}

// has is how far a threshold has come.
func (a *arrivals) has(t threshold) int {
	if t.node == "" {
		return len(a.asked)
	}
	return a.sent[t.node]
}

// visited is one request to a host.
type visited struct {
	at   time.Time
	node string // that sent it
}

// threshold is closed when so many URLs were asked for, or one node has sent so many requests.
type threshold struct {
	node    string // empty: all of them
	n       int
	reached chan struct{}
}

// nodeHeader is the header by which the requests of a node are known.
const nodeHeader = "X-Node"

func newClusterWeb(t *testing.T, hosts, pages int) *clusterWeb {
	t.Helper()
	w := &clusterWeb{hosts: hosts, pages: pages}
	w.begin()
	s := httptest.NewUnstartedServer(w)
	s.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return context.WithValue(ctx, connKey{}, c)
	}
	var err error
	if s.Listener, err = stamped(s.Listener); err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(s.Close)
	if _, w.port, err = net.SplitHostPort(s.Listener.Addr().String()); err != nil {
		t.Fatal(err)
	}
	return w
}

// begin forgets all requests so far.
func (w *clusterWeb) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = newArrivals()
	w.waits = nil
}

// taken returns the requests since begin.
func (w *clusterWeb) taken() *arrivals {
	w.mu.Lock()
	defer w.mu.Unlock()
	l := w.log
	w.log = newArrivals()
	return l
}

// reached returns a channel that is closed once n URLs were asked for, and sent one that is when a
// node has asked for n.
func (w *clusterWeb) reached(n int) <-chan struct{} { return w.passed("", n) }

func (w *clusterWeb) sent(node string, n int) <-chan struct{} { return w.passed(node, n) }

func (w *clusterWeb) passed(node string, n int) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := threshold{node, n, make(chan struct{})}
	if w.log.has(t) >= n {
		close(t.reached)
	} else {
		w.waits = append(w.waits, t)
	}
	return t.reached
}

func (w *clusterWeb) note(r *http.Request) {
	now := arrived(r)
	w.mu.Lock()
	defer w.mu.Unlock()
	node := r.Header.Get(nodeHeader)
	w.log.times[r.Host] = append(w.log.times[r.Host], visited{now, node})
	if r.URL.Path == "/robots.txt" {
		return
	}
	w.log.asked[r.Host+r.URL.Path]++
	w.log.sent[node]++
	w.waits = slices.DeleteFunc(w.waits, func(t threshold) bool {
		if w.log.has(t) < t.n {
			return false
		}
		close(t.reached)
		return true
	})
}

func (w *clusterWeb) host(i int) string {
	if i %= w.hosts; w.big && i%2 == 0 {
		return fmt.Sprintf("h%03d.big.test:%s", i, w.port)
	}
	return fmt.Sprintf("h%03d.test:%s", i, w.port)
}

// url is the address of a page, in one of the ways that there are.
func (w *clusterWeb) url(kind string, i int) string {
	if kind == "p" && i < w.hosts {
		return fmt.Sprintf("http://%s/", w.host(i))
	}
	at := 7*i + 1
	if kind != "p" { // they are those of every tenth page and so on
		at = i/5*11 + 3
	}
	return fmt.Sprintf("http://%s/%s%d", w.host(at), kind, i)
}

// seeds are the first pages of all hosts.
func (w *clusterWeb) seeds() (list []string) {
	for i := range w.hosts {
		list = append(list, w.url("p", i))
	}
	return list
}

// ServeHTTP answers with pages (p), redirects to pages that nothing else names (r, to m) and to
// seeds (s), loops (l), pages that are gone (g) and that robots.txt forbids (x).
func (w *clusterWeb) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.note(r)
	path := strings.TrimPrefix(r.URL.Path, "/")
	if path == "robots.txt" {
		fmt.Fprint(rw, "User-agent: *\nDisallow: /x\n")
		return
	}
	kind, n := "p", 0
	if path == "" {
		fmt.Sscanf(r.Host, "h%d", &n)
	} else {
		var err error
		if kind = path[:1]; true {
			n, err = strconv.Atoi(path[1:])
		}
		if err != nil || w.url(kind, n) != "http://"+r.Host+r.URL.Path {
			http.NotFound(rw, r)
			return
		}
	}
	switch kind {
	case "p", "m":
		rw.Header().Set("Content-Type", "text/html")
		w.page(rw, kind, n)
	case "r":
		http.Redirect(rw, r, w.url("m", n), http.StatusFound)
	case "s":
		http.Redirect(rw, r, w.url("p", n%w.hosts), http.StatusMovedPermanently)
	case "l":
		http.Redirect(rw, r, w.url("l", n), http.StatusFound)
	default:
		http.NotFound(rw, r)
	}
}

func (w *clusterWeb) page(rw http.ResponseWriter, kind string, n int) {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(len(kind)+int(kind[0]))))
	link := func(kind string, i int) { fmt.Fprintf(rw, "<a href='%s'>%s</a> ", w.url(kind, i), kind) }
	fmt.Fprintf(rw, "<title>%s %d</title>", kind, n)
	if kind == "p" {
		for i := 4*n + 1; i <= 4*n+4 && i < w.pages; i++ {
			link("p", i)
		}
		for range 4 {
			link("p", rng.IntN(w.pages))
		}
		for kind, each := range map[string]int{"r": 10, "s": 15, "g": 20, "x": 25, "l": 100} {
			if n%each == 0 {
				link(kind, n)
			}
		}
		if n%50 == 0 {
			fmt.Fprintf(rw, "<a href='http://outside%d.test/'>out</a> ", n)
		}
	}
	for range 60 {
		fmt.Fprintf(rw, "word%d ", rng.IntN(5000))
	}
}

// twice returns how many URLs were asked for more than once, loops apart, which are followed.
func (a *arrivals) twice() (n int, examples []string) {
	for url, times := range a.asked {
		if times > 1 {
			n += times - 1
			examples = append(examples, url)
		}
	}
	slices.Sort(examples)
	return n, examples[:min(3, len(examples))]
}

// gaps returns how many requests came to their host sooner than the delay after the one before,
// the shortest time between two, and between which. slack is how late a request may be noted:
// the machine is busy.
func (a *arrivals) gaps(delay, slack time.Duration) (short int, least time.Duration, example string) {
	least = time.Hour
	for host, times := range a.times {
		for i := 1; i < len(times); i++ {
			gap := times[i].at.Sub(times[i-1].at)
			if gap < least {
				least, example = gap, fmt.Sprintf("%s, request %d of node %q at %v after %q", host, i+1, times[i].node, times[i].at, times[i-1].node)
			}
			if gap < delay-slack {
				short++
			}
		}
	}
	return short, least, example
}

// goOn returns after how long the first and the last of the hosts of a dead node were asked again
// by another: of those whose last request before that moment it had sent. One that was never
// asked again had nothing left.
func (a *arrivals) goOn(dead map[string]bool, died time.Time) (first, last time.Duration, hosts int) {
	first = time.Hour
	for _, times := range a.times {
		i := slices.IndexFunc(times, func(v visited) bool { return v.at.After(died) && !dead[v.node] })
		if i < 1 || !dead[times[i-1].node] {
			continue
		}
		d := times[i].at.Sub(died)
		first, last = min(first, d), max(last, d)
		hosts++
	}
	if hosts == 0 {
		first = 0
	}
	return first, last, hosts
}
