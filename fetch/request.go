package fetch

import (
	"context"
	"fmt"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpguts"

	"crawler/weburl"
)

// reserved are the fields that net/http sets from elsewhere, or that would
// change the meaning of the connection.
var reserved = [...]string{
	"Host", "Connection", "Content-Length", "Transfer-Encoding", "Te", "Trailer", "Upgrade",
	"Keep-Alive", "Proxy-Connection", "User-Agent",
}

// requestHeader builds the header all requests share.
func requestHeader(cfg *Config) (http.Header, error) {
	if !httpguts.ValidHeaderFieldValue(cfg.UserAgent) {
		return nil, fmt.Errorf("user agent %q: %w", cfg.UserAgent, errHeaderField)
	}
	h := http.Header{
		"User-Agent":      {cfg.UserAgent},
		"Accept":          {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.5"},
		"Accept-Encoding": {acceptEncoding},
	}
	for name, values := range cfg.Header {
		key := textproto.CanonicalMIMEHeaderKey(name)
		if err := checkField(key, values); err != nil {
			return nil, err
		}
		h[key] = append([]string(nil), values...)
	}
	return h, nil
}

func checkField(key string, values []string) error {
	if !httpguts.ValidHeaderFieldName(key) {
		return fmt.Errorf("header %q: %w", key, errHeaderField)
	}
	for _, r := range reserved {
		if key == r {
			return fmt.Errorf("header %q: %w", key, errHeaderField)
		}
	}
	for _, v := range values {
		if !httpguts.ValidHeaderFieldValue(v) {
			return fmt.Errorf("header %s: value %q: %w", key, v, errHeaderField)
		}
	}
	return nil
}

// request makes the request for res. It may not be reused: net/http's writer may
// still use it when RoundTrip has returned. So its URL lives in the Response,
// which is new for each Get anyway.
func (c *Client) request(ctx context.Context, res *Response) (*http.Request, error) {
	req := c.shared(res.URL).WithContext(ctx)
	c.setURL(&res.asked, res.URL)
	req.URL = &res.asked
	var cookies []*http.Cookie
	if c.cfg.Jar != nil {
		cookies = c.cfg.Jar.Cookies(req.URL)
	}
	if len(cookies) > 0 || c.cfg.Prepare != nil {
		req.Header = req.Header.Clone()
	}
	for _, k := range cookies {
		req.AddCookie(k)
	}
	if c.cfg.Prepare != nil {
		if err := c.prepare(req, res.URL); err != nil {
			return nil, &prepareError{err}
		}
	}
	res.Request = req.Header
	return req, nil
}

// setURL fills to from u without parsing. Opaque puts the path on the wire as
// it is spelled: Path would be unescaped and escaped again by other rules than
// weburl's, and a server may distinguish the spellings. Path is there for the
// cookie jar, which looks at nothing else.
func (c *Client) setURL(to *url.URL, u weburl.URL) {
	to.Scheme = u.Scheme()
	to.Host = u.Host()
	to.Path = u.Path()
	to.RawQuery = u.Query()
	to.ForceQuery = u.HasQuery()
	switch {
	case c.absolute && to.Scheme == "http":
		to.Opaque = "//" + to.Host + to.Path // an HTTP proxy wants the whole URL
	case !strings.HasPrefix(to.Path, "//"):
		to.Opaque = to.Path
	default: // would read as a host
		if parsed, err := url.Parse(u.String()); err == nil {
			*to = *parsed
		}
	}
}
