package shell

import "testing"

func TestQuoted(t *testing.T) {
	for path, want := range map[string]string{
		"out": "out", "/a/b-c_d.e": "/a/b-c_d.e", "my crawl": "'my crawl'", "it's": `'it'\''s'`, "": "''", "a$b": "'a$b'",
		"-o": "'./-o'", "é": "'é'", "~x": "'~x'",
	} {
		if got := Quoted(path); got != want {
			t.Errorf("%q is quoted %s, want %s", path, got, want)
		}
	}
}

func TestCommas(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -100: "-100"} {
		if got := Commas(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
