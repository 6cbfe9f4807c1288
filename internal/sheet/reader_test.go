package sheet

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"
)

// URLs in cells are links, and nothing else is.
func TestURLsAreLinks(t *testing.T) {
	for text, want := range map[string]string{
		"http://a.example/?x=1&y=2":         `<a href="http://a.example/?x=1&amp;y=2" rel="noreferrer nofollow">http://a.example/?x=1&amp;y=2</a>`,
		"https://a.example/ -> gone":        `<a href="https://a.example/" rel="noreferrer nofollow">https://a.example/</a> -&gt; gone`,
		"javascript://a.example/%0aalert()": "javascript://a.example/%0aalert()",
		"http://":                           "http://",
		"a.example/x":                       "a.example/x",
		`http://a.example/"><script>`:       `<a href="http://a.example/&#34;&gt;&lt;script&gt;" rel="noreferrer nofollow">http://a.example/&#34;&gt;&lt;script&gt;</a>`,
		"http://a.example/\x1b[2J":          "http://a.example/\ufffd[2J",
	} {
		if got := linked(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// A table without rows is a word.
func TestNoEmptyTable(t *testing.T) {
	text := render(t, &Sheet{Sections: []Section{{Title: "Broken links", Table: &Table{Columns: []Column{{Name: "URL"}}}}}})
	if strings.Contains(text, "<table") || !strings.Contains(text, `<p class="note">None.</p>`) {
		t.Error(text)
	}
}

// The page has one main part, and each table is a region that keys can scroll, with its own label.
func TestLandmarks(t *testing.T) {
	table := &Table{Columns: []Column{{Name: "n"}}, Rows: [][]Cell{{1}}}
	text := render(t, &Sheet{Config: []Setting{{"seed", 1}}, Sections: []Section{{Title: "One", Table: table}, {Title: "Two", Table: table}}})
	if strings.Count(text, "<main>") != 1 || strings.Count(text, "</main>\n</body>") != 1 {
		t.Error("no main part")
	}
	for _, label := range []string{"Settings", "Table of one", "Table of two"} {
		if strings.Count(text, `<div class="scroll" role="region" tabindex="0" aria-label="`+label+`">`) != 1 {
			t.Errorf("no region %s in %s", label, text)
		}
	}
}

// An axis of whole numbers has ticks at whole numbers.
func TestWholeTicks(t *testing.T) {
	for _, values := range [][]float64{{0, 1}, {1, 2}, {0, 2}, {3, 3}, {0, 1, 2, 3}, {1, 7}, {0, 41}, {5, 1000}} {
		a := axis{}
		a.rangeOver(values)
		ticks := a.ticks()
		if len(ticks) < 2 {
			t.Errorf("%v: %d ticks", values, len(ticks))
		}
		for _, tick := range ticks {
			if tick.value != math.Trunc(tick.value) {
				t.Errorf("%v: a tick at %v", values, tick.value)
			}
		}
	}
	a := axis{}
	a.rangeOver([]float64{0, 0.5, 1})
	if ticks := a.ticks(); len(ticks) < 4 {
		t.Errorf("fractions have %d ticks", len(ticks))
	}
}

// However long an axis's title is and whatever the font, it is as wide as the picture at most.
func TestTitlesFit(t *testing.T) {
	for n := 1; n <= 2*labelRunes; n++ {
		size := titleFits(strings.Repeat("m", n))
		if wide := size * titleShare * float64(min(n, labelRunes)); wide > plotWidth+0.01 || size > titleSize || size < 10 {
			t.Errorf("%d letters of %.1f are %.0f wide", n, size, wide)
		}
	}
	if utf8.RuneCountInString(shorten(strings.Repeat("m", 200), labelRunes)) > labelRunes {
		t.Error("a title is longer than it may be")
	}
}
