package frontier

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"crawler/weburl"
)

// In whatever order pages are finished, exactly the URLs within the limit become
// admissible, each once, and the depths are the true ones.
func TestDepthsAgainstBreadthFirstSearch(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 11))
		n, limit := 2+rng.IntN(40), rng.IntN(6)
		links := randomGraph(rng, n)
		want := trueDepths(links, limit)

		d := NewDepths(limit)
		admitted := map[int]int{}
		var ready []int
		take := func(items []Item) {
			for _, it := range items {
				id := number(t, it.URL)
				admitted[id]++
				ready = append(ready, id)
			}
		}
		take(d.Seed(page(t, 0)))
		for len(ready) > 0 {
			i := rng.IntN(len(ready)) // any page may be the next to complete
			p := ready[i]
			ready = append(ready[:i], ready[i+1:]...)
			for _, l := range links[p] {
				take(d.Link(page(t, p), page(t, l.to), l.length))
			}
		}
		for id := range n {
			_, reachable := want[id]
			if admitted[id] > 1 || (admitted[id] == 1) != reachable {
				t.Fatalf("seed %d: page %d admitted %d times; within %d links: %v", seed, id, admitted[id], limit, reachable)
			}
			if reachable && d.Depth(page(t, id)) != want[id] {
				t.Fatalf("seed %d: page %d at depth %d, want %d", seed, id, d.Depth(page(t, id)), want[id])
			}
		}
		d.TooDeep(func(it Item) {
			if _, reachable := want[number(t, it.URL)]; reachable {
				t.Fatalf("seed %d: %s is called too deep", seed, it.URL)
			}
		})
	}
}

type link struct{ to, length int }

func randomGraph(rng *rand.Rand, n int) [][]link {
	g := make([][]link, n)
	for i := range g {
		for range rng.IntN(4) {
			g[i] = append(g[i], link{to: rng.IntN(n), length: min(1, rng.IntN(5))})
		}
	}
	return g
}

// trueDepths relaxes until nothing changes, which is slow and plainly right. Pages
// beyond the limit are not fetched, so their links are unknown.
func trueDepths(g [][]link, limit int) map[int]int {
	depth := map[int]int{0: 0}
	for changed := true; changed; {
		changed = false
		for p, links := range g {
			at, known := depth[p]
			if !known {
				continue
			}
			for _, l := range links {
				next := at + l.length
				if old, ok := depth[l.to]; next <= limit && (!ok || next < old) {
					depth[l.to], changed = next, true
				}
			}
		}
	}
	return depth
}

func page(t *testing.T, id int) weburl.URL {
	return mustParse(t, fmt.Sprintf("http://web.example/%d", id))
}

func number(t *testing.T, u weburl.URL) int {
	t.Helper()
	var id int
	if _, err := fmt.Sscanf(u.Path(), "/%d", &id); err != nil {
		t.Fatal(err)
	}
	return id
}

func TestTooDeepNamesThePageWithTheLink(t *testing.T) {
	d := NewDepths(1)
	d.Seed(page(t, 0))
	d.Link(page(t, 0), page(t, 1), 1)
	d.Link(page(t, 1), page(t, 2), 1)
	var got []Item
	d.TooDeep(func(it Item) { got = append(got, it) })
	if len(got) != 1 || got[0].URL != page(t, 2) || got[0].Via != page(t, 1).String() {
		t.Errorf("got %+v, want page 2 via page 1", got)
	}
}
