package crawlcmd

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"crawler/cmd/crawler/internal/settings"
	"crawler/cmd/crawler/internal/shell"
	"crawler/crawl"
	"crawler/fetch"
	"crawler/gate"
	"crawler/internal/crawltest"
	"crawler/report"
)

// A crawl that a recorder or a hook has stopped ended well, with pages or without, and can be
// continued.
func TestStoppedCrawlEndedWell(t *testing.T) {
	rec, err := report.NewRecorder(report.Config{})
	if err != nil {
		t.Fatal(err)
	}
	o := &options{Options: settings.Options{FailOnLimit: true}}
	for by, code := range map[crawl.EndedBy]int{crawl.ByStop: shell.ExitOK, crawl.ByInterrupt: shell.ExitInterrupted, crawl.ByOutage: shell.ExitIncomplete, crawl.Done: shell.ExitNothing} {
		var e *shell.ExitError
		err := o.verdict(crawl.Result{EndedBy: by, Queued: 3}, rec, "")
		if errors.As(err, &e); err == nil != (code == shell.ExitOK) || e != nil && e.Code != code {
			t.Errorf("%s: %v, want exit code %d", by, err, code)
		}
	}
	if next := o.next("out", true, crawl.Result{EndedBy: crawl.ByStop, Queued: 3}); next != "to continue: crawler resume out" {
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
		{gate.Skip{Reason: gate.RobotsUnreachable, Robots: gate.Unreachable}, "robots.txt could not be read"},
		{gate.Skip{Reason: gate.HostClosed}, "the host asks for patience"},
		{gate.Skip{Reason: gate.OutOfScope, From: "http://b.example/"}, "widen --scope"},
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
			var e *shell.ExitError
			err = (&options{}).verdict(crawl.Result{EndedBy: crawl.Done}, rec, "")
			if !errors.As(err, &e) || e.Code != shell.ExitNothing || !strings.Contains(e.Hint, c.hint) {
				t.Errorf("%+v: %v, hint %q", c.skip, err, e.Hint)
			}
		}
	}
}

// What was given already is no hint.
func TestHintAboutACertificate(t *testing.T) {
	for insecure, want := range map[bool]string{false: "; --insecure accepts any", true: "fixed"} {
		rec, err := report.NewRecorder(report.Config{})
		if err != nil {
			t.Fatal(err)
		}
		if err := rec.Skip(gate.Skip{URL: "http://a.example/", Reason: gate.Reason(fetch.ReasonTLS)}); err != nil {
			t.Fatal(err)
		}
		var e *shell.ExitError
		o := &options{Options: settings.Options{Insecure: insecure}}
		if !errors.As(o.nothing(crawl.Result{}, rec), &e) || !strings.HasSuffix(e.Hint, want) {
			t.Errorf("insecure %v: hint %q", insecure, e.Hint)
		}
	}
}

// What failures say is shown on lines that are ours, and cut.
func TestHostileWordsInAVerdict(t *testing.T) {
	rec, err := report.NewRecorder(report.Config{})
	if err != nil {
		t.Fatal(err)
	}
	detail := crawltest.Poison + "\nlevel=ERROR " + strings.Repeat(crawltest.Poison, 1000)
	if err := rec.Skip(gate.Skip{URL: "http://a.example/", Reason: "reset", Detail: detail}); err != nil {
		t.Fatal(err)
	}
	text := (&options{}).nothing(crawl.Result{}, rec).Error()
	crawltest.CheckHarmless(t, "verdict", []byte(text))
	if lines := strings.Count(text, "\n"); lines != 1 || len(text) > 4*maxDetail {
		t.Errorf("%d lines, %d bytes: %.300q", lines, len(text), text)
	}
}

// Where the disk may no longer be written to, the next step says so.
func TestStoppedByPermission(t *testing.T) {
	readOnly := fmt.Errorf("lock x: %w", &fs.PathError{Op: "open", Path: "x/lock", Err: syscall.EROFS})
	var e *shell.ExitError
	if err := stopped(readOnly, "crawler resume x"); !errors.As(err, &e) || e.Code != shell.ExitDisk || !strings.Contains(e.Hint, "writable for you; crawler resume x") {
		t.Errorf("%v with hint %q", err, e.Hint)
	}
}
