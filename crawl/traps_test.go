package crawl_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cespare/xxhash/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"crawler/crawl"
	"crawler/gate"
	"crawler/internal/mazes"
	"crawler/internal/memweb"
	"crawler/ledger/disk"
	"crawler/store"
	"crawler/trap"
	"crawler/weburl"
)

// trapBudget is small, so that traps close soon.
const trapBudget = 20

// crawlSite crawls a labelled site in virtual time.
func crawlSite(t *testing.T, s *mazes.Site, change func(*crawl.Config)) (*mazes.Tally, *notes, crawl.Result) {
	t.Helper()
	l, n := mazes.NewTally(s), &notes{}
	var res crawl.Result
	synctest.Test(t, func(t *testing.T) {
		w := memweb.New(map[string]http.Handler{"*": l})
		defer w.Close()
		cfg := config(t, w, n, s.Seed)
		cfg.Gate.FollowTraps, cfg.Gate.Traps.Budget = false, trapBudget
		cfg.Workers, cfg.Gate.Scope.Mode = 4, gate.ScopeDomain
		if change != nil {
			change(&cfg)
		}
		var err error
		if res, err = crawl.Run(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
	})
	return l, n, res
}

// crawlGuarded crawls http://a.test/ with the guard as users have it, in virtual time.
func crawlGuarded(t *testing.T, handler http.Handler) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := memweb.New(map[string]http.Handler{"*": handler})
		defer w.Close()
		cfg := config(t, w, &notes{}, "http://a.test/")
		cfg.Gate.FollowTraps = false
		if _, err := crawl.Run(t.Context(), cfg); err != nil {
			t.Error(err)
		}
	})
}

// The labelled set, crawled by the whole ring: no honest page is lost, a trap costs two budgets
// and 5 % at most, every URL that was admitted has one outcome, and the Result names what was
// refused.
func TestTrapsAreAvoided(t *testing.T) {
	for i, s := range mazes.All(7, 120) {
		if testing.Short() && i%4 != 0 {
			continue // the ring is the same for all; what differs is the guard's
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			got, n, res := crawlSite(t, s, func(c *crawl.Config) { c.MaxPages, c.Gate.Traps.Budget = 5000, trap.DefaultBudget })
			most := 2 * trap.DefaultBudget * 105 / 100
			if s.Name == "wildcard subdomains" {
				// Hosts take turns, so a made-up one may be the first to show an honest page, which
				// pays for 20 copies.
				most += 20 * got.Honest()
			}
			if s.Trap && got.Traps() > most || res.EndedBy != crawl.Done {
				t.Errorf("%d trap pages were fetched; ended by %s", got.Traps(), res.EndedBy)
			}
			want, _, all := crawlSite(t, s, func(c *crawl.Config) {
				c.Gate.FollowTraps = true
				if s.Trap {
					c.MaxPages = 1200
				}
			})
			if lost := got.Missing(want); len(lost) > 0 {
				t.Errorf("lost %q", lost)
			}
			if s.Trap == (res.Fetched == all.Fetched) {
				t.Errorf("%d pages, %d of them trap pages; without a guard %d", res.Fetched, got.Traps(), all.Fetched)
			}
			accountForTraps(t, n, res)
		})
	}
}

// accountForTraps holds the Result's list of traps against what was told.
func accountForTraps(t *testing.T, n *notes, res crawl.Result) {
	t.Helper()
	told, listed, skipped := map[string]int{}, map[string]int{}, 0
	for _, s := range n.skips {
		skipped++
		if strings.HasPrefix(string(s.Reason), "trap:") {
			told[s.Detail]++
		}
	}
	for _, x := range res.Traps {
		if x.Refused > 0 {
			listed[x.Pattern] += x.Refused
		}
	}
	if !maps.Equal(told, listed) {
		t.Errorf("told %v, the result lists %v", told, listed)
	}
	if res.Admitted != res.Fetched+res.Redirects+skipped {
		t.Errorf("%d URLs admitted, %d pages, %d redirects, %d refusals", res.Admitted, res.Fetched, res.Redirects, skipped)
	}
}

// What looks like a trap is fetched when its pattern is trusted, as the report names it.
func TestTrustedPatternsAreFetched(t *testing.T) {
	s := siteNamed(t, "calendar of months")
	_, _, res := crawlSite(t, s, func(c *crawl.Config) { c.MaxPages = 1000 })
	if len(res.Traps) == 0 || res.Traps[0].Pattern == "" {
		t.Fatalf("traps %v", res.Traps)
	}
	for _, trust := range []string{res.Traps[0].Pattern, weburlOf(t, s.Seed).Host()} {
		got, _, res := crawlSite(t, s, func(c *crawl.Config) {
			c.MaxPages, c.Gate.Traps.Trust = 300, []string{trust}
		})
		if res.EndedBy != crawl.ByMaxPages || got.Traps() < 250 {
			t.Errorf("trusting %s: %d pages, %d of the calendar, ended by %s", trust, res.Fetched, got.Traps(), res.EndedBy)
		}
	}
}

func siteNamed(t *testing.T, name string) *mazes.Site {
	t.Helper()
	for _, s := range mazes.All(7, 120) {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("there is no site %q", name)
	return nil
}

func weburlOf(t *testing.T, s string) weburl.URL {
	t.Helper()
	u, err := weburl.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// A crawl that is stopped and resumed again and again knows its traps, and what it holds
// of them, as one that is left alone does: nothing honest is lost, the trap costs hardly
// more, and every refused URL is told once.
func TestTrapsSurviveARestart(t *testing.T) {
	for _, name := range []string{"wiki with a soft 404", "blog with a maze"} {
		t.Run(name, func(t *testing.T) {
			s := siteNamed(t, name)
			want, _, _ := crawlSite(t, s, nil)
			synctest.Test(t, func(t *testing.T) { stopAndGo(t, s, want) })
		})
	}
}

func stopAndGo(t *testing.T, s *mazes.Site, want *mazes.Tally) {
	got := mazes.NewTally(s)
	w := memweb.New(map[string]http.Handler{"*": got})
	defer w.Close()
	fs := store.OnMem(vfs.NewCrashableMem())
	dir, err := store.Create(fs, crawlDir, store.Meta{Seeds: []string{s.Seed}, Created: time.Now()}, true)
	var res crawl.Result
	// What was refused at last: a run reports what it defers, and another may fetch it.
	told := map[string]bool{}
	for pages := 10; err == nil; pages += 10 {
		n := &notes{}
		cfg := config(t, w, nil, s.Seed)
		cfg.Gate.FollowTraps, cfg.Gate.Traps.Budget = false, trapBudget
		cfg.Workers, cfg.Gate.Scope.Mode = 4, gate.ScopeDomain
		cfg.Recorder, cfg.Store, cfg.MaxPages = cutting{n}, disk.Of(dir), pages
		if res, err = crawl.Run(t.Context(), cfg); err != nil {
			break
		}
		for _, p := range n.pages {
			delete(told, p.url)
		}
		once := map[string]bool{}
		for _, x := range n.skips {
			if once[x.URL] {
				t.Errorf("%s is reported twice", x.URL)
			}
			once[x.URL], told[x.URL] = true, true
		}
		if err = dir.Close(); err != nil || res.EndedBy == crawl.Done {
			break
		}
		dir, err = store.Open(fs, crawlDir)
	}
	if err != nil {
		t.Fatal(err)
	}
	if lost := got.Missing(want); len(lost) > 0 {
		t.Errorf("lost %q", lost)
	}
	if got.Traps() > want.Traps()*5/4 || res.Runs < 4 {
		t.Errorf("%d trap pages in %d runs, %d when left alone", got.Traps(), res.Runs, want.Traps())
	}
	total := 0
	for _, x := range res.Skipped {
		total += x
	}
	if total != len(told) || total == 0 {
		t.Errorf("%d refusals counted, %d told", total, len(told))
	}
}

// moody is a server that is busy for its first pages and says so on each, under status
// 200: what a soft 404 looks like.
type moody struct{ asked, busy int }

func (m *moody) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	switch {
	case r.URL.Path == "/":
		for i := range moodyPages {
			fmt.Fprintf(w, "<a href=/p/n%dx>page</a>\n", i)
		}
	case r.URL.Path == "/robots.txt":
		w.WriteHeader(http.StatusNotFound)
	case m.asked < m.busy:
		m.asked++
		fmt.Fprintf(w, "come back later please, or look <a href=/p/busy%dx>there</a>", m.asked)
	default:
		rng := rand.New(rand.NewPCG(uint64(len(r.URL.Path)), xxhash.Sum64String(r.URL.Path)))
		for range 60 {
			fmt.Fprintf(w, "w%d ", rng.IntN(5000))
		}
	}
}

const (
	moodyPages = 700
	moodyBusy  = 39 // first answers, each of which leads to one page more
	moodyAll   = moodyPages + moodyBusy + 1
)

// A pattern that was closed wrongly opens, and all it has refused is fetched: also under a
// budget, which the refused pages have not used up, and by a crawl that is resumed
// without its guard.
func TestWhatProvesHonestIsFetched(t *testing.T) {
	for name, change := range map[string]func(*crawl.Config){
		"plain":  func(*crawl.Config) {},
		"depth":  func(c *crawl.Config) { c.Gate.MaxDepth = 64 },
		"budget": func(c *crawl.Config) { c.Gate.Frontier.MaxPerHost = moodyAll },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := memweb.New(map[string]http.Handler{"*": &moody{busy: moodyBusy}})
				defer w.Close()
				n := &notes{}
				cfg := config(t, w, n, "http://a.test/")
				cfg.Gate.FollowTraps, cfg.Gate.Traps.Budget, cfg.Workers = false, trapBudget, 1
				change(&cfg)
				res, err := crawl.Run(t.Context(), cfg)
				if err != nil || res.Fetched != moodyAll || len(n.skips) > 0 {
					t.Errorf("error %v, %d pages of %d, refused %v", err, res.Fetched, moodyAll, res.Skipped)
				}
				if len(res.Traps) != 1 || res.Traps[0].Refused != 0 {
					t.Errorf("traps %+v, want one that refuses nothing any more", res.Traps)
				}
			})
		})
	}
}

// What was refused as a trap is fetched by a run that is told to trust it.
func TestResumeWithTrust(t *testing.T) {
	for name, change := range map[string]func(*crawl.Config){
		"by prefix": func(c *crawl.Config) { c.Gate.Traps.Trust = []string{"a.test/p/"} },
		"all":       func(c *crawl.Config) { c.Gate.FollowTraps = true },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := memweb.New(map[string]http.Handler{"*": &moody{busy: moodyPages}})
				defer w.Close()
				fs := store.OnMem(vfs.NewCrashableMem())
				dir, err := store.Create(fs, crawlDir, store.Meta{Seeds: []string{"http://a.test/"}, Created: time.Now()}, true)
				if err != nil {
					t.Fatal(err)
				}
				cfg := config(t, w, nil, "http://a.test/")
				cfg.Gate.FollowTraps, cfg.Gate.Traps.Budget, cfg.Workers, cfg.MaxPages = false, trapBudget, 1, 40
				cfg.Recorder, cfg.Store = cutting{&notes{}}, disk.Of(dir)
				res, err := crawl.Run(t.Context(), cfg)
				if err != nil || res.EndedBy != crawl.ByMaxPages || len(res.Traps) == 0 {
					t.Fatalf("error %v, ended by %s, traps %v", err, res.EndedBy, res.Traps)
				}
				if err := dir.Close(); err != nil {
					t.Fatal(err)
				}
				if dir, err = store.Open(fs, crawlDir); err != nil {
					t.Fatal(err)
				}
				cfg.Store, cfg.MaxPages = disk.Of(dir), 0
				change(&cfg)
				res, err = crawl.Run(t.Context(), cfg)
				if err != nil || res.Fetched != 2*moodyPages+1 || res.Left() > 0 {
					t.Errorf("error %v, %d pages of %d, %d left", err, res.Fetched, 2*moodyPages+1, res.Left())
				}
				if err := dir.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// Pages in a chain that have no word of their own look like a trap to anyone. The command that the
// report prints, which trusts the pattern, fetches all that are left, of a crawl that was complete.
func TestTrustFetchesGalleriesWithoutAWord(t *testing.T) {
	s := judgedSite(t, "gallery chained", 1002, 1000)
	synctest.Test(t, func(t *testing.T) {
		got := mazes.NewTally(s)
		w := memweb.New(map[string]http.Handler{"*": got})
		defer w.Close()
		fs := store.OnMem(vfs.NewCrashableMem())
		dir, err := store.Create(fs, crawlDir, store.Meta{Seeds: []string{s.Seed}, Created: time.Now()}, true)
		if err != nil {
			t.Fatal(err)
		}
		run := func(trust ...string) crawl.Result {
			cfg := config(t, w, nil, s.Seed)
			cfg.Gate.FollowTraps, cfg.Gate.Traps.Trust = false, trust
			cfg.Recorder, cfg.Store = cutting{&notes{}}, disk.Of(dir)
			res, err := crawl.Run(t.Context(), cfg)
			if err != nil || res.EndedBy != crawl.Done || res.Left() > 0 {
				t.Fatalf("trusting %q: error %v, ended by %s, %d left", trust, err, res.EndedBy, res.Left())
			}
			if err := dir.Close(); err != nil {
				t.Fatal(err)
			}
			if dir, err = store.Open(fs, crawlDir); err != nil {
				t.Fatal(err)
			}
			return res
		}
		res := run()
		if lost := s.Pages - got.Honest(); lost == 0 || len(res.Traps) != 1 || res.Traps[0].Refused == 0 {
			t.Fatalf("%d pages of %d, traps %+v", got.Honest(), s.Pages, res.Traps)
		}
		if run(res.Traps[0].Pattern); got.Honest() != s.Pages || got.Traps() > 0 {
			t.Errorf("%d pages of %d after the command, %d twice", got.Honest(), s.Pages, got.Traps())
		}
		if err := dir.Close(); err != nil {
			t.Error(err)
		}
	})
}

func judgedSite(t *testing.T, name string, seed uint64, size int) *mazes.Site {
	t.Helper()
	for _, s := range mazes.Judged(seed, size) {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("there is no site %q", name)
	return nil
}

// Every broken link is told to the owner of a site: errors all look the same, and are no
// trap.
func TestErrorsAreNoTrap(t *testing.T) {
	s := newSite(map[string]*page{"a.example/": {}})
	for i := range 300 {
		p := fmt.Sprintf("/gone/p%d", i)
		s.pages["a.example/"].links = append(s.pages["a.example/"].links, p)
		s.pages["a.example"+p] = &page{status: 404 + i%3*48, html: "not here"} // 404, 452, 500
	}
	n, res := inBubble(t, s, func(c *crawl.Config) { c.Gate.FollowTraps = false }, "http://a.example/")
	if len(n.pages) != 301 || len(res.Traps) > 0 {
		t.Errorf("%d pages of 301, traps %v", len(n.pages), res.Traps)
	}
}

// What a wide pattern has refused is fetched at the end, if a pattern of its own vouches for
// it by then.
func TestWhatItsOwnPatternVouchesForIsFetched(t *testing.T) {
	closed := 0
	for _, gone := range []int{26, 30, 40, 60, 80, 100} {
		if testing.Short() && gone != 100 {
			continue
		}
		s := newSite(map[string]*page{"a.example/articles/": {html: "x"}, "a.example/": {}})
		home := s.pages["a.example/"]
		for i := range gone {
			u := fmt.Sprintf("/gone%d/x%d.html", i, i)
			home.links = append(home.links, u)
			s.pages["a.example"+u] = &page{html: fmt.Sprintf("sorry this page has moved <a href=/gone%d/y%d.html>away</a>", i+1, i), latency: 500 * time.Millisecond}
		}
		for i := range 300 {
			rng, text := rand.New(rand.NewPCG(uint64(i), 5)), ""
			for range 200 {
				text += fmt.Sprintf("w%d ", rng.IntN(5000))
			}
			u := fmt.Sprintf("/articles/%c%c-%d.html", 'a'+i%26, 'a'+i/26, i)
			home.links = append(home.links, u)
			s.pages["a.example"+u] = &page{html: text, latency: time.Second}
		}
		n, res := inBubble(t, s, func(c *crawl.Config) {
			c.Gate.FollowTraps, c.Gate.Traps.Budget = false, trapBudget
			c.Workers, c.Gate.Frontier.PerHost, c.Gate.Frontier.Interval = 16, 16, 20*time.Millisecond
		}, "http://a.example/", "http://a.example/articles/")
		articles := 0
		for _, p := range n.pages {
			if strings.Contains(p.url, "/articles/") {
				articles++
			}
		}
		if articles != 301 {
			t.Errorf("%d pages that are gone: %d articles of 301, traps %+v", gone, articles, res.Traps)
		}
		closed += len(res.Traps)
	}
	if closed == 0 {
		t.Error("no pattern was ever closed")
	}
}

// Texts behind two empty steps are fetched by the whole ring: of what waits the deepest comes by
// turns.
func TestTextsBehindEmptySteps(t *testing.T) {
	const n = 400
	site := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		var step, i int
		switch _, err := fmt.Sscanf(r.URL.Path, "/click/%d/%d", &step, &i); {
		case r.URL.Path == "/":
			for i := range n {
				fmt.Fprintf(w, "<a href=/click/1/%d>text</a>\n", i)
			}
		case err == nil && step == 1:
			fmt.Fprintf(w, "one moment <a href=/click/2/%d>on</a>", i)
		case err == nil && step == 2:
			fmt.Fprintf(w, "one moment <a href=/text/%d>on</a>", i)
		case strings.HasPrefix(r.URL.Path, "/text/"):
			rng := rand.New(rand.NewPCG(1, xxhash.Sum64String(r.URL.Path)))
			for range 60 {
				fmt.Fprintf(w, "w%d ", rng.IntN(5000))
			}
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		w := memweb.New(map[string]http.Handler{"*": site})
		defer w.Close()
		cfg := config(t, w, &notes{}, "http://a.test/")
		cfg.Gate.FollowTraps, cfg.Workers = false, 4
		res, err := crawl.Run(t.Context(), cfg)
		if err != nil || res.Fetched != 3*n+1 {
			t.Errorf("error %v, %d pages of %d, refused %v", err, res.Fetched, 3*n+1, res.Skipped)
		}
	})
}

// The days of an archive have their turns before all of its months were fetched, though the deepest
// URLs that wait are those of a calendar.
func TestArchivesBesideCalendars(t *testing.T) {
	text := func(seed string, n int) (s string) {
		rng := rand.New(rand.NewPCG(2, xxhash.Sum64String(seed)))
		for range n {
			s += fmt.Sprintf("w%d ", rng.IntN(9000))
		}
		return s
	}
	site := map[string]string{"/": "<a href=/diary/2021/5/>diary</a>"}
	add := func(list, page, text string) {
		site[list] += "<a href=" + page + ">more</a> "
		site[page] = text + "pages of " + page + " are listed here as they were printed "
	}
	for y := 1927; y < 1932; y++ {
		year := fmt.Sprintf("/%d/", y)
		add("/", year, "")
		for m := range 12 {
			month := fmt.Sprintf("%s%02d/", year, m+1)
			add(year, month, "")
			for d := range 4 {
				day := fmt.Sprintf("%s%02d/", month, 3+7*d)
				add(month, day, "")
				for a := range 4 {
					article := fmt.Sprintf("%sarticle-%d", day, a+1)
					add(day, article, text(article, 60)+fmt.Sprintf("<a href=/diary/2021/%d/>diary</a>", m+1))
				}
			}
		}
	}
	requests, first := 0, 0
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		var y, m int
		switch _, err := fmt.Sscanf(r.URL.Path, "/diary/%d/%d/", &y, &m); {
		case site[r.URL.Path] != "":
			if requests <= len(site) {
				first++
			}
			fmt.Fprint(w, site[r.URL.Path])
		case err == nil:
			if n := 12*(y-2021) + m - 5; n > -12 && n < 24 {
				fmt.Fprint(w, text(r.URL.Path, 40))
			}
			fmt.Fprint(w, "nothing happens in this month and nobody comes ")
			for _, n := range []int{-1, 1, -12, 12} {
				n += 12*y + m - 1
				fmt.Fprintf(w, "<a href=/diary/%d/%d/>other</a> ", n/12, n%12+1)
			}
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	})
	crawlGuarded(t, handler)
	if first < len(site)*7/10 {
		t.Errorf("%d of %d pages among as many requests", first, len(site))
	}
}

// Copies that name their page as what they are come after the pages, though each has a text of its
// own beside it; and pages that ask not to be indexed, whatever they say.
func TestWhatAsksNotToBeListedComesLast(t *testing.T) {
	t.Run("canonical", func(t *testing.T) {
		testComesLast(t, func(article, text, other string) string {
			return "<link rel=canonical href=/article/" + article + ">" + text + other
		})
	})
	t.Run("noindex", func(t *testing.T) {
		testComesLast(t, func(_, _, other string) string { return "<meta name=robots content=noindex>" + other })
	})
}

// testComesLast crawls a site of articles, each with four pages besides, which are made of the
// article's number, its text and another.
func testComesLast(t *testing.T, besides func(article, text, other string) string) {
	const articles = 300
	text := func(seed, n int) (s string) {
		rng := rand.New(rand.NewPCG(3, uint64(seed)))
		for range n {
			s += fmt.Sprintf("w%d ", rng.IntN(9000))
		}
		return s
	}
	pages := articles + articles/10
	requests, first := 0, 0
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var list, article, copy int
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if _, err := fmt.Sscanf(r.URL.Path, "/copy-%d/%d", &copy, &article); err == nil {
			requests++
			fmt.Fprint(w, besides(strconv.Itoa(article), text(article, 100), text(1000*copy+article, 60)))
			return
		}
		_, err := fmt.Sscanf(r.URL.Path, "/article/%d", &article)
		if r.URL.Path != "/" && err != nil {
			if _, err = fmt.Sscanf(r.URL.Path, "/list/%d", &list); err != nil {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			article = 0
		}
		if requests++; requests <= pages {
			first++
		}
		if strings.HasPrefix(r.URL.Path, "/article/") {
			fmt.Fprint(w, text(article, 100))
			for k := range 4 {
				fmt.Fprintf(w, "<a href=/copy-%d/%d>copy</a> ", k+1, article)
			}
			return
		}
		for i := 10 * list; i < 10*list+10; i++ {
			fmt.Fprintf(w, "<a href=/article/%d>%s</a> ", i, text(i, 4))
		}
		if 10*list+10 < articles {
			fmt.Fprintf(w, "<a href=/list/%d>more</a>", list+1)
		}
	})
	crawlGuarded(t, handler)
	if first < pages*9/10 {
		t.Errorf("%d of %d pages among as many requests", first, pages)
	}
}

// Links that only redirect to a login come after the goods among which they stand, and links that
// redirect to pages of their own do not: with a limit on pages a crawl has those.
func TestRedirectsWaitForWhatTheyLeadTo(t *testing.T) {
	const goods = 120
	text := func(i int) (s string) {
		rng := rand.New(rand.NewPCG(uint64(i), 9))
		for range 120 {
			s += fmt.Sprintf("w%d ", rng.IntN(9000))
		}
		return s
	}
	for _, moved := range []bool{false, true} {
		home := &page{}
		s := newSite(map[string]*page{"a.example/": home})
		for i := range goods {
			wish, login, item := fmt.Sprintf("/wish/%d", i), fmt.Sprintf("/login?back=%d", i), fmt.Sprintf("/item/%d", i)
			home.links = append(home.links, wish)
			s.pages["a.example"+item] = &page{html: text(i)}
			s.pages["a.example"+wish] = &page{redirect: item}
			if !moved {
				home.links = append(home.links, item)
				s.pages["a.example"+wish].redirect = login
				s.pages["a.example"+login] = &page{html: "please log in"}
			}
		}
		inBubble(t, s, func(c *crawl.Config) {
			c.Gate.FollowTraps, c.Gate.IgnoreRobots = false, true
			c.Workers, c.Gate.Frontier.PerHost, c.Gate.Frontier.Interval = 4, 4, 20*time.Millisecond
		}, "http://a.example/")
		last, items, logins := 0, 0, 0
		for i, h := range s.hits {
			switch {
			case strings.Contains(h.url, "/item/"):
				last, items = i, items+1
			case strings.Contains(h.url, "/login"):
				logins++
			}
		}
		if items != goods || !moved && (last > goods+goods/4 || logins < goods/2) || moved && last != len(s.hits)-1 {
			t.Errorf("redirects to items: %t: %d items of %d, the last by request %d of %d; %d logins", moved, items, goods, last, len(s.hits), logins)
		}
	}
}

// The last page of an archive is shown under any number, with links to the next numbers. These are
// names of other pages, so the archive is closed like any copy, whatever its links say.
func TestPagesUnderAnyNumberEnd(t *testing.T) {
	for _, s := range mazes.Judged(11, 100) {
		if s.Shape != "pages without end" {
			continue
		}
		got, _, res := crawlSite(t, s, func(c *crawl.Config) { c.MaxPages, c.Gate.Traps.Budget = 5000, trap.DefaultBudget })
		if most := trap.DefaultBudget * 5 / 4; got.Honest() != s.Pages || got.Traps() > most || res.EndedBy != crawl.Done {
			t.Errorf("%d of %d pages, %d trap pages, at most %d; ended by %s", got.Honest(), s.Pages, got.Traps(), most, res.EndedBy)
		}
		return
	}
	t.Fatal("there is no such site")
}

// Scans of books, whose pages have no word that their URL has not, are known from each other by
// their pictures: all are fetched.
func TestScansOfBooksAreFetched(t *testing.T) {
	const books, scans = 10, 50
	home := &page{}
	s := newSite(map[string]*page{"a.example/": home})
	for b := range books {
		book := &page{html: fmt.Sprintf("book%d", b)}
		path := fmt.Sprintf("/book/%d/", b)
		home.links = append(home.links, path)
		s.pages["a.example"+path] = book
		for i := range scans {
			scan := fmt.Sprintf("%s?pg=%d", path, i)
			book.links = append(book.links, scan)
			s.pages["a.example"+scan] = &page{html: fmt.Sprintf("scan %d <img src=/img/%d-%d.jpg>", i, b, i)}
		}
	}
	_, res := inBubble(t, s, func(c *crawl.Config) {
		c.Gate.FollowTraps, c.Gate.IgnoreRobots = false, true
		c.Gate.Frontier.Interval = 20 * time.Millisecond
	}, "http://a.example/")
	if want := 1 + books + books*scans; res.Fetched != want {
		t.Errorf("%d pages of %d, refused %v", res.Fetched, want, res.Skipped)
	}
}

// A comic and a catalogue say what they have in the places of pictures and in fields of forms. As a
// chain they are fetched like any other text.
func TestAltTextsAreTexts(t *testing.T) {
	const n = 600
	for _, body := range []string{`<img src="/strip/%d.png" alt="%s">`, `<form>number %d <input name=title value="%s"></form>`} {
		s := newSite(map[string]*page{"a.example/": {links: []string{"/strip/0"}}})
		for i := range n {
			said := ""
			for k := range 12 {
				said += fmt.Sprintf("word%dx%d ", i, k)
			}
			p := &page{html: fmt.Sprintf(body, i, said)}
			if i+1 < n {
				p.links = []string{fmt.Sprintf("/strip/%d", i+1)}
			}
			s.pages[fmt.Sprintf("a.example/strip/%d", i)] = p
		}
		_, res := inBubble(t, s, func(c *crawl.Config) {
			c.Gate.FollowTraps, c.Gate.IgnoreRobots = false, true
			c.Gate.Frontier.Interval = 20 * time.Millisecond
		}, "http://a.example/")
		if want := 1 + n; res.Fetched != want {
			t.Errorf("%s: %d pages of %d, refused %v", body, res.Fetched, want, res.Skipped)
		}
	}
}
