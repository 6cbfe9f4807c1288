package report

import (
	"strings"
	"testing"
)

// A link to a URL that does not answer is broken, too: the section names what --fail-on-broken
// counts.
func TestBrokenLinksThatDoNotAnswer(t *testing.T) {
	gone := []Broken{{URL: "http://a.example/gone", Status: 404}}
	for name, c := range map[string]struct {
		broken []Broken
		errors map[string]int
		want   string
	}{
		"none":              {},
		"answers alone":     {gone, nil, "Broken links\n------------\n  404 http://a.example/gone\n\n"},
		"one silent":        {nil, map[string]int{"no-host": 1}, "Broken links\n------------\n  1 URL without an answer that can be read: under Errors\n\n"},
		"both":              {gone, map[string]int{"no-host": 1, "decode": 2}, "  404 http://a.example/gone\n  3 URLs without an answer that can be read: under Errors\n\n"},
		"this side's fault": {nil, map[string]int{"local": 4, "address": 1}, ""},
	} {
		rep := &Report{Errors: c.errors, Pages: Pages{Fetched: 2, ByStatus: map[string]int{"200": 1}, Broken: c.broken}}
		if len(c.broken) > 0 {
			rep.Pages.ByStatus["404"] = len(c.broken)
		}
		text := rep.Text()
		if c.want == "" && strings.Contains(text, "Broken links") || !strings.Contains(text, c.want) {
			t.Errorf("%s: want %q in\n%s", name, c.want, text)
		}
	}
}

// A crawl that was stopped before its first page has no tables without a row.
func TestNoTableIsEmpty(t *testing.T) {
	text := (&Report{Dedup: Dedup{Asked: 1, New: 1}}).Text()
	for _, none := range []string{"Sites\n", "by status", "asked 1 times"} {
		if strings.Contains(text, none) {
			t.Errorf("%q in\n%s", none, text)
		}
	}
	if !strings.Contains(text, "0 pages from 0 sites") || !strings.Contains(text, "asked 1 time: 1 new") {
		t.Error(text)
	}
}
