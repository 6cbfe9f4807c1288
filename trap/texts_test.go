package trap_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"crawler/parse"
	"crawler/trap"
	"crawler/weburl"
)

// pages crawls a site in this process, and returns the paths that were fetched. page returns a
// page's body, "" if there is none.
func pages(g *trap.Guard, limit int, page func(path string) string) (fetched []string) {
	w := newWalk("http://steps.test/", g)
	w.ahead = 4
	w.stays = func(weburl.URL) bool { return true }
	w.get = func(u weburl.URL) (parse.Input, int, bool) {
		body := page(u.RequestURI())
		if body == "" {
			return parse.Input{}, 404, false
		}
		fetched = append(fetched, u.RequestURI())
		return parse.Input{URL: u, ContentType: "text/html; charset=utf-8", Body: []byte(body)}, 200, true
	}
	w.run(func() bool { return len(fetched) >= limit })
	return fetched
}

// link is a link and its text.
func link(path string) string { return `<p><a href="` + path + `">more</a></p>` }

// Texts that are two or three empty steps from where they are listed are found, whatever the
// addresses of the steps are: breadth-first all first steps would spend the budget.
func TestTextsBehindEmptySteps(t *testing.T) {
	turns, needed := slices.Index(trap.Rules, "turns"), 0
	for _, steps := range [][]string{
		{"/click/1/%d", "/click/2/%d"},
		{"/click?s=1&id=%d", "/click?s=2&id=%d"},
		{"/photo/%d", "/photo/%d/info", "/photo/%d/notes"},
		{"/s/1/%d", "/s/2/%d", "/s/3/%d", "/s/4/%d"},
	} {
		const n = 1000
		site := map[string]string{}
		home := ""
		for i := range n {
			for k, s := range steps {
				to := fmt.Sprintf("/text/%d", i)
				if k+1 < len(steps) {
					to = fmt.Sprintf(steps[k+1], i)
				}
				site[fmt.Sprintf(s, i)] = "<p>One moment.</p>" + link(to)
			}
			site[fmt.Sprintf("/text/%d", i)] = prose(i, 60)
			home += link(fmt.Sprintf(steps[0], i))
		}
		site["/"] = home
		texts := func(g *trap.Guard) (texts int) {
			for _, path := range pages(g, 1<<20, func(path string) string { return site[path] }) {
				if strings.HasPrefix(path, "/text/") {
					texts++
				}
			}
			return texts
		}
		if found := texts(trap.New(trap.Config{})); found != n {
			t.Errorf("%v: %d of %d texts", steps, found, n)
		}
		if found := texts(trap.New(trap.Config{}).Without(turns)); found < n {
			needed++
		}
	}
	if needed < 2 { // elsewhere the texts settle what their lists have spent
		t.Errorf("turns are needed for %d of the sites", needed)
	}
}

// found counts the pages of a site, by path, that a guard has fetched.
func found(g *trap.Guard, site map[string]string) int {
	return len(pages(g, 1<<20, func(path string) string { return site[path] }))
}

// all checks that a guard fetches all pages of a site, and does not without a rule.
func all(t *testing.T, site map[string]string, rule string) {
	t.Helper()
	if n := found(trap.New(trap.Config{}), site); n != len(site) {
		t.Errorf("%d of %d pages", n, len(site))
	}
	if found(trap.New(trap.Config{}).Without(slices.Index(trap.Rules, rule)), site) == len(site) {
		t.Errorf("all pages without the rule %s", rule)
	}
}

// Of the days of a calendar one in 20 leads to a meeting and this to its minutes, and all others
// have not a word: lists are judged by the texts that are found on them.
func TestTextsBelowDays(t *testing.T) {
	site := map[string]string{"/": link("/council/2008/1")}
	n := 0
	for month := range 72 {
		at := fmt.Sprintf("/council/%d/%d", 2008+month/12, month%12+1)
		days := ""
		for d := 1; d <= 28; d++ {
			day := fmt.Sprintf("%s/%d", at, d)
			days += link(day)
			site[day] = "<p>Day</p>"
			if n++; n%20 == 7 {
				site[day] += link(day + "/meeting")
				site[day+"/meeting"] = "<p>Meeting</p>" + link(day+"/minutes")
				site[day+"/minutes"] = prose(n, 40)
			}
		}
		if next := month + 1; next < 72 {
			days += link(fmt.Sprintf("/council/%d/%d", 2008+next/12, next%12+1))
		}
		site[at] = days
	}
	all(t, site, "lists")
}

// Sections of 70 scans without a word, and then 29 with a sentence: the first section is read to
// its end before all of them have spent a budget.
func TestSectionsThatBeginEmpty(t *testing.T) {
	site, home := map[string]string{}, ""
	for k := range 28 {
		at := func(i int) string {
			return fmt.Sprintf("/%s/scan/%d", strings.Repeat(string(rune('a'+k%26)), 4+k/26), i)
		}
		for i := range 100 {
			text := "<p>Scan</p>"
			if i > 70 {
				text += prose(100*k+i, 24)
			}
			if i < 99 {
				text += link(at(i + 1))
			}
			site[at(i)] = text
		}
		home += link(at(0))
	}
	site["/"] = home
	all(t, site, "turns")
}

// A program shows equal frames by their numbers, and a text on each 380th: they have the whole
// budget.
func TestTextsAmongNumberedFrames(t *testing.T) {
	site := map[string]string{"/": link("/reel?frame=0")}
	for i := range 1600 {
		text := "<p>Reel</p>"
		if i%380 == 379 {
			text += prose(i, 40)
		}
		if i < 1599 {
			text += link(fmt.Sprintf("/reel?frame=%d", i+1))
		}
		site[fmt.Sprintf("/reel?frame=%d", i)] = text
	}
	all(t, site, "texts")
}

// Albums of 30 pictures without a word, each of which ends with one sentence: amid silence ten new
// words are a text, even if the URLs combine parameters.
func TestShortTextsAmidSilence(t *testing.T) {
	site, home := map[string]string{}, ""
	at := func(album, i int) string { return fmt.Sprintf("/album?album=%d&pos=%d", album, i) }
	for k := range 170 { // more than what has few values
		for i := range 30 {
			site[at(k, i)] = fmt.Sprintf(`<a href="%s"><img src="/%d/%d.jpg"></a>`, at(k, i+1), k, i)
		}
		site[at(k, 30)] = prose(k, 10)
		home += link(at(k, 0))
	}
	site["/"] = home
	all(t, site, "texts")
}

// Pages that are listed are found though an endless chain has the same addresses: of what may be
// endless, too, the deepest are not the only ones.
func TestPagesBesideAChain(t *testing.T) {
	const n = 300
	node := func(i int) string { return fmt.Sprintf("/node/%d", i) }
	listed := func(i int) bool { return i%17 == 0 && i/17 < n }
	home := ""
	for i := range n {
		home += link(node(17 * i))
	}
	fetched := pages(trap.New(trap.Config{}), 20*n, func(path string) string {
		var i int
		switch _, err := fmt.Sscanf(path, "/node/%d", &i); {
		case path == "/":
			return home
		case err != nil:
			return ""
		case listed(i):
			return prose(i, 30) + link(node(i+1))
		}
		return "<p>Nothing here.</p>" + link(node(i+1)) + link(node(100_000+i*i%7919))
	})
	honest := 0
	for _, path := range fetched {
		var i int
		if _, err := fmt.Sscanf(path, "/node/%d", &i); err == nil && listed(i) {
			honest++
		}
	}
	if honest < n*95/100 || len(fetched) > 3*trap.DefaultBudget {
		t.Errorf("%d of %d pages, %d requests", honest, n, len(fetched))
	}
}

// A diary has an entry on each 30th day only, and the days lead to each other: a pattern is closed
// for what it has spent since the last text.
func TestTextsFarApart(t *testing.T) {
	const days, every = 3000, 30
	day := func(i int) string { return fmt.Sprintf("/%d/%02d/%02d", 2005+i/360, i/30%12+1, i%30+1) }
	site := map[string]string{"/": link(day(0))}
	for i := range days {
		text := "<p>No entry.</p>"
		if i%every == 11 {
			text = prose(i, 30)
		}
		site[day(i)] = text + link(day(i+1))
	}
	entries := func(g *trap.Guard) int {
		found := 0
		for _, path := range pages(g, 1<<20, func(path string) string { return site[path] }) {
			if len(site[path]) > 150 {
				found++
			}
		}
		return found
	}
	if found := entries(trap.New(trap.Config{})); found != days/every {
		t.Errorf("%d of %d entries", found, days/every)
	}
	if found := entries(trap.New(trap.Config{}).Without(slices.Index(trap.Rules, "texts"))); found == days/every {
		t.Error("all without the rule")
	}
}

// A list that ends is fetched to its end, though each of its pages has one word of its own.
func TestListsThatEnd(t *testing.T) {
	const n = 3000
	site := map[string]string{}
	home := ""
	for i := range n {
		home += link(fmt.Sprintf("/entry/%d", i))
		site[fmt.Sprintf("/entry/%d", i)] = "<p>The word of this page is w" + fmt.Sprint(i) + " and no other.</p>"
	}
	site["/"] = home
	get := func(path string) string { return site[path] }
	if all := pages(trap.New(trap.Config{}), 1<<20, get); len(all) != n+1 {
		t.Errorf("%d pages of %d", len(all), n+1)
	}
	if all := pages(trap.New(trap.Config{}).Without(slices.Index(trap.Rules, "growth")), 1<<20, get); len(all) > n/2 {
		t.Errorf("%d pages without the rule", len(all))
	}
}

// Equal pages under addresses of their own have the whole budget: the first text comes after 350 of
// them.
func TestTextAfterEqualPages(t *testing.T) {
	const n, equal = 1200, 350
	frame := func(i int) string { return fmt.Sprintf("/reel/%d/view", i) }
	site := map[string]string{"/": link(frame(0))}
	for i := range n {
		text := ""
		if i >= equal {
			text = prose(i, 40)
		}
		site[frame(i)] = text + link(frame(i+1))
	}
	if found := pages(trap.New(trap.Config{}), 1<<20, func(path string) string { return site[path] }); len(found) != len(site) {
		t.Errorf("%d pages of %d", len(found), len(site))
	}
}

// Each answer puts another token of letters on its links: none leads to a URL that was met, but
// most lead to pages that were, so this is no maze. That the tokens make no difference is seen only
// when a page under a known path was asked for, and those wait.
func TestTokensOnAllLinks(t *testing.T) {
	const n = 800
	answers := 0
	fetched := pages(trap.New(trap.Config{}), 10*n, func(path string) string {
		answers++
		z := strings.Map(func(r rune) rune { return 'a' + r - '0' }, fmt.Sprintf("%09d", answers*7919%1_000_000_007))
		to := func(i int) string { return link(fmt.Sprintf("/art/%d?z=%s", i, z)) }
		var i int
		if _, err := fmt.Sscanf(path, "/art/%d", &i); err != nil {
			return to(0)
		}
		return prose(i, 50) + to((2*i+1)%n) + to((2*i+2)%n) + to(i/2) + to((i+1)%n)
	})
	found := map[string]bool{}
	for _, path := range fetched {
		path, _, _ := strings.Cut(path, "?")
		found[path] = true
	}
	if len(found) != n+1 || len(fetched) > 3*n {
		t.Errorf("%d pages of %d, %d requests", len(found), n+1, len(fetched))
	}
}

// Where no spaces are between words a clause counts as many: else a page of sixty characters would
// say one word.
func TestTextsWithoutSpaces(t *testing.T) {
	for script, first := range map[string]rune{"Chinese": 0x4e00, "Thai": 0x0e01} {
		site := map[string]string{"/": link("/wen/0")}
		for i := range 1500 {
			rng := rand.New(rand.NewPCG(1, uint64(i)))
			text := make([]rune, 55)
			for k := range text {
				text[k] = first + rune(rng.IntN(40))
			}
			site[fmt.Sprintf("/wen/%d", i)] = "<p>" + string(text) + "</p>"
			if i > 0 {
				site[fmt.Sprintf("/wen/%d", i-1)] += link(fmt.Sprintf("/wen/%d", i))
			}
		}
		if n := found(trap.New(trap.Config{}), site); n != len(site) {
			t.Errorf("%s: %d of %d pages", script, n, len(site))
		}
	}
}

// Known pages under new names lead to texts that are there anyway: these settle nothing for them.
func TestTextsBelowCopiesSettleNothing(t *testing.T) {
	g := trap.New(trap.Config{Budget: 100})
	for i := range 40 {
		teach(t, g, page(i), "", prose(i, 60))
	}
	session := func(n int) string { return fmt.Sprintf("%s?sid=%032x", page(n%40), n) }
	n := 0
	for ; n < 600 && g.Judge(mustParse(t, session(n)), page(0)).Kind == ""; n++ {
		teach(t, g, session(n), session(n+599), prose(n%40, 60), session(n+1))
		if n%20 == 19 {
			teach(t, g, fmt.Sprintf("http://a.test/new/%d", n), session(n), prose(1000+n, 60))
		}
	}
	if n < 50 || n > 400 {
		t.Errorf("copies are refused after %d pages", n)
	}
}
