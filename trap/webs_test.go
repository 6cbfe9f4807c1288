package trap_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"crawler/internal/bigsite"
	"crawler/internal/demosite"
	"crawler/parse"
	"crawler/trap"
	"crawler/weburl"
)

// TestOtherWebs crawls the webs that other packages test with: nothing is refused there
// that is not a copy for ever.
func TestOtherWebs(t *testing.T) {
	big := func(cfg bigsite.Config) http.Handler {
		s, err := bigsite.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, tt := range []struct {
		name, seed string
		web        http.Handler
	}{
		{"few links", "http://big.test/", big(bigsite.Config{Seed: 1, Pages: 100_000, Links: 4, Text: 600})},
		{"many links", "http://big.test/", big(bigsite.Config{Seed: 2, Pages: 100_000, Links: 20})},
		{"documentation", "http://big.test/", big(bigsite.Config{Seed: 3, Pages: 20_000, Links: 10, Docs: 4000})},
		{"demo", demosite.New(1).Seeds()[0], demosite.New(1)},
	} {
		if refused, fetched := crawlWeb(t, tt.web, tt.seed, 700); refused > 0 || fetched < 300 {
			t.Errorf("%s: %d URLs refused, %d pages fetched", tt.name, refused, fetched)
		}
	}
}

// crawlWeb crawls up to most pages of a handler, breadth-first and without redirects,
// and returns how many URLs were refused and how many pages were fetched.
func crawlWeb(t *testing.T, web http.Handler, seed string, most int) (refused, fetched int) {
	w, host := newWalk(seed, trap.New(trap.Config{})), mustParse(t, seed).Host()
	w.ahead = 1
	w.get = func(u weburl.URL) (parse.Input, int, bool) {
		rec := httptest.NewRecorder()
		if !answer(web, rec, u) {
			return parse.Input{}, 0, false
		}
		fetched++
		return parse.Input{URL: u, ContentType: rec.Header().Get("Content-Type"), Body: rec.Body.Bytes()}, rec.Code, rec.Code < 300
	}
	w.stays = func(u weburl.URL) bool {
		return (strings.HasSuffix(u.Hostname(), "demo.example") || u.Host() == host) && !demoForbids(u)
	}
	w.run(func() bool { return fetched >= most })
	for _, v := range w.verdicts {
		t.Logf("refused: %+v", v)
	}
	return len(w.verdicts), fetched
}

// Nearly every page of a site leads to new ones of its kind until most are known. That some
// sections are met first hardly makes the crawl less breadth-first than without a guard.
func TestSectionsAreBreadthFirst(t *testing.T) {
	site, err := bigsite.New(bigsite.Config{Seed: 5, Pages: 20_000, Links: 16, Docs: 2000})
	if err != nil {
		t.Fatal(err)
	}
	mean := func(g *trap.Guard) (depth float64) {
		pages := 0
		w := newWalk("http://big.test/", g)
		w.ahead = 4
		w.get = func(u weburl.URL) (parse.Input, int, bool) {
			rec := httptest.NewRecorder()
			site.ServeHTTP(rec, httptest.NewRequest("GET", u.String(), nil))
			pages++
			depth += float64(w.depth)
			return parse.Input{URL: u, ContentType: "text/html", Body: rec.Body.Bytes()}, rec.Code, true
		}
		w.stays = func(weburl.URL) bool { return true }
		w.run(func() bool { return false })
		if pages != site.Pages {
			t.Errorf("%d of %d pages", pages, site.Pages)
		}
		return depth / float64(pages)
	}
	if with, without := mean(trap.New(trap.Config{})), mean(nil); with > 1.2*without {
		t.Errorf("pages are %.2f deep with a guard, %.2f without", with, without)
	} else {
		t.Logf("pages are %.2f deep with a guard, %.2f without", with, without)
	}
}

// answer asks the handler, which may break off as a server that hangs up.
func answer(web http.Handler, rec *httptest.ResponseRecorder, u weburl.URL) (ok bool) {
	defer func() { ok = recover() == nil }()
	web.ServeHTTP(rec, httptest.NewRequest("GET", u.String(), nil))
	return true
}

// demoForbids reports what the demo's robots.txt closes, its traps among that.
func demoForbids(u weburl.URL) bool {
	return strings.HasPrefix(u.Path(), "/cal") || strings.HasPrefix(u.Path(), "/cart") || strings.Contains(u.Query(), "session=")
}

// Real documentation loses nothing: TRAP_TREES names folders of HTML.
func TestTrees(t *testing.T) {
	trees := filepath.SplitList(os.Getenv("TRAP_TREES"))
	if len(trees) == 0 {
		t.Skip("TRAP_TREES names no folder")
	}
	for _, dir := range trees {
		refused, fetched := crawlWeb(t, http.FileServer(http.Dir(dir)), "http://docs.test/", 1<<30)
		t.Logf("%s: %d URLs refused, %d pages fetched", dir, refused, fetched)
		if refused > 0 {
			t.Errorf("%s: %d URLs refused", dir, refused)
		}
	}
}

// Most of an ordinary page is what its site puts on every page: that says nothing of what
// the page has to say itself.
func TestLargeTemplates(t *testing.T) {
	for _, words := range []int{80, 300, 800} {
		var template strings.Builder
		for i := range words {
			fmt.Fprintf(&template, "menu%d ", i)
		}
		// A tracker: each issue found on the one before, with ten words of its own.
		web := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n := 0
			fmt.Sscan(r.URL.Query().Get("id"), &n)
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, "<p>%s<p>%s<a href='/show?id=%d'>before</a>", template.String(), prose(n, 10), max(n-1, 0))
			if n < 600 {
				fmt.Fprintf(w, "<a href='/show?id=%d'>next</a>", n+1)
			}
		})
		if refused, fetched := crawlWeb(t, web, "http://tracker.test/show?id=0", 1000); refused > 0 || fetched != 601 {
			t.Errorf("a template of %d words: %d URLs refused, %d pages fetched of 601", words, refused, fetched)
		}
	}
}
