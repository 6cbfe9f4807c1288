package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A module that is right on Linux, and what is wrong with it elsewhere.
var module = map[string]string{
	"go.mod":              "module m\n\ngo 1.26\n",
	"m.go":                "package m\n\nimport \"fmt\"\n\nfunc F() { fmt.Println(g()) }\n",
	"m_linux.go":          "package m\n\nfunc g() int { return 1 }\n",
	"m_darwin.go":         "package m\n\nfunc g() int { return 1 }\n",
	"m_freebsd.go":        "package m\n\nimport \"fmt\"\n\nfunc g() string { return fmt.Sprintf(\"%d\", \"x\") }\n",
	"m_windows.go":        "package m\n\nfunc g() int { return \"x\" }\n",
	"m_arm64.go":          "package m\n\nvar fits int32 = 1 << 31\n",
	"x_test.go":           "package m\n\nvar tested = F\n",
	"x_darwin_test.go":    "package m\n\nvar again = nothing\n",
	"outside_test.go":     "package m_test\n\nimport \"m\"\n\nvar seen = m.F\n",
	"sub/sub.go":          "package sub\n\nimport \"fmt\"\n\nfunc Logf(format string, args ...any) { fmt.Printf(format, args...) }\n",
	"log_other.go":        "//go:build netbsd\n\npackage m\n\nimport \"m/sub\"\n\nfunc g() int { sub.Logf(\"%d\", \"x\"); return 1 }\n",
	"syntax_dragonfly.go": "package m\n\nfunc g() int { return 1\n",
}

// written writes files into a new folder.
func written(t *testing.T, files map[string]string) (tree string) {
	t.Helper()
	tree = t.TempDir()
	for name, text := range files {
		name = filepath.Join(tree, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return tree
}

func TestWhatIsWrongElsewhereIsReported(t *testing.T) {
	tree := written(t, module)
	c, err := newChecker(tree)
	if err != nil {
		t.Fatal(err)
	}
	for platform, want := range map[string][]string{
		"linux/amd64":     {},
		"windows/amd64":   {"m_windows.go:3:23: cannot use \"x\""},
		"darwin/amd64":    {"x_darwin_test.go:3:13: undefined: nothing"},
		"freebsd/amd64":   {"m_freebsd.go:5:39: fmt.Sprintf format %d has arg \"x\" of wrong type string (printf)"},
		"netbsd/amd64":    {"log_other.go:7:26: m/sub.Logf format %d has arg \"x\" of wrong type string (printf)"},
		"linux/arm64":     {"m_arm64.go:3:18: cannot use 1 << 31"},
		"openbsd/amd64":   {"m.go:5:24: undefined: g"},
		"dragonfly/amd64": {"syntax_dragonfly.go:3:25: expected '}'"},
	} {
		got, err := c.check(t.Context(), platform)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.troubles) != len(want) {
			t.Errorf("%s: %d reports %q, want %q", platform, len(got.troubles), got.troubles, want)
			continue
		}
		for i, line := range got.troubles {
			if !strings.HasPrefix(line, want[i]) {
				t.Errorf("%s: %s, want %s", platform, line, want[i])
			}
		}
	}
}

// Platforms with the same files of the module are vetted once, other ones again.
func TestSameFilesAreVettedOnce(t *testing.T) {
	const wrong = "package m\n\nimport \"fmt\"\n\nfunc F() string { return fmt.Sprintf(\"%d\", \"x\") }\n"
	tree := written(t, map[string]string{"go.mod": "module m\n\ngo 1.26\n", "m.go": wrong, "m_windows.go": "package m\n"})
	c, err := newChecker(tree)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []struct {
		name    string
		reports int
	}{{"linux/amd64", 1}, {"linux/arm64", 0}, {"windows/amd64", 1}, {"linux/386", 1}} {
		if got, err := c.check(t.Context(), p.name); err != nil || len(got.troubles) != p.reports {
			t.Errorf("%s: %q, %v, want %d", p.name, got.troubles, err, p.reports)
		}
	}
}

// With cgo other modules' files that import C are there, too; what they have of C is not looked at.
func TestCgo(t *testing.T) {
	tree := written(t, map[string]string{
		"go.mod":   "module m\n\ngo 1.26\n\nrequire d v0.0.0\n\nreplace d => ./d\n",
		"m.go":     "package m\n\nimport \"d\"\n\nfunc F() { d.F(\"x\"); d.G() }\n",
		"d/go.mod": "module d\n\ngo 1.26\n",
		"d/c.go":   "package d\n\n// typedef int number;\nimport \"C\"\n\nfunc F(n int) C.number { return C.number(n) }\n",
		"d/d.go":   "package d\n\nfunc G() {}\n",
	})
	c, err := newChecker(tree)
	if err != nil {
		t.Fatal(err)
	}
	for cgo, want := range map[bool]string{false: "m.go:5:14: undefined: d.F", true: "m.go:5:16: cannot use \"x\""} {
		c.cgo = cgo
		got, err := c.check(t.Context(), "linux/amd64")
		if err != nil || len(got.troubles) != 1 || !strings.HasPrefix(got.troubles[0], want) {
			t.Errorf("cgo %v: %q, %v, want %s", cgo, got.troubles, err, want)
		}
	}
	c.tree, c.cgo = filepath.Join(tree, "d"), true
	if _, err := c.check(t.Context(), "linux/amd64"); err == nil || !strings.Contains(err.Error(), "imports C") {
		t.Errorf("a module that imports C itself: %v", err)
	}
}

func TestNoPlatform(t *testing.T) {
	c, err := newChecker(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "linux", "linux/z80", "plan10/amd64"} {
		if _, err := c.check(t.Context(), name); err == nil {
			t.Errorf("%q is a platform", name)
		}
	}
}
