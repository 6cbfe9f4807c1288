package bigsite

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

func newSite(t *testing.T, cfg Config) *Site {
	t.Helper()
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func get(h http.Handler, path, agent string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", path, nil)
	r.Header.Set("User-Agent", agent)
	h.ServeHTTP(w, r)
	return w
}

var anchor = regexp.MustCompile(`<a href=([^> ]+)( rel=nofollow)?></a>`)

// walk follows every link and redirect as a crawler must and returns what it would
// record: the address in links, and the status.
func walk(t *testing.T, s *Site) (pages map[string]int, linked map[string]int) {
	pages, linked = map[string]int{}, map[string]int{}
	todo := []string{"/"}
	seen := map[string]bool{"/": true}
	for len(todo) > 0 {
		path := todo[0]
		todo = todo[1:]
		w := get(s, path, "")
		if to := w.Header().Get("Location"); w.Code == http.StatusMovedPermanently {
			if seen[to] {
				continue
			}
			seen[to] = true
			w = get(s, to, "")
		}
		pages[path] = w.Code
		for _, m := range anchor.FindAllStringSubmatch(w.Body.String(), -1) {
			linked[m[1]]++
			if m[2] == "" && !seen[m[1]] && strings.HasPrefix(m[1], "/") && !strings.HasPrefix(m[1], "/private/") {
				seen[m[1]] = true
				todo = append(todo, m[1])
			}
		}
	}
	return pages, linked
}

func TestWalkFindsAll(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	for _, cfg := range []Config{
		{Pages: 1},
		{Pages: 500},
		{Pages: 1500, Seed: 5, Branch: 3, Links: 8, Trouble: true},
		{Pages: 2001, Branch: 1000, Text: 100},
	} {
		s := newSite(t, cfg)
		pages, _ := walk(t, s)
		n := 0
		for path, status := range s.All() {
			if n++; pages[path] != status {
				t.Errorf("%+v: %s: a walk finds status %d, All says %d", cfg, path, pages[path], status)
			}
		}
		if n != len(pages) || n < cfg.Pages {
			t.Errorf("%+v: a walk finds %d pages, All lists %d", cfg, len(pages), n)
		}
	}
}

func TestTroubles(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	s := newSite(t, Config{Pages: 1500, Seed: 5, Links: 8, Trouble: true})
	pages, linked := walk(t, s)
	for prefix, least := range map[string]int{"/old/": 25, "/gone/": 50, "/home/": 50, "/hidden/": 50, "/private/": 50, elsewhere + "/gone/": 50} {
		urls, links := 0, 0
		for u, n := range linked {
			if strings.HasPrefix(u, prefix) {
				urls, links = urls+1, links+n
			}
		}
		if urls < least || links < 3*urls {
			t.Errorf("%d URLs under %s with %d links, want at least %d and three links each", urls, prefix, links, least)
		}
	}
	texts := map[string]int{}
	for path, status := range pages {
		if status != http.StatusOK {
			continue
		}
		if w := get(s, path, ""); w.Code == http.StatusOK {
			texts[title(w.Body.String())]++
		}
	}
	repeated := 0
	for _, n := range texts {
		repeated += n - 1
	}
	if repeated < 100 || repeated > 300 {
		t.Errorf("%d repeated texts among 1,500, want an eighth", repeated)
	}
}

func title(page string) string {
	_, rest, _ := strings.Cut(page, "<title>")
	text, _, _ := strings.Cut(rest, "</main>")
	return text
}

func TestSizesAndSkew(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	s := newSite(t, Config{Pages: 2000, Links: 10})
	var least, most int
	for page := range s.Pages {
		n := get(s, string(appendPath(nil, tree, page)), "").Body.Len()
		if page == 0 {
			least = n
		}
		least, most = min(least, n), max(most, n)
	}
	if least < 1500 || least > 3000 || most < 9000 || most > 12<<10 {
		t.Errorf("pages of %d to %d bytes", least, most)
	}
	_, linked := walk(t, s)
	top, all := 0, 0
	for u, n := range linked {
		_, page, ok := s.find(u)
		if !ok {
			t.Fatalf("a link to %s, where nothing is", u)
		}
		if all += n; page < s.Pages/25 {
			top += n
		}
	}
	if share := float64(top) / float64(all); share < 0.2 || share > 0.4 {
		t.Errorf("the first 4 %% of the pages have %.2f of the links, want a quarter to a third", share)
	}
}

func TestSeeds(t *testing.T) {
	cfg := Config{Pages: 50, Links: 5, Trouble: true}
	a, b := newSite(t, cfg), newSite(t, cfg)
	cfg.Seed = 1
	c := newSite(t, cfg)
	body := func(s *Site) string { return get(s, "/s0/p7", "").Body.String() }
	if body(a) != body(b) || body(a) == body(c) {
		t.Error("pages must depend on the seed and on nothing else")
	}
}

func TestOtherPaths(t *testing.T) {
	s := newSite(t, Config{Pages: 50})
	for _, path := range []string{"/x", "/s0/p50", "/s0/p-1", "/s1/p7", "/s0/p07", "/s0/p+7", "/s0/p", "/s", "/gone/p7", "/s0/p99999999999999999999"} {
		if w := get(s, path, ""); w.Code != http.StatusNotFound {
			t.Errorf("%s: status %d", path, w.Code)
		}
	}
	if w := get(s, "/robots.txt", ""); w.Code != 200 || !strings.Contains(w.Body.String(), "Disallow: /private/") {
		t.Errorf("robots.txt: %d %s", w.Code, w.Body)
	}
}

func TestLimits(t *testing.T) {
	for _, cfg := range []Config{{}, {Pages: -1}, {Pages: maxPages + 1}, {Pages: 1, Branch: -1}, {Pages: 1, Links: -1}, {Pages: 1, Text: -1}} {
		if _, err := New(cfg); err == nil {
			t.Errorf("%+v makes a site", cfg)
		}
	}
}

func BenchmarkPage(b *testing.B) {
	s, err := New(Config{Pages: 20_000, Links: 10, Trouble: true})
	if err != nil {
		b.Fatal(err)
	}
	var buf []byte
	page := 0
	for b.Loop() {
		buf = s.appendPage(buf[:0], page)
		page = (page + 1) % s.Pages
	}
	b.SetBytes(int64(len(buf)))
}
