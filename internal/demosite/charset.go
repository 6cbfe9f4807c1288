package demosite

import (
	"fmt"
	"strings"
)

// windows1252 holds the characters of the bytes 0x80 to 0x9f; control
// characters stand where that code page has none.
const windows1252 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ"

const byteOrderMark = "\ufeff"

// encoding turns a finished HTML document into the bytes on the wire.
type encoding func(document string) []byte

func encodeUTF8(document string) []byte { return []byte(document) }

func encodeBOM(document string) []byte { return []byte(byteOrderMark + document) }

func encodeLatin1(document string) []byte { return encodeByte(document, "") }

func encodeWindows1252(document string) []byte { return encodeByte(document, windows1252) }

// encodeByte writes one byte a character. high holds the characters of the
// bytes from 0x80; what has no byte becomes a character reference, as browsers
// do it in forms.
func encodeByte(document, high string) []byte {
	codes := map[rune]byte{}
	for i, r := range []rune(high) {
		codes[r] = byte(0x80 + i)
	}
	var out []byte
	for _, r := range document {
		code, known := codes[r]
		switch {
		case r < 0x80, r >= 0xa0 && r <= 0xff:
			out = append(out, byte(r))
		case known:
			out = append(out, code)
		default:
			out = fmt.Appendf(out, "&#x%x;", r)
		}
	}
	return out
}

// references writes every character beyond ASCII as a reference, by name where
// HTML has a well-known one.
func references(escaped string) string {
	names := map[rune]string{
		'\u00a0': "nbsp", '©': "copy", '–': "ndash", '“': "ldquo", '”': "rdquo",
		'ö': "ouml", 'ç': "ccedil", 'ï': "iuml", 'ñ': "ntilde", 'å': "aring", 'ø': "oslash",
	}
	var b strings.Builder
	for _, r := range escaped {
		name, known := names[r]
		switch {
		case r < 0x80:
			b.WriteRune(r)
		case known:
			b.WriteString("&" + name + ";")
		default:
			fmt.Fprintf(&b, "&#%d;", r)
		}
	}
	return b.String()
}
