package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"crawler/report"
)

// A killed process may have recorded a page and not yet its links: such a page is asked for again.
func TestLostStateOfAKilledCrawl(t *testing.T) {
	t.Parallel()
	url, _ := newRebuilt(t)
	whole, dir := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "c")
	must(t, append(crawlArgs(url, whole), "--min-free", "0")...)
	must(t, append(crawlArgs(url, dir), "--min-free", "0", "--max-pages", "15", "-c", "1")...)
	lose(t, dir, true)
	if err := os.Remove(filepath.Join(dir, report.JSONFile)); err != nil {
		t.Fatal(err)
	}
	links := filepath.Join(dir, report.LinksFile)
	data, err := os.ReadFile(links)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	// The last three records are missing.
	if err := os.WriteFile(links, bytes.Join(lines[:len(lines)-4], nil), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := must(t, "check", dir, "--repair"); !strings.Contains(out, "had not been recorded whole") {
		t.Errorf("check --repair does not say what is cut off: %s", out)
	}
	must(t, "resume", dir, "-q", "--max-pages", "0")
	if got, want := allRecords(t, dir), allRecords(t, whole); !slices.Equal(got, want) {
		t.Errorf("recorded\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
