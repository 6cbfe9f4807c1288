package main

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"crawler/internal/bigsite"
)

// siteRequests counts what several runs of one crawl ask a Site on one host for. A run says
// which one it is at the end of its User-Agent: "name/7". What the site does not have and
// robots.txt are not counted.
type siteRequests struct {
	site *bigsite.Site

	// Guarded by mu:
	mu       sync.Mutex
	last     map[string]int        // by path: the run that asked for it last
	again    map[int]int           // by run: pages that a later run asked for once more
	twice    []string              // the first few paths that one run asked for twice
	distinct int                   // URLs asked for
	latest   time.Time             // of the last request for one not asked for before
	alarms   map[int]chan struct{} // by the value of distinct that closes them
}

// maxTwice bounds siteRequests.twice.
const maxTwice = 20

func newSiteRequests(s *bigsite.Site) *siteRequests {
	return &siteRequests{site: s, last: map[string]int{}, again: map[int]int{}, alarms: map[int]chan struct{}{}}
}

// ServeHTTP counts the request and hands it on. A User-Agent without a number is
// refused with 400.
func (q *siteRequests) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	agent := r.UserAgent()
	run, err := strconv.ParseInt(agent[strings.LastIndexByte(agent, '/')+1:], 10, 31)
	if err != nil || run < 0 {
		http.Error(w, "the User-Agent must end in /RUN, the run's number", http.StatusBadRequest)
		return
	}
	if ofBigsite.MatchString(r.URL.Path) {
		q.count(int(run), r.URL.Path)
	}
	q.site.ServeHTTP(w, r)
}

// ofBigsite matches the paths of a Site, recorded those of them that a crawl records as
// pages: the others redirect, or are not to be fetched.
var (
	ofBigsite = regexp.MustCompile(`^/$|^/s\d+/p\d+$|^/(old|gone|home|hidden|private)/p\d+$`)
	recorded  = regexp.MustCompile(`^/$|^/s\d+/|^/gone/`)
)

func (q *siteRequests) count(run int, path string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	before, known := q.last[path]
	q.last[path] = run
	switch {
	case !known:
		q.distinct++
		q.latest = time.Now()
		if c, ok := q.alarms[q.distinct]; ok {
			close(c)
			delete(q.alarms, q.distinct)
		}
	case before == run:
		if len(q.twice) < maxTwice {
			q.twice = append(q.twice, path)
		}
	case recorded.MatchString(path):
		q.again[before]++
	}
}

// reached returns a channel that is closed once n different URLs were asked for.
func (q *siteRequests) reached(n int) <-chan struct{} {
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

// different returns the number of different URLs that were asked for.
func (q *siteRequests) different() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.distinct
}

// latestNew returns when a URL was asked for that had not been before, the last time.
func (q *siteRequests) latestNew() time.Time {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.latest
}

// fetchedAgain returns how many pages, redirects not among them, the run asked for in vain: a
// later run asked once more. A page that a third run asks for counts for the second.
func (q *siteRequests) fetchedAgain(run int) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.again[run]
}

// askedTwice returns the first few paths that were asked for twice within one run.
func (q *siteRequests) askedTwice() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return append([]string(nil), q.twice...)
}

func TestRequests(t *testing.T) {
	site, err := bigsite.New(bigsite.Config{Pages: 50})
	if err != nil {
		t.Fatal(err)
	}
	q := newSiteRequests(site)
	get := func(path, agent string) int {
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", path, nil)
		r.Header.Set("User-Agent", agent)
		q.ServeHTTP(w, r)
		return w.Code
	}
	two := q.reached(2)
	ask := func(run, path string) int { return get(path, "test/"+run) }
	ask("0", "/")
	select {
	case <-two:
		t.Error("two URLs after one request")
	default:
	}
	ask("0", "/s0/p1")
	<-two
	<-q.reached(1)
	ask("0", "/robots.txt")
	ask("0", "/robots.txt")
	ask("1", "/s0/p1") // again, after run 0
	ask("1", "/s0/p2")
	latest := q.latestNew()
	ask("3", "/s0/p1") // again, after run 1
	ask("3", "/s0/p2") // again, after run 1
	ask("3", "/s0/p2") // twice in a run
	if got := q.latestNew(); !got.Equal(latest) || latest.IsZero() {
		t.Errorf("Latest is %v after nothing new since %v", got, latest)
	}
	ask("0", "/old/p5")
	ask("1", "/old/p5") // no page
	if got := []int{q.fetchedAgain(0), q.fetchedAgain(1), q.fetchedAgain(2), q.fetchedAgain(3), q.different()}; !slices.Equal(got, []int{1, 2, 0, 0, 4}) {
		t.Errorf("asked again by run, and different URLs: %v", got)
	}
	if got := q.askedTwice(); !slices.Equal(got, []string{"/s0/p2"}) {
		t.Errorf("asked for twice in a run: %v", got)
	}
	for _, agent := range []string{"", "test", "test/", "test/x", "test/-1", "test/9999999999"} {
		if code := get("/", agent); code != http.StatusBadRequest {
			t.Errorf("User-Agent %q: status %d", agent, code)
		}
	}
}
