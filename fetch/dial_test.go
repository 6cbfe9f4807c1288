package fetch

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

func TestParseResolve(t *testing.T) {
	for _, x := range []struct{ in, from, to string }{
		{"e.com:80:127.0.0.1", "e.com:80", "127.0.0.1:80"},
		{"E.com:8443:10.1.2.3", "e.com:8443", "10.1.2.3:8443"},
		{"e.com:80:::1", "e.com:80", "[::1]:80"},
		{"e.com:80:[::1]", "e.com:80", "[::1]:80"},
		{"[2001:db8::1]:80:127.0.0.1", "[2001:db8::1]:80", "127.0.0.1:80"},
		{"*:443:127.0.0.1", "*:443", "127.0.0.1:443"},
	} {
		from, to, err := ParseResolve(x.in)
		if from != x.from || to != x.to || err != nil {
			t.Errorf("%q: %q, %q, %v", x.in, from, to, err)
		}
	}
	for _, in := range []string{
		"", "e.com", "e.com:80", "e.com:80:", ":80:127.0.0.1", "e.com:0:127.0.0.1", "e.com:99999:127.0.0.1",
		"e.com:http:127.0.0.1", "e.com:80:f.com", "e.com:80:127.0.0.1:8080", "[::1:80:127.0.0.1",
	} {
		if _, _, err := ParseResolve(in); err == nil || !strings.Contains(err.Error(), "HOST:PORT:ADDRESS") {
			t.Errorf("%q: %v", in, err)
		}
	}
}

func TestResolve(t *testing.T) {
	base, _ := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Host) })
	addr := strings.TrimPrefix(base, "http://")
	table := map[string]string{"e.test:80": addr, "*:8080": addr}
	c := newClient(t, Config{Resolve: table})
	for in, want := range map[string]string{
		"http://e.test/":       "e.test",
		"http://f.test:8080/":  "f.test:8080",
		base + "/":             addr,
		"http://[::1]:8080/":   "[::1]:8080",
		"http://E.TEST:80/abc": "e.test",
	} {
		if res := get(t, c, in); string(res.Body) != want {
			t.Errorf("%s: %q, want %q", in, res.Body, want)
		}
	}
	// A dialer of the caller's sees what comes out of the table.
	var seen atomic.Value
	c = newClient(t, Config{Resolve: table, DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		seen.Store(addr)
		return new(net.Dialer).DialContext(ctx, network, addr)
	}})
	if get(t, c, "http://e.test/"); seen.Load() != addr {
		t.Errorf("dialled %v, want %s", seen.Load(), addr)
	}
}

func TestHTTPProxy(t *testing.T) {
	var target atomic.Value
	base, _ := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.RequestURI) })
	origin, _ := url.Parse(base)
	proxy, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if user, pass, _ := parseBasic(r.Header.Get("Proxy-Authorization")); user != "u" || pass != "p" {
			t.Errorf("proxy user %q, password %q", user, pass)
		}
		target.Store(r.RequestURI)
		(&httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(origin) }}).ServeHTTP(w, r)
	})
	p := mustProxy(t, proxy)
	p.User = url.UserPassword("u", "p")
	c := newClient(t, Config{Proxy: p})
	for _, path := range []string{"/a%2Fb?c", "//two//", "/a|b?", "/"} {
		res := get(t, c, "http://e.test"+path)
		if target.Load() != "http://e.test"+path {
			t.Errorf("the proxy was asked for %q, want %q on e.test", target.Load(), path)
		}
		if path == "/a%2Fb?c" && string(res.Body) != path {
			t.Errorf("the server was asked for %q", res.Body)
		}
	}
}

func parseBasic(auth string) (user, pass string, ok bool) {
	return (&http.Request{Header: http.Header{"Authorization": {auth}}}).BasicAuth()
}

// tunnel joins two connections until either ends.
func tunnel(a, b net.Conn) {
	done := make(chan bool, 2)
	copyTo := func(to, from net.Conn) {
		io.Copy(to, from)
		to.Close()
		from.Close()
		done <- true
	}
	go copyTo(a, b)
	go copyTo(b, a)
	<-done
	<-done
}

func TestHTTPSThroughProxy(t *testing.T) {
	srv, cfg := serveTLS(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto+r.RequestURI) })
	proxy := serveRaw(t, func(c net.Conn) { // the request is a CONNECT
		to, err := net.Dial("tcp", srv.Listener.Addr().String())
		if err != nil {
			t.Error(err)
			return
		}
		io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
		tunnel(c, to)
	})
	cfg.Proxy = mustProxy(t, proxy)
	for http2, want := range map[bool]string{false: "HTTP/1.1/x", true: "HTTP/2.0/x"} {
		cfg.HTTP2 = http2
		c, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		// The certificate of httptest has that name.
		if res := get(t, c, "https://example.com/x"); string(res.Body) != want {
			t.Errorf("%q, want %q", res.Body, want)
		}
		c.Close()
	}
}

func TestSOCKS5Proxy(t *testing.T) {
	base, _ := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Host+r.RequestURI) })
	var asked atomic.Value
	proxy := rawListener(t, func(c net.Conn) {
		buf := make([]byte, 300)
		io.ReadFull(c, buf[:3]) // version, one method, none
		c.Write([]byte{5, 0})
		io.ReadFull(c, buf[:5]) // version, connect, 0, name, its length
		n := int(buf[4])
		io.ReadFull(c, buf[:n+2])
		asked.Store(string(buf[:n]))
		c.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
		to, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
		if err != nil {
			t.Error(err)
			return
		}
		tunnel(c, to)
	})
	p := mustProxy(t, proxy)
	p.Scheme = "socks5"
	c := newClient(t, Config{Proxy: p})
	if res := get(t, c, "http://e.test/x"); string(res.Body) != "e.test/x" || asked.Load() != "e.test" {
		t.Errorf("%q, the proxy was asked for %v", res.Body, asked.Load())
	}
	c.Close()
}
