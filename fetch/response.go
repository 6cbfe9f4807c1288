package fetch

import (
	"crypto/tls"
	"net/http"
	"net/netip"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"time"

	"crawler/weburl"
)

// Response is one fetched page. Its body is borrowed: see Release.
type Response struct {
	URL         weburl.URL
	Status      int // 200 to 599 from honest servers, never below 200
	Header      http.Header
	Proto       string // "HTTP/1.1", "HTTP/2.0"
	ContentType string // the header's value, "" when there is none
	MediaType   string // lower-case type/subtype; sniffed from the body when the header has none
	Body        []byte // decoded; valid until Release
	WireBytes   int64  // body bytes read before decoding
	Truncated   bool   // the body is longer than a limit, or broke off
	Location    string // the raw Location of a 3xx
	// RetryAfter is how long the server asks to be left alone, counted from now; 0 if
	// it does not say.
	RetryAfter time.Duration
	Started    time.Time
	// FirstByte is the time from Started until the header had been read. With
	// Config.Trace it ends at the first byte of the answer, or of an interim one (1xx);
	// over HTTP/2 net/http reports that byte when the header is complete.
	FirstByte time.Duration
	Elapsed   time.Duration // from Started to the body's last byte

	// Request is the header that was sent, with the User-Agent, the Accept-Encoding that
	// this package sets, cookies, and what Config.Prepare set. What is added when it is
	// written is missing: Host (in HTTP/2 the pseudo-fields) and, to a proxy,
	// Proxy-Authorization. It must not be modified: without cookies and Prepare, all
	// requests of a Client share it.
	Request http.Header
	// Remote is the other end of the connection: the server, or the proxy. It is zero
	// without Config.Trace, and for a connection of Config.DialContext that is not TCP.
	Remote netip.AddrPort
	// TLS is what was negotiated on the connection; nil for plain http, except that an
	// https proxy's stands here. It must not be modified: all responses over one connection
	// share it.
	TLS *tls.ConnectionState
	// WireRequest and WireResponse are, with Config.KeepWire, every byte of the request and
	// of the answer, interim answers included, as they went over the connection, inside TLS.
	// They are valid until Release. WireResponse ends where reading ended: behind the answer,
	// or where its body was cut.
	WireRequest, WireResponse []byte

	asked url.URL // what the request points to; see Client.request
	buf   *[]byte // where Body lies
	wire  *[]byte // where WireRequest and WireResponse lie
	pools *pools
}

// Release gives the buffers back of Body, WireRequest and WireResponse. These, and
// every slice of them, must not be used any more. Releasing twice, or never, does
// no harm. Do not release a copy of the struct as well: the two share the buffers.
// For a Response that no Client made, Release does nothing.
func (r *Response) Release() {
	if r == nil {
		return
	}
	if r.buf != nil {
		r.pools.putBody(r.buf)
		r.buf, r.Body = nil, nil
	}
	if r.wire != nil {
		r.pools.putBody(r.wire)
		r.wire, r.WireRequest, r.WireResponse = nil, nil, nil
	}
}

// keepWire takes over what went over the connection: the bytes of the request, those of the
// answer, and some that were read ahead, from behind it.
func (r *Response) keepWire(tape *[]byte, request, behind int) {
	r.wire = tape
	r.WireRequest = (*tape)[:request:request]
	r.WireResponse = (*tape)[request : len(*tape)-behind]
}

// setHeader fills in the fields that come from the header.
func (r *Response) setHeader(raw *http.Response) {
	r.Status = raw.StatusCode
	r.Header = raw.Header
	r.Proto = raw.Proto
	r.TLS = raw.TLS
	r.ContentType = first(raw.Header, "Content-Type")
	r.MediaType = mediaType(r.ContentType)
	if raw.StatusCode >= 300 && raw.StatusCode < 400 {
		r.Location = first(raw.Header, "Location")
	}
	if after := first(raw.Header, "Retry-After"); after != "" {
		r.RetryAfter = retryAfter(after, first(raw.Header, "Date"), r.Started)
	}
}

// first is Header.Get for a name in canonical form.
func first(h http.Header, key string) string {
	if v := h[key]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// mediaType cuts the type/subtype out of a Content-Type; "" when there is none
// of that form.
func mediaType(contentType string) string {
	s := contentType
	if i := strings.IndexAny(s, ";,"); i >= 0 {
		s = s[:i]
	}
	s = strings.ToLower(textproto.TrimString(s))
	major, minor, ok := strings.Cut(s, "/")
	if !ok || !isToken(major) || !isToken(minor) {
		return ""
	}
	return s
}

// isToken reports whether s is what RFC 9110, section 5.6.2 calls a token.
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c <= ' ' || c >= 0x7F || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}

// maxRetryAfter is more than any crawl waits, and far from overflowing.
const maxRetryAfter = 30 * 24 * time.Hour

// retryAfter reads both forms of RFC 9110, section 10.2.3. A date is taken
// relative to the server's own Date, if it sent one: its clock may be wrong.
func retryAfter(value, date string, now time.Time) time.Duration {
	value = textproto.TrimString(value)
	if isDigits(value) {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil || seconds > int64(maxRetryAfter/time.Second) {
			return maxRetryAfter
		}
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	if server, err := http.ParseTime(date); err == nil {
		now = server
	}
	return min(max(at.Sub(now), 0), maxRetryAfter)
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
