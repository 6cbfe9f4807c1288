package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"crawler/gate"
	"crawler/report"
)

// differ names the first few keys whose values differ.
func differ[V comparable](t *testing.T, what string, got, want map[string]V) {
	t.Helper()
	var keys []string
	for key, w := range want {
		if g, ok := got[key]; !ok || g != w {
			keys = append(keys, "lost "+key)
		}
	}
	for key := range got {
		if _, ok := want[key]; !ok {
			keys = append(keys, "invented "+key)
		}
	}
	if slices.Sort(keys); len(keys) > 0 {
		t.Errorf("%s: %d differences, such as %v", what, len(keys), keys[:min(5, len(keys))])
	}
}

// outcome is what a crawl wrote, but for what depends on the order of pages.
type outcome struct {
	pages   map[string]int    // status by URL
	edges   map[string]int    // number of links by URL
	links   map[string]int    // the same in links.bin, and redirects
	skipped map[string]string // reason by URL
}

func readOutcome(t *testing.T, dir string) outcome {
	t.Helper()
	o := outcome{map[string]int{}, map[string]int{}, map[string]int{}, map[string]string{}}
	eachLine(t, filepath.Join(dir, report.PagesFile), func(p report.PageRecord) { note(t, o.pages, p.URL, p.Status) })
	eachLine(t, filepath.Join(dir, report.EdgesFile), func(e report.EdgeRecord) { note(t, o.edges, e.URL, len(e.Links)) })
	if err := report.ReadLinks(dir, func(p *report.PageLinks) error {
		n := 0
		for p.Next() {
			n++
		}
		note(t, o.links, string(p.URL), n)
		return nil
	}); err != nil {
		t.Error(err)
	}
	eachLine(t, filepath.Join(dir, report.SkippedFile), func(s gate.Skip) { note(t, o.skipped, s.URL, string(s.Reason)) })
	return o
}

// figures are the exact ones of a report that do not depend on the order of pages.
type figures struct {
	EndedBy         string
	Pages           report.Pages
	Skipped, Errors map[string]int
	New             int64
	Words           int64
	Sites           []report.Site
	Left            int
}

func figuresOf(r *report.Report) figures {
	p, sites := r.Pages, slices.Clone(r.Sites)
	p.ByDepth, p.Broken = nil, nil
	for i := range sites {
		sites[i].Distinct, sites[i].Surprise = report.Figure{}, report.Figure{}
	}
	return figures{r.EndedBy, p, r.Skipped, r.Errors, r.Dedup.New, r.Words.Total, sites, r.Frontier.Left}
}

// compareReports holds the totals of two crawls of the same pages against each other.
func compareReports(t *testing.T, got, want *report.Report) {
	t.Helper()
	if got, want := figuresOf(got), figuresOf(want); !reflect.DeepEqual(got, want) {
		t.Fatalf("the report says\n%+v, left alone\n%+v", got, want)
	}
	compareFigures(t, "words", got.Words.Distinct, want.Words.Distinct)
	compareFigures(t, "surprise", got.Words.Surprise, want.Words.Surprise)
	for i, s := range got.Sites {
		compareFigures(t, s.Site+" words", s.Distinct, want.Sites[i].Distinct)
		compareFigures(t, s.Site+" surprise", s.Surprise, want.Sites[i].Surprise)
	}
}

// compareFigures compares exact counts. Estimates of one set of words from two orders
// of the pages differ by their errors, which are below 1 %.
func compareFigures(t *testing.T, name string, got, want report.Figure) {
	t.Helper()
	switch {
	case (got.Exact == nil) != (want.Exact == nil), got.Exact != nil && *got.Exact != *want.Exact:
		t.Errorf("%s: exact counts differ: %+v, left alone %+v", name, got, want)
	case math.Abs(got.Estimate/want.Estimate-1) > 0.05:
		t.Errorf("%s: estimated %+v, left alone %+v", name, got, want)
	}
}

func note[V any](t *testing.T, m map[string]V, url string, v V) {
	t.Helper()
	if _, ok := m[url]; ok {
		t.Errorf("%s has two records", url)
	}
	m[url] = v
}

// eachLine decodes a file of JSON lines, of which the last must be whole, too.
func eachLine[R any](t *testing.T, name string, do func(R)) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		t.Errorf("%s ends in a torn line", name)
	}
	for line := range bytes.Lines(data) {
		var r R
		if err := json.Unmarshal(line, &r); err != nil {
			t.Errorf("%s: %v in %q", name, err, line)
			continue
		}
		do(r)
	}
}
