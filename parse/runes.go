package parse

import (
	"unicode"
	"unicode/utf8"
)

// runeTable answers "is it part of a word, and what is its lower case" for the
// runes of the basic plane without a search through Unicode's range tables.
type runeTable struct {
	low [0x800]uint16 // lower case of the runes of one or two bytes, 0: no word
	bmp [0x10000 / 64]uint64
}

// wordRunes is a constant: nobody writes to it once it is made.
var wordRunes = newRuneTable()

func newRuneTable() *runeTable {
	t := new(runeTable)
	for _, set := range []*unicode.RangeTable{unicode.L, unicode.M, unicode.Nd} {
		for _, span := range set.R16 {
			for r := rune(span.Lo); r <= rune(span.Hi); r += rune(span.Stride) {
				t.bmp[r>>6] |= 1 << (r & 63)
			}
		}
	}
	for r := range rune(len(t.low)) {
		if t.has(r) {
			t.low[r] = uint16(unicode.ToLower(r))
		}
	}
	return t
}

func (t *runeTable) has(r rune) bool { return t.bmp[r>>6]>>(r&63)&1 != 0 }

// fold returns the lower case of a rune that belongs to words, else 0.
func (t *runeTable) fold(r rune) rune {
	switch {
	case uint32(r) < uint32(len(t.low)):
		return rune(t.low[r])
	case r < 0x10000:
		if !t.has(r) {
			return 0
		}
		if caseless(r) {
			return r
		}
	case !unicode.In(r, unicode.L, unicode.M, unicode.Nd):
		return 0
	}
	return unicode.ToLower(r)
}

// next reads a rune of a word from the front of s and returns its lower case
// and its length in s; the length is 0 if s begins otherwise. The short cases
// are UTF-8 of two and three bytes, spelled out.
func (t *runeTable) next(s []byte) (low rune, n int) {
	c := s[0]
	if c < utf8.RuneSelf {
		if !alnum[c] {
			return 0, 0
		}
		return rune(lowerByte(c)), 1
	}
	if 0xc2 <= c && c < 0xe0 && len(s) >= 2 && s[1]&0xc0 == 0x80 {
		low = rune(t.low[rune(c&0x1f)<<6|rune(s[1]&0x3f)])
		n = 2
	} else {
		low, n = utf8.DecodeRune(s)
		low = t.fold(low)
	}
	if low == 0 {
		return 0, 0
	}
	return low, n
}

// caseless reports whether r, from 0x800 to 0xffff, lies in one of the large
// blocks without capital letters: the scripts of South and East Asia.
func caseless(r rune) bool {
	return r < 0x10a0 || 0x3000 <= r && r < 0xa640 || 0xac00 <= r && r < 0xff00
}

// lowerByte lower-cases an ASCII letter and leaves other bytes alone.
func lowerByte(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// appendLower appends s with its ASCII letters in lower case.
func appendLower(dst, s []byte) []byte {
	for _, c := range s {
		dst = append(dst, lowerByte(c))
	}
	return dst
}

// isSpace reports whether c is white space to HTML.
func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'
}

// isLetter reports whether c is an ASCII letter.
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// isAlnum reports whether c is an ASCII letter or digit.
func isAlnum(c byte) bool { return alnum[c] }

// appendRune appends r as UTF-8.
func appendRune(dst []byte, r rune) []byte {
	switch {
	case uint32(r) < utf8.RuneSelf:
		return append(dst, byte(r))
	case uint32(r) < 0x800:
		return append(dst, 0xc0|byte(r>>6), 0x80|byte(r&0x3f))
	}
	return utf8.AppendRune(dst, r)
}
