package report

import (
	"encoding/binary"
	"encoding/hex"
	"time"

	"crawler/crawl"
	"crawler/gate"
)

// PageRecord is one line of pages.jsonl. Why relies on the order: the URL comes first, the
// fingerprints last.
type PageRecord struct {
	URL         string  `json:"url"` // that answered
	Status      int     `json:"status"`
	Depth       int     `json:"depth"`          // links from a seed, as known when fetched
	Via         string  `json:"via,omitempty"`  // page with the link here or to the redirects
	From        string  `json:"from,omitempty"` // URL that redirects here, if any
	ContentType string  `json:"content_type"`
	Bytes       int64   `json:"bytes"`
	WireBytes   int64   `json:"wire_bytes,omitempty"` // of the body as it came, compressed or not
	Title       string  `json:"title"`
	Lang        string  `json:"lang,omitempty"`
	Words       int     `json:"words"`
	Links       int     `json:"links"`
	FetchedAt   string  `json:"fetched_at"` // RFC 3339 with milliseconds, in UTC
	Millis      float64 `json:"millis"`
	FirstByte   float64 `json:"first_byte_millis,omitempty"` // from the request to the header's end
	Protocol    string  `json:"protocol,omitempty"`          // "HTTP/1.1", "HTTP/2.0"
	// Server, ETag and Modified are as they were sent; of more than maxHeaderValue bytes the
	// first is cut and the others are left out.
	Server    string              `json:"server,omitempty"`
	ETag      string              `json:"etag,omitempty"`
	Modified  string              `json:"last_modified,omitempty"`
	NoIndex   bool                `json:"noindex,omitempty"`
	Shell     bool                `json:"needs_script,omitempty"`
	Truncated bool                `json:"truncated,omitempty"` // the body or its links were cut
	Challenge string              `json:"challenge,omitempty"` // what stands before the page
	Error     string              `json:"error,omitempty"`     // what went wrong in reading it
	Fields    map[string][]string `json:"fields,omitempty"`    // of --extract
	NewAt     string              `json:"new_at,omitempty"`    // gate.NewAt; "" if unknown
	NewAtBy   string              `json:"new_at_by,omitempty"` // "log", which is exact, or "filter"
	// Digest is of the text, 16 hex digits: equal texts have equal digests.
	Digest string `json:"digest,omitempty"`
	// Signature is 128 bytes, Base64 in the line, from which the resemblance of two texts is
	// estimated.
	Signature []byte `json:"near_signature,omitempty"`
	InLinks   int64  `json:"inlinks,omitempty"` // links known to lead here when it was recorded
}

// maxHeaderValue is how many bytes are kept of a header field.
const maxHeaderValue = 512

// validator returns the value of ETag or Last-Modified, or nothing if it is too long: a part
// of it would match nothing.
func validator(value string) string {
	if len(value) > maxHeaderValue {
		return ""
	}
	return value
}

// millis is a duration in milliseconds, with three decimals.
func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// timeText is a time in UTC with milliseconds, as RFC 3339 has it.
func timeText(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func recordOf(v *crawl.Visit) PageRecord {
	r := PageRecord{
		URL: v.URL.String(), Status: v.Status, Depth: v.Depth, NewAt: gate.NewAt(v.NewAt).Part(), NewAtBy: newAtBy(v.NewAt), Via: v.Via, From: v.From,
		ContentType: v.MediaType, Bytes: v.Bytes, WireBytes: v.WireBytes, Title: v.Page.Title, Lang: v.Page.Lang,
		Words: len(v.Page.Words), Links: len(v.Page.Links), FetchedAt: timeText(v.Started),
		Millis: millis(v.Elapsed), FirstByte: millis(v.FirstByte), Protocol: v.Proto, Server: cutText(v.Server, maxHeaderValue),
		ETag: validator(v.ETag), Modified: validator(v.LastModified), NoIndex: v.Page.NoIndex,
		Truncated: v.Truncated || v.Page.LinksCut, Challenge: v.Challenge, Fields: v.Page.Fields,
	}
	switch {
	case v.ParseErr != nil:
		r.Error = v.ParseErr.Error()
	case v.Page.ExtractErr != nil:
		r.Error = v.Page.ExtractErr.Error()
	}
	if read(v) {
		r.Shell = v.Page.NeedsScript()
		r.Digest = hexOf(v.Digest)
	}
	return r
}

// newAtBy says how it is known where a URL became new.
func newAtBy(at uint8) string {
	switch {
	case gate.NewAt(at).Part() == "":
		return ""
	case gate.NewAt(at)&gate.Estimated != 0:
		return "filter"
	}
	return "log"
}

// read reports whether the answer's text counts: part of a text is none, and another attempt may
// bring it all.
func read(v *crawl.Visit) bool { return v.Status < 300 && !v.CutOff }

// hexOf writes 16 hex digits.
func hexOf(v uint64) string {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], v)
	return hex.EncodeToString(b[:])
}

// parseHex reads what hexOf has written.
func parseHex(digits []byte) (v uint64) {
	for _, c := range digits {
		v = v<<4 + uint64(c&15) + uint64(c>>6)*9 // '0' is 0x30, 'a' is 0x61
	}
	return v
}
