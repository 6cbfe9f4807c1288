package trap_test

import (
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"crawler/internal/mazes"
	"crawler/parse"
	"crawler/trap"
	"crawler/weburl"
)

var (
	judges = flag.String("judges", "", "sets of the judged sites to crawl: table, open, newer, apart, newest, later")
	beyond = flag.Int("beyond", 5000, "requests to a judged site with traps, besides one for each honest page")
)

// TestJudged crawls the sites that judge the guard, and prints a row for each shape, over its
// ways and the seeds: honest pages lost, trap pages, and the share of honest pages among as many
// first requests as there are honest pages. Five seeds give each site templates of 0 to 800
// words. This takes minutes:
//
//	go test ./trap -run TestJudged -v -timeout 1h -args -judges open -size 5000 -seeds 5
//
// Nobody should look at the rows of "apart" while a rule or bound is being chosen.
func TestJudged(t *testing.T) {
	if *judges == "" {
		t.Skip("-judges names no half")
	}
	honest := &sheet{head: "| honest shape | sites, pages | sites that lose | lost | worst | closed as |\n|---|---|---|---|---|---|\n"}
	traps := &sheet{head: "| trap | honest pages | lost | among the first, least | all sites | trap pages, most | no guard: lost | among the first, least |\n|---|---|---|---|---|---|---|---|\n"}
	for seed := *first; seed < *first+uint64(*seeds); seed++ {
		for _, s := range mazes.Judged(seed, *size) {
			if !slices.Contains(strings.Split(*judges, ","), string(s.Half)) || !strings.Contains(s.Name, *only) {
				continue
			}
			with := walkJudged(s, trap.New(trap.Config{}))
			if *dump {
				t.Log(s.Name, "\n"+with.guard.Dump(20))
			}
			if lost := s.Pages - with.Honest(); lost > 0 {
				t.Errorf("%s, seed %d, template %d: %d of %d honest pages lost", s.Name, seed, s.Template, lost, s.Pages)
			}
			if s.Trap {
				traps.row(s).add(with)
				traps.without(s).add(walkJudged(s, nil))
			} else {
				honest.row(s).add(with)
			}
		}
	}
	t.Log("\n" + honest.text((*outcome).honest) + "\n" + traps.text((*outcome).trap) + traps.all())
}

// sheet is a table in the making, with a row for each shape.
type sheet struct {
	head  string
	order []string
	rows  map[string]*outcome
}

func (s *sheet) row(site *mazes.Site) *outcome {
	if s.rows[site.Shape] == nil {
		if s.rows == nil {
			s.rows = map[string]*outcome{}
		}
		s.rows[site.Shape] = &outcome{shape: site.Shape, least: 100, kinds: map[string]bool{}}
		s.order = append(s.order, site.Shape)
	}
	return s.rows[site.Shape]
}

// without is the row of crawls without a guard.
func (s *sheet) without(site *mazes.Site) *outcome {
	o := s.row(site)
	if o.unguarded == nil {
		o.unguarded = &outcome{least: 100, kinds: map[string]bool{}}
	}
	return o.unguarded
}

func (s *sheet) text(row func(*outcome) string) string {
	if len(s.rows) == 0 {
		return ""
	}
	text := s.head
	for _, shape := range s.order {
		text += row(s.rows[shape]) + "\n"
	}
	return text
}

// outcome is what became of the sites of a shape.
type outcome struct {
	shape        string
	sites, pages int
	losing, lost int // sites, pages
	worst        int // pages lost of one site
	worstSite    string
	traps        int     // pages, most of a site
	first        int     // honest pages among as many first requests
	least        float64 // percent of honest pages among the first requests
	kinds        map[string]bool
	unguarded    *outcome // of traps
}

func (o *outcome) add(l labelled) {
	lost := l.Pages - l.Honest()
	o.sites++
	o.pages += l.Pages
	o.lost += lost
	if lost > 0 {
		o.losing++
	}
	if lost > o.worst {
		o.worst, o.worstSite = lost, fmt.Sprintf("%s, template %d: %d of %d", strings.TrimPrefix(l.Name, l.Shape+" "), l.Template, lost, l.Pages)
	}
	o.traps = max(o.traps, l.Traps())
	o.first += l.HonestAmong(l.Pages)
	o.least = min(o.least, 100*float64(l.HonestAmong(l.Pages))/float64(l.Pages))
	if l.guard != nil {
		for _, c := range l.guard.Closed() {
			o.kinds[string(c.Kind)] = true
		}
	}
}

func (o *outcome) honest() string {
	return fmt.Sprintf("| %s | %d, %d | %d | %d | %s | %s |", o.shape, o.sites, o.pages, o.losing, o.lost, o.worstSite, strings.Join(slices.Sorted(maps.Keys(o.kinds)), ", "))
}

func (o *outcome) trap() string {
	return fmt.Sprintf("| %s | %d | %d | %.0f %% | %.0f %% | %d | %d | %.0f %% |", o.shape, o.pages, o.lost, o.least, o.among(), o.traps, o.unguarded.lost, o.unguarded.least)
}

// among is the share of honest pages among the first requests to all sites, in percent.
func (o *outcome) among() float64 { return 100 * float64(o.first) / float64(o.pages) }

// all sums up the rows of traps.
func (s *sheet) all() string {
	if len(s.rows) == 0 {
		return ""
	}
	sum, least := outcome{}, 0.0
	for _, o := range s.rows {
		sum.pages += o.pages
		sum.lost += o.lost
		sum.first += o.first
		sum.traps += o.traps
		least += o.least / float64(len(s.rows))
	}
	return fmt.Sprintf("all traps: %d of %d honest pages lost, %.1f %% among the first, mean of the least %.1f %%, %d trap pages, sum of the most", sum.lost, sum.pages, sum.among(), least, sum.traps)
}

// walkJudged crawls a judged site until nothing is left, or the limit of -beyond is reached if
// it has traps.
func walkJudged(s *mazes.Site, g *trap.Guard) labelled {
	l := walkLabelled(s, g)
	l.stays = func(u weburl.URL) bool { return s.Serves(u.Host()) }
	limit := 1 << 30
	if s.Trap {
		limit = s.Pages + *beyond
	}
	fetched := 0
	get := l.get
	l.get = func(u weburl.URL) (parse.Input, int, bool) {
		fetched++
		return get(u)
	}
	l.run(func() bool { return fetched >= limit })
	return l
}
