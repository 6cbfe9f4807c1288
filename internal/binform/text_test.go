package binform

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	long := strings.Repeat("x", 300)
	b := AppendText(AppendText([]byte("before"), "a\x00b"), []byte(long))
	b = AppendText(b, "")
	want := "before" + "\x03a\x00b" + "\xac\x02" + long + "\x00"
	if string(b) != want {
		t.Fatalf("%q, want %q", b, want)
	}
	rest, ok := b[len("before"):], false
	for _, want := range []string{"a\x00b", long, ""} {
		var text []byte
		if text, rest, ok = CutText(rest); !ok || string(text) != want {
			t.Fatalf("%q, %t, want %q", text, ok, want)
		}
		if len(text) < cap(text) {
			t.Errorf("to append to %.5q would overwrite what follows", text)
		}
	}
	if len(rest) != 0 {
		t.Errorf("%q is left", rest)
	}
}

// A length that the rest cannot fill is refused before anything is made of it.
func TestCutTextRefuses(t *testing.T) {
	for what, b := range map[string][]byte{
		"nothing":              nil,
		"half a length":        {0x80},
		"a length of 11 bytes": bytes.Repeat([]byte{0x80}, 11),
		"a byte too few":       []byte("\x03ab"),
		"2^63 - 1 bytes":       binary.AppendUvarint(nil, math.MaxInt64),
		"2^64 - 1 bytes":       append(binary.AppendUvarint(nil, math.MaxUint64), "abc"...),
	} {
		if text, rest, ok := CutText(b); ok || text != nil || rest != nil {
			t.Errorf("%s: %q, %q, %t", what, text, rest, ok)
		}
	}
}
