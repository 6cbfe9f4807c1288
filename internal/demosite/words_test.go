package demosite

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestSplitWords(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "",
		"Tavor, MELIN; 42.5 & x_y": "tavor melin 42 5 x y",
		"12\u00a0km – “Brönn”":     "12 km brönn",
		"VE\u0301LET карвел 日向s ½ three": "ve\u0301let карвел 日向s three",
	} {
		if got := strings.Join(splitWords(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestUntracked(t *testing.T) {
	for uri, want := range map[string]string{
		"/a":                   "/a",
		"/a?utm_source=x":      "/a",
		"/a?utm_x=1&page=2":    "/a?page=2",
		"/a?page=2&utm_x=1&b":  "/a?page=2&b",
		"/a?autm_x=1":          "/a?autm_x=1",
		"/cal?month=2026-01":   "/cal?month=2026-01",
		"/utm_path/?sort=name": "/utm_path/?sort=name",
	} {
		if got := untracked(uri); got != want {
			t.Errorf("%s: %s, want %s", uri, got, want)
		}
	}
}

func TestEncodings(t *testing.T) {
	const text = "aé€Ž\u0416<"
	for want, encode := range map[string]encoding{
		text:                           encodeUTF8,
		"\xef\xbb\xbf" + text:          encodeBOM,
		"a\xe9&#x20ac;&#x17d;&#x416;<": encodeLatin1,
		"a\xe9\x80\x8e&#x416;<":        encodeWindows1252,
	} {
		if got := string(encode(text)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got, want := references("aö\u00a0Ж"), "a&ouml;&nbsp;&#1046;"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestVocabulary(t *testing.T) {
	v := newVocabulary()
	all := slices.Concat(v.nouns, v.verbs, v.adjectives)
	distinct := map[string]bool{}
	for _, word := range all {
		distinct[word] = true
		if strings.ToLower(word) != word || len(splitWords(word)) != 1 {
			t.Errorf("%q is not one lower-case word", word)
		}
	}
	if len(distinct) != numNouns+numVerbs+numAdjs {
		t.Errorf("%d distinct words of %d", len(distinct), numNouns+numVerbs+numAdjs)
	}
	for _, word := range strings.Fields(foreign) {
		if !slices.Contains(v.nouns[:160], word) {
			t.Errorf("%q is not among the frequent nouns", word)
		}
	}
}

func TestZipfRanks(t *testing.T) {
	const n, draws = 1000, 200_000
	z, r := newZipf(n), rand.New(rand.NewPCG(1, 2))
	times := make([]float64, n)
	for range draws {
		times[z.rank(r)]++
	}
	for _, rank := range []int{1, 7, 27} { // expected: 1/(rank+3) of the first's 1/3
		if ratio := times[0] / times[rank] / (float64(rank+3) / 3); ratio < 0.9 || ratio > 1.1 {
			t.Errorf("rank %d occurs %.2f times as rarely as it should", rank, ratio)
		}
	}
}

func TestWriterEdit(t *testing.T) {
	w := newWriter(rand.New(rand.NewPCG(3, 4)), newVocabulary())
	for range 50 {
		text := w.paragraph(150)
		before, after := strings.Split(text, " "), strings.Split(w.edit(text), " ")
		changed := 0
		for i := range before {
			if before[i] != after[i] {
				changed++
			}
		}
		if len(before) != len(after) || changed < 1 || changed > len(before)/100+1 {
			t.Fatalf("%d of %d words changed", changed, len(before))
		}
	}
}

func TestWriterSlugsAreUnique(t *testing.T) {
	w := newWriter(rand.New(rand.NewPCG(3, 4)), newVocabulary())
	seen := map[string]bool{}
	for range 2000 {
		s := w.slug()
		if seen[s] || !isASCII(s) {
			t.Fatalf("slug %q", s)
		}
		seen[s] = true
	}
}

// TestSpamPagesAreNoCopies: whatever the seed, no two pages stuff the same words.
func TestSpamPagesAreNoCopies(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	for seed := range uint64(300) {
		s, taken := &site{r: rand.New(rand.NewPCG(seed, 0))}, map[string]bool{}
		chosen := map[string]bool{}
		for range numSpamPages {
			words := s.chosen(taken)
			if words[0] != "bonus" || len(words) != stuffingWords {
				t.Fatalf("seed %d: %v", seed, words)
			}
			chosen[strings.Join(slices.Sorted(slices.Values(words)), " ")] = true
		}
		if len(chosen) != numSpamPages {
			t.Errorf("seed %d: %d different pages, want %d", seed, len(chosen), numSpamPages)
		}
	}
}
