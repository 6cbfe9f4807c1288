package trap_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"crawler/trap"
)

// named is a link with a text.
func named(to, text string) string { return fmt.Sprintf(`<a href="%s">%s</a> `, to, text) }

// A list without an end that says the same on each page but for the numbers of the next ones, or
// the titles of some articles that there are, brings nothing: these are names of other pages.
func TestNamesOfOtherPagesAreNoText(t *testing.T) {
	const articles = 60
	title := func(i int) string { return fmt.Sprintf("title%d of%d article%d", i, 7*i, 3*i) }
	for _, tt := range []struct {
		name  string
		links func(n int, r *rand.Rand) string
	}{
		{"numbers", func(n int, _ *rand.Rand) string {
			return named(fmt.Sprintf("/list?page=%d", n+2), fmt.Sprint(n+2)) + named(fmt.Sprintf("/list?page=%d", n+10), fmt.Sprint(n+10))
		}},
		{"titles", func(_ int, r *rand.Rand) (s string) {
			for range 4 {
				i := r.IntN(articles)
				s += named(fmt.Sprintf("/articles/%d", i), title(i))
			}
			return s
		}},
	} {
		site := map[string]string{"/": named("/list?page=1", "list")}
		for i := range articles {
			site["/"] += named(fmt.Sprintf("/articles/%d", i), title(i))
			site[fmt.Sprintf("/articles/%d", i)] = prose(i, 100)
		}
		honest, lists := 0, 0
		for _, path := range pages(trap.New(trap.Config{}), 3000, func(path string) string {
			n := 0
			if _, err := fmt.Sscanf(path, "/list?page=%d", &n); err != nil {
				return site[path]
			}
			next := named(fmt.Sprintf("/list?page=%d", n+1), fmt.Sprint(n+1))
			return "there is nothing in this list any more " + next + tt.links(n, rand.New(rand.NewPCG(uint64(n), 1)))
		}) {
			if strings.HasPrefix(path, "/list") {
				lists++
			} else {
				honest++
			}
		}
		if honest != len(site) || lists > trap.DefaultBudget*21/20 {
			t.Errorf("%s: %d of %d pages, %d lists", tt.name, honest, len(site), lists)
		}
	}
}

// Each page of a chain has a sentence, and links around it: that is a text.
func TestTextBesideLinks(t *testing.T) {
	const chain = 1000
	got := pages(trap.New(trap.Config{}), 2*chain, func(path string) string {
		n := 0
		if path != "/" {
			if _, err := fmt.Sscanf(path, "/day/%d", &n); err != nil || n >= chain {
				return ""
			}
		}
		next := fmt.Sprintf("/day/%d", n+1)
		return named("/", "home") + named(next, fmt.Sprint("day ", n+1)) + prose(n, 8) + named(next, "next")
	})
	if len(got) != chain {
		t.Errorf("%d pages of %d", len(got), chain)
	}
}
