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
		g.Judge(urls[i%len(urls)], "")
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
				p := s.Page(u, 200, words(prose(n, 300)), nil, nil, 0, 0)
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
		s.Page(u, 200, w, nil, nil, 0, 0)
	}
}

// BenchmarkLink is a link of a page that is watched, to pages of 20 hosts that were not linked to
// before.
func BenchmarkLink(b *testing.B) {
	g := trap.New(trap.Config{})
	var hosts [20][]weburl.URL
	for i := range hosts {
		for n := range 1000 {
			hosts[i] = append(hosts[i], mustParse(b, fmt.Sprintf("http://site-%d.test/section/%d/page-about-it-%d", i, n/50, n)))
		}
	}
	const links = 50
	for i := 0; b.Loop(); i++ {
		from := hosts[i%20]
		g.Watch(from[i%1000], from[i%7])
		for n := range links {
			at := i*links + n
			g.Link(hosts[at%20][at/20%1000], n%2 == 0)
		}
		g.Learn(trap.Page{Status: 304}) // nothing
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/links, "ns/link")
}
