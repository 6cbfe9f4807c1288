package bigsite

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var reference = regexp.MustCompile(`<a [^>]*href="([^"]*)"`)

// walkDocs follows every link that stays on the site's hosts and returns the status by
// URL, the number of links, of those by the way they are written, and the pages' bytes.
func walkDocs(t *testing.T, h http.Handler, seed string, own func(host string) bool) (pages map[string]int, forms map[string]int, bytes int) {
	t.Helper()
	pages, forms = map[string]int{}, map[string]int{}
	todo := []string{seed}
	seen := map[string]bool{seed: true}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", at, nil))
		pages[at] = w.Code
		bytes += w.Body.Len()
		base, err := url.Parse(at)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range reference.FindAllStringSubmatch(w.Body.String(), -1) {
			u, err := base.Parse(m[1])
			if err != nil {
				t.Fatal(err)
			}
			forms[formOf(m[1])]++
			if u.Fragment = ""; own(u.Host) && !seen[u.String()] {
				seen[u.String()] = true
				todo = append(todo, u.String())
			}
		}
	}
	return pages, forms, bytes
}

func formOf(href string) string {
	switch {
	case strings.HasPrefix(href, "#"):
		return "section"
	case strings.HasPrefix(href, "http:"):
		return "absolute"
	case strings.HasPrefix(href, "/"):
		return "root"
	case strings.HasPrefix(href, "."):
		return "dotted"
	}
	return "relative"
}

func TestDocsWalk(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	three := []string{"127.0.0.1:80", "127.0.0.2:80", "127.0.0.3:80"}
	for _, cfg := range []Config{
		{Docs: 12 << 10, Pages: 1},
		{Docs: 12 << 10, Pages: 300, Links: 17},
		{Docs: 2560, Pages: 1200, Links: 8, Seed: 3},
		{Docs: 2560, Pages: 1600, Links: 8, Hosts: three},
		{Docs: 2560, Pages: 2, Links: 8, Hosts: three},
		{Docs: 1, Pages: 100, Links: 3, Hosts: three[:1]},
		{Docs: 9000, Pages: 300, Links: 20, Style: Reference},
		{Docs: 9000, Pages: 90, Links: 20, Style: Dense, Hosts: three},
	} {
		s := newSite(t, cfg)
		counts := NewCounts(s)
		pages, forms, _ := walkDocs(t, counts, "http://127.0.0.1:80/", func(host string) bool {
			return len(cfg.Hosts) == 0 || s.hostOf[host] > 0 || host == three[0]
		})
		n := 0
		for u, status := range s.All() {
			if len(cfg.Hosts) == 0 {
				u = "http://127.0.0.1:80" + u
			}
			if n++; pages[u] != status {
				t.Errorf("%+v: %s: a walk finds status %d, All says %d", cfg, u, pages[u], status)
			}
		}
		if n != len(pages) || n != cfg.Pages {
			t.Errorf("%+v: a walk finds %d pages, All lists %d", cfg, len(pages), n)
		}
		if a := counts.Asked(); a.Distinct != n || a.Duplicates != 0 || a.Others != 0 {
			t.Errorf("%+v: %+v counted for %d pages", cfg, a, n)
		}
		for _, form := range []string{"section", "root", "dotted", "relative"} {
			if n >= 300 && forms[form] < n/2 {
				t.Errorf("%+v: %d %s links on %d pages", cfg, forms[form], form, n)
			}
		}
		if (forms["absolute"] > 0) != (len(cfg.Hosts) > 0) {
			t.Errorf("%+v: %d absolute links", cfg, forms["absolute"])
		}
	}
}

// TestDocsProportions holds the pages against measured ones: the PostgreSQL manual has
// 13 KiB, 940 words and 23 links a page.
func TestDocsProportions(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	const pages = 120
	markup := regexp.MustCompile(`(?s)<!--.*?-->|<script.*?</script>|<[^>]*>`)
	for _, c := range []struct {
		style                Style
		docs, links, mean    int
		linksLeast, linkMost float64
		bytesPerWord         [2]float64
	}{
		{Manual, 12 << 10, 16, 12600, 24, 27, [2]float64{12, 15}},
		{Manual, 2000, 14, 2500, 18, 22, [2]float64{14, 40}},
		{Reference, 26 << 10, 60, 27200, 70, 90, [2]float64{20, 50}},
		{Dense, 18_250, 51, 18500, 54, 58, [2]float64{5, 9}},
	} {
		s := newSite(t, Config{Pages: pages, Docs: c.docs, Links: c.links, Style: c.style})
		_, forms, bytes := walkDocs(t, s, "http://x/", func(string) bool { return true })
		links, words, accents := 0, 0, 0
		for _, n := range forms {
			links += n
		}
		for page := range s.Pages {
			text := string(s.appendDocs(nil, page))
			words += len(strings.Fields(markup.ReplaceAllString(text, " ")))
			if strings.Contains(text, "é") {
				accents++
			}
		}
		mean, perPage, perWord := bytes/pages, float64(links)/pages, float64(bytes)/float64(words)
		t.Logf("%d bytes, %.1f links, %.0f words a page, %d of %d beyond ASCII", mean, perPage, float64(words)/pages, accents, pages)
		if c.style == Manual && c.docs > 10_000 && (accents < pages/3 || accents > pages*2/3) {
			t.Errorf("%d of %d pages have letters beyond ASCII, want half", accents, pages)
		}
		if mean < c.mean*9/10 || mean > c.mean*11/10 {
			t.Errorf("pages of %d bytes on average, want about %d", mean, c.mean)
		}
		if perPage < c.linksLeast || perPage > c.linkMost {
			t.Errorf("%.1f links a page, want %.0f to %.0f", perPage, c.linksLeast, c.linkMost)
		}
		if perWord < c.bytesPerWord[0] || perWord > c.bytesPerWord[1] {
			t.Errorf("%.1f bytes a word, want %v", perWord, c.bytesPerWord)
		}
	}
}

// Dense text has the words of its law: the most frequent one makes a twentieth of it, and a page
// of another site hardly fewer different ones.
func TestDenseWords(t *testing.T) {
	s := newSite(t, Config{Pages: 400, Docs: 18_250, Links: 51, Style: Dense})
	counts, all := map[string]int{}, 0
	for page := range 100 {
		for _, w := range strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(string(s.appendDocs(nil, page)), " ")) {
			counts[strings.ToLower(strings.Trim(w, ".,"))]++
			all++
		}
	}
	most := 0
	for _, n := range counts {
		most = max(most, n)
	}
	if share := float64(most) / float64(all); share < 0.03 || share > 0.1 || len(counts) < 25_000 || len(counts) > denseWords {
		t.Errorf("%d words, %d different ones, the most frequent is %.3f of them", all, len(counts), share)
	}
}

// A page is compressed for those who take it so, and the same as for others.
func TestGzip(t *testing.T) {
	s := newSite(t, Config{Pages: 5, Docs: 12 << 10, Links: 3, Gzip: true})
	plain := get(s, "/s0/p3", "").Body.String()
	for range 2 {
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/s0/p3", nil)
		r.Header.Set("Accept-Encoding", "br, gzip")
		s.ServeHTTP(w, r)
		z, err := gzip.NewReader(w.Body)
		if err != nil || w.Header().Get("Content-Encoding") != "gzip" || w.Header().Get("Content-Length") == strconv.Itoa(len(plain)) {
			t.Fatalf("%v, header %v", err, w.Header())
		}
		if body, err := io.ReadAll(z); err != nil || string(body) != plain {
			t.Errorf("the compressed page has %d bytes (%v), the plain one %d", len(body), err, len(plain))
		}
	}
}

func TestHosts(t *testing.T) {
	s := newSite(t, Config{Pages: 50, Docs: 1000, Hosts: []string{"a:1", "b:1"}})
	for at, want := range map[string]int{
		"http://a:1/": 200, "http://b:1/": 200, "http://c:1/": 404, "http://a/": 200, "http://a:2/": 404,
		"http://a:1/s0/p2": 200, "http://b:1/s0/p2": 404, "http://b:1/s0/p3": 200, "http://b:1/s0/p1": 404, "http://a:1/s0/p50": 404,
		"http://a:1/old/p4": 404, "http://a:1" + stylePath: 200, "http://a:1/robots.txt": 200,
	} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest("GET", at, nil))
		if w.Code != want {
			t.Errorf("%s: status %d, want %d", at, w.Code, want)
		}
	}
	for _, cfg := range []Config{
		{Pages: 1, Docs: -1}, {Pages: 1, Docs: maxDocs + 1}, {Pages: 1, Docs: 1, Trouble: true},
		{Pages: 1, Hosts: []string{"a"}}, {Pages: 1, Docs: 1, Style: Dense + 1}, {Pages: 1, Docs: 1, Hosts: []string{"a", "a"}},
	} {
		if _, err := New(cfg); err == nil {
			t.Errorf("%+v makes a site", cfg)
		}
	}
}

func TestCounts(t *testing.T) {
	c := NewCounts(newSite(t, Config{Pages: 50, Docs: 1000}))
	ask := func(method, path string) {
		c.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(method, path, nil))
	}
	for range 3 {
		ask("GET", "/s0/p7")
	}
	ask("GET", "/")
	ask("HEAD", "/s0/p8")
	ask("GET", "/robots.txt")
	ask("GET", "/s0/p50")
	a := c.Asked()
	if a.Took <= 0 {
		t.Errorf("four requests took %v", a.Took)
	}
	if a.Took = 0; a != (Asked{Distinct: 2, Duplicates: 2, Others: 3}) {
		t.Errorf("%+v", a)
	}
	c.Reset()
	if a := c.Asked(); a != (Asked{}) {
		t.Errorf("after Reset: %+v", a)
	}
}

func BenchmarkDocs(b *testing.B) {
	s, err := New(Config{Pages: 20_000, Docs: 12 << 10, Links: 16, Hosts: []string{"127.0.0.1:8080"}})
	if err != nil {
		b.Fatal(err)
	}
	var buf []byte
	page, bytes := 0, 0
	for b.Loop() {
		buf = s.appendDocs(buf[:0], page)
		bytes += len(buf)
		page = (page + 1) % s.Pages
	}
	b.SetBytes(int64(bytes / b.N))
}
