package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/net/http2"

	"crawler/weburl"
)

// dialFails is a dialer that fails so.
func dialFails(err error) Config {
	return Config{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
	}}
}

// A provocation makes a Get fail. It returns what to get, with what.
type provocation struct {
	reason Reason
	name   string
	setup  func(t *testing.T) (Config, string)
}

const anywhere = "http://example.com/"

var provocations = []provocation{
	{ReasonAddress, "refused by the dialer", func(t *testing.T) (Config, string) {
		return dialFails(fmt.Errorf("10.0.0.1: %w", ErrAddress)), anywhere
	}},
	{ReasonAddress, "refused by the guard", func(t *testing.T) (Config, string) {
		return Config{Guard: &Guard{}}, "http://" + closedPort(t) + "/"
	}},
	{ReasonPort, "of a mail server", func(t *testing.T) (Config, string) {
		return Config{Guard: &Guard{}}, "http://example.com:25/"
	}},
	{ReasonNoHost, "NXDOMAIN", func(t *testing.T) (Config, string) {
		return withDNS(t, dnsmessage.RCodeNameError), anywhere
	}},
	{ReasonDNS, "SERVFAIL", func(t *testing.T) (Config, string) {
		return withDNS(t, dnsmessage.RCodeServerFailure), anywhere
	}},
	{ReasonDNS, "no answer", func(t *testing.T) (Config, string) {
		pc, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { pc.Close() })
		silent := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "udp", pc.LocalAddr().String())
		}}
		return Config{Resolver: silent, DialTimeout: 100 * time.Millisecond}, anywhere
	}},
	{ReasonConnect, "refused", func(t *testing.T) (Config, string) {
		return Config{}, "http://" + closedPort(t) + "/"
	}},
	{ReasonConnect, "no route", func(t *testing.T) (Config, string) {
		return dialFails(os.NewSyscallError("connect", syscall.EHOSTUNREACH)), anywhere
	}},
	{ReasonConnect, "reset while connecting", func(t *testing.T) (Config, string) {
		return dialFails(os.NewSyscallError("connect", syscall.ECONNRESET)), anywhere
	}},
	{ReasonLocal, "no descriptors left", func(t *testing.T) (Config, string) {
		return dialFails(os.NewSyscallError("socket", syscall.EMFILE)), anywhere
	}},
	{ReasonProxy, "not there", func(t *testing.T) (Config, string) {
		return Config{Proxy: &url.URL{Scheme: "http", Host: closedPort(t)}}, anywhere
	}},
	{ReasonProxy, "refuses to connect", func(t *testing.T) (Config, string) {
		return Config{Proxy: mustProxy(t, answer(t, "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"))}, "https://example.com/"
	}},
	{ReasonProxy, "no SOCKS server", func(t *testing.T) (Config, string) {
		p := mustProxy(t, rawListener(t, func(c net.Conn) { io.WriteString(c, "\x05\xFF"); untilClosed(c) }))
		p.Scheme = "socks5"
		return Config{Proxy: p}, anywhere
	}},
	{ReasonTLS, "unknown authority", func(t *testing.T) (Config, string) {
		srv, _ := serveTLS(t, nil)
		return Config{}, srv.URL
	}},
	{ReasonTLS, "certificate of another name", func(t *testing.T) (Config, string) {
		srv, cfg := serveTLS(t, nil)
		cfg.Resolve = map[string]string{"other.test:443": srv.Listener.Addr().String()}
		return cfg, "https://other.test/"
	}},
	{ReasonHandshake, "plain HTTP server", func(t *testing.T) (Config, string) {
		base, _ := serve(t, nil)
		return Config{}, strings.Replace(base, "http:", "https:", 1)
	}},
	{ReasonHandshake, "server wants a certificate", func(t *testing.T) (Config, string) {
		srv, cfg := serveTLS(t, nil, func(srv *httptest.Server) {
			srv.TLS.ClientAuth = tls.RequireAnyClientCert
			// In 1.3 the handshake is over when the server finds out.
			srv.TLS.MaxVersion = tls.VersionTLS12
		})
		return cfg, srv.URL
	}},
	{ReasonHandshake, "no common version", func(t *testing.T) (Config, string) {
		srv, cfg := serveTLS(t, nil, func(srv *httptest.Server) { srv.TLS.MaxVersion = tls.VersionTLS12 })
		cfg.TLS = cfg.TLS.Clone()
		cfg.TLS.MinVersion = tls.VersionTLS13
		return cfg, srv.URL
	}},
	{ReasonHandshake, "an alert", func(t *testing.T) (Config, string) {
		base := rawListener(t, func(c net.Conn) {
			c.Read(make([]byte, 1))
			io.WriteString(c, "\x15\x03\x01\x00\x02\x02\x28")
			untilClosed(c)
		})
		return Config{}, strings.Replace(base, "http:", "https:", 1)
	}},
	{ReasonHandshake, "not TLS", func(t *testing.T) (Config, string) {
		base := rawListener(t, func(c net.Conn) { c.Read(make([]byte, 1)); io.WriteString(c, "SSH-2.0-x\r\n"); untilClosed(c) })
		return Config{}, strings.Replace(base, "http:", "https:", 1)
	}},
	{ReasonReset, "closes without an answer", func(t *testing.T) (Config, string) { return Config{}, answer(t, "") }},
	{ReasonReset, "closes within the header", func(t *testing.T) (Config, string) {
		return Config{}, answer(t, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n")
	}},
	{ReasonReset, "closes within the version", func(t *testing.T) (Config, string) { return Config{}, answer(t, "HTT") }},
	{ReasonReset, "closes before the status", func(t *testing.T) (Config, string) { return Config{}, answer(t, "HTTP/1.1 ") }},
	{ReasonReset, "closes within the status", func(t *testing.T) (Config, string) { return Config{}, answer(t, "HTTP/1.1 2") }},
	{ReasonReset, "closes behind the status", func(t *testing.T) (Config, string) { return Config{}, answer(t, "HTTP/1.1 200") }},
	{ReasonReset, "closes within a field's name", func(t *testing.T) (Config, string) {
		return Config{}, answer(t, "HTTP/1.1 200 OK\r\nContent-Ty")
	}},
	{ReasonReset, "closes within a later field's name", func(t *testing.T) (Config, string) {
		return Config{}, answer(t, "HTTP/1.1 200 OK\r\nA: b\r\nContent-Ty")
	}},
	{ReasonReset, "closes within a field's value", func(t *testing.T) (Config, string) {
		return Config{}, answer(t, "HTTP/1.1 200 OK\r\nContent-Type: te")
	}},
	{ReasonReset, "resets", func(t *testing.T) (Config, string) { return Config{}, serveRaw(t, reset) }},
	{ReasonReset, "resets within the body", func(t *testing.T) (Config, string) {
		return Config{}, serveRaw(t, func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc")
			reset(c)
		})
	}},
	{ReasonReset, "resets within the handshake", func(t *testing.T) (Config, string) {
		base := rawListener(t, func(c net.Conn) { c.Read(make([]byte, 1)); reset(c) })
		return Config{}, strings.Replace(base, "http:", "https:", 1)
	}},
	{ReasonReset, "HTTP/2 stream", func(t *testing.T) (Config, string) {
		srv, cfg := serveTLS(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
		cfg.HTTP2 = true
		return cfg, srv.URL
	}},
	{ReasonReset, "HTTP/2 stream within the body", func(t *testing.T) (Config, string) {
		srv, cfg := serveTLS(t, func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, page)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		})
		cfg.HTTP2 = true
		return cfg, srv.URL
	}},
	{ReasonReset, "HTTP/2 GOAWAY", func(t *testing.T) (Config, string) {
		return goAway(t)
	}},
	{ReasonProtocol, "not HTTP", func(t *testing.T) (Config, string) { return Config{}, answer(t, "220 mail.example.com ESMTP\r\n") }},
	{ReasonProtocol, "bad status", func(t *testing.T) (Config, string) { return Config{}, answer(t, "HTTP/1.1 2OO OK\r\n\r\n") }},
	{ReasonProtocol, "bad header line", func(t *testing.T) (Config, string) {
		return Config{}, answer(t, "HTTP/1.1 200 OK\r\nno colon\r\n\r\n")
	}},
	{ReasonProtocol, "two lengths", func(t *testing.T) (Config, string) {
		return Config{}, answer(t, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab")
	}},
	{ReasonProtocol, "switches unasked", func(t *testing.T) (Config, string) {
		return Config{}, answer(t, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n")
	}},
	{ReasonHeader, "HTTP/1.1", func(t *testing.T) (Config, string) {
		base, _ := serve(t, longHeader)
		return Config{MaxHeader: 5000}, base
	}},
	{ReasonHeader, "HTTP/2", func(t *testing.T) (Config, string) {
		srv, cfg := serveTLS(t, longHeader)
		cfg.MaxHeader, cfg.HTTP2 = 5000, true
		return cfg, srv.URL
	}},
	{ReasonHeader, "many interim responses", func(t *testing.T) (Config, string) {
		return Config{}, serveRaw(t, func(c net.Conn) {
			for {
				if _, err := io.WriteString(c, "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"); err != nil {
					return
				}
			}
		})
	}},
	{ReasonBody, "shorter than announced", func(t *testing.T) (Config, string) {
		return Config{}, answer(t, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc")
	}},
	{ReasonBody, "coded and shorter than announced", func(t *testing.T) (Config, string) {
		zipped := encode(t, codingGzip, []byte(page))
		return Config{}, answer(t, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1000\r\n\r\n"+string(zipped[:20]))
	}},
	{ReasonBody, "chunks without an end", func(t *testing.T) (Config, string) {
		return Config{}, answer(t, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
	}},
	{ReasonBody, "bad chunk length", func(t *testing.T) (Config, string) {
		return Config{}, answer(t, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nxyz\r\n")
	}},
	{ReasonDecode, "not gzip", func(t *testing.T) (Config, string) {
		return Config{}, serveCoded(t, []byte(page), "gzip")
	}},
	{ReasonBomb, "gzip", func(t *testing.T) (Config, string) {
		return Config{}, serveCoded(t, encode(t, codingGzip, make([]byte, 20<<20)), "gzip")
	}},
}

// provokedElsewhere names the reasons whose tests need more than a server.
var provokedElsewhere = map[Reason]string{
	ReasonTimeout:  "TestTimeout",
	ReasonSlow:     "TestMinRate",
	ReasonCanceled: "TestCanceled",
	ReasonRequest:  "TestClosedClient",
}

func TestReasons(t *testing.T) {
	provoked := map[Reason]bool{}
	for r := range provokedElsewhere {
		provoked[r] = true
	}
	for _, p := range provocations {
		provoked[p.reason] = true
		t.Run(string(p.reason)+"/"+p.name, func(t *testing.T) {
			cfg, target := p.setup(t)
			c := newClient(t, cfg)
			u := mustURL(t, target)
			res, err := c.Get(t.Context(), u)
			if got := reasonOf(t, err); got != p.reason {
				t.Errorf("%q, want %q: %v (%#v)", got, p.reason, err, errors.Unwrap(err))
			}
			if err != nil && !strings.Contains(err.Error(), u.String()+": "+string(p.reason)+": ") {
				t.Errorf("message %q", err)
			}
			if res != nil && !res.Truncated {
				t.Error("a response beside an error is not marked Truncated")
			}
			res.Release()
		})
	}
	for _, r := range Reasons() {
		if !provoked[r] {
			t.Errorf("no test provokes %q", r)
		}
	}
	if len(provoked) != len(Reasons()) {
		t.Errorf("%d reasons are provoked, %d are listed", len(provoked), len(Reasons()))
	}
}

func TestTemporary(t *testing.T) {
	temporary := map[Reason]bool{
		ReasonDNS: true, ReasonConnect: true, ReasonProxy: true, ReasonHandshake: true, ReasonTimeout: true,
		ReasonSlow: true, ReasonReset: true, ReasonProtocol: true, ReasonBody: true, ReasonLocal: true,
	}
	for _, r := range append(Reasons(), "") {
		if r.Temporary() != temporary[r] {
			t.Errorf("%q: Temporary = %v", r, r.Temporary())
		}
	}
}

func TestErrorIsShort(t *testing.T) {
	u := "http://e.com/" + strings.Repeat("x", 5000)
	err := &Error{Reason: ReasonReset, URL: u, Err: io.EOF}
	if n := len(err.Error()); n > 200 {
		t.Errorf("message has %d bytes", n)
	}
	if !errors.Is(err, io.EOF) {
		t.Error("the cause is lost")
	}
}

func TestClosedClient(t *testing.T) {
	base, _ := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, page) })
	c := newClient(t, Config{})
	get(t, c, base+"/")
	c.Close()
	c.Close()
	_, err := c.Get(t.Context(), mustURL(t, base+"/"))
	if got := reasonOf(t, err); got != ReasonRequest {
		t.Errorf("closed client: %q", got)
	}
	_, err = newClient(t, Config{}).Get(t.Context(), weburl.URL{})
	if got := reasonOf(t, err); got != ReasonRequest {
		t.Errorf("zero URL: %q", got)
	}
}

// withDNS resolves by a DNS server that answers every question so.
func withDNS(t *testing.T, code dnsmessage.RCode) Config {
	t.Helper()
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pc.Close() })
	go answerDNS(pc, code)
	dialer := &net.Dialer{Resolver: &net.Resolver{
		PreferGo: true,
		Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "udp", pc.LocalAddr().String())
		},
	}}
	return Config{DialContext: dialer.DialContext}
}

func answerDNS(pc net.PacketConn, code dnsmessage.RCode) {
	buf := make([]byte, 512)
	for {
		n, from, err := pc.ReadFrom(buf)
		if err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(buf[:n]) != nil {
			continue
		}
		m.Response, m.RCode, m.Additionals = true, code, nil
		if out, err := m.Pack(); err == nil {
			pc.WriteTo(out, from)
		}
	}
}

// closedPort returns an address nobody listens at while the test runs: a connection has it as its
// own. The port of a listener that was closed may be another's by the time it is asked.
func closedPort(t *testing.T) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	conn, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn.LocalAddr().String()
}

func mustProxy(t *testing.T, raw string) *url.URL {
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// reset closes a connection the hard way.
func reset(c net.Conn) {
	c.(*net.TCPConn).SetLinger(0)
	c.Close()
}

func longHeader(w http.ResponseWriter, _ *http.Request) {
	for i := range 100 {
		w.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("x", 100))
	}
}

// goAway is an HTTP/2 server that ends every connection at the first request.
func goAway(t *testing.T) (Config, string) {
	srv, cfg := hostileHTTP2(t, func(f *http2.Framer, _ uint32) error {
		f.WriteGoAway(1, http2.ErrCodeInternal, nil)
		return io.EOF // hang up
	})
	return cfg, srv.URL
}

// A dial that does not end is the host's fault, not the page's; and it ends.
func TestDialTimeout(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		c := newClient(t, Config{
			DialTimeout: 5 * time.Second,
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			},
		})
		started := time.Now()
		_, err := c.Get(t.Context(), mustURL(t, anywhere))
		if got := reasonOf(t, err); got != ReasonConnect || time.Since(started) != 5*time.Second {
			t.Errorf("%q after %v", got, time.Since(started))
		}
	})
}
