// Package demosite is a small World Wide Web in one HTTP handler: eight hosts,
// some 650 pages, everything a crawler meets on a good and on a bad day. The
// demo crawls it, and tests compare a crawl with its Truth.
//
// All of it is generated from a seed, in a language coined for the purpose whose
// words are as unevenly frequent as those of a natural language (Zipf's law), so
// that the number of distinct words grows with the text as it does anywhere
// (Heaps' law) and a site that breaks the law stands out. The same seed gives
// the same web to the byte.
//
// Each host shows something else:
//
//   - docs.demo.example: a manual of three books with next, previous and up
//     links, relative references, anchors, a base element, a sitemap with one
//     page nobody links, and pages in other encodings and older HTML;
//   - mirror.demo.example: two of the books again, one to the byte, the other
//     with a word in a hundred changed, and no robots.txt;
//   - news.demo.example: articles and pages of an archive, the same article
//     under tracking parameters, nofollow and noindex;
//   - shop.demo.example: compressed answers, and lists in several orders;
//   - wiki.demo.example: pages full of links, redirects of every kind, among
//     them a chain, a loop and two that lead where a crawler must not go, dead
//     links, and a robots.txt that is itself redirected;
//   - spam.demo.example: long pages of very few words;
//   - calendar.demo.example: an endless calendar that robots.txt closes, and a
//     crawl delay of 0.1 seconds;
//   - flaky.demo.example: 429 and 503 that mean "later", a 500 that stays, a
//     slow page, a connection reset, a binary file named like a page.
//
// One seed URL leads to all of it. Everything is found by plain links, so a
// breadth-first walk that asks each URL once is all a crawler needs to be right.
//
// A Web is a handler: the server maps every host name to it, by name in the
// Host header or by the dialer of the client. Its content never changes, but it
// remembers who asked what (see Log), because "later" has to come some time.
package demosite

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The hosts. outsideHost is linked but belongs to nobody: whoever asks for it
// has left the scope.
const (
	docsHost     = "docs.demo.example"
	mirrorHost   = "mirror.demo.example"
	newsHost     = "news.demo.example"
	shopHost     = "shop.demo.example"
	wikiHost     = "wiki.demo.example"
	spamHost     = "spam.demo.example"
	calendarHost = "calendar.demo.example"
	flakyHost    = "flaky.demo.example"
	outsideHost  = "outside.example"
)

// MaxLog is the number of requests that a Web remembers; a crawler in its right
// mind makes under a thousand.
const MaxLog = 100_000

// Web is the whole generated web. It is safe for concurrent use.
type Web struct {
	seed     uint64
	words    *vocabulary
	sites    map[string]*site
	hosts    []string
	traps    []string   // URLs written where no link is
	unlinked []string   // pages in the sitemap only
	exact    [][]string // pages that are equal to the byte
	near     [][]string // pages that differ in a few words

	mu    sync.Mutex
	log   []Hit         // guarded by mu
	tries map[*page]int // guarded by mu; answers given by pages that refuse at first
}

// Hit is one request that a Web has answered.
type Hit struct {
	Host   string    // without port, lower-case
	Path   string    // with the query, as sent
	Time   time.Time // when the request came in
	Status int       // 0 for a connection reset
}

// New generates the web of a seed. It takes some tens of milliseconds.
func New(seed uint64) *Web {
	w := &Web{seed: seed, words: newVocabulary(), sites: map[string]*site{}, tries: map[*page]int{}}
	manual := w.docs()
	w.mirror(manual)
	w.news()
	w.shop()
	w.wiki()
	w.spam()
	w.calendar()
	w.flaky()
	return w
}

// Seeds returns the URLs to start from. Everything can be reached from them.
func (w *Web) Seeds() []string { return []string{"http://" + docsHost + "/"} }

// Hosts returns the names of the hosts, which together are the scope.
func (w *Web) Hosts() []string { return append([]string(nil), w.hosts...) }

// Log returns the requests so far, in the order in which they were taken up, the first
// MaxLog of them.
func (w *Web) Log() []Hit {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]Hit(nil), w.log...)
}

// Reset forgets the log, so that the pages that refuse at first refuse again.
func (w *Web) Reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = nil
	clear(w.tries)
}

// ServeHTTP answers a request for any of the hosts by its Host header, whose
// port does not matter. Other hosts get 421.
func (w *Web) ServeHTTP(rw http.ResponseWriter, req *http.Request) {
	now := time.Now()
	host := hostname(req.Host)
	p := w.page(host, req)
	status := w.record(p, Hit{Host: host, Path: req.URL.RequestURI(), Time: now})
	if !pause(req, p.delay) {
		return
	}
	switch {
	case status == 0:
		reset(rw)
	case status != p.status:
		refuse(rw, status)
	default:
		w.write(rw, req, p)
	}
}

// page finds what a request asks for.
func (w *Web) page(host string, req *http.Request) *page {
	s := w.sites[host]
	switch {
	case s == nil:
		return plain(http.StatusMisdirectedRequest)
	case req.Method != http.MethodGet && req.Method != http.MethodHead:
		return plain(http.StatusMethodNotAllowed)
	case req.URL.Path == "/robots.txt":
		return s.robots.page()
	}
	return s.find(strings.TrimSuffix(req.URL.RequestURI(), "?"))
}

// record determines the status of an answer and logs it.
func (w *Web) record(p *page, h Hit) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	h.Status = p.status
	if len(p.refusals) > 0 {
		if n := w.tries[p]; n < len(p.refusals) {
			h.Status = p.refusals[n]
			w.tries[p]++
		}
	}
	if len(w.log) < MaxLog {
		w.log = append(w.log, h)
	}
	return h.Status
}

// write sends a page.
func (w *Web) write(rw http.ResponseWriter, req *http.Request, p *page) {
	body := p.body
	for name, values := range p.header {
		rw.Header()[name] = values
	}
	if p.zipped != nil {
		rw.Header().Set("Vary", "Accept-Encoding")
		if strings.Contains(req.Header.Get("Accept-Encoding"), "gzip") {
			rw.Header().Set("Content-Encoding", "gzip")
			body = p.zipped
		}
	}
	if !p.chunked {
		rw.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	rw.WriteHeader(p.status)
	rw.Write(body) // whoever has hung up needs no answer
}

// plain is an answer outside any site.
func plain(status int) *page {
	return &page{
		status: status, body: []byte(http.StatusText(status) + "\n"),
		header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}},
	}
}

// refuse says "later": the second that a polite client then waits is long
// enough to see and short enough for a demo.
func refuse(rw http.ResponseWriter, status int) {
	rw.Header().Set("Retry-After", "1")
	http.Error(rw, http.StatusText(status), status)
}

// pause lets time pass and reports whether the client is still there.
func pause(req *http.Request, d time.Duration) bool {
	if d == 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-req.Context().Done():
		return false
	}
}

// reset ends the connection without an answer: by RST over TCP.
func reset(rw http.ResponseWriter) {
	h, ok := rw.(http.Hijacker)
	if !ok {
		panic(http.ErrAbortHandler)
	}
	conn, _, err := h.Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(interface{ SetLinger(sec int) error }); ok {
		tcp.SetLinger(0) // if it fails, the client sees an end instead of a reset
	}
	conn.Close()
}

// hostname is a Host header without its port.
func hostname(hostport string) string {
	if i := strings.LastIndexByte(hostport, ':'); i >= 0 && !strings.HasSuffix(hostport, "]") {
		hostport = hostport[:i]
	}
	return strings.ToLower(hostport)
}
