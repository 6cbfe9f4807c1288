package crawlcmd

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
)

// The seeds' origin sees a secret with each request, that for robots.txt included. The one that
// its redirects and links lead to does not, in the first run and when the crawl is resumed.
func TestSecretsStayAtTheSeeds(t *testing.T) {
	var mu sync.Mutex
	got := map[string]string{}
	record := func(who string, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		got[who+r.URL.Path] = fmt.Sprint(r.Header["Authorization"], r.Header["Cookie"], r.Header["X-A"])
	}
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		record("other", r)
		if r.URL.Path == "/robots.txt" {
			return
		}
		fmt.Fprint(w, "<p>here")
	}))
	defer other.Close()
	seed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		record("seed", r)
		switch r.URL.Path {
		case "/":
			fmt.Fprintf(w, "<a href=/moved>moved</a><a href=%s/linked>linked</a>", other.URL)
		default:
			http.Redirect(w, r, other.URL+r.URL.Path, http.StatusFound)
		}
	}))
	defer seed.Close()

	dir := filepath.Join(t.TempDir(), "out")
	for _, args := range [][]string{
		{"crawl", seed.URL + "/", "-o", dir, "--scope", "any", "--allow-private", "--delay", "0", "--max-pages", "1", "-q",
			"-H", "Authorization: Basic x", "-H", "Cookie: a=1", "-H", "X-A: 1"},
		{"resume", dir, "--max-pages", "9", "-q"},
	} {
		if code := program(args, io.Discard, io.Discard); code != 0 {
			t.Fatalf("%q: exit code %d", args, code)
		}
	}
	const own, others = "[Basic x] [a=1] [1]", "[] [] [1]"
	for at, want := range map[string]string{
		"seed/": own, "seed/robots.txt": own, "seed/moved": own,
		"other/robots.txt": others, "other/moved": others, "other/linked": others,
	} {
		if got[at] != want {
			t.Errorf("%s got %q, want %s", at, got[at], want)
		}
	}
}
