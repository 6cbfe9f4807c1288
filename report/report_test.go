package report

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"crawler/crawl"
	"crawler/dedup"
	"crawler/fetch"
	"crawler/frontier"
	"crawler/gate"
	"crawler/store"
	"crawler/weburl"
)

// visit makes a page as a worker would deliver it.
func visit(t *testing.T, url string, status int, words ...string) *crawl.Visit {
	t.Helper()
	u, err := weburl.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	v := &crawl.Visit{Task: gate.Task{Item: frontier.Item{URL: u, Depth: 2, Via: "http://a.example/via"}}, Status: status, MediaType: "text/html", Bytes: 100}
	for _, w := range words {
		v.Page.Words = append(v.Page.Words, xxhash.Sum64String(w))
	}
	v.Digest = xxhash.Sum64String(strings.Join(words, " "))
	return v
}

func create(t *testing.T, fs store.FS, path string, durable bool) *store.Dir {
	t.Helper()
	dir, err := store.Create(fs, path, store.Meta{}, durable)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func filled(t *testing.T, cfg Config, visits ...*crawl.Visit) *Report {
	t.Helper()
	r, err := NewRecorder(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range visits {
		if err := r.Page(v); err != nil {
			t.Fatal(err)
		}
	}
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	res := crawl.Result{
		Seeds: []string{"http://a.example/"}, Started: start, Finished: start.Add(4 * time.Second), EndedBy: crawl.ByMaxPages, Runs: 1, Active: 4 * time.Second,
		Fetched: len(visits), Redirects: 3, Queued: 5, Leased: 1, Hosts: 2,
		Skipped: map[gate.Reason]int{gate.OutOfScope: 1234567, gate.Disallowed: 2},
		Errors:  map[gate.Reason]int{"timeout": 4},
		Dedup:   dedup.Stats{Asked: 10, New: 4, Seen: 6, Bits: 1 << 20, Fill: 0.25, FalsePositives: 1, Rate: 0.25, RateHigh: 0.5},
		Audit:   crawl.Audit{Mode: ModeExact},
	}
	return New("9.9.9", res, r, Usage{CPU: 2 * time.Second, PeakRSS: 1 << 25})
}

func TestWordsOfSuccessfulPagesAreCounted(t *testing.T) {
	noindex := visit(t, "http://a.example/n", 200, "hidden", "words")
	noindex.Page.NoIndex = true
	rep := filled(t, Config{Exact: true},
		visit(t, "http://a.example/1", 200, "the", "cat", "the"),
		visit(t, "http://a.example/2", 200, "the", "cat", "the"), // the same text again
		visit(t, "http://b.example/", 200, "dog"),
		visit(t, "http://b.example/gone", 404, "not", "found"),
		noindex)
	if p := rep.Pages; p.Fetched != 5 || p.Unique != 3 || p.Bytes != 500 || p.ByStatus["200"] != 4 || p.ByStatus["404"] != 1 || p.ByType["text/html"] != 5 || p.ByDepth["2"] != 5 || p.Redirects != 3 {
		t.Errorf("pages %+v", p)
	}
	// the 4, cat 2, dog 1
	if w := rep.Words; w.Total != 7 || w.Distinct.Estimate != 3 || *w.Distinct.Exact != 3 || w.Surprise.Estimate != 21 || *w.Surprise.Exact != 21 {
		t.Errorf("words %+v", w)
	}
	if len(rep.Sites) != 2 || rep.Sites[0].Site != "a.example" || rep.Sites[0].Pages != 3 || rep.Sites[0].Words != 6 || rep.Sites[1].Distinct.Estimate != 1 {
		t.Errorf("sites %+v", rep.Sites)
	}
}

func TestSitesBeyondTheCapShareALine(t *testing.T) {
	var visits []*crawl.Visit
	for i := range 10 {
		visits = append(visits, visit(t, fmt.Sprintf("http://h%d.example/", i), 200, "word", fmt.Sprint(i)))
	}
	rep := filled(t, Config{MaxSites: 3}, visits...)
	if len(rep.Sites) != 4 {
		t.Fatalf("%d sites, want 3 and the rest", len(rep.Sites))
	}
	for _, s := range rep.Sites {
		if s.Site == OtherSites && (s.Pages != 7 || s.Words != 14 || s.Distinct.Estimate != 8) {
			t.Errorf("the rest: %+v", s)
		}
	}
	if text := rep.Text(); rep.Sites[3].Site != OtherSites || rep.OtherSites != 7 || !strings.Contains(text, "\n10 pages from 10 sites in") || !strings.Contains(text, "(7 other sites together)") {
		t.Errorf("the last is %+v of %d; the text does not say how many sites share a line:\n%s", rep.Sites[3], rep.OtherSites, text)
	}
}

func TestTextFitsEightyColumns(t *testing.T) {
	long := strings.Repeat("a-very-long-name.", 10) + "example"
	rep := filled(t, Config{}, visit(t, "http://"+long+"/", 200, "x"), visit(t, "http://a.example/", 500))
	big := 123_456_789_012.0
	rep.Sites[1].Pages, rep.Sites[1].Words, rep.Pages.Fetched, rep.Pages.Unique = 2_000_000, 1<<50, math.MaxInt, math.MaxInt
	rep.Words = Words{Total: 1 << 60, Distinct: Figure{Estimate: 1e10, Low: 9e9, High: 2e10, Exact: &big}, Surprise: Figure{Estimate: 1e30, Low: 1, High: 1e31, Exact: &big}}
	rep.Pages.ByType[strings.Repeat("application/x-long", 10)] = 1
	rep.Version = strings.Repeat("v", 90)
	rep.Runs = 12
	rep.Dedup.Hot, rep.Dedup.Checked, rep.Dedup.Restarts, rep.Dedup.RestartSeconds = 1<<60, 1<<60, 1<<60, 1e9
	rep.Sites[0].Flags = []string{"distinct words: " + strings.Repeat("far too few ", 20)}
	for i := range 40 {
		rep.Pages.ByType[fmt.Sprintf("application/x-%d", i)] = i
		rep.Pages.ByDepth[fmt.Sprint(100*i)] = i + 1
	}
	text := rep.Text()
	for _, l := range strings.Split(text, "\n") {
		if n := utf8.RuneCountInString(l); n > width {
			t.Errorf("%d columns: %s", n, l)
		}
		if strings.HasSuffix(l, " ") {
			t.Errorf("trailing blank: %q", l)
		}
	}
	for _, want := range []string{"ended by max-pages, 6 URLs left", "1,234,567", "outside --scope", "1 false positive found", "no URL was lost", ", 12 runs", "timeout"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
}

// A filter without a log behind it may lose URLs, and the report says how many.
func TestFilterAloneIsNotCalledLossless(t *testing.T) {
	res := crawl.Result{
		Runs:  1,
		Dedup: dedup.Stats{New: 5000, Risked: 12.25, RiskedHigh: 20.5, RiskedBy: dedup.ByTheory, SampledURLs: 1000, SampledLost: 3, Rate: 0.003, RateLow: 0.001, RateHigh: 0.009},
		Audit: crawl.Audit{Mode: ModeFilter},
	}
	r, err := NewRecorder(Config{})
	if err != nil {
		t.Fatal(err)
	}
	rep := New("v", res, r, Usage{})
	if text := rep.Text(); strings.Contains(text, "no URL was lost") || !strings.Contains(text, "lost: about 12 URLs, with 95 % confidence at most 21, by theory") || !strings.Contains(text, "lost in a sample: 3 of 1,000 URLs; rate 0.003") {
		t.Error(text)
	}
	full := res
	full.Dedup.RiskedBy = dedup.BySample
	if text := New("v", full, r, Usage{}).Text(); !strings.Contains(text, "at most 21, by the sample") {
		t.Errorf("a full filter: %s", text)
	}
	full.Dedup.RiskedBy = dedup.ByCount
	if text := New("v", full, r, Usage{}).Text(); !strings.Contains(text, "lost: 12 of 1,000 URLs, which were all kept") || strings.Contains(text, "in a sample") {
		t.Errorf("a filter whose losses were counted: %s", text)
	}
	data, err := rep.JSON()
	for _, key := range []string{`"risked": 12.25`, `"risked_high": 20.5`, `"risked_by": "theory"`, `"false_positives": null`} {
		if err != nil || !strings.Contains(string(data), key) {
			t.Errorf("no %s in %s (%v)", key, data, err)
		}
	}
	res.Audit.Mode = ModeExact
	rep = New("v", res, r, Usage{})
	if data, err := rep.JSON(); err != nil || strings.Contains(string(data), "risked") || rep.Dedup.CollisionProbability != dedup.CollisionProbability(5000) {
		t.Errorf("an exact crawl risks: %s (%v)", data, err)
	}
}

// The pending checks, the restarts and their pauses of an exact crawl.
func TestTextOfTheAudit(t *testing.T) {
	rep := &Report{Dedup: Dedup{Mode: ModeExact, Hot: 5000, Checked: 70, Restarts: 2, RestartSeconds: 1.5, RestartPauseSeconds: 0.0123}}
	text := rep.Text()
	for _, want := range []string{"5,000 answered by the cache of recent URLs, 70 by the", "2 restarts, rebuilding for 1.5 s; the longest pause was 12.3 ms"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
}

func TestFlaggedSitesComeFirst(t *testing.T) {
	rep := &Report{}
	for i := range 40 {
		rep.Sites = append(rep.Sites, Site{Site: fmt.Sprintf("s%d", i), Pages: 40 - i})
	}
	rep.Sites[39].Flags = []string{"odd"}
	text := rep.Text()
	if odd := strings.Index(text, "! s39"); odd < 0 || odd > strings.Index(text, "  s0 ") {
		t.Errorf("the flagged site is not on top:\n%s", text)
	}
	if !strings.Contains(text, "and 15 more") {
		t.Error("the text does not say how many sites it leaves out")
	}
}

func TestSaveAndLoad(t *testing.T) {
	dir := t.TempDir()
	rep := filled(t, Config{Exact: true}, visit(t, "http://a.example/", 200, "one", "two"))
	if err := rep.Save(dir); err != nil {
		t.Fatal(err)
	}
	got, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got.Text() != rep.Text() {
		t.Error("the report is not the same after saving and loading")
	}
	if text, err := os.ReadFile(filepath.Join(dir, TextFile)); err != nil || string(text) != rep.Text() {
		t.Errorf("report.txt: %v", err)
	}
	if _, err := Load(t.TempDir()); !errors.Is(err, ErrNoReport) {
		t.Errorf("an empty directory: %v", err)
	}
	os.WriteFile(filepath.Join(dir, JSONFile), []byte("{"), 0o644)
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a damaged report: %v", err)
	}
}

// report.json, which says that there is a report, is not there before the text.
func TestNoReportBeforeItsText(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, TextFile), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := filled(t, Config{}, visit(t, "http://a.example/", 200, "one")).Save(dir); err == nil {
		t.Fatal("a text was written to a directory")
	}
	if _, err := Load(dir); !errors.Is(err, ErrNoReport) {
		t.Errorf("a report without its text: %v", err)
	}
}

func TestLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "crawl")
	dir := create(t, store.Disk(), path, false)
	r, err := NewRecorder(Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	v := visit(t, "http://a.example/new", 200, "x")
	v.From = "http://a.example/old"
	old := hop(t, "http://a.example/old", "http://a.example/new")
	old.From, old.Hops = "http://a.example/older", 1
	v.Page.Title = "Angle < bracket & \u2028 line"
	v.Page.Fields = map[string][]string{"price": {"3"}}
	gone := visit(t, "http://a.example/gone", 404)
	if err := errors.Join(r.Redirect(old), r.Page(v), r.Page(gone), r.Redirect(hop(t, "http://a.example/no", "")),
		r.Skip(gate.Skip{URL: "http://b.example/", Reason: gate.OutOfScope, Via: "http://a.example/", From: "http://a.example/out"}), r.Flush()); err != nil {
		t.Fatal(err)
	}
	pages, err := os.ReadFile(filepath.Join(path, PagesFile))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"url":"http://a.example/new","status":200,"depth":2,"via":"http://a.example/via","from":"http://a.example/old","content_type":"text/html","bytes":100,"title":"Angle < bracket & \u2028 line","words":1,"links":0,"fetched_at":"0001-01-01T00:00:00.000Z","millis":0,"fields":{"price":["3"]},"digest":"` + hexOf(v.Digest) + `","near_signature":"` + base64.StdEncoding.EncodeToString((&signer{hash: newHash()}).sign(v.Page.Words)) + `"}
{"url":"http://a.example/gone","status":404,"depth":2,"via":"http://a.example/via","content_type":"text/html","bytes":100,"title":"","words":0,"links":0,"fetched_at":"0001-01-01T00:00:00.000Z","millis":0}
`
	if string(pages) != want {
		t.Errorf("pages.jsonl has\n%s want\n%s", pages, want)
	}
	redirects, _ := os.ReadFile(filepath.Join(path, RedirectsFile))
	want = `{"url":"http://a.example/old","status":301,"target":"http://a.example/new","via":"http://a.example/via","from":"http://a.example/older","hop":2,"depth":2,"fetched_at":"0001-01-01T00:00:00.000Z"}
{"url":"http://a.example/no","status":301,"via":"http://a.example/via","hop":1,"depth":2,"fetched_at":"0001-01-01T00:00:00.000Z","error":"status 301 without a Location"}
`
	if string(redirects) != want {
		t.Errorf("redirects.jsonl has\n%s want\n%s", redirects, want)
	}
	skipped, _ := os.ReadFile(filepath.Join(path, SkippedFile))
	if want := `{"url":"http://b.example/","reason":"scope","via":"http://a.example/","from":"http://a.example/out"}` + "\n"; string(skipped) != want {
		t.Errorf("skipped.jsonl has %s", skipped)
	}
	if err := dir.Close(); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(r.Page(v), r.Flush()); err == nil {
		t.Error("writing to closed files did not fail")
	}
	if _, err := Load(path); !errors.Is(err, ErrUnfinished) {
		t.Errorf("a crawl without a report: %v", err)
	}
}

// What a reader sees of a figure: its error as half of the interval, in percent.
func TestFigureText(t *testing.T) {
	exact := func(x float64) *float64 { return &x }
	for _, c := range []struct {
		f    Figure
		want string
	}{
		{Figure{Estimate: 1000, Low: 1000, High: 1000}, "1,000"},
		{Figure{Estimate: 1000, Low: 980, High: 1020}, "~1,000 ±2 %"},
		{Figure{Estimate: 1000, Low: 990, High: 1020, Exact: exact(1250)}, "~1,000 ±1.5 % (counted exactly: 1,250, off by -20 %)"},
		{Figure{Estimate: 1000, Low: 980, High: 1020, Exact: exact(1000)}, "~1,000 ±2 %"},
	} {
		if got := figureText(c.f); got != c.want {
			t.Errorf("%+v: %q, want %q", c.f, got, c.want)
		}
	}
}

// The twelve largest counts are listed, and the others summed up, be it a single one.
func TestCounts(t *testing.T) {
	m, want := map[string]int{}, ""
	for i := range 12 {
		key := fmt.Sprintf("k%02d", i)
		m[key] = 100 - i
		want += fmt.Sprintf("%s %d,  ", key, 100-i)
	}
	for others, last := range []string{"", ",  others 1", ",  others 2"} {
		if others > 0 {
			m[fmt.Sprint("other", others)] = 1
		}
		if got, want := strings.ReplaceAll(counts(m), glue, " "), strings.TrimSuffix(want, ",  ")+last; got != want {
			t.Errorf("%d others: %q, want %q", others, got, want)
		}
	}
}

// Every reason that can be counted has its words in the text report.
func TestEveryReasonHasAMeaning(t *testing.T) {
	for r := range decisions {
		if !r.Decision() {
			t.Errorf("%s is no decision of the crawl", r)
		}
	}
	for r := range failures {
		if gate.Reason(r).Decision() {
			t.Errorf("%s is called a failure", r)
		}
	}
	for _, r := range fetch.Reasons() {
		if meaning(string(r)) == "" {
			t.Errorf("%s has no meaning", r)
		}
	}
}

// What may be had later is counted as given up, and without any page the report is short.
func TestGivenUp(t *testing.T) {
	res := crawl.Result{EndedBy: crawl.Done, Skipped: map[gate.Reason]int{gate.HostClosed: 3, gate.OutOfScope: 5},
		Errors: map[gate.Reason]int{"connect": 2, "no-host": 1, gate.RobotsUnreachable: 4}}
	rec, err := NewRecorder(Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := rec.Skip(gate.Skip{URL: "http://a.example/", Reason: "connect", Detail: "connection refused"}); err != nil {
		t.Fatal(err)
	}
	refused := crawl.Result{EndedBy: crawl.Done, Errors: map[gate.Reason]int{"tls": 1}}
	if text := New("test", refused, rec, Usage{}).Text(); strings.Contains(text, "complete") || !strings.Contains(text, "ended without a page") {
		t.Errorf("an error, and no page:\n%s", text)
	}
	text := New("test", res, rec, Usage{}).Text()
	if !strings.Contains(text, "ended, 9 URLs given up") || !strings.Contains(text, "http://a.example/: connect, connection refused") || strings.Count(text, "\n") > 5 {
		t.Errorf("without a page:\n%s", text)
	}
	for _, status := range []int{200, 404, 408, 500, 503, 503} {
		if err := rec.Page(visit(t, "http://a.example/", status)); err != nil {
			t.Fatal(err)
		}
	}
	cut := visit(t, "http://a.example/cut", 200)
	cut.CutOff, cut.ParseErr, cut.Page.Words, cut.Digest = true, io.ErrUnexpectedEOF, []uint64{1, 2, 3}, 7
	words, texts := rec.total.words.N(), rec.texts.Len()
	if err := rec.Page(cut); err != nil {
		t.Fatal(err)
	}
	if rec.total.words.N() != words || rec.texts.Len() != texts || recordOf(cut).Digest != "" {
		t.Error("part of a text counts as a text")
	}
	rep := New("test", res, rec, Usage{})
	want := map[string]int{"body": 1, "connect": 2, "host-closed": 3, "robots-unreachable": 4, "status-408": 1, "status-500": 1, "status-503": 2}
	if !maps.Equal(rep.GivenUp, want) || rep.Incomplete() != 14 || !strings.Contains(rep.Text(), "ended, 14 URLs given up") {
		t.Errorf("given up %v, want %v", rep.GivenUp, want)
	}
	if rec, err = NewRecorder(Config{}); err != nil {
		t.Fatal(err)
	}
	if text := New("test", crawl.Result{EndedBy: crawl.Done}, rec, Usage{}).Text(); !strings.Contains(text, "complete") {
		t.Errorf("nothing was given up, and the crawl is not complete:\n%s", text)
	}
}
