package trap_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"crawler/parse"
	"crawler/trap"
	"crawler/weburl"
)

// budget is small, so that patterns close soon.
const budget = 20

func newGuard(trust ...string) *trap.Guard {
	return trap.New(trap.Config{Budget: budget, Trust: trust})
}

func mustParse(t testing.TB, raw string) weburl.URL {
	t.Helper()
	u, err := weburl.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// words are the hashes of a text's words.
func words(text string) []uint64 {
	var all []uint64
	for w := range strings.FieldsSeq(text) {
		all = append(all, parse.HashWord([]byte(w)))
	}
	return all
}

// prose is n words of a page, none of which another page has.
func prose(page, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "p%dw%d ", page, i)
	}
	return b.String()
}

// teach lets a Guard learn a page that was found on via, with links to URLs that were not known.
func teach(t testing.TB, g *trap.Guard, url, via, text string, births ...string) {
	t.Helper()
	var s trap.Sampler
	u, from := mustParse(t, url), weburl.URL{}
	if via != "" {
		from = mustParse(t, via)
	}
	g.Watch(u, from)
	for _, to := range births {
		g.Link(mustParse(t, to), false)
	}
	g.Learn(s.Page(u, 200, words(text), nil, nil, 0, 1))
}

// page is a URL of the pattern a.test/p/#.
func page(n int) string { return fmt.Sprintf("http://a.test/p/%d", n) }

// barren teaches n pages of a.test/p/# that have one text and lead to a new URL each.
func barren(t testing.TB, g *trap.Guard, n int) {
	t.Helper()
	for i := range n {
		teach(t, g, page(i), page(i-1+one(i == 0)), "the same", page(1000+i))
	}
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

func judge(t testing.TB, g *trap.Guard, url string) trap.Verdict {
	t.Helper()
	return g.Judge(mustParse(t, url), "")
}

// probe is a probe that has come to something.
func probe(t testing.TB, g *trap.Guard, url string) {
	t.Helper()
	l := g.Lease(mustParse(t, url), judge(t, g, url))
	g.Probed(&l)
	g.Ended(l)
}

func TestOnSight(t *testing.T) {
	for _, tt := range []struct {
		url  string
		want trap.Kind
	}{
		{"http://a.test/father/father/father/father/father", ""}, // a pedigree
		{"http://a.test/yes/no/yes/no/yes/no/yes/no/yes/no", ""}, // a key of species
		{"http://a.test/2024/01/2024-01-01", ""},
		{"http://a.test/en/en-gb/en/en-gb/en", ""},
		{"http://a.test/00/00/00/00/00", ""}, // how stores spread files
		{"http://a.test////////", ""},
		{"http://a.test" + segments(65), trap.Deep},
		{"http://a.test" + segments(64), ""},
		{"http://a.test/?" + strings.Repeat("q=1&", 17), trap.EqualKeys},
		{"http://a.test/?" + strings.Repeat("f[]=1&", 16), ""},
	} {
		if v := judge(t, newGuard(), tt.url); v.Kind != tt.want || v.ID != 0 {
			t.Errorf("Judge(%s) = %+v, want %q", tt.url, v, tt.want)
		}
	}
}

// segments is a path of n segments.
func segments(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "/s%dx", i)
	}
	return b.String()
}

// What closes a pattern is that it has spent its budget, and either goes on without end or is of
// forms that were fetched. All others only wait.
func TestWhatCloses(t *testing.T) {
	const most = 400
	for _, tt := range []struct {
		name   string
		page   func(i int) (url, via, text string, births []string)
		kind   trap.Kind
		within int // pages
	}{
		{"copies that lead on", func(i int) (string, string, string, []string) {
			return page(i), page(i - 1), "the same", []string{page(i + 1), page(i + 10000)}
		}, trap.Copies, 16 + budget + 2}, // a copy counts from the 16th on: manuals have versions
		{"copies that somebody has listed", func(i int) (string, string, string, []string) {
			return page(i), "http://a.test/list", "the same", nil
		}, "", most},
		{"sessions", func(i int) (string, string, string, []string) {
			return fmt.Sprintf("http://a.test/p%d?sid=%08x", i%5, 0x7bcd0000+i), page(0), prose(i%5, 60), nil
		}, trap.Session, 5 + budget/2 + 20},
		{"dates that lead on", func(i int) (string, string, string, []string) {
			return fmt.Sprintf("http://a.test/cal/%d/%d", 1990+i/12, i%12), fmt.Sprintf("http://a.test/cal/%d/%d", 1990+(i-1)/12, (i-1)%12),
				"no events", []string{fmt.Sprintf("http://a.test/cal/%d/%d", 1990+(i+1)/12, (i+1)%12)}
		}, trap.Calendar, budget + 2},
		{"days that lead on", func(i int) (string, string, string, []string) {
			day := func(i int) string { return fmt.Sprintf("http://a.test/cal/20%02d-%02d-01", 10+i/12, 1+i%12) }
			return day(i), day(i - 1), "no events", []string{day(i + 1)}
		}, trap.Calendar, budget + 2},
		{"selections of known things", func(i int) (string, string, string, []string) {
			return fmt.Sprintf("http://a.test/list?size=%d&colour=%d", i/20, i%20), page(0), fmt.Sprintf("%s%s", prose(i/20, 20), prose(i%20, 20)),
				[]string{fmt.Sprintf("http://a.test/list?size=%d&colour=%d", i/20+1, i%20+20)}
		}, trap.Facets, most},
		{"text of its own", func(i int) (string, string, string, []string) {
			return page(i), page(i - 1), prose(i, 60), []string{page(i + 1)}
		}, "", most},
		{"one page in 8 has text of its own", func(i int) (string, string, string, []string) {
			text := ""
			if i%8 == 7 {
				text = prose(i, 60)
			}
			return page(i), page(i - 1), text, []string{page(i + 1)}
		}, "", most},
	} {
		// Pages of the last row owe 14 before one pays for all of them.
		g, closed := trap.New(trap.Config{Budget: 2 * budget}), 0
		if tt.kind != "" {
			g = newGuard()
		}
		v := trap.Verdict{}
		for i := 1; i < most && v.Kind == ""; i++ {
			url, via, text, births := tt.page(i)
			if v = judge(t, g, url); v.Kind == "" {
				teach(t, g, url, via, text, births...)
				closed = i
			}
		}
		if v.Kind != tt.kind {
			t.Errorf("%s: after %d pages %+v, want %q", tt.name, closed, v, tt.kind)
		}
		if v.Kind != "" && (closed < budget/2 || closed > tt.within) {
			t.Errorf("%s: closed after %d pages, want %d to %d", tt.name, closed, budget/2, tt.within)
		}
	}
}

// The more a pattern owes, the longer its URLs wait: some two ranks for each doubling.
func TestWhatBringsNothingWaits(t *testing.T) {
	g := trap.New(trap.Config{})
	last, at := uint8(0), map[int]uint8{}
	for i := range 200 {
		v := judge(t, g, page(i))
		if v.Kind != "" || v.Rank < last {
			t.Fatalf("page %d: %+v after rank %d", i, v, last)
		}
		if last, at[i] = v.Rank, v.Rank; i >= 32 && i%2 == 0 && (last <= at[i/2] || last > at[i/2]+5) {
			t.Errorf("page %d: rank %d, and %d at half of them", i, last, at[i/2])
		}
		teach(t, g, page(i), "", "the same", page(1000+i))
	}
	if last < 10 {
		t.Errorf("200 pages without news have rank %d", last)
	}
	if v := judge(t, g, "http://a.test/about"); v.Rank >= last {
		t.Errorf("another pattern of the host has %+v, the one that brings nothing %d", v, last)
	}
	for i := range 30 {
		teach(t, g, page(5000+i), "", prose(i, 60))
	}
	if v := judge(t, g, page(999)); v.Rank != 0 {
		t.Errorf("after 30 pages with text of their own: %+v", v)
	}
}

// A URL that is likely to bring a copy waits longer than one of the same pattern that is not.
func TestRepeatsWaitLonger(t *testing.T) {
	for _, tt := range []struct{ name, known, fresh string }{
		{"share", "http://a.test/post/3?share=mail", "http://a.test/post/77?share=mail"},
		{"replytocom", "http://a.test/post/3?replytocom=777", "http://a.test/post/77?replytocom=777"},
		{"session", "http://a.test/post/3?sid=abad1dea", "http://a.test/post/77?sid=abad1dea"},
		{"jsessionid", "http://a.test/post/3;jsessionid=abad1dea", "http://a.test/post/77;jsessionid=abad1dea"},
		{"several", "http://a.test/list?id=3&sort=xyz", "http://a.test/list?id=77&sort=xyz"},
	} {
		g := trap.New(trap.Config{})
		for i := range 30 {
			for _, url := range []string{tt.known, tt.fresh} {
				url = strings.NewReplacer("3", fmt.Sprint(i%6), "77", fmt.Sprint(i%6),
					"mail", fmt.Sprint("m", i), "777", fmt.Sprint(i), "abad1dea", fmt.Sprintf("%08x", 0x7bcd0000+i), "xyz", fmt.Sprint("x", i)).Replace(url)
				teach(t, g, url, "", prose(i%6, 60))
			}
		}
		known, fresh := judge(t, g, tt.known), judge(t, g, tt.fresh)
		if known.Rank <= fresh.Rank || known.Kind != "" {
			t.Errorf("%s: a known form has %+v, another %+v", tt.name, known, fresh)
		}
	}
}

// A list is worth what it leads to: what a page brings is credited to the four lists above it.
func TestListsAreCredited(t *testing.T) {
	g := newGuard()
	const levels = 6 // the last one has the text
	url := func(level, i int) string { return fmt.Sprintf("http://a.test/l%dx/%d", level, i) }
	for i := 1; i <= 30; i++ {
		for level := range levels {
			via, text := url(0, i-1), ""
			if level > 0 {
				via = url(level-1, i)
			}
			if level == levels-1 {
				text = prose(i, 60)
			}
			teach(t, g, url(level, i), via, text, url(level, i+1), url(min(level+1, levels-1), i))
		}
	}
	for level := range levels {
		v := judge(t, g, url(level, 99))
		if waits := level == 0; (v.Kind != "") != waits || v.Kind == "" && v.Rank != 0 {
			t.Errorf("%d levels above the text: %+v", levels-1-level, v)
		}
	}
}

// What pages with text of their own list is finite, since somebody has listed it: it is fetched,
// however little it has to say.
func TestWhatGoodPagesListIsFetched(t *testing.T) {
	for _, good := range []bool{true, false} {
		g := trap.New(trap.Config{})
		item := func(i int) string { return fmt.Sprintf("http://a.test/use/%d", i) }
		list := func(i int) string { return fmt.Sprintf("http://a.test/list/%d", i) }
		closed := false
		for i := range 100 {
			text := "a list"
			if good {
				text = prose(i, 60)
			}
			var items []string
			for k := range 10 {
				items = append(items, item(10*i+k))
			}
			teach(t, g, list(i), list(i+1), text, append(items, list(i+1))...)
			for _, u := range items {
				closed = closed || judge(t, g, u).Kind != ""
				teach(t, g, u, list(i), "no use of this")
			}
		}
		if v := judge(t, g, item(9999)); good && (v.Kind != "" || closed) {
			t.Errorf("closed %t, %+v", closed, v)
		}
		if v := judge(t, g, list(99)); (v.Kind == "") != good {
			t.Errorf("lists with text of their own, %t: the next one has %+v", good, v)
		}
	}
}

// Where every page leads to new ones and hardly any to a known one, text counts for nothing. A
// page that leads nowhere shows that there is an end, and so does one that leads back.
func TestMazeClosesAndALeafOpensIt(t *testing.T) {
	url := func(i int) string { return fmt.Sprintf("http://a.test/m/n%dx", i) }
	births := func(i int) []string { return []string{url(3*i + 1), url(3*i + 2), url(3*i + 3)} }
	g := newGuard()
	closed := 0
	for i := 1; closed == 0 && i < 200; i++ {
		switch v := judge(t, g, url(i)); {
		case v.Kind == "":
			teach(t, g, url(i), url((i-1)/3), prose(i, 60), births(i)...)
		case v.Kind != trap.Maze || v.Pattern != "a.test/m/*":
			t.Fatalf("page %d: %+v", i, v)
		default:
			closed = i - 1
		}
	}
	if closed < 32+budget-2 || closed > 32+budget+2 {
		t.Fatalf("closed after %d pages, want 32 and the budget of %d", closed, budget)
	}
	id := judge(t, g, url(300)).ID
	if n := g.Probe(id, 2); n != 2 {
		t.Fatalf("Probe lets %d through", n)
	}
	for i := range 2 { // the first ends the maze, the second counts
		if v := judge(t, g, url(300+i)); v.Kind != "" || !v.Probe {
			t.Fatalf("a probe: %+v", v)
		}
		probe(t, g, url(300+i))
		teach(t, g, url(300+i), url(99), prose(300+i, 60), births(300 * i)[:2*i]...)
	}
	if opened := g.Reopened(); !slices.Contains(opened, id) {
		t.Errorf("after a leaf Reopened = %v, want %d", opened, id)
	}
	if v := judge(t, g, url(302)); v.Kind != "" {
		t.Errorf("after a leaf: %+v", v)
	}
}

// A page of a few words is worth a visit, too: each is new, though it belongs to several grams.
func TestFewWordsAreNews(t *testing.T) {
	g := newGuard()
	for i := range 5 * budget {
		if v := judge(t, g, page(i)); v != (trap.Verdict{}) {
			t.Fatalf("page %d: %+v", i, v)
		}
		teach(t, g, page(i), page(i-1+one(i == 0)), prose(0, 20)+prose(i, 4)+prose(0, 4), page(i+1))
	}
}

// Others wait for URLs on their way as if these brought nothing, and keep their rank meanwhile: of
// a new pattern one is asked for at a time, of one that owes nothing one more than it had, and of
// a form that brings copies one.
func TestLeasesCount(t *testing.T) {
	g := newGuard()
	lease := func(from, to int) (all []trap.Lease) {
		for i := from; i < to; i++ {
			if v := judge(t, g, page(i)); v != (trap.Verdict{}) {
				t.Errorf("with %d on their way: %+v", i-from, v)
			}
			all = append(all, g.Lease(mustParse(t, page(i)), trap.Verdict{}))
		}
		if v := judge(t, g, page(to)); v.Rank != 0 || !v.Wait {
			t.Errorf("with %d on their way: %+v", to-from, v)
		}
		return all
	}
	end := func(all []trap.Lease) {
		for _, l := range all {
			g.Ended(l)
		}
	}
	end(lease(0, 1))
	for i := range 10 {
		teach(t, g, page(i), page(0), prose(i, 60))
	}
	end(lease(10, 21)) // ten, and one
	lease(22, 33)

	session := func(i, sid int) string { return fmt.Sprintf("http://a.test/p/%d?sid=%032x", i, sid) }
	for i := range 10 {
		teach(t, g, session(0, i), page(0), prose(0, 60))
	}
	for i := range 20 {
		teach(t, g, session(20+i, 0), page(0), prose(20+i, 60)) // and owes nothing
	}
	l := g.Lease(mustParse(t, session(50, 1)), trap.Verdict{})
	if v, other := judge(t, g, session(50, 2)), judge(t, g, session(51, 2)); !v.Wait || v.Rank > 0 || other.Wait {
		t.Errorf("a page under two sessions: %+v, and %+v under one", v, other)
	}
	g.Ended(l)
	teach(t, g, session(50, 1), page(0), prose(50, 60))
	if v := judge(t, g, session(50, 2)); v.Rank == 0 {
		t.Errorf("when the page has come: %+v", v)
	}
}

// What the barren pages of a good pattern list is no growth of the wide one, which has not had
// those pages: it will end by itself.
func TestListsOfAGoodPatternAreNoGrowth(t *testing.T) {
	g := newGuard()
	young := func(i, j int) string { return fmt.Sprintf("http://a.test/n%dx/%d", i, j) }
	barren := func(i int) string { return prose(0, 60) + strings.Repeat("p0w0 ", i+1) }
	for i := range 10 {
		teach(t, g, page(i), page(0), prose(i, 60))
	}
	for i := range 14 {
		teach(t, g, page(10+i), page(0), barren(i), young(3*i, 1), young(3*i+1, 1), young(3*i+2, 1))
	}
	for i := range budget {
		teach(t, g, young(i, 1), page(0), barren(20+i))
	}
	if v := judge(t, g, young(budget, 1)); v.Kind != "" || v.Rank == 0 {
		t.Errorf("the next: %+v", v)
	}
}

// A schedule has the same programme again and again but for a guest: its copies cost no more
// than any page, so that the guests pay for them, until there are too many of one day.
func TestScheduleWithGuestsIsFetched(t *testing.T) {
	g := trap.New(trap.Config{Budget: 100})
	day := func(i int) string {
		return time.Date(2013, 5, 1+i, 0, 0, 0, 0, time.UTC).Format("http://a.test/p/2006-01-02")
	}
	for i := range 600 {
		if v := judge(t, g, day(i)); v.Kind != "" {
			t.Fatalf("day %d: %+v", i, v)
		}
		text := prose(i%45, 40)
		if i%16 == 0 {
			text += prose(1000+i, 60)
		}
		teach(t, g, day(i), day(i-1+one(i == 0)), text, day(i+1))
	}
}

// A page that adds to the path that led to it is a selection, whose few new words are chance.
func TestSelectionsByPathEarnLess(t *testing.T) {
	for _, longer := range []bool{true, false} {
		g := newGuard()
		url := func(i int) string { return fmt.Sprintf("http://a.test/s/l%dx/c%dx", i, i) }
		for i := range 3 * budget {
			via := fmt.Sprintf("http://a.test/s/l%dx", i)
			if !longer {
				via = url(i - 1 + one(i == 0))
			}
			teach(t, g, url(i), via, prose(0, 20)+prose(i, 4)+prose(0, 20), url(i+1))
		}
		if v := judge(t, g, url(3*budget)); (v.Kind != "") != longer {
			t.Errorf("longer %t: %+v", longer, v)
		}
	}
}

// Copies below the pages that lead to them are no versions, of which a page may have several.
func TestCopiesBelowTheirListsCost(t *testing.T) {
	for _, below := range []bool{true, false} {
		g := newGuard()
		url := func(i int) string { return fmt.Sprintf("http://a.test/l%dx/c%dx/", i, i) }
		for i := range 3 * budget { // twelve times the same five
			via := fmt.Sprintf("http://a.test/l%dx/", i)
			if !below {
				via = fmt.Sprintf("http://a.test/m%dx/", i)
			}
			teach(t, g, url(i), via, prose(i%5, 60), url(i+1))
		}
		if v := judge(t, g, url(3*budget)); (v.Kind != "") != below {
			t.Errorf("below their lists %t: %+v", below, v)
		}
	}
}

// Which part of a query matters is learned although one page was taken for another.
func TestOneMistakeIsForgiven(t *testing.T) {
	g := newGuard()
	url := func(r int) string { return fmt.Sprintf("http://a.test/?p=1&r=%d", r) }
	for i := range 2 {
		teach(t, g, url(i), page(0), prose(i, 60))
	}
	for i := 2; i < 2+budget; i++ {
		teach(t, g, url(i), page(0), prose(0, 60))
	}
	if v := judge(t, g, url(99)); v.Kind == "" {
		t.Errorf("a page that was fetched %d times: %+v", budget, v)
	}
}

// With a small budget a pattern that has spent it does not answer for itself, as good as it may be
// for a larger one.
func TestSmallBudget(t *testing.T) {
	g := trap.New(trap.Config{Budget: 5})
	url := func(i, j int) string { return fmt.Sprintf("http://a.test/d%c/%d", 'a'+i, j) }
	n := 0
	for i := range 3 {
		for j := range 8 { // other words than the last, and no new one
			n++
			teach(t, g, url(i, j), url(i-1+one(i == 0), j), "all the same "+strings.Repeat("same ", n), url(i+1, j))
		}
	}
	if v := judge(t, g, url(0, 99)); v.Kind == "" {
		t.Errorf("a pattern that owes more than the budget: %+v", v)
	}
}

// A page is known again though words of its text are in the URL, and so left out.
func TestCopiesWhoseURLHasWordsOfTheText(t *testing.T) {
	g := newGuard()
	word := strings.Fields(prose(0, 200))
	closed := 0
	for v := (trap.Verdict{}); v.Kind == "" && closed < budget; closed++ {
		url := func(i int) string { return page(0) + "?s=" + word[i] }
		teach(t, g, url(closed), url(closed-1+one(closed == 0)), prose(0, 200), url(closed+1))
		v = judge(t, g, url(closed+1))
	}
	if want := budget/2 + 3; closed > want { // copies cost 2, the first is none
		t.Errorf("closed after %d pages, want %d at most", closed, want)
	}
}

// What may have no end is worth nothing, however new it is; a tree with leaves is fetched as it
// comes.
func TestWhatMayHaveNoEndWaits(t *testing.T) {
	for _, leaves := range []bool{false, true} {
		g := trap.New(trap.Config{})
		url := func(i int) string { return fmt.Sprintf("http://a.test/m/n%dx", i) }
		for i := range 40 {
			births := []string{url(1000 + 2*i), url(1001 + 2*i)}
			if leaves && i%4 == 3 {
				births = nil
			}
			teach(t, g, url(i), url(i+1), prose(i, 60), births...)
		}
		if v := judge(t, g, url(99)); v.Kind != "" || (v.Rank >= 10) == leaves || leaves && v.Rank > 0 {
			t.Errorf("leaves %t: %+v", leaves, v)
		}
	}
}

// Of few URLs that were refused all are probes.
func TestFewAreAllProbed(t *testing.T) {
	for refused, want := range map[int]int{3: 3, 32: 32, 33: 8, 4000: 8} {
		g := newGuard()
		barren(t, g, 60)
		if n := g.Probe(g.Closed()[0].ID, refused); n != want {
			t.Errorf("%d of %d are let through, want %d", n, refused, want)
		}
	}
}

// A closed pattern takes one look before the crawl ends: up to eight of its URLs go through, once.
// When those bring new text it opens and says so.
func TestProbe(t *testing.T) {
	for _, honest := range []bool{false, true} {
		g := newGuard()
		barren(t, g, 60)
		closed := g.Closed()
		i := slices.IndexFunc(closed, func(c trap.Closed) bool { return c.Pattern == "a.test/p/#" })
		if i < 0 || closed[i].Kind != trap.Copies || closed[i].Pages != 60 {
			t.Fatalf("Closed = %+v, want a.test/p/# with 60 copies", closed)
		}
		id := closed[i].ID
		if v := judge(t, g, page(99)); v.ID != id || v.Kind != trap.Copies || v.Pattern != "a.test/p/#" {
			t.Fatalf("Judge = %+v, want pattern %d", v, id)
		}
		if few := g.Probe(id, 100); few != 8 {
			t.Errorf("of 100 URLs Probe lets %d through, want 8", few)
		}
		passed, opened := 0, false
		for i := range 20 {
			v := judge(t, g, page(2000+i))
			if v.Kind != "" {
				break
			}
			passed++
			if opened {
				continue
			}
			probe(t, g, page(2000+i))
			text := "the same"
			if honest {
				text = prose(i, 60)
			}
			teach(t, g, page(2000+i), "", text)
			opened = slices.Contains(g.Reopened(), id)
		}
		if opened != honest || (passed == 20) != honest || !honest && passed != 8 {
			t.Errorf("honest %t: opened %t, %d let through", honest, opened, passed)
		}
		if again := g.Reopened(); len(again) != 0 {
			t.Errorf("Reopened reports %v twice", again)
		}
		if n := g.Probe(id, 100); n != 0 {
			t.Errorf("honest %t: a second look at %d URLs", honest, n)
		}
	}
	if n := newGuard().Probe(42, 8); n != 0 {
		t.Errorf("of a pattern that nobody knows %d URLs are let through", n)
	}
}

// The pages that session ids hide are each fetched once, however late they are found. A
// crawl that is resumed and told to trust the pattern fetches them again.
func TestSessionPagesAreFetchedOnce(t *testing.T) {
	for _, form := range []string{"http://a.test/page%d?sid=%08x", "http://a.test/page%d;jsessionid=%08x"} {
		g := newGuard()
		url := func(page, session int) string { return fmt.Sprintf(form, page, 0x7bcd0000+session) }
		for i := range 80 {
			teach(t, g, url(i%5, i), url(0, 0), prose(i%5, 60), url(i%5, 1000+i))
		}
		known := mustParse(t, url(3, 77))
		v := g.Judge(known, "")
		if v.Kind != trap.Session || !g.Refuses(known) {
			t.Errorf("a known page under a new session: %+v, want %s", v, trap.Session)
		}
		if v := g.Judge(mustParse(t, url(9, 78)), ""); v.Kind != "" {
			t.Errorf("a new page under a new session: %+v", v)
		}
		for trust, refused := range map[string]bool{v.Pattern: false, "b" + v.Pattern: true} {
			resumed := newGuard(trust)
			if err := resumed.UnmarshalBinary(marshal(t, g)); err != nil {
				t.Fatal(err)
			}
			if got := resumed.Refuses(known); got != refused {
				t.Errorf("%s with Trust %q is refused: %v", known, trust, got)
			}
		}
	}
}

// What was fetched under sessions is fetched under its own address once more, though by then it is
// a known page of a closed pattern. The same parts in another sequence are not.
func TestOwnAddressesOfSessionPages(t *testing.T) {
	name := func(page int) string { return strings.Repeat(string(rune('a'+page%26)), 4+page/26) }
	for _, form := range []string{"http://a.test/list/of/all/%s/item/1?sid=%08x", "http://a.test/list/of/all/%s/item/1;jsessionid=%08x"} {
		g := newGuard()
		url := func(page, session int) string { return fmt.Sprintf(form, name(page), 0x7bce0000+session) }
		own := func(page int) string { return "http://a.test/list/of/all/" + name(page) + "/item/1" }
		other := func(page int) string { return "http://a.test/list/of/all/item/" + name(page) + "/1" }
		for i := range 40 {
			teach(t, g, url(i, i), url(0, 0), prose(i, 60))
		}
		refused := 0
		for i := range 40 {
			if v := judge(t, g, own(i)); v.Kind != "" {
				t.Fatalf("%s, after %d others: %+v", own(i), i, v)
			}
			text := prose(i, 60)
			if i == 39 {
				text += " again" // it is no copy, word by word
			}
			teach(t, g, own(i), url(0, 0), text)
			if judge(t, g, other(i)).Kind != "" {
				refused++
			}
			if v := judge(t, g, own(100+i)); v.Kind != "" { // nothing is known of it
				t.Errorf("%s: %+v", own(100+i), v)
			}
		}
		if refused < 20 {
			t.Errorf("of 40 copies under other addresses %d are refused", refused)
		}
		if v := judge(t, g, other(39)); v.Kind == "" {
			t.Errorf("%s: %+v", other(39), v)
		}
	}
}

// What is trusted, by URL or by pattern, is neither refused nor postponed.
func TestTrust(t *testing.T) {
	for _, pages := range []int{22, 60} { // postponed, and closed
		for trust, trusted := range map[string]bool{"": false, "a.test/p/": true, "a.test/p/#": true, "b.test/": false, "http://a.test/": false} {
			g := newGuard(strings.Fields(trust)...)
			barren(t, g, pages)
			v := judge(t, g, page(999))
			if (v.Kind != "" || v.Rank != 0) == trusted {
				t.Errorf("%d pages, Trust %q: %+v", pages, trust, v)
			}
		}
	}
}

// Patterns that are too young to be judged are judged together, across the hosts of their domain.
// What has shown that it is good answers for itself, and so do its host's other patterns.
func TestYoungPatternsAreJudgedTogether(t *testing.T) {
	g := newGuard()
	for i := range 30 {
		teach(t, g, fmt.Sprintf("http://docs.a.test/guide/n%dx", i), "", prose(i, 60))
	}
	maze := func(i int) string { return fmt.Sprintf("http://h%d.a.test/p%dx/n%dx", i%20, i, i) }
	for i := range 60 {
		teach(t, g, maze(i), maze(i+1), "the same", maze(i+1000))
	}
	for url, want := range map[string]trap.Verdict{
		"http://h99.a.test/p99x/n99x":   {Kind: trap.Subdomains, Pattern: "*.a.test/*"},
		"http://docs.a.test/guide/n99x": {},
		"http://docs.a.test/p99x/n99x":  {}, // a host that is known
		"http://h99.b.test/p99x/n99x":   {},
	} {
		if v := judge(t, g, url); v.Kind != want.Kind || v.Pattern != want.Pattern || want.Kind == "" && v.Rank != 0 {
			t.Errorf("%s: %+v, want %+v", url, v, want)
		}
	}
}

// Errors and redirects teach nothing unless they lead to new URLs of their pattern.
func TestErrorsTeachNothing(t *testing.T) {
	for _, leads := range []bool{false, true} {
		g := newGuard()
		var s trap.Sampler
		for i := range 80 {
			u := mustParse(t, page(i))
			g.Watch(u, mustParse(t, page(i+1)))
			if leads {
				g.Link(mustParse(t, page(1000+i)), false)
			}
			g.Learn(s.Page(u, 404, nil, nil, nil, 0, 1))
		}
		if v := judge(t, g, page(99)); (v.Kind != "") != leads || !leads && v.Rank != 0 {
			t.Errorf("errors that lead on, %t: %+v", leads, v)
		}
	}
}

// Words of a page's own address are no news: the day of a calendar, a session id.
func TestOwnWordsDoNotCount(t *testing.T) {
	var s trap.Sampler
	u := mustParse(t, "http://a.test/cal/2031/03/07?view=Day")
	a := s.Page(u, 200, words("no events on 7 03 2031 day"), nil, nil, 0, 0).TextHash
	if b := s.Page(mustParse(t, "http://a.test/cal"), 200, words("on events no"), nil, nil, 0, 0).TextHash; a != b {
		t.Errorf("text hashes %x and %x differ", a, b)
	}
	if c := s.Page(mustParse(t, "http://a.test/cal"), 200, words("on events none"), nil, nil, 0, 0).TextHash; a == c {
		t.Error("another word, the same text hash")
	}
	if d := s.Page(u, 200, nil, nil, nil, 0, 42).TextHash; d != 42 {
		t.Errorf("without words the text hash is %d, want the body's, 42", d)
	}
}

// The patterns remembered stay within the limit, and a closed one outlives open ones.
func TestPatternsAreBounded(t *testing.T) {
	g := trap.New(trap.Config{Patterns: 16, Budget: budget})
	barren(t, g, 60)
	for i := range 1000 {
		teach(t, g, fmt.Sprintf("http://h%d.test/", i), "", prose(i, 20))
	}
	// The texts of 1,060 pages are remembered besides.
	if form := marshal(t, g); len(form) > 100<<10 {
		t.Errorf("16 patterns take %d bytes", len(form))
	}
	if v := judge(t, g, page(99)); v.Kind != trap.Copies {
		t.Errorf("after 1,000 other hosts: %+v, want %s", v, trap.Copies)
	}
}

func TestNothingAllocatedForAKnownPattern(t *testing.T) {
	g := newGuard()
	u := mustParse(t, "http://a.test/shop/list?category=3&page=7")
	teach(t, g, u.String(), "", "a b c")
	if n := testing.AllocsPerRun(100, func() { g.Judge(u, "") }); n != 0 {
		t.Errorf("Judge allocates %v times", n)
	}
}

// An address has no subdomains, and neither has a name without a domain: what one of them is closed
// for is no other's.
func TestAddressesHaveNoSubdomains(t *testing.T) {
	for _, host := range []string{"127.0.0.1", "127.0.0.1:8080", "10.0.0.1", "[::1]", "[2001:db8::1]:80", "localhost"} {
		g := newGuard()
		for i := range 60 {
			url := func(i int) string { return fmt.Sprintf("http://%s/n%dx/p%dx/q", host, i, i) }
			teach(t, g, url(i), url(i/2), "the same", url(i+1), url(i+100))
		}
		closed := g.Closed()
		for _, c := range closed {
			if !strings.HasPrefix(c.Pattern, strings.TrimSuffix(host, ":8080")) && !strings.HasPrefix(c.Pattern, strings.TrimSuffix(host, ":80")) {
				t.Errorf("%s: pattern %s", host, c.Pattern)
			}
		}
		if len(closed) == 0 {
			t.Errorf("%s: no pattern was closed", host)
		}
		for _, other := range []string{"127.0.0.2", "0.0.1", "10.127.0.0.1.test", "[::2]", "other.localhost"} {
			if v := judge(t, g, "http://"+other+"/n99x/p99x/q"); v.Kind != "" {
				t.Errorf("%s is closed, and %s is %+v", host, other, v)
			}
		}
	}
}

// Pages of names have a pattern each when they are shared, so the wide one closes: it refuses
// every way to share a page that was fetched, on one host, too, and no other page.
func TestKnownFormsOfManyPatternsAreRefused(t *testing.T) {
	g := newGuard()
	shared := func(name, way string) string { return fmt.Sprintf("http://a.test/%s?share=%s", name, way) }
	names := []string{"ada", "bea", "cleo", "dora", "emil", "fritz", "gerd", "hanna"}
	for i, name := range names {
		teach(t, g, "http://a.test/"+name, page(0), prose(i, 60))
	}
	pages := 0
	for way := 'a'; way < 'a'+20; way++ {
		for i, name := range names {
			if judge(t, g, shared(name, string(way))).Kind == "" {
				teach(t, g, shared(name, string(way)), "http://a.test/"+name, prose(i, 60))
				pages++
			}
		}
	}
	if pages > budget {
		t.Errorf("%d copies were let through, of a budget of %d", pages, budget)
	}
	if v := judge(t, g, shared("ada", "z")); v.Kind == "" {
		t.Errorf("another way to share a page: %+v", v)
	}
	if v := judge(t, g, shared("ida", "a")); v.Kind != "" {
		t.Errorf("another page: %+v", v)
	}
}
