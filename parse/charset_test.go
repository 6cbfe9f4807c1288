package parse

import (
	"mime"
	"strings"
	"testing"

	"golang.org/x/net/html/charset"
)

// charsetByMIME reports whether the library's stricter reading of the header
// may differ from ours: it drops headers that are not well-formed.
func charsetByMIME(header string) bool {
	_, params, err := mime.ParseMediaType(header)
	_, label := mediaType(header)
	return err != nil || params["charset"] != label
}

var charsetCases = []struct{ header, body, want string }{
	{"text/html", "abc", "windows-1252"},
	{"text/html", "é", "windows-1252"}, // a rune that may be cut off is not counted
	{"text/html", "é ", "utf-8"},
	{"text/html", "\xe9 ", "windows-1252"},
	{"text/html; charset=koi8-r", "é ", "koi8-r"},
	{"text/html; charset=KOI8-R", "<meta charset=utf-8>", "koi8-r"},
	{`text/html; charset="utf-8"`, "\xe9 ", "utf-8"},
	{"text/html; charset=nonsense", "<meta charset=gbk>", "gbk"},
	{"text/html; charset=latin1", "", "windows-1252"},
	{"text/html; charset=utf-16", "a\x00", "utf-16le"},
	{"text/html; charset=koi8-r", "\xef\xbb\xbfx", "utf-8"},
	{"text/html; charset=koi8-r", "\xfe\xff\x00x", "utf-16be"},
	{"text/html; charset=koi8-r", "\xff\xfex\x00", "utf-16le"},
	{"text/html", "<META CHARSET=' Shift_JIS '>", "shift_jis"},
	{"text/html", "<meta charset=nonsense><meta charset=big5>", "big5"},
	{"text/html", "<meta charset=utf-16le>", "utf-8"},
	{"text/html", "<meta http-equiv=content-type content='text/html; charset=euc-kr'>", "euc-kr"},
	{"text/html", "<meta content='text/html; CHARSET = \"euc-kr\" ' http-equiv=Content-Type>", "euc-kr"},
	{"text/html", "<meta content='text/html; charset=euc-kr'>", "windows-1252"},
	{"text/html", "<meta http-equiv=refresh content='charset=euc-kr'>", "windows-1252"},
	{"text/html", "<meta charset=gbk content='charset=euc-kr' http-equiv=content-type>", "gbk"},
	{"text/html", "<meta content='charset=euc-kr' charset=gbk>", "gbk"},
	{"text/html", "<meta content='charset=euc-kr' charset=nonsense http-equiv=content-type>", "windows-1252"},
	{"text/html", "<meta content='charset=euc-kr' charset http-equiv=content-type>", "windows-1252"},
	{"text/html", "<meta charset content='charset=euc-kr' http-equiv=content-type>", "euc-kr"},
	{"text/html", "<meta charset=nonsense content='charset=euc-kr' http-equiv=content-type>", "euc-kr"},
	{"text/html", "<meta http-equiv=content-type content='charset charset charset=x; charset=y'>", "windows-1252"},
	{"text/html", "<meta http-equiv=content-type content='charset=\"gbk'>", "windows-1252"},
	{"text/html", "<!-- <meta charset=gbk> --><meta charset=big5>", "big5"},
	{"text/html", "<script>'<meta charset=gbk>'</script><title><meta charset=koi8-r></title><meta charset=big5>", "big5"},
	{"text/html", "<a title='<meta charset=gbk>'></a x='<meta charset=gbk>'><meta charset=big5>", "big5"},
	{"text/html", "<meta charset=g&#98;k>", "gbk"},
	{"text/html", strings.Repeat(" ", 1024-len("<meta charset=gbk>")) + "<meta charset=gbk>", "gbk"},
	{"text/html", "<p>" + strings.Repeat(" ", 1022-len("<meta charset=gbk>")) + "<meta charset=gbk>", "windows-1252"},
	{"text/html", "<plaintext><meta charset=gbk>", "windows-1252"},
	{"text/html", "<meta name=charset content=gbk>", "windows-1252"},
}

func TestCharset(t *testing.T) {
	for _, c := range charsetCases {
		if got := parsePage(t, Options{}, c.header, c.body).Charset; got != c.want {
			t.Errorf("%q, %.100q: %s, want %s", c.header, c.body, got, c.want)
		}
		if _, name, _ := charset.DetermineEncoding([]byte(c.body), c.header); name != c.want {
			t.Errorf("%q, %.100q: the library says %s", c.header, c.body, name)
		}
	}
}

// lateCases are decided by what comes after the first 1,024 bytes, at which the library stops.
var lateCases = []struct{ name, body, want string }{
	{"UTF-8 in the last bytes", strings.Repeat("a", 5000) + "é é", "utf-8"},
	{"UTF-8 whose last rune is cut", strings.Repeat("a", 5000) + "é é\xc3", "utf-8"},
	{"nothing but half a rune", strings.Repeat("a", 5000) + "\xc3", "windows-1252"},
	{"UTF-8 with one byte that is none", strings.Repeat("a", 5000) + "é \xe9 é", "windows-1252"},
	{"Latin-1", strings.Repeat("a", 5000) + "\xe9 ", "windows-1252"},
	{"UTF-8 at the beginning, one byte later that is none", "é " + strings.Repeat("a", 5000) + "\xe9 ", "utf-8"},
	{"Latin-1 at the beginning", "\xe9 " + strings.Repeat("é", 5000), "windows-1252"},
	{"ASCII", strings.Repeat("a", 5000), "windows-1252"},

	{"across the border", strings.Repeat(" ", 1025-len("<meta charset=gbk>")) + "<meta charset=gbk>", "gbk"},
	{"behind a long style", "<!DOCTYPE html><html><head><title>t</title><style>" + strings.Repeat("p{}", 5000) + "</style><meta charset=gbk>", "gbk"},
	{"before what UTF-8 says", "<HEAD>é" + strings.Repeat(" ", 1024) + "<meta charset=koi8-r>", "koi8-r"},
	{"by http-equiv", "<script>" + strings.Repeat("a<b;", 999) + "</script><meta http-equiv=Content-Type content='text/html; charset=euc-kr'>", "euc-kr"},
	{"in a noscript", "<noscript><meta charset=gbk></noscript>\xe9", "windows-1252"},
	{"behind every element of the head", "<base><link><noscript></noscript><object></object>" + strings.Repeat(" ", 1024) + "<!-- <p> --><meta charset=gbk>", "gbk"},
	{"the first of two", strings.Repeat(" ", 1024) + "<meta charset=nonsense><meta charset=big5><meta charset=gbk>", "big5"},
	{"where the head's end is missing", "<html><head>" + strings.Repeat(" ", 1024) + "<meta charset=gbk>", "gbk"},
	{"behind the head's end", "<head></head>" + strings.Repeat(" ", 1024) + "<meta charset=gbk>", "windows-1252"},
	{"in the body", "<body>" + strings.Repeat(" ", 1024) + "<meta charset=gbk>", "windows-1252"},
	{"behind a paragraph", "<p>" + strings.Repeat(" ", 1024) + "<meta charset=gbk>", "windows-1252"},
	{"behind an end tag of none", "</p>" + strings.Repeat(" ", 1024) + "<meta charset=gbk>", "windows-1252"},
	{"in a comment", strings.Repeat(" ", 1024) + "<!-- <meta charset=gbk> -->", "windows-1252"},
	{"in a script", "<script>" + strings.Repeat(" ", 1024) + "<meta charset=gbk></script>", "windows-1252"},
	{"utf-16 is UTF-8", strings.Repeat(" ", 1024) + "<meta charset=utf-16>\xe9", "utf-8"},
}

func TestHTML_CharsetBehindTheFirstKiB(t *testing.T) {
	for _, c := range lateCases {
		if got := parsePage(t, Options{}, "text/html", c.body).Charset; got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if got := parsePage(t, Options{}, "text/html; charset=koi8-u", c.body).Charset; got != "koi8-u" {
			t.Errorf("%s: %s, though the header says koi8-u", c.name, got)
		}
	}
	t.Logf("encodings: %d passed, 0 deviating", len(lateCases)) // make conformance prints it
}

// A link beyond ASCII leads where its page means it to lead.
func TestLinkOfUndeclaredUTF8(t *testing.T) {
	page := parsePage(t, Options{}, "text/html", "<p>"+strings.Repeat("a ", 1000)+"<a href='/ä?ö'>ä</a>")
	if len(page.Links) != 1 || page.Links[0].URL.RequestURI() != "/%C3%A4?%C3%B6" {
		t.Errorf("links %v", page.Links)
	}
}

// TestEveryEncoding reads the same page in every encoding of the web.
func TestEveryEncoding(t *testing.T) {
	for _, label := range []string{"ibm866", "iso-8859-2", "iso-8859-3", "iso-8859-4", "iso-8859-5", "iso-8859-6", "iso-8859-7",
		"iso-8859-8", "iso-8859-8-i", "iso-8859-10", "iso-8859-13", "iso-8859-14", "iso-8859-15", "iso-8859-16", "koi8-r",
		"koi8-u", "macintosh", "windows-874", "windows-1250", "windows-1251", "windows-1252", "windows-1253", "windows-1254",
		"windows-1255", "windows-1256", "windows-1257", "windows-1258", "x-mac-cyrillic", "gbk", "gb18030", "big5", "euc-jp",
		"iso-2022-jp", "shift_jis", "euc-kr", "replacement", "utf-16be", "utf-16le", "x-user-defined"} {
		e, name := charset.Lookup(label)
		if e == nil {
			t.Errorf("%s: unknown to the library", label)
			continue
		}
		text := "<title>x</title>word <a href=/y>"
		if coded, err := e.NewEncoder().String("é я 語 word"); err == nil {
			text = coded
			if body, err := e.NewEncoder().String("<title>x</title>é я 語 word <a href=/y>"); err == nil {
				text = body
			}
		}
		page := parsePage(t, Options{}, "text/html; charset="+label, text)
		if page.Charset != name {
			t.Errorf("%s: read as %q, want %q", label, page.Charset, name)
		}
		if name == "replacement" {
			continue
		}
		if len(page.Links) != 1 || page.Title != "x" || page.Words[len(page.Words)-1] != HashWord([]byte("word")) {
			t.Errorf("%s: %+v", label, page)
		}
	}
}

func TestQueryEncoding(t *testing.T) {
	const link = `<a href="/%s?q=%s&amp;r=1#%[2]s">`
	for _, c := range []struct{ charset, path, query, want string }{
		{"windows-1252", "\xe9", "\xe9", "/%C3%A9?q=%E9&r=1"},
		{"koi8-r", "x", "\xd1", "/x?q=%D1&r=1"},
		{"koi8-r", "x", "&eacute;", "/x?q=%26%23233%3B&r=1"},
		{"shift_jis", "x", "\x93\xfa", "/x?q=%93%FA&r=1"},
		{"utf-8", "é", "é", "/%C3%A9?q=%C3%A9&r=1"},
		{"utf-16le", "x", "y", "/x?q=y&r=1"},
	} {
		body := strings.ReplaceAll(strings.ReplaceAll(link, "%[2]s", "f"), "%s", "\x01")
		body = strings.Replace(body, "\x01", c.path, 1)
		body = strings.Replace(body, "\x01", c.query, 1)
		if c.charset == "utf-16le" {
			body = strings.Join(append(strings.Split(body, ""), ""), "\x00")
		}
		page := parsePage(t, Options{}, "text/html; charset="+c.charset, body)
		if got := paths(page.Links); got != c.want {
			t.Errorf("%s: %q, want %q", c.charset, got, c.want)
		}
	}
}
