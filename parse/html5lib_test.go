package parse

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// html5libEnv names a checkout of html5lib-tests (github.com/html5lib), the
// tokenizer tests that browsers' parsers are held against.
const html5libEnv = "CRAWLER_HTML5LIB_TESTS"

// tokenTest is one test: what the tokenizer makes of the input in each of the
// states. States that a tag in front of the input leads to are tested here.
type tokenTest struct {
	Description   string
	Input         string
	Output        []json.RawMessage
	InitialStates []string
	LastStartTag  string
	DoubleEscaped bool
}

// opener returns the tags that lead to a state, and false if none do.
func (c tokenTest) opener(state string) (string, bool) {
	last := c.LastStartTag
	switch state {
	case "Data state":
		return "", true
	case "PLAINTEXT state":
		return "<plaintext>", true
	case "CDATA section state":
		return "<svg><![CDATA[", true
	case "RCDATA state":
		return "<" + last + ">", last == "title" || last == "textarea"
	case "RAWTEXT state":
		return "<" + last + ">", last == "style" || last == "xmp"
	case "Script data state":
		return "<script>", last == "script" || last == ""
	}
	return "", false
}

// expectation is what follows from the tokens: each run of characters is a
// text, and each <a href> (the tests' "<h a=") a link.
type expectation struct {
	texts []string
	hrefs []string
	other bool // there are tags behind which the parser reads on differently
}

func (c tokenTest) expect(t *testing.T, unescape func(string) string) (e expectation) {
	text := ""
	flush := func() {
		if text != "" {
			e.texts = append(e.texts, text)
		}
		text = ""
	}
	for _, raw := range c.Output {
		var tok []any
		if err := json.Unmarshal(raw, &tok); err != nil {
			t.Fatalf("%s: %v", c.Description, err)
		}
		if tok[0] == "Character" {
			text += unescape(tok[1].(string))
			continue
		}
		flush()
		if tok[0] != "StartTag" {
			continue
		}
		name := tok[1].(string)
		e.other = e.other || name == "svg" || name == "math" || name == "template" || name == "noscript" || name == "plaintext" || slices.Contains(rawNames[:], name)
		attrs := tok[2].(map[string]any)
		if v, ok := attrs["a"]; ok && name == "h" {
			e.hrefs = append(e.hrefs, unescape(v.(string)))
		}
	}
	flush()
	return e
}

func TestHTML5LibTokenizer(t *testing.T) {
	dir := os.Getenv(html5libEnv)
	if dir == "" {
		t.Skip("set " + html5libEnv + " to a checkout of html5lib-tests")
	}
	paths, err := filepath.Glob(filepath.Join(dir, "tokenizer", "*.test"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no tests in %s: %v", dir, err)
	}
	ran, skipped, links := 0, 0, 0
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var file struct{ Tests, XMLViolationTests []tokenTest }
		if err := json.Unmarshal(data, &file); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, c := range file.Tests {
			if len(c.InitialStates) == 0 {
				c.InitialStates = []string{"Data state"}
			}
			for _, state := range c.InitialStates {
				n, ok := c.run(t, filepath.Base(path), state)
				if !ok {
					skipped++
					continue
				}
				ran++
				links += n
			}
		}
		skipped += len(file.XMLViolationTests)
	}
	t.Logf("%d ran, with %d links; %d are about other things", ran, links, skipped)
	if ran < 5000 || links < 20 {
		t.Errorf("only %d ran, with %d links", ran, links)
	}
}

// run tries one test in one state and returns how many links it had.
func (c tokenTest) run(t *testing.T, file, state string) (links int, ok bool) {
	opener, ok := c.opener(state)
	unescape := func(s string) string { return s }
	if c.DoubleEscaped {
		unescape = func(s string) string { return unescapeUnicode(t, s) }
	}
	e := c.expect(t, unescape)
	input := unescape(c.Input)
	if !ok || e.other || !utf8.ValidString(input) || strings.Contains(input, "\ufeff") {
		return 0, false
	}
	if strings.Contains(input, "</>") {
		return 0, false // ends a word here, as in goquery; to the standard it is nothing
	}
	if state == "Data state" && len(e.texts) == 1 && !strings.ContainsAny(input, "<\x00\r") {
		if got := string(appendDecoded(nil, []byte(input), false)); got != e.texts[0] {
			t.Errorf("%s: %s: %q decodes to %q, want %q", file, c.Description, input, got, e.texts[0])
		}
	}
	input = strings.ReplaceAll(input, "<h a", "<a href")
	var want, got []string
	for _, text := range e.texts {
		if state == "Data state" {
			text = strings.ReplaceAll(text, "\x00", "") // as tree construction does
		}
		want = append(want, splitWords(text)...)
	}
	hidden := state == "Script data state" || opener == "<style>"
	if hidden && len(e.texts) > 0 {
		want = nil // what follows the end tag is no text in these tests
		if len(c.Output) > 1 && len(e.texts) > 1 {
			return 0, false
		}
	}
	page := parsePage(t, Options{OnWord: func(w []byte) { got = append(got, string(w)) }}, "text/html; charset=utf-8", opener+input)
	if d := firstDiff(got, want); d != "" {
		t.Errorf("%s: %s, %s: %q: words %s", file, c.Description, state, opener+input, d)
	}
	if state == "Data state" && strings.Contains(c.Input, "<h a") {
		c.compareLinks(t, input, page, e.hrefs)
		return len(page.Links), true
	}
	return 0, true
}

func (c tokenTest) compareLinks(t *testing.T, input string, page *Page, hrefs []string) {
	var got, want []string
	for _, l := range page.Links {
		got = append(got, l.URL.String())
	}
	base := mustURL(t, "http://h.example/p/q.html")
	bad := 0
	for _, href := range hrefs {
		u, err := base.Resolve(href)
		if err != nil {
			bad++
			continue
		}
		want = append(want, u.String())
	}
	if d := firstDiff(got, want); d != "" || bad != page.BadLinks {
		t.Errorf("%s: %q: links %s; %d bad, want %d", c.Description, input, d, page.BadLinks, bad)
	}
}

// unescapeUnicode replaces \uXXXX, pairs of surrogates included.
func unescapeUnicode(t *testing.T, s string) string {
	var b bytes.Buffer
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"':
			b.WriteString(`\"`)
		case r < ' ':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	var out string
	if err := json.Unmarshal(b.Bytes(), &out); err != nil {
		t.Fatalf("%s: %v", strconv.Quote(s), err)
	}
	return out
}
