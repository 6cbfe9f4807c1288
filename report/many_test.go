package report

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// The report of many sites begins with what became of all URLs, has the true number of sites, and
// says of warnings once what they have in common.
func TestManySites(t *testing.T) {
	r := newRecorder(Config{MaxSites: 30})
	for i := range 41 {
		status := 200
		if i%4 == 3 {
			status = 404
		}
		r.count(visit(t, fmt.Sprintf("http://h%02d.example/", i), status, "one", "two", fmt.Sprint(i)))
	}
	rep := &Report{Errors: map[string]int{"no-host": 7}, Skipped: map[string]int{"robots": 2}, SeedsDone: SeedsDone{Given: 50, Answered: 41, Refused: 7}}
	r.Fill(rep)
	for i := range rep.Sites[:12] {
		rep.Sites[i].Flags = []string{fmt.Sprintf("far too few distinct words: %d, where 100 are expected", i)}
	}
	rep.Sites[0].Flags = append(rep.Sites[0].Flags, "its words repeat far more than its peers': x")
	text := rep.Text()
	at := 0
	for _, want := range []string{
		"41 pages from 41 sites in", "50 seeds: 41 (82.0 %) answered, 7 (14.0 %) without an answer, 2 (4.0 %) left",
		"\nPages\n", "by status  200 31, 404 10", "\nErrors\n", "no-host                 7", "\nBroken links\n", "\nSkipped", "\nSites\n",
		"  ! 12 sites, far too few distinct words: h00.example, h01.example, h02.example\n    and 9 more, in report.json\n  ! 1 site, its words repeat far more than its peers': h00.example\n", "! h00.example", "and 16 more, in report.json",
	} {
		i := strings.Index(text[at:], want)
		if i < 0 {
			t.Fatalf("lacks %q behind what comes before it:\n%s", want, text)
		}
		at += i
	}
	if strings.Contains(text, OtherSites) {
		t.Errorf("the first rows are not those of sites:\n%s", text)
	}
	rep.NoFiles = true
	if text := rep.Text(); strings.Contains(text, "json") {
		t.Errorf("refers to files that are not there:\n%s", text)
	}
}

// A crawl of up to 20 sites has them first, each with what is unusual of it.
func TestFewSites(t *testing.T) {
	r := newRecorder(Config{})
	for i := range 20 {
		r.count(visit(t, fmt.Sprintf("http://h%02d.example/", i), 200, "one"))
	}
	rep := &Report{SeedsDone: SeedsDone{Given: 1, Answered: 1}}
	r.Fill(rep)
	rep.Sites[7].Flags = []string{"far too few distinct words: 1"}
	text := rep.Text()
	if strings.Index(text, "\nSites\n") > strings.Index(text, "\nPages\n") || !strings.Contains(text, "\n! h07.example") || !strings.Contains(text, "\n    ! far too few") || strings.Contains(text, "seed") {
		t.Error(text)
	}
}

// No line ends within a figure, wherever it would have to.
func TestNoBreakInAFigure(t *testing.T) {
	inside := regexp.MustCompile(`(\d|\d:|text/html|\(none\)|±)\n +([%±\d]|s\b|MiB|KiB|CPU)`)
	for n := range 60 {
		p := &page{}
		p.wrapped("  ", strings.Repeat("x", n)+" words, distinct: ~8,729 ±0.09 % (counted exactly: 8,730, off by -0.0045 %) in 10.7 s, 0.40 CPU-seconds, 43.8 MiB")
		p.wrapped("  ", strings.Repeat("x", n)+" "+counts(map[string]int{"text/html": 1234, "200": 17, "": 3})+", then "+depths(map[string]int{"0": 1, "1": 20, "12": 300}))
		if m := inside.FindString(p.String()); m != "" {
			t.Errorf("%q in\n%s", m, p.String())
		}
		for line := range strings.Lines(p.String()) {
			if len([]rune(line)) > width+1 {
				t.Errorf("wider than %d: %s", width, line)
			}
		}
	}
}

// Marks are explained where they stand, and only there.
func TestMarksAreExplained(t *testing.T) {
	r := newRecorder(Config{})
	r.count(visit(t, "http://a.example/", 200, "one", "two"))
	rep := &Report{}
	r.Fill(rep)
	if text := rep.Text(); !strings.Contains(text, "the sum of the squares of how often each word occurs") || strings.Contains(text, "~") || strings.Contains(text, "±") {
		t.Error(text)
	}
	rep.Words.Distinct.High++
	if text := rep.Text(); !strings.Contains(text, "  ~ marks an estimate, ± how far off it may be with 95 % confidence\n") {
		t.Error(text)
	}
	rep.Words.Total = 0
	if text := rep.Text(); strings.Contains(text, "the sum of the squares") {
		t.Error(text)
	}
}

// Pages that look as if JavaScript would fill them are counted.
func TestNeedScriptIsCounted(t *testing.T) {
	for n, want := range map[int]string{1: "\n1 page looks as if it needs JavaScript, which is not run\n", 1500: "\n1,500 pages look as if they need JavaScript, which is not run\n"} {
		rep := &Report{Pages: Pages{Fetched: 2000, NeedScript: n}}
		if text := rep.Text(); !strings.Contains(text, want) {
			t.Error(text)
		}
	}
}
