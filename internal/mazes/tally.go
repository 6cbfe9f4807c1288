package mazes

import (
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Tally is a Site that counts which of its pages were asked for. It serves all of the
// site's hosts, without robots.txt. Goroutines may share it; it grows by two entries a request.
type Tally struct {
	*Site

	mu      sync.Mutex
	honest  map[string]bool // by host, path and query; guarded by mu
	content map[string]bool // of honest pages; guarded by mu
	traps   int             // guarded by mu
	asked   []Request       // guarded by mu
}

// Request is what was asked for, and what it was worth when it was.
type Request struct {
	Honest bool   // a page that was not asked for before, nor any copy of it
	Trap   bool   // a trap page; neither is what there is not, and a page again
	Space  string // of a trap page: the trap that it belongs to, the site's name if it has one only
}

// NewTally returns a Tally of s, of which nothing was asked for yet.
func NewTally(s *Site) *Tally {
	return &Tally{Site: s, honest: map[string]bool{}, content: map[string]bool{}}
}

// Get answers as the Site does, and counts the page: as a trap page if it is without worth,
// or a copy of one that was asked for before.
func (t *Tally) Get(host, uri string) Answer {
	a := t.Site.Get(host, uri)
	t.mu.Lock()
	defer t.mu.Unlock()
	q := Request{Space: a.Space}
	switch {
	case t.honest[host+uri]: // again
	case a.Trap || a.Content != "" && t.content[a.Content]:
		t.traps++
		q.Trap = true
		if q.Space == "" {
			q.Space = t.Name
		}
	case a.Status == http.StatusOK:
		q = Request{Honest: true}
		t.honest[host+uri] = true
		t.content[a.Content] = true
	}
	t.asked = append(t.asked, q)
	return a
}

// Requests returns all requests in their order, robots.txt left out.
func (t *Tally) Requests() []Request {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.asked)
}

// HonestAmong counts the honest pages among the first n requests.
func (t *Tally) HonestAmong(n int) (honest int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, q := range t.asked[:min(n, len(t.asked))] {
		if q.Honest {
			honest++
		}
	}
	return honest
}

// BySpace counts the trap pages of each trap.
func (t *Tally) BySpace() map[string]int {
	t.mu.Lock()
	defer t.mu.Unlock()
	traps := map[string]int{}
	for _, q := range t.asked {
		if q.Trap {
			traps[q.Space]++
		}
	}
	return traps
}

func (t *Tally) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" {
		http.NotFound(w, r)
		return
	}
	a := t.Get(r.Host, r.URL.RequestURI())
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(a.Status)
	w.Write(a.Body)
}

// Traps returns how many trap pages were asked for.
func (t *Tally) Traps() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.traps
}

// Honest returns how many honest pages were asked for.
func (t *Tally) Honest() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.honest)
}

// Missing lists the honest pages of all, another Tally of the same site, of which neither the
// page nor a copy was asked for here.
func (t *Tally) Missing(all *Tally) (addresses []string) {
	all.mu.Lock()
	defer all.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	for address := range all.honest {
		slash := strings.IndexByte(address, '/')
		copied := t.Site.Get(address[:slash], address[slash:]).Content
		if !t.honest[address] && (copied == "" || !t.content[copied]) {
			addresses = append(addresses, address)
		}
	}
	return addresses
}
