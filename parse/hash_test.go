package parse

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"crawler/weburl"

	"github.com/cespare/xxhash/v2"
)

// TestHashIsStable holds the hash to what it was: saved sketches depend on it.
func TestHashIsStable(t *testing.T) {
	for word, want := range map[string]uint64{
		"":                                  0x447d581950ec7ac6,
		"a":                                 0x1b5653c6946ac927,
		"queue":                             0x14e5290a9b1b4c90,
		"größe":                             0xc2f5edff6cbeaf78,
		"robustly":                          0xea5e5d58429c42bb,
		"canonical":                         0x57a522c1b9ab112c,
		"0123456789abcdef":                  0xc73ad8288c7be7ea,
		"0123456789abcdefg":                 0x56c16eaba3b9d2d7,
		"0123456789abcdef0123456789abcdef":  0xb33766f5e10100c2,
		"0123456789abcdef0123456789abcdef0": 0x7674f7b9a9c09d47,
	} {
		if got := HashWord([]byte(word)); got != want {
			t.Errorf("%q: %#x, want %#x", word, got, want)
		}
	}
}

// hashes are the words' hash and one of good name, which the tests of quality
// hold to the same bounds.
var hashes = map[string]func([]byte) uint64{"HashWord": HashWord, "xxhash": xxhash.Sum64}

// TestHashAvalanche flips each bit of words: each bit of the hash must flip half
// the time. Over 1,000 words the share's standard deviation is 0.016; the bound
// is five of them.
func TestHashAvalanche(t *testing.T) {
	const words, bound = 1000, 5 * 0.0158
	for name, hash := range hashes {
		r := rand.New(rand.NewPCG(1, 2))
		for _, n := range []int{1, 4, 8, 9, 16, 17, 24, 40} {
			for range 4 {
				at, bit := r.IntN(n), byte(1)<<r.IntN(8)
				var flips [64]int
				for range words {
					word := randomWord(r, n)
					h := hash(word)
					word[at] ^= bit
					h ^= hash(word)
					for k := range flips {
						flips[k] += int(h >> k & 1)
					}
				}
				for k, f := range flips {
					if share := float64(f) / words; n > 1 && math.Abs(share-0.5) > bound {
						t.Errorf("%s: bit %d of byte %d of %d flips bit %d in %.3f of the words", name, bit, at, n, k, share)
					}
				}
			}
		}
	}
}

func randomWord(r *rand.Rand, n int) []byte {
	word := make([]byte, n)
	for i := range word {
		word[i] = "abcdefghijklmnopqrstuvwxyz0123456789"[r.IntN(36)]
	}
	return word
}

// TestHashSpreads hashes words that resemble one another. Any 16 bits of the
// hashes must fill their 65,536 values evenly: chi-square over its expectation
// has a standard deviation of 0.0055. No two hashes may be equal.
func TestHashSpreads(t *testing.T) {
	families := map[string]func(i int) string{
		"numbers":    func(i int) string { return strconv.Itoa(i) },
		"long names": func(i int) string { return "internalframe" + strconv.Itoa(i) },
		"two words":  func(i int) string { return strconv.Itoa(i%512) + "abcdefgh" + strconv.Itoa(i/512) },
		"base 3":     func(i int) string { return strconv.FormatInt(int64(i)+1<<20, 3) },
		"base 2":     func(i int) string { return strconv.FormatInt(int64(i)+1<<30, 2) },
	}
	const words = 1 << 16
	for name, hash := range hashes {
		for family, word := range families {
			all := make([]uint64, 0, words)
			var counts [4][1 << 16]int32
			for i := range words {
				h := hash([]byte(word(i)))
				all = append(all, h)
				for k := range counts {
					counts[k][h>>(16*k)&0xffff]++
				}
			}
			slices.Sort(all)
			if n := len(slices.Compact(all)); n != words {
				t.Errorf("%s of %s: %d of %d hashes differ", name, family, n, words)
			}
			for k := range counts {
				if ratio := chiSquare(counts[k][:], words); math.Abs(ratio-1) > 5*0.0055 {
					t.Errorf("%s of %s: bits from %d on: chi-square is %.3f of what is expected", name, family, 16*k, ratio)
				}
			}
		}
	}
}

// chiSquare returns the statistic of counts that should be equal, over its
// expectation.
func chiSquare(counts []int32, total int) float64 {
	mean, sum := float64(total)/float64(len(counts)), 0.0
	for _, c := range counts {
		d := float64(c) - mean
		sum += d * d / mean
	}
	return sum / float64(len(counts)-1)
}

// TestBlocks puts words of many lengths at every distance from the border of a
// block, followed by what ends a block early and by what does not.
func TestBlocks(t *testing.T) {
	var seen []string
	p, page := New(Options{OnWord: func(w []byte) { seen = append(seen, string(w)) }}), new(Page)
	long := strings.Repeat("Ab1", 30)
	for before := range blockBytes + 6 {
		for _, n := range []int{1, 8, 9, 16, 17, 31, 62, 63, 64, 65} {
			for _, tail := range []string{" ", ".x", "<b>", "< ", "&amp;", "&amp;x", "&nbsp", "&#8220;&lt;x", "&eacute;", "&thetasym;", "&x", "&",
				"\x00", "é", "é ß", "«x", "’s", "\u00a0\u2014x", "\xff", "\xc2", "\xe2\x80x"} {
				text := strings.Repeat("-", before) + long[:n] + tail + strings.Repeat(" ", 2*blockBytes) + "z"
				seen = seen[:0]
				if err := p.Parse(Input{ContentType: "text/html; charset=utf-8", Body: []byte(text)}, page); err != nil {
					t.Fatal(err)
				}
				want := tokensOf(weburl.URL{}, []byte(text)).words
				if d := firstDiff(seen, want); d != "" {
					t.Fatalf("%q: %s", text, d)
				}
				for i, w := range want {
					if page.Words[i] != HashWord([]byte(w)) {
						t.Fatalf("%q: word %d, %q, has another hash", text, i, w)
					}
				}
				if numerals := numeralsOf(want); !slices.Equal(page.Numerals, numerals) {
					t.Fatalf("%q: numerals at %d, want %d", text, page.Numerals, numerals)
				}
			}
		}
	}
}

// TestWordHashes puts words of every length at every distance from the end of
// the text, where the fast path must give way to the slow one.
func TestWordHashes(t *testing.T) {
	const letters = "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789aBcDeFgHiJkLmNoPqRsTuVwXyZ98765432"
	p, page := New(Options{}), new(Page)
	for n := 1; n <= MaxWordRunes+2; n++ {
		for _, tail := range []string{"", " ", "<", "<b>", " 12345678", "&", "&amp;", "\x00", "é", ".........", "\xff"} {
			word := letters[:n]
			text := " " + word + tail
			if err := p.Parse(Input{ContentType: "text/html; charset=utf-8", Body: []byte(text)}, page); err != nil {
				t.Fatal(err)
			}
			var want []uint64
			if tail == "é" {
				word += tail
			}
			if len([]rune(word)) <= MaxWordRunes {
				want = append(want, HashWord([]byte(strings.ToLower(word))))
			}
			if tail == " 12345678" {
				want = append(want, HashWord([]byte("12345678")))
			}
			if len(page.Words) != len(want) || len(want) > 0 && page.Words[0] != want[0] || len(want) > 1 && page.Words[1] != want[1] {
				t.Fatalf("%q: %x, want %x", text, page.Words, want)
			}
		}
	}
}

func TestFoldIsUnicode(t *testing.T) {
	table := wordRunes
	for r := rune(0); r <= unicode.MaxRune; r++ {
		want := rune(0)
		if unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) {
			want = unicode.ToLower(r)
		}
		if got := table.fold(r); got != want {
			t.Errorf("%U: %U, want %U", r, got, want)
		}
	}
}

func TestSWAR(t *testing.T) {
	for c := range 256 {
		for at := range 8 {
			b := []byte("aZ09zA19")
			b[at] = byte(c)
			want := uint64(0)
			for i, x := range b {
				if !(x >= '0' && x <= '9' || x >= 'a' && x <= 'z' || x >= 'A' && x <= 'Z') {
					want |= 0x80 << (8 * i)
				}
			}
			if got := notWord(load8(b, 0)); got != want {
				t.Errorf("notWord(%q) = %x, want %x", b, got, want)
			}
			if got := inWord(load8(b, 0)); got != want^highs {
				t.Errorf("inWord(%q) = %x, want %x", b, got, want^highs)
			}
			look := uint64(0)
			if c >= 0x80 || c == '<' || c == '&' || c == 0 {
				look = 0x80 << (8 * at)
			}
			if got := unusual(load8(b, 0)); got != look {
				t.Errorf("unusual(%q) = %x, want %x", b, got, look)
			}
			if got := packBits(0x80 << (8 * at)); got != 1<<at {
				t.Errorf("packBits of byte %d = %x", at, got)
			}
			if got, want := isPlain(b), c < 0x80 && c != '&' && c != 0; got != want {
				t.Errorf("isPlain(%q) = %t", b, got)
			}
			if got, want := isPlain(append(b, 'x', 'y')[at:]), c < 0x80 && c != '&' && c != 0; got != want {
				t.Errorf("isPlain(%q) = %t", append(b, 'x', 'y')[at:], got)
			}
			if got, want := isASCII(bytes.Repeat(b, 5)), c < 0x80; got != want {
				t.Errorf("isASCII(%q...) = %t", b, got)
			}
		}
	}
}
