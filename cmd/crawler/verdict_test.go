package main

import (
	"errors"
	"strings"
	"testing"

	"crawler/crawl"
	"crawler/fetch"
	"crawler/gate"
	"crawler/report"
)

// A crawl that a recorder or a hook has stopped ended well, with pages or without, and can be
// continued.
func TestStoppedCrawlEndedWell(t *testing.T) {
	rec, err := report.NewRecorder(report.Config{})
	if err != nil {
		t.Fatal(err)
	}
	o := &options{failOnLimit: true}
	for by, code := range map[crawl.EndedBy]int{crawl.ByStop: exitOK, crawl.ByInterrupt: exitInterrupted, crawl.Done: exitNothing} {
		var e *exitError
		err := o.verdict(crawl.Result{EndedBy: by, Queued: 3}, rec, "")
		if errors.As(err, &e); err == nil != (code == exitOK) || e != nil && e.code != code {
			t.Errorf("%s: %v, want exit code %d", by, err, code)
		}
	}
	if next := o.goOn("out", true, crawl.Result{EndedBy: crawl.ByStop, Queued: 3}); next != "to go on: crawler resume out" {
		t.Errorf("the next step is %q", next)
	}
}

// What to do about a crawl that fetched nothing follows from why, whatever the words.
func TestHintsFollowFacts(t *testing.T) {
	for _, c := range []struct {
		skip gate.Skip
		hint string
	}{
		{gate.Skip{Reason: gate.Disallowed, Robots: gate.Forbids}, "robots.txt does not allow it"},
		{gate.Skip{Reason: gate.Disallowed, Robots: gate.Unreachable}, "robots.txt could not be read"},
		{gate.Skip{Reason: gate.HostClosed}, "the host asks for patience"},
		{gate.Skip{Reason: gate.OutOfScope, Target: "http://b.example/"}, "widen --scope"},
		{gate.Skip{Reason: gate.Reason(fetch.ReasonAddress)}, "--allow-net"},
		{gate.Skip{Reason: gate.Reason(fetch.ReasonPort)}, "--ports"},
		{gate.Skip{Reason: gate.Reason(fetch.ReasonTLS)}, "--insecure"},
		{gate.Skip{Reason: gate.Reason(fetch.ReasonDNS)}, "check the URL in a browser"},
	} {
		for _, detail := range []string{"", "disallow-all: status 503", "rules: group *", "redirects to http://a.example/"} {
			rec, err := report.NewRecorder(report.Config{})
			if err != nil {
				t.Fatal(err)
			}
			c.skip.URL, c.skip.Detail = "http://a.example/", detail
			if err := rec.Skip(c.skip); err != nil {
				t.Fatal(err)
			}
			var e *exitError
			err = (&options{}).verdict(crawl.Result{EndedBy: crawl.Done}, rec, "")
			if !errors.As(err, &e) || e.code != exitNothing || !strings.Contains(e.hint, c.hint) {
				t.Errorf("%+v: %v, hint %q", c.skip, err, e.hint)
			}
		}
	}
}
