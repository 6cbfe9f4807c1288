package bigsite

import (
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Counts counts what one crawler after the other asks a Site for: by page, and whatever
// else it asks for together. It takes four bytes a page and an atomic addition a request.
type Counts struct {
	site   *Site
	pages  []atomic.Uint32 // by page: GET requests
	others atomic.Int64    // every other request

	mu          sync.Mutex
	first, last time.Time // of the requests for pages; guarded by mu
}

// Asked is what was asked for since the last Reset.
type Asked struct {
	Distinct   int           // different pages asked for by GET and answered with 200
	Duplicates int           // GET requests for pages beyond the first each
	Others     int           // other requests: HEAD, robots.txt, the style sheet, what is not there
	Took       time.Duration // from the first request for a page to the last
}

// NewCounts counts the requests to s.
func NewCounts(s *Site) *Counts { return &Counts{site: s, pages: make([]atomic.Uint32, s.Pages)} }

// ServeHTTP counts the request and hands it on.
func (c *Counts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if k, page, ok := c.site.locate(r); ok && k == tree && r.Method == http.MethodGet {
		c.pages[page].Add(1)
		c.stamp()
	} else {
		c.others.Add(1)
	}
	c.site.ServeHTTP(w, r)
}

func (c *Counts) stamp() {
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.first.IsZero() {
		c.first = now
	}
	if now.After(c.last) {
		c.last = now
	}
}

// Reset forgets everything. Requests under way may count before or after it.
func (c *Counts) Reset() {
	for i := range c.pages {
		c.pages[i].Store(0)
	}
	c.others.Store(0)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.first, c.last = time.Time{}, time.Time{}
}

// Asked adds up what was asked for since the last Reset.
func (c *Counts) Asked() Asked {
	a := Asked{Others: int(c.others.Load())}
	for i := range c.pages {
		if n := int(c.pages[i].Load()); n > 0 {
			a.Distinct++
			a.Duplicates += n - 1
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	a.Took = c.last.Sub(c.first)
	return a
}
