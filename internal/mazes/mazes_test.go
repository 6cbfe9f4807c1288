package mazes

import (
	"bytes"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

var links = regexp.MustCompile(`<a href="([^"]*)"`)

// walk fetches up to most pages of a site, breadth-first.
func walk(t *testing.T, s *Site, most int) (traps, honest, broken int) {
	seed, err := url.Parse(s.Seed)
	if err != nil {
		t.Fatal(err)
	}
	queue, seen, tally := []*url.URL{seed}, map[string]bool{s.Seed: true}, NewTally(s)
	for n := 0; len(queue) > 0 && n < most; n++ {
		u := queue[0]
		queue = queue[1:]
		a := tally.Get(u.Host, u.RequestURI())
		if again := n%16 != 0 || bytes.Equal(a.Body, s.Get(u.Host, u.RequestURI()).Body); !again {
			t.Fatalf("%s: two answers for %s", s.Name, u)
		}
		if a.Status != 200 {
			broken++
		}
		for _, m := range links.FindAllSubmatch(a.Body, -1) {
			to, err := u.Parse(string(m[1]))
			if err != nil {
				t.Fatal(err)
			}
			if !seen[to.String()] {
				seen[to.String()] = true
				queue = append(queue, to)
			}
		}
	}
	return tally.Traps(), tally.Honest(), broken
}

// Traps have more pages than anybody wants, honest sites have an end, and no link is
// broken.
func TestLabels(t *testing.T) {
	for _, s := range All(3, 200) {
		traps, honest, broken := walk(t, s, 700)
		if broken > 0 {
			t.Errorf("%s: %d broken links", s.Name, broken)
		}
		if s.Trap && traps < 500 {
			t.Errorf("%s: %d trap pages, want 500 and more", s.Name, traps)
		}
		if !s.Trap && (traps > 0 || honest < 20 || honest > 700) {
			t.Errorf("%s: %d trap pages and %d honest ones, want 20 to 700", s.Name, traps, honest)
		}
	}
}

func TestSeedsDiffer(t *testing.T) {
	a, b := All(1, 300), All(2, 300)
	for i := range a {
		u := strings.TrimPrefix(a[i].Seed, "http://")
		host, path, _ := strings.Cut(u, "/")
		if x, y := a[i].Get(host, "/"+path), b[i].Get(host, "/"+path); bytes.Equal(x.Body, y.Body) {
			t.Errorf("%s: the same page from two seeds", a[i].Name)
		}
	}
}
