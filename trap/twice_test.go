package trap_test

import (
	"strings"
	"testing"

	"crawler/internal/mazes"
	"crawler/parse"
	"crawler/trap"
	"crawler/weburl"
)

// A crawl that may fetch twice as many pages as a host with three traps has honest ones gets at
// least 98 % of these. Without a guard it gets 15 % at most.
func TestTwiceTheHonestPages(t *testing.T) {
	sites := 0
	for seed := range uint64(5) {
		for _, s := range mazes.Judged(1001+seed, 1000) {
			if s.Half.Held() || !strings.HasPrefix(s.Shape, "three ") {
				continue
			}
			sites++
			guarded, not := honestOf(s, trap.New(trap.Config{}), 2*s.Pages), honestOf(s, nil, 2*s.Pages)
			t.Logf("%s, seed %d: %.0f %% of %d honest pages, %.0f %% without a guard", s.Name, 1001+seed, guarded, s.Pages, not)
			if guarded < 98 || not > 15.5 {
				t.Errorf("%s, seed %d: %.0f %% of %d honest pages, %.0f %% without a guard", s.Name, 1001+seed, guarded, s.Pages, not)
			}
		}
	}
	if sites != 10 {
		t.Errorf("%d hosts, want 10", sites)
	}
}

// Of as many first requests as a site has honest pages, 95 % bring one of these.
func TestHonestPagesComeFirst(t *testing.T) {
	pages, honest := 0, 0.0
	for _, s := range mazes.Judged(1001, 1) {
		if s.Trap && !s.Half.Held() {
			pages += s.Pages
			honest += honestOf(s, trap.New(trap.Config{}), s.Pages) * float64(s.Pages) / 100
		}
	}
	if share := 100 * honest / float64(pages); share < 95 || pages < 5000 {
		t.Errorf("%.1f %% of %d", share, pages)
	} else {
		t.Logf("%.1f %% of %d", share, pages)
	}
}

// honestOf is how much percent of a site's honest pages a crawl gets with so many requests.
func honestOf(s *mazes.Site, g *trap.Guard, requests int) float64 {
	l := walkLabelled(s, g)
	l.stays = func(u weburl.URL) bool { return s.Serves(u.Host()) }
	fetched := 0
	get := l.get
	l.get = func(u weburl.URL) (parse.Input, int, bool) {
		fetched++
		return get(u)
	}
	l.run(func() bool { return fetched >= requests })
	return 100 * float64(l.Honest()) / float64(s.Pages)
}
