package parse

import (
	"bytes"
	"strings"
	"testing"
	"unicode"

	"github.com/cespare/xxhash/v2"
)

func TestHashIsXXHash(t *testing.T) {
	b := make([]byte, 300)
	for i := range b {
		b[i] = byte(i*7 + i>>3)
	}
	for n := range b {
		if got, want := hashBytes(b[:n]), xxhash.Sum64(b[:n]); got != want {
			t.Errorf("%d bytes: %x, want %x", n, got, want)
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
				want = append(want, xxhash.Sum64String(strings.ToLower(word)))
			}
			if tail == " 12345678" {
				want = append(want, xxhash.Sum64String("12345678"))
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
			want := 0
			for i, x := range b {
				if !(x >= '0' && x <= '9' || x >= 'a' && x <= 'z' || x >= 'A' && x <= 'Z') {
					want |= 0x80 << (8 * i)
				}
			}
			if got := notWord(load8(b, 0)); got != uint64(want) {
				t.Errorf("notWord(%q) = %x, want %x", b, got, want)
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
