package fetch

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// sameHeader reports whether a and b are one map.
func sameHeader(a, b http.Header) bool {
	return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer()
}

// A Response says how it came about, over every protocol.
func TestExchange(t *testing.T) {
	var got atomic.Value
	handler := func(w http.ResponseWriter, r *http.Request) {
		got.Store(r.Header.Clone())
		io.WriteString(w, page)
	}
	plain, _ := serve(t, handler)
	secure1, trust1 := serveTLS(t, handler, func(srv *httptest.Server) { srv.EnableHTTP2 = false })
	secure2, trust2 := serveTLS(t, handler)
	trust2.HTTP2 = true
	for _, x := range []struct {
		name, base, proto, negotiated string
		cfg                           Config
		encrypted                     bool
	}{
		{"HTTP/1.1", plain, "HTTP/1.1", "", Config{}, false},
		{"HTTP/1.1 over TLS", secure1.URL, "HTTP/1.1", "http/1.1", trust1, true},
		{"HTTP/2", secure2.URL, "HTTP/2.0", "h2", trust2, true},
	} {
		for _, trace := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, trace=%v", x.name, trace), func(t *testing.T) {
				x.cfg.Trace, x.cfg.Header = trace, http.Header{"X-A": {"1", "2"}}
				c := newClient(t, x.cfg)
				for range 2 { // the second on an idle connection
					res := get(t, c, x.base+"/")
					if res.Proto != x.proto || (res.TLS != nil) != x.encrypted {
						t.Fatalf("%s, TLS %v", res.Proto, res.TLS)
					}
					if x.encrypted && (res.TLS.NegotiatedProtocol != x.negotiated || len(res.TLS.PeerCertificates) == 0 && !res.TLS.DidResume) {
						t.Errorf("TLS is of another connection: %q", res.TLS.NegotiatedProtocol)
					}
					if sent := got.Load().(http.Header); !reflect.DeepEqual(res.Request, sent) {
						t.Errorf("Request is %v, the server got %v", res.Request, sent)
					}
					if !sameHeader(res.Request, c.base.Header) {
						t.Error("a header of its own that nothing asked for")
					}
					if res.FirstByte <= 0 || res.FirstByte > res.Elapsed {
						t.Errorf("FirstByte %v, Elapsed %v", res.FirstByte, res.Elapsed)
					}
					want := netip.AddrPort{}
					if trace {
						_, at, _ := strings.Cut(x.base, "//")
						want = netip.MustParseAddrPort(at)
					}
					if res.Remote != want {
						t.Errorf("Remote %v, want %v", res.Remote, want)
					}
				}
			})
		}
	}
}

// The time of the first byte is that of the header, and with Trace exactly itself.
func TestFirstByte(t *testing.T) {
	for name, x := range map[string]struct {
		trace bool
		want  time.Duration
	}{
		"header":  {false, 3 * time.Second},
		"a trace": {true, 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				c := newClient(t, Config{Trace: x.trace, DialContext: pipeDialer(func(conn net.Conn) {
					time.Sleep(2 * time.Second) // virtual, as all here
					io.WriteString(conn, "HTTP/1.1 200 OK\r\n")
					time.Sleep(time.Second)
					io.WriteString(conn, "Content-Length: 1\r\n\r\n")
					time.Sleep(2 * time.Second)
					io.WriteString(conn, "x")
				})})
				res := get(t, c, "http://a.test/")
				if res.FirstByte != x.want || res.Elapsed != 5*time.Second {
					t.Errorf("FirstByte %v, want %v; Elapsed %v", res.FirstByte, x.want, res.Elapsed)
				}
				if res.Remote.IsValid() {
					t.Errorf("a pipe's address is %v", res.Remote)
				}
			})
		})
	}
}

// A body that fails leaves the facts of its header.
func TestExchangeOfABrokenBody(t *testing.T) {
	base := answer(t, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx")
	res, err := newClient(t, Config{Trace: true}).Get(t.Context(), mustURL(t, base+"/"))
	defer res.Release()
	if reasonOf(t, err) != ReasonBody || res.FirstByte <= 0 || !res.Remote.IsValid() || res.Request.Get("User-Agent") != DefaultUserAgent {
		t.Errorf("%v; %+v", err, res)
	}
}

// Through a proxy the connection is the proxy's, and so is the TLS of an http URL.
func TestExchangeThroughProxy(t *testing.T) {
	handler := func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, page) }
	plain, _ := serve(t, handler)
	secure, trust := serveTLS(t, handler, func(srv *httptest.Server) { srv.EnableHTTP2 = false })
	for raw, encrypted := range map[string]bool{plain: false, secure.URL: true} {
		proxy, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		proxy.User = url.UserPassword("u", "hunter2")
		res := get(t, newClient(t, Config{Trace: true, Proxy: proxy, TLS: trust.TLS}), "http://a.test/")
		if res.Remote.String() != proxy.Host || (res.TLS != nil) != encrypted {
			t.Errorf("%s: Remote %v, TLS %v", raw, res.Remote, res.TLS)
		}
		if strings.Contains(fmt.Sprint(res.Request), "Proxy") {
			t.Errorf("%s: Request %v has the proxy's password", raw, res.Request)
		}
	}
}

func TestRequestHasCookies(t *testing.T) {
	base, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
	})
	jar, err := LoadCookies(strings.NewReader(""))
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t, Config{Jar: jar})
	for _, want := range []string{"", "a=b"} {
		if res := get(t, c, base+"/"); res.Request.Get("Cookie") != want {
			t.Errorf("Cookie %q, want %q", res.Request.Get("Cookie"), want)
		}
	}
}

// What no Client made has nothing to give back.
func TestReleaseOfALiteral(t *testing.T) {
	res := &Response{Status: 200, Body: []byte(page)}
	res.Release()
	res.Release()
	if string(res.Body) != page {
		t.Errorf("Body is %q", res.Body)
	}
}

func TestAddrPort(t *testing.T) {
	for want, addr := range map[string]net.Addr{
		"192.0.2.1:80":       &net.TCPAddr{IP: net.ParseIP("192.0.2.1"), Port: 80}, // 16 octets
		"[2001:db8::1]:443":  &net.TCPAddr{IP: net.ParseIP("2001:db8::1"), Port: 443},
		"[fe80::1%eth0]:443": &net.TCPAddr{IP: net.ParseIP("fe80::1"), Zone: "eth0", Port: 443},
		"invalid AddrPort":   &net.UnixAddr{Name: "/s", Net: "unix"},
	} {
		if got := addrPort(addr).String(); got != want {
			t.Errorf("%v: %s, want %s", addr, got, want)
		}
	}
	if addrPort(nil).IsValid() {
		t.Error("no address is one")
	}
}
