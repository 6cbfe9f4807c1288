package graph

import (
	"fmt"
	"strings"
)

// MaxURL is the longest URL a list of URLs takes, in bytes.
const MaxURL = 1 << 16

// The key of a URL is the form in which lists of URLs are sorted and kept: in the order of
// keys, pages of a site stand together, and so do the hosts of a domain (Sort-friendly URI
// Reordering Transform, SURT). https://www.example.com:8443/a?b has the key
//
//	com,example,www:8443)/a?b
//
// A scheme other than https stands behind the rest: a byte 01, then the scheme, nothing
// for http. Hosts that are addresses are not reversed. What has no such form (no scheme,
// or an authority with one of "(),@") is kept as it is, behind a "(". The key holds all of
// the URL: urlOf is the inverse.
const (
	schemeMark = '\x01'
	opaqueMark = '('
	authMark   = ')'
)

// appendKey appends the key of a URL to dst. URLs with control characters or longer than
// MaxURL are refused.
func appendKey(dst []byte, url string) ([]byte, error) {
	if len(url) > MaxURL {
		return dst, fmt.Errorf("URL %.60q...: %d bytes, more than %d", url, len(url), MaxURL)
	}
	for i := range len(url) {
		if url[i] < ' ' {
			return dst, fmt.Errorf("URL %.60q has a control character; make URLs canonical before they are added", url)
		}
	}
	scheme, rest, ok := strings.Cut(url, "://")
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	authority := rest[:end]
	if !ok || scheme == "" || strings.ContainsAny(authority, "(),@") {
		return append(append(dst, opaqueMark), url...), nil
	}
	dst = appendHost(dst, authority)
	dst = append(append(dst, authMark), rest[end:]...)
	switch scheme {
	case "https":
		return dst, nil
	case "http":
		return append(dst, schemeMark), nil
	}
	return append(append(dst, schemeMark), scheme...), nil
}

// appendHost appends the authority with the labels of its host in reverse order.
func appendHost(dst []byte, authority string) []byte {
	host, port := authority, ""
	if i := strings.IndexByte(authority, ':'); i >= 0 {
		host, port = authority[:i], authority[i:]
	}
	last := strings.LastIndexByte(host, '.')
	if last < 0 || last+1 == len(host) || host[0] == '[' || host[last+1] >= '0' && host[last+1] <= '9' {
		return append(dst, authority...)
	}
	for i := last; i >= 0; i = strings.LastIndexByte(host, '.') {
		dst = append(append(dst, host[i+1:]...), ',')
		host = host[:i]
	}
	return append(append(dst, host...), port...)
}

// urlOf returns the URL of a key.
func urlOf(key string) string {
	if key != "" && key[0] == opaqueMark {
		return key[1:]
	}
	authority, rest, _ := strings.Cut(key, string(authMark))
	scheme := "https"
	if i := strings.LastIndexByte(rest, schemeMark); i >= 0 {
		if scheme = rest[i+1:]; scheme == "" {
			scheme = "http"
		}
		rest = rest[:i]
	}
	host, port := authority, ""
	if i := strings.IndexByte(authority, ':'); i >= 0 && strings.Contains(authority[:i], ",") {
		host, port = authority[:i], authority[i:]
	}
	var b strings.Builder
	b.Grow(len(key) + len("https://"))
	b.WriteString(scheme)
	b.WriteString("://")
	for {
		i := strings.LastIndexByte(host, ',')
		b.WriteString(host[i+1:])
		if i < 0 {
			break
		}
		b.WriteByte('.')
		host = host[:i]
	}
	b.WriteString(port)
	b.WriteString(rest)
	return b.String()
}
