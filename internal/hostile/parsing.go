package hostile

import (
	"fmt"
	"strings"
)

// hardToRead are the acts whose answer is right and whose document is not.
func hardToRead() []act {
	document := func(name, header string, body func(x *exchange) string) act {
		return act{name, answers, func(x *exchange) { x.answer(200, header, body(x)) }}
	}
	return []act{
		document("binary", html, func(x *exchange) string { return "\x7fELF\x02\x01\x01\x00" + x.bytes(50_000) }),
		document("picture", html, func(x *exchange) string { return "\x89PNG\r\n\x1a\n" + x.bytes(50_000) }),
		document("untyped", "", func(x *exchange) string { return x.bytes(5_000) }),
		document("many-links", html, func(x *exchange) string { return tooManyLinks(x, fewAddresses) }),
		document("deep", html, func(x *exchange) string { return strings.Repeat("<div><b>", 20_000) + x.document(10) }),
		document("giant-attribute", html, func(x *exchange) string {
			return "<p title=\"" + strings.Repeat(piece, 10_000) + "\">" + x.document(10)
		}),
		document("no-tag", html, func(x *exchange) string { return strings.Repeat(piece, 10_000) }),
		document("unclosed", html, func(x *exchange) string { return x.document(10) + "<script>" + strings.Repeat("<!-- ", 20_000) }),
		document("controls", html, func(x *exchange) string {
			return "<title>\x1b[2J\x07\u202e\u2028 title</title><a href=\"java\x00script:x\">a</a><a href=\"/\x1b[31m\r\nX: y\">b</a>" + x.document(10)
		}),
		document("wrong-bytes", html, func(x *exchange) string { return x.document(10) + strings.Repeat("\xff\xfe\x00\xc3", 2_000) }),
		document("wrong-charset", "Content-Type: text/html; charset=utf-16\r\n", func(x *exchange) string { return x.document(50) }),
		document("schemes", html, func(x *exchange) string {
			return x.document(10, "javascript:void(0)", "data:text/html,x", "mailto:a@b.example", "file:///etc/hostname", "http://", "http://[", "//", "http://elsewhere.example/x", "tel:1")
		}),
		document("nofollow", html, func(x *exchange) string {
			return "<meta name=robots content=nofollow>" + x.document(10, fmt.Sprint(x.URL.Path, "/behind"))
		}),
		{"no-content", answers, func(x *exchange) { x.keep = x.write(head(204, "")) }},
		{"gone", answers, func(x *exchange) { x.answer(410, html, x.document(20)) }},
	}
}

// fewAddresses is to how many addresses the links of most pages with too many lead.
const fewAddresses = 1000

// tooManyLinks is a page with Config.Links links to its host.
func tooManyLinks(x *exchange, addresses int) string {
	var b strings.Builder
	for i := range x.farm.cfg.Links {
		fmt.Fprintf(&b, "<a href=/l/%d>x</a>", i%addresses)
	}
	return b.String()
}
