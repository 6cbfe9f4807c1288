package crawl_test

import (
	"net/http"
	"strings"
	"testing"
)

// Films, archives and their like are cut early, whatever the header calls them; pages,
// also long ones, and pictures that are XML are not.
func TestBinariesAreCutEarly(t *testing.T) {
	text := "<title>t</title>" + strings.Repeat("<p>words of a long page", 30_000)
	film := "\x1aE\xdf\xa3" + strings.Repeat("\x00\x01\x02\x03", 200_000) // WebM
	zip := "PK\x03\x04" + strings.Repeat("\x00\x01\x02\x03", 200_000)
	for _, tt := range []struct {
		header, body string
		cut          bool
	}{
		{"video/webm", film, true},
		{"image/png", film, true},
		{"application/pdf", film, true},
		{"application/octet-stream", film, true},
		{"application/octet-stream", zip, true},
		{"text/html", zip, true},
		{"text/html; charset=utf-8", film, true},
		{"text/html", text, false},
		{"application/octet-stream", text, false},
		{"image/svg+xml", text, false},
		{"text/html; charset=utf-16le", strings.ReplaceAll(text[:300<<10], "", "\x00")[1:], false},
	} {
		s := newSite(map[string]*page{"a.example/": {html: tt.body, header: http.Header{"Content-Type": {tt.header}}}})
		n, res := inBubble(t, s, nil, "http://a.example/")
		if len(n.pages) != 1 || n.pages[0].truncated != tt.cut || tt.cut != (res.Bytes <= 256<<10) {
			t.Errorf("%.20q as %s: pages %+v of %d bytes", tt.body, tt.header, n.pages, res.Bytes)
		}
		if tt.cut && res.WireBytes > 300<<10 {
			t.Errorf("%.20q as %s: %d bytes came over the wire", tt.body, tt.header, res.WireBytes)
		}
	}
}
