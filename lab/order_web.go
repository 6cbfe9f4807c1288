package lab

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"crawler/weburl"
)

// Web is a link graph whose pages have addresses.
type Web struct {
	*Graph
	urls    []weburl.URL
	numbers map[weburl.URL]uint32
}

// LoadWeb reads the link graph of a crawl or of HTML files, as LoadGraph does.
func LoadWeb(ctx context.Context, dir string) (*Web, error) {
	b := newGraphBuilder()
	g, err := b.load(ctx, dir)
	if err != nil {
		return nil, err
	}
	names := make([]string, g.Pages())
	for name, n := range b.numbers {
		if b.pages[n] == 0 {
			continue
		}
		// A page that was redirected to has several names: any will do, in all runs.
		if at := &names[b.pages[n]-1]; *at == "" || name < *at {
			*at = name
		}
	}
	return g.named(func(p int) string { return names[p] })
}

func (g *Graph) named(name func(p int) string) (*Web, error) {
	w := &Web{Graph: g, numbers: make(map[weburl.URL]uint32, g.Pages())}
	for p := range g.Pages() {
		u, err := weburl.Parse(name(p))
		if err != nil {
			return nil, fmt.Errorf("%s: page %d: %w", g.Source, p, err)
		}
		w.urls = append(w.urls, u)
		w.numbers[u] = uint32(p)
	}
	return w, nil
}

// The generated web: what sites and their links are like.
const (
	siteLeast  = 20  // pages of a site, a Pareto distribution of this exponent:
	siteTail   = 1.1 // a few sites have most pages
	siteShare  = 10  // and none more than a tenth
	siteBranch = 8   // pages below each page of a site's tree
	nearLinks  = 8   // further links within the site, always fewer
	farLinks   = 3   // links to other sites, always fewer
	copied     = 0.8 // the share of both that go where another one goes
)

// GenerateWeb makes a web of sites: trees whose pages link home, up, down, to other pages
// of the site and here and there to another site. Most of the latter two go where one
// before went (the copying model, Kumar et al. 2000, with locality), the others anywhere.
// So in-links follow a power law, and which pages have many has nothing to do with the
// distance from the seed, which is the home of one site of many.
func GenerateWeb(ctx context.Context, pages int, seed uint64) (*Web, error) {
	if pages < 1 || pages > MaxGraphPages {
		return nil, fmt.Errorf("lab: a web of %d pages, want 1 to %d", pages, MaxGraphPages)
	}
	m := &webMaker{rnd: rand.New(rand.NewPCG(seed, 9)), links: make([][]uint32, pages), home: make([]uint32, pages)}
	m.divide(pages)
	for done, s := range m.rnd.Perm(len(m.sites)) {
		if done%contextEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		m.near = m.near[:0]
		for j := range m.sites[s].size {
			m.page(m.sites[s], j)
		}
	}
	g := &Graph{Source: fmt.Sprintf("generated sites, seed %d", seed), seeds: []uint32{0}}
	g.fill(m.links)
	return g.named(func(p int) string {
		j := p - int(m.home[p])
		return fmt.Sprintf("http://s%d.example/d%d/p%d.html", m.home[p], max(0, j-1)/siteBranch, j)
	})
}

// webMaker makes links.
type webMaker struct {
	rnd       *rand.Rand
	sites     []webSite
	home      []uint32 // of each page's site
	links     [][]uint32
	near, far []uint32 // targets of links within the site, between sites
}

// webSite is a number of pages from the first, its home, on.
type webSite struct{ first, size int }

func (m *webMaker) divide(pages int) {
	for p := 0; p < pages; {
		size := int(min(float64(pages), siteLeast*math.Pow(1-m.rnd.Float64(), -1/siteTail)))
		size = min(size, max(siteLeast, pages/siteShare), pages-p)
		m.sites = append(m.sites, webSite{p, size})
		for i := range size {
			m.home[p+i] = uint32(p)
		}
		p += size
	}
}

// page makes the links of the page at place j of a site.
func (m *webMaker) page(s webSite, j int) {
	var to []uint32
	own := func(at int) { to = append(to, uint32(s.first+at)) }
	if j > 0 {
		own(0)
		own((j - 1) / siteBranch)
	}
	for child := siteBranch*j + 1; child <= siteBranch*(j+1) && child < s.size; child++ {
		own(child)
	}
	for range m.rnd.IntN(nearLinks) {
		to = append(to, m.target(&m.near, s))
	}
	for range m.rnd.IntN(farLinks) {
		to = append(to, m.target(&m.far, webSite{0, len(m.links)}))
	}
	m.links[s.first+j] = to
}

// target chooses where one more link goes: where one before it went, or anywhere there.
func (m *webMaker) target(before *[]uint32, there webSite) uint32 {
	to := uint32(there.first + m.rnd.IntN(there.size))
	if n := len(*before); n > 0 && m.rnd.Float64() < copied {
		to = (*before)[m.rnd.IntN(n)]
	}
	*before = append(*before, to)
	return to
}
