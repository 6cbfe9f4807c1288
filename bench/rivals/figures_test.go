package main

import (
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"crawler/internal/bigsite"
)

// sampleOf is a crawl whose pages/s and CPU follow from the time it took.
func sampleOf(distinct, duplicates int, took time.Duration) sample {
	return sample{Asked: bigsite.Asked{Distinct: distinct, Duplicates: duplicates, Took: took}, CPU: took, Peak: 3 << 20}
}

func TestDigits(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0.00", 1: "1.00", 39: "39.0", 100: "100", 12345: "12,345", 1234567.8: "1,234,568", 999.9: "1,000",
		0.04567: "0.0457", 0.5: "0.500", 12.345: "12.3", 0.00001: "0.0000",
	} {
		if got := digits(x); got != want {
			t.Errorf("%v: %s, want %s", x, got, want)
		}
	}
}

func TestShow(t *testing.T) {
	for want, values := range map[string][]float64{
		"–":                {math.NaN(), math.Inf(1)},
		"7":                {7},
		"2 (1–3)":          {3, 1, 2},
		"2.50 (1.00–4.00)": {4, 1, 3, 2},
		"1.50 (1.00–2.00)": {1, 2, math.NaN()},
		"5":                {5, 5},
	} {
		if got := show(values); got != want {
			t.Errorf("%v: %s, want %s", values, got, want)
		}
	}
}

// raceOf has ours at 1 and 3 CPU-seconds and a rival at 2 and 4, for 1,000 pages each.
func raceOf() *race {
	s := func(seconds ...time.Duration) (all []sample) {
		for _, n := range seconds {
			all = append(all, sampleOf(1000, 0, n*time.Second))
		}
		return all
	}
	return &race{Site: "12-KiB", Pages: 1000, Rounds: 2, Entries: []*entry{
		{Name: "ours", contestant: contestant{ours: true}, Samples: s(1, 3)},
		{Name: "wget2", Samples: s(2, 4, 100)},
		{Name: "gone", Missing: "gone is not installed"},
	}}
}

func TestRatioByRound(t *testing.T) {
	r := raceOf()
	if got := show(ratio(r.find("ours"), r.find("wget2"))); got != "0.625 (0.500–0.750)" {
		t.Errorf("ratio %s", got)
	}
	if r.find("gone") != nil || r.find("x") != nil {
		t.Error("found what did not run")
	}
}

func TestGoals(t *testing.T) {
	r := raceOf()
	rows := plain(results{Races: []*race{r}}.goalRows())
	for _, want := range []string{"wget2, 12-KiB pages      0.5  0.625 (0.500–0.750)  missed", "MiB of memory, 1,000 12-KiB pages", "64                    3     met"} {
		if !strings.Contains(rows, want) {
			t.Errorf("no %q in\n%s", want, rows)
		}
	}
	if strings.Contains(rows, "colly") {
		t.Errorf("a goal about a rival that did not run:\n%s", rows)
	}
	r.Entries[0].Samples = []sample{sampleOf(1000, 0, time.Second), sampleOf(999, 0, time.Second)}
	r.Entries[1].Samples = []sample{sampleOf(1000, 0, 10*time.Second), sampleOf(1000, 0, 10*time.Second)}
	if rows := plain(results{Races: []*race{r}}.goalRows()); !strings.Contains(rows, "missed") {
		t.Errorf("a goal is met with a page missed:\n%s", rows)
	}
	r.Entries[0].Samples[1] = sampleOf(1000, 0, time.Second)
	if rows := plain(results{Races: []*race{r}}.goalRows()); strings.Contains(rows, "missed") {
		t.Errorf("0.1 misses a goal:\n%s", rows)
	}
}

func TestTables(t *testing.T) {
	rows := [][]string{{"", "b"}, {"é", "22"}, {"long", ""}}
	if got, want := plain(rows), "       b\né     22\nlong\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := markdown(rows), "|  | b |\n|---|---|\n| é | 22 |\n| long |  |\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	o := options{jsonFile: dir + "/json", mdFile: dir + "/md"}
	var b strings.Builder
	if err := (results{Machine: thisMachine(), Races: []*race{raceOf()}}).write(&b, o); err != nil {
		t.Fatal(err)
	}
	for file, wants := range map[string][]string{
		"/md":   {"| wget2 | 250 (10–500) | 4 (2–100) | 3 | 100 | 0 | 0.625 (0.500–0.750) |", "- gone: not available: gone is not installed\n", runtime.Version()},
		"/json": {`"Distinct": 1000`, `"Missing": "gone is not installed"`, `"CPU": 3000000000`},
	} {
		text, err := os.ReadFile(dir + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(string(text), want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
	}
	if !strings.Contains(b.String(), "wget2") {
		t.Errorf("printed:\n%s", &b)
	}
	o.mdFile = dir + "/missing/md"
	if err := (results{}).write(&b, o); err == nil {
		t.Error("a file that cannot be written is no error")
	}
}
