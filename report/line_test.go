package report

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"crawler/parse"
)

// Every line is what encoding/json makes of the record, to the byte.
func TestLineIsJSON(t *testing.T) {
	if testing.Short() {
		t.Skip("starts no goroutine")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	texts := []string{"", "plain", `"quoted" \ back`, "a&b <c>", "Übung", "line\nend\x00\x1b[2J", "\u2028\u202e", "broken \xff\xc3", strings.Repeat("long ", 100)}
	text := func() string { return texts[rng.IntN(len(texts))] }
	signatures := [][]byte{nil, make([]byte, 128), bytes.Repeat([]byte{0xfb, 0xff}, 64)}
	number := func() int { return []int{0, 1, 404, 1 << 30, -1}[rng.IntN(5)] }
	for range 2000 {
		r := PageRecord{
			URL: text(), Status: number(), Depth: number(), Via: text(), From: text(), ContentType: text(),
			Bytes: int64(number()), Title: text(), Lang: text(), Words: number(), Links: number(), FetchedAt: text(),
			Millis: float64(rng.IntN(1<<20)) / 1000, NoIndex: rng.IntN(2) == 0, Shell: rng.IntN(2) == 0, Truncated: rng.IntN(2) == 0,
			Challenge: text(), Error: text(), Digest: text(), Signature: signatures[rng.IntN(len(signatures))],
			WireBytes: int64(number()), FirstByte: float64(rng.IntN(3)) / 8, Protocol: text(), Server: text(), ETag: text(), Modified: text(),
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

// So is the line of a redirect.
func TestRedirectLineIsJSON(t *testing.T) {
	for _, r := range []RedirectRecord{
		{},
		{URL: "http://a/", Status: 301, Target: "http://b/", Via: "http://v/", From: "http://f/", Hop: 2, Depth: 7, FetchedAt: "x"},
		{URL: "http://a/", Status: 308, Hop: 1, Error: "a <b>\u202e\"c\" \xff"},
	} {
		if line, want := r.appendLine(nil), append(plainJSON(r), '\n'); !bytes.Equal(line, want) {
			t.Errorf("%s\nwant %s", line, want)
		}
	}
}

// A record as pages have them takes no allocation, an ETag's quotes included.
func TestLineAllocatesNothing(t *testing.T) {
	v := visit(t, "http://a.example/", 200, "x")
	v.Proto, v.Server, v.ETag, v.LastModified = "HTTP/1.1", "nginx/1.27 (Debian)", `W/"5f-64\a"`, "Tue, 15 Nov 1994 12:45:26 GMT"
	v.FirstByte, v.WireBytes = 1250*time.Microsecond, 99
	r, b := recordOf(v), make([]byte, 0, 4096)
	if n := testing.AllocsPerRun(100, func() { b = r.appendLine(b[:0]) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	for _, want := range []string{
		`"bytes":100,"wire_bytes":99,"title"`, `"millis":0,"first_byte_millis":1.25,"protocol":"HTTP/1.1","server":"nginx/1.27 (Debian)"`,
		`,"etag":"W/\"5f-64\\a\"","last_modified":"Tue, 15 Nov 1994 12:45:26 GMT",`,
	} {
		if !strings.Contains(string(b), want) {
			t.Errorf("no %s in %s", want, b)
		}
	}
}

// What a server sends is kept whole or not at all where a part is of no use, cut where it
// is, and bounded.
func TestHeaderValuesAreBounded(t *testing.T) {
	fits, long := strings.Repeat("é", maxHeaderValue/2), "x"+strings.Repeat("é", maxHeaderValue/2)
	for _, c := range []struct{ value, server, validator string }{
		{"", "", ""},
		{fits, fits, fits},
		{long, long[:maxHeaderValue-1], ""},
		{strings.Repeat("a", 1<<20), strings.Repeat("a", maxHeaderValue), ""},
	} {
		v := visit(t, "http://a.example/", 200)
		v.Server, v.ETag, v.LastModified = c.value, c.value, c.value
		if r := recordOf(v); r.Server != c.server || r.ETag != c.validator || r.Modified != c.validator {
			t.Errorf("%.20q of %d bytes: server of %d, etag of %d, last modified of %d", c.value, len(c.value), len(r.Server), len(r.ETag), len(r.Modified))
		}
	}
}

// What went wrong in reading a page is reported, including that its fields could not be
// extracted.
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
