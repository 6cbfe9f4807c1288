package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable returns text as a terminal may be given it: what is neither a character with
// a shape of its own nor a space stands as \uXXXX, so that escape sequences, bidirectional
// overrides, zero-width characters and the controls of C0 and C1 are seen and not obeyed.
// A code point beyond U+FFFF takes two of these, as in JSON; a byte that is no UTF-8 becomes
// U+FFFD. Line ends stay. Inside a JSON string \uXXXX is the same character, so JSON means
// what it meant.
//
// Everything that came from the web passes here on its way to a terminal, a log or a file
// of records. Text of plain ASCII is returned as it is, without an allocation.
func Printable(text string) string {
	if plainASCII(text) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n' || unicode.IsPrint(r) || unicode.Is(unicode.Zs, r):
			b.WriteRune(r)
		case r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// OneLine is Printable for what must not begin a line of its own: runs of white space
// become a space. What is longer than limit bytes is cut and ends in "...".
func OneLine(text string, limit int) string {
	if len(text) > limit {
		text = cutText(text, limit) + "..."
	}
	return Printable(strings.Join(strings.Fields(text), " "))
}

// cutText cuts text to at most the given bytes, between two characters.
func cutText(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// plainASCII reports whether text has nothing but ASCII's printable characters and line
// ends.
func plainASCII(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < ' ' || c > '~') && c != '\n' {
			return false
		}
	}
	return true
}
