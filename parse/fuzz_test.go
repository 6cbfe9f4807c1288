package parse

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"crawler/weburl"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
)

// addPages seeds a fuzz target with the committed pages and the constructs.
func addPages(f *testing.F) {
	paths, err := filepath.Glob("testdata/pages/*.html")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		body, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
	}
	for _, c := range constructs {
		f.Add([]byte(c.html))
	}
	for _, h := range hostile {
		f.Add([]byte(h.make(600)))
	}
}

// FuzzTokens holds the scanner against the HTML library's tokenizer, which
// unlike its tree builder moves and drops nothing. Foreign content is left out
// (the tokenizer does not know where it is), and so are comments in scripts
// (it leaves their escaped state too early).
func FuzzTokens(f *testing.F) {
	addPages(f)
	var seen []string
	p := New(Options{OnWord: func(w []byte) { seen = append(seen, string(w)) }})
	f.Fuzz(func(t *testing.T, body []byte) {
		body = bytes.ToValidUTF8(body, []byte("\ufffd")) // decoded, as the tokenizer wants it
		low := bytes.ToLower(body)
		if bytes.Contains(low, []byte("<svg")) || bytes.Contains(low, []byte("<math")) ||
			bytes.Contains(low, []byte("<script")) && bytes.Contains(low, []byte("<!--")) ||
			bytes.HasPrefix(body, []byte("\ufeff")) || bytes.Contains(low, []byte("<base")) ||
			isBinary(body) { // not read at all: TestThreatBinaryAsText
			return
		}
		base := mustURL(t, "http://h.example/a/b?c")
		// What stands near the document's end is read otherwise than what does not.
		for _, body := range [][]byte{body, append(body[:len(body):len(body)], farFromEnd...)} {
			page := new(Page)
			seen = nil
			if err := p.Parse(Input{URL: base, ContentType: "text/html;charset=utf-8", Body: body}, page); err != nil {
				t.Fatal(err)
			}
			ref := tokensOf(base, body)
			if d := firstDiff(linkStrings(page.Links), ref.links); d != "" {
				t.Errorf("links %s", d)
			}
			if d := firstDiff(seen, ref.words); d != "" {
				t.Errorf("words %s", d)
			}
			if !slices.Equal(page.Words, hashesOf(ref.words)) {
				t.Errorf("words %q have other hashes", ref.words)
			}
			if numerals := numeralsOf(ref.words); !slices.Equal(page.Numerals, numerals) {
				t.Errorf("numerals of %q at %d, want %d", ref.words, page.Numerals, numerals)
			}
			if !slices.Equal(page.LinkText, ref.linkText) {
				t.Errorf("texts of links among %q at %d, want %d", ref.words, page.LinkText, ref.linkText)
			}
		}
	})
}

// farFromEnd is more text than the fast paths want to have behind what they read.
var farFromEnd = bytes.Repeat([]byte(" "), len(textWindow{}))

// numeralsOf returns where the words stand that begin with an ASCII digit.
func numeralsOf(words []string) (at []int32) {
	for i, w := range words {
		if w[0] >= '0' && w[0] <= '9' {
			at = append(at, int32(i))
		}
	}
	return at
}

func hashesOf(words []string) (hashes []uint64) {
	for _, w := range words {
		hashes = append(hashes, HashWord([]byte(w)))
	}
	return hashes
}

// tokensOf is referenceOf by the tokenizer alone.
func tokensOf(base weburl.URL, body []byte) *reference {
	ref := new(reference)
	z := html.NewTokenizer(bytes.NewReader(body))
	raw, open := "", []string(nil) // open: templates, and a <noscript> in the innermost of them
	for {
		kind := z.Next()
		opened := raw
		raw = ""
		switch kind {
		case html.ErrorToken:
			ref.endLinkText()
			return ref
		case html.TextToken:
			text := z.Token().Data
			if opened == "" {
				text = strings.ReplaceAll(text, "\x00", "")
			}
			if hidden := opened == "script" || opened == "style"; !hidden && len(open) == 0 {
				ref.words = append(ref.words, splitWords(text)...)
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			tok := z.Token()
			if tok.Data == "a" {
				ref.endLinkText()
				ref.beginLinkText(tok.Attr)
			}
			ref.element(&html.Node{Data: tok.Data, Attr: tok.Attr}, base)
			if slices.Contains(rawNames[:], tok.Data) || tok.Data == "plaintext" {
				raw = tok.Data
			}
			if tok.Data == "template" || tok.Data == "noscript" && !slices.Contains(open, "noscript") {
				open = append(open, tok.Data)
			}
			if tok.Data == "noscript" {
				z.NextIsNotRawText()
			}
		case html.EndTagToken:
			switch name, _ := z.TagName(); {
			case string(name) == "a":
				ref.endLinkText()
			case string(name) == "template" && slices.Contains(open, "template"):
				if open[len(open)-1] == "noscript" {
					open = open[:len(open)-1]
				}
				open = open[:len(open)-1]
			case string(name) == "noscript" && len(open) > 0 && open[len(open)-1] == "noscript":
				open = open[:len(open)-1]
			}
		}
	}
}

// beginLinkText acts on an <a>.
func (ref *reference) beginLinkText(attrs []html.Attribute) {
	for _, a := range attrs {
		if a.Key != "href" {
			continue
		}
		if !strings.HasPrefix(strings.TrimLeft(a.Val, "\t\n\f\r "), "#") {
			ref.linkText = append(ref.linkText, int32(len(ref.words)))
		}
		return // browsers take the first
	}
}

// endLinkText acts on what ends a link.
func (ref *reference) endLinkText() {
	n := len(ref.linkText)
	if n%2 == 0 {
		return
	}
	if words := len(ref.words) - int(ref.linkText[n-1]); words == 0 || words > maxLinkWords {
		ref.linkText = ref.linkText[:n-1]
	} else {
		ref.linkText = append(ref.linkText, int32(len(ref.words)))
	}
}

// FuzzParse feeds anything as anything: no panic, and a page that makes sense.
func FuzzParse(f *testing.F) {
	types := []string{"text/html", "", "application/xhtml+xml", "text/xml; charset=utf-16", "text/plain", "application/gzip",
		"text/html; charset=iso-2022-jp", "text/html; charset=gb18030", "text/html; charset=replacement", "image/png"}
	for i := range types {
		f.Add([]byte("<title>x</title><a href=1>y</a><base href=/z>"), uint8(i), "noindex, crawler: none", `<x>; rel="next"`)
		f.Add([]byte("<?xml version='1.0' encoding='koi8-r'?><urlset><url><loc>http://a.example/</loc></url></urlset>"), uint8(i|16), "", "")
		for _, b := range binaries {
			f.Add([]byte(b.body), uint8(i), "", "")
		}
	}
	rule, err := ParseRule("x=a[href]@href")
	if err != nil {
		f.Fatal(err)
	}
	p, page := New(Options{Assets: true, MaxLinks: 50, Rules: []Rule{rule}}), new(Page)
	withAnchors, noted := New(Options{Assets: true, MaxLinks: 50, Anchors: true}), new(Page)
	f.Fuzz(func(t *testing.T, body []byte, kind uint8, robots, link string) {
		in := Input{URL: mustURL(t, "http://h.example/a/b?c"), ContentType: types[int(kind&15)%len(types)], Body: body,
			Sitemap: kind&16 != 0, RobotsTag: []string{robots}, Link: []string{link}}
		before := bytes.Clone(body)
		_ = p.Parse(in, page) // broken gzip is an error; what was read counts
		if !bytes.Equal(before, body) {
			t.Error("the body was modified")
		}
		if len(page.Links) > 50 || len(page.Words) > 4*len(body)+4 && !isGzip(body) {
			t.Errorf("%d links, %d words", len(page.Links), len(page.Words))
		}
		for _, l := range page.Links {
			if l.URL.IsZero() || l.Kind >= linkKindCount {
				t.Errorf("link %+v", l)
			}
		}
		if strings.ContainsFunc(page.Title+page.Lang, func(r rune) bool { return r < ' ' || 0x7f <= r && r < 0xa0 }) {
			t.Errorf("title %q, language %q", page.Title, page.Lang)
		}
		if page.Kind >= kindCount || page.Base.IsZero() {
			t.Errorf("kind %v, base %v", page.Kind, page.Base)
		}
		_ = withAnchors.Parse(in, noted)
		page.Fields, page.ExtractErr = nil, nil
		if !sameButAnchors(*noted, *page) {
			t.Errorf("with anchors %+v, without %+v", noted, page)
		}
		checkAnchors(t, noted)
	})
}

// checkAnchors tells of texts that are no single line of UTF-8 or too long.
func checkAnchors(t *testing.T, page *Page) {
	t.Helper()
	for i := range page.Links {
		text, rel := page.Anchor(&page.Links[i])
		// Not \v.
		tokens := strings.FieldsFunc(rel, func(r rune) bool { return strings.ContainsRune("\t\n\f\r ", r) })
		if text != oneLine(text) || len(rel) > MaxRelBytes || !utf8.ValidString(rel) || strings.Join(tokens, " ") != rel {
			t.Errorf("link %d: text %q, rel %q", i, text, rel)
		}
	}
}

// FuzzCharset holds the choice of the encoding against x/net/html/charset.
func FuzzCharset(f *testing.F) {
	for _, c := range charsetCases {
		f.Add([]byte(c.body), c.header)
	}
	addPagesWithHeader(f)
	p, page := New(Options{}), new(Page)
	f.Fuzz(func(t *testing.T, body []byte, header string) {
		if media, _ := mediaType(header); media != "text/html" || charsetByMIME(header) || isBinary(body) {
			return
		}
		if err := p.Parse(Input{ContentType: header, Body: body}, page); err != nil {
			t.Fatal(err)
		}
		_, want, certain := charset.DetermineEncoding(body, header)
		if len(body) > prescanBytes && !certain { // where the library stops
			if tentative := want == utf8Name || want == defaultName; tentative && bytes.Contains(bytes.ToLower(body), []byte("meta")) {
				return
			}
			if ascii(body[:prescanBytes]) && !ascii(body[:len(body)-utf8.UTFMax]) && utf8.Valid(body) {
				want = utf8Name
			}
		}
		if page.Charset != want {
			t.Errorf("%q %q: %q, want %q", header, body[:min(len(body), 2000)], page.Charset, want)
		}
	})
}

func ascii(b []byte) bool {
	return !bytes.ContainsFunc(b, func(r rune) bool { return r >= utf8.RuneSelf })
}

func addPagesWithHeader(f *testing.F) {
	paths, err := filepath.Glob("testdata/pages/*.html")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		body, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body, "text/html")
	}
}
