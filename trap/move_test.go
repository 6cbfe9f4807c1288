package trap_test

import (
	"fmt"
	"slices"
	"testing"

	"crawler/trap"
	"crawler/weburl"
)

// URLs that redirect are as good as what they lead to: behind a login they wait, behind articles
// they do not.
func TestRedirectsAreAsGoodAsTheirTargets(t *testing.T) {
	for _, tt := range []struct {
		name   string
		target string
		isNew  bool
		text   func(i int) string // of what they lead to, nil if that is not fetched
		waits  bool
	}{
		{"to articles", "http://a.test/article/%d", true, func(i int) string { return prose(i, 300) }, false},
		{"to articles that are not fetched yet", "http://a.test/article/%d", true, nil, true},
		{"to one login", "http://a.test/login", false, nil, true},
		{"to a login with a way back", "http://a.test/login?back=%d", true, func(int) string { return "please log in" }, true},
		{"to their own pattern", "http://a.test/go/%d9", true, func(i int) string { return prose(i, 300) }, false},
	} {
		g := trap.New(trap.Config{})
		for i := range 40 {
			to := tt.target
			if tt.isNew {
				to = fmt.Sprintf(tt.target, i)
			}
			g.Moved(mustParse(t, fmt.Sprintf("http://a.test/go/%d", i)), mustParse(t, to), tt.isNew)
			if tt.text != nil {
				fetched(t, g, to, tt.text(i))
			}
		}
		if v := g.Judge(mustParse(t, "http://a.test/go/1000"), ""); v.Kind != "" || v.Rank > 0 != tt.waits {
			t.Errorf("%s: %+v, want it to wait: %t", tt.name, v, tt.waits)
		}
	}
}

// fetched learns a page without links.
func fetched(t *testing.T, g *trap.Guard, url, text string) {
	t.Helper()
	var s trap.Sampler
	u := mustParse(t, url)
	g.Watch(u, mustParse(t, "http://a.test/"))
	g.Learn(s.Page(u, 200, words(text), nil, nil, 0, 1))
}

// Redirects that bring nothing are refused after a budget of them if there is no end of them: pages
// that are copies lead to more and more. A list of as many that ends is fetched.
func TestRedirectsWithoutEnd(t *testing.T) {
	const budget = 50
	for _, endless := range []bool{true, false} {
		g := trap.New(trap.Config{Budget: budget})
		asked := 0
		for i := range 10 * budget {
			u := mustParse(t, fmt.Sprintf("http://a.test/wish/%d", i))
			if g.Judge(u, "").Kind != "" {
				break
			}
			asked++
			g.Moved(u, mustParse(t, "http://a.test/login"), false)
			if endless {
				var s trap.Sampler
				cart := mustParse(t, fmt.Sprintf("http://a.test/cart/%d", i))
				g.Watch(cart, u)
				g.Link(mustParse(t, fmt.Sprintf("http://a.test/wish/%d", i+1)), false)
				g.Learn(s.Page(cart, 200, words("your cart is empty"), nil, nil, 0, 1))
			}
		}
		switch closed := g.Closed(); {
		case !endless && asked < 10*budget:
			t.Errorf("a list of redirects is closed after %d: %+v", asked, closed)
		case endless && asked > budget+budget/20:
			t.Errorf("%d redirects without end, want %d", asked, budget)
		case endless && !opens(g):
			t.Error("redirects to articles do not open it")
		case endless && closed[len(closed)-1].Why != fmt.Sprintf("the last %d URLs redirected to known pages, or to such as are refused", asked):
			t.Errorf("%+v", closed)
		}
	}
}

// opens reports whether the wishes that are closed open when the last look leads to articles.
func opens(g *trap.Guard) bool {
	for _, c := range g.Closed() {
		if c.Pattern == "a.test/wish/#" {
			for i := range g.Probe(c.ID, 8) {
				u, _ := weburl.Parse(fmt.Sprintf("http://a.test/wish/9%d", i))
				to, _ := weburl.Parse(fmt.Sprintf("http://a.test/article/%d", i))
				g.Moved(u, to, true)
			}
			return slices.Contains(g.Reopened(), c.ID)
		}
	}
	return false
}

// That the pages of a maze lead to more and more of them says little of pages of the same shape: a
// footer with three links into a maze must not have the articles wait for it.
func TestMazesSayLittleOfOthers(t *testing.T) {
	g := trap.New(trap.Config{})
	var s trap.Sampler
	lore := func(i int) string {
		return fmt.Sprintf("http://a.test/lore/%s/%s", word(uint64(i%50)), word(uint64(1000+i)))
	}
	for i := range 60 {
		g.Watch(mustParse(t, lore(i)), mustParse(t, lore(i/2)))
		g.Link(mustParse(t, lore(2*i+1)), false)
		g.Link(mustParse(t, lore(2*i+2)), false)
		g.Learn(s.Page(mustParse(t, lore(i)), 200, words(prose(i, 200)), nil, nil, 0, 1))
	}
	article := mustParse(t, "http://a.test/papers/the-first")
	first, more := g.Judge(article, "http://a.test/list?page=1"), g.Judge(mustParse(t, lore(99)), lore(49))
	if first.Rank >= more.Rank {
		t.Errorf("an article has rank %d, more of the maze %d", first.Rank, more.Rank)
	}
	for i := range 20 {
		u := mustParse(t, "http://a.test/papers/"+word(uint64(2000+i)))
		g.Watch(u, mustParse(t, "http://a.test/list?page=1"))
		g.Learn(s.Page(u, 200, words(prose(1000+i, 200)), nil, nil, 0, 1))
	}
	if v := g.Judge(article, "http://a.test/list?page=1"); v.Rank > 0 {
		t.Errorf("after 20 articles the next one has rank %d", v.Rank)
	}
}
