package crawler_test

import (
	"strings"
	"testing"

	"crawler/parse"
	"crawler/weburl"
)

// reader is a parser with its words in clear text.
type reader struct {
	*parse.Parser
	page  parse.Page
	words []string
}

func newReader() *reader {
	r := new(reader)
	r.Parser = parse.New(parse.Options{OnWord: func(w []byte) { r.words = append(r.words, string(w)) }})
	return r
}

// read parses a document. A document that is broken gives what was found.
func (r *reader) read(in parse.Input) {
	r.words = nil
	_ = r.Parse(in, &r.page)
}

func mustURL(t *testing.T, s string) weburl.URL {
	t.Helper()
	u, err := weburl.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// orDash joins words, and writes "-" for none.
func orDash(words []string) string {
	if len(words) == 0 {
		return "-"
	}
	return strings.Join(words, " ")
}

// TestConformanceHTML holds links and words against what the standard's tokenizer
// (WHATWG HTML, 13.2.5) makes of them.
func TestConformanceHTML(t *testing.T) {
	var count tally
	r := newReader()
	base := mustURL(t, "http://h.test/p/q")
	readCases(t, "tokenizer.txt", func(heading, line string) {
		if line == "" {
			return
		}
		cells := strings.Split(line, "\t")
		if len(cells) != 3 {
			t.Fatalf("%s: %q is no row", heading, line)
		}
		r.read(parse.Input{URL: base, ContentType: "text/html; charset=utf-8", Body: []byte(unescape(t, cells[0]))})
		var links []string
		for _, l := range r.page.Links {
			links = append(links, strings.TrimPrefix(l.URL.String(), base.Origin()))
		}
		got := orDash(links) + "; " + orDash(r.words)
		count.check(t, heading+": "+cells[0], got, cells[1]+"; "+cells[2])
	})
	count.report(t, "html", 150)
}
