package crawl

import (
	"strings"
	"testing"
	"time"

	"crawler/dedup"
	"crawler/fetch"
	"crawler/frontier"
	"crawler/gate"
	"crawler/weburl"
)

// A page that waits its turn since robots.txt was read brings the answer along, for
// itself alone; the rules, which may be megabytes, stay behind.
func TestWaitingPagesCarryAnAnswer(t *testing.T) {
	page, err := weburl.Parse("http://a.example/page")
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Gate: gate.Config{Dedup: dedup.Config{ExpectURLs: 100, Seed: 1}, Frontier: frontier.Config{Delay: frontier.NoDelay}}}
	cfg.setDefaults()
	c, err := newCoordinator(&ring{cfg: cfg}, []weburl.URL{page}, nil)
	if err != nil {
		t.Fatal(err)
	}
	rules := fetch.ParseRobots([]byte("User-agent: *\n"+strings.Repeat("Disallow: /x*y\n", 1000)), "crawler")

	turn := func() *Visit {
		v := c.next(time.Now())
		if v == nil {
			t.Fatal("no page has its turn")
		}
		c.handedOver()
		return v
	}
	asks := turn()
	asks.End, asks.AskedRobots, asks.Rules = RobotsRead, true, rules
	c.settle(asks)
	if asks.Rules != nil {
		t.Error("a free visit keeps the rules")
	}
	again := turn()
	if again.URL != page || again.Permission == nil || again.Permission.Robots != "" {
		t.Fatalf("%s has its turn with %v", again.URL, again.Permission)
	}
	kept := again.Permission
	again.End = Aborted
	c.settle(again)
	if last := turn(); last.Permission != kept {
		t.Error("an answer that was not used is lost")
	}
}
