package trap_test

import (
	"fmt"
	"strings"
	"testing"

	"crawler/trap"
	"crawler/weburl"
)

// quoted is a text with a quotation that is another each time.
type quoted int

func (q *quoted) text(text string) string {
	*q++
	return text + prose(100_000+int(*q), 8)
}

// among returns how many pages with a prefix, sessions and queries left out, are among the first n.
func among(paths []string, n int, prefix string) int {
	own := map[string]bool{}
	for _, path := range paths[:min(n, len(paths))] {
		if strings.HasPrefix(path, prefix) && !strings.ContainsAny(path, ";?") {
			own[path] = true
		}
	}
	return len(own)
}

// Each article of twelve sections links to itself under a new session, and has a quotation that
// changes: no text is a copy, word by word, and the sessions are of the articles' patterns.
func TestSessionsAmidTextThatChanges(t *testing.T) {
	const sections, articles = 8, 60
	var q quoted
	name := func(i int) string { return strings.Repeat(string(rune('a'+i%26)), 4+i/26) }
	fetched := pages(trap.New(trap.Config{}), 4*sections*articles, func(path string) string {
		path, _, _ = strings.Cut(path, ";")
		list := ""
		parts := strings.Split(path, "/")
		switch {
		case path == "/":
			for k := range sections {
				list += link("/news/" + name(k))
			}
			return q.text(prose(1, 60)) + list
		case len(parts) == 3:
			for i := range articles {
				list += link(path + "/" + name(i))
			}
			return q.text(prose(2, 20)) + list
		case len(parts) == 4:
			h := 0
			for _, c := range path {
				h = 31*h + int(c)
			}
			return q.text(prose(h&0xffff, 120)) + link(fmt.Sprintf("%s;jsessionid=%08x%08x", path, int(q)*7919, int(q)*104729))
		}
		return ""
	})
	const n = 1 + sections + sections*articles
	if got := among(fetched, n, "/"); got < n*95/100 {
		t.Errorf("%d of %d pages among as many", got, n)
	}
}

// Goods link to others with the address from which these are asked for, before the lists have come
// to them: their own addresses are copies then, but not such that have no end.
func TestOwnAddressesOfAskedPages(t *testing.T) {
	const goods = 900
	fetched := pages(trap.New(trap.Config{}), 1<<20, func(path string) string {
		path, query, _ := strings.Cut(path, "?")
		var i int
		if _, err := fmt.Sscanf(path, "/list/%d", &i); err == nil || path == "/" {
			list := ""
			for k := 10 * i; k < min(goods, 10*i+10); k++ {
				list += link(fmt.Sprintf("/goods/%d", k))
			}
			if next := i + 1; 10*next < goods {
				list += link(fmt.Sprintf("/list/%d", next))
			}
			return list
		}
		if _, err := fmt.Sscanf(path, "/goods/%d", &i); err != nil {
			return ""
		}
		text := prose(i, 40)
		if query == "" {
			for k := 1; k <= 6; k++ {
				text += link(fmt.Sprintf("/goods/%d?similar=%d", (i*7+k*131)%goods, i))
			}
		}
		return text
	})
	if got := among(fetched, len(fetched), "/goods/"); got != goods {
		t.Errorf("%d of %d goods under their own addresses, after %d pages", got, goods, len(fetched))
	}
}

// A page's own address, if it was fetched with a query before, is no copy; another writing of an
// address is one.
func TestOwnAddressCountsOnce(t *testing.T) {
	for _, asked := range []bool{true, false} {
		g := newGuard()
		at := func(i int, query string) string { return fmt.Sprintf("http://a.test/goods/%d%s", i, query) }
		for i := range 40 {
			query := "?similar=1"
			if !asked {
				query = ""
			}
			teach(t, g, at(i, query), at(0, ""), prose(i, 60))
		}
		for i := range 30 {
			teach(t, g, at(i, "/"), at(0, ""), prose(i, 60)) // the own address, or a copy
		}
		free := func(i int, query string) bool {
			v := judge(t, g, at(i, query))
			return v.Kind == "" && v.Rank == 0
		}
		if free(39, "/") != asked {
			t.Errorf("asked for before, %t: %+v", asked, judge(t, g, at(39, "/")))
		}
		for i := range 30 {
			teach(t, g, fmt.Sprintf("http://a.test/%d/goods", i), at(0, ""), prose(i, 60))
		}
		if v := judge(t, g, "http://a.test/1000/goods"); v.Kind == "" && v.Rank == 0 {
			t.Error("copies in another writing cost nothing")
		}
	}
}

// Posts show their topics, with a quotation that changes: no part of their text but that is new to
// the site.
func TestQuotationsAreNoNews(t *testing.T) {
	for _, copies := range []bool{true, false} {
		g := newGuard()
		var q quoted
		for i := range 40 {
			teach(t, g, fmt.Sprintf("http://a.test/topic?t=%d", i), "http://a.test/", q.text(prose(i, 400)))
		}
		for i := range 30 {
			n := i
			if !copies {
				n += 1000
			}
			teach(t, g, fmt.Sprintf("http://a.test/post?p=%d", 3*i), "http://a.test/", q.text(prose(n, 400))+q.text("")+q.text("")+q.text(""))
		}
		if v := judge(t, g, "http://a.test/post?p=99"); (v.Rank > 0) != copies {
			t.Errorf("copies, %t: %+v", copies, v)
		}
	}
}

// Pages that name another URL as their own wait, whatever they say, but are not refused for that: a
// site may be mistaken. That all are the start page says nothing.
func TestPagesThatNameAnotherWait(t *testing.T) {
	g := newGuard()
	var s trap.Sampler
	print := func(i int) string { return fmt.Sprintf("http://a.test/print?n=%d", i) }
	for i := range 2 * trap.DefaultBudget {
		u := mustParse(t, print(i))
		g.Watch(u, mustParse(t, "http://a.test/"))
		p := s.Page(u, 200, words(prose(i, 60)), nil, nil, 0, 1)
		p.Another = trap.NamesAnother(u, mustParse(t, page(i)))
		g.Learn(p)
		if i == 60 {
			if v := judge(t, g, print(i+1)); v.Rank < 3 {
				t.Errorf("%+v", v)
			}
		}
	}
	if v := judge(t, g, print(-1)); v.Kind != "" {
		t.Errorf("%+v", v)
	}
	for canonical, want := range map[string]bool{
		"http://a.test/b":      true,
		"http://a.test/a?b=1":  true,
		"http://a.test/a":      false,
		"https://www.a.test/a": false, // as the same page
		"http://a.test/":       false,
		"http://www.a.test/b":  true,
		"http://b.test/b":      false, // another site's text, which is here all the same
	} {
		if got := trap.NamesAnother(mustParse(t, "http://a.test/a"), mustParse(t, canonical)); got != want {
			t.Errorf("%s: %t", canonical, got)
		}
	}
	if trap.NamesAnother(mustParse(t, "http://a.test/a"), weburl.URL{}) {
		t.Error("no URL is another")
	}
}

// Pages that ask not to be indexed wait, whatever they say, such as the search results and
// histories of many programs, but are not refused for that.
func TestPagesThatAskNotToBeIndexedWait(t *testing.T) {
	g := newGuard()
	var s trap.Sampler
	learn := func(path string, i int, noIndex bool) {
		u := mustParse(t, "http://a.test"+path)
		g.Watch(u, mustParse(t, "http://a.test/"))
		p := s.Page(u, 200, words(prose(i, 60)), nil, nil, 0, 1)
		p.NoIndex = noIndex
		g.Learn(p)
	}
	for i := range 2 * trap.DefaultBudget {
		learn(fmt.Sprintf("/view?of=%d", i), 2*i, true)
		learn(fmt.Sprintf("/post?p=%d", i), 2*i+1, false)
		if i != 60 {
			continue
		}
		if asks, does := judge(t, g, "http://a.test/view?of=-1"), judge(t, g, "http://a.test/post?p=61"); asks.Rank < 3 || does.Rank > 0 {
			t.Errorf("one asks, %+v, and one does not, %+v", asks, does)
		}
	}
	if v := judge(t, g, "http://a.test/view?of=-1"); v.Kind != "" {
		t.Errorf("%+v", v)
	}
}

// Of one program it is the value of a parameter that tells which pages ask.
func TestValuesThatAskNotToBeIndexed(t *testing.T) {
	g := newGuard()
	var s trap.Sampler
	at := func(i int, action string) string {
		return fmt.Sprintf("http://a.test/w/index?title=%s&action=%s", called(i), action)
	}
	for i := range 60 {
		for k, action := range []string{"read", "log"} {
			u := mustParse(t, at(i, action))
			g.Watch(u, mustParse(t, "http://a.test/"))
			p := s.Page(u, 200, words(prose(2*i+k, 60)), nil, nil, 0, 1)
			p.NoIndex = action == "log"
			g.Learn(p)
		}
	}
	if asks, does := judge(t, g, at(99, "log")), judge(t, g, at(99, "read")); asks.Rank < does.Rank+4 {
		t.Errorf("one asks, %+v, and one does not, %+v", asks, does)
	}
}
