package parse

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// Each test is named for what a hostile or broken page tries. That none takes more
// than linear time is TestHostileIsLinear's business.

const utf8HTML = "text/html; charset=utf-8"

// TestThreatDeepNestingExtract: the tree builder gives up, which the page tells;
// links and words are all there.
func TestThreatDeepNestingExtract(t *testing.T) {
	body := strings.Repeat("<div>", 100_000) + "<a href=/deep>word</a>"
	page := parsePage(t, Options{Rules: []Rule{mustRule(t, "v=a")}}, utf8HTML, body)
	if !errors.Is(page.ExtractErr, ErrTooDeep) || len(page.Fields) != 0 {
		t.Errorf("%v, fields %v", page.ExtractErr, page.Fields)
	}
	if paths(page.Links) != "/deep" || len(page.Words) != 1 {
		t.Errorf("links %s, %d words", paths(page.Links), len(page.Words))
	}
}

// utf16Bytes encodes s, the high byte first if big.
func utf16Bytes(s string, big bool) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		if big {
			b = append(b, byte(u>>8), byte(u))
		} else {
			b = append(b, byte(u), byte(u>>8))
		}
	}
	return string(b)
}

// TestThreatUTF16: with a byte order mark or a header that says so, such pages are
// read; with neither they are bytes of Windows-1252, as to a browser.
func TestThreatUTF16(t *testing.T) {
	const html = "<title>Grüße 😀</title><a href='/é'>eins zwei</a>"
	for _, c := range []struct{ name, header, body, charset, links string }{
		{"big, mark", "text/html", "\xfe\xff" + utf16Bytes(html, true), "utf-16be", "/%C3%A9"},
		{"little, mark", "text/html", "\xff\xfe" + utf16Bytes(html, false), "utf-16le", "/%C3%A9"},
		{"big, header", "text/html; charset=utf-16be", utf16Bytes(html, true), "utf-16be", "/%C3%A9"},
		{"little, header", "text/html; charset=utf-16", utf16Bytes(html, false), "utf-16le", "/%C3%A9"},
		{"the mark beats the header", utf8HTML, "\xff\xfe" + utf16Bytes(html, false), "utf-16le", "/%C3%A9"},
		{"half a character at the end", "text/html", "\xff\xfe" + utf16Bytes(html, false) + "<", "utf-16le", "/%C3%A9"},
		{"half a pair at the end", "text/html", "\xff\xfe" + utf16Bytes(html, false) + "\x3d\xd8", "utf-16le", "/%C3%A9"},
		{"nothing says so", "text/html", utf16Bytes(html, false), "windows-1252", ""},
	} {
		page := parsePage(t, Options{}, c.header, c.body)
		if page.Charset != c.charset || paths(page.Links) != c.links {
			t.Errorf("%s: read as %s, links %q", c.name, page.Charset, paths(page.Links))
		}
		if c.links != "" && (page.Title != "Grüße 😀" || len(page.Words) != 3) {
			t.Errorf("%s: title %q, %d words", c.name, page.Title, len(page.Words))
		}
	}
}

// TestThreatGiantAttribute: a value too long for a URL is a bad link, others are
// stepped over, and what follows is read.
func TestThreatGiantAttribute(t *testing.T) {
	giant := strings.Repeat("x/", 1<<19)
	for _, c := range []struct {
		body string
		bad  int
	}{
		{`<a href="` + giant + `">`, 1},
		{`<a href=` + giant + ` >`, 1},
		{`<a href="` + strings.Repeat("&amp;", 1<<17) + `">`, 1},
		{`<a title="` + giant + `" class='` + giant + `'>`, 0},
		{`<a ` + giant + `=1>`, 0},
		{`<` + "a" + giant + `>`, 0},
		{`<html lang="` + giant + `"><meta name=robots content="` + giant + `"><meta http-equiv=refresh content="0;` + giant + `">`, 1},
	} {
		page := parsePage(t, Options{}, utf8HTML, c.body+"<a href=/after>word")
		if paths(page.Links) != "/after" || page.BadLinks != c.bad || len(page.Words) != 1 || page.Lang != "" {
			t.Errorf("%.40s…: links %s, %d bad, %d words, language %.20q", c.body, paths(page.Links), page.BadLinks, len(page.Words), page.Lang)
		}
	}
}

// TestThreatNoTag: a megabyte without a tag. What BenchmarkHostile measures goes up to 4 MiB.
func TestThreatNoTag(t *testing.T) {
	const size = 1 << 20
	for _, c := range []struct {
		piece string
		words int
	}{{"a", 0}, {"é", 0}, {"word ", size / 5}, {" ", 0}, {"&", 0}, {"&amp;", 0}, {"<", 0}} {
		page := parsePage(t, Options{}, utf8HTML, strings.Repeat(c.piece, size/len(c.piece)))
		if len(page.Words) != c.words || len(page.Links) != 0 {
			t.Errorf("%q: %d words, %d links", c.piece, len(page.Words), len(page.Links))
		}
	}
}

// TestThreatUnclosedRawText: an element that is never closed hides what is behind it,
// as in a browser, and nothing before it.
func TestThreatUnclosedRawText(t *testing.T) {
	for _, open := range []string{"<script>", "<style>", "<title>", "<textarea>", "<xmp>", "<iframe>", "<noembed>", "<noframes>",
		"<plaintext>", "<!--", "<script><!--<script></script>", "<svg><![CDATA[", `<a href="`, "<a b='"} {
		page := parsePage(t, Options{}, utf8HTML, "<a href=/before>x</a>"+open+strings.Repeat("<a href=/behind>", 1<<14))
		if paths(page.Links) != "/before" {
			t.Errorf("%s: %d links", open, len(page.Links))
		}
		if n := utf8.RuneCountInString(page.Title); n > MaxTitleRunes {
			t.Errorf("%s: a title of %d characters", open, n)
		}
	}
}

// TestThreatUnclosedNoScript: one that is never closed hides the words behind it, in itself and in
// a title, and no link, however many there are.
func TestThreatUnclosedNoScript(t *testing.T) {
	for _, contentType := range []string{utf8HTML, "application/xhtml+xml"} {
		for _, open := range []string{"<noscript>", "<noscript><svg><g>", "<noscript><template>", strings.Repeat("<noscript>", 1000),
			"<noscript>" + strings.Repeat("<svg><desc>", 100), "</noscript><noscript><template></noscript>"} {
			page := parsePage(t, Options{}, contentType, "word "+open+strings.Repeat("<a href=/x>y</a>", 1<<10)+"<title>z</title>")
			if len(page.Links) != 1<<10 || len(page.Words) != 1 || page.Title != "" {
				t.Errorf("%s, %.40s: %d links, %d words, title %q", contentType, open, len(page.Links), len(page.Words), page.Title)
			}
		}
	}
}

// TestThreatEndOfNoScript: whatever is left open in it, text behind </noscript> is text.
func TestThreatEndOfNoScript(t *testing.T) {
	for _, inside := range []string{"<p><div>", "<noscript>", strings.Repeat("<noscript>", 1000), "<svg>" + strings.Repeat("<g>", 1000), strings.Repeat("<svg><desc>", 1000),
		"<svg><desc><b><math><mi>", "<template></template>", "<template><noscript></template>", "</template></svg></body></html>", "<a href=/x>"} {
		page := parsePage(t, Options{Anchors: true}, utf8HTML, "<noscript>"+inside+"no</noscript><title>a</title>b<a href=/y>c<![CDATA[ > ]]></a>")
		if len(page.Words) != 3 || page.Title != "a" {
			t.Errorf("%.40s: %d words, title %q", inside, len(page.Words), page.Title)
		}
		if text, _ := page.Anchor(&page.Links[len(page.Links)-1]); text != "c ]]>" {
			t.Errorf("%.40s: a link's text %q", inside, text)
		}
	}
}

// TestThreatNUL: NULs neither end a page nor hide a link.
func TestThreatNUL(t *testing.T) {
	page := parsePage(t, Options{}, utf8HTML, "\x00<title>a\x00b</title>\x00<a\x00href=/no><a href=/x\x00y>w\x00o\x00r\x00d\x00</a>"+strings.Repeat("\x00", 1<<20)+"<a href=/end>")
	if got := paths(page.Links); got != "/x%EF%BF%BDy /end" {
		t.Errorf("links %q", got)
	}
	if strings.Contains(page.Title, "\x00") || len(page.Words) < 2 {
		t.Errorf("title %q, %d words", page.Title, len(page.Words))
	}
}

// TestThreatWrongBytes: bytes that are not what the charset says cost themselves
// only.
func TestThreatWrongBytes(t *testing.T) {
	for _, c := range []struct{ name, header, body string }{
		{"invalid UTF-8", utf8HTML, "\xff\xfe\xc3 \xf5\x80"},
		{"cut UTF-8", utf8HTML, "\xe2\x82"},
		{"Latin-1 said to be UTF-8", utf8HTML, "Stra\xdfe, Caf\xe9 "},
		{"UTF-8 said to be GBK", "text/html; charset=gbk", "Straße, Café "},
		{"UTF-8 said to be Shift JIS", "text/html; charset=shift_jis", "Straße, Café "},
		{"UTF-8 said to be ISO-2022-JP", "text/html; charset=iso-2022-jp", "Straße, Café "},
		{"an encoding that is none", "text/html; charset=x-none", "Straße, Café "},
		{"a charset of a thousand letters", "text/html; charset=" + strings.Repeat("x", 1000), "Straße "},
	} {
		body := strings.TrimPrefix(c.body, "\xff\xfe") // behind the tag, where it is no mark
		page := parsePage(t, Options{}, c.header, "<title>"+body+"</title><a href=/1>x</a> \xff\xfe "+body+" <a href=/2>last</a>")
		if paths(page.Links) != "/1 /2" || !utf8.ValidString(page.Title) || len(page.Words) < 2 {
			t.Errorf("%s: links %s, title %q, %d words", c.name, paths(page.Links), page.Title, len(page.Words))
		}
	}
}

// TestThreatManyLinks: of 120,000 different links the first 100,000 are kept, and
// the page says that it was cut.
func TestThreatManyLinks(t *testing.T) {
	var body strings.Builder
	for i := range 120_000 {
		fmt.Fprintf(&body, "<a href=/%d>", i)
	}
	page := parsePage(t, Options{}, utf8HTML, body.String()+"word")
	if len(page.Links) != 100_000 || !page.LinksCut || len(page.Words) != 1 {
		t.Errorf("%d links, cut %t, %d words", len(page.Links), page.LinksCut, len(page.Words))
	}
	if last := page.Links[len(page.Links)-1].URL.Path(); last != "/99999" {
		t.Errorf("the last one kept is %s", last)
	}
}

// TestThreatSchemes: what is no http or https address is counted and dropped,
// however it is spelt.
func TestThreatSchemes(t *testing.T) {
	refs := []string{"javascript:alert(1)", "JavaScript:x", "java\nscript:x", "java\tscript:x", "\x01javascript:x", " javascript:x", "&#x6a;avascript:x",
		"&#106avascript:x", "javascript&colon;x", "javascript:http://h.example/", "data:text/html,<a href=/x>", "data:;base64,PGEgaHJlZj0veD4=", "mailto:a@b.example", "tel:1",
		"vbscript:x", "file:///etc/passwd", "ftp://h.example/", "blob:http://h.example/1", "about:blank", "gopher://h.example/", "ws://h.example/",
		"view-source:http://h.example/", "http+unix://x/", "jar:http://h.example/!/", "http://", "https://", "http://h.example:99999/", "http://[::1/", "http://a b/", "http://%00/"}
	for _, ref := range refs {
		page := parsePage(t, Options{Assets: true}, utf8HTML, `<a href="`+strings.ReplaceAll(ref, `"`, "&quot;")+`">`)
		if len(page.Links) != 0 || page.BadLinks != 1 {
			t.Errorf("%q: %v, %d bad", ref, page.Links, page.BadLinks)
		}
	}
}

// TestThreatControlCharacters: no control character of a page gets into a URL, a
// title or a language, so none reaches a request line, a terminal or a log.
func TestThreatControlCharacters(t *testing.T) {
	var controls strings.Builder
	for c := range 0xa0 {
		if c < ' ' || c >= 0x7f {
			controls.WriteRune(rune(c))
		}
	}
	all := controls.String()
	body := "<html lang='e\x1bn'><title>a\x1b[31m" + all + "b\u2028</title>"
	for _, around := range []string{"/x%sy", "/?x%sy", "/x%s", "//h.example/%s\r\nHost: evil", "/x HTTP/1.1\r\nX: %s", "/\u202e%s\u200b"} {
		body += "<a href='" + fmt.Sprintf(around, all) + "'>"
	}
	page := parsePage(t, Options{}, utf8HTML, body)
	if len(page.Links) != 6 {
		t.Errorf("%d links, %d bad", len(page.Links), page.BadLinks)
	}
	for _, l := range page.Links {
		if strings.ContainsFunc(l.URL.String(), func(r rune) bool { return r <= ' ' || r > '~' }) {
			t.Errorf("link %q", l.URL)
		}
	}
	control := func(r rune) bool { return r < ' ' || 0x7f <= r && r < 0xa0 }
	if strings.ContainsFunc(page.Title, control) || page.Title == "" || strings.ContainsFunc(page.Lang, control) {
		t.Errorf("title %q, language %q", page.Title, page.Lang)
	}
}

// binaries are beginnings of files that are no text.
var binaries = []struct{ name, body string }{
	{"PDF", "%PDF-1.7\n1 0 obj << /URI (http://h.example/no) >>"},
	{"PostScript", "%!PS-Adobe-3.0\n(words) show"},
	{"PNG", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"},
	{"GIF", "GIF89a\x01\x00"},
	{"JPEG", "\xff\xd8\xff\xe0\x00\x10JFIF"},
	{"WebP", "RIFF\x10\x00\x00\x00WEBPVP8 "},
	{"bitmap", "BM\x46\x00\x00\x00"},
	{"gzip", "\x1f\x8b\x08\x00\x00\x00\x00\x00"},
	{"zip", "PK\x03\x04\x14\x00"},
	{"bzip2", "BZh91AY&SY\x00"},
	{"xz", "\xfd7zXZ\x00\x00"},
	{"zstd", "\x28\xb5\x2f\xfd\x24"},
	{"7z", "7z\xbc\xaf\x27\x1c\x00"},
	{"ELF", "\x7fELF\x02\x01\x01\x00"},
	{"Windows program", "MZ\x90\x00\x03\x00"},
	{"class", "\xca\xfe\xba\xbe\x00\x00"},
	{"WebAssembly", "\x00asm\x01\x00"},
	{"MP4", "\x00\x00\x00\x18ftypmp42"},
	{"Ogg", "OggS\x00\x02"},
	{"font", "wOF2\x00\x01"},
	{"database", "SQLite format 3\x00"},
}

// TestThreatBinaryAsText: what begins like another format is not read, whatever the
// header says.
func TestThreatBinaryAsText(t *testing.T) {
	for _, b := range binaries {
		for _, header := range []string{"text/html", utf8HTML, "application/xhtml+xml", "text/plain", ""} {
			page := parsePage(t, Options{}, header, b.body+strings.Repeat("<a href=/no>word</a> ", 100))
			if page.Kind != KindOther || len(page.Links)+len(page.Words) > 0 || page.Title != "" {
				t.Errorf("%s as %q: %v, %d links, %d words", b.name, header, page.Kind, len(page.Links), len(page.Words))
			}
		}
	}
}

// TestThreatTextAsBinary: a header that says "no text" is believed.
func TestThreatTextAsBinary(t *testing.T) {
	for _, header := range []string{"application/octet-stream", "application/pdf", "image/png", "video/mp4", "font/woff2", "application/json", "text/css", "nonsense", "a/b/c"} {
		page := parsePage(t, Options{}, header, "<!DOCTYPE html><title>x</title><a href=/no>word</a>")
		if page.Kind != KindOther || len(page.Links)+len(page.Words) > 0 {
			t.Errorf("%q: %v, %d links, %d words", header, page.Kind, len(page.Links), len(page.Words))
		}
	}
}

// TestThreatTextLikeBinary: text that begins with the letters of a signature is
// text.
func TestThreatTextLikeBinary(t *testing.T) {
	for _, body := range []string{"BMW words", "BM", "MZ words", "RIFFs words", "FORM words", "BZh words", "PK words", "PDF words", "%PDF", "ID3 words", "GIF words",
		"OTTO words", "wOFF words", "II words", "fLaC words", "7z words", "a\x1bb words", "\ufeff%PDF- words"} {
		page := parsePage(t, Options{}, "text/plain", body)
		if page.Kind != KindText || len(page.Words) == 0 {
			t.Errorf("%q: %v, %d words", body, page.Kind, len(page.Words))
		}
		page = parsePage(t, Options{}, "text/html", body+"<a href=/x>")
		if page.Kind != KindHTML || paths(page.Links) != "/x" {
			t.Errorf("%q: %v, links %s", body, page.Kind, paths(page.Links))
		}
	}
}

// TestThreatUntypedHTML: without a type, "<html>" is HTML and no XML, whose rules
// would read scripts as text.
func TestThreatUntypedHTML(t *testing.T) {
	for body, want := range map[string]Kind{
		"<html><script>'<a href=/no>'</script><a href=/x>":                           KindHTML,
		"<!DOCTYPE html>\n<html><script>'<a href=/no>'</script><a href=/x>":          KindHTML,
		"<?xml version='1.0'?><html><script><![CDATA[<a/>]]></script><a href='/x'/>": KindXHTML,
	} {
		page := parsePage(t, Options{}, "", body)
		if page.Kind != want || paths(page.Links) != "/x" {
			t.Errorf("%s: %v, links %s", body, page.Kind, paths(page.Links))
		}
	}
}

// TestThreatExtractTime: extraction builds a tree, which must take linear time, too.
// Eight times the bytes may take eight times as long; quadratic time would be 64
// times.
func TestThreatExtractTime(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time")
	}
	const small, factor, slack = 2 << 10, 8, 5
	p, page := New(Options{Rules: []Rule{mustRule(t, "v=div p"), mustRule(t, "w=a[href]@href")}}), new(Page)
	best := func(body string, rounds int) float64 {
		least := time.Hour
		for range rounds {
			in := Input{URL: mustURL(t, "http://h.example/"), ContentType: utf8HTML, Body: []byte(body)}
			start := time.Now()
			if err := p.Parse(in, page); err != nil {
				t.Fatal(err)
			}
			least = min(least, time.Since(start))
		}
		return max(least.Seconds(), 20e-6)
	}
	for _, h := range hostile {
		one, many := best(h.make(small), 4), best(h.make(small*factor), 1)
		if many > one*factor*slack { // or the machine was busy just then
			many = best(h.make(small*factor), 8)
		}
		if many > one*factor*slack {
			t.Errorf("%s: %.0f ns a byte at first, %.0f then", h.name, one*1e9/small, many*1e9/(small*factor))
		}
	}
}
