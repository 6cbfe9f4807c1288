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

	"github.com/rogpeppe/go-internal/testscript"
)

// server counts the requests of the site a script serves.
type server struct {
	mu    sync.Mutex
	count int        // guarded by mu
	more  *sync.Cond // on mu
}

// serve KIND serves a web on loopback and puts its address into $URL: files ($SITE),
// forbidden (robots.txt closes all), slow (pages without end, 20 ms each), missing
// (404 everywhere), closed (a port nobody listens on).
func serve(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: serve files|forbidden|slow|missing|closed")
	}
	s := &server{}
	s.more = sync.NewCond(&s.mu)
	srv := httptest.NewServer(s.counting(handler(ts, args[0])))
	ts.Setenv("URL", srv.URL)
	if args[0] == "closed" {
		srv.Close()
		return
	}
	ts.Defer(srv.Close)
	running.Store(ts.Name(), s)
}

// testServer serves for as long as the test runs.
func testServer(t *testing.T, h http.HandlerFunc) (*server, string) {
	s := &server{}
	s.more = sync.NewCond(&s.mu)
	srv := httptest.NewServer(s.counting(h))
	t.Cleanup(srv.Close)
	return s, srv.URL
}

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

func (s *server) counting(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.count++
		s.more.Broadcast()
		s.mu.Unlock()
		h.ServeHTTP(w, r)
	})
}

// wait waits until n requests have come.
func (s *server) wait(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.count < n {
		s.more.Wait()
	}
}
