package report

import (
	"strings"
	"testing"

	"crawler/gate"
)

// Patterns of one name are one trap, of which the one with more pages says what it is like; what
// proved honest is none, and of what the guard has forgotten no number of pages is given.
func TestTrapsOfOneNameAreOne(t *testing.T) {
	r := &Report{EndedBy: "done", Traps: trapsOf([]gate.Trap{
		{ID: 1, Kind: "copies", Pattern: "a.test/*", Fetched: 30, Refused: 4, Why: "few"},
		{ID: 2, Kind: "maze", Pattern: "a.test/*", Fetched: 50, Refused: 5, Why: "many"},
		{ID: 3, Kind: "copies", Pattern: "a.test/*", Fetched: 10, Refused: 1, Why: "fewest"},
		{ID: 4, Kind: "growing", Pattern: "b.test/*", Refused: 7},
		{ID: 5, Kind: "copies", Pattern: "c.test/*", Fetched: 99},
		{Kind: "growing", Refused: 2}, {Kind: "copies", Refused: 3},
	})}
	r.Pages.Fetched = 1
	text := r.Text()
	for _, want := range []string{
		"complete, but for traps\n", "! 22 URLs taken for 4 traps and not fetched, nor what only they lead to: below,",
		"  a.test/*\n      maze, 50 pages fetched, 10 URLs refused\n      many\n",
		"  b.test/*\n      growing, 7 URLs refused\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "c.test") || strings.Count(text, "a.test") != 2 {
		t.Error(text)
	}
}
