package crawl

import (
	"strings"
	"testing"

	"crawler/dedup"
	"crawler/fetch"
	"crawler/frontier"
	"crawler/weburl"
)

// A page that waits its turn since robots.txt was read brings the answer along, for
// itself alone; the rules, which may be megabytes, stay behind.
func TestWaitingPagesCarryAnAnswer(t *testing.T) {
	page, err := weburl.Parse("http://a.example/page")
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Dedup: dedup.Config{ExpectURLs: 100, Seed: 1}, Frontier: frontier.Config{Delay: frontier.NoDelay}}
	cfg.setDefaults()
	c, err := newCoordinator(&ring{cfg: cfg}, []weburl.URL{page})
	if err != nil {
		t.Fatal(err)
	}
	rules := fetch.ParseRobots([]byte("User-agent: *\n"+strings.Repeat("Disallow: /x*y\n", 1000)), "crawler")

	asks := c.next()
	c.handedOver()
	asks.End, asks.AskedRobots, asks.Rules = RobotsRead, true, rules
	c.settle(asks)
	if asks.Rules != nil {
		t.Error("a free visit keeps the rules")
	}
	kept := c.rules[page.Origin()]
	if kept.url != page || kept.rules == rules || !kept.rules.Allowed("/page") {
		t.Errorf("kept for %s: the rules themselves is %v", kept.url, kept.rules == rules)
	}
	turn := c.next()
	if turn == nil || turn.URL != page || turn.Rules != kept.rules || len(c.rules) != 0 {
		t.Errorf("%s has its turn with %v; %d kept", turn.URL, turn.Rules, len(c.rules))
	}
	c.putBack(turn)
	if again := c.rules[page.Origin()]; again != kept {
		t.Error("an answer that was not used is lost")
	}
}
