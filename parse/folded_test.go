package parse

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// Words with letters beyond ASCII are those of the definition, wherever they stand in a block: each
// letter, mark and digit of the basic plane among others, and strings of the awkward ones.
func TestWordsBeyondASCII(t *testing.T) {
	p, page := New(Options{}), new(Page)
	check := func(text string) {
		t.Helper()
		body := text + strings.Repeat(" ", len(textWindow{}))
		if err := p.Parse(Input{ContentType: "text/plain; charset=utf-8", Body: []byte(body)}, page); err != nil {
			t.Fatal(err)
		}
		if want := hashesOf(wordsOf(text)); !slices.Equal(page.Words, want) {
			t.Fatalf("%q: %d words, want %q", text, len(page.Words), wordsOf(text))
		}
	}
	var all strings.Builder
	for r := ' '; r < 0x10000; r++ {
		if 0xd800 <= r && r < 0xe000 || r == '\ufeff' {
			continue
		}
		fmt.Fprintf(&all, "é%c %ca%c, ", r, r, r)
		if all.Len() > 4000 {
			check(all.String())
			all.Reset()
		}
	}
	check(all.String())

	awkward := []string{"a", "Z", "7", " ", " ", ", ", "é", "É", "ß", "ẞ", "İ", "ı", "Ⱥ", "K", "ǅ", "Ж", "я", "ς", "Σ", "ệ", "Ệ", "Ἀ", "ᾼ",
		"日", "，", "ก็", "ि", "가", "Ａ", "\u200d", "\u00ad", "𐐀", "😀", "٣", "_", "-", "“", "internationalization"}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var text strings.Builder
		for range 1 + rng.IntN(60) {
			text.WriteString(awkward[rng.IntN(len(awkward))])
		}
		check(text.String())
	}
}

// wordsOf is the definition of words, for plain text of UTF-8.
func wordsOf(text string) (words []string) {
	isWord := func(r rune) bool { return unicode.In(r, unicode.L, unicode.M, unicode.Nd) }
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !isWord(r) }) {
		if runes := []rune(w); len(runes) <= MaxWordRunes {
			for i := range runes {
				runes[i] = unicode.ToLower(runes[i])
			}
			words = append(words, string(runes))
		}
	}
	return words
}

// Scripts that are written without spaces join words, whichever of the ways to read words meets
// them: in one block, behind a character reference, in a run longer than a block, and at the end.
func TestJoinedWords(t *testing.T) {
	for _, c := range []struct {
		name, clause string
		joined       int
	}{
		{"Chinese", "每个网页只读取一次", 3},
		{"rare ideographs", "𠀀𠀁𠀂𠀃", 1},
		{"Japanese", "それぞれのページは", 3},
		{"Thai", "ภาษาไทยเขียนติดกัน", 8},
		{"Lao", "ພາສາລາວ", 2},
		{"Burmese", "မြန်မာဘာသာ", 4},
		{"Khmer", "ភាសាខ្មែរ", 3},
		{"Korean", "페이지마다", 0},
		{"Hindi", "प्रत्येक", 0},
		{"Arabic", "صفحات", 0},
		{"Vietnamese", "nghiêng", 0},
		{"Latin", "internationalization", 0},
		{"one character", "文", 0},
		{"more than a block", strings.Repeat("网页", 15), 14},
	} {
		for _, frame := range []string{"@", "a @ b", "&eacute; @, @", strings.Repeat("x ", 40) + "@", "@" + strings.Repeat(" x", 40)} {
			text, clauses := strings.ReplaceAll(frame, "@", c.clause), strings.Count(frame, "@")
			page := new(Page)
			if err := New(Options{}).Parse(Input{ContentType: "text/html; charset=utf-8", Body: []byte(text)}, page); err != nil {
				t.Fatal(err)
			}
			if page.Joined != clauses*c.joined {
				t.Errorf("%s: %q joins %d words, want %d times %d", c.name, text, page.Joined, clauses, c.joined)
			}
		}
	}
}
