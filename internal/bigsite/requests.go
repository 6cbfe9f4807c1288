package bigsite

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Requests counts what several runs of one crawl ask a Site for. A run says which one
// it is at the end of its User-Agent: "name/7". It holds four bytes for every possible
// URL of the site, which makes 24 bytes a page; robots.txt is not counted.
type Requests struct {
	site *Site

	mu       sync.Mutex
	last     []int32               // by URL: the run that asked last, plus 1, or 0; guarded by mu
	again    map[int]int           // by run: its pages that a later run asked for; guarded by mu
	twice    []string              // the first paths that one run asked for twice; guarded by mu
	distinct int                   // URLs asked for; guarded by mu
	latest   time.Time             // of the last request for a new one; guarded by mu
	alarms   map[int]chan struct{} // by the value of distinct that closes them; guarded by mu
}

// maxTwice bounds Requests.twice.
const maxTwice = 20

// NewRequests counts the requests to s.
func NewRequests(s *Site) *Requests {
	return &Requests{site: s, last: make([]int32, int(kinds)*s.Pages), again: map[int]int{}, alarms: map[int]chan struct{}{}}
}

// ServeHTTP counts the request and hands it on. A User-Agent without a number is
// refused with 400.
func (q *Requests) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	agent := r.UserAgent()
	run, err := strconv.ParseInt(agent[strings.LastIndexByte(agent, '/')+1:], 10, 31)
	if err != nil || run < 0 {
		http.Error(w, "bigsite: the User-Agent must end in /RUN, the run's number", http.StatusBadRequest)
		return
	}
	if k, page, ok := q.site.locate(r); ok {
		q.count(int32(run), k, page, r.URL.Path)
	}
	q.site.ServeHTTP(w, r)
}

func (q *Requests) count(run int32, k kind, page int, path string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	url := int(k)*q.site.Pages + page
	before := q.last[url]
	q.last[url] = run + 1
	switch {
	case before == 0:
		q.distinct++
		q.latest = time.Now()
		if c, ok := q.alarms[q.distinct]; ok {
			close(c)
			delete(q.alarms, q.distinct)
		}
	case before == run+1:
		if len(q.twice) < maxTwice {
			q.twice = append(q.twice, path)
		}
	case k == tree || k == gone: // what a crawl records as a page
		q.again[int(before-1)]++
	}
}

// Reached returns a channel that is closed once n different URLs were asked for.
func (q *Requests) Reached(n int) <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	if n <= q.distinct {
		c := make(chan struct{})
		close(c)
		return c
	}
	c, ok := q.alarms[n]
	if !ok {
		c = make(chan struct{})
		q.alarms[n] = c
	}
	return c
}

// Distinct returns the number of different URLs that were asked for.
func (q *Requests) Distinct() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.distinct
}

// Latest returns when a URL was asked for that had not been before, the last time.
func (q *Requests) Latest() time.Time {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.latest
}

// Again returns how many pages, redirects not among them, the run asked for in vain: a
// later run asked once more. A page that a third run asks for counts for the second.
func (q *Requests) Again(run int) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.again[run]
}

// Twice returns the first few paths that were asked for twice within one run.
func (q *Requests) Twice() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return append([]string(nil), q.twice...)
}
