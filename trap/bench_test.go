package trap_test

import (
	"fmt"
	"testing"

	"crawler/trap"
	"crawler/weburl"
)

// benchURLs are product pages and lists of one host.
func benchURLs(b *testing.B) []weburl.URL {
	var all []weburl.URL
	for i := range 64 {
		all = append(all, mustParse(b, fmt.Sprintf("http://shop.test/catalogue/product/%d/name-of-it.html", i)))
		all = append(all, mustParse(b, fmt.Sprintf("http://shop.test/list?category=%d&page=%d", i%10, i)))
	}
	return all
}

func BenchmarkJudge(b *testing.B) {
	g, urls := trap.New(trap.Config{}), benchURLs(b)
	for i, u := range urls {
		teach(b, g, u.String(), "", prose(i, 50))
	}
	for i := 0; b.Loop(); i++ {
		g.Judge(urls[i%len(urls)])
	}
}

// BenchmarkLearn is a page of a pattern that has had many, with 20 links.
func BenchmarkLearn(b *testing.B) {
	for name, watched := range map[string]bool{"good": false, "watched": true} {
		b.Run(name, func(b *testing.B) {
			g, urls := trap.New(trap.Config{}), benchURLs(b)
			var s trap.Sampler
			pages := make([]trap.Page, len(urls))
			for i, u := range urls {
				n := i
				if watched {
					n = i % 2 // copies
				}
				p := s.Page(u, 200, words(prose(n, 300)), 0)
				p.Sample = append([]uint32(nil), p.Sample...)
				pages[i] = p
			}
			for i := 0; b.Loop(); i++ {
				k := i % len(urls)
				all := g.Watch(urls[k], urls[0])
				for n := range 20 {
					if known := n%4 > 0; all || !known {
						g.Link(urls[(k+n)%len(urls)], known)
					}
				}
				g.Learn(pages[k])
			}
		})
	}
}

// BenchmarkSample is a page of 1,000 words.
func BenchmarkSample(b *testing.B) {
	var s trap.Sampler
	u, w := benchURLs(b)[0], words(prose(1, 1000))
	for b.Loop() {
		s.Page(u, 200, w, 0)
	}
}
