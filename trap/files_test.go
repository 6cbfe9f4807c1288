package trap_test

import (
	"testing"

	"crawler/trap"
)

// name is one of letters for each number.
func name(n int) string {
	s := ""
	for n += 26; n > 0; n /= 26 {
		s += string(rune('a' + n%26))
	}
	return s
}

// Directories of files that bring nothing are all fetched, whatever the next ones lead to: most
// pages lead no further, so somebody has put them there.
func TestFilesAreFetchedThoughTheyBringNothing(t *testing.T) {
	const dirs, files = 100, 40
	g := trap.New(trap.Config{Budget: 100})
	root := "http://a.test/"
	all := []string{}
	for d := range dirs {
		all = append(all, root+name(d)+"/")
	}
	teach(t, g, root, "", prose(0, 60), all...)
	for d := range dirs {
		dir := root + name(d) + "/"
		links := []string{root}
		for f := range files {
			links = append(links, dir+name(1000+f))
		}
		for i, u := range links {
			if i == 0 {
				u = dir
			}
			if v := judge(t, g, u); v.Kind != "" {
				t.Fatalf("%s: %+v; %+v", u, v, g.Closed())
			}
			if i == 0 {
				teach(t, g, u, root, prose(100+d, 10), links...)
			} else {
				teach(t, g, u, dir, stale(d*files+i))
			}
		}
	}
}

// What was spent on a list that came to its end is no evidence against what is found next: that has
// a budget of its own, and then it is closed if it leads on and on.
func TestDebtOfWhatEndedCountsNotForTheEnd(t *testing.T) {
	const budget = 100
	g := trap.New(trap.Config{Budget: budget})
	for i := range 3 * budget {
		teach(t, g, page(i), "http://a.test/", stale(i))
	}
	for i := range 2 * budget {
		n := 1000 + i
		teach(t, g, page(n), page(n-1), stale(n), page(3*n), page(3*n+1), page(3*n+2))
		if len(g.Closed()) > 0 {
			if i < budget {
				t.Errorf("closed after %d pages that lead on", i+1)
			}
			return
		}
	}
	t.Error("never closed")
}

// Files with a few words of their own are worth their pages, though each is below the directory
// that led to it, as selections are.
func TestShortFilesAreNoSelections(t *testing.T) {
	g := newGuard()
	for d := range 10 {
		dir := "http://a.test/" + name(d) + "/"
		links := []string{}
		for f := range 20 {
			links = append(links, dir+name(1000+f))
		}
		teach(t, g, dir, "http://a.test/", prose(d, 10), links...)
		for f, u := range links {
			if v := judge(t, g, u); v.Rank > 1 {
				t.Fatalf("%s: %+v", u, v)
			}
			teach(t, g, u, dir, prose(0, 60)+prose(100+20*d+f, 8))
		}
	}
}
