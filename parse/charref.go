package parse

import (
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/text/encoding/unicode"
)

// maxRefName bounds the name of a character reference; the longest that exists
// ("CounterClockwiseContourIntegral;") has 32 bytes.
const maxRefName = 32

// maxBareName is the length of the longest name that needs no semicolon.
const maxBareName = len("Ccedil")

// charRef reads the character reference at b[i], an '&', and returns what it
// stands for and the index behind it. Some references stand for two runes;
// r2 is 0 for all others. What only looks like a reference is ('&', 0, i+1).
// In attribute values "&copy=1" and "&copyright" are no references, so that
// links written with a bare "&" survive.
func charRef(b []byte, i, end int, attr bool) (r1, r2 rune, next int) {
	j := i + 1
	if j+8 <= end {
		if ref := shortRef(load8(b, j)); ref != nil {
			return ref.r, 0, j + int(ref.size)
		}
	}
	if j < end && b[j] == '#' {
		r, next := numericRef(b, j+1, end)
		if next == 0 {
			return '&', 0, i + 1
		}
		return r, 0, next
	}
	for j < end && j-i <= maxRefName && isAlnum(b[j]) {
		j++
	}
	name := b[i+1 : j]
	if j < end && b[j] == ';' {
		if len(name) <= 8 {
			if r := namedRefs.find(packRef(name)).r; r != 0 {
				return r, 0, j + 1
			}
		}
		if r1, r2 := rareRef(name); r1 != 0 {
			return r1, r2, j + 1
		}
	}
	if attr {
		bare := bareRefs[string(name)]
		if bare == 0 || j < end && (b[j] == '=' || isAlnum(b[j])) {
			return '&', 0, i + 1
		}
		return bare, 0, j
	}
	for n := min(len(name), maxBareName); n >= 2; n-- {
		if r := bareRefs[string(name[:n])]; r != 0 {
			return r, 0, i + 1 + n
		}
	}
	return '&', 0, i + 1
}

// rareRef looks up a name that needs its semicolon in the full table, which
// the HTML library keeps to itself: by having it unescape the reference.
func rareRef(name []byte) (r1, r2 rune) {
	if len(name) < 2 {
		return 0, 0
	}
	ref := "&" + string(name) + ";"
	s := html.UnescapeString(ref)
	if s == ref || s[len(s)-1] == ';' && len(s) > 1 {
		return 0, 0 // unknown, or only the beginning is a name
	}
	r1, n := utf8.DecodeRuneInString(s)
	if n < len(s) {
		r2, _ = utf8.DecodeRuneInString(s[n:])
	}
	return r1, r2
}

// numericRef reads the digits of a numeric reference from b[i], behind "&#".
// It returns next = 0 when there are none.
func numericRef(b []byte, i, end int) (r rune, next int) {
	base := rune(10)
	if i < end && b[i]|0x20 == 'x' {
		base = 16
		i++
	}
	first := i
	for ; i < end; i++ {
		d := digitValue(b[i])
		if d >= base {
			break
		}
		if r <= utf8.MaxRune {
			r = r*base + d
		}
	}
	if i == first {
		return 0, 0
	}
	if i < end && b[i] == ';' {
		i++
	}
	return fixRune(r), i
}

func digitValue(c byte) rune {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return rune(c|0x20-'a') + 10
	}
	return 16
}

// fixRune applies the standard's repairs to a numeric reference: 0x80 to 0x9f
// are meant in Windows-1252, and what is no character becomes U+FFFD.
func fixRune(r rune) rune {
	switch {
	case 0x80 <= r && r <= 0x9f:
		return windows1252[r-0x80]
	case r == 0, 0xd800 <= r && r <= 0xdfff, r > utf8.MaxRune:
		return utf8.RuneError
	}
	return r
}

// appendDecoded appends the text of raw, an attribute value or a stretch of
// RCDATA: references decoded, NULs and invalid UTF-8 replaced by U+FFFD.
func appendDecoded(dst, raw []byte, attr bool) []byte {
	start := len(dst)
	for i := 0; i < len(raw); {
		switch c := raw[i]; c {
		case '&':
			r1, r2, next := charRef(raw, i, len(raw), attr)
			dst = appendRune(dst, r1)
			if r2 != 0 {
				dst = appendRune(dst, r2)
			}
			i = next
		case 0:
			dst = appendRune(dst, utf8.RuneError)
			i++
		default:
			dst = append(dst, c)
			i++
		}
	}
	if utf8.Valid(dst[start:]) {
		return dst
	}
	// The decoder replaces by the encoding standard's rule (one U+FFFD for a
	// truncated sequence), which bytes.ToValidUTF8 does not.
	valid, err := unicode.UTF8.NewDecoder().Bytes(dst[start:])
	if err != nil {
		return dst[:start]
	}
	return append(dst[:start], valid...)
}
