package trap_test

import (
	"fmt"
	"strings"
	"testing"

	"crawler/trap"
)

// fetch has the Guard learn a page as a crawl does, and reports whether it was read.
func fetch(t testing.TB, g *trap.Guard, url, text string, births ...string) bool {
	t.Helper()
	u := mustParse(t, url)
	l := g.Lease(u, g.Judge(u, ""))
	defer g.Ended(l)
	if !l.Unread {
		teach(t, g, url, page(0), text, births...)
		return true
	}
	var s trap.Sampler
	if p := s.Skim(200, words(text), 1); g.Skim(u, p) || len(p.Sample) > 0 {
		t.Errorf("%s opens a pattern, or has a sample of %d", url, len(p.Sample))
	}
	return false
}

// Of a pattern whose pages keep bringing new text 32 pages are read, and 16 of each twice as many.
// When the text stops, two are read that bring nothing, and then all: after 1,000 pages that costs
// two times 32 more than if all had been read from the first.
func TestFewPagesAreRead(t *testing.T) {
	for name, barren := range map[string]func(i int) string{
		"short":    func(i int) string { return prose(0, 10) },
		"the same": func(i int) string { return prose(0, 60) },
	} {
		g, read := newGuard(), 0
		for i := range 1000 {
			if fetch(t, g, page(i), prose(i, 60)) {
				read++
			}
		}
		if want := 32 + 5*16; read < want-2 || read > want+2 {
			t.Errorf("%d pages of 1,000 are read, want %d", read, want)
		}
		n := 1000
		for ; g.Judge(mustParse(t, page(n)), "").Kind == "" && n < 2000; n++ {
			fetch(t, g, page(n), barren(n), page(n+2000))
		}
		if most := budget + 2*32; n-1000 > most {
			t.Errorf("%s: closed after %d pages, want at most %d", name, n-1000, most)
		}
	}
}

// Of a directory whose likes have paid for themselves the first 4 pages are read, and two of each
// twice as many; of one of a program, or where the others brought nothing, all of the first 32.
func TestFewPagesOfTheNextDirectoryAreRead(t *testing.T) {
	article := func(dir, i int) string { return fmt.Sprintf("http://a.test/part-%c/%d.html", 'a'+dir, i) }
	program := func(dir, i int) string { return fmt.Sprintf("http://a.test/part-%c/view?id=%d", 'a'+dir, i) }
	barren := func(dir, i int) string { return fmt.Sprintf("%s number %d", prose(0, 60), 100*dir+i) }
	fresh := func(dir, i int) string { return prose(100*dir+i, 60) }
	for _, tt := range []struct {
		name      string
		url       func(dir, i int) string
		text      func(dir, i int) string
		dirs      int // before the one that is counted
		read, all int
	}{
		{"as the others", article, fresh, 5, 10, 40},
		{"the first ones", article, fresh, 2, 36, 40},
		{"a program", program, fresh, 5, 36, 40},
		{"barren", article, barren, 5, 40, 40},
	} {
		g, read := newGuard(), 0
		for dir := range tt.dirs + 1 {
			for i := range tt.all {
				if fetch(t, g, tt.url(dir, i), tt.text(dir, i)) && dir == tt.dirs {
					read++
				}
			}
		}
		if read < tt.read-1 || read > tt.read+1 {
			t.Errorf("%s: %d pages of %d are read, want %d", tt.name, read, tt.all, tt.read)
		}
	}
}

// Also pages that are not read are noticed when they are copies, however many are on their way.
func TestUnreadCopies(t *testing.T) {
	g := newGuard()
	for i := range 300 {
		fetch(t, g, page(i), prose(i, 60))
	}
	session := func(i, n int) string { return fmt.Sprintf("http://a.test/p/%d?sid=%032x", i, n) }
	n := 0
	for ; n < 1000 && g.Judge(mustParse(t, session(n%300, n)), "").Kind == ""; n++ {
		fetch(t, g, session(n%300, n), prose(n%300, 60), session((n+1)%300, n+1))
	}
	if n > budget/2+4 { // the form of the first ones is not yet known for what it is
		t.Errorf("copies are refused after %d pages, want half the budget of %d", n, budget)
	}
}

// A calendar on each page shows the page again with another month, without end: texts that pages
// which were not read have said are no news. Answers under queries of their own are read.
func TestVariantsOfUnreadPages(t *testing.T) {
	const articles, answers = 600, 4
	months := strings.Fields("january february march april may june july august september october november december")
	for _, endless := range []bool{true, false} {
		list := ""
		for i := range articles {
			list += link(fmt.Sprintf("/node/%d", i))
		}
		made := 0
		n := len(pages(trap.New(trap.Config{}), 8000, func(path string) string {
			at, query, variant := strings.Cut(path, "?")
			var i, v int
			if path == "/" {
				return list
			} else if _, err := fmt.Sscanf(at, "/node/%d", &i); err != nil || i >= articles {
				return ""
			}
			if variant {
				made++
			}
			if endless {
				fmt.Sscanf(query, "mini=%d", &v)
				month := func(v int) string { return link(fmt.Sprintf("%s?mini=%d", at, v)) }
				return "<p>" + prose(i, 60) + months[(v%12+12)%12] + "</p>" + month(v-1) + month(v+1)
			}
			fmt.Sscanf(query, "from=%d", &v)
			if v++; v > answers {
				return "<p>" + prose(10*i+v, 60) + "</p>"
			}
			return "<p>" + prose(10*i+v, 60) + "</p>" + link(fmt.Sprintf("%s?from=%d", at, v))
		}))
		if most := 2*articles + 2*trap.DefaultBudget; endless && (n-made != articles+1 || made > most) {
			t.Errorf("%d pages, and %d of them again, want %d and at most %d", n-made, made, articles+1, most)
		}
		if want := 1 + articles*(1+answers); !endless && n != want {
			t.Errorf("%d pages with answers, want %d", n, want)
		}
	}
}

// That pages were none that were known is no evidence any more after hundreds that were.
func TestOldTrialsAreForgotten(t *testing.T) {
	g := newGuard()
	for i := range 40 {
		teach(t, g, page(i), "", prose(i, 60))
	}
	from := func(i, n int) string { return fmt.Sprintf("%s?from=%d", page(i), n) }
	for i := range 10 {
		teach(t, g, from(i, 0), page(i), prose(1000+i, 60))
	}
	n := 0
	for ; n < 400 && g.Judge(mustParse(t, from(n%40, n+1)), page(0)).Kind == ""; n++ {
		teach(t, g, from(n%40, n+1), page(0), prose(n%40, 60))
	}
	if n < budget || n > 200 {
		t.Errorf("copies are refused after %d pages", n)
	}
}

// What is not read pays for nothing: with 64 pages on their way, all leased while the pattern was
// rich, a debt stays what it is.
func TestUnreadPagesPayNothing(t *testing.T) {
	g := newGuard()
	for i := range 200 {
		fetch(t, g, page(i), prose(i, 60))
	}
	leases := map[int]trap.Lease{}
	for i := 200; i < 264; i++ {
		u := mustParse(t, page(i))
		leases[i] = g.Lease(u, trap.Verdict{})
	}
	unread := 0
	for i := 200; i < 264; i++ {
		if !leases[i].Unread {
			// Nothing new, and no copy.
			teach(t, g, page(i), page(0), stale(i))
		}
	}
	before := judge(t, g, page(300)).Rank
	for i := 200; i < 264; i++ {
		if leases[i].Unread {
			unread++
			var s trap.Sampler
			g.Skim(mustParse(t, page(i)), s.Skim(200, words(prose(i, 60)), 1))
		}
	}
	for _, l := range leases {
		g.Ended(l)
	}
	if after := judge(t, g, page(300)).Rank; unread != 56 || after == 0 || before < after {
		t.Errorf("%d of 64 are not read; rank %d before them, %d after", unread, before, after)
	}
	if l := g.Lease(mustParse(t, page(301)), trap.Verdict{}); l.Unread {
		t.Error("the next is not read either")
	}
}
