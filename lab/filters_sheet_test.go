package lab

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"crawler/internal/sheet"
)

// Programs find sections by IDs that are the same in every run.
func TestFiltersIDs(t *testing.T) {
	want := []string{"outcome", "terms", "corpus"}
	for _, setting := range []string{"equal_memory", "paper_memory"} {
		for _, kind := range []string{"held_out", "new_segments", "time_known", "time_new", "time_insert", "memory"} {
			want = append(want, kind+"_"+setting)
		}
	}
	want = append(want, "sets", "files", "fold", "words", "compressed", "counts", "hard_questions")
	for _, bits := range []float64{8, 20} {
		s := mustFilters(t, FiltersConfig{Corpus: mustGenerate(t, 300, 1), BitsPerURL: bits, Questions: 20, Rounds: 1, Seed: 5, Now: ticking()})
		var ids []string
		for _, x := range s.Sections {
			ids = append(ids, x.ID)
		}
		if !slices.Equal(ids, want) {
			t.Errorf("IDs are %v, want %v", ids, want)
		}
		if i := slices.Index(s.Config, sheet.Setting{Name: "bits a URL", Value: bits}); i < 0 || s.Config[len(s.Config)-1].Value != uint64(5) {
			t.Errorf("settings are %v", s.Config)
		}
	}
}

// All plots have the horizontal axis of all sizes, whatever was left out, no share is
// above one, and each says what memory it is about.
func TestFiltersPlotsCanBeCompared(t *testing.T) {
	s := mustFilters(t, FiltersConfig{
		Corpus: mustGenerate(t, 2000, 1), Sizes: []int{20, 200, 1800}, LinearMax: 20, Questions: 20, Rounds: 1, Now: ticking(),
	})
	titles := map[string]bool{}
	for _, x := range s.Sections {
		for _, p := range x.Plots {
			if p.XMin != 20 || p.XMax != 1800 || strings.HasPrefix(p.Y, "share") != (p.YMax == 1) {
				t.Errorf("%s: x spans %v to %v, y ends at %v", p.Title, p.XMin, p.XMax, p.YMax)
			}
			titles[p.Title] = true
		}
	}
	if len(titles) != 10 {
		t.Errorf("titles are %v", titles)
	}
}

// Linear search is said to be left out where it was.
func TestFiltersTellsOfLinearSearch(t *testing.T) {
	for most, want := range map[int]int{100: 6, 1000: 0} {
		s := mustFilters(t, FiltersConfig{
			Corpus: mustGenerate(t, 500, 1), Sizes: []int{50, 400}, LinearMax: most, Questions: 20, Rounds: 1, Now: ticking(),
		})
		notes := 0
		for _, x := range s.Sections {
			for _, note := range x.Notes {
				if note == fmt.Sprintf("Linear search is left out beyond %d URLs.", most) {
					notes++
				}
			}
		}
		if notes != want {
			t.Errorf("up to %d: reported %d times, want %d", most, notes, want)
		}
	}
}

func TestFiltersProgress(t *testing.T) {
	var calls []string
	mustFilters(t, FiltersConfig{
		Corpus: mustGenerate(t, 2000, 1), Sizes: []int{20, 1800}, Questions: 20, Rounds: 1, Now: ticking(),
		Progress: func(what string) { calls = append(calls, what) },
	})
	const paper = "the paper's memory: "
	if want := []string{"16 bits a URL: 20 of 1,800 URLs", paper + "20 of 1,800 URLs", "16 bits a URL: 1,800 of 1,800 URLs", paper + "1,800 of 1,800 URLs", "single filters"}; !slices.Equal(calls, want) {
		t.Errorf("reported %q, want %q", calls, want)
	}
}

// What came out is that of the tables.
func TestFiltersOutcome(t *testing.T) {
	s := mustFilters(t, FiltersConfig{Corpus: mustGenerate(t, 10_000, 1), Sizes: []int{100, 9000}, Questions: 1000, Rounds: 1, Now: ticking()})
	text := strings.Join(section(t, s, "What came out").Notes, "\n")
	rates := section(t, s, "False positives among real URLs held out: 16").Table
	share := rates.Rows[1][slices.Index(heads(rates), publishedName)].(float64)
	want := []string{
		fmt.Sprintf("With 16 bits a URL and 9,000 URLs the published filter answered %s %% of the held-out URLs", twoDigits(100*share)),
		"the published filter answered 100 % \"seen\"", "a URL that was not inserted took, at this size: ", "(false negatives): 0, in ",
	}
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("there is no %q in\n%s", w, text)
		}
	}
	if twice := fmt.Sprintf("%.1f times the rate of bloom", expectedIn(t, s, repairedName)/expectedIn(t, s, bloomName)); !strings.Contains(text, twice) {
		t.Errorf("there is no %q in\n%s", twice, text)
	}
}

func expectedIn(t *testing.T, s *sheet.Sheet, name string) float64 {
	t.Helper()
	hard := section(t, s, "Questions that break a filter").Table
	for _, row := range hard.Rows {
		if row[0] == "real URLs held out" && row[1] == name {
			return row[len(row)-1].(float64)
		}
	}
	t.Fatalf("nobody asked %s", name)
	return 0
}

func TestPercentSeen(t *testing.T) {
	for want, a := range map[string]answers{
		"none (not asked)": {}, "at most 0.30 % (none of 1,000)": {asked: 1000}, "at most 100 % (none of 2)": {asked: 2},
		"20 %": {asked: 1000, seen: 203}, "0.13 %": {asked: 100_000, seen: 130}, "100 %": {asked: 7, seen: 7}, "1.0 %": {asked: 100, seen: 1},
	} {
		if got := percentSeen(a); got != want {
			t.Errorf("%+v is %q, want %q", a, got, want)
		}
	}
}

// The figures of the interval are those of Newcombe 1998, table I, method 3; the last
// follows from the symmetry of the interval.
func TestInterval(t *testing.T) {
	for _, c := range []struct {
		seen, asked int
		low, high   float64
	}{{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718}, {29, 29, 1 - 0.1170, 1}} {
		low, high := answers{asked: c.asked, seen: c.seen}.interval()
		if math.Abs(low-c.low) > 6e-5 || math.Abs(high-c.high) > 6e-5 {
			t.Errorf("%d of %d: %.4f to %.4f, want %.4f to %.4f", c.seen, c.asked, low, high, c.low, c.high)
		}
	}
}
