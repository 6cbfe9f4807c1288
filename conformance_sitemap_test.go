package crawler_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"crawler/parse"
)

// A sitemapCase is one document on http://h.test/shop/map.xml and what
// sitemaps.org's protocol has a reader take from it: "entry" or "sitemap" with
// each address, those of h.test without the origin.
type sitemapCase struct {
	name, media, body, want string
}

const (
	xmlHead   = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"
	urlsetTag = xmlHead + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`
	indexTag  = xmlHead + `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`
)

func loc(address string) string { return "<url><loc>" + address + "</loc></url>" }

func sitemapCases() []sitemapCase {
	one := urlsetTag + loc("http://h.test/shop/a") + "</urlset>"
	return []sitemapCase{
		{"the sample", "application/xml", urlsetTag + "\n<url>\n<loc>http://h.test/shop/</loc>\n<lastmod>2005-01-01</lastmod>\n<changefreq>monthly</changefreq>\n<priority>0.8</priority>\n</url>\n</urlset>", "entry /shop/"},
		{"several URLs", "application/xml", urlsetTag + loc("http://h.test/shop/a") + loc("http://h.test/shop/b?x=1") + "</urlset>", "entry /shop/a entry /shop/b?x=1"},
		{"text/xml", "text/xml", one, "entry /shop/a"},
		{"a charset", "text/xml; charset=UTF-8", one, "entry /shop/a"},
		{"no type", "", one, "entry /shop/a"},
		{"octet-stream", "application/octet-stream", one, "entry /shop/a"},
		{"plain text that is XML", "text/plain", one, "entry /shop/a"},
		{"byte order mark", "text/xml", "\ufeff" + one, "entry /shop/a"},
		{"UTF-16, big end first", "text/xml", utf16Of(one, "\xfe\xff"), "entry /shop/a"},
		{"UTF-16, little end first", "text/xml", utf16Of(one, "\xff\xfe"), "entry /shop/a"},
		{"no XML declaration", "text/xml", strings.TrimPrefix(one, xmlHead), "entry /shop/a"},
		{"no namespace", "text/xml", "<urlset>" + loc("http://h.test/shop/a") + "</urlset>", "entry /shop/a"},
		{"a namespace prefix", "text/xml", xmlHead + `<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9"><s:url><s:loc>http://h.test/shop/a</s:loc></s:url></s:urlset>`, "entry /shop/a"},
		{"elements of other namespaces", "text/xml", urlsetTag + `<url><loc>http://h.test/shop/a</loc><image:image><image:loc>http://h.test/i.png</image:loc></image:image><video:video><video:player_loc>http://h.test/v</video:player_loc></video:video></url></urlset>`, "entry /shop/a"},
		{"the five entities", "text/xml", urlsetTag + loc("http://h.test/shop/?a=1&amp;b=&apos;&quot;&lt;&gt;") + "</urlset>", "entry /shop/?a=1&b=%27%22%3C%3E"},
		{"numeric references", "text/xml", urlsetTag + loc("http://h.test/shop/&#252;&#xFC;") + "</urlset>", "entry /shop/%C3%BC%C3%BC"},
		{"raw characters beyond ASCII", "text/xml", urlsetTag + loc("http://h.test/shop/ümlat.php&amp;q=name") + "</urlset>", "entry /shop/%C3%BCmlat.php&q=name"},
		{"encoded characters", "text/xml", urlsetTag + loc("http://h.test/shop/%C3%BCmlat.php&amp;q=name") + "</urlset>", "entry /shop/%C3%BCmlat.php&q=name"},
		{"ISO-8859-1 by declaration", "text/xml", `<?xml version="1.0" encoding="ISO-8859-1"?><urlset>` + loc("http://h.test/shop/\xfc") + "</urlset>", "entry /shop/%C3%BC"},
		{"CDATA", "text/xml", urlsetTag + loc("<![CDATA[http://h.test/shop/?a&b]]>") + "</urlset>", "entry /shop/?a&b"},
		{"blanks around", "text/xml", urlsetTag + loc("\n\t http://h.test/shop/a \r\n") + "</urlset>", "entry /shop/a"},
		{"comments", "text/xml", urlsetTag + "<!--" + loc("http://h.test/shop/no") + "-->" + loc("http://h.test/shop/<!-- x -->a") + "</urlset>", "entry /shop/a"},
		{"instructions and a doctype", "text/xml", xmlHead + `<?xml-stylesheet href="x.xsl"?><!DOCTYPE urlset [<!ENTITY e "x>y">]><urlset>` + loc("http://h.test/shop/a") + "</urlset>", "entry /shop/a"},
		{"bad dates, frequencies and priorities", "text/xml", urlsetTag + "<url><loc>http://h.test/shop/a</loc><lastmod>yesterday</lastmod><changefreq>often</changefreq><priority>11</priority></url></urlset>", "entry /shop/a"},
		{"dates with a time", "text/xml", urlsetTag + "<url><lastmod>2004-12-23T18:00:15+00:00</lastmod><loc>http://h.test/shop/a</loc></url></urlset>", "entry /shop/a"},
		{"languages", "text/xml", urlsetTag + `<url><loc>http://h.test/shop/a</loc><xhtml:link rel="alternate" hreflang="de" href="http://h.test/shop/de"/></url></urlset>`, "entry /shop/a alternate /shop/de"},
		{"no URL", "text/xml", urlsetTag + "</urlset>", "-"},
		{"an empty loc", "text/xml", urlsetTag + loc("") + "<url><loc/></url></urlset>", "-"},
		{"other schemes", "text/xml", urlsetTag + loc("ftp://h.test/shop/a") + loc("javascript:x") + "</urlset>", "-"},
		{"the end is missing", "text/xml", urlsetTag + loc("http://h.test/shop/a") + "<url><loc>http://h.test/shop/b</loc>", "entry /shop/a entry /shop/b"},
		{"compressed", "application/x-gzip", gzipOf(one), "entry /shop/a"},
		{"compressed, as octet-stream", "application/octet-stream", gzipOf(one), "entry /shop/a"},
		{"compressed, as XML", "text/xml", gzipOf(one), "entry /shop/a"},
		{"an index", "text/xml", indexTag + "\n<sitemap><loc>http://h.test/shop/1.xml.gz</loc><lastmod>2004-10-01T18:23:17+00:00</lastmod></sitemap><sitemap><loc>http://h.test/shop/2.xml</loc></sitemap></sitemapindex>", "sitemap /shop/1.xml.gz sitemap /shop/2.xml"},
		{"an index, compressed", "application/gzip", gzipOf(indexTag + "<sitemap><loc>http://h.test/shop/1.xml</loc></sitemap></sitemapindex>"), "sitemap /shop/1.xml"},
		// Scrapy (utils/sitemap.py) and ultimate-sitemap-parser take an index's addresses from
		// <loc> alone, whatever element that is in, and pass over an entry that has none.
		{"an index, entries without loc", "text/xml", indexTag + "<sitemap>http://h.test/shop/1.xml</sitemap><sitemap><lastmod>2004-10-01</lastmod></sitemap><sitemap><loc>http://h.test/shop/2.xml</loc></sitemap></sitemapindex>", "sitemap /shop/2.xml"},
		{"an index without any loc", "text/xml", indexTag + "<sitemap>http://h.test/shop/1.xml</sitemap><sitemap><url>http://h.test/shop/2.xml</url></sitemap></sitemapindex>", "-"},
		{"an index of url elements", "text/xml", indexTag + loc("http://h.test/shop/1.xml") + "</sitemapindex>", "sitemap /shop/1.xml"},
		{"a text file", "text/plain", "http://h.test/shop/a\nhttp://h.test/shop/b?x&y\n", "entry /shop/a entry /shop/b?x&y"},
		{"a text file, CR LF", "text/plain", "http://h.test/shop/a\r\nhttp://h.test/shop/b\r\n", "entry /shop/a entry /shop/b"},
		{"a text file, byte order mark", "text/plain", "\ufeffhttp://h.test/shop/a", "entry /shop/a"},
		{"a text file, compressed", "text/plain", gzipOf("http://h.test/shop/a\n"), "entry /shop/a"},
		{"a text file with what is no address", "text/plain", "Our pages:\n\n/shop/b\nhttp://h.test/shop/a", "entry /shop/a"},
		{"RSS 2.0", "application/rss+xml", xmlHead + `<rss version="2.0"><channel><title>t</title><link>http://h.test/shop/</link><item><link>http://h.test/shop/1</link><pubDate>x</pubDate></item></channel></rss>`, "entry /shop/ entry /shop/1"},
		{"Atom 1.0", "application/atom+xml", xmlHead + `<feed xmlns="http://www.w3.org/2005/Atom"><link href="http://h.test/shop/"/><entry><link rel="alternate" href="http://h.test/shop/1"/><updated>x</updated></entry></feed>`, "entry /shop/ entry /shop/1"},
		{"50,000 URLs", "text/xml", urlsetTag + strings.Repeat(loc("http://h.test/shop/a"), 50_000) + "</urlset>", "entry /shop/a (50000 times)"},
		{"more than 50,000 URLs", "text/xml", urlsetTag + strings.Repeat(loc("http://h.test/shop/a"), 50_001) + "</urlset>", "entry /shop/a (50000 times)"},
		{"50 MB unpacked", "application/gzip", spacious(50 << 20), "entry /shop/a"},
		{"more than 50 MB unpacked", "application/gzip", spacious(50<<20 + 1<<10), "-"},
		{"an address of 2,047 bytes", "text/xml", urlsetTag + loc("http://h.test/"+strings.Repeat("a", 2033)), "entry /" + strings.Repeat("a", 2033)},
		{"an address of over 2,047 bytes", "text/xml", urlsetTag + loc("http://h.test/"+strings.Repeat("a", 2034)), "-"},
		{"a relative address", "text/xml", urlsetTag + loc("/shop/a") + "</urlset>", "-"},
		{"another host", "text/xml", urlsetTag + loc("http://other.test/a") + "</urlset>", "-"},
		{"another folder", "text/xml", urlsetTag + loc("http://h.test/catalog/a") + "</urlset>", "-"},
		{"another scheme", "text/xml", urlsetTag + loc("https://h.test/shop/a") + "</urlset>", "-"},
		{"an index of another host", "text/xml", indexTag + "<sitemap><loc>http://other.test/1.xml</loc></sitemap></sitemapindex>", "-"},
	}
}

// TestConformanceSitemaps holds sitemaps against the protocol of sitemaps.org.
func TestConformanceSitemaps(t *testing.T) {
	var count tally
	r := newReader()
	base := mustURL(t, "http://h.test/shop/map.xml")
	for _, c := range sitemapCases() {
		r.read(parse.Input{URL: base, ContentType: c.media, Body: []byte(c.body), Sitemap: true})
		var links []string
		for _, l := range r.page.Links {
			links = append(links, l.Kind.String()+" "+strings.TrimPrefix(l.URL.String(), base.Origin()))
		}
		count.check(t, c.name, orDash(collapse(links)), c.want)
	}
	count.report(t, "sitemaps", 48)
}

// collapse writes one link, repeated, as one.
func collapse(links []string) []string {
	if n := len(links); n > 100 {
		return []string{fmt.Sprintf("%s (%d times)", links[0], n)}
	}
	return links
}

func gzipOf(s string) string {
	var b bytes.Buffer
	zw := gzip.NewWriter(&b)
	_, _ = zw.Write([]byte(s)) // a buffer takes everything
	_ = zw.Close()
	return b.String()
}

// spacious returns a sitemap that unpacks to size bytes, blanks between its
// beginning and its only URL.
func spacious(size int) string {
	last := loc("http://h.test/shop/a")
	blanks := size - len(urlsetTag) - len(last)
	const piece = 1 << 20
	// All are members of one stream.
	return gzipOf(urlsetTag) + strings.Repeat(gzipOf(strings.Repeat(" ", piece)), blanks/piece) +
		gzipOf(strings.Repeat(" ", blanks%piece)+last)
}

// utf16Of returns s in UTF-16 behind the byte order mark.
func utf16Of(s, mark string) string {
	b := []byte(mark)
	for _, u := range utf16.Encode([]rune(s)) {
		if mark[0] == 0xfe {
			b = append(b, byte(u>>8), byte(u))
		} else {
			b = append(b, byte(u), byte(u>>8))
		}
	}
	return string(b)
}
