// Package crawltest has what the tests of several packages of the command share: servers on
// loopback, readers of records, and hostile bytes. Only tests import it.
package crawltest

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Server counts the requests that a site has had.
type Server struct {
	mu   sync.Mutex
	n    int        // guarded by mu
	more *sync.Cond // on mu
}

// NewServer returns a Server that has counted nothing yet.
func NewServer() *Server {
	s := &Server{}
	s.more = sync.NewCond(&s.mu)
	return s
}

// Serve serves h for as long as the test runs.
func Serve(t *testing.T, h http.Handler) (url string) {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL
}

// ServeAndCount is Serve with a count of the requests.
func ServeAndCount(t *testing.T, h http.HandlerFunc) (s *Server, url string) {
	t.Helper()
	s = NewServer()
	return s, Serve(t, s.Counting(h))
}

// Slow answers after 20 ms with one of endless many pages.
func Slow(w http.ResponseWriter, r *http.Request) {
	n, _ := strconv.Atoi(strings.Trim(r.URL.Path, "/"))
	ctx, cancel := context.WithTimeout(r.Context(), 20*time.Millisecond)
	defer cancel()
	<-ctx.Done()
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(w, "<title>%d</title><a href=/%d>a</a> <a href=/%d>b</a> ", n, 2*n+1, 2*n+2)
	Prose(w, int64(n))
}

// Prose writes a text of page n's own and a link back: without them pages without end are
// a trap.
func Prose(w io.Writer, n int64) {
	fmt.Fprintf(w, "<a href=/%d>back</a>", n/3)
	rng := rand.New(rand.NewPCG(uint64(n), 0))
	for range 40 {
		fmt.Fprintf(w, " word%d", rng.IntN(5000))
	}
}

// Counting counts what h is asked.
func (s *Server) Counting(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.n++
		s.more.Broadcast()
		s.mu.Unlock()
		h.ServeHTTP(w, r)
	})
}

// Wait waits until n requests have come.
func (s *Server) Wait(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.n < n {
		s.more.Wait()
	}
}

// Asked returns how many requests have come.
func (s *Server) Asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}
