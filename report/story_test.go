package report

import (
	"strings"
	"testing"
)

// What nobody recorded: a seed, a URL that a filter may have lost, one never met.
func TestStoryWithoutRecords(t *testing.T) {
	no, yes := false, true
	for _, c := range []struct {
		story      Story
		known      bool
		want, lack string
	}{
		{Story{Seed: true}, true, "a seed that the crawl has not come to yet", "never met"},
		{Story{Seed: true, Admitted: &no}, true, "a seed that the crawl has not come to yet", "never met"},
		{Story{Seed: true, Admitted: &yes}, true, "admitted, and no record of it", "has not come to yet"},
		{Story{Seed: true, Queued: &QueuedAt{}}, true, "queued: 0 URLs", "has not come to yet"},
		{Story{Seed: true, Pages: []PageRecord{{Status: 200}}}, true, "status 200", "has not come to yet"},
		{Story{Lossy: true, Admitted: &no}, false, "wrongly took it for", "never met"},
		{Story{Admitted: &no}, false, "never met", "wrongly"},
	} {
		text := strings.Join(strings.Fields(c.story.Text()), " ")
		if c.story.Known() != c.known || !strings.Contains(text, c.want) || strings.Contains(text, c.lack) {
			t.Errorf("known: %v\n%s\nwant %q and no %q", c.story.Known(), text, c.want, c.lack)
		}
	}
}

func TestTextOfTheFilter(t *testing.T) {
	text := func(d Dedup) string {
		return strings.Join(strings.Fields((&Report{Dedup: d}).Text()), " ")
	}
	const overfull = "the filter holds 1,501 URLs, 1.5 times as many as it was sized for (--expect-urls 1000)"
	over := Dedup{Mode: ModeFilter, New: 1501, Risk: &Risk{Expect: 1000}}
	if got := text(over); !strings.Contains(got, overfull) || !strings.Contains(got, "through lost pages alone come on top") {
		t.Errorf("the text lacks %q:\n%s", overfull, got)
	}
	over.New = 1500
	if got := text(over); over.Overfull() || strings.Contains(got, "the filter holds") {
		t.Errorf("a filter that is hardly too small:\n%s", got)
	}
	if got := text(Dedup{Mode: ModeMemory, New: 1 << 40, Restarts: 3}); !strings.Contains(got, " 3 restarts ") || strings.Contains(got, "rebuilding") {
		t.Errorf("restarts that were not timed:\n%s", got)
	}
}
