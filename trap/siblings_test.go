package trap_test

import (
	"fmt"
	"strings"
	"testing"

	"crawler/trap"
)

// query is a URL of the pattern of a program and its parameter, which shares the wide pattern of
// all URLs with parameters.
func query(program string, n int) string { return fmt.Sprintf("http://a.test/%s?n=%d", program, n) }

// stale is a text without a new word that no other page has.
func stale(n int) string { return prose(0, 60) + strings.Repeat("p0w0 ", n+1) }

// endless teaches n pages of a program, each of which leads to two more.
func endless(t *testing.T, g *trap.Guard, program string, n int) {
	t.Helper()
	for i := range n {
		teach(t, g, query(program, i), query(program, i/2), stale(1000+i), query(program, 2*i+1), query(program, 2*i+2))
	}
}

// Patterns that come to their end by themselves do not speak for the others of a program's
// parameters, though something there has no end: each of them may be a page that nobody needs.
func TestBoundedPatternsAnswerForThemselves(t *testing.T) {
	g := trap.New(trap.Config{Budget: 100})
	for i := range 90 {
		if i%2 == 0 {
			teach(t, g, query("login", i), query("login", i/2), stale(1000+i), query("login", 4*i+1), query("login", 4*i+2), query("login", 4*i+3), query("login", 4*i+4))
		}
		teach(t, g, page(i), page(0), prose(i, 60))
		for j, program := range []string{"report", "reply"} {
			if v := judge(t, g, query(program, i)); v.Kind != "" {
				t.Fatalf("%s %d: %+v", program, i, v)
			}
			teach(t, g, query(program, i), page(i), stale(90*j+i))
		}
	}
	for _, c := range g.Closed() {
		t.Errorf("closed: %+v", c)
	}
}

// A pattern that is closed for many lets each of the others show what it is, unless it leads on
// and on as well, or there are more of them than the budget has pages for.
func TestYoungPatternsAreTried(t *testing.T) {
	const trial, budget = 8, 100
	shut := func(kinds int) *trap.Guard {
		g := trap.New(trap.Config{Budget: budget})
		for i := 0; len(g.Closed()) == 0; i++ {
			program := fmt.Sprint("list", string(rune('a'+i%kinds)))
			teach(t, g, query(program, i), query(program, i/2), stale(1000+i), query(program, 2*i+1), query(program, 2*i+2))
			if i > 20*budget {
				t.Fatal("nothing is closed")
			}
		}
		return g
	}
	g := shut(4)
	for i := range 30 { // the honest ones
		if v := judge(t, g, query("member", i)); v.Kind != "" {
			t.Fatalf("member %d: %+v", i, v)
		}
		teach(t, g, query("member", i), page(0), prose(i, 60))
	}
	for i := range 2 * trial { // those without worth
		if v := judge(t, g, query("vote", i)); v.Kind != "" {
			if i < trial {
				t.Errorf("vote %d: %+v", i, v)
			}
			break
		}
		teach(t, g, query("vote", i), page(0), stale(i))
	}
	endless(t, g, "search", 2)
	if v := judge(t, g, query("search", 3)); v.Kind == "" {
		t.Errorf("what leads on: %+v", v)
	}
	if v := judge(t, shut(budget/trial+1), query("member", 1)); v.Kind == "" {
		t.Errorf("another of many kinds: %+v", v)
	}
}
