package fetch

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"crawler/weburl"
)

var errHook = errors.New("no key for this host")

// signature is what the owner of host expects for a target.
func signature(host, target string) string {
	mac := hmac.New(sha256.New, []byte("key of "+host))
	fmt.Fprintf(mac, "GET %s%s", host, target)
	return hex.EncodeToString(mac.Sum(nil))
}

func signRequest(req *http.Request) error {
	req.Header.Set("X-Signature", signature(req.Host, req.URL.RequestURI()))
	return nil
}

// Many goroutines ask many hosts, and each request bears the signature for its own
// host, robots.txt as well.
func TestPrepareSignsPerHost(t *testing.T) {
	handler := func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Signature") != signature(r.Host, r.RequestURI) || r.Header.Get("Cookie") != "in=1" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		io.WriteString(w, closedFile)
	}
	base, _ := serve(t, handler)
	secure, trust := serveTLS(t, handler)
	for scheme, x := range map[string]struct {
		cfg  Config
		addr string
	}{
		"http":  {Config{}, strings.TrimPrefix(base, "http://")},
		"https": {trust, secure.Listener.Addr().String()},
	} {
		t.Run(scheme, func(t *testing.T) {
			jar, err := LoadCookies(strings.NewReader(".example.com\tTRUE\t/\tFALSE\t0\tin\t1\n"))
			if err != nil {
				t.Fatal(err)
			}
			x.cfg.Jar, x.cfg.Prepare = jar, signRequest
			x.cfg.Resolve = map[string]string{"*:80": x.addr, "*:443": x.addr}
			c := newClient(t, x.cfg)
			robots := NewRobots(c, RobotsConfig{})
			var running sync.WaitGroup
			for i := range 8 {
				running.Go(func() {
					host := fmt.Sprintf("h%d.example.com", i)
					for j := range 10 {
						res, err := c.Get(t.Context(), mustURL(t, fmt.Sprintf("%s://%s/a%%2Fb/%d?q", scheme, host, j)))
						if err != nil {
							t.Error(err)
							return
						}
						if res.Status != 200 || res.Request.Get("X-Signature") != signature(host, fmt.Sprintf("/a%%2Fb/%d?q", j)) {
							t.Errorf("%s: %d, sent %v", res.URL, res.Status, res.Request)
						}
						res.Release()
					}
					rules, err := robots.Fetch(t.Context(), scheme+"://"+host, nil)
					if err != nil || rules.Source() != RobotsGroup {
						t.Errorf("robots.txt of %s: %v, %v", host, rules, err)
					}
				})
			}
			running.Wait()
			if len(c.base.Header) != 3 {
				t.Errorf("the shared header now is %v", c.base.Header)
			}
		})
	}
}

// What Prepare may do, and what keeps the request from being sent.
func TestPrepareRefusals(t *testing.T) {
	var asked atomic.Int64
	var got atomic.Value
	base, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		got.Store(r.Header.Clone())
	})
	const untouched = "map[Accept:[a] Accept-Encoding:[gzip, deflate, br, zstd] User-Agent:[w/1]]"
	set := func(name string, values ...string) func(*http.Request) {
		return func(r *http.Request) { r.Header[name] = values }
	}
	for name, x := range map[string]struct {
		change func(*http.Request)
		sent   string // the header that the server gets; "" if it must get nothing
	}{
		"nothing":           {func(*http.Request) {}, untouched},
		"a value in place":  {func(r *http.Request) { r.Header["Accept"][0] = "b" }, "map[Accept:[b] Accept-Encoding:[gzip, deflate, br, zstd] User-Agent:[w/1]]"},
		"a field":           {set("X-A", "1"), "map[Accept:[a] Accept-Encoding:[gzip, deflate, br, zstd] User-Agent:[w/1] X-A:[1]]"},
		"the user agent":    {set("User-Agent", "z"), "map[Accept:[a] Accept-Encoding:[gzip, deflate, br, zstd] User-Agent:[z]]"},
		"a field less":      {func(r *http.Request) { r.Header.Del("Accept-Encoding") }, "map[Accept:[a] User-Agent:[w/1]]"},
		"another header":    {func(r *http.Request) { r.Header = http.Header{"User-Agent": {"z"}} }, "map[User-Agent:[z]]"},
		"no header":         {func(r *http.Request) { r.Header = nil }, ""},
		"no user agent":     {func(r *http.Request) { r.Header.Del("User-Agent") }, ""},
		"empty user agent":  {set("User-Agent", ""), ""},
		"two user agents":   {set("User-Agent", "a", "b"), ""},
		"user-agent":        {set("user-agent", "b"), ""},
		"Host":              {set("Host", "b.test"), ""},
		"host":              {set("host", "b.test"), ""},
		"Connection":        {set("Connection", "close"), ""},
		"a line break":      {set("X-A", "b\r\nX-B: c"), ""},
		"a blank in a name": {set("X A", "b"), ""},
		"method":            {func(r *http.Request) { r.Method = "POST" }, ""},
		"no URL":            {func(r *http.Request) { r.URL = nil }, ""},
		"another URL":       {func(r *http.Request) { r.URL = &url.URL{Scheme: "http", Host: "b.test", Path: "/"} }, ""},
		"path":              {func(r *http.Request) { r.URL.Path = "/b" }, ""},
		"query":             {func(r *http.Request) { r.URL.RawQuery = "key=1" }, ""},
		"the Host":          {func(r *http.Request) { r.Host = "b.test" }, ""},
		"body":              {func(r *http.Request) { r.Body = http.NoBody }, ""},
		"length":            {func(r *http.Request) { r.ContentLength = 5 }, ""},
		"framing":           {func(r *http.Request) { r.TransferEncoding = []string{"chunked"} }, ""},
		"trailer":           {func(r *http.Request) { r.Trailer = http.Header{"X-A": nil} }, ""},
		"close":             {func(r *http.Request) { r.Close = true }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			asked.Store(0)
			c := newClient(t, Config{UserAgent: "w/1", Header: http.Header{"Accept": {"a"}},
				Prepare: func(r *http.Request) error { x.change(r); return nil }})
			res, err := c.Get(t.Context(), mustURL(t, base+"/a?b"))
			defer res.Release()
			if h := fmt.Sprint(c.base.Header); h != untouched {
				t.Errorf("the header of all requests has become %s", h)
			}
			if x.sent == "" {
				if reasonOf(t, err) != ReasonRequest || res != nil || asked.Load() != 0 {
					t.Errorf("%v, %d requests", err, asked.Load())
				}
				return
			}
			if err != nil || asked.Load() != 1 || fmt.Sprint(got.Load()) != x.sent || fmt.Sprint(res.Request) != x.sent {
				t.Errorf("%v; sent %v, want %s", err, got.Load(), x.sent)
			}
		})
	}
}

// An error of Prepare is of the request, whatever it wraps, unless the caller's
// context has ended.
func TestPrepareError(t *testing.T) {
	base, conns := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("asked") })
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, x := range []struct {
		ctx  context.Context
		err  error
		want Reason
	}{
		{t.Context(), errHook, ReasonRequest},
		{t.Context(), fmt.Errorf("%w: %w", errHook, &net.DNSError{IsNotFound: true}), ReasonRequest},
		{t.Context(), fmt.Errorf("%w: %w", errHook, ErrAddress), ReasonRequest},
		{t.Context(), fmt.Errorf("%w: %w", errHook, context.DeadlineExceeded), ReasonRequest},
		{canceled, fmt.Errorf("%w: %w", errHook, context.Canceled), ReasonCanceled},
	} {
		c := newClient(t, Config{Prepare: func(*http.Request) error { return x.err }})
		res, err := c.Get(x.ctx, mustURL(t, base+"/"))
		if reasonOf(t, err) != x.want || !errors.Is(err, errHook) || res != nil {
			t.Errorf("%v: %v, %v", x.err, res, err)
		}
	}
	c := newClient(t, Config{Prepare: func(*http.Request) error { return errHook }})
	seen := 0
	rules, err := NewRobots(c, RobotsConfig{}).Fetch(t.Context(), base, func(_ weburl.URL, res *Response, err error) bool {
		if seen++; res != nil || !errors.Is(err, errHook) {
			t.Errorf("each sees %v, %v", res, err)
		}
		return false
	})
	if err != nil || rules.Source() != RobotsUnreachable || !errors.Is(rules.Err(), errHook) || seen != 1 {
		t.Errorf("robots.txt: %v, %v; seen %d times", rules, err, seen)
	}
	if conns.Load() != 0 {
		t.Errorf("%d connections", conns.Load())
	}
}

// Prepare is not asked about what the Guard refuses.
func TestPrepareComesAfterTheGuardsPorts(t *testing.T) {
	c := newClient(t, Config{Guard: &Guard{}, Prepare: func(r *http.Request) error {
		t.Errorf("asked about %s", r.URL)
		return nil
	}})
	if _, err := c.Get(t.Context(), mustURL(t, "http://a.test:25/")); reasonOf(t, err) != ReasonPort {
		t.Error(err)
	}
}

// Prepare sees the URL as net/url spells it, and what is sent is spelled as ever.
func TestPrepareURL(t *testing.T) {
	var target atomic.Value
	base, _ := serve(t, func(w http.ResponseWriter, r *http.Request) { target.Store(r.RequestURI) })
	proxied, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	var shown *url.URL
	look := func(r *http.Request) error {
		copied := *r.URL
		shown = &copied
		return nil
	}
	direct, proxy := newClient(t, Config{Prepare: look}), newClient(t, Config{Prepare: look, Proxy: proxied})
	for path, differs := range map[string]bool{
		"/": false, "/a/b.html": false, "/a%2Fb": false, "/%E3%83%84": false, "/a?": false, "/a?b=c&d=%26": false,
		"/?q=a+b": false, "//two": false, "/a:b@c;d=e,f(g)!$'*": false, "/?url=http://e.com/?x": false, "/?a|b": false,
		"/a|b": true,
	} {
		u := mustURL(t, base+path)
		get(t, direct, u.String())
		if target.Load() != u.RequestURI() {
			t.Errorf("asked for %q, want %q", target.Load(), u.RequestURI())
		}
		if (shown.RequestURI() != u.RequestURI()) != differs || (shown.String() != u.String()) != differs {
			t.Errorf("%s: shown %q, %q", u, shown.RequestURI(), shown)
		}
		parsed, err := url.Parse(u.String())
		if err == nil && parsed.Path != shown.Path {
			t.Errorf("%s: Path %q, want %q", u, shown.Path, parsed.Path)
		}
		get(t, proxy, "http://a.test"+path)
		if want := mustURL(t, "http://a.test"+path); target.Load() != want.String() || shown.Host != "a.test" {
			t.Errorf("asked the proxy for %q, shown %v", target.Load(), shown)
		}
	}
	if u := plainURL(mustURL(t, "http://a.test/100%")); u.Path != "/100%" || u.RequestURI() != "/100%25" {
		t.Errorf("a stray percent sign: %q, %q", u.Path, u.RequestURI())
	}
}
