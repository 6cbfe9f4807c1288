package parse

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"mime"
	"strings"
	"testing"
	"unicode/utf8"

	"crawler/weburl"
)

// FuzzSitemap feeds anything as a sitemap, and holds what is well-formed against
// encoding/xml.
func FuzzSitemap(f *testing.F) {
	for _, body := range []string{
		urlset + smURL + "<url>\n<loc>\n http://h.example/b?x=1&amp;y=2 \n</loc><lastmod>2024</lastmod></url></urlset>",
		"<sitemapindex><sitemap><loc>http://h.example/1.xml</loc></sitemap></sitemapindex>",
		urlset + "<url><loc>/<![CDATA[?a&b]]></loc></url></urlset>",
		"<s:urlset xmlns:s='x'><s:url><s:loc>http://h.example/a</s:loc><loc>no</loc></s:url></s:urlset>",
		urlset + "<loc/>http://h.example/no<loc><b>http://h.example/no</b></loc><loc>ftp://x/</loc></urlset>",
		urlset + "<!-- <loc>/no</loc> --><?x <loc>/no</loc> ?><loc>/a<!-- x -->b<?x y?>c</loc></urlset>",
		"\ufeff<?xml version='1.0'?>\n<urlset><url a='<'><loc a=\"/>\">/é</loc></url></urlset>",
		"<rss><channel><link>http://h.example/</link><item><link>/1</link></item></channel></rss>",
		"http://h.example/1\r\n# x\n/no\n", string(gzipped(f, urlset+smURL)), "\xff\xfe<\x00u\x00r\x00l\x00",
	} {
		f.Add([]byte(body), "text/xml")
		f.Add([]byte(body), "")
	}
	base := mustURL(f, "http://h.example/a/b?c")
	p, page := New(Options{MaxLinks: 100}), new(Page)
	f.Fuzz(func(t *testing.T, body []byte, header string) {
		if isGzip(body) {
			return // FuzzParse does these
		}
		if err := p.Parse(Input{URL: base, ContentType: header, Body: body, Sitemap: true}, page); err != nil {
			t.Fatal(err)
		}
		if len(page.Links) > 100 || page.LinksCut && len(page.Links) < 100 {
			t.Errorf("%d links, cut %t", len(page.Links), page.LinksCut)
		}
		for _, l := range page.Links {
			if again, err := weburl.Parse(l.URL.String()); err != nil || again != l.URL {
				t.Errorf("%q is not canonical: %q, %v", l.URL, again, err)
			}
		}
		if page.Kind == KindSitemap && page.Charset == utf8Name && !page.LinksCut {
			compareSitemap(t, body, page, base)
		}
	})
}

// compareSitemap compares with what encoding/xml reads, if the document is
// well-formed and has nothing that HTML and XML read differently.
func compareSitemap(t *testing.T, body []byte, page *Page, base weburl.URL) {
	text := bytes.TrimPrefix(body, []byte("\ufeff"))
	if len(text) > maxLocBytes || bytes.Contains(text, []byte("&#")) || bytes.Contains(text, []byte("link")) || !utf8.Valid(text) {
		return
	}
	locs, err := locsOf(text)
	if err != nil {
		return
	}
	var want []string
	bad := 0
	for _, loc := range locs {
		if u, err := base.Resolve(loc); err == nil {
			want = append(want, u.String())
		} else {
			bad++
		}
	}
	var got []string
	for _, l := range page.Links {
		got = append(got, l.URL.String())
	}
	if d := firstDiff(got, want); d != "" || bad != page.BadLinks {
		t.Errorf("links %s; %d bad, encoding/xml says %d", d, page.BadLinks, bad)
	}
}

var errOther = errors.New("nothing to compare")

// locsOf returns the text of each <loc> up to the next tag.
func locsOf(text []byte) (locs []string, err error) {
	d := xml.NewDecoder(bytes.NewReader(text))
	var root xml.Name
	var open []xml.Name
	loc, reading := "", false
	end := func() {
		if loc = strings.Trim(loc, " \t\n\f\r"); reading && loc != "" {
			locs = append(locs, loc)
		}
		loc, reading = "", false
	}
	for {
		tok, err := d.RawToken()
		if err == io.EOF && len(open) == 0 && root.Local == "urlset" {
			return locs, nil
		}
		if err != nil {
			return nil, err
		}
		switch tok := tok.(type) {
		case xml.Directive:
			return nil, errOther
		case xml.ProcInst:
			end() // to us a tag like any other
		case xml.StartElement:
			end()
			if root.Local == "" {
				root = tok.Name
			} else if len(open) == 0 {
				return nil, errOther // two roots
			}
			open = append(open, tok.Name)
			reading = tok.Name.Local == "loc" && tok.Name.Space == root.Space
		case xml.EndElement:
			end()
			if len(open) == 0 || open[len(open)-1] != tok.Name {
				return nil, errOther
			}
			open = open[:len(open)-1]
		case xml.CharData:
			loc += string(tok)
		}
	}
}

// FuzzContentType holds the reading of Content-Type against package mime, where
// that accepts the value.
func FuzzContentType(f *testing.F) {
	for _, v := range []string{"text/html", "Text/HTML ; Charset=\"UTF-8\"", "text/plain; format=flowed; charset=koi8-r", "a/b; charset=\"a\\\"b\"", "text/html;;charset=x",
		"text/html, text/plain; charset=x", "; charset=x", "text/html; charset", "text/html; charset*=utf-8''x"} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, v string) {
		media, label := mediaType(v)
		want, params, err := mime.ParseMediaType(v)
		if err != nil || strings.ContainsAny(v, `*\`) || !utf8.ValidString(v) || strings.ContainsFunc(v, func(r rune) bool { return r < ' ' || r > '~' }) {
			// RFC 2231 is for mail, and package mime keeps backslashes for old browsers' file
			// names.
			return
		}
		if media != want || label != params["charset"] {
			t.Errorf("%q is %q with charset %q, package mime says %q, %q", v, media, label, want, params["charset"])
		}
	})
}
