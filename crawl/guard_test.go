package crawl_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"crawler/crawl"
	"crawler/fetch"
	"crawler/frontier"
	"crawler/gate"
)

// Without a Guard of the caller's, pages lead to public addresses and to the seeds alone.
// What is refused was never asked for, so it is told at once, not tried again, and the
// host is no worse for it.
func TestPagesDoNotLeadInside(t *testing.T) {
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a page led inside") }))
	defer inside.Close()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/":
			fmt.Fprintf(w, `<a href="%s/admin"><a href="/away"><a href="/page">`, inside.URL)
		case "/away":
			http.Redirect(w, r, inside.URL+"/secret", http.StatusFound)
		}
	}))
	defer site.Close()

	n := &notes{}
	start := time.Now()
	res, err := crawl.Run(t.Context(), crawl.Config{
		Seeds: []string{site.URL}, Recorder: n, Gate: gate.Config{Scope: gate.Scope{Mode: gate.ScopeAny}, Frontier: frontier.Config{Delay: frontier.NoDelay}},
	})
	if err != nil || res.Fetched != 2 || res.Errors[gate.Reason(fetch.ReasonAddress)] != 2 || res.Retried != 0 {
		t.Errorf("%v: fetched %d, errors %v, %d tries more", err, res.Fetched, res.Errors, res.Retried)
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("it took %v: refusals are waited for", took)
	}
	for _, skip := range n.skips {
		if skip.Reason == gate.HostClosed {
			t.Errorf("the host was given up: %v", skip)
		}
	}
}
