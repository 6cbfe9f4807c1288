package fetch

import (
	"bytes"
	"strings"
)

// Challenge names what stands before the page that was asked for and wants to know whether a
// person is there: "cloudflare", "aws-waf" or "anubis"; "" for an answer of the site itself. The
// first two say so in the header; Anubis is known by the element that holds its task, which must
// be in the first 16 KiB.
func Challenge(res *Response) string {
	switch {
	case strings.EqualFold(first(res.Header, "Cf-Mitigated"), "challenge"):
		return "cloudflare"
	case isAWSChallenge(first(res.Header, "X-Amzn-Waf-Action")):
		return "aws-waf"
	case res.MediaType == "text/html" && hasAnubisTask(res.Body):
		return "anubis"
	}
	return ""
}

// isAWSChallenge reports the two actions of AWS WAF that ask for something.
func isAWSChallenge(action string) bool {
	return strings.EqualFold(action, "challenge") || strings.EqualFold(action, "captcha")
}

// hasAnubisTask looks for the underscore, since every page is asked and few have one.
func hasAnubisTask(body []byte) bool {
	const depth, before, behind = 16 << 10, `id="anubis`, `_challenge"`
	body = body[:min(len(body), depth)]
	for at := 0; ; at++ {
		i := bytes.IndexByte(body[at:], '_')
		if i < 0 {
			return false
		}
		at += i
		if bytes.HasPrefix(body[at:], []byte(behind)) && bytes.HasSuffix(body[:at], []byte(before)) {
			return true
		}
	}
}

// isDocument reports whether body begins as an HTML document does, byte order mark and comments
// aside.
func isDocument(body []byte) bool {
	const longest = len("<!doctype html")
	body = bytes.TrimLeft(trimBOM(body), " \t\r\n\f")
	for bytes.HasPrefix(body, []byte("<!--")) {
		_, behind, closed := bytes.Cut(body, []byte("-->"))
		if !closed {
			return false
		}
		body = bytes.TrimLeft(behind, " \t\r\n\f")
	}
	head := strings.ToLower(string(body[:min(len(body), longest)]))
	for _, begin := range []string{"<!doctype html", "<html", "<head", "<body"} {
		if strings.HasPrefix(head, begin) {
			return true
		}
	}
	return false
}
