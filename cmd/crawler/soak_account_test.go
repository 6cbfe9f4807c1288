//go:build unix

package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"crawler/dedup"
	"crawler/fetch"
	"crawler/gate"
	farm "crawler/internal/hostile"
	"crawler/parse"
	"crawler/report"
	"crawler/weburl"
)

// accounts are the two sides of a soak: what the farm saw, by URL, and what the crawl
// says. They must add up so:
//
//   - every URL that the farm was asked for is a page, a line of redirects.jsonl or one of
//     skipped.jsonl; robots.txt apart. None is two of them;
//   - it was asked for once, and again as often as the crawl tries again, and for each request
//     that was not heard on a connection that had worked;
//   - what has a page, or a failure that can only come behind a request, was asked for;
//   - report.json counts as many pages, redirects, refusals and failures as there are.
type accounts struct {
	farm    *farm.Farm
	dead    int // hosts that nobody listens for
	seen    map[string]farm.Hits
	pages   map[string]report.PageRecord
	hops    map[string]report.RedirectRecord
	skipped map[string]gate.Skip
	report  *report.Report
}

func (s *soak) account(t *testing.T) *accounts {
	t.Helper()
	a := &accounts{farm: s.farm, dead: s.cfg.Dead, seen: s.farm.Hits(), pages: map[string]report.PageRecord{}, hops: map[string]report.RedirectRecord{}, skipped: map[string]gate.Skip{}, report: loadReport(t, s.dir)}
	eachLine(t, s.dir+"/"+report.PagesFile, func(p report.PageRecord) { note(t, a.pages, p.URL, p) })
	eachLine(t, s.dir+"/"+report.RedirectsFile, func(r report.RedirectRecord) { note(t, a.hops, r.URL, r) })
	eachLine(t, s.dir+"/"+report.SkippedFile, func(k gate.Skip) { note(t, a.skipped, k.URL, k) })
	return a
}

// checkHonest holds every page of the honest hosts to be fetched once and recorded as the
// generator makes it.
func (a *accounts) checkHonest(t *testing.T) {
	t.Helper()
	parser, page := parse.New(parse.Options{}), parse.Page{}
	signer, err := dedup.NewMinHash(dedup.PageSignature())
	if err != nil {
		t.Fatal(err)
	}
	f := failures{t: t}
	for url, status := range a.farm.All() {
		if n := a.seen[url].Requests; n != 1 {
			f.add("%s was asked for %d times, want once", url, n)
		}
		if n := a.seen[robotsOf(url)].Requests; n != 1 {
			f.add("%s was asked for %d times, want once", robotsOf(url), n)
		}
		got, ok := a.pages[url]
		if !ok {
			f.add("%s was not recorded: %+v", url, a.skipped[url])
			continue
		}
		body := a.farm.Body(url)
		u, err := weburl.Parse(url)
		if err == nil {
			page.Reset()
			err = parser.Parse(parse.Input{URL: u, ContentType: "text/html; charset=utf-8", Body: body}, &page)
		}
		if err != nil {
			t.Fatal(err)
		}
		_, title, _ := strings.Cut(string(body), "<title>")
		title, _, _ = strings.Cut(title, "</title>")
		signature := signer.SketchWords(dedup.Signature{}, page.Words).AppendSlots(nil)
		if got.Status != status || got.Bytes != int64(len(body)) || got.Title != title || !bytes.Equal(got.Signature, signature) || got.Truncated || got.Error != "" {
			f.add("%s is recorded as %+v, the site has status %d, %d bytes, title %q, signature %x", url, got, status, len(body), title, signature)
		}
	}
	f.report("honest pages")
}

// checkRequests goes through what the farm saw, and what it must have seen.
func (a *accounts) checkRequests(t *testing.T) {
	t.Helper()
	f := failures{t: t}
	for url, h := range a.seen {
		if strings.Contains(url, "/robots.txt") {
			continue
		}
		_, page := a.pages[url]
		skip, skipped := a.skipped[url]
		hop, redirects := a.hops[url]
		switch {
		case !page && !skipped && !redirects:
			f.add("%s: %+v, and no record of it", url, h)
		case page && skipped, redirects && (page || skipped):
			f.add("%s: page %v, redirect %+v, refusal %+v", url, page, hop, skip)
		case h.Requests > 1+soakRetries+h.Unheard:
			f.add("%s: %+v, more than one request and %d retries", url, h, soakRetries)
		}
	}
	for url := range a.pages {
		if a.seen[url].Requests == 0 {
			f.add("%s: a page that nobody served", url)
		}
	}
	for url, skip := range a.skipped {
		if asks(skip.Reason) && a.seen[url].Requests == 0 && a.seen[robotsOf(url)].Requests == 0 {
			f.add("%s: %s, and nobody was asked", url, skip.Reason)
		}
	}
	f.report("URLs")
}

// maxEarly is how many requests more than politeness allows a host may see in all: the
// way there takes some longer than others.
const maxEarly = 3

// checkPace holds the crawl to its delay, whatever the hosts did.
func (a *accounts) checkPace(t *testing.T, delay time.Duration) {
	t.Helper()
	f := failures{t: t}
	for host, p := range a.farm.Paces() {
		took := p.Last.Sub(p.First)
		if most := int(took/delay) + 1 + p.Unheard + maxEarly; p.Requests > most {
			f.add("%s was asked %d times in %v (%d not heard), want at most %d", host, p.Requests, took, p.Unheard, most)
		}
	}
	f.report("hosts")
}

// asks reports whether a refusal or failure can only come behind a request.
func asks(r gate.Reason) bool {
	switch fetch.Reason(r) {
	case fetch.ReasonReset, fetch.ReasonSlow, fetch.ReasonTimeout, fetch.ReasonProtocol, fetch.ReasonHeader, fetch.ReasonBody, fetch.ReasonDecode, fetch.ReasonBomb:
		return true
	}
	return false
}

func robotsOf(url string) string {
	host, _, _ := strings.Cut(strings.TrimPrefix(url, "http://"), "/")
	return "http://" + host + "/robots.txt"
}

// checkTotals holds the report's counts against both sides.
func (a *accounts) checkTotals(t *testing.T) {
	t.Helper()
	requests, urls, again, redirects, robots, unheard := 0, 0, 0, 0, 0, 0
	for url, h := range a.seen {
		requests += h.Requests
		unheard += h.Unheard
		if strings.Contains(url, "/robots.txt") {
			robots += h.Requests
			continue
		}
		urls++
		again += h.Requests - 1
		redirects += h.Redirects
	}
	refused := 0
	for _, counts := range []map[string]int{a.report.Skipped, a.report.Errors} {
		for _, n := range counts {
			refused += n
		}
	}
	t.Logf("the farm saw %d requests: %d URLs, %d of them again, %d for robots.txt; %d not heard", requests, urls, again, robots, unheard)
	t.Logf("the report has %d pages, %d redirects, refusals %v, failures %v", a.report.Pages.Fetched, a.report.Pages.Redirects, a.report.Skipped, a.report.Errors)
	for _, r := range []fetch.Reason{fetch.ReasonAddress, fetch.ReasonBomb, fetch.ReasonDecode, fetch.ReasonHeader, fetch.ReasonProtocol, fetch.ReasonReset, fetch.ReasonTimeout, fetch.ReasonTLS} {
		if a.report.Errors[string(r)] == 0 {
			t.Errorf("nothing failed for %s, which the farm provokes", r)
		}
	}
	for _, c := range []struct {
		what      string
		got, want int
	}{
		{"names that were looked up", a.report.Errors[string(fetch.ReasonNoHost)] + a.report.Errors[string(fetch.ReasonDNS)], 0},
		{"dead hosts", a.report.Errors[string(fetch.ReasonConnect)], a.dead},
		{"pages in the report", a.report.Pages.Fetched, len(a.pages)},
		{"refusals and failures in the report", refused, len(a.skipped)},
		{"redirects in the report", a.report.Pages.Redirects, redirects},
		{"URLs left", a.report.Frontier.Left, 0},
	} {
		if c.got != c.want {
			t.Errorf("%d %s, want %d", c.got, c.what, c.want)
		}
	}
}

// failures reports the first few of many.
type failures struct {
	t *testing.T
	n int
}

func (f *failures) add(format string, args ...any) {
	f.t.Helper()
	if f.n++; f.n <= 5 {
		f.t.Errorf(format, args...)
	}
}

func (f *failures) report(what string) {
	f.t.Helper()
	if f.n > 5 {
		f.t.Errorf("and so on: %d %s are wrong", f.n, what)
	}
}
