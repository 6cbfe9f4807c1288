package trap_test

import (
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"crawler/trap"
)

// What a feed shows of articles that were fetched is new to the feed, and not to the site: its
// pages wait for those of other patterns, and are not closed for it.
func TestWhatTheSiteHasSaidWaits(t *testing.T) {
	g := newGuard()
	feed := func(i int) string { return fmt.Sprintf("http://a.test/stream/%d", i) }
	for i := range 40 {
		teach(t, g, page(i), page(0), prose(i, 60))
	}
	for i := range 12 {
		teach(t, g, feed(i), page(0), prose(3*i, 60)+prose(3*i+1, 60)+prose(3*i+2, 60))
	}
	if v := judge(t, g, feed(12)); v.Kind != "" || v.Rank < 4 {
		t.Errorf("the next page of the feed: %+v", v)
	}
	for _, url := range []string{page(40), "http://a.test/about/us"} {
		if v := judge(t, g, url); v.Rank > 0 {
			t.Errorf("%s: %+v", url, v)
		}
	}
	for i := range 20 { // and when it says something of its own
		teach(t, g, feed(12+i), page(0), prose(100+i, 60))
	}
	if v := judge(t, g, feed(40)); v.Rank > 0 {
		t.Errorf("after news: %+v", v)
	}
}

// Pages that wait, but pay for themselves, are fetched several at a time. Those of a pattern that
// is young, or brings only copies, wait until those on their way have come.
func TestPagesThatPayAreFetchedTogether(t *testing.T) {
	feed := func(i int) string { return fmt.Sprintf("http://a.test/stream/%d", i) }
	for _, c := range []struct {
		pages  int
		copies bool
		wait   bool
	}{{12, false, false}, {4, false, true}, {12, true, true}} {
		g := newGuard()
		for i := range 40 {
			teach(t, g, page(i), page(0), prose(i, 60))
		}
		for i := range c.pages {
			n := i
			if c.copies {
				n = 0
			} else if i%4 == 3 {
				n = 100 + i // news
			}
			teach(t, g, feed(i), page(0), prose(3*n, 60)+prose(3*n+1, 60)+prose(3*n+2, 60))
		}
		l := g.Lease(mustParse(t, feed(100)), trap.Verdict{})
		if v := judge(t, g, feed(101)); (v.Rank == 0) != (c.pages < 8) || v.Wait != c.wait {
			t.Errorf("%+v: %+v", c, v)
		}
		g.Ended(l)
	}
}

// A URL that adds a parameter to one that was fetched waits until the pattern has shown that this
// brings another page; the first of a pattern does not.
func TestAddedParametersWait(t *testing.T) {
	reply := func(i, n int) string { return fmt.Sprintf("%s?answer=%d", page(i), n) }
	for _, copies := range []bool{true, false} {
		g := newGuard()
		for i := range 20 {
			teach(t, g, page(i), page(0), prose(i, 60))
		}
		if v := judge(t, g, reply(3, 1)); v.Rank > 0 {
			t.Errorf("copies %t: the first: %+v", copies, v)
		}
		l := g.Lease(mustParse(t, reply(3, 1)), trap.Verdict{})
		if v := judge(t, g, reply(4, 2)); !v.Wait {
			t.Errorf("copies %t: another: %+v", copies, v)
		}
		g.Ended(l)
		for i := range 8 {
			n := 100 + i
			if copies {
				n = i
			}
			teach(t, g, reply(i, i), page(i), prose(n, 60))
		}
		v := judge(t, g, reply(15, 99))
		if (v.Rank >= 6) != copies || (v.Rank == 0) == copies {
			t.Errorf("copies %t: after eight: %+v", copies, v)
		}
	}
}

// Addresses that copy each other's pages are as made up as names are: their pages wait, and what
// they have of their own does not.
func TestRandomAddresses(t *testing.T) {
	at := func(i, j int) string { return fmt.Sprintf("http://10.%d.%d.7/p/%d", i%256, i/256, j) }
	g := trap.New(trap.Config{})
	for i := range 30 {
		teach(t, g, at(i, i%5), at(0, 0), prose(i%5, 60))
	}
	if v := judge(t, g, at(99, 3)); v.Rank < 4 {
		t.Errorf("a page that others have: %+v", v)
	}
	own := trap.New(trap.Config{})
	for i := range 30 {
		teach(t, own, at(i, i%5), at(0, 0), prose(i, 60))
	}
	if v := judge(t, own, at(99, 3)); v.Rank > 1 {
		t.Errorf("where each has its own: %+v", v)
	}
}

// The more pages have led to others and none back, the longer the next ones wait.
func TestPagesThatOnlyLeadOnWait(t *testing.T) {
	g, last := trap.New(trap.Config{}), uint8(0)
	url := func(i int) string { return fmt.Sprintf("http://a.test/maze/%d", i) }
	for i := range 30 {
		teach(t, g, url(i), url(i/3), prose(i, 60), url(3*i+1), url(3*i+2), url(3*i+3))
		if v := judge(t, g, url(1000)); v.Rank < last {
			t.Errorf("after %d pages: %+v", i+1, v)
		} else {
			last = v.Rank
		}
	}
	if last < 3 {
		t.Errorf("rank %d after 30 pages", last)
	}
	teach(t, g, url(30), url(10), prose(30, 60)) // a leaf
	teach(t, g, url(31), url(10), prose(31, 60))
	if v := judge(t, g, url(1000)); v.Rank >= last {
		t.Errorf("after two leaves: %+v, and rank %d before", v, last)
	}
}

// A list whose pages end is no maze, however often it leads on itself; nobody has to find its end.
func TestPagesThatEndCountForTheirList(t *testing.T) {
	list := func(i int) string { return fmt.Sprintf("http://a.test/list/%d", i) }
	rank := func(ends bool) uint8 {
		// Such a list breeds, which is not what is meant here.
		g := trap.New(trap.Config{}).Without(slices.Index(trap.Rules, "breeds"))
		for i := range 20 {
			teach(t, g, list(i), list(i-1), prose(2*i, 60), list(3*i+1), list(3*i+2), list(3*i+3))
			var more []string
			if !ends {
				more = []string{page(100 + 2*i), page(101 + 2*i)}
			}
			teach(t, g, page(i), list(i), prose(2*i+1, 60), more...)
		}
		return judge(t, g, list(100)).Rank
	}
	if ends, not := rank(true), rank(false); ends != 0 || not < 2 {
		t.Errorf("the next list has rank %d, and %d where nothing ends", ends, not)
	}
}

// The same path at another host of the domain waits until such pages were shown to be others.
func TestSamePathAtAnotherHostWaits(t *testing.T) {
	at := func(host, i int) string { return fmt.Sprintf("http://h%d.a.test/p/%d", host, i) }
	for _, copies := range []bool{true, false} {
		g := trap.New(trap.Config{})
		for i := range 5 {
			teach(t, g, at(0, i), at(0, 0), prose(i, 60))
		}
		if v := judge(t, g, at(1, 3)); v.Rank < 2 {
			t.Errorf("copies %t: the first: %+v", copies, v)
		}
		for i := range 5 {
			n := 100 + i
			if copies {
				n = i
			}
			teach(t, g, at(1+i, i), at(0, 0), prose(n, 60))
		}
		if v := judge(t, g, at(9, 3)); (v.Rank >= 4) != copies || (v.Rank < 2) == copies {
			t.Errorf("copies %t: after five: %+v", copies, v)
		}
		if v := judge(t, g, at(9, 77)); !copies && v.Rank > 0 {
			t.Errorf("another path: %+v", v)
		}
	}
}

// What selects by two parameters is worth less than what does not, however new: the next one waits.
// A parameter that is the same for all selects nothing.
func TestSelectionsWait(t *testing.T) {
	g := trap.New(trap.Config{})
	queries := []string{"id=%[1]d", "a=%[2]d&b=%[1]d", "tree=1&person=%[1]d"}
	url := func(query string, i int) string { return fmt.Sprintf("http://a.test/list?"+query, i, i%3) }
	for i := range 20 {
		for k, query := range queries {
			teach(t, g, url(query, i), page(0), prose(3*i+k, 60))
		}
	}
	for k, query := range queries {
		if v := judge(t, g, url(query, 99)); (v.Rank >= 2) != (k == 1) || k != 1 && v.Rank > 0 {
			t.Errorf("%s: %+v", query, v)
		}
	}
}

// Pages of a pattern that answers for itself are none of the wide one's, so that few lists that
// lead to more of them are no maze yet, however many articles there are.
func TestFewListsAreNoMaze(t *testing.T) {
	g := newGuard()
	article := func(i int) string { return fmt.Sprintf("http://a.test/article/%d", i) }
	list := func(i int) string {
		return fmt.Sprintf([]string{"http://a.test/list/%d", "http://a.test/more/%d"}[i%2], i)
	}
	for i := range 12 {
		teach(t, g, article(i), article(i/2+100), prose(i, 60), article(2*i+50), article(2*i+51))
	}
	for i := 12; i < 60; i++ {
		teach(t, g, article(i), article(i-1), prose(i, 60))
	}
	for i := range 12 {
		teach(t, g, list(i), list(i/2), "a list", list(3*i+1), list(3*i+2), list(3*i+3))
	}
	if v := judge(t, g, list(30)); v.Rank > 10 {
		t.Errorf("after twelve lists: %+v", v)
	}
}

// Of two patterns whose pages are worth as much, the one that will end comes first, whichever was
// met first. What breeds has its turn now and then, so that nothing holds it up for ever.
func TestWhatEndsComesFirst(t *testing.T) {
	related := func(i int) string { return fmt.Sprintf("http://a.test/related/%d", i) }
	for births := range 5 {
		g := trap.New(trap.Config{})
		for i := range 20 {
			teach(t, g, page(i), "http://a.test/", prose(2*i, 60))
			var more []string
			for j := range births {
				more = append(more, related(10*i+j))
			}
			teach(t, g, related(1000+i), page(i), prose(2*i+1, 60), more...)
		}
		const all = 480 // of 512 pages and more any would wait: see TestManyPagesWait
		waits := 0
		for i := range all {
			teach(t, g, page(100+i), "http://a.test/", prose(1000+i, 60))
			if v := judge(t, g, page(5000)); v.Rank > 0 {
				t.Fatalf("%d births: the next page waits: %+v", births, v)
			}
			if v := judge(t, g, related(5000)); v.Rank > 0 {
				waits++
			}
		}
		if births < 2 && waits > 0 || births >= 2 && (waits < 0.95*all || waits == all) {
			t.Errorf("%d births: it waits %d times of %d", births, waits, all)
		}
	}
}

// A pattern of very many pages waits a rank longer with each doubling, however good they are, but
// now and then.
func TestManyPagesWait(t *testing.T) {
	g := trap.New(trap.Config{})
	for i := range 2100 {
		teach(t, g, page(i), "http://a.test/", prose(i, 40))
		want, rank := uint8(bits.Len(uint(i+1)/512)), judge(t, g, page(i+1)).Rank
		if rank != want && rank > 0 {
			t.Fatalf("after %d pages: rank %d, want %d", i+1, rank, want)
		}
		if i == 2047 && rank == 0 {
			t.Error("2,048 pages do not wait")
		}
	}
}

// A pattern is not put behind others whose pages have led to more of their kind than its own do,
// nor if there are hardly any.
func TestOnlyWhatBreedsMoreWaits(t *testing.T) {
	related := func(i int) string { return fmt.Sprintf("http://a.test/related/%d", i) }
	for _, c := range []struct {
		pages, births int // of others, and what each of them leads to
		waits         bool
	}{{20, 0, true}, {20, 2, true}, {20, 3, true}, {20, 5, false}, {8, 0, true}, {7, 0, false}, {0, 0, false}} {
		g := trap.New(trap.Config{})
		for i := range 20 {
			if i < c.pages {
				var more []string
				for j := range c.births {
					more = append(more, page(1000+10*i+j))
				}
				teach(t, g, page(i), "http://a.test/", prose(2*i, 60), more...)
			}
			more := []string{related(10 * i), related(10*i + 1), related(10*i + 2), related(10*i + 3)}
			teach(t, g, related(1000+i), "http://a.test/", prose(2*i+1, 60), more...)
		}
		if v := judge(t, g, related(5000)); (v.Rank > 0) != c.waits {
			t.Errorf("%d others that lead to %d each: %+v", c.pages, c.births, v)
		}
	}
}

// However good the pages of a pattern that breeds are, it waits the longer the more there were:
// others of which little is known, and that seem to be worth less, have their turn.
func TestWhatBreedsWaitsTheLongerTheMoreItHad(t *testing.T) {
	related := func(i int) string { return fmt.Sprintf("http://a.test/related/%d", i) }
	g := trap.New(trap.Config{})
	for i := range 20 {
		teach(t, g, page(i), "http://a.test/", prose(i, 60))
	}
	for i := range 600 {
		teach(t, g, related(1e6+i), "http://a.test/", prose(1000+i, 60), related(3*i), related(3*i+1), related(3*i+2))
		want := map[int]uint8{20: 1, 60: 1, 66: 2, 126: 2, 130: 3, 260: 4, 520: 5}[i]
		if v := judge(t, g, related(5e6)); want > 0 && v.Rank != want {
			t.Errorf("after %d pages: %+v, want rank %d", i+1, v, want)
		}
	}
	// Of the same pattern, but spelt in another way.
	other := func(i int) string { return fmt.Sprintf("http://a.test/related/%d.%d", i, i) }
	for i := range 4 {
		teach(t, g, other(i), "http://a.test/", prose(5000+i, 60), related(9000+2*i), related(9001+2*i))
	}
	if v := judge(t, g, other(99)); v.Rank != 1 {
		t.Errorf("what is spelt in another way, after 4 pages: %+v", v)
	}
}

// A chain that has shown no end in 32 pages waits for others that are as likely: its next page
// would come first for ever, since it is only known when the one before was fetched. It does not
// wait where it ends, or if its host has hardly anything else.
func TestChainsWithoutAnEndWait(t *testing.T) {
	comments := func(i int) string { return fmt.Sprintf("http://a.test/comments?page=%d", i) }
	for _, c := range []struct {
		pages, others int // of the chain, and of others
		ends          int // each of the chain's that lead no further
		rank          uint8
	}{{31, 20, 99, 0}, {32, 20, 99, 1}, {130, 20, 999, 3}, {32, 20, 8, 0}, {32, 7, 99, 0}} {
		g := trap.New(trap.Config{})
		for i := range c.others {
			teach(t, g, page(i), "http://a.test/", prose(2*i, 60))
		}
		for i := range c.pages {
			var next []string
			if i%c.ends != c.ends-1 {
				next = append(next, comments(i+2))
			}
			teach(t, g, comments(i+1), comments(i), prose(2*i+1, 60), next...)
		}
		if v := judge(t, g, comments(c.pages+1)); v.Rank != c.rank {
			t.Errorf("%+v: %+v", c, v)
		}
	}
}

// The goods of a shop do not wait with the selections below the lists that have both: what answers
// for .html is something else.
func TestKindsOfFilesAreApart(t *testing.T) {
	for end, waits := range map[string]bool{".html": false, "": true} {
		g := trap.New(trap.Config{})
		list := func(i int) string { return "http://a.test/shop/" + dirName(i) }
		for i := range 8 {
			teach(t, g, list(i), "http://a.test/shop", prose(i, 60))
			for k := range 6 {
				teach(t, g, list(i)+"/colour-"+dirName(k), list(i), prose(0, 60), list(i)+"/colour-"+dirName(k)+"/size-"+dirName(i))
			}
		}
		if v := judge(t, g, list(9)+"/chair"+end); v.Rank > 2 != waits {
			t.Errorf("goods that end in %q: %+v", end, v)
		}
	}
}

// A young chain waits if the chains before it showed no end: the pages of comments of each article
// are a pattern of their own.
func TestChainsWaitLikeOthersBefore(t *testing.T) {
	comments := func(post, i int) string {
		return fmt.Sprintf("http://a.test/2020/%s/comment-page-%d", dirName(post), i)
	}
	for _, c := range []struct {
		chains int
		ends   int // each page of a chain that leads no further
		rank   uint8
	}{{10, 99, 1}, {10, 4, 0}, {4, 99, 0}} {
		g := trap.New(trap.Config{})
		for i := range 30 {
			teach(t, g, page(i), "http://a.test/", prose(2*i, 60))
		}
		for post := range c.chains {
			for i := 1; i < 8; i++ {
				var next []string
				if i%c.ends != c.ends-1 {
					next = append(next, comments(post, i+1))
				}
				teach(t, g, comments(post, i), comments(post, i-1), prose(2*(100*post+i)+1, 60), next...)
			}
		}
		teach(t, g, comments(99, 1), "http://a.test/2020/"+dirName(99), prose(1, 60), comments(99, 2))
		if v := judge(t, g, comments(99, 2)); v.Rank != c.rank {
			t.Errorf("%+v: %+v", c, v)
		}
	}
}

// The commits of a repository, each of which leads to one more, are a chain without an end, though
// the next one is known but for its key: pages were others for other keys. So are the revisions of
// a page, each of which also leads to what compares it with another.
func TestChainsOfKeysWait(t *testing.T) {
	commit := func(i int) string { return fmt.Sprintf("http://a.test/tool/commit/%040x", 0x1f2e3d4c5b6a7988+i*i*977) }
	revision := func(i int) string { return fmt.Sprintf("http://a.test/revision/%d", i) }
	for _, c := range []struct {
		at  func(int) string
		and func(int) []string
	}{
		{commit, func(int) []string { return nil }},
		{revision, func(i int) []string {
			return []string{fmt.Sprintf("http://a.test/compare/%d/%d", i, i-1)}
		}},
	} {
		g := trap.New(trap.Config{})
		for i := range 20 {
			teach(t, g, page(i), "http://a.test/", prose(2*i, 60))
		}
		for i := range 200 {
			u := mustParse(t, c.at(i+1))
			g.Watch(u, mustParse(t, c.at(i)))
			g.Link(mustParse(t, page(i)), true)
			for _, to := range append(c.and(i), c.at(i+2)) {
				g.Link(mustParse(t, to), false)
			}
			var s trap.Sampler
			g.Learn(s.Page(u, 200, words(prose(2*i+1, 60)), nil, nil, 0, 1))
		}
		if v := judge(t, g, c.at(201)); v.Rank < 2 {
			t.Errorf("%s: %+v", c.at(201), v)
		}
	}
}

// Sections that are alike differ a little by chance, so neither waits for the other.
func TestSectionsThatAreAlikeDoNotWait(t *testing.T) {
	section := func(s, i int) string { return fmt.Sprintf("http://a.test/s%d/%d", s, i) }
	g := trap.New(trap.Config{})
	for i := range 40 {
		for s := range 2 {
			var more []string
			for k := range 4 + s*(i%2) { // 4, and 4.5 on average
				more = append(more, section(s, 1000+10*i+k))
			}
			teach(t, g, section(s, i), "http://a.test/", prose(2*i+s, 60), more...)
		}
	}
	if a, b := judge(t, g, section(0, 5000)), judge(t, g, section(1, 5000)); a.Rank > 0 || b.Rank > 0 {
		t.Errorf("%+v, %+v", a, b)
	}
}

// What is known and linked to under another session each time is not new, so it is no sign that
// there is no end.
func TestSessionsBreedNothing(t *testing.T) {
	list := func(n, session int) string {
		return fmt.Sprintf("http://a.test/list?page=%d&sid=%016x%016x", n, 7919*(session+1), 104729*(session+1))
	}
	for name, first := range map[string]int{"known": 0, "new": 100} {
		g, without := trap.New(trap.Config{}), trap.New(trap.Config{}).Without(slices.Index(trap.Rules, "breeds"))
		for i := range 40 {
			var others []string
			for k := range min(i, 3) {
				others = append(others, list(first+3*i-k-1-2*i*one(first == 0), i))
			}
			for _, g := range []*trap.Guard{g, without} {
				teach(t, g, page(i), "http://a.test/", prose(500+i, 60))
				teach(t, g, list(i, i-1), "http://a.test/", prose(i, 60), others...)
			}
		}
		v, w := judge(t, g, list(5000, 50)), judge(t, without, list(5000, 50))
		if v.Rank-w.Rank != uint8(one(name == "new")) {
			t.Errorf("%s: the next page of the list: %+v, if nothing bred %+v", name, v, w)
		}
	}
}

// What is known of a host's pages is what its patterns know, also when some are forgotten, and when
// a form is read.
func TestBroodsAreThoseOfThePatterns(t *testing.T) {
	hosts := 0
	check := func(g *trap.Guard, when string) {
		t.Helper()
		ok, n := g.BroodsAdd()
		if hosts = max(hosts, n); !ok {
			t.Fatalf("%s, with %d hosts: it is not", when, n)
		}
	}
	// With one of them the second of a new page's two patterns is one too many.
	for _, most := range []int{64, 65} {
		cfg := trap.Config{Patterns: most}
		g := trap.New(cfg)
		g.KeepEvents()
		before := marshal(t, g)
		for i := range 600 {
			url := fmt.Sprintf("http://h%d.b%d.test/d%d/p%d", i%7, i%40, i%11, i)
			teach(t, g, url, "http://a.test/", prose(i, 60), url+"0", url+"1")
			check(g, fmt.Sprint("after page ", i))
		}
		if hosts < 2 {
			t.Errorf("%d hosts at most", hosts)
		}
		again := trap.New(cfg)
		if err := again.UnmarshalBinary(before); err != nil {
			t.Fatal(err)
		}
		if err := again.Replay(g.TakeEvents()); err != nil {
			t.Fatal(err)
		}
		check(again, "after a replay")
		few := trap.New(trap.Config{Patterns: 20})
		if err := few.UnmarshalBinary(marshal(t, g)); err != nil {
			t.Fatal(err)
		}
		check(few, "read by a guard of fewer patterns")
	}
}

// Ways to look at an article may be of its pattern, but there are as many as there are articles:
// they say nothing of whether there is an end of these.
func TestAspectsBreedNothing(t *testing.T) {
	article := func(i int) string { return "http://a.test/news/" + word(uint64(7919*(i+60))) }
	aspects := func(i int) []string {
		return []string{article(i) + "/print", article(i) + "/email", article(i) + "/comments"}
	}
	more := func(i int) []string { return []string{article(900 + 3*i), article(901 + 3*i), article(902 + 3*i)} }
	for name, births := range map[string]func(int) []string{"aspects": aspects, "articles": more} {
		g := trap.New(trap.Config{})
		for i := range 40 {
			teach(t, g, page(i), "http://a.test/", prose(500+i, 60))
			teach(t, g, article(i), "http://a.test/", prose(i, 60), births(i)...)
			if i < 20 { // so that they are known to be of the articles' pattern
				teach(t, g, article(i)+"/print", article(i), prose(100+i, 60))
			}
		}
		if v := judge(t, g, article(99)); (v.Rank > 0) != (name == "articles") {
			t.Errorf("%s: the next article: %+v", name, v)
		}
	}
}

// A queue of URLs has ranks up to 127: docs/format/frontier.md.
func TestRanksFitTheQueue(t *testing.T) {
	if trap.MostRank > 127 {
		t.Errorf("ranks up to %d", trap.MostRank)
	}
}

// Each question of a quiz leads to the next one and says two words that are its own: by its two
// parameters that is no selection. Selections, each of which leads to others, are.
func TestPagesInChainsAreNoSelections(t *testing.T) {
	for _, tt := range []struct {
		next int // pages to which each leads
		all  bool
	}{{1, true}, {3, false}} {
		const quizzes, questions, perPage = 140, 12, 30
		get := func(path string) string {
			var quiz, q, page int
			if path == "/" {
				return link("/quizzes?page=0")
			}
			if k, _ := fmt.Sscanf(path, "/quizzes?page=%d", &page); k == 1 {
				body := prose(9999, 60)
				for i := range min(perPage, quizzes-perPage*page) {
					body += link(fmt.Sprintf("/quiz.php?id=%d&q=1", perPage*page+i))
				}
				if perPage*(page+1) < quizzes {
					body += link(fmt.Sprintf("/quizzes?page=%d", page+1))
				}
				return body
			}
			if k, _ := fmt.Sscanf(path, "/quiz.php?id=%d&q=%d", &quiz, &q); k < 2 {
				return ""
			}
			body := prose(9999, 60) + prose(questions*quiz+q, 2)
			for i := range tt.next {
				if q < questions+quiz%2 || tt.next > 1 {
					body += link(fmt.Sprintf("/quiz.php?id=%d&q=%d", (quiz+7*i)%10_000, q+1))
				}
			}
			return body
		}
		n := len(pages(trap.New(trap.Config{}), 5000, get))
		if (n == 1+(quizzes+perPage-1)/perPage+quizzes*questions+quizzes/2) != tt.all || !tt.all && n > 4*trap.DefaultBudget {
			t.Errorf("each leads to %d: %d pages", tt.next, n)
		}
	}
}

// What is unlikely waits neither for what is on its way nor for each other, unless that is the same
// page, or a step before the one whose turn it is.
func TestWhatIsUnlikelyIsFetchedTogether(t *testing.T) {
	for _, c := range []struct {
		pages int
		wait  bool
	}{{20, true}, {100, false}} {
		g := trap.New(trap.Config{})
		for i := range c.pages {
			teach(t, g, page(i), page(1000), "", page(i+1))
		}
		var leases []trap.Lease
		turns := 0
		for i := range 40 {
			u := page(2000 + i)
			v := judge(t, g, u)
			switch {
			case v.Rank == 0 || v.Kind != "":
				t.Fatalf("%+v", v)
			case i > 0 && c.wait && !v.Wait, !c.wait && v.Wait != (v.Deeper && turns > 0):
				t.Errorf("%d pages, with %d on their way, %d of them turns: %+v", c.pages, i, turns, v)
			}
			if v.Deeper {
				turns++
			}
			leases = append(leases, g.Lease(mustParse(t, u), v))
		}
		if turns < 3 || turns > 20 {
			t.Errorf("%d of 40 URLs have a turn", turns)
		}
		for _, l := range leases {
			g.Ended(l)
		}
		if v := judge(t, g, page(3000)); v.Wait {
			t.Errorf("when all have ended: %+v", v)
		}
	}
}

// What a pattern rises from a chance of 1 in 32 on is judged anew for each halving only.
func TestUnlikelyRanksAreHalvings(t *testing.T) {
	g := trap.New(trap.Config{})
	ranks := map[uint8]bool{}
	for i := range 200 {
		teach(t, g, page(i), page(1000), "", page(i+1))
		if v := judge(t, g, page(i+1)); v.Rank > 8 {
			ranks[v.Rank] = true
		}
	}
	if len(ranks) < 3 || len(ranks) > 4 {
		t.Errorf("ranks %v", ranks)
	}
}
