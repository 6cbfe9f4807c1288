package fetch

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

// ownClient is a client for what net/http's does otherwise.
func ownClient(t *testing.T, cfg Config) *Client {
	t.Helper()
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// A request on a kept connection that dies without a byte is a failure of the page, and is sent
// once: to send it again is the caller's decision, at the caller's pace.
func TestNothingIsSentTwice(t *testing.T) {
	for name, die := range map[string]func(net.Conn){"closed": func(net.Conn) {}, "reset": reset} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int64
			base := rawListener(t, func(c net.Conn) {
				for readRequest(c) == nil {
					if asked.Add(1)%2 == 0 {
						die(c)
						return
					}
					io.WriteString(c, ok200+"Content-Length: 2\r\n\r\nok")
				}
			})
			ctx, sent := CountRequests(t.Context())
			c := ownClient(t, Config{})
			for i, want := range []Reason{"", ReasonReset, "", ReasonReset} {
				res, err := c.Get(ctx, mustURL(t, base+"/"))
				if got := reasonOf(t, err); got != want {
					t.Errorf("request %d: %q, want %q: %v", i, got, want, err)
				}
				if n := int64(i + 1); asked.Load() != n || sent.Count() != n {
					t.Errorf("the server got %d requests, %d were counted, want %d", asked.Load(), sent.Count(), n)
				}
				res.Release()
			}
		})
	}
}

// net/http repeats requests of its own accord, but not without end.
func TestAttemptsAreBounded(t *testing.T) {
	muteLog(t)
	var asked, dials atomic.Int64
	srv, cfg := hostileHTTP2(t, func(f *http2.Framer, _ uint32) error {
		asked.Add(1)
		return f.WriteGoAway(0, http2.ErrCodeNo, nil) // nothing was done: ask elsewhere
	})
	cfg.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		dials.Add(1)
		return new(net.Dialer).DialContext(ctx, network, addr)
	}
	ctx, sent := CountRequests(t.Context())
	_, err := newClient(t, cfg).Get(ctx, mustURL(t, srv.URL))
	if got := reasonOf(t, err); got != ReasonReset {
		t.Errorf("%q: %v", got, err)
	}
	for what, n := range map[string]int64{"requests": asked.Load(), "counted requests": sent.Count(), "dials": dials.Load()} {
		if n < 2 || n > maxAttempts {
			t.Errorf("%d %s, want 2 or %d", n, what, maxAttempts)
		}
	}
}

// The fourth attempt ends the request, and is not dialled.
func TestFourthAttempt(t *testing.T) {
	ended, dials := false, 0
	tr := &tracer{cancel: func() { ended = true }}
	ctx := tr.within(t.Context(), false)
	c := ownClient(t, Config{DialContext: func(context.Context, string, string) (net.Conn, error) {
		dials++
		return nil, io.EOF
	}})
	for i := range maxAttempts + 1 {
		tr.getConn("")
		c.dial(ctx, "tcp", "a.test:80")
		if last := i == maxAttempts; ended != last || dials != min(i+1, maxAttempts) {
			t.Errorf("attempt %d: ended %v, %d dials", i+1, ended, dials)
		}
	}
}

// An idle connection that the server closes is found out before it is used, and what TLS sends
// behind an answer does not count as closing.
func TestIdleConnectionsOverTLS(t *testing.T) {
	for name, version := range map[string]uint16{"1.2": tls.VersionTLS12, "1.3": tls.VersionTLS13} {
		t.Run(name, func(t *testing.T) {
			var conns *atomic.Int64
			srv, cfg := serveTLS(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, page) },
				func(srv *httptest.Server) { conns, srv.TLS.MaxVersion = countConns(srv), version })
			c := ownClient(t, cfg)
			for range 5 {
				get(t, c, srv.URL+"/")
			}
			if conns.Load() != 1 {
				t.Errorf("%d connections for 5 pages, want 1", conns.Load())
			}
			srv.CloseClientConnections()
			if res := get(t, c, srv.URL+"/"); string(res.Body) != page || !res.TLS.DidResume {
				t.Errorf("%q, session resumed: %v", res.Body, res.TLS.DidResume)
			}
		})
	}
}

// A HeaderTimeout ends with the header: neither the body nor the connection's next exchange
// feels it.
func TestHeaderTimeoutIsLifted(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		dials := 0
		dial := pipeDialer(func(c net.Conn) {
			for ok := true; ok; ok = readRequest(c) == nil {
				time.Sleep(2 * time.Second) // virtual, as all here
				io.WriteString(c, ok200+"Content-Length: 2\r\n\r\no")
				time.Sleep(5 * time.Second)
				io.WriteString(c, "k")
			}
		})
		c := newClient(t, Config{HeaderTimeout: 3 * time.Second, DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			dials++
			return dial(ctx, network, addr)
		}})
		for range 3 {
			if res := get(t, c, anywhere); string(res.Body) != "ok" {
				t.Errorf("%q", res.Body)
			}
			time.Sleep(10 * time.Second)
		}
		if dials != 1 {
			t.Errorf("%d dials, want 1", dials)
		}
	})
}

// parked is a server that answers each connection's first request and then leaves the connection
// open, without a goroutine.
func parked(t *testing.T) (addr string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var kept []net.Conn
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			kept = append(kept, c)
			if readRequest(c) == nil {
				io.WriteString(c, ok200+"Content-Length: 2\r\n\r\nok")
			}
		}
	})
	t.Cleanup(func() {
		ln.Close()
		running.Wait()
		for _, c := range kept {
			c.Close()
		}
	})
	return ln.Addr().String()
}

// A thousand idle connections are kept by no goroutine.
func TestIdleConnectionsHaveNoGoroutines(t *testing.T) {
	const hosts, most = 1000, 100
	before := runtime.NumGoroutine()
	c := ownClient(t, Config{MaxConns: hosts, Resolve: map[string]string{"*:80": parked(t)}})
	for i := range hosts {
		get(t, c, fmt.Sprintf("http://h%d.test/", i)).Release()
	}
	if n := c.own.idle.used.Len(); n != hosts {
		t.Errorf("%d connections are kept, want %d", n, hosts)
	}
	if n := runtime.NumGoroutine() - before; n > most {
		t.Errorf("%d goroutines for %d connections", n, hosts)
	}
}

// Hosts that are asked by turns keep their connections, as many as there is room for; a turn costs
// no handshake.
func TestHostsKeepTheirConnections(t *testing.T) {
	const hosts, turns = 600, 3
	base, conns := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, page) })
	c := newClient(t, Config{MaxConns: hosts, Resolve: map[string]string{"*:80": strings.TrimPrefix(base, "http://")}})
	for range turns {
		for i := range hosts {
			get(t, c, fmt.Sprintf("http://h%d.test/", i)).Release()
		}
	}
	if conns.Load() != hosts {
		t.Errorf("%d connections for %d pages, want %d", conns.Load(), turns*hosts, hosts)
	}
}

// A wireLog is what a server has read and written for each request, by its number.
type wireLog struct {
	mu                sync.Mutex
	requests, answers map[int][]byte
	conns             int
	answer            func(i int) string
}

// serve answers one connection's requests for /0, /1 and so on.
func (l *wireLog) serve(c net.Conn) {
	l.mu.Lock()
	l.conns++
	l.mu.Unlock()
	buf := make([]byte, 8192)
	for n := 0; ; {
		m, err := c.Read(buf[n:])
		if err != nil || n+m == len(buf) {
			return
		}
		if n += m; !bytes.HasSuffix(buf[:n], []byte("\r\n\r\n")) {
			continue
		}
		var i int
		fmt.Sscanf(string(buf[:n]), "GET /%d", &i)
		answer := []byte(l.answer(i))
		l.mu.Lock()
		l.requests[i], l.answers[i] = bytes.Clone(buf[:n]), answer
		l.mu.Unlock()
		n = 0
		if _, err := c.Write(answer); err != nil {
			return
		}
	}
}

// every kind of framing, and bodies from nothing to more than a buffer.
func framed(i int) string {
	body := strings.Repeat(fmt.Sprintf("%d,", i), i%3000)
	switch i % 5 {
	case 0:
		return fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", ok200, len(body), body)
	case 1:
		return fmt.Sprintf("%s%x;a=b\r\n%s\r\n0\r\nX-Trailer: %d\r\n\r\n", chunked(""), len(body)+1, body+"x", i)
	case 2:
		return "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + fmt.Sprintf("HTTP/1.1 404 Not Found\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	case 3:
		return "HTTP/1.1 304 Not Modified\r\nEtag: \"x\"\r\n\r\n"
	default:
		return "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n"
	}
}

// What KeepWire keeps of each exchange is what the server has got and sent, byte for byte,
// however many exchanges share a connection.
func TestKeepWire(t *testing.T) {
	const exchanges, workers = 10_000, 16
	l := &wireLog{requests: map[int][]byte{}, answers: map[int][]byte{}, answer: framed}
	base := rawListener(t, l.serve)
	c := ownClient(t, Config{KeepWire: true})
	var next atomic.Int64
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for i := int(next.Add(1)) - 1; i < exchanges; i = int(next.Add(1)) - 1 {
				res, err := c.Get(t.Context(), mustURL(t, fmt.Sprintf("%s/%d", base, i)))
				if err != nil {
					t.Error(err)
					return
				}
				l.mu.Lock()
				request, answer := l.requests[i], l.answers[i]
				delete(l.requests, i)
				l.mu.Unlock()
				if !bytes.Equal(res.WireRequest, request) || !bytes.Equal(res.WireResponse, answer) {
					t.Errorf("exchange %d: %q, %.100q; the server has %q, %.100q", i, res.WireRequest, res.WireResponse, request, answer)
				}
				res.Release()
				if res.WireRequest != nil || res.WireResponse != nil {
					t.Error("bytes outlive Release")
				}
			}
		})
	}
	running.Wait()
	if len(l.requests) != 0 || len(l.answers) != exchanges || l.conns > workers {
		t.Errorf("%d requests are unaccounted for, %d answers, %d connections", len(l.requests), len(l.answers), l.conns)
	}
}

// Bytes are kept of what breaks off, too, and end where reading ended.
func TestKeepWireOfWhatIsCut(t *testing.T) {
	for name, x := range map[string]struct {
		sends, want string
	}{
		"broke off":          {ok200 + "Content-Length: 9\r\n\r\nabc", ok200 + "Content-Length: 9\r\n\r\nabc"},
		"junk behind":        {ok200 + "Content-Length: 3\r\n\r\nabcdef", ok200 + "Content-Length: 3\r\n\r\nabc"},
		"until it is closed": {ok200 + "\r\nabc", ok200 + "\r\nabc"},
	} {
		t.Run(name, func(t *testing.T) {
			base := answer(t, x.sends)
			res, _ := ownClient(t, Config{KeepWire: true}).Get(t.Context(), mustURL(t, base))
			if string(res.WireResponse) != x.want || !strings.HasPrefix(string(res.WireRequest), "GET / HTTP/1.1\r\nHost: ") {
				t.Errorf("%q, %q", res.WireRequest, res.WireResponse)
			}
			res.Release()
		})
	}
	base := answer(t, ok200+"Content-Length: 3\r\n\r\nabc")
	if res := get(t, ownClient(t, Config{}), base); res.WireRequest != nil || res.WireResponse != nil {
		t.Error("bytes were kept that nobody asked for")
	}
}

// The time of a request is that of its own write, behind name, dial and handshake.
func TestSentIsTheWritesTime(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		cert := newAuthority(t).issue(t, -time.Hour, time.Hour, "a.test")
		dial := func(context.Context, string, string) (net.Conn, error) {
			time.Sleep(2 * time.Second) // virtual, as all here
			ours, theirs := net.Pipe()
			go func() {
				time.Sleep(3 * time.Second)
				// A pipe has no buffer for session tickets.
				c := tls.Server(theirs, &tls.Config{Certificates: []tls.Certificate{cert}, SessionTicketsDisabled: true})
				defer theirs.Close()
				for readRequest(c) == nil {
					time.Sleep(4 * time.Second)
					io.WriteString(c, ok200+"Content-Length: 2\r\n\r\nok")
				}
			}()
			return ours, nil
		}
		c := ownClient(t, Config{DialContext: dial, TLS: &tls.Config{InsecureSkipVerify: true}})
		ctx, sent := CountRequests(t.Context())
		for i, want := range []time.Duration{5 * time.Second, 0} { // the second is kept
			began := time.Now()
			res, err := c.Get(ctx, mustURL(t, "https://a.test/"))
			if err != nil {
				t.Fatal(err)
			}
			if d := sent.Last().Sub(began); d < want || d > want+2*probeWait || sent.Count() != int64(i+1) {
				t.Errorf("request %d was sent after %v, want %v; %d were counted", i, d, want, sent.Count())
			}
			res.Release()
		}
	})
}
