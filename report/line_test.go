package report

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"crawler/parse"
)

// Every line is what encoding/json makes of the record, to the byte.
func TestLineIsJSON(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	texts := []string{"", "plain", `"quoted" \ back`, "a&b <c>", "Übung", "line\nend\x00\x1b[2J", "\u2028\u202e", "broken \xff\xc3", strings.Repeat("long ", 100)}
	text := func() string { return texts[rng.IntN(len(texts))] }
	number := func() int { return []int{0, 1, 404, 1 << 30, -1}[rng.IntN(5)] }
	for range 2000 {
		r := PageRecord{
			URL: text(), FinalURL: text(), Status: number(), Depth: number(), Via: text(), ContentType: text(),
			Bytes: int64(number()), Title: text(), Lang: text(), Words: number(), Links: number(), FetchedAt: text(),
			Millis: float64(rng.IntN(1<<20)) / 1000, Redirects: number(), NoIndex: rng.IntN(2) == 0, Truncated: rng.IntN(2) == 0,
			Error: text(), Digest: text(), Simhash: text(),
		}
		if rng.IntN(3) == 0 {
			r.Fields = map[string][]string{text(): {text(), text()}, "price": {}}
		}
		line := r.appendLine([]byte("before"))
		if string(line[:6]) != "before" || strings.Count(string(line), "\n") != 1 || line[len(line)-1] != '\n' {
			t.Fatalf("not one line: %q", line)
		}
		line = line[6:]
		if want := append(plainJSON(r), '\n'); !bytes.Equal(line, want) {
			t.Fatalf("%s\nwant %s", line, want)
		}
	}
}

// What went wrong in reading a page is told, that its fields could not be taken, too.
func TestErrorOfARecord(t *testing.T) {
	v := visit(t, "http://a.example/", 200, "x")
	v.Page.ExtractErr = parse.ErrTooDeep
	if r := recordOf(v); r.Error != parse.ErrTooDeep.Error() {
		t.Errorf("fields not taken: error %q", r.Error)
	}
	v.ParseErr = errors.New("no text")
	if r := recordOf(v); r.Error != "no text" {
		t.Errorf("not read: error %q", r.Error)
	}
}
