package archive

import (
	"crypto/tls"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"crawler/crawl"
	"crawler/fetch"
	"crawler/warc"
)

// FieldMessage is a field of our own: in a record whose HTTP message is not the bytes that went
// over the wire, it says what the message is.
const FieldMessage = "Crawler-Message"

// reconstructed is the value of FieldMessage for what came over HTTP/2 or through a proxy.
const reconstructed = "reconstructed, body decoded"

// hidden are the fields of an answer that are not true of a decoded body. As in the archives of
// other crawlers they are kept under another name.
var hidden = [...]string{"Content-Encoding", "Transfer-Encoding", "Content-Length"}

const hiddenPrefix = "X-Crawler-"

// describe appends the fields of a response that say whose it is, and how it came.
func (m *maker) describe(h warc.Header, x *crawl.Exchange, date time.Time, exact bool) warc.Header {
	res := x.Response
	h = append(h,
		warc.Field{Name: warc.FieldTargetURI, Value: x.URL.String()},
		warc.Field{Name: warc.FieldDate, Value: warc.Date(date)},
	)
	if ip := res.Remote.Addr(); ip.IsValid() && !m.a.cfg.Proxied {
		h = append(h, warc.Field{Name: warc.FieldIPAddress, Value: ip.Unmap().WithZone("").String()})
	}
	h = append(h, warc.Field{Name: warc.FieldProtocol, Value: protocol(res.Proto)})
	if t := res.TLS; t != nil && !(m.a.cfg.Proxied && !strings.HasPrefix(x.URL.Origin(), "https:")) {
		h = append(h,
			warc.Field{Name: warc.FieldProtocol, Value: tlsVersion(t.Version)},
			warc.Field{Name: warc.FieldCipherSuite, Value: tls.CipherSuiteName(t.CipherSuite)},
		)
	}
	if !exact {
		h = append(h, warc.Field{Name: FieldMessage, Value: reconstructed})
	}
	return h
}

// protocol is a protocol as WARC-Protocol has it: "http/1.1", "h2".
func protocol(proto string) string {
	if strings.HasPrefix(proto, "HTTP/2") {
		return "h2"
	}
	return strings.ToLower(proto)
}

// tlsVersion is a version as WARC-Protocol has it: "tls/1.3".
func tlsVersion(version uint16) string {
	return strings.ToLower(strings.ReplaceAll(tls.VersionName(version), " ", "/"))
}

// answer returns the answer of a server: the bytes of the wire, without interim answers, or, where
// these are not kept, a message made of what is known of it.
func (m *maker) answer(res *fetch.Response) (message []byte, exact bool) {
	if wire := res.WireResponse; len(wire) > 0 {
		return wire[warc.Interim(wire):], true
	}
	b := fmt.Appendf(m.block[:0], "HTTP/1.1 %03d %s\r\n", res.Status, http.StatusText(res.Status))
	for _, name := range slices.Sorted(maps.Keys(res.Header)) {
		as := name
		if slices.Contains(hidden[:], name) {
			as = hiddenPrefix + name
		}
		b = appendLines(b, as, res.Header[name])
	}
	b = append(b, "Content-Length: "...)
	b = strconv.AppendInt(b, int64(len(res.Body)), 10)
	b = append(append(b, "\r\n\r\n"...), res.Body...)
	m.block = b
	return b, false
}

func appendLines(b []byte, name string, values []string) []byte {
	for _, v := range values {
		b = append(append(append(append(b, name...), ": "...), v...), "\r\n"...)
	}
	return b
}

// request makes the request record, and reports whether fields were left out.
func (m *maker) request(r *records, x *crawl.Exchange, id, response string) (left bool, err error) {
	res := x.Response
	h := warc.Header{
		{Name: warc.FieldType, Value: warc.Request},
		{Name: warc.FieldRecordID, Value: id},
		{Name: warc.FieldConcurrentTo, Value: response},
	}
	message, exact := res.WireRequest, len(res.WireRequest) > 0
	if !exact {
		message = fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\n", x.URL.RequestURI(), x.URL.Host())
		for _, name := range slices.Sorted(maps.Keys(res.Request)) {
			message = appendLines(message, name, res.Request[name])
		}
		message = append(message, "\r\n"...)
	}
	block, left := warc.AppendWithout(nil, message, m.a.cfg.LeaveOut)
	h = append(h,
		warc.Field{Name: warc.FieldTargetURI, Value: x.URL.String()},
		warc.Field{Name: warc.FieldDate, Value: warc.Date(r.date)},
		warc.Field{Name: warc.FieldContentType, Value: warc.TypeRequest},
	)
	if !exact {
		h = append(h, warc.Field{Name: FieldMessage, Value: reconstructed})
	}
	return left, m.add(r, warc.Request, h, block, false)
}

// metadata makes the record of what the crawl knows of an exchange.
func (m *maker) metadata(r *records, v *crawl.Visit, x *crawl.Exchange, response string, exact, left bool) error {
	f := warc.Header{{Name: "via", Value: v.Via}, {Name: "hopsFromSeed", Value: hops(v, x)}}
	switch {
	case x.Robots:
		f[0].Value = v.URL.String()
	case v.From != "":
		f = append(f, warc.Field{Name: "redirectedFrom", Value: v.From})
	}
	f = append(f,
		warc.Field{Name: "depth", Value: strconv.Itoa(v.Depth)},
		warc.Field{Name: "fetchTimeMs", Value: strconv.FormatInt(x.Response.Elapsed.Milliseconds(), 10)},
	)
	if x.Err != nil {
		f = append(f, warc.Field{Name: "error", Value: x.Err.Error()})
	}
	if left {
		f = append(f, warc.Field{Name: "requestFieldsLeftOut", Value: strings.Join(m.a.cfg.LeaveOut, ", ")})
	}
	if !exact {
		f = append(f, warc.Field{Name: "message", Value: reconstructed})
	}
	return m.add(r, warc.Metadata, warc.Header{
		{Name: warc.FieldType, Value: warc.Metadata},
		{Name: warc.FieldRecordID, Value: newID()},
		{Name: warc.FieldConcurrentTo, Value: response},
		{Name: warc.FieldTargetURI, Value: x.URL.String()},
		{Name: warc.FieldDate, Value: warc.Date(r.date)},
		{Name: warc.FieldContentType, Value: warc.TypeFields},
	}, warc.AppendFields(nil, f), false)
}

// maxHops is how long a path from a seed is written out.
const maxHops = 100

// hops is the path from a seed as hopsFromSeed has it: L for a link, R for a redirect, P for
// robots.txt, which a page needs.
func hops(v *crawl.Visit, x *crawl.Exchange) string {
	if v.Depth+int(v.Hops) > maxHops {
		return ""
	}
	path := strings.Repeat("L", v.Depth) + strings.Repeat("R", int(v.Hops))
	if x.Robots {
		path += "P"
	}
	return path
}

// tellsItsEnd reports whether the answer's own framing says where its body ends: then one that is
// there to that end is whole, although less of it was decoded.
func tellsItsEnd(r *records, x *crawl.Exchange) bool {
	return len(x.Response.WireResponse) > 0 &&
		(warc.HeaderField(r.head, "Transfer-Encoding") != "" || warc.HeaderField(r.head, "Content-Length") != "")
}

// compressedTypes begin the media types of what is compressed already.
var compressedTypes = [...]string{
	"image/", "video/", "audio/", "font/woff", "application/zip", "application/gzip", "application/x-gzip",
	"application/x-bzip2", "application/x-xz", "application/zstd", "application/x-7z-compressed",
}

// isCompressed reports whether compressing an answer would bring nothing.
func isCompressed(res *fetch.Response) bool {
	if c := res.Header.Get("Content-Encoding"); c != "" && c != "identity" {
		return len(res.WireResponse) > 0 // what is made of the parts is decoded
	}
	if res.MediaType == "image/svg+xml" || res.MediaType == "image/bmp" {
		return false
	}
	return slices.ContainsFunc(compressedTypes[:], func(t string) bool { return strings.HasPrefix(res.MediaType, t) })
}
