package fetch

import (
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// hostileTimeout ends what a server would drag on for ever; hostileMemory is what a
// page of such a server may cost, the server included.
const (
	hostileTimeout = 20 * time.Second
	hostileMemory  = 24 << 20
)

// A hostileAnswer is what a server sends, byte by byte, and what must come of it.
type hostileAnswer struct {
	name   string // with the section it plays against
	sends  string
	flood  string // sent after it, until the client hangs up
	reason Reason
	status int    // of what is kept; 0 is nothing
	body   string // what is kept of the body
}

const ok200 = "HTTP/1.1 200 OK\r\n"

var hostileAnswers = []hostileAnswer{
	{name: "RFC 9110 6.1 header only, body until close", sends: ok200 + "\r\nabc", status: 200, body: "abc"},
	{name: "RFC 9110 15.2 some interim answers", sends: strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", 3) + "HTTP/1.1 100 Continue\r\n\r\n" + ok200 + "Content-Length: 2\r\n\r\nok", status: 200, body: "ok"},
	{name: "RFC 9110 15.2 a flood of interim answers", flood: "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", reason: ReasonHeader},
	{name: "RFC 9110 15.2 a flood of the shortest interim answers", flood: "HTTP/1.1 199\r\n\r\n", reason: ReasonHeader},
	{name: "RFC 9110 15.2.2 101 unasked", sends: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", flood: "x", reason: ReasonProtocol},
	{name: "RFC 9110 15.3.5 204 with a body", sends: "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello", status: 204},
	{name: "RFC 9110 15.3.5 204 with chunks without end", sends: "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n", flood: "5\r\nhello\r\n", status: 204},
	{name: "RFC 9110 15.4.5 304 with a body", sends: "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\nhello", status: 304},
	{name: "RFC 9110 15 status 099", sends: "HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n", reason: ReasonProtocol},
	{name: "RFC 9110 15 status 1000", sends: "HTTP/1.1 1000 Odd\r\n\r\n", reason: ReasonProtocol},
	{name: "RFC 9110 15 status 999", sends: "HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nok", status: 999, body: "ok"},
	{name: "RFC 9110 15 status -20", sends: "HTTP/1.1 -20 Odd\r\n\r\n", reason: ReasonProtocol},
	{name: "RFC 9110 5.4 a header without end", sends: ok200, flood: "X-Filler: " + strings.Repeat("x", 1000) + "\r\n", reason: ReasonHeader},
	{name: "RFC 9110 5.4 one field without end", sends: ok200 + "X-Filler: ", flood: strings.Repeat("x", 4096), reason: ReasonHeader},
	{name: "RFC 9110 5.4 a status line without end", sends: "HTTP/1.1 200 ", flood: strings.Repeat("x", 4096), reason: ReasonHeader},
	{name: "RFC 9110 5.5 NUL in a field", sends: ok200 + "X: a\x00b\r\nContent-Length: 2\r\n\r\nok", reason: ReasonProtocol},
	{name: "RFC 9110 10.2.2 a Location of 60 KiB", sends: "HTTP/1.1 302 Found\r\nLocation: http://e.test/" + strings.Repeat("x", 60_000) + "\r\nContent-Length: 0\r\n\r\n", status: 302},
	{name: "RFC 9112 2.2 line feeds alone", sends: "HTTP/1.1 200 OK\nContent-Length: 2\n\nok", status: 200, body: "ok"},
	{name: "RFC 9112 2.3 no such version", sends: "HTTP/11.1 200 OK\r\n\r\n", reason: ReasonProtocol},
	{name: "RFC 9112 4 HTTP/0.9", sends: page + "\n", reason: ReasonProtocol},
	{name: "RFC 9112 4 HTTP/0.9 without end", flood: page, reason: ReasonHeader},
	{name: "RFC 9112 4 nothing but line ends", flood: "\r\n", reason: ReasonProtocol},
	{name: "RFC 9112 4 noise", sends: "\xFF\x00\x16\x03\x01\n", reason: ReasonProtocol},
	{name: "RFC 9112 4 noise without end", flood: "\xFF\x00\x16\x03\x01", reason: ReasonHeader},
	{name: "RFC 9112 5.1 blank before the colon", sends: ok200 + "Content-Length : 2\r\n\r\nok", status: 200, body: "ok"},
	{name: "RFC 9112 5.2 folded line", sends: ok200 + "X: a\r\n b\r\nContent-Length: 2\r\n\r\nok", status: 200, body: "ok"},
	{name: "RFC 9112 6.1 chunked and a length", sends: ok200 + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", status: 200, body: "ok"},
	{name: "RFC 9112 6.1 unknown transfer coding", sends: ok200 + "Transfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", reason: ReasonProtocol},
	{name: "RFC 9112 6.3 shorter than its length", sends: ok200 + "Content-Length: 100\r\n\r\nabc", reason: ReasonBody, status: 200, body: "abc"},
	{name: "RFC 9112 6.3 longer than its length", sends: ok200 + "Content-Length: 3\r\n\r\nabc", flood: "def", status: 200, body: "abc"},
	{name: "RFC 9112 6.3 length of 9 exabytes", sends: ok200 + "Content-Length: 9223372036854775807\r\n\r\nabc", reason: ReasonBody, status: 200, body: "abc"},
	{name: "RFC 9112 6.3 length beyond any", sends: ok200 + "Content-Length: 99999999999999999999\r\n\r\nabc", reason: ReasonProtocol},
	{name: "RFC 9112 6.3 negative length", sends: ok200 + "Content-Length: -1\r\n\r\nabc", reason: ReasonProtocol},
	{name: "RFC 9112 6.3 signed length", sends: ok200 + "Content-Length: +3\r\n\r\nabc", reason: ReasonProtocol},
	{name: "RFC 9112 6.3 two lengths", sends: ok200 + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", reason: ReasonProtocol},
	{name: "RFC 9112 6.3 twice the same length", sends: ok200 + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc", status: 200, body: "abc"},
	{name: "RFC 9112 7.1 chunk size is no number", sends: chunked("3\r\nabc\r\nxyz\r\n"), reason: ReasonBody, status: 200, body: "abc"},
	{name: "RFC 9112 7.1 negative chunk", sends: chunked("3\r\nabc\r\n-3\r\nabc\r\n"), reason: ReasonBody, status: 200, body: "abc"},
	{name: "RFC 9112 7.1 chunk size overflows", sends: chunked("3\r\nabc\r\n10000000000000003\r\nabc\r\n"), reason: ReasonBody, status: 200, body: "abc"},
	{name: "RFC 9112 7.1 chunk of 16 exabytes", sends: chunked("3\r\nabc\r\nFFFFFFFFFFFFFFFF\r\nabc"), reason: ReasonBody, status: 200, body: "abcabc"},
	{name: "RFC 9112 7.1 chunk longer than its size", sends: chunked("3\r\nabcdef\r\n0\r\n\r\n"), reason: ReasonBody, status: 200, body: "abc"},
	{name: "RFC 9112 7.1 chunks without end", sends: chunked("3\r\nabc\r\n"), reason: ReasonBody, status: 200, body: "abc"},
	{name: "RFC 9112 7.1 size line without end", sends: chunked("3\r\nabc\r\n"), flood: "0", reason: ReasonBody, status: 200, body: "abc"},
	{name: "RFC 9112 7.1.1 extensions without end", sends: chunked("3\r\nabc\r\n"), flood: "1;" + strings.Repeat("x", 3000) + "\r\nx\r\n", reason: ReasonBody, status: 200, body: "abc"},
	{name: "RFC 9112 7.1.2 trailers without end", sends: chunked("3\r\nabc\r\n0\r\n"), flood: "X: y\r\n", reason: ReasonBody, status: 200, body: "abc"},
	{name: "RFC 9112 8 closed within the header", sends: ok200 + "Content-Length: 2\r\n", reason: ReasonReset},
	{name: "RFC 9112 8 closed within a line", sends: ok200 + "Content-Le", reason: ReasonReset},
	{name: "RFC 9112 9.3 a body without end", sends: ok200 + "Content-Type: text/html\r\n\r\n", flood: page, status: 200, body: "cut"},
	{name: "RFC 9112 9.3 chunks of a byte without end", sends: chunked(""), flood: "1\r\nx\r\n", status: 200, body: "cut"},
}

// muteLog silences the standard logger, where net/http complains about servers, until
// the test ends.
func muteLog(t *testing.T) {
	before := log.Writer()
	log.SetOutput(io.Discard)
	t.Cleanup(func() { log.SetOutput(before) })
}

func chunked(body string) string { return ok200 + "Transfer-Encoding: chunked\r\n\r\n" + body }

// Whatever a server answers, a page costs bounded time and memory, ends with the right
// reason, and what came of it is kept and marked.
func TestHostileAnswers(t *testing.T) {
	const most = 1 << 20
	muteLog(t)
	for _, x := range hostileAnswers {
		t.Run(x.name, func(t *testing.T) {
			base := serveRaw(t, func(c net.Conn) {
				_, err := io.WriteString(c, x.sends)
				flood := strings.Repeat(x.flood, 1+4096/max(len(x.flood), 1))
				for err == nil && x.flood != "" {
					_, err = io.WriteString(c, flood)
				}
			})
			c := newClient(t, Config{Timeout: hostileTimeout, MaxBody: most})
			checkHostile(t, c, base, x, most)
		})
	}
}

// checkHostile asks and holds reason, time, memory and what is kept against x.
func checkHostile(t *testing.T, c *Client, url string, x hostileAnswer, most int) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	started := time.Now()
	res, err := c.Get(t.Context(), mustURL(t, url))
	runtime.ReadMemStats(&after)
	if d := time.Since(started); d >= hostileTimeout/2 {
		t.Errorf("took %v", d)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > hostileMemory {
		t.Errorf("%d bytes were allocated", n)
	}
	if got := reasonOf(t, err); got != x.reason {
		t.Errorf("%q, want %q: %v", got, x.reason, err)
	}
	checkKept(t, x, res, most)
	res.Release()
}

// checkKept holds what came of an answer against what must be kept of it.
func checkKept(t *testing.T, x hostileAnswer, res *Response, most int) {
	t.Helper()
	if res == nil {
		if x.status != 0 {
			t.Error("nothing is kept")
		}
		return
	}
	truncated := x.reason != "" || x.body == "cut"
	if res.Status != x.status || res.Truncated != truncated {
		t.Errorf("status %d, truncated=%v; want %d, %v", res.Status, res.Truncated, x.status, truncated)
	}
	switch {
	case x.body == "cut" && len(res.Body) == most:
	case x.flood != "" && x.reason == ReasonBody && strings.HasPrefix(string(res.Body), x.body):
	case string(res.Body) != x.body:
		t.Errorf("%d bytes are kept: %.100q, want %q", len(res.Body), res.Body, x.body)
	}
}

// A second answer behind the first, unasked, must not become another page's (RFC 9112,
// section 9.2: answers belong to requests in order).
func TestRFC9112_9_2_AnswerNobodyAskedFor(t *testing.T) {
	muteLog(t)
	hungUp := make(chan bool, 2)
	var served atomic.Int64
	base := rawListener(t, func(c net.Conn) {
		for readRequest(c) == nil {
			if served.Add(1) > 1 {
				io.WriteString(c, ok200+"Content-Length: 5\r\n\r\nright")
				continue
			}
			io.WriteString(c, ok200+"Content-Length: 5\r\n\r\nfirst"+ok200+"Content-Length: 5\r\n\r\nwrong")
		}
		hungUp <- true
	})
	c := newClient(t, Config{})
	if res := get(t, c, base+"/1"); string(res.Body) != "first" {
		t.Errorf("%q", res.Body)
	}
	<-hungUp // the client has seen that the server cannot be trusted with another request
	if res := get(t, c, base+"/2"); string(res.Body) != "right" {
		t.Errorf("%q", res.Body)
	}
	c.Close()
}

// hostileHTTP2 is an HTTP/2 server that does answer with each connection's first
// request.
func hostileHTTP2(t *testing.T, answer func(f *http2.Framer, stream uint32) error) (*httptest.Server, Config) {
	t.Helper()
	serve := func(_ *http.Server, c *tls.Conn, _ http.Handler) {
		defer c.Close()
		io.ReadFull(c, make([]byte, len(http2.ClientPreface)))
		f := http2.NewFramer(c, c)
		f.WriteSettings()
		for {
			frame, err := f.ReadFrame()
			if err != nil {
				return
			}
			if h, ok := frame.(*http2.HeadersFrame); ok {
				if answer(f, h.StreamID) != nil {
					return
				}
			}
		}
	}
	srv, cfg := serveTLS(t, nil, func(srv *httptest.Server) {
		srv.EnableHTTP2 = false
		srv.TLS.NextProtos = []string{"h2"}
		srv.Config.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){"h2": serve}
	})
	cfg.HTTP2 = true
	return srv, cfg
}

// h2Header is the header of an answer, as HTTP/2 writes it.
func h2Header(fields ...string) []byte {
	var b strings.Builder
	enc := hpack.NewEncoder(&b)
	for i := 0; i < len(fields); i += 2 {
		enc.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	return []byte(b.String())
}

func h2Headers(f *http2.Framer, stream uint32, fields ...string) error {
	return f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: h2Header(fields...), EndHeaders: true})
}

// forever repeats a step until it fails.
func forever(step func() error) error {
	for {
		if err := step(); err != nil {
			return err
		}
	}
}

// What HTTP/2 offers a server that means ill.
func TestHostileHTTP2(t *testing.T) {
	muteLog(t)
	for _, x := range []struct {
		hostileAnswer
		answer func(f *http2.Framer, stream uint32) error
	}{
		{hostileAnswer{name: "RFC 9113 5.4.2 stream reset before the header", reason: ReasonReset}, func(f *http2.Framer, s uint32) error {
			return f.WriteRSTStream(s, http2.ErrCodeInternal)
		}},
		{hostileAnswer{name: "RFC 9113 6.4 stream reset within the body", reason: ReasonReset, status: 200, body: "abc"}, func(f *http2.Framer, s uint32) error {
			h2Headers(f, s, ":status", "200")
			f.WriteData(s, false, []byte("abc"))
			return f.WriteRSTStream(s, http2.ErrCodeCancel)
		}},
		{hostileAnswer{name: "RFC 9113 6.8 GOAWAY instead of an answer", reason: ReasonReset}, func(f *http2.Framer, s uint32) error {
			f.WriteGoAway(s, http2.ErrCodeInternal, nil)
			return io.EOF // and it hangs up
		}},
		{hostileAnswer{name: "RFC 9113 6.8 GOAWAY and the answer all the same", status: 200, body: "abc"}, func(f *http2.Framer, s uint32) error {
			f.WriteGoAway(s, http2.ErrCodeNo, nil)
			h2Headers(f, s, ":status", "200")
			return f.WriteData(s, true, []byte("abc"))
		}},
		{hostileAnswer{name: "RFC 9113 6.1 data before the header", reason: ReasonProtocol}, func(f *http2.Framer, s uint32) error {
			return f.WriteData(s, true, []byte("abc"))
		}},
		{hostileAnswer{name: "RFC 9113 6.6 a push", reason: ReasonProtocol}, func(f *http2.Framer, s uint32) error {
			return f.WritePushPromise(http2.PushPromiseParam{StreamID: s, PromiseID: 2, BlockFragment: h2Header(":method", "GET"), EndHeaders: true})
		}},
		{hostileAnswer{name: "RFC 9113 6.10 CONTINUATION without end", reason: ReasonProtocol}, func(f *http2.Framer, s uint32) error {
			f.WriteHeaders(http2.HeadersFrameParam{StreamID: s, BlockFragment: h2Header(":status", "200")})
			filler := h2Header("x-filler", strings.Repeat("x", 8000))
			return forever(func() error { return f.WriteContinuation(s, false, filler) })
		}},
		{hostileAnswer{name: "RFC 9113 8.1.1 shorter than its length", reason: ReasonBody, status: 200, body: "abc"}, func(f *http2.Framer, s uint32) error {
			h2Headers(f, s, ":status", "200", "content-length", "100")
			return f.WriteData(s, true, []byte("abc"))
		}},
		{hostileAnswer{name: "RFC 9113 8.1.1 longer than its length", reason: ReasonBody, status: 200, body: "abc"}, func(f *http2.Framer, s uint32) error {
			h2Headers(f, s, ":status", "200", "content-length", "3")
			return f.WriteData(s, true, []byte("abcdef"))
		}},
		{hostileAnswer{name: "RFC 9113 8.1 interim answers without end", reason: ReasonHeader}, func(f *http2.Framer, s uint32) error {
			return forever(func() error { return h2Headers(f, s, ":status", "103", "link", "</x>") })
		}},
		{hostileAnswer{name: "RFC 9113 8.3 no status", reason: ReasonProtocol}, func(f *http2.Framer, s uint32) error {
			return h2Headers(f, s, "content-type", "text/html")
		}},
		{hostileAnswer{name: "RFC 9113 10.5.1 a decompression bomb of a header", reason: ReasonHeader}, func(f *http2.Framer, s uint32) error {
			var b strings.Builder
			enc := hpack.NewEncoder(&b)
			enc.WriteField(hpack.HeaderField{Name: ":status", Value: "200"})
			for range 10_000 { // after the first a byte each
				enc.WriteField(hpack.HeaderField{Name: "x", Value: strings.Repeat("x", 2000)})
			}
			return f.WriteHeaders(http2.HeadersFrameParam{StreamID: s, BlockFragment: []byte(b.String()), EndHeaders: true})
		}},
	} {
		t.Run(x.name, func(t *testing.T) {
			srv, cfg := hostileHTTP2(t, x.answer)
			cfg.Timeout = hostileTimeout
			c := newClient(t, cfg)
			checkHostile(t, c, srv.URL, x.hostileAnswer, 0)
		})
	}
}
