package fetch

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const page = "<!DOCTYPE html><title>x</title><p>Hello."

func TestGet(t *testing.T) {
	base, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "Text/HTML; charset=UTF-8")
		w.Header().Set("X-Robots-Tag", "noindex")
		io.WriteString(w, page)
	})
	c := newClient(t, Config{})
	before := time.Now()
	res := get(t, c, base+"/a?b")
	if res.Status != 200 || string(res.Body) != page || res.Truncated || res.Proto != "HTTP/1.1" {
		t.Errorf("got %d %q truncated=%v %s", res.Status, res.Body, res.Truncated, res.Proto)
	}
	if res.URL != mustURL(t, base+"/a?b") || res.WireBytes != int64(len(page)) {
		t.Errorf("URL %s, %d wire bytes", res.URL, res.WireBytes)
	}
	if res.ContentType != "Text/HTML; charset=UTF-8" || res.MediaType != "text/html" || res.Header.Get("X-Robots-Tag") != "noindex" {
		t.Errorf("ContentType %q, MediaType %q, header %v", res.ContentType, res.MediaType, res.Header)
	}
	if res.Started.Before(before) || res.Elapsed <= 0 || res.Elapsed > time.Since(before) {
		t.Errorf("Started %v, Elapsed %v", res.Started, res.Elapsed)
	}
}

// What stands in the request line is what stands in the URL, to the byte.
func TestRequestTarget(t *testing.T) {
	var target, host atomic.Value
	base, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		target.Store(r.RequestURI)
		host.Store(r.Host)
	})
	jar, _ := LoadCookies(strings.NewReader(""))
	for name, c := range map[string]*Client{"plain": newClient(t, Config{}), "jar": newClient(t, Config{Jar: jar})} {
		for _, path := range []string{
			"/", "/a/b.html", "/a%2Fb", "/%E3%83%84", "/a?", "/a?b=c&d=%26", "/?q=a+b", "//two", "//two//three/", "/a:b@c;d=e,f(g)!$'*",
			"/?url=http://e.com/?x", "/~u/100%25", "/a|b[c]", "/?a|b",
		} {
			u := mustURL(t, base+path)
			get(t, c, base+path)
			if target.Load() != u.RequestURI() {
				t.Errorf("%s: asked for %q, want %q", name, target.Load(), u.RequestURI())
			}
			if host.Load() != u.Host() {
				t.Errorf("%s: Host %q, want %q", name, host.Load(), u.Host())
			}
		}
	}
}

func TestRequestHeader(t *testing.T) {
	var got atomic.Value
	base, _ := serve(t, func(w http.ResponseWriter, r *http.Request) { got.Store(r.Header.Clone()) })
	c := newClient(t, Config{UserAgent: "walker/1 (+https://e.com)", Header: http.Header{"accept-language": {"de"}, "Accept": {"*/*"}}})
	get(t, c, base+"/")
	want := http.Header{
		"User-Agent":      {"walker/1 (+https://e.com)"},
		"Accept-Language": {"de"},
		"Accept":          {"*/*"},
		"Accept-Encoding": {"gzip, deflate, br, zstd"},
	}
	if h := got.Load().(http.Header); fmt.Sprint(h) != fmt.Sprint(want) {
		t.Errorf("sent %v, want %v", h, want)
	}
	get(t, newClient(t, Config{}), base+"/")
	if ua := got.Load().(http.Header).Get("User-Agent"); ua != DefaultUserAgent {
		t.Errorf("default user agent %q", ua)
	}
}

func TestNewRefuses(t *testing.T) {
	for name, cfg := range map[string]Config{
		"line break in the user agent":   {UserAgent: "a\r\nX: y"},
		"line break in a value":          {Header: http.Header{"X-A": {"b\r\nX-C: d"}}},
		"bare line feed in a value":      {Header: http.Header{"X-A": {"b\nX-C: d"}}},
		"NUL in a value":                 {Header: http.Header{"X-A": {"\x00"}}},
		"line break in a name":           {Header: http.Header{"X-A: b\r\nX-C": {"d"}}},
		"blank in a name":                {Header: http.Header{"X A": {"d"}}},
		"empty name":                     {Header: http.Header{"": {"d"}}},
		"Host":                           {Header: http.Header{"host": {"e.com"}}},
		"Transfer-Encoding":              {Header: http.Header{"Transfer-Encoding": {"chunked"}}},
		"proxy of an unknown scheme":     {Proxy: &url.URL{Scheme: "ftp", Host: "e.com"}},
		"proxy without a host":           {Proxy: &url.URL{Scheme: "http"}},
		"content length of another page": {Header: http.Header{"Content-Length": {"5"}}},
	} {
		if c, err := New(cfg); err == nil {
			c.Close()
			t.Errorf("%s: accepted", name)
		}
	}
	secret := &url.URL{Scheme: "ftp", User: url.UserPassword("u", "hunter2"), Host: "e.com"}
	if _, err := New(Config{Proxy: secret}); strings.Contains(err.Error(), "hunter2") {
		t.Errorf("the error tells the password: %v", err)
	}
}

func TestRedirectIsNotFollowed(t *testing.T) {
	var asked atomic.Int64
	base, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header()["Location"] = []string{"../ü?x=1#top"}
		w.WriteHeader(302)
	})
	c := newClient(t, Config{})
	res := get(t, c, base+"/a/b")
	if res.Status != 302 || res.Location != "../ü?x=1#top" || asked.Load() != 1 {
		t.Errorf("status %d, Location %q, %d requests", res.Status, res.Location, asked.Load())
	}
}

func TestLocationOnlyOnRedirects(t *testing.T) {
	base, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "/x")
		w.WriteHeader(201)
	})
	if res := get(t, newClient(t, Config{}), base+"/"); res.Location != "" {
		t.Errorf("Location %q of a 201", res.Location)
	}
}

func TestErrorPagesAreRead(t *testing.T) {
	base, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(404)
		io.WriteString(w, page)
		if r.URL.Path == "/long" {
			w.Write(make([]byte, 2*maxErrorBody))
		}
	})
	c := newClient(t, Config{})
	if res := get(t, c, base+"/"); res.Status != 404 || string(res.Body) != page || res.Truncated {
		t.Errorf("%d %q truncated=%v", res.Status, res.Body, res.Truncated)
	}
	if res := get(t, c, base+"/long"); len(res.Body) != maxErrorBody || !res.Truncated {
		t.Errorf("%d bytes, truncated=%v", len(res.Body), res.Truncated)
	}
}

func TestNoBody(t *testing.T) {
	base, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/204" {
			w.WriteHeader(204)
		}
		w.Header().Set("Content-Type", "") // do not let the server sniff
	})
	c := newClient(t, Config{})
	for _, path := range []string{"/204", "/empty"} {
		res := get(t, c, base+path)
		if len(res.Body) != 0 || res.Truncated || res.MediaType != "" {
			t.Errorf("%s: %d bytes, truncated=%v, media type %q", path, len(res.Body), res.Truncated, res.MediaType)
		}
	}
}

func TestMaxBody(t *testing.T) {
	const most = 100_000
	base, conns := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var n int
		fmt.Sscan(r.URL.Query().Get("n"), &n)
		if r.URL.Path == "/announced" {
			w.Header().Set("Content-Length", fmt.Sprint(n))
		}
		w.Write(bytes.Repeat([]byte("x"), n))
	})
	c := newClient(t, Config{MaxBody: most})
	for _, path := range []string{"/announced", "/chunked"} {
		for _, n := range []int{0, 1, most - 1, most, most + 1, 50 * most} {
			res := get(t, c, fmt.Sprintf("%s%s?n=%d", base, path, n))
			if len(res.Body) != min(n, most) || res.Truncated != (n > most) {
				t.Errorf("%s, %d bytes: got %d, truncated=%v", path, n, len(res.Body), res.Truncated)
			}
			if res.WireBytes > most+1 {
				t.Errorf("%s, %d bytes: read %d off the wire", path, n, res.WireBytes)
			}
		}
	}
	if conns.Load() > 4 {
		t.Errorf("%d connections; only cut bodies should cost one", conns.Load())
	}
}

func TestBodyLimit(t *testing.T) {
	png := "\x89PNG\x0D\x0A\x1A\x0A" + strings.Repeat("x", 100_000)
	base, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", r.URL.Query().Get("type"))
		if r.URL.Path == "/png" {
			io.WriteString(w, png)
			return
		}
		io.WriteString(w, strings.Repeat(page, 1000))
	})
	c := newClient(t, Config{BodyLimit: func(mediaType string) int64 {
		switch mediaType {
		case "image/png":
			return 0
		case "image/gif":
			return 10
		default:
			return 1 << 20
		}
	}})
	for _, x := range []struct {
		path, media string
		n           int
		cut         bool
	}{
		{"/png?type=image/png", "image/png", 0, true},
		{"/png?type=image/gif", "image/gif", 10, true},
		{"/png", "image/png", 0, true},                                              // sniffed
		{"/png?type=application/octet-stream", "application/octet-stream", 0, true}, // says nothing
		{"/png?type=text/html", "text/html", 0, true},                               // lies
		{"/?type=text/html", "text/html", 1000 * len(page), false},
		{"/", "text/html", 1000 * len(page), false},
	} {
		res := get(t, c, base+x.path)
		if len(res.Body) != x.n || res.Truncated != x.cut || res.MediaType != x.media {
			t.Errorf("%s: %d bytes, truncated=%v, %s", x.path, len(res.Body), res.Truncated, res.MediaType)
		}
		if x.n < 100 && res.WireBytes > 1000 && x.media != "text/html" {
			t.Errorf("%s: read %d bytes off the wire", x.path, res.WireBytes)
		}
	}
}

func TestMediaType(t *testing.T) {
	for header, want := range map[string]string{
		"text/html":                        "text/html",
		" TEXT/HTML ;charset=x":            "text/html",
		"text/html, text/html":             "text/html",
		"application/xhtml+xml; q=1":       "application/xhtml+xml",
		"":                                 "",
		"html":                             "",
		"text/":                            "",
		"/html":                            "",
		"text/ht ml":                       "",
		"text/html/x":                      "",
		"text\x00/html":                    "",
		"; charset=utf-8":                  "",
		"application/vnd.api+json;ext=a/b": "application/vnd.api+json",
	} {
		if got := mediaType(header); got != want {
			t.Errorf("mediaType(%q) = %q, want %q", header, got, want)
		}
	}
}

func TestMediaTypeIsSniffed(t *testing.T) {
	base, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Content-Type"] = nil
		if r.URL.Path == "/bad" {
			w.Header().Set("Content-Type", "unknown")
		}
		io.WriteString(w, page)
	})
	c := newClient(t, Config{})
	if res := get(t, c, base+"/"); res.MediaType != "text/html" || res.ContentType != "" {
		t.Errorf("%q, %q", res.MediaType, res.ContentType)
	}
	if res := get(t, c, base+"/bad"); res.MediaType != "text/html" || res.ContentType != "unknown" {
		t.Errorf("%q, %q", res.MediaType, res.ContentType)
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	at := func(d time.Duration) string { return now.Add(d).Format(http.TimeFormat) }
	for _, x := range []struct {
		value, date string
		want        time.Duration
	}{
		{"120", "", 2 * time.Minute},
		{" 120 ", "", 2 * time.Minute},
		{"0", "", 0},
		{"-5", "", 0},
		{"1.5", "", 0},
		{"soon", "", 0},
		{"99999999", "", maxRetryAfter},
		{"99999999999999999999999999", "", maxRetryAfter},
		{at(time.Minute), "", time.Minute},
		{at(time.Minute), at(0), time.Minute},
		{at(time.Hour), at(time.Hour - time.Minute), time.Minute}, // its clock is an hour ahead
		{at(time.Minute), "nonsense", time.Minute},
		{at(-time.Minute), "", 0},
		{at(10000 * time.Hour), "", maxRetryAfter},
		{now.Add(time.Minute).Format("Monday, 02-Jan-06 15:04:05 GMT"), "", time.Minute},
		{now.Add(time.Minute).Format(time.ANSIC), "", time.Minute},
	} {
		if got := retryAfter(x.value, x.date, now); got != x.want {
			t.Errorf("Retry-After %q, Date %q: %v, want %v", x.value, x.date, got, x.want)
		}
	}
	base, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "17")
		w.WriteHeader(429)
	})
	if res := get(t, newClient(t, Config{}), base+"/"); res.Status != 429 || res.RetryAfter != 17*time.Second {
		t.Errorf("%d, RetryAfter %v", res.Status, res.RetryAfter)
	}
}

// One connection serves page after page, whatever the status, the framing, the
// coding or the rubbish behind it.
func TestConnectionIsReused(t *testing.T) {
	zipped := encode(t, codingGzip, []byte(page))
	base, conns := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/chunked":
			io.WriteString(w, page)
			w.(http.Flusher).Flush()
			io.WriteString(w, page)
		case "/gzip":
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(zipped)
		case "/rubbish":
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(zipped)
			w.(http.Flusher).Flush()
			w.Write(make([]byte, 2000))
		case "/404":
			w.WriteHeader(404)
			io.WriteString(w, page)
		case "/302":
			http.Redirect(w, r, "/", http.StatusFound)
		case "/cut":
			w.Header().Set("Content-Type", "image/png")
			w.Write(make([]byte, 1000))
		default:
			io.WriteString(w, page)
		}
	})
	c := newClient(t, Config{BodyLimit: func(mediaType string) int64 {
		if mediaType == "image/png" {
			return 0
		}
		return 1 << 20
	}})
	for range 5 {
		for _, path := range []string{"/", "/chunked", "/gzip", "/rubbish", "/404", "/302", "/cut"} {
			res, err := c.Get(t.Context(), mustURL(t, base+path))
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			res.Release()
		}
	}
	if conns.Load() != 1 {
		t.Errorf("%d connections for 35 pages, want 1", conns.Load())
	}
}

func TestIdleConnectionsAreBounded(t *testing.T) {
	closed := make(chan struct{}, 100)
	count := func(_ net.Conn, s http.ConnState) {
		if s == http.StateClosed {
			closed <- struct{}{}
		}
	}
	c := newClient(t, Config{MaxConns: 3})
	for range 10 {
		srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, page) }))
		srv.Config.ConnState = count
		srv.Start()
		defer srv.Close()
		get(t, c, srv.URL+"/")
	}
	for range 7 { // hangs if more than three stay open
		<-closed
	}
	select {
	case <-closed:
		t.Error("fewer than three connections stay open")
	default:
	}
}

// serveTLS starts a server that speaks HTTP/2, too, changed by setups if there are
// any, and returns a Config that trusts it.
func serveTLS(t testing.TB, h http.HandlerFunc, setups ...func(*httptest.Server)) (srv *httptest.Server, cfg Config) {
	t.Helper()
	srv = httptest.NewUnstartedServer(h)
	srv.EnableHTTP2 = true
	srv.Config.ErrorLog = quiet()
	srv.TLS = new(tls.Config)
	for _, setup := range setups {
		setup(srv)
	}
	srv.StartTLS()
	t.Cleanup(srv.Close)
	return srv, Config{TLS: srv.Client().Transport.(*http.Transport).TLSClientConfig}
}

func TestHTTP2(t *testing.T) {
	var conns *atomic.Int64
	srv, cfg := serveTLS(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Encoding", "br")
		w.Write(encode(t, codingBrotli, []byte(r.RequestURI+page)))
	}, func(srv *httptest.Server) { conns = countConns(srv) })
	cfg.HTTP2 = true
	c := newClient(t, cfg)
	for i := range 10 {
		path := fmt.Sprintf("/a%%2Fb//%d?", i)
		res := get(t, c, srv.URL+path)
		if res.Proto != "HTTP/2.0" || string(res.Body) != path+page || res.MediaType != "text/html" {
			t.Errorf("%s %q %s", res.Proto, res.Body, res.MediaType)
		}
	}
	if conns.Load() != 1 {
		t.Errorf("%d connections for 10 pages, want 1", conns.Load())
	}
}

func TestHTTP1OverTLS(t *testing.T) {
	srv, cfg := serveTLS(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, page) },
		func(srv *httptest.Server) { srv.EnableHTTP2 = false })
	if res := get(t, newClient(t, cfg), srv.URL+"/"); res.Proto != "HTTP/1.1" || string(res.Body) != page {
		t.Errorf("%s %q", res.Proto, res.Body)
	}
	if cfg.TLS.ClientSessionCache != nil {
		t.Error("New changed the caller's TLS configuration")
	}
}

// A large page must not pin its buffer; a small one's must come back.
func TestBuffersArePooled(t *testing.T) {
	base, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/large" {
			w.Write(make([]byte, 3*maxPooled))
			return
		}
		io.WriteString(w, page)
	})
	c := newClient(t, Config{})
	large := get(t, c, base+"/large")
	if len(large.Body) != 3*maxPooled {
		t.Fatalf("%d bytes", len(large.Body))
	}
	large.Release()
	if large.Body != nil {
		t.Error("Body outlives Release")
	}
	large.Release()
	(*Response)(nil).Release()
	for range 100 {
		res := get(t, c, base+"/")
		if cap(res.Body) > maxPooled {
			t.Fatal("the large buffer came back")
		}
		res.Release()
	}
	// sync.Pool has a place for each processor and forgets at a garbage collection, and at
	// random under the race detector: not every buffer comes back, but without a pool none does.
	const tries = 100
	back := 0
	var before *byte
	for range tries {
		res := get(t, c, base+"/")
		at := &res.Body[:1][0]
		if at == before {
			back++
		}
		before = at
		res.Release()
	}
	if back < tries/10 {
		t.Errorf("%d of %d buffers came back", back, tries)
	}
}

// A buffer that came back twice would be given to two pages.
func TestReleaseTwice(t *testing.T) {
	base, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, page) })
	c := newClient(t, Config{})
	for range 20 { // sync.Pool may drop a buffer, under the race detector at random
		res := get(t, c, base+"/")
		res.Release()
		res.Release()
		a, b := get(t, c, base+"/"), get(t, c, base+"/")
		if &a.Body[:1][0] == &b.Body[:1][0] {
			t.Fatal("two pages share a buffer")
		}
		a.Release()
		b.Release()
	}
}

// Pages in many goroutines must not see each other's buffers or decoders.
func TestConcurrentGets(t *testing.T) {
	var codings = []string{"", codingGzip, codingDeflate, codingBrotli, codingZstd}
	text := func(i int) []byte { return bytes.Repeat(fmt.Appendf(nil, "%d,", i), 5000) }
	base, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var i int
		fmt.Sscan(r.URL.Path[1:], &i)
		body := text(i)
		if coding := codings[i%len(codings)]; coding != "" {
			w.Header().Set("Content-Encoding", coding)
			body = encode(t, coding, body)
		}
		w.Write(body)
	})
	c := newClient(t, Config{})
	errs := make(chan error, 16)
	for worker := range cap(errs) {
		go func() {
			for i := worker * 10; i < worker*10+10; i++ {
				res, err := c.Get(t.Context(), mustURL(t, fmt.Sprintf("%s/%d", base, i)))
				if err == nil && !bytes.Equal(res.Body, text(i)) {
					err = fmt.Errorf("page %d: wrong body", i)
				}
				if err != nil {
					errs <- err
					return
				}
				res.Release()
			}
			errs <- nil
		}()
	}
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

func TestReasonsAreDistinct(t *testing.T) {
	all := Reasons()
	slices.Sort(all)
	if len(slices.Compact(all)) != len(Reasons()) {
		t.Error("a reason is listed twice")
	}
}
