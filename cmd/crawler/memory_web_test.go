//go:build unix

package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"crawler/internal/bigsite"
	"crawler/internal/crawltest"
)

// heavyBody is the size of the pages that are too large.
const heavyBody = 8 << 20

// heavyKinds are documents of heavyBody bytes: each is costly in its own way.
func heavyKinds() map[string][]byte {
	fill := func(next func(b *bytes.Buffer, i int)) []byte {
		var b bytes.Buffer
		for i := 0; b.Len() < heavyBody; i++ {
			next(&b, i)
		}
		return b.Bytes()[:heavyBody]
	}
	return map[string][]byte{
		"short words":   fill(func(b *bytes.Buffer, i int) { fmt.Fprintf(b, "%c%c ", 'a'+i%26, 'a'+i/26%26) }),
		"long words":    fill(func(b *bytes.Buffer, i int) { fmt.Fprintf(b, "word%08d ", i) }),
		"links":         fill(func(b *bytes.Buffer, i int) { fmt.Fprintf(b, "<a href=/link/%d%s>x</a>", i, strings.Repeat("y", 55)) }),
		"short links":   fill(func(b *bytes.Buffer, i int) { fmt.Fprintf(b, "<a href=%d>", i) }),
		"open elements": fill(func(b *bytes.Buffer, i int) { b.WriteString("<b><i>") }),
		"one attribute": append([]byte("<p title=\""), bytes.Repeat([]byte("z"), heavyBody)...),
		"no text":       bytes.Repeat([]byte("<!---->"), heavyBody/7),
	}
}

// heavyWeb has hosts whose names begin with heavy, all of whose pages are of heavyBody bytes, every
// second one compressed; hosts whose names begin with hang, which never answer; and honest ones.
func heavyWeb(t *testing.T, honest *bigsite.Site) http.Handler {
	t.Helper()
	var plain, packed [][]byte
	for _, body := range heavyKinds() {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write(body)
		w.Close()
		plain = append(plain, body)
		if len(body) < 200*b.Len() { // otherwise it is a bomb
			packed = append(packed, b.Bytes())
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, _, _ := strings.Cut(r.Host, ".")
		switch {
		case strings.HasPrefix(name, "hang"):
			<-r.Context().Done()
		case !strings.HasPrefix(name, "heavy"):
			honest.ServeHTTP(w, r)
		case r.URL.Path == "/robots.txt":
			http.NotFound(w, r)
		default:
			host, _ := strconv.Atoi(strings.TrimPrefix(name, "heavy"))
			page, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/"))
			w.Header().Set("Content-Type", "text/html")
			links := fmt.Sprintf("<title>%d</title><a href=/%d>next</a> host%d page%d ", page, page+1, host, page)
			if n := host + page; n%2 == 0 {
				fmt.Fprint(w, links)
				w.Write(plain[n/2%len(plain)])
			} else {
				w.Header().Set("Content-Encoding", "gzip")
				z := gzip.NewWriter(w)
				fmt.Fprint(z, links)
				z.Close()
				w.Write(packed[n/2%len(packed)])
			}
		}
	})
}

// heavyCrawl crawls so many hosts of each kind and returns what came of it.
func heavyCrawl(t *testing.T, bin string, hosts map[string]int, args ...string) measured {
	t.Helper()
	site, err := bigsite.New(bigsite.Config{Pages: 4000, Text: 600})
	if err != nil {
		t.Fatal(err)
	}
	url := crawltest.Serve(t, heavyWeb(t, site))
	port := url[strings.LastIndexByte(url, ':')+1:]
	var seeds []string
	for _, kind := range []string{"hang", "heavy", "honest"} {
		for i := range hosts[kind] {
			at := len(seeds)
			if kind == "honest" { // among the first of the others
				at = min(at, 9*i)
			}
			seeds = slices.Insert(seeds, at, fmt.Sprintf("http://%s%d.test:%s/", kind, i, port))
		}
	}
	dir, list := filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "seeds")
	if err := os.WriteFile(list, []byte(strings.Join(seeds, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	args = append([]string{"crawl", "--seeds", list, "-o", dir, "--quiet", "--resolve", "*:" + port + ":127.0.0.1"}, args...)
	began := time.Now()
	p := startCrawler(t, bin, args...)
	m := measured{peak: watchRSS(p), took: time.Since(began)}
	rep := loadReport(t, dir)
	for _, s := range rep.Sites {
		if strings.HasPrefix(s.Site, "honest") {
			m.urls += s.Pages
		}
	}
	m.fetched = rep.Pages.Fetched
	return m
}

// Four hosts that never answer must not stop a crawl under --max-memory, whatever that is.
func TestMaxMemoryBesideHangingHosts(t *testing.T) {
	if os.Getenv("MEMORY") == "" || runtime.GOOS != "linux" {
		t.Skip("MEMORY=1 measures memory, on Linux (make memory)")
	}
	bin := shipped(t)
	without := 0
	for _, limit := range []string{"0", "64MiB", "256MiB", "1GiB", "8GiB"} {
		m := heavyCrawl(t, bin, map[string]int{"hang": 4, "honest": 4}, "--delay", "250ms", "--per-ip", "0", "--time-limit", "20s", "--max-memory", limit)
		t.Logf("--max-memory %6s: %4d honest pages in %.0f s, peak RSS %.0f MiB", limit, m.urls, m.took.Seconds(), mebi(m.peak))
		if limit == "0" {
			without = m.urls
		} else if m.urls < without*9/10 {
			t.Errorf("--max-memory %s: %d honest pages, %d without it", limit, m.urls, without)
		}
	}
}

// heavyMost is the most memory that a crawl without --max-memory may take, in bytes.
const heavyMost = 1 << 30

// Pages of 8 MB, 128 at a time, and honest hosts beside them.
func TestHeavyPages(t *testing.T) {
	if os.Getenv("MEMORY") == "" || runtime.GOOS != "linux" {
		t.Skip("MEMORY=1 measures memory, on Linux (make memory)")
	}
	bin := shipped(t)
	alone := heavyCrawl(t, bin, map[string]int{"honest": 8}, "-c", "128", "--delay", "250ms", "--per-ip", "0", "--time-limit", "20s", "--scope", "host")
	m := heavyCrawl(t, bin, map[string]int{"heavy": 200, "honest": 8}, "-c", "128", "--delay", "250ms", "--per-ip", "0", "--time-limit", "20s", "--scope", "host")
	t.Logf("%d pages, %d of them honest, which are %d alone; peak RSS %.0f MiB", m.fetched, m.urls, alone.urls, mebi(m.peak))
	if m.peak > heavyMost {
		t.Errorf("peak RSS %.0f MiB, want at most %.0f", mebi(m.peak), mebi(heavyMost))
	}
	if m.urls < alone.urls/2 {
		t.Errorf("%d honest pages, %d alone", m.urls, alone.urls)
	}
}
