package lab

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"crawler/internal/sheet"
)

// zipf is a text in which word i of 3,000 occurs 3,000/i times.
func zipf() string {
	var b strings.Builder
	for i := 1; i <= 3000; i++ {
		b.WriteString(strings.Repeat(fmt.Sprintf("word%d ", i), 3000/i))
	}
	return b.String()
}

func TestWords(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.txt", zipf())
	write(t, dir, "deep/b.html", "<title>Other</title><p>words of <b>HTML</b>")
	write(t, dir, "c.css", "not read")
	s, err := Words(t.Context(), WordsConfig{Path: dir, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(s.Intro[1], "in 2 documents") || !strings.Contains(s.Intro[1], "other names: 1.") {
		t.Error(s.Intro[1])
	}
	words, squares := 0, 0.0
	for i := 1; i <= 3000; i++ {
		words += 3000 / i
		squares += math.Pow(float64(3000/i), 2)
	}
	checks := []struct {
		section int
		truth   float64
		within  float64 // percent, five standard errors of the worst
	}{{0, 3003, 12}, {1, squares, 40}, {2, 100 * 1504.0 / 3003, 12}}
	for _, c := range checks {
		rows := s.Sections[c.section].Table.Rows
		truth := figure(rows[0][2])
		if c.section < 2 && math.Abs(truth-c.truth) > 5 {
			t.Errorf("%s: exactly %v, want about %v", s.Sections[c.section].Title, truth, c.truth)
		}
		for _, r := range rows[1:] {
			if name := r[0].(string); strings.HasPrefix(name, "2^R") || strings.HasPrefix(name, "100 variables") || strings.Contains(name, "the means of groups") {
				continue // TestPlainTails and TestVariables have these
			}
			group := strings.Contains(r[0].(string), "as the source has it") && c.section == 0
			if off := r[5].(float64); group != (off > 100) || !group && math.Abs(off) > c.within {
				t.Errorf("%s: %v is %.1f %% off", s.Sections[c.section].Title, r[0], off)
			}
		}
	}
	top := s.Sections[3].Table.Rows
	if top[0][0] != "word1" || top[0][4] != int64(3000) || top[0][5] != 1 {
		t.Errorf("the most frequent word is %v", top[0])
	}
	if points := s.Sections[0].Plots[0].Lines[0].Points; points[len(points)-1] != (sheet.Point{X: float64(words + 4), Y: truthOf(s)}) {
		t.Errorf("the curve ends at %v", points[len(points)-1])
	}
}

func truthOf(s *sheet.Sheet) float64 { return figure(s.Sections[0].Table.Rows[0][2]) }

func figure(c sheet.Cell) float64 {
	if n, ok := c.(int64); ok {
		return float64(n)
	}
	return c.(float64)
}

func TestWordsOfOneFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "page", "<!DOCTYPE html><p class=hidden>one two</p>")
	s, err := Words(t.Context(), WordsConfig{Path: dir + "/page"})
	if err != nil || truthOf(s) != 2 {
		t.Errorf("%v, %v", s, err)
	}
	s, err = Words(t.Context(), WordsConfig{Path: "-", In: strings.NewReader("three little words")})
	if err != nil || truthOf(s) != 3 {
		t.Errorf("standard input: %v, %v", s, err)
	}
}

func TestWordsRefuses(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "empty.txt", "")
	write(t, dir, "picture.txt", "\x89PNG\r\n\x1a\n\x00\x00\x00")
	write(t, dir, "crawl/pages.jsonl", "")
	write(t, dir, "crawl/report.txt", "words")
	for path, want := range map[string]string{
		"empty.txt": "has no words", "picture.txt": "is no text", "crawl": "holds a crawl", "missing": "no such file",
	} {
		if _, err := Words(t.Context(), WordsConfig{Path: dir + "/" + path}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
