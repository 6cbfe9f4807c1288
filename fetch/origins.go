package fetch

import (
	"fmt"
	"maps"
	"net/http"
	"net/textproto"
	"slices"

	"crawler/weburl"
)

// OriginHeader is header fields for some origins alone: secrets, above all, which a redirect must
// not carry to somebody else.
type OriginHeader struct {
	Origins []string // each as weburl.URL.Origin spells it, such as "https://example.com"
	Header  http.Header
}

// originRequests returns, for each origin that has fields of its own, what its requests share.
// Origins with the same fields share one. base is what those of all the others share.
func originRequests(base *http.Request, headers []OriginHeader) (map[string]*http.Request, error) {
	of := map[string][]int{} // the entries that concern an origin, in order
	for i, h := range headers {
		for name, values := range h.Header {
			if err := checkField(textproto.CanonicalMIMEHeaderKey(name), values); err != nil {
				return nil, err
			}
		}
		for _, origin := range h.Origins {
			u, err := weburl.Parse(origin + "/")
			if err != nil || u.Origin() != origin {
				return nil, fmt.Errorf("header for %q: that is no origin, such as https://example.com", origin)
			}
			of[origin] = append(of[origin], i)
		}
	}
	requests := make(map[string]*http.Request, len(of))
	made := map[string]*http.Request{}
	for origin, entries := range of {
		entries = slices.Compact(entries)
		key := fmt.Sprint(entries)
		if made[key] == nil {
			made[key] = withFields(base, headers, entries)
		}
		requests[origin] = made[key]
	}
	return requests, nil
}

// withFields returns base with the fields of some headers, of which a later one replaces the same
// field of an earlier one.
func withFields(base *http.Request, headers []OriginHeader, entries []int) *http.Request {
	req := new(http.Request)
	*req = *base
	req.Header = maps.Clone(base.Header)
	for _, i := range entries {
		for name, values := range headers[i].Header {
			req.Header[textproto.CanonicalMIMEHeaderKey(name)] = slices.Clone(values)
		}
	}
	return req
}

// shared returns what all requests for URLs of u's origin share. Its header is never written to.
func (c *Client) shared(u weburl.URL) *http.Request {
	if len(c.origins) == 0 {
		return c.base
	}
	if req, ok := c.origins[u.Origin()]; ok {
		return req
	}
	return c.base
}
