package trap_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"crawler/internal/mazes"
	"crawler/trap"
)

// worth is what crawls of judged sites come to.
type worth struct {
	lost, behind int // honest pages: of honest sites, and behind traps
	traps        int // trap pages fetched
	honest       int // pages behind traps
	first        int // of those, among as many first requests
}

func (w *worth) add(l labelled) {
	lost := l.Pages - l.Honest()
	if !l.Trap {
		w.lost += lost
		return
	}
	w.behind += lost
	w.traps += l.Traps()
	w.honest += l.Pages
	w.first += l.HonestAmong(l.Pages)
}

// TestRulesTable prints what the judged sites come to with each of the rules switched off:
//
//	go test ./trap -run TestRulesTable -v -timeout 1h -args -judges table,open -size 1000 \
//	  -first 1004 -seeds 2
func TestRulesTable(t *testing.T) {
	if *judges == "" {
		t.Skip("-judges names no half")
	}
	var table strings.Builder
	out := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "without\tlost\tbehind traps\ttrap pages\thonest among the first")
	for i := -1; i < len(trap.Rules); i++ {
		name, all, of := "nothing", worth{}, map[string]*worth{}
		for seed := *first; seed < *first+uint64(*seeds); seed++ {
			for _, s := range mazes.Judged(seed, *size) {
				if !slices.Contains(strings.Split(*judges, ","), string(s.Half)) || !strings.Contains(s.Name, *only) {
					continue
				}
				g := trap.New(trap.Config{})
				if i >= 0 {
					name, g = trap.Rules[i], g.Without(i)
				}
				l := walkJudged(s, g)
				all.add(l)
				if of[s.Shape] == nil {
					of[s.Shape] = &worth{}
				}
				of[s.Shape].add(l)
			}
		}
		fmt.Fprintf(out, "%s\t%d\t%d\t%d\t%.0f %%\n", name, all.lost, all.behind, all.traps, 100*float64(all.first)/float64(max(all.honest, 1)))
		if *dump {
			for _, shape := range slices.Sorted(maps.Keys(of)) {
				t.Logf("%s, %s: %+v", name, shape, *of[shape])
			}
		}
	}
	out.Flush()
	t.Log("\n" + table.String())
}

// Each rule is worth something: switched off, honest pages are lost, or wait, or trap pages are
// fetched, at least so many times as many as with it. (That a list is worth what it leads to, and
// the last look, change nothing on the judged sites, and what comes to an end, or before what
// breeds, little, and how URLs are spelt, near copies, own addresses, what names another page, kin,
// noise, twins and surplus segments nothing: TestListsAreCredited, TestProbe, TestListsThatEnd,
// TestWhatEndsComesFirst, TestURLsThatAreSpeltAlike, TestQuotationsAreNoNews,
// TestOwnAddressesOfAskedPages,
// TestPagesThatNameAnotherWait, TestFirstPagesOfADirectoryLikeOthers, TestWhatCopiesSayIsNoNews,
// TestTwins and TestDirectoriesThatContainThemselves say what they are for.)
func TestRules(t *testing.T) {
	if testing.Short() {
		t.Skip("six CPU-seconds")
	}
	for _, tt := range []struct {
		rule, shape string
		seed        uint64
		size, times int
		of          func(w worth) int
	}{
		{"order", "session segment", 1005, 1000, 4, worth.waiting},
		{"leases", "facets, brackets", 1004, 1000, 3, worth.waiting},
		{"wide", "facets in path", 1004, 1000, 8, worth.trapPages},
		{"forms", "session parameter", 1004, 1000, 100, worth.lostPages},
		{"endless", "generated text", 1005, 1000, 5, worth.trapPages},
		{"aspects", "tags combined", 1005, 1000, 4, worth.waiting},
		{"services", "wiki engine", 1005, 1000, 4, worth.waiting},
		{"selections", "facets", 1004, 1000, 1, worth.trapPages},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			i := slices.Index(trap.Rules, tt.rule)
			var with, without worth
			for _, s := range mazes.Judged(tt.seed, tt.size) {
				if s.Half != mazes.Apart && s.Half != mazes.Later && strings.HasPrefix(s.Name, tt.shape) {
					with.add(walkJudged(s, trap.New(trap.Config{})))
					without.add(walkJudged(s, trap.New(trap.Config{}).Without(i)))
				}
			}
			if tt.of(without) <= tt.times*max(1, tt.of(with)) {
				t.Errorf("on %s it makes no difference: %+v with the rule, %+v without", tt.shape, with, without)
			}
			t.Logf("%s: %+v with the rule, %+v without", tt.shape, with, without)
		})
	}
}

// What may be worse without a rule: honest pages lost, those that are not among as many first
// requests, and trap pages.
func (w worth) lostPages() int { return w.lost + w.behind }
func (w worth) waiting() int   { return w.honest - w.first }
func (w worth) trapPages() int { return w.traps }
