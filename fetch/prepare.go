package fetch

import (
	"fmt"
	"net/http"
	"net/textproto"
	"net/url"

	"golang.org/x/net/http/httpguts"

	"crawler/weburl"
)

// prepare shows req, which asks for u and whose header is its own, to
// Config.Prepare, and takes over the header that comes back.
//
// The hook gets a request of its own: that which is sent has its path in
// URL.Opaque, where nobody looks who computes a signature, and cannot be changed
// by accident.
func (c *Client) prepare(req *http.Request, u weburl.URL) error {
	at := plainURL(u)
	shown := req.WithContext(req.Context())
	shown.URL, shown.Host = new(at), u.Host()
	if err := c.cfg.Prepare(shown); err != nil {
		return err
	}
	if shown.URL == nil || *shown.URL != at || shown.Host != u.Host() || shown.Method != req.Method ||
		shown.Body != nil || shown.ContentLength != 0 || shown.TransferEncoding != nil || shown.Trailer != nil || shown.Close {
		return errPrepared
	}
	req.Header = shown.Header
	return checkPrepared(req.Header)
}

// plainURL spells u as net/url would.
func plainURL(u weburl.URL) url.URL {
	path, err := url.PathUnescape(u.Path())
	if err != nil {
		path = u.Path() // a stray "%" is itself
	}
	return url.URL{
		Scheme: u.Scheme(), Host: u.Host(), Path: path, RawPath: u.Path(),
		RawQuery: u.Query(), ForceQuery: u.HasQuery(),
	}
}

// checkPrepared refuses a header that net/http would refuse, change or replace.
func checkPrepared(h http.Header) error {
	const agent = "User-Agent"
	if v := h[agent]; len(v) != 1 || v[0] == "" || !httpguts.ValidHeaderFieldValue(v[0]) {
		return fmt.Errorf("user agent %q: %w", v, errHeaderField)
	}
	for name, values := range h {
		if name == agent {
			continue
		}
		if err := checkField(textproto.CanonicalMIMEHeaderKey(name), values); err != nil {
			return err
		}
	}
	return nil
}
