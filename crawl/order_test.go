package crawl_test

import (
	"fmt"
	"slices"
	"testing"

	"crawler/crawl"
	"crawler/frontier"
)

// What many pages link to comes early under every order but the breadth-first one, also
// when a redirect leads there; nofollow links give nothing.
func TestOrdersSteerTheCrawl(t *testing.T) {
	s := newSite(map[string]*page{
		"a.example/":        {},
		"a.example/moved":   {redirect: "/hub"},
		"a.example/hub":     {},
		"a.example/shunned": {},
	})
	for i := range 200 {
		s.pages["a.example/"].links = append(s.pages["a.example/"].links, fmt.Sprintf("/p%d", i))
		p := &page{html: `<a rel=nofollow href=/shunned>x</a>`, links: []string{"/hub", fmt.Sprintf("/leaf%d", i)}}
		if i%2 == 0 {
			p.links[0] = "/moved"
		}
		s.pages[fmt.Sprintf("a.example/p%d", i)] = p
		s.pages[fmt.Sprintf("a.example/leaf%d", i)] = &page{}
	}
	for order, want := range map[frontier.Order]bool{
		frontier.BreadthFirst: false, frontier.OPIC: true, frontier.InLinks: true, frontier.OPICInLinks: true,
	} {
		n, _ := inBubble(t, s, func(c *crawl.Config) {
			c.MaxPages, c.Workers, c.Gate.Frontier.Order = 20, 1, order
		}, "http://a.example/")
		if got := slices.Contains(n.urls(), "a.example/hub"); got != want {
			t.Errorf("%v: hub fetched among the first 20: %v, want %v", order, got, want)
		}
		if slices.Contains(n.urls(), "a.example/shunned") {
			t.Errorf("%v: a nofollow link was followed", order)
		}
	}
}
