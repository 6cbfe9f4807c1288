package report

import (
	"encoding/binary"
	"encoding/hex"
	"time"

	"crawler/crawl"
	"crawler/dedup"
)

// PageRecord is one line of pages.jsonl. Why relies on the order: the URL comes first, the
// fingerprints last.
type PageRecord struct {
	URL         string  `json:"url"` // that answered
	Status      int     `json:"status"`
	Depth       int     `json:"depth"`          // links from a seed, as known when it was fetched
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
	Truncated bool                `json:"truncated,omitempty"` // the body or its links were cut
	Challenge string              `json:"challenge,omitempty"` // what stands before the page
	Error     string              `json:"error,omitempty"`     // what went wrong in reading it
	Fields    map[string][]string `json:"fields,omitempty"`    // of --extract
	// Digest and Simhash are of the text, 16 hex digits each: equal texts have equal digests,
	// similar texts have simhashes that differ in few bits.
	Digest  string `json:"digest,omitempty"`
	Simhash string `json:"simhash,omitempty"`
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
		URL: v.URL.String(), Status: v.Status, Depth: v.Depth, Via: v.Via, From: v.From,
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
		r.Digest = hexOf(v.Digest)
	}
	return r
}

// read reports whether the answer's text counts: part of a text is none, and another attempt may
// bring it all.
func read(v *crawl.Visit) bool { return v.Status < 300 && !v.CutOff }

// simhash returns the fingerprint of a page's text, empty for one without words. It
// looks at runs of three words: pages of one template share their words more often
// than their sentences. It costs about 2 ns a word.
func simhash(words []uint64) string {
	if len(words) == 0 {
		return ""
	}
	return hexOf(dedup.SimhashText(words))
}

// hexOf writes 16 hex digits.
func hexOf(v uint64) string {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], v)
	return hex.EncodeToString(b[:])
}
