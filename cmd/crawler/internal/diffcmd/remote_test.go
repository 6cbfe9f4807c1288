package diffcmd

import (
	"strings"
	"testing"
)

func TestParsePlace(t *testing.T) {
	for name, want := range map[string]place{
		"dir":                {"", "dir"},
		"./a:b":              {"", "./a:b"},
		"/srv/a:b":           {"", "/srv/a:b"},
		"a/b:c":              {"", "a/b:c"},
		`a\b:c`:              {"", `a\b:c`},
		`C:\crawls\x`:        {"", `C:\crawls\x`},
		`z:\`:                {"", `z:\`},
		"host:dir":           {"host", "dir"},
		"host:/srv/x":        {"host", "/srv/x"},
		"host:a:b":           {"host", "a:b"},
		"user@host:dir":      {"user@host", "dir"},
		"host:it's; rm -r x": {"host", "it's; rm -r x"},
		"host:-x":            {"host", "-x"},
		"host:C:\\x":         {"host", "C:\\x"},
		"[::1]:dir":          {"::1", "dir"},
		"me@[fe80::1%e]:/x":  {"me@fe80::1%e", "/x"},
		"xn--bcher-kva.de:d": {"xn--bcher-kva.de", "d"},
		"dir with space":     {"", "dir with space"},
	} {
		if got, err := parsePlace(name); err != nil || got != want {
			t.Errorf("%q is %+v, %v; want %+v", name, got, err, want)
		}
	}
	for name, why := range map[string]string{
		"":                    "empty",
		":dir":                "no host",
		"user@:dir":           "no host",
		"host:":               "no directory",
		"-host:dir":           "begins with a -",
		"-oProxyCommand=x:d":  "begins with a -",
		"me@-oProxyCommand:d": "begins with a -",
		"[-x]:dir":            "begins with a -",
		"-me@host:dir":        "begins with a -",
		"a b:dir":             "space",
		"a\nb:dir":            "control",
		"a\x1bb:dir":          "control",
		"host:a\x00b":         "byte 0",
	} {
		if got, err := parsePlace(name); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q is %+v, %v; want %q", name, got, err, why)
		}
	}
}

func TestIsDrive(t *testing.T) {
	for _, c := range []struct {
		name, system string
		want         bool
	}{
		{`c:\x`, "linux", true}, {"c:/x", "linux", false}, {"c:/x", "windows", true}, {"c:x", "windows", true}, {"cc:/x", "windows", false}, {"1:x", "windows", false}, {"c:", "linux", false},
	} {
		if got := isDrive(c.name, c.system); got != c.want {
			t.Errorf("%q on %s: %t", c.name, c.system, got)
		}
	}
}

// The end of what is said is kept.
func TestTail(t *testing.T) {
	var b tail
	for range 100 {
		b.Write([]byte(strings.Repeat("x", 99) + "\n"))
	}
	b.Write([]byte("the end"))
	if s := b.String(); len(s) != keptWords || !strings.HasSuffix(s, "the end") {
		t.Errorf("%d bytes, %q at the end", len(s), s[len(s)-10:])
	}
}
