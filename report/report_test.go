package report

import (
	"errors"
	"fmt"
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
	"crawler/weburl"
)

// visit makes a page as a worker would deliver it.
func visit(t *testing.T, url string, status int, words ...string) *crawl.Visit {
	t.Helper()
	u, err := weburl.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	v := &crawl.Visit{Item: frontier.Item{URL: u, Depth: 2, Via: "http://a.example/via"}, Status: status, MediaType: "text/html", Bytes: 100}
	for _, w := range words {
		v.Page.Words = append(v.Page.Words, xxhash.Sum64String(w))
	}
	v.Digest = xxhash.Sum64String(strings.Join(words, " "))
	return v
}

func filled(t *testing.T, cfg Config, visits ...*crawl.Visit) *Report {
	t.Helper()
	r := NewRecorder(cfg)
	for _, v := range visits {
		if err := r.Page(v); err != nil {
			t.Fatal(err)
		}
	}
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	res := crawl.Result{
		Seeds: []string{"http://a.example/"}, Started: start, Finished: start.Add(4 * time.Second), EndedBy: crawl.ByMaxPages,
		Fetched: len(visits), Redirects: 3, Queued: 5, Leased: 1, Hosts: 2,
		Skipped: map[crawl.Reason]int{crawl.OutOfScope: 1234567, crawl.Disallowed: 2},
		Errors:  map[crawl.Reason]int{"timeout": 4},
	}
	return New("9.9.9", res, dedup.Stats{Asked: 10, New: 4, Seen: 6, Bits: 1 << 20, Fill: 0.25, FalsePositives: 1, Rate: 0.25, RateHigh: 0.5}, r, Usage{CPU: 2 * time.Second, PeakRSS: 1 << 25})
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
	if !strings.Contains(rep.Text(), OtherSites) {
		t.Error("the text does not say that sites share a line")
	}
}

func TestTextFitsEightyColumns(t *testing.T) {
	long := strings.Repeat("a-very-long-name.", 10) + "example"
	rep := filled(t, Config{}, visit(t, "http://"+long+"/", 200, "x"), visit(t, "http://a.example/", 500))
	big := 123_456_789_012.0
	rep.Sites[1].Pages, rep.Sites[1].Words, rep.Pages.Fetched, rep.Pages.Unique = 2_000_000, 1<<50, 1<<50, 1<<50
	rep.Words = Words{Total: 1 << 60, Distinct: Figure{Estimate: 1e10, Low: 9e9, High: 2e10, Exact: &big}, Surprise: Figure{Estimate: 1e30, Low: 1, High: 1e31, Exact: &big}}
	rep.Pages.ByType[strings.Repeat("application/x-long", 10)] = 1
	rep.Version = strings.Repeat("v", 90)
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
	for _, want := range []string{"ended by max-pages, 6 URLs left", "1,234,567", "outside --scope", "1 false positive found", "timeout"} {
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

func TestFilesAreWrittenOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "crawl")
	files, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	r := NewRecorder(Config{Files: files})
	v := visit(t, "http://a.example/new", 200, "x")
	v.From, v.Hops = "http://a.example/old", 2
	v.Page.Title = "Angle < bracket & \u2028 line"
	v.Page.Fields = map[string][]string{"price": {"3"}}
	if err := errors.Join(r.Page(v), r.Skip(crawl.Skip{URL: "http://b.example/", Reason: crawl.OutOfScope, Via: "http://a.example/"}), r.Flush()); err != nil {
		t.Fatal(err)
	}
	pages, err := os.ReadFile(filepath.Join(dir, PagesFile))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"url":"http://a.example/old","final_url":"http://a.example/new","status":200,"depth":2,"via":"http://a.example/via","content_type":"text/html","bytes":100,"title":"Angle < bracket & \u2028 line","words":1,"links":0,"fetched_at":"0001-01-01T00:00:00.000Z","millis":0,"redirects":2,"fields":{"price":["3"]}}` + "\n"
	if string(pages) != want {
		t.Errorf("pages.jsonl has\n%s want\n%s", pages, want)
	}
	skipped, _ := os.ReadFile(filepath.Join(dir, SkippedFile))
	if want := `{"url":"http://b.example/","reason":"scope","via":"http://a.example/"}` + "\n"; string(skipped) != want {
		t.Errorf("skipped.jsonl has %s", skipped)
	}
	if _, err := Create(dir); !errors.Is(err, ErrExists) {
		t.Errorf("a second crawl into the directory: %v", err)
	}
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
	if err := r.Page(v); err == nil {
		if err := r.Flush(); err == nil {
			t.Error("writing to closed files did not fail")
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
		if crawl.Reason(r).Decision() {
			t.Errorf("%s is called a failure", r)
		}
	}
	for _, r := range fetch.Reasons() {
		if meaning(string(r)) == "" {
			t.Errorf("%s has no meaning", r)
		}
	}
}

// Of two crawls that begin at the same time in one place, one gets it, and the other
// is told so.
func TestCreateTogether(t *testing.T) {
	for range 50 {
		dir := filepath.Join(t.TempDir(), "crawl")
		errs := make(chan error, 4)
		for range cap(errs) {
			go func() {
				files, err := Create(dir)
				if err == nil {
					err = files.Close()
				}
				errs <- err
			}()
		}
		got := 0
		for range cap(errs) {
			switch err := <-errs; {
			case err == nil:
				got++
			case !errors.Is(err, ErrExists):
				t.Fatal(err)
			}
		}
		if got != 1 {
			t.Fatalf("%d crawls got the directory", got)
		}
	}
}
