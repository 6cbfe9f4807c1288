package report

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"crawler/crawl"
	"crawler/parse"
	"crawler/store"
	"crawler/weburl"
)

// benchPages are pages as a documentation site has them: about a thousand words, of which
// a few make most of the text, 25 links, a title.
func benchPages(b *testing.B, n int) []*crawl.Visit {
	rng := rand.New(rand.NewPCG(7, 8))
	pages := make([]*crawl.Visit, n)
	for i := range pages {
		v := visit(new(testing.T), fmt.Sprintf("https://docs-%d.example/manual/part-%d/page-%d.html", i%4, i%9, i), 200)
		v.Started, v.Elapsed, v.Digest = time.Unix(1_770_000_000, 0), 21*time.Millisecond, rng.Uint64()
		v.Proto, v.Server, v.ETag, v.LastModified = "HTTP/1.1", "nginx/1.27", fmt.Sprintf(`"%x-%x"`, i, v.Digest), "Tue, 15 Nov 1994 12:45:26 GMT"
		v.FirstByte, v.WireBytes = 9*time.Millisecond, 4711
		v.Page.Title, v.Page.Lang = fmt.Sprintf("The manual: chapter %d, on configuration", i), "en"
		for range 800 + rng.IntN(400) {
			rank := uint64(rng.ExpFloat64() * rng.ExpFloat64() * 600)
			v.Page.Words = append(v.Page.Words, (rank+1)*0x9e3779b97f4a7c15)
		}
		for j := range 25 {
			u, err := weburl.Parse(fmt.Sprintf("https://docs-%d.example/manual/part-%d/page-%d.html", i%4, j%9, i*j%977))
			if err != nil {
				b.Fatal(err)
			}
			v.Page.Links = append(v.Page.Links, parse.Link{URL: u})
		}
		pages[i] = v
	}
	return pages
}

// BenchmarkRecordPage is what the recorder does for a page: its line, its words in the
// sketches of the crawl and of its site, its fingerprints; and with edges, its links.
func BenchmarkRecordPage(b *testing.B) {
	pages := benchPages(b, 500)
	words := 0
	for _, v := range pages {
		words += len(v.Page.Words)
	}
	for name, edges := range map[string]bool{"pages": false, "edges": true} {
		b.Run(name, func(b *testing.B) {
			dir, err := store.Create(store.Disk(), b.TempDir()+"/crawl", store.Meta{}, false)
			if err != nil {
				b.Fatal(err)
			}
			defer dir.Close()
			r, err := NewRecorder(Config{Dir: dir, Edges: edges, Seed: 1})
			if err != nil {
				b.Fatal(err)
			}
			i := 0
			b.ReportAllocs()
			for b.Loop() {
				if err := r.Page(pages[i%len(pages)]); err != nil {
					b.Fatal(err)
				}
				i++
			}
			b.ReportMetric(float64(b.Elapsed())/float64(b.N)*float64(len(pages))/float64(words), "ns/word")
		})
	}
}

// BenchmarkPreparePage is what of it a worker does before: the recorder has the rest.
func BenchmarkPreparePage(b *testing.B) {
	pages := benchPages(b, 500)
	dir, err := store.Create(store.Disk(), b.TempDir()+"/crawl", store.Meta{}, false)
	if err != nil {
		b.Fatal(err)
	}
	defer dir.Close()
	r, err := NewRecorder(Config{Dir: dir, Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		r.Prepare(pages[i%len(pages)])
	}
}
