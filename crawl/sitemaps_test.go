package crawl_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"crawler/crawl"
	"crawler/gate"
)

// manySitemaps is a site whose robots.txt names an index of n sitemaps, of which each lists pages.
func manySitemaps(n, pages int) *site {
	xml := http.Header{"Content-Type": {"application/xml"}}
	var index strings.Builder
	all := map[string]*page{"a.example/": {}, "a.example/robots.txt": {html: "Sitemap: http://a.example/index\n", header: plainText}}
	for i := range n {
		fmt.Fprintf(&index, "<sitemap><loc>http://a.example/map%d</loc></sitemap>", i)
		var list strings.Builder
		for j := range pages {
			fmt.Fprintf(&list, "<url><loc>http://a.example/%d/%d</loc></url>", i, j)
			all[fmt.Sprintf("a.example/%d/%d", i, j)] = &page{}
		}
		all[fmt.Sprintf("a.example/map%d", i)] = &page{header: xml, html: "<urlset>" + list.String() + "</urlset>"}
	}
	all["a.example/index"] = &page{header: xml, html: "<sitemapindex>" + index.String() + "</sitemapindex>"}
	return newSite(all)
}

// Sitemaps take no page's place in the limit, and have one of their own, which the pages that
// they list come before.
func TestSitemapsHaveALimitOfTheirOwn(t *testing.T) {
	for _, c := range []struct {
		maps, pages, limit int
		sitemaps, fetched  int // most sitemaps read, pages
		by                 crawl.EndedBy
		refused            int
	}{
		// 49 pages need 10, and the index.
		{maps: 499, pages: 5, limit: 50, sitemaps: 12, fetched: 50, by: crawl.ByMaxPages, refused: 450},
		{maps: 60, pages: 0, limit: 50, sitemaps: 50, fetched: 1, by: crawl.Done, refused: 11},
		{maps: 60, pages: 0, limit: 2, sitemaps: leastSitemaps, fetched: 1, by: crawl.Done, refused: 51},
		{maps: 60, pages: 1, limit: 0, sitemaps: 61, fetched: 61, by: crawl.Done},
	} {
		n, res := inBubble(t, manySitemaps(c.maps, c.pages), func(cfg *crawl.Config) { cfg.Sitemaps, cfg.MaxPages = true, c.limit }, "http://a.example/")
		if res.Sitemaps > c.sitemaps || res.Pages() != c.fetched || res.EndedBy != c.by || res.Skipped[gate.SitemapLimit] != c.refused {
			t.Errorf("%d sitemaps, limit %d: %d sitemaps and %d pages, %s, %v refused", c.maps, c.limit, res.Sitemaps, res.Pages(), res.EndedBy, res.Skipped)
		}
		if len(n.pages) != res.Fetched || res.Fetched != res.Pages()+res.Sitemaps {
			t.Errorf("%d pages recorded, %d counted", len(n.pages), res.Fetched)
		}
	}
}

// leastSitemaps are read however few pages may be.
const leastSitemaps = 10
