package trap_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"crawler/parse"
	"crawler/trap"
	"crawler/weburl"
)

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

// teach lets a Guard learn a page with one link, to a URL that was not known.
func teach(t testing.TB, g *trap.Guard, url, via, text string) {
	t.Helper()
	var s trap.Sampler
	u := mustParse(t, url)
	from := weburl.URL{}
	if via != "" {
		from = mustParse(t, via)
	}
	if g.Watch(u, from) {
		g.Link(mustParse(t, strings.Replace(url, "://", "://more.", 1)), false)
	}
	g.Learn(s.Page(u, 200, words(text), 1))
}

func TestOnSight(t *testing.T) {
	for _, tt := range []struct {
		url  string
		want trap.Kind
	}{
		{"http://a.test/x/x/x/x/", trap.Repeating},
		{"http://a.test/about/news/about/news/about/news/about/news", trap.Repeating},
		{"http://a.test/p/a/b/c/d/a/b/c/d/a/b/c/d/a/b/c/d/q", trap.Repeating},
		{"http://a.test/x/x/x/y", ""},
		{"http://a.test/2024/01/2024-01-01", ""},
		{"http://a.test/en/en-gb/en/en-gb/en", ""},
		{"http://a.test/00/00/00/00/00", ""}, // how stores spread files
		{"http://a.test////////", ""},
		{"http://a.test" + segments(65), trap.Deep},
		{"http://a.test" + segments(64), ""},
		{"http://a.test/?" + strings.Repeat("q=1&", 17), trap.EqualKeys},
		{"http://a.test/?" + strings.Repeat("f[]=1&", 16), ""},
	} {
		v := trap.New(trap.Config{}).Judge(mustParse(t, tt.url))
		if v.Kind != tt.want || v.ID != 0 {
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

// A pattern closed for copies lets the 8th of its URLs through, then the 16th after that, and so
// on; when those bring new text it opens and says so.
func TestWrongVerdictHeals(t *testing.T) {
	g := trap.New(trap.Config{})
	for i := range 40 {
		teach(t, g, fmt.Sprintf("http://a.test/p/n%dx", i), "", "come back later please")
	}
	refused := g.Judge(mustParse(t, "http://a.test/p/n99x"))
	if refused.Kind != trap.Copies || refused.Pattern != "a.test/p/*" {
		t.Fatalf("Judge = %+v, want copies of a.test/p/*", refused)
	}
	closed := g.Closed()
	if !slices.ContainsFunc(closed, func(c trap.Closed) bool { return c.ID == refused.ID && c.Kind == trap.Copies && c.Pages == 40 }) {
		t.Errorf("Closed = %+v, want a.test/p/* with 40 pages", closed)
	}
	var passed []int
	for i := 1; i < 600; i++ {
		if g.Judge(mustParse(t, fmt.Sprintf("http://a.test/p/m%dx", i))).Kind == "" {
			passed = append(passed, i)
			teach(t, g, fmt.Sprintf("http://a.test/p/m%dx", i), "", prose(i, 60))
			if slices.Contains(g.Reopened(), refused.ID) {
				break
			}
		}
	}
	if want := []int{7, 23, 55, 119, 247, 503}; !slices.Equal(passed, want) {
		t.Errorf("let through before it opened: %v, want %v", passed, want)
	}
	if v := g.Judge(mustParse(t, "http://a.test/p/n99x")); v.Kind != "" {
		t.Errorf("open again, Judge = %+v", v)
	}
	if again := g.Reopened(); len(again) != 0 {
		t.Errorf("Reopened tells %v twice", again)
	}
}

// The pages that session ids hide are each fetched once, however late they are found. A
// crawl that is resumed and told to trust the pattern fetches them again.
func TestSessionPagesAreFetchedOnce(t *testing.T) {
	for _, form := range []string{"http://a.test/page%d?sid=%08x", "http://a.test/page%d;jsessionid=%08x"} {
		g := trap.New(trap.Config{})
		url := func(page, session int) string { return fmt.Sprintf(form, page, 0x7bcd0000+session) }
		for i := range 30 {
			teach(t, g, url(i%5, i), url(0, 0), prose(i%5, 60))
		}
		known := mustParse(t, url(3, 77))
		v := g.Judge(known)
		if v.Kind != trap.Session || !g.Refuses(v, known) {
			t.Errorf("a known page under a new session: %+v, want %s", v, trap.Session)
		}
		if v := g.Judge(mustParse(t, url(9, 78))); v.Kind != "" {
			t.Errorf("a new page under a new session: %+v", v)
		}
		for trust, refused := range map[string]bool{v.Pattern: false, "b" + v.Pattern: true} {
			resumed := trap.New(trap.Config{Trust: []string{trust}})
			if err := resumed.UnmarshalBinary(marshal(t, g)); err != nil {
				t.Fatal(err)
			}
			if got := resumed.Refuses(v, known); got != refused {
				t.Errorf("%s with Trust %q is refused: %v", known, trust, got)
			}
		}
	}
}

// A reference has pages of which there is nothing to say. Somebody has listed them, and
// they lead to no others: they are all fetched.
func TestCopiesWithAnEndAreFetched(t *testing.T) {
	g := trap.New(trap.Config{})
	var s trap.Sampler
	for i := range 2000 {
		u := mustParse(t, fmt.Sprintf("http://a.test/use/n%dx", i))
		if v := g.Judge(u); v.Kind != "" {
			t.Fatalf("page %d: %+v", i, v)
		}
		g.Watch(u, mustParse(t, "http://a.test/list"))
		text := "no use of this"
		if i < 200 && i%2 == 0 { // the others may be full of news
			text = prose(i, 60)
			g.Link(mustParse(t, fmt.Sprintf("http://a.test/use/n%dx", 2000+i)), false)
		}
		g.Link(mustParse(t, "http://a.test/list"), true)
		g.Learn(s.Page(u, 200, words(text), 1))
	}
}

func TestTrust(t *testing.T) {
	for _, trust := range []string{"", "a.test/p/", "b.test/"} {
		g := trap.New(trap.Config{Trust: strings.Fields(trust)})
		for i := range 40 {
			teach(t, g, fmt.Sprintf("http://a.test/p/n%dx", i), "", "the same")
		}
		v := g.Judge(mustParse(t, "https://a.test/p/n99x"))
		if trusted := trust == "a.test/p/"; (v.Kind == "") != trusted {
			t.Errorf("Trust %q: %+v", trust, v)
		}
	}
}

// Words of a page's own address are no news: the day of a calendar, a session id.
func TestOwnWordsDoNotCount(t *testing.T) {
	var s trap.Sampler
	u := mustParse(t, "http://a.test/cal/2031/03/07?view=Day")
	a := s.Page(u, 200, words("no events on 7 03 2031 day"), 0).TextHash
	if b := s.Page(mustParse(t, "http://a.test/cal"), 200, words("on events no"), 0).TextHash; a != b {
		t.Errorf("text hashes %x and %x differ", a, b)
	}
	if c := s.Page(mustParse(t, "http://a.test/cal"), 200, words("on events none"), 0).TextHash; a == c {
		t.Error("another word, the same text hash")
	}
	if d := s.Page(u, 200, nil, 42).TextHash; d != 42 {
		t.Errorf("without words the text hash is %d, want the body's, 42", d)
	}
}

// The patterns remembered stay within the limit, and a closed one outlives open ones.
func TestPatternsAreBounded(t *testing.T) {
	g := trap.New(trap.Config{Patterns: 16})
	for i := range 40 {
		teach(t, g, fmt.Sprintf("http://trap.test/p/n%dx", i), "", "the same")
	}
	for i := range 1000 {
		teach(t, g, fmt.Sprintf("http://h%d.test/", i), "", prose(i, 20))
	}
	form, err := g.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if len(form) > 64<<10 {
		t.Errorf("16 patterns take %d bytes", len(form))
	}
	if v := g.Judge(mustParse(t, "http://trap.test/p/n99x")); v.Kind != trap.Copies {
		t.Errorf("after 1,000 other hosts: %+v, want %s", v, trap.Copies)
	}
}

func TestNothingAllocatedForAKnownPattern(t *testing.T) {
	g := trap.New(trap.Config{})
	u := mustParse(t, "http://a.test/shop/list?category=3&page=7")
	teach(t, g, u.String(), "", "a b c")
	if n := testing.AllocsPerRun(100, func() { g.Judge(u) }); n != 0 {
		t.Errorf("Judge allocates %v times", n)
	}
}

// A host of a domain speaks for itself once it has shown what it is: what is wrong with
// other hosts does not count against its new patterns. Hosts that nobody knows answer for
// each other.
func TestHostsThatAreKnownSpeakForThemselves(t *testing.T) {
	g := trap.New(trap.Config{})
	for i := range 30 {
		teach(t, g, fmt.Sprintf("http://docs.a.test/guide/n%dx", i), "", prose(i, 60))
	}
	for i := range 60 {
		teach(t, g, fmt.Sprintf("http://h%d.a.test/p%dx/n%dx", i%20, i, i), "", "the same")
	}
	if v := g.Judge(mustParse(t, "http://docs.a.test/p99x/n99x")); v.Kind != "" {
		t.Errorf("a new pattern of a host that is known: %+v", v)
	}
	if v := g.Judge(mustParse(t, "http://h99.a.test/p99x/n99x")); v.Kind != trap.Copies {
		t.Errorf("a host that nobody knows: %+v, want %s", v, trap.Copies)
	}
}
