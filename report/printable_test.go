package report

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"crawler/gate"
	"crawler/store"
)

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"plain ~ text\n":             "plain ~ text\n",
		"Übung 日本　語 é":               "Übung 日本　語 é",
		"a\x1b[2Jb\x07":              `a\u001b[2Jb\u0007`,
		"C1 \u009b31m, DEL \x7f":     `C1 \u009b31m, DEL \u007f`,
		"raw C1 \x9b":                "raw C1 \ufffd",
		"moc.\u202eexe\u2066":        `moc.\u202eexe\u2066`,
		"zero\u200bwidth\ufeff":      `zero\u200bwidth\ufeff`,
		"\u2028\u2029\u0085\r\t\x00": `\u2028\u2029\u0085\u000d\u0009\u0000`,
		"tag \U000e0041":             `tag \udb40\udc41`,
	} {
		if got := Printable(text); got != want {
			t.Errorf("%+q: %s, want %s", text, got, want)
		}
	}
}

// Escaped JSON is the same JSON.
func FuzzPrintableJSON(f *testing.F) {
	f.Add("a\x1b[2J\u009b\u202e\U000e0041\xff\n\"\\")
	f.Fuzz(func(t *testing.T, text string) {
		line := Printable(string(plainJSON(text)))
		var got string
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if want := string([]rune(text)); got != want {
			t.Errorf("%q became %q", want, got)
		}
		for _, r := range line {
			if !unicode.IsPrint(r) && !unicode.Is(unicode.Zs, r) {
				t.Errorf("%q of %q is left in %q", r, text, line)
			}
		}
	})
}

func TestOneLine(t *testing.T) {
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{
		{"a\r\nlevel=ERROR\tforged", 50, "a level=ERROR forged"},
		{"long text", 4, "long..."},
		{"ééé", 3, "é..."},
		{"\x1b]0;title\x07", 50, `\u001b]0;title\u0007`},
	} {
		if got := OneLine(c.text, c.limit); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// poison is what a terminal might obey.
const poison = "\x1b[2J\u009b31m\u202e\u200b\x9b\r\nlevel=ERROR"

// Whatever gets into a report or a record, nothing of it is obeyed by a terminal, and
// JSON says the same as before.
func TestHostileRecords(t *testing.T) {
	r := &Report{Version: poison, EndedBy: poison, Sites: []Site{{Site: poison, Flags: []string{poison}}}}
	r.Pages.ByType = map[string]int{poison: 1}
	r.Pages.Broken = []Broken{{URL: poison, Via: poison, Status: 404}}
	r.Errors, r.Skipped = map[string]int{poison: 1}, map[string]int{poison: 2}
	harmless(t, "report.txt", r.Text())
	data, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	harmless(t, "report.json", string(data))
	var back Report
	if err := json.Unmarshal(data, &back); err != nil || back.Version != string([]rune(poison)) {
		t.Errorf("report.json has the version %q, %v", back.Version, err)
	}

	story := Story{URL: poison, Pages: []PageRecord{{Title: poison, ContentType: poison, Error: poison, Via: poison, Protocol: poison, Server: poison, ETag: poison, Modified: poison}},
		Refusals: []gate.Skip{{Detail: poison, Via: poison}}, SameText: []string{poison}}
	harmless(t, "why", story.Text())

	dir, err := store.Create(store.Disk(), filepath.Join(t.TempDir(), "crawl"), store.Meta{}, false)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := NewRecorder(Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := rec.Skip(gate.Skip{URL: "http://a.example/", Reason: "reset", Detail: poison}); err != nil {
		t.Fatal(err)
	}
	v := visit(t, "http://a.example/", 200)
	v.Server, v.ETag, v.LastModified = poison, poison, poison
	if err := rec.Page(v); err != nil {
		t.Fatal(err)
	}
	if err := dir.Close(); err != nil {
		t.Fatal(err)
	}
	line, err := os.ReadFile(filepath.Join(dir.Path(), SkippedFile))
	if err != nil {
		t.Fatal(err)
	}
	harmless(t, SkippedFile, string(line))
	var skip gate.Skip
	if err := json.Unmarshal(line, &skip); err != nil || skip.Detail != string([]rune(poison)) || strings.Count(string(line), "\n") != 1 {
		t.Errorf("%s has %q, %v", SkippedFile, line, err)
	}
	if line, err = os.ReadFile(filepath.Join(dir.Path(), PagesFile)); err != nil {
		t.Fatal(err)
	}
	harmless(t, PagesFile, string(line))
	var page PageRecord
	clean := string([]rune(poison))
	if err := json.Unmarshal(line, &page); err != nil || page.Server != clean || page.ETag != clean || page.Modified != clean || strings.Count(string(line), "\n") != 1 {
		t.Errorf("%s has %q, %v", PagesFile, line, err)
	}
}

func harmless(t *testing.T, where, text string) {
	t.Helper()
	for _, r := range text {
		if r != '\n' && !unicode.IsPrint(r) && !unicode.Is(unicode.Zs, r) {
			t.Errorf("%s: %q in %.200q", where, r, text)
			return
		}
	}
}
