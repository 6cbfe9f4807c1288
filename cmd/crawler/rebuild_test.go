package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"crawler/cmd/crawler/internal/shell"
	"crawler/internal/bigsite"
	"crawler/internal/crawltest"
	"crawler/report"
)

// allRecords is every record of a crawl: the file, the URL and what it says of it. A URL that is
// recorded twice is an error.
func allRecords(t *testing.T, dir string) []string {
	t.Helper()
	all := map[string]bool{}
	for _, file := range []string{report.PagesFile, report.RedirectsFile, report.SkippedFile} {
		data, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		met := map[string]bool{}
		for line := range bytes.Lines(data) {
			var r struct {
				URL, Target, Reason string
				Status, Depth       int
			}
			if err := json.Unmarshal(line, &r); err != nil {
				t.Fatal(err)
			}
			if met[r.URL] {
				t.Errorf("%s has %s twice", file, r.URL)
			}
			met[r.URL] = true
			all[fmt.Sprint(file, " ", r.URL, " ", r.Status, " ", r.Target, r.Reason)] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// newRebuilt serves a small site with redirects, errors and refusals, and counts requests.
func newRebuilt(t *testing.T) (url string, requests *atomic.Int64) {
	t.Helper()
	site, err := bigsite.New(bigsite.Config{Pages: 40, Seed: 5, Links: 6, Text: 300, Trouble: true})
	if err != nil {
		t.Fatal(err)
	}
	requests = new(atomic.Int64)
	return crawltest.Serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		site.ServeHTTP(w, r)
	})), requests
}

// must runs the command line, which has to exit with 0.
func must(t *testing.T, args ...string) string {
	t.Helper()
	code, out := exit(args...)
	if code != shell.ExitOK {
		t.Fatalf("crawler %s exits %d: %s", strings.Join(args, " "), code, out)
	}
	return out
}

// lose damages the state: it is gone, or its files have a hole.
func lose(t *testing.T, dir string, gone bool) {
	t.Helper()
	state := filepath.Join(dir, "state")
	if gone {
		if err := os.RemoveAll(state); err != nil {
			t.Fatal(err)
		}
		return
	}
	names, err := filepath.Glob(filepath.Join(state, "MANIFEST-*"))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		if err := os.WriteFile(name, []byte("not what was written"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A crawl that was stopped anywhere and has lost its state records, once that is made again, what
// it would have recorded, and each URL once.
func TestLostStateIsMadeAgain(t *testing.T) {
	t.Parallel()
	url, _ := newRebuilt(t)
	for _, c := range []struct {
		depth string
		after []int // pages
	}{{"-1", []int{1, 17}}, {"4", []int{11}}} {
		args := func(dir string) []string { return append(crawlArgs(url, dir), "--min-free", "0", "--depth", c.depth) }
		whole := filepath.Join(t.TempDir(), "whole")
		must(t, args(whole)...)
		want := allRecords(t, whole)
		for _, n := range c.after {
			dir := filepath.Join(t.TempDir(), "c")
			must(t, append(args(dir), "--max-pages", strconv.Itoa(n))...)
			lose(t, dir, n > 1)
			if code, out := exit("check", dir); code != shell.ExitFailed || !strings.Contains(out, "--repair: make it again from the records") {
				t.Errorf("check of a lost state exits %d: %s", code, out)
			}
			out := must(t, "check", dir, "--repair")
			for _, text := range []string{"made again from " + shell.Counted(n, "page"), "not in the records: words: ", "not in the records: traps: ", "is sound"} {
				if !strings.Contains(out, text) {
					t.Errorf("check --repair does not say %q: %s", text, out)
				}
			}
			must(t, "check", dir)
			if code, out := exit("resume", dir, "-q"); code != shell.ExitUsage || !strings.Contains(out, "still stands") {
				t.Errorf("a limit that was reached: exit %d: %s", code, out)
			}
			if out := must(t, "resume", dir, "--max-pages", "0"); !strings.Contains(out, "partial: the state was lost") {
				t.Errorf("the report does not say what is partial: %s", out)
			}
			if got := allRecords(t, dir); !slices.Equal(got, want) {
				t.Errorf("depth %s, %d pages: recorded\n%s\nwant\n%s", c.depth, n, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if rep := loadReport(t, dir); rep.Rebuilt == nil || rep.Rebuilt.Pages != n || rep.Pages.Fetched != loadReport(t, whole).Pages.Fetched {
				t.Errorf("depth %s, %d pages: the report has %+v, %d pages", c.depth, n, rep.Rebuilt, rep.Pages.Fetched)
			}
		}
	}
}

// A complete crawl that has lost its state ends again without a request, also after repairs that
// were killed.
func TestLostStateOfACompleteCrawl(t *testing.T) {
	t.Parallel()
	url, requests := newRebuilt(t)
	dir := filepath.Join(t.TempDir(), "c")
	must(t, append(crawlArgs(url, dir), "--min-free", "0")...)
	want, asked := allRecords(t, dir), requests.Load()
	lose(t, dir, true)
	// A repair that was killed.
	if err := os.MkdirAll(filepath.Join(dir, "state.tmp", "state"), 0o755); err != nil {
		t.Fatal(err)
	}
	must(t, "check", dir, "--repair")
	if _, err := os.Stat(filepath.Join(dir, "state.tmp")); err == nil {
		t.Error("state.tmp is still there")
	}
	must(t, "resume", dir, "-q")
	if got := allRecords(t, dir); !slices.Equal(got, want) || requests.Load() != asked {
		t.Errorf("%d requests more; recorded\n%s\nwant\n%s", requests.Load()-asked, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	must(t, "check", dir)
}

// Without its settings, nothing is made of a crawl.
func TestLostStateWithoutSettings(t *testing.T) {
	t.Parallel()
	url, _ := newRebuilt(t)
	dir := filepath.Join(t.TempDir(), "c")
	must(t, append(crawlArgs(url, dir), "--min-free", "0", "--max-pages", "3")...)
	lose(t, dir, true)
	if err := os.WriteFile(filepath.Join(dir, "crawl.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out := exit("check", dir, "--repair"); code != shell.ExitFailed || !strings.Contains(out, "nothing: without crawl.json") {
		t.Errorf("exit %d: %s", code, out)
	}
}
