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
	g, parser, u := trap.New(trap.Config{}), parse.New(parse.Options{}), mustParse(t, seed)
	queue, seen := []item{{url: u}}, map[weburl.URL]bool{u: true}
	var page parse.Page
	var sampler trap.Sampler
	for ; len(queue) > 0 && fetched < most; queue = queue[1:] {
		it := queue[0]
		if v := g.Judge(it.url); v.Kind != "" {
			t.Logf("%s: %+v", it.url, v)
			refused++
			continue
		}
		rec := httptest.NewRecorder()
		if !answer(web, rec, it.url) {
			continue
		}
		fetched++
		in := parse.Input{URL: it.url, ContentType: rec.Header().Get("Content-Type"), Body: rec.Body.Bytes()}
		if rec.Code >= 300 || parser.Parse(in, &page) != nil {
			continue
		}
		watch := g.Watch(it.url, it.via)
		for _, l := range page.Links {
			known := seen[l.URL]
			if watch {
				g.Link(l.URL, known)
			}
			if !known && (strings.HasSuffix(l.URL.Hostname(), "demo.example") || l.URL.Host() == u.Host()) && !demoForbids(l.URL) {
				seen[l.URL] = true
				queue = append(queue, item{l.URL, it.url})
			}
		}
		g.Learn(sampler.Page(it.url, rec.Code, page.Words, 0))
	}
	return refused, fetched
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
