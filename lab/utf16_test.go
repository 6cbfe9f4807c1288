package lab

import "testing"

// A text in UTF-16 has bytes of zero, but is no binary file: its byte-order mark says so.
func TestUTF16(t *testing.T) {
	for text, want := range map[string]bool{
		"\xff\xfea\x00": true, "\xfe\xff\x00a": true,
		"a\x00": false, "\xff\xff": false, "\xfe": false, "": false, "a\xff\xfe": false,
	} {
		if got := utf16([]byte(text)); got != want {
			t.Errorf("%q is UTF-16: %v", text, got)
		}
	}
}
