package parse

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
)

const (
	urlset = `<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`
	smURL  = `<url><loc>http://h.example/a</loc></url>`
)

func TestKind(t *testing.T) {
	utf16le := func(s string) string {
		b := []byte("\xff\xfe")
		for _, u := range utf16.Encode([]rune(s)) {
			b = append(b, byte(u), byte(u>>8))
		}
		return string(b)
	}
	for _, c := range []struct {
		contentType, body string
		sitemap           bool
		want              Kind
	}{
		{"text/html", "x", false, KindHTML},
		{"Text/HTML ; charset=x", "<?xml?><urlset>", true, KindHTML},
		{"application/xhtml+xml", "x", false, KindXHTML},
		{"text/plain", "<p>x", false, KindText},
		{"text/plain", "http://x/", true, KindURLList},
		{"text/plain", urlset, true, KindSitemap},
		{"text/plain", urlset, false, KindText},
		{"application/xml", urlset, false, KindSitemap},
		{"text/xml", "\ufeff <!-- x > y --> <!DOCTYPE x [ <!ENTITY a 'b>c'> ]>\n<?pi > ?><s:sitemapindex xmlns:s='x'>", false, KindSitemapIndex},
		{"text/xml; charset=utf-16", utf16le(urlset), false, KindSitemap},
		{"application/rss+xml", "<rss version='2.0'>", false, KindFeed},
		{"application/atom+xml", "<feed>", false, KindFeed},
		{"application/rdf+xml", "<rdf:RDF>", false, KindFeed},
		{"image/svg+xml", "<svg>", false, KindOther},
		{"application/xml", "<html xmlns='http://www.w3.org/1999/xhtml'>", false, KindXHTML},
		{"application/xml", "not XML", false, KindOther},
		{"application/xml", "", false, KindOther},
		{"", " \n<!DOCTYPE html>", false, KindHTML},
		{"", "<p>x", false, KindHTML},
		{"", utf16le("<p>x"), false, KindHTML},
		{"", "plain", false, KindText},
		{"", "http://x/", true, KindURLList},
		{"", urlset, false, KindSitemap},
		{"", "\x89PNG\r\n\x1a\n\x00\x00", false, KindOther},
		{"application/octet-stream", urlset, true, KindSitemap},
		{"application/octet-stream", urlset, false, KindOther},
		{"application/octet-stream", "<p>not found", true, KindOther},
		{"image/png", "<a href=x>", false, KindOther},
		{"text/css", "a { }", false, KindOther},
	} {
		page := new(Page)
		in := Input{URL: mustURL(t, "http://h.example/"), ContentType: c.contentType, Body: []byte(c.body), Sitemap: c.sitemap}
		if err := New(Options{}).Parse(in, page); err != nil || page.Kind != c.want {
			t.Errorf("%q, sitemap %t, %.40q: %v %v, want %v", c.contentType, c.sitemap, c.body, page.Kind, err, c.want)
		}
		if page.Kind == KindOther && len(page.Links)+len(page.Words) > 0 {
			t.Errorf("%.40q yields %v", c.body, page)
		}
	}
}

func TestKindNames(t *testing.T) {
	for k := Kind(0); k < kindCount; k++ {
		if k.String() == "" || k.String() == "unknown" {
			t.Errorf("kind %d has no name", k)
		}
	}
	for k := LinkKind(0); k < linkKindCount; k++ {
		if k.String() == "" || k.String() == "unknown" {
			t.Errorf("link kind %d has no name", k)
		}
	}
	if kindCount.String() != "unknown" || linkKindCount.String() != "unknown" {
		t.Error("names of what does not exist")
	}
}

func TestText(t *testing.T) {
	page := parsePage(t, Options{}, "text/plain", "Some &amp; <b>text</b> é <a href=/no>")
	if len(page.Links) != 0 || len(page.Words) != 9 || page.Charset != "utf-8" {
		t.Errorf("%+v", page)
	}
	if page := parsePage(t, Options{}, "text/plain", "\xe9t\xe9"); page.Charset != "windows-1252" || len(page.Words) != 1 {
		t.Errorf("%+v", page)
	}
}

func TestSitemap(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"plain", urlset + smURL + "<url>\n<loc>\n http://h.example/b?x=1&amp;y=2 \n</loc><lastmod>2024</lastmod></url></urlset>", "entry /a entry /b?x=1&y=2"},
		{"index", "<sitemapindex><sitemap><loc>http://h.example/1.xml</loc></sitemap></sitemapindex>", "sitemap /1.xml"},
		{"CDATA", urlset + "<url><loc><![CDATA[http://h.example/a?b&c]]></loc></url>", "entry /a?b&c"},
		{"CDATA in pieces", urlset + "<url><loc>http://h.example/<![CDATA[a&b]]>&#99;<!-- x -->d</loc></url>", "entry /a&bcd"},
		{"namespace prefix", "<sm:urlset xmlns:sm='x'><sm:url><sm:loc>http://h.example/a</sm:loc><loc>http://h.example/no</loc></sm:url>", "entry /a"},
		{"images", urlset + smURL + "<url><image:image><image:loc>http://h.example/no</image:loc></image:image></url>", "entry /a"},
		{"languages", urlset + smURL + `<url><xhtml:link rel="alternate" hreflang="de" href="http://h.example/de?a&amp;b"/></url>`, "entry /a alternate /de?a&b"},
		{"comments", urlset + "<!-- " + smURL + " --><!-- > -->" + smURL + "<?x <loc>http://h.example/no</loc> ?>", "entry /a"},
		{"empty", urlset + "<url><loc></loc><loc/><loc> </loc></url>", ""},
		{"relative", urlset + "<url><loc>/rel</loc></url>", "entry /rel"},
		{"bad", urlset + "<url><loc>ftp://h.example/</loc></url>" + smURL, "entry /a"},
		{"cut off", urlset + smURL + "<url><loc>http://h.example/b", "entry /a entry /b"},
		{"cut off in CDATA", urlset + smURL + "<url><loc><![CDATA[http://h.example/b", "entry /a entry /b"},
		{"cut off in a tag", urlset + smURL + "<url><loc", "entry /a"},
		{"latin1", "<?xml version='1.0' encoding='ISO-8859-1' ?><urlset><url><loc>http://h.example/\xe9</loc></url>", "entry /%C3%A9"},
		{"utf-8", "<urlset><url><loc>http://h.example/é</loc></url>", "entry /%C3%A9"},
		{"RSS", "<rss><channel><title>Feed &amp; <![CDATA[more & more]]></title><link>http://h.example/</link><item><title>x</title><link>http://h.example/1</link>" +
			"<guid>http://h.example/no</guid></item><atom:link rel='self' href='http://h.example/no'/><atom:link rel='next' href='http://h.example/2'/>", "entry / entry /1 next /2"},
		{"Atom", "<feed><link href='http://h.example/a'/><link rel='alternate' href='/b'/><link rel='self' href='/no'/><link rel='next' href='/c'/>", "entry /a entry /b next /c"},
	} {
		page := parsePage(t, Options{}, "application/xml", c.body)
		var got []string
		for _, l := range page.Links {
			got = append(got, l.Kind.String(), l.URL.RequestURI())
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if c.name == "RSS" && page.Title != "Feed & more & more" {
			t.Errorf("title %q", page.Title)
		}
		if c.name == "bad" && page.BadLinks != 1 {
			t.Errorf("%d bad links", page.BadLinks)
		}
	}
}

func gzipped(t testing.TB, s string) []byte {
	t.Helper()
	var buf bytes.Buffer
	zw := gzip.NewWriter(&buf)
	if _, err := zw.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestGzippedSitemap(t *testing.T) {
	p, page := New(Options{}), new(Page)
	in := Input{URL: mustURL(t, "http://h.example/sitemap.xml.gz"), ContentType: "application/x-gzip", Body: gzipped(t, urlset+smURL)}
	if err := p.Parse(in, page); err != nil || page.Kind != KindSitemap || paths(page.Links) != "/a" {
		t.Errorf("%v, %+v", err, page)
	}
	in.ContentType = "text/xml"
	in.Sitemap = true
	if err := p.Parse(in, page); err != nil || paths(page.Links) != "/a" {
		t.Errorf("%v, %+v", err, page)
	}
	in.Body = in.Body[:len(in.Body)-8] // the checksum is gone, the text is all there
	if err := p.Parse(in, page); err == nil || paths(page.Links) != "/a" {
		t.Errorf("%v, %+v", err, page)
	}
	in.Body = []byte("\x1f\x8b\x08")
	if err := p.Parse(in, page); err == nil || !strings.Contains(err.Error(), "sitemap.xml.gz") {
		t.Errorf("%v, %+v", err, page)
	}
	in.Body = gzipped(t, "http://h.example/1\nhttp://h.example/2\n")
	in.ContentType = "text/plain"
	if err := p.Parse(in, page); err != nil || page.Kind != KindURLList || paths(page.Links) != "/1 /2" {
		t.Errorf("%v, %+v", err, page)
	}
}

// TestArchives: only what says it is a sitemap is unpacked.
func TestArchives(t *testing.T) {
	page := new(Page)
	in := Input{URL: mustURL(t, "http://h.example/dump.html.gz"), ContentType: "application/gzip", Body: gzipped(t, urlset+smURL)}
	if err := New(Options{}).Parse(in, page); err != nil || page.Kind != KindOther {
		t.Errorf("%v %v", err, page.Kind)
	}
	in.URL, in.Body = mustURL(t, "http://h.example/page.xml.gz"), gzipped(t, "<p>no sitemap")
	if err := New(Options{}).Parse(in, page); err != nil || page.Kind != KindOther {
		t.Errorf("%v %v", err, page.Kind)
	}
}

// TestGzipBomb: what unpacks to more than the limit is cut there and says so.
func TestGzipBomb(t *testing.T) {
	body := gzipped(t, urlset+smURL)
	body = append(body, bytes.Repeat(gzipped(t, strings.Repeat(" ", 1<<20)), MaxSitemapBytes>>20)...)
	body = append(body, gzipped(t, smURL)...)
	page := new(Page)
	in := Input{URL: mustURL(t, "http://h.example/"), ContentType: "application/gzip", Body: body, Sitemap: true}
	if err := New(Options{}).Parse(in, page); err != nil || paths(page.Links) != "/a" || !page.LinksCut {
		t.Errorf("%v, %s, cut %t", err, paths(page.Links), page.LinksCut)
	}
}

func TestURLList(t *testing.T) {
	page := new(Page)
	in := Input{URL: mustURL(t, "http://h.example/"), ContentType: "text/plain", Sitemap: true,
		Body: []byte("\ufeffhttp://h.example/1\r\n\r\n  https://h.example/2  \n# a comment\nno-url\nftp://x/\n//h.example/3\rhttp://h.example/é?a&amp;b")}
	if err := New(Options{}).Parse(in, page); err != nil {
		t.Fatal(err)
	}
	if got, want := paths(page.Links), "/1 /2 /3 /%C3%A9?a&amp;b"; got != want || page.BadLinks != 2 {
		t.Errorf("%q and %d bad, want %q", got, page.BadLinks, want)
	}
	for _, l := range page.Links {
		if l.Kind != Entry {
			t.Errorf("%v", l)
		}
	}
}

func TestMaxLinksOfSitemap(t *testing.T) {
	page := parsePage(t, Options{MaxLinks: 10}, "text/xml", urlset+strings.Repeat(smURL, 11))
	if len(page.Links) != 10 || !page.LinksCut {
		t.Errorf("%d links, cut %t", len(page.Links), page.LinksCut)
	}
}

func TestXHTML(t *testing.T) {
	const body = `<?xml version="1.0" encoding="iso-8859-1"?><!DOCTYPE html [ <!ENTITY x "y>z"> ]>
<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="de"><head><title>Gr` + "\xf6" + `&#223;e <![CDATA[& <b>]]></title>
<script src="a.js"/><style/><link rel="next" href="2"/>
<script>if (a &lt; b) { "<em>hidden</em>" }</script><style><![CDATA[ p > a { } ]]></style></head>
<body><p>eins<br/>zwei <![CDATA[drei & <a href="no">]]> <a href="1?a&amp;b"/><!-- no --!> <a href="no"/> -->
<title/><textarea>vier <a href="3"/></textarea><template>nein<template/></template><noscript>nein</noscript>
<?php "<a href='no'/>" ?>f&#252;nf</p></script></body></html>`
	var words []string
	page := parsePage(t, Options{OnWord: func(w []byte) { words = append(words, string(w)) }}, "application/xhtml+xml", body)
	if got, want := paths(page.Links), "/p/2 /p/1?a&b /p/3"; got != want {
		t.Errorf("links %q, want %q", got, want)
	}
	if got, want := fmt.Sprint(words), "[größe b eins zwei drei a href no vier fünf]"; got != want {
		t.Errorf("words %s, want %s", got, want)
	}
	if page.Title != "Größe & <b>" || page.Lang != "de" || page.Charset != "windows-1252" || page.Kind != KindXHTML {
		t.Errorf("%q %q %q %v", page.Title, page.Lang, page.Charset, page.Kind)
	}
}

// <noscript> is in XHTML what it is in HTML, but that it can close itself.
func TestXHTMLNoScript(t *testing.T) {
	for _, c := range []struct{ body, links, words, title string }{
		{`<p>a<noscript>b<a href="1">c</a><p>d</p><iframe src="2">e</iframe><![CDATA[f]]></noscript>g</p>`, "/p/1 /p/2", "a g", ""},
		{`<head><noscript><link rel="next" href="1"/><meta http-equiv="refresh" content="0;url=2"/>a</noscript><title>b</title></head>`, "/p/1 /p/2", "b", "b"},
		{`<noscript><title>a</title></noscript><title>b<noscript>c<![CDATA[d]]></noscript>e</title>`, "", "b e", "be"},
		{`a<noscript/>b`, "", "a b", ""},
		{`a<noscript>b<a href="1">c`, "/p/1", "a", ""},
		{`a</noscript>b</script>c`, "", "a b c", ""},
		{`a<noscript>b<noscript>c</noscript>d</noscript>e`, "", "a d e", ""},
		{`a<template>b<noscript>c<a href="1">d</a></noscript>e</template>f<template><noscript>g</template>h`, "/p/1", "a f h", ""},
		{`a<noscript><template>b</noscript>c</template>d</noscript>e`, "", "a e", ""},
		{`a<noscript>b</script>c<script>d</script></style>e</noscript>f`, "", "a f", ""},
	} {
		var words []string
		page := parsePage(t, Options{OnWord: func(w []byte) { words = append(words, string(w)) }}, "application/xhtml+xml; charset=utf-8", c.body)
		if got := strings.Join(words, " "); got != c.words || paths(page.Links) != c.links || page.Title != c.title {
			t.Errorf("%s: links %q, words %q, title %q", c.body, paths(page.Links), got, page.Title)
		}
	}
}
