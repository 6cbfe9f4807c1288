package report

import (
	"strings"
	"testing"

	"crawler/crawl"
)

// What nobody recorded: a seed, a URL that a filter may have lost, one never met.
func TestStoryWithoutRecords(t *testing.T) {
	no, yes := false, true
	for _, c := range []struct {
		story      Story
		known      bool
		want, lack string
	}{
		{Story{Seed: true}, true, "a seed that the crawl has not reached yet", "never met"},
		{Story{Seed: true, Admitted: &no}, true, "a seed that the crawl has not reached yet", "never met"},
		{Story{Seed: true, Admitted: &yes}, true, "admitted, but without a record", "has not reached yet"},
		{Story{Seed: true, Queued: &QueuedAt{}}, true, "queued: 0 URLs", "has not reached yet"},
		{Story{Seed: true, Pages: []PageRecord{{Status: 200}}}, true, "status 200", "has not reached yet"},
		{Story{Lossy: true, Admitted: &no}, false, "wrongly took it for", "never met"},
		{Story{Admitted: &no}, false, "never met", "traps"},
		{Story{Admitted: &no, Trapped: 7, Complete: true}, false, "links to it, or only what was refused as a trap's leads to it (7 URLs, see crawler report)", "wrongly"},
	} {
		text := strings.Join(strings.Fields(c.story.Text()), " ")
		if c.story.Known() != c.known || !strings.Contains(text, c.want) || strings.Contains(text, c.lack) {
			t.Errorf("known: %v\n%s\nwant %q and no %q", c.story.Known(), text, c.want, c.lack)
		}
	}
}

// How a page was served is reported as far as its record has it.
func TestStoryOfAnAnswer(t *testing.T) {
	for _, c := range []struct {
		page PageRecord
		want string // behind the depth
	}{
		{PageRecord{}, "found as a seed"},
		{PageRecord{Bytes: 2048, WireBytes: 2048}, "found as a seed"},
		{PageRecord{Protocol: "HTTP/2.0", Server: "nginx", FirstByte: 12.3, Bytes: 4096, WireBytes: 1024, ETag: `"a"`, Modified: "Tue"},
			`HTTP/2.0, server nginx, first byte after 12ms, 1.0 KiB over the wire, etag "a", last modified Tue found as a seed`},
	} {
		story := &Story{Pages: []PageRecord{c.page}}
		_, text, _ := strings.Cut(story.Text(), "depth 0\n")
		if text = strings.Join(strings.Fields(text), " "); !strings.HasPrefix(text, c.want) {
			t.Errorf("%+v: %s, want %s", c.page, text, c.want)
		}
	}
}

// The first line says how a crawl ended, and what is left.
func TestTextOfAnEnd(t *testing.T) {
	for by, want := range map[crawl.EndedBy]string{
		crawl.Done: "complete", crawl.ByMaxPages: "ended by max-pages, 7 URLs left", crawl.ByTimeLimit: "ended by time-limit, 7 URLs left",
		crawl.ByInterrupt: "interrupted, 7 URLs left", crawl.ByStop: "stopped, 7 URLs left", crawl.ByRecordError: "error, 7 URLs left",
		crawl.ByStoreError: "stopped, its state could not be written, 7 URLs left", crawl.ByLowDisk: "stopped, the disk is nearly full, 7 URLs left",
	} {
		rep := &Report{EndedBy: string(by), Frontier: Frontier{Left: 7}}
		if text, _, _ := strings.Cut(rep.Text(), "==="); !strings.HasSuffix(strings.Join(strings.Fields(text), " "), "UTC "+want) {
			t.Errorf("%s: %s", by, text)
		}
	}
}

func TestTextOfTheFilter(t *testing.T) {
	text := func(d Dedup) string {
		return strings.Join(strings.Fields((&Report{Dedup: d}).Text()), " ")
	}
	const overfull = "the filter holds 1,501 URLs, 1.5 times as many as it was sized for (--expect-urls 1000)"
	over := Dedup{Mode: ModeFilter, New: 1501, Risk: &Risk{Expect: 1000}}
	if got := text(over); !strings.Contains(got, overfull) || !strings.Contains(got, "that only lost pages lead to are missing as well") {
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
