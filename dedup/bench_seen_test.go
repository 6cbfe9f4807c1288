package dedup

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"crawler/weburl"
)

// linkedPage is a page with the links that it has to known URLs, as they stand in
// its text.
type linkedPage struct {
	base weburl.URL
	refs [][]byte
}

// linkedPages returns n pages of known URLs with 50 links each, by turns: to
// neighbours, which most links of real pages lead to, to anywhere on the same
// host, and one of ten to anywhere.
func linkedPages(known []weburl.URL, n int) []linkedPage {
	sorted := slices.SortedFunc(slices.Values(known), func(a, b weburl.URL) int {
		return strings.Compare(a.String(), b.String())
	})
	r := rand.New(rand.NewPCG(1, 5))
	list := make([]linkedPage, n)
	for i := range list {
		at := r.IntN(len(sorted))
		p := &list[i]
		p.base = sorted[at]
		for j := range 50 {
			reach := 50
			switch {
			case j%10 == 0:
				reach = len(sorted)
			case j%3 == 0:
				reach = 2000
			}
			to := min(max(at+r.IntN(2*reach)-reach, 0), len(sorted)-1)
			p.refs = append(p.refs, []byte(asReference(p.base, sorted[to])))
		}
	}
	return list
}

// asReference returns how a page at base would refer to u: by the file name, by
// the path, or in full.
func asReference(base, u weburl.URL) string {
	dir := base.Path()[:strings.LastIndexByte(base.Path(), '/')+1]
	switch name, below := strings.CutPrefix(u.RequestURI(), dir); {
	case base.Origin() != u.Origin():
		return u.String()
	case below && name != "" && !strings.HasPrefix(name, "?"):
		return name
	}
	return u.RequestURI()
}

// BenchmarkSeenTest is what a crawl does with a link of a page, nearly always to a
// page that it knows: it is resolved and made canonical, and then asked about, among
// a million. The log is in memory; on disk, where the cache answers for the links of a
// site that is being crawled; or nowhere.
func BenchmarkSeenTest(b *testing.B) {
	const n, pages = 1 << 20, 2000
	known := newWeb(1, 2000).urls(n)
	linked := linkedPages(known, pages)
	run := func(name string, ask func(u weburl.URL) Answer) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			r := weburl.NewResolver(weburl.Options{})
			for page, link := 0, 0; b.Loop(); link++ {
				if link == len(linked[page].refs) {
					page, link = (page+1)%pages, 0
				}
				if link == 0 {
					r.SetBase(linked[page].base)
				}
				u, err := r.Resolve(linked[page].refs[link])
				if err != nil || ask(u) != Seen {
					b.Fatal(u, err)
				}
			}
		})
	}
	memory := mustInMemory(b, Config{ExpectURLs: n, Seed: 1})
	logged := mustLogged(b, Config{ExpectURLs: n, Seed: 1})
	only := mustFilterOnly(b, Config{ExpectURLs: n, Seed: 1})
	for _, u := range known {
		for _, s := range []SeenTest{memory, logged, only} {
			s.Admit(u)
		}
	}
	logged.Freeze().Written()
	run("resolve-only", func(weburl.URL) Answer { return Seen })
	run("memory", func(u weburl.URL) Answer { _, a := memory.Admit(u); return a })
	run("logged", func(u weburl.URL) Answer {
		p, a := logged.Admit(u)
		if a == Maybe {
			logged.Found(p)
			a = Seen
		}
		return a
	})
	run("filter-only", func(u weburl.URL) Answer { _, a := only.Admit(u); return a })
}
