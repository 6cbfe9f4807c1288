package main

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

// server counts the requests that a site has had.
type server struct {
	mu   sync.Mutex
	n    int        // guarded by mu
	more *sync.Cond // on mu
}

func newServer() *server {
	s := &server{}
	s.more = sync.NewCond(&s.mu)
	return s
}

// serveOnLoopback serves h for as long as the test runs.
func serveOnLoopback(t *testing.T, h http.Handler) (url string) {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL
}

// testServer is serveOnLoopback with a count of the requests.
func testServer(t *testing.T, h http.HandlerFunc) (s *server, url string) {
	t.Helper()
	s = newServer()
	return s, serveOnLoopback(t, s.counting(h))
}

// slow answers after 20 ms with one of endless many pages.
func slow(w http.ResponseWriter, r *http.Request) {
	n, _ := strconv.Atoi(strings.Trim(r.URL.Path, "/"))
	ctx, cancel := context.WithTimeout(r.Context(), 20*time.Millisecond)
	defer cancel()
	<-ctx.Done()
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(w, "<title>%d</title><a href=/%d>a</a> <a href=/%d>b</a> ", n, 2*n+1, 2*n+2)
	prose(w, int64(n))
}

// prose writes a text of page n's own and a link back: without them pages without end are
// a trap.
func prose(w io.Writer, n int64) {
	fmt.Fprintf(w, "<a href=/%d>back</a>", n/3)
	rng := rand.New(rand.NewPCG(uint64(n), 0))
	for range 40 {
		fmt.Fprintf(w, " word%d", rng.IntN(5000))
	}
}

// counting counts what h is asked.
func (s *server) counting(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.n++
		s.more.Broadcast()
		s.mu.Unlock()
		h.ServeHTTP(w, r)
	})
}

// wait waits until n requests have come.
func (s *server) wait(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.n < n {
		s.more.Wait()
	}
}

// asked returns how many requests have come.
func (s *server) asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}
