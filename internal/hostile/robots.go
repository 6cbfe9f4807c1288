package hostile

import (
	"fmt"
	"strings"
)

// hugeRobots is the size of a robots.txt that is too large.
const hugeRobots = 100 << 20

// robots is a host with a bad robots.txt and some pages.
type robots struct {
	name   string
	closes bool // it cannot be read, which forbids everything (RFC 9309, section 2.3.1.4)
	do     func(x *exchange)
}

func allRobots() []robots {
	const agent = "User-agent: *\n"
	plain := func(body func(x *exchange) string) func(*exchange) {
		return func(x *exchange) { x.answer(200, "Content-Type: text/plain\r\n", body(x)) }
	}
	return []robots{
		{"500", true, func(x *exchange) { x.answer(500, "", "") }},
		{"503", true, func(x *exchange) { x.answer(503, "Retry-After: 1\r\n", "") }},
		{"429", true, func(x *exchange) { x.answer(429, "", "") }},
		{"stalls", true, (*exchange).stall},
		{"drips", true, func(x *exchange) { x.write(head(200, "")); x.drip(strings.Repeat(forbidding, 1000)) }},
		{"reset", true, (*exchange).reset},
		{"not-http", true, noise},
		{"bomb", false, bomb("gzip")},
		{"circle", false, func(x *exchange) { x.redirectTo("/robots.txt") }},
		{"far", false, func(x *exchange) { x.redirectTo(fmt.Sprintf("/robots.txt?%sx", x.URL.RawQuery)) }},
		{"huge", false, func(x *exchange) {
			line := "Disallow: /private/" + strings.Repeat("x", 100) + "*y$\n"
			x.write(head(200, "") + agent + "Disallow: /private/\n")
			x.flood(strings.Repeat(line, 100), hugeRobots/len(line)/100)
		}},
		{"binary", false, plain(func(x *exchange) string { return x.bytes(100_000) })},
		{"marked", false, plain(func(*exchange) string { return "\xef\xbb\xbf" + forbidding })},
		{"stars", false, plain(func(*exchange) string {
			return agent + strings.Repeat("Disallow: /"+strings.Repeat("*a", 200)+"$\n", 500) + "Disallow: /private/\n"
		})},
		{"sitemaps", false, plain(func(*exchange) string { return strings.Repeat("Sitemap: /s.xml\nX-Unknown: 1\n", 5000) + forbidding })},
		{"missing", false, func(x *exchange) { x.answer(404, html, x.document(10)) }},
	}
}

// open are the hosts whose robots.txt forbids nothing, as it is no robots.txt.
func (r robots) open() bool {
	switch r.name {
	case "bomb", "circle", "far", "binary", "missing":
		return true
	}
	return false
}

func (f *Farm) addRobots() {
	for _, r := range allRobots() {
		f.add(f.at("robots-"+r.name), r.serve)
	}
}

// serve has some pages and, where robots.txt forbids it, a private one.
func (r robots) serve(x *exchange) {
	switch {
	case x.URL.Path == robotsPath:
		r.do(x)
	case r.closes:
		x.farm.violate(x.address() + ", whose robots.txt could not be read")
	case x.forbidden(""):
	case r.open():
		x.answer(200, html, x.document(60, "/a", "/b"))
	default:
		x.answer(200, html, x.document(60, "/a", "/b", "/private/a"))
	}
}
