package crawl

import (
	"fmt"
	"testing"
	"time"

	"crawler/dedup"
	"crawler/frontier"
	"crawler/gate"
	"crawler/parse"
	"crawler/weburl"
)

// BenchmarkCoordinator is the coordinator's work for one link of a page that came
// home: the gate, Seen, and for one link in twenty the queue; leasing and settling the
// pages is included. The goal is a million links a second on one core.
func BenchmarkCoordinator(b *testing.B) {
	const pages, perPage = 20_000, 50
	all := make([]weburl.URL, pages)
	for i := range all {
		u, err := weburl.Parse(fmt.Sprintf("https://www.site-%d.example/docs/part-%d/page-%d.html", i%100, i/100%20, i))
		if err != nil {
			b.Fatal(err)
		}
		all[i] = u
	}
	for _, limit := range []int{0, 20} {
		b.Run(fmt.Sprintf("depth=%d", limit), func(b *testing.B) {
			links := 0
			b.ReportAllocs()
			for b.Loop() {
				c := benchCoordinator(b, limit, all[:1])
				for n := 0; ; n++ {
					v := c.next(time.Now())
					if v == nil {
						break
					}
					c.handedOver()
					for j := range perPage {
						v.Page.Links = append(v.Page.Links, parse.Link{URL: all[(n*7+j*n+j)%pages]})
					}
					c.settle(v)
					links += perPage
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(links), "ns/link")
		})
	}
}

// BenchmarkDigest is the fingerprint of a page of a thousand words.
func BenchmarkDigest(b *testing.B) {
	words := make([]uint64, 1000)
	for i := range words {
		words[i] = uint64(i%400) * 0x9e3779b97f4a7c15
	}
	b.ReportAllocs()
	for b.Loop() {
		digest(words, nil)
	}
}

func benchCoordinator(b *testing.B, limit int, seeds []weburl.URL) *coordinator {
	cfg := Config{Gate: gate.Config{Dedup: dedup.Config{ExpectURLs: 100_000, Seed: 1}, MaxDepth: limit, Scope: gate.Scope{Mode: gate.ScopeAny}, Frontier: frontier.Config{Delay: frontier.NoDelay}}}
	cfg.setDefaults()
	c, err := newCoordinator(&ring{cfg: cfg}, seeds, nil)
	if err != nil {
		b.Fatal(err)
	}
	return c
}
