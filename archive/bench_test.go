package archive

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"crawler/crawl"
	"crawler/fetch"
	"crawler/store"
	"crawler/warc"
	"crawler/weburl"
)

// benchPages are the answers that the benchmarks make records of: the first pages of the tree that
// ARCHIVE_TREE names, or generated text.
func benchPages(b *testing.B) (all []*crawl.Exchange, bytes int64) {
	b.Helper()
	var bodies []string
	if root := os.Getenv("ARCHIVE_TREE"); root != "" {
		names, err := filepath.Glob(filepath.Join(root, "*.html"))
		if err != nil {
			b.Fatal(err)
		}
		for _, name := range names[:min(len(names), 500)] {
			data, err := os.ReadFile(name)
			if err != nil {
				b.Fatal(err)
			}
			bodies = append(bodies, string(data))
		}
	}
	for n := len(bodies); n < 20; n++ {
		var t strings.Builder
		for i := range 1500 {
			fmt.Fprintf(&t, "<p>word%d ", (n+7)*i%977)
		}
		bodies = append(bodies, t.String())
	}
	for i, body := range bodies {
		u, err := weburl.Parse(fmt.Sprintf("http://a.test/page-%d.html", i))
		if err != nil {
			b.Fatal(err)
		}
		head := fmt.Sprintf("HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Mon, 23 Nov 2026 10:51:15 GMT\r\nContent-Type: text/html\r\n"+
			"Content-Length: %d\r\nLast-Modified: Fri, 13 Nov 2026 11:12:04 GMT\r\nConnection: keep-alive\r\nETag: \"6af6f084-31bc\"\r\nAccept-Ranges: bytes\r\n\r\n", len(body))
		request := "GET " + u.RequestURI() + " HTTP/1.1\r\nHost: a.test\r\nUser-Agent: crawler/0.2.0\r\n" +
			"Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.5\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n\r\n"
		bytes += int64(len(body))
		all = append(all, &crawl.Exchange{URL: u, Response: &fetch.Response{
			URL: u, Status: 200, Proto: "HTTP/1.1", MediaType: "text/html", Header: http.Header{}, Started: time.Unix(1_700_000_000, 0),
			Remote: netip.MustParseAddrPort("127.0.0.1:80"), Body: []byte(body), WireRequest: []byte(request), WireResponse: []byte(head + body),
		}})
	}
	return all, bytes / int64(len(all))
}

// BenchmarkPrepare is what a worker does for a page.
func BenchmarkPrepare(b *testing.B) {
	all, bytes := benchPages(b)
	a := &Archive{cfg: Config{LeaveOut: []string{"Authorization", "Cookie"}}}
	b.SetBytes(bytes)
	b.ReportAllocs()
	size, n := 0, 0
	for b.Loop() {
		x := all[n%len(all)]
		v := &crawl.Visit{}
		v.URL, v.Via, v.Depth = x.URL, "http://a.test/index.html", 2
		a.PrepareExchange(v, x)
		r := x.Prepared.(*records)
		size += len(r.data)
		n++
		a.put(r)
	}
	b.ReportMetric(float64(size)/float64(n), "written-B/op")
}

// BenchmarkFilters is what the recorder does for the filters of a page of 1,000 words: "all" with
// its words as they come, "different" with each once, as the worker gives them.
func BenchmarkFilters(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	often := rand.NewZipf(rng, 1.15, 8, 200_000)
	m := &maker{}
	all := map[string][][]uint64{}
	for range 64 {
		var words []uint64
		for range 1000 {
			words = append(words, often.Uint64()*0x9e3779b97f4a7c15)
		}
		all["all"] = append(all["all"], words)
		all["different"] = append(all["different"], m.different(nil, words))
	}
	for _, name := range []string{"all", "different"} {
		b.Run(name, func(b *testing.B) {
			dir, err := store.Create(store.Disk(), b.TempDir()+"/crawl", store.Meta{}, false)
			if err != nil {
				b.Fatal(err)
			}
			defer dir.Close()
			f, w := NewFilters(dir), Written{File: "a.warc.gz"}
			for n := 0; b.Loop(); n++ {
				w.URL = fmt.Sprintf("https://docs-%d.example/manual/page-%d.html", n%4, n)
				w.Words = all[name][n%64]
				for _, kind := range []string{warc.Response, warc.Request, warc.Metadata} {
					w.Type, w.Offset, w.Length = kind, w.Offset+w.Length, 1700
					if err := f.Written(&w); err != nil {
						b.Fatal(err)
					}
					w.Words = nil
				}
			}
		})
	}
}

// BenchmarkDifferent is what the worker does for that.
func BenchmarkDifferent(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	often := rand.NewZipf(rng, 1.15, 8, 200_000)
	var words, dst []uint64
	for range 1000 {
		words = append(words, often.Uint64()*0x9e3779b97f4a7c15)
	}
	m := &maker{}
	for b.Loop() {
		dst = m.different(dst[:0], words)
	}
	b.ReportMetric(float64(len(dst)), "different")
}
