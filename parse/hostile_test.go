package parse

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

// hostile inputs are built to make a careless parser slow, deep or big. Each
// fills about n bytes.
var hostile = []struct {
	name string
	make func(n int) string
}{
	{"less", repeat("<")},
	{"open comments", repeat("<!--")},
	{"comments that almost end", repeat("<!-- -- > --!")},
	{"angles in a comment", prefixed("<!--", ">")},
	{"dashes in a comment", prefixed("<!--", "-")},
	{"bogus comments", repeat("<!x")},
	{"instructions", repeat("<?")},
	{"end tags", repeat("</a>")},
	{"end tags cut off", repeat("</a ")},
	{"open tags", repeat("<a href=")},
	{"open quotes", repeat(`<a href="`)},
	{"mixed quotes", repeat(`<a b="'<c d='"`)},
	{"open scripts", repeat("<script>")},
	{"escaped scripts", repeat("<script><!--<script>")},
	{"script ends that are none", prefixed("<script>", "</scrip")},
	{"script comments", prefixed("<script>", "<!--")},
	{"title ends that are none", prefixed("<title>", "</titl")},
	{"title", prefixed("<title>", "&amp; x")},
	{"open titles", repeat("<title></title")},
	{"textareas", repeat("<textarea></textare")},
	{"deep", repeat("<div>")},
	{"deep formatting", repeat("<b><a href=x>")},
	{"deep SVG", repeat("<svg>")},
	{"deep SVG groups", prefixed("<svg>", "<g>")},
	{"SVG end tags in vain", prefixed("<svg>"+strings.Repeat("<g>", 200), "</x>")},
	{"SVG breakouts", repeat("<svg><g><p>")},
	{"SVG HTML", repeat("<svg><desc><b>")},
	{"SVG CDATA", prefixed("<svg>", "<![CDATA[ ]")},
	{"deep templates", repeat("<template>")},
	{"templates and SVG", repeat("<template><svg></template>")},
	{"many attributes", prefixed("<a ", "b=c ")},
	{"many hrefs", prefixed("<a ", "href=c ")},
	{"attribute name", prefixed("<a ", "b")},
	{"attribute value", func(n int) string { return `<a href="` + strings.Repeat("x/", n/2) + `">` }},
	{"references in a value", func(n int) string { return `<a href="` + strings.Repeat("&amp", n/4) + `">` }},
	{"rel", func(n int) string { return strings.Repeat(`<a href=x rel="`+strings.Repeat("a ", 500)+`">`, n/1000) }},
	{"long rel", func(n int) string { return `<link href=x rel="` + strings.Repeat("a ", n/2) + `">` }},
	{"tag name", prefixed("<", "x")},
	{"ampersands", repeat("&")},
	{"reference names", repeat("&CounterClockwiseContourIntegralx")},
	{"rare references", repeat("&CounterClockwiseContourIntegral;")},
	{"unknown references", repeat("&abcdefghij;")},
	{"number", prefixed("&#", "0")},
	{"letters before a number", repeat("a&#" + strings.Repeat("0", 100) + "32;")},
	{"one word", repeat("a")},
	{"one long word", repeat("é")},
	{"words", repeat("a ")},
	{"NULs", repeat("\x00")},
	{"NULs in words", repeat("a\x00")},
	{"invalid UTF-8", repeat("\xff")},
	{"cut UTF-8", repeat("é\xe2\x82")},
	{"an open link", prefixed("<a href=x>", "<b>&amp; </b>")},
	{"an open link without text", prefixed("<a href=x>", "<p> ")},
	{"bad links", repeat("<a href=javascript:x>")},
	{"links", repeat("<a href=x>")},
	{"different links", func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, "<a href='/%x?&amp;'>", i)
		}
		return b.String()
	}},
	{"bases", repeat("<a href=x><base href=/y>")},
	{"late base", func(n int) string { return strings.Repeat("<a href=x>", n/10) + "<base href=/y>" }},
	{"metas", repeat("<meta name=robots content=noindex>")},
	{"refresh", func(n int) string { return `<meta http-equiv=refresh content="` + strings.Repeat("1", n) + `">` }},
	{"charset", func(n int) string {
		return `<meta http-equiv=content-type content="` + strings.Repeat("charset ", n/8) + `">`
	}},
	{"spaces", repeat(" ")},
	{"plaintext", prefixed("<plaintext>", "<a href=x>")},
	{"noscripts", repeat("<noscript></noscript")},
	{"noscripts closed", repeat("<noscript></noscript>")},
	{"an open noscript", prefixed("<noscript>", "<b></b></x>")},
	{"noscripts and templates", repeat("<template><noscript><svg></template>")},
	{"noscript with SVG", prefixed("<noscript><svg>"+strings.Repeat("<g>", 200), "</x>")},
	{"iframe ends that are none", prefixed("<iframe>", "</ifram")},
	{"control characters in links", repeat("<a href='\x01\x1b\x7f\n'>")},
	{"controls around links", repeat("<a href='\x01\x02\x03\x04\x05\x06\x07\x08'>")},
	{"data links", prefixed("<a href=data:text/html,", "<a>")},
	{"dots in a link", func(n int) string { return `<a href="` + strings.Repeat("../", n/3) + `">` }},
	{"dots forth and back", func(n int) string { return strings.Repeat(`<a href="`+strings.Repeat("a/../", 400)+`">`, n/2000) }},
	{"UTF-16", func(n int) string {
		return "\xff\xfe" + strings.Repeat("<\x00a\x00 \x00h\x00r\x00e\x00f\x00=\x00x\x00>\x00", n/20)
	}},
	{"half of UTF-16 pairs", func(n int) string { return "\xff\xfe" + strings.Repeat("\x3d\xd8", n/2) }},
	{"escapes of ISO-2022", repeat("\x1b$B\x1b(B")},
}

func repeat(s string) func(int) string {
	return func(n int) string { return strings.Repeat(s, n/len(s)) }
}

func prefixed(prefix, s string) func(int) string {
	return func(n int) string { return prefix + strings.Repeat(s, n/len(s)) }
}

// hostileKinds are the ways a hostile body is served.
var hostileKinds = []string{"text/html; charset=utf-8", "application/xhtml+xml", "text/html; charset=gbk"}

// TestHostileIsLinear parses each input at two sizes. Sixteen times the bytes
// may take sixteen times as long; quadratic time would be 256 times.
func TestHostileIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time")
	}
	const small, factor, slack = 8 << 10, 16, 6
	plain, anchors, page := New(Options{Assets: true}), New(Options{Anchors: true}), new(Page)
	base := mustURL(t, "http://h.example/")
	best := func(p *Parser, contentType, body string, rounds int) float64 {
		least := math.Inf(1)
		for range rounds {
			in := Input{URL: base, ContentType: contentType, Body: []byte(body)}
			start := time.Now()
			if err := p.Parse(in, page); err != nil {
				t.Fatal(err)
			}
			least = min(least, time.Since(start).Seconds())
		}
		return max(least, 5e-6)
	}
	for _, h := range hostile {
		kinds := hostileKinds
		if strings.Contains(h.make(small), "<a ") {
			kinds = append(kinds, kinds[0]) // once more with anchors
		}
		for i, contentType := range kinds {
			p := plain
			if i == len(hostileKinds) {
				p = anchors
			}
			one := best(p, contentType, h.make(small), 5)
			many := best(p, contentType, h.make(small*factor), 2)
			if many > one*factor*slack { // or the machine was busy just then
				many = best(p, contentType, h.make(small*factor), 8)
			}
			if many > one*factor*slack {
				t.Errorf("%s as %s: %.0f ns a byte at first, %.0f then", h.name, contentType,
					one*1e9/small, many*1e9/(small*factor))
			}
		}
	}
}

// TestHostileListings does the same for what is not HTML, by running it at a
// size where quadratic time would be felt.
func TestHostileListings(t *testing.T) {
	p, page := New(Options{}), new(Page)
	for _, body := range []string{
		urlset + strings.Repeat("<loc>", 1<<18), urlset + strings.Repeat("<loc>x", 1<<18), urlset + "<loc>" + strings.Repeat("<![CDATA[", 1<<18),
		urlset + "<loc>" + strings.Repeat("<!-- -->", 1<<18), urlset + "<loc>" + strings.Repeat("&amp;", 1<<18), strings.Repeat("<!--", 1<<18),
		"<?xml " + strings.Repeat("<!DOCTYPE [", 1<<18), "<rss>" + strings.Repeat("<link>", 1<<18), strings.Repeat("http://h.example/\n", 1<<18),
		urlset + "<loc><![CDATA[" + strings.Repeat("x", 1<<20), strings.Repeat("\n", 1<<20),
	} {
		for _, contentType := range []string{"text/xml", "text/plain", ""} {
			in := Input{URL: mustURL(t, "http://h.example/"), ContentType: contentType, Sitemap: true, Body: []byte(body)}
			if err := p.Parse(in, page); err != nil {
				t.Error(err)
			}
		}
	}
}

// BenchmarkHostile shows the time per byte at growing sizes.
func BenchmarkHostile(b *testing.B) {
	p, page := New(Options{}), new(Page)
	base := mustURL(b, "http://h.example/")
	for _, h := range hostile {
		for _, size := range []int{64 << 10, 512 << 10, 4 << 20} {
			b.Run(fmt.Sprintf("%s/%dK", strings.ReplaceAll(h.name, " ", "-"), size>>10), func(b *testing.B) {
				in := Input{URL: base, ContentType: hostileKinds[0], Body: []byte(h.make(size))}
				b.SetBytes(int64(len(in.Body)))
				b.ReportAllocs()
				for b.Loop() {
					if err := p.Parse(in, page); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
