package fetch

import (
	"errors"
	"net/http"
	"strings"
)

// Cookies whose name promises something; see keepsPromise.
const (
	prefixSecure = "__Secure-"
	prefixHost   = "__Host-"
)

var (
	errSecurePrefix = errors.New("a cookie whose name begins with __Secure- is only for https")
	errHostPrefix   = errors.New("a cookie whose name begins with __Host- is only for https, one host and the path /")
)

// keepsPromise returns an error if a cookie that came over the given scheme is not what its name
// says (RFC 6265bis, sections 4.1.3 and 5.7): __Secure- is set over https with Secure, and __Host-
// has no Domain and the Path / besides. So a server can tell such a cookie from one that
// somebody on the way, or on a subdomain, has set. Case does not matter, since some servers
// ignore it.
func keepsPromise(scheme string, c *http.Cookie) error {
	secure := scheme == "https" && c.Secure
	switch {
	case hasPrefixFold(c.Name, prefixSecure) && !secure:
		return errSecurePrefix
	case hasPrefixFold(c.Name, prefixHost) && !(secure && c.Domain == "" && c.Path == "/"):
		return errHostPrefix
	}
	return nil
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// keepCookies gives the jar the cookies of an answer that keep their promise.
func (c *Client) keepCookies(res *Response, cookies []*http.Cookie) {
	kept := cookies[:0]
	for _, k := range cookies {
		if keepsPromise(res.asked.Scheme, k) == nil {
			kept = append(kept, k)
		}
	}
	c.cfg.Jar.SetCookies(&res.asked, kept)
}
