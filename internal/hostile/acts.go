package hostile

import (
	"fmt"
	"strings"
)

// act is one way to misbehave, on one URL.
type act struct {
	name string
	cost cost
	do   func(x *exchange)
}

// cost is what an act does to its host's clock.
type cost uint8

const (
	answers cost = iota // the host has answered, whatever it said
	fails               // the crawler tries again, and slows down
	stalls              // and that takes until its timeout each time
)

// The sizes of what is too large. The crawl is to have a --max-size between
// 1 MiB, from which on ratios count, and bombSize.
const (
	hugeBody   = 16 << 20
	hugeHeader = 4 << 20
	interims   = 20_000
	piece      = "All work and no play makes a crawler a dull program. "
)

// acts are all of them. Those of parsing.go are pages that are hard to read.
func acts() []act {
	all := []act{
		{"header-drips", stalls, func(x *exchange) { x.drip(head(200, html+strings.Repeat("X-Slow: drip\r\n", 100))) }},
		{"header-stalls", stalls, func(x *exchange) { x.write("HTTP/1.1 200 OK\r\nContent-"); x.stall() }},
		{"nothing-comes", stalls, (*exchange).stall},
		{"body-drips", stalls, func(x *exchange) { x.write(head(200, html)); x.drip(strings.Repeat(piece, 100)) }},
		{"body-stalls", stalls, func(x *exchange) { x.partly(0.5); x.stall() }},

		{"reset-at-once", fails, (*exchange).reset},
		{"reset-in-header", fails, func(x *exchange) { x.write("HTTP/1.1 200 OK\r\nContent-"); x.reset() }},
		{"reset-in-body", fails, func(x *exchange) { x.partly(0.5); x.reset() }},
		{"closed-at-once", fails, func(*exchange) {}},
		{"closed-in-header", fails, func(x *exchange) { x.write("HTTP/1.1 200 OK\r\nContent-") }},
		{"unavailable", fails, func(x *exchange) { x.answer(503, html, x.document(20)) }},
		{"too-many", fails, func(x *exchange) { x.answer(429, "Retry-After: 1\r\n", "") }},
		{"broken", fails, func(x *exchange) { x.answer(500, html, x.document(20)) }},

		{"length-too-long", fails, func(x *exchange) { x.partly(0.9) }},
		{"length-too-short", answers, func(x *exchange) { x.partly(1.5); x.keep = true }},
		{"two-lengths", fails, func(x *exchange) { x.write(head(200, html+"Content-Length: 5\r\nContent-Length: 6\r\n") + "hello!") }},
		{"bad-chunks", fails, chunks("zz\r\nhello\r\n")},
		{"cut-chunks", fails, chunks("5\r\nhello\r\n400\r\nworld")},
		{"huge-chunk", fails, chunks("fffffffffffffff0\r\nhello\r\n")},
		{"noise", fails, noise},
		{"no-header", fails, func(x *exchange) { x.write(x.document(50)) }},
		{"interim-flood", fails, func(x *exchange) { x.flood("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", interims) }},
		{"second-answer", answers, func(x *exchange) { x.answer(200, html, x.document(50)); x.answer(200, html, "unasked"); x.keep = false }},
		{"huge-header", answers, func(x *exchange) {
			x.write("HTTP/1.1 200 OK\r\n")
			x.flood("X-Long: "+strings.Repeat("x", 1000)+"\r\n", hugeHeader/1000)
		}},
		{"huge-body", answers, func(x *exchange) {
			x.write(head(200, html))
			x.flood(strings.Repeat(piece, 100), hugeBody/len(piece)/100)
		}},

		{"not-gzip", answers, func(x *exchange) { x.answer(200, html+"Content-Encoding: gzip\r\n", x.document(50)) }},
		{"cut-gzip", answers, func(x *exchange) {
			b := x.farm.bombs["gzip"]
			x.answer(200, html+"Content-Encoding: gzip\r\n", b[:100])
		}},
		{"unknown-coding", answers, func(x *exchange) { x.answer(200, html+"Content-Encoding: lzma\r\n", "\x5d\x00\x00\x80\x00\x00\x01") }},
		{"bomb-gzip", answers, bomb("gzip")},
		{"bomb-br", answers, bomb("br")},
		{"bomb-zstd", answers, bomb("zstd")},
		{"bomb-nested", answers, bomb("gzip, br")},

		{"redirect-to-itself", answers, func(x *exchange) { x.redirectTo(x.RequestURI) }},
		{"redirect-in-a-circle", answers, func(x *exchange) {
			x.redirectTo(x.URL.Path + map[string]string{"": "?b", "b": "?c", "c": ""}[x.URL.RawQuery])
		}},
		{"redirect-without-end", answers, func(x *exchange) { x.redirectTo(fmt.Sprintf("%s?%sx", x.URL.Path, x.URL.RawQuery)) }},
		{"redirect-inside", answers, func(x *exchange) { x.redirectTo("http://" + x.farm.inside.Addr().String() + "/") }},
		{"redirect-to-a-file", answers, func(x *exchange) { x.redirectTo("file:///etc/hostname") }},
		{"redirect-to-a-script", answers, func(x *exchange) { x.redirectTo("javascript:alert(1)") }},
		{"redirect-nowhere", answers, func(x *exchange) { x.redirectTo("") }},
		{"redirect-outside", answers, func(x *exchange) { x.redirectTo("http://elsewhere.example/") }},
		{"redirect-to-the-honest", answers, func(x *exchange) { x.redirectTo("http://" + x.farm.honest.Hosts[0] + "/") }},
		{"redirect-to-the-forbidden", answers, func(x *exchange) { x.redirectTo("/private/redirected") }},
	}
	return append(all, hardToRead()...)
}

// partly announces a document and sends a share of it; above 1 there is noise behind it.
func (x *exchange) partly(share float64) {
	body := x.document(100)
	length := len(body)
	body += strings.Repeat("\x00noise", length/5)
	x.write(head(200, fmt.Sprintf("%sContent-Length: %d\r\n", html, length)) + body[:int(float64(length)*share)])
}

func chunks(body string) func(*exchange) {
	return func(x *exchange) { x.write(head(200, html+"Transfer-Encoding: chunked\r\n") + body) }
}

// noise is bytes at random.
func noise(x *exchange) { x.write(x.bytes(2000)) }

func (x *exchange) bytes(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(x.rand.Uint32())
	}
	return string(b)
}

func bomb(coding string) func(*exchange) {
	return func(x *exchange) { x.answer(200, html+"Content-Encoding: "+coding+"\r\n", x.farm.bombs[coding]) }
}
