package crawltest

import (
	"bytes"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Poison is what a terminal, a log or a table might obey: escape sequences, the controls
// of C0 and C1, both ways to write CSI, line separators, bidirectional overrides,
// zero-width characters, invalid UTF-8, a formula, and a forged log line.
const Poison = "\x1b[2J\x1b]0;owned\x07\x9b31m\u009b31m\u2028\u2029\u202e\u2066\u200b\ufeff\x7f\x08\xff\xc3 =cmd|' /C calc'!A0 level=ERROR msg=forged"

// CheckHarmless finds what a terminal might obey.
func CheckHarmless(t *testing.T, where string, data []byte) {
	t.Helper()
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 || r != '\n' && !unicode.IsPrint(r) && !unicode.Is(unicode.Zs, r) {
			t.Errorf("%s: byte %d is %#x: %q", where, i, data[i], data[max(0, i-40):min(len(data), i+40)])
			return
		}
		i += n
	}
	for line := range bytes.Lines(data) {
		if bytes.HasPrefix(line, []byte("level=ERROR")) {
			t.Errorf("%s: a forged line: %q", where, line)
		}
	}
}
