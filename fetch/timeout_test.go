package fetch

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Ways to be slow. Each must end with the page's Timeout, to the tick.
var slownesses = map[string]func(net.Conn){
	"no header": untilClosed,
	"header a byte a second": func(c net.Conn) {
		drip(c, "HTTP/1.1 200 OK\r\n"+strings.Repeat("X-Y: z\r\n", 1000))
	},
	"an interim answer a second": func(c net.Conn) {
		for {
			time.Sleep(time.Second) // virtual
			if _, err := io.WriteString(c, "HTTP/1.1 103 Early Hints\r\n\r\n"); err != nil {
				return
			}
		}
	},
	"no body": func(c net.Conn) {
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")
		untilClosed(c)
	},
	"body a byte a second": func(c net.Conn) {
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
		drip(c, strings.Repeat("x", 1000))
	},
	"coded body that stalls": func(c net.Conn) {
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08")
		untilClosed(c)
	},
}

func drip(c net.Conn, text string) {
	for i := range len(text) {
		time.Sleep(time.Second) // virtual
		if _, err := c.Write([]byte{text[i]}); err != nil {
			return
		}
	}
}

func TestTimeout(t *testing.T) {
	const timeout = 20*time.Second + 500*time.Millisecond
	for name, handle := range slownesses {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				c := newClient(t, Config{Timeout: timeout, DialContext: pipeDialer(handle)})
				started := time.Now()
				res, err := c.Get(t.Context(), mustURL(t, anywhere))
				if got := reasonOf(t, err); got != ReasonTimeout {
					t.Errorf("%q (%v), want %q", got, err, ReasonTimeout)
				}
				if d := time.Since(started); d != timeout {
					t.Errorf("took %v, want %v", d, timeout)
				}
				if name == "body a byte a second" && (string(res.Body) != strings.Repeat("x", 20) || !res.Truncated || res.Status != 200) {
					t.Errorf("of the body is left: %q", res.Body)
				}
				res.Release()
			})
		})
	}
}

func TestHeaderTimeout(t *testing.T) {
	for _, name := range []string{"no header", "header a byte a second", "an interim answer a second"} {
		inBubble(t, func(t *testing.T) {
			c := newClient(t, Config{HeaderTimeout: 3500 * time.Millisecond, DialContext: pipeDialer(slownesses[name])})
			started := time.Now()
			_, err := c.Get(t.Context(), mustURL(t, anywhere))
			if got := reasonOf(t, err); got != ReasonTimeout || time.Since(started) != 3500*time.Millisecond {
				t.Errorf("%s: %q after %v", name, got, time.Since(started))
			}
		})
	}
}

func TestHandshakeTimeout(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		dial := func(context.Context, string, string) (net.Conn, error) {
			ours, theirs := net.Pipe()
			go untilClosed(theirs)
			return ours, nil
		}
		c := newClient(t, Config{DialTimeout: 4 * time.Second, DialContext: dial})
		started := time.Now()
		_, err := c.Get(t.Context(), mustURL(t, "https://example.com/"))
		if got := reasonOf(t, err); got != ReasonTimeout || time.Since(started) != 4*time.Second {
			t.Errorf("%q after %v: %v", got, time.Since(started), err)
		}
	})
}

func TestCanceled(t *testing.T) {
	for name, handle := range slownesses {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				c := newClient(t, Config{DialContext: pipeDialer(handle)})
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(7*time.Second, cancel)
				started := time.Now()
				res, err := c.Get(ctx, mustURL(t, anywhere))
				if got := reasonOf(t, err); got != ReasonCanceled || time.Since(started) != 7*time.Second {
					t.Errorf("%q after %v: %v", got, time.Since(started), err)
				}
				res.Release()
			})
		})
	}
	t.Run("the caller's deadline", func(t *testing.T) {
		inBubble(t, func(t *testing.T) {
			c := newClient(t, Config{DialContext: pipeDialer(untilClosed)})
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, err := c.Get(ctx, mustURL(t, anywhere))
			if got := reasonOf(t, err); got != ReasonCanceled {
				t.Errorf("%q: %v", got, err)
			}
		})
	})
	t.Run("while dialling", func(t *testing.T) {
		inBubble(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			c := newClient(t, Config{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				cancel()
				<-ctx.Done()
				return nil, ctx.Err()
			}})
			_, err := c.Get(ctx, mustURL(t, anywhere))
			if got := reasonOf(t, err); got != ReasonCanceled {
				t.Errorf("%q: %v", got, err)
			}
		})
	})
}

// keepOpen is a server that answers every request and never closes.
func keepOpen() func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer theirs.Close()
			for readRequest(theirs) == nil {
				io.WriteString(theirs, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
			}
		}()
		return ours, nil
	}
}

// After Close, nothing the client started runs on, although the servers keep
// their ends open: the bubble does not end before all its goroutines have.
func TestCloseLeavesNoGoroutine(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		c, err := New(inMode(t, Config{DialContext: keepOpen()}))
		if err != nil {
			t.Fatal(err)
		}
		for _, host := range []string{"a.test", "b.test", "c.test"} {
			for range 3 {
				get(t, c, "http://"+host+"/")
			}
		}
		c.Close()
		synctest.Wait()
	})
}

// A dial of net/http's that nobody waits for any more, since another connection became free,
// ends with the client.
func TestCloseEndsDials(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		free := make(chan bool)
		dial := pipeDialer(func(c net.Conn) {
			for ok := true; ok; ok = readRequest(c) == nil {
				<-free
				io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
			}
		})
		var dials atomic.Int64
		ended := make(chan error, 1)
		c, err := New(Config{
			HTTP2:       true,
			DialTimeout: time.Hour,
			DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
				if dials.Add(1) == 1 {
					return dial(ctx, network, addr)
				}
				<-ctx.Done()
				ended <- ctx.Err()
				return nil, ctx.Err()
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		var pages sync.WaitGroup
		for range 2 {
			pages.Go(func() { get(t, c, anywhere) })
			synctest.Wait()
		}
		free <- true // the first page's connection serves the second
		free <- true
		pages.Wait()
		if n := dials.Load(); n != 2 || len(ended) != 0 {
			t.Fatalf("%d dials, %d ended", n, len(ended))
		}
		c.Close()
		synctest.Wait()
		if len(ended) != 1 {
			t.Error("the dial goes on")
		}
	})
}

func TestIdleConnectionsPerHost(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		var open atomic.Int64
		free := make(chan bool)
		dial := pipeDialer(func(c net.Conn) {
			open.Add(1)
			defer open.Add(-1)
			for ok := true; ok; ok = readRequest(c) == nil {
				<-free
				io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
			}
		})
		c := newClient(t, Config{PerHost: 3, DialContext: dial})
		var pages sync.WaitGroup
		for range 5 {
			pages.Go(func() { get(t, c, anywhere) })
		}
		synctest.Wait()
		if open.Load() != 5 {
			t.Errorf("%d connections for 5 pages at once", open.Load())
		}
		close(free)
		pages.Wait()
		synctest.Wait()
		if open.Load() != 3 {
			t.Errorf("%d connections stay open, want 3", open.Load())
		}
	})
}

// closer is a connection that says when it is closed.
type closer struct {
	net.Conn
	closed func()
}

func (c *closer) Close() error {
	c.closed()
	return c.Conn.Close()
}

// Never are more connections open than may be: an idle one makes room, or the page waits, and
// one that waits for too long fails here and not at its host.
func TestMaxOpen(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		const most = 3
		var open, highest, dials atomic.Int64
		dial := pipeDialer(func(c net.Conn) {
			for ok := true; ok; ok = readRequest(c) == nil {
				time.Sleep(time.Second) // virtual
				io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
			}
		})
		c := ownClient(t, Config{MaxOpen: most, Timeout: 20 * time.Second, DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			dials.Add(1)
			highest.Store(max(highest.Load(), open.Add(1)))
			c, err := dial(ctx, network, addr)
			return &closer{c, func() { open.Add(-1) }}, err
		}})
		started := time.Now()
		var pages sync.WaitGroup
		for i := range 30 {
			pages.Go(func() { get(t, c, fmt.Sprintf("http://h%d.test/", i)) })
		}
		pages.Wait()
		if took := time.Since(started); took > 11*time.Second {
			t.Errorf("30 pages of a second over %d connections took %v", most, took)
		}
		if highest.Load() != most || dials.Load() != 30 {
			t.Errorf("%d connections were open at once, want %d; %d dials", highest.Load(), most, dials.Load())
		}
		started = time.Now()
		failed := atomic.Int64{}
		for i := range 90 { // three a second, so that some 30 must give up
			pages.Go(func() {
				res, err := c.Get(t.Context(), mustURL(t, fmt.Sprintf("http://g%d.test/", i)))
				if got := reasonOf(t, err); got == ReasonLocal && time.Since(started) == 20*time.Second {
					failed.Add(1)
				} else if got != "" && got != ReasonTimeout {
					t.Errorf("%q after %v: %v", got, time.Since(started), err)
				}
				res.Release()
			})
		}
		pages.Wait()
		if n := failed.Load(); n < 15 || n > 30 || highest.Load() != most {
			t.Errorf("%d pages got no connection, want some 30; %d were open at once, want %d", n, highest.Load(), most)
		}
	})
}

// A connection that becomes idle when the client is closed, or whose page's context has ended, is
// closed, too.
func TestWhatIsNotKept(t *testing.T) {
	for name, end := range map[string]func(*Client, context.CancelFunc){
		"closed":   func(c *Client, _ context.CancelFunc) { c.Close() },
		"canceled": func(_ *Client, cancel context.CancelFunc) { cancel() },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				closed := false
				dial := pipeDialer(func(conn net.Conn) {
					io.WriteString(conn, ok200+"Content-Type: text/html\r\nContent-Length: 2\r\n\r\nok")
					untilClosed(conn)
				})
				ctx, cancel := context.WithCancel(t.Context())
				var c *Client
				c = ownClient(t, Config{
					DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
						conn, err := dial(ctx, network, addr)
						return &closer{conn, func() { closed = true }}, err
					},
					BodyLimit: func(string) int64 { // the body was read ahead
						end(c, cancel)
						synctest.Wait()
						return 1 << 20
					},
				})
				res, err := c.Get(ctx, mustURL(t, anywhere))
				if err != nil || !closed {
					t.Errorf("%v; the connection is closed: %v", err, closed)
				}
				res.Release()
			})
		})
	}
}

// A page that is canceled when its request has just been written ends at once, although a
// HeaderTimeout then sets another deadline.
func TestCanceledBehindTheWrite(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		dial := pipeDialer(untilClosed)
		c := ownClient(t, Config{HeaderTimeout: 3 * time.Second, DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := dial(ctx, network, addr)
			return &writeHook{conn, func() { cancel(); synctest.Wait() }}, err
		}})
		started := time.Now()
		_, err := c.Get(ctx, mustURL(t, anywhere))
		if got := reasonOf(t, err); got != ReasonCanceled || time.Since(started) != 0 {
			t.Errorf("%q after %v: %v", got, time.Since(started), err)
		}
	})
}

// writeHook is a connection that calls written after each write.
type writeHook struct {
	net.Conn
	written func()
}

func (c *writeHook) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.written()
	return n, err
}

// Idle connections are closed in time.
func TestIdleTimeout(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		dials := 0
		dial := keepOpen()
		c := newClient(t, Config{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			dials++
			return dial(ctx, network, addr)
		}})
		get(t, c, anywhere)
		time.Sleep(idleTimeout - time.Second) // virtual
		get(t, c, anywhere)
		if dials != 1 {
			t.Errorf("%d dials within the idle time", dials)
		}
		time.Sleep(idleTimeout / 2) // virtual
		get(t, c, "http://other.test/")
		time.Sleep(idleTimeout/2 + time.Second) // virtual
		get(t, c, "http://other.test/")
		if dials != 2 {
			t.Errorf("%d dials to two hosts within the idle time of the second", dials)
		}
		get(t, c, anywhere)
		if dials != 3 {
			t.Errorf("%d dials after the idle time, want 3", dials)
		}
	})
}

// A connection that the server closed while idle costs no page.
func TestStaleConnection(t *testing.T) {
	closeNow := make(chan bool)
	closed := make(chan bool)
	base := rawListener(t, func(c net.Conn) {
		if readRequest(c) == nil {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
			select {
			case <-closeNow:
				c.Close()
				closed <- true
			case <-t.Context().Done():
			}
		}
	})
	c := newClient(t, Config{})
	get(t, c, base+"/1")
	closeNow <- true
	<-closed
	if res := get(t, c, base+"/2"); string(res.Body) != "ok" {
		t.Errorf("%q", res.Body)
	}
	c.Close()
}

func TestCloseClosesConnections(t *testing.T) {
	closed := make(chan struct{}, 10)
	srv, cfg := serveTLS(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, page) },
		func(srv *httptest.Server) {
			srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
				if s == http.StateClosed {
					closed <- struct{}{}
				}
			}
		})
	for http2, want := range map[bool]string{false: "HTTP/1.1", true: "HTTP/2.0"} {
		cfg.HTTP2 = http2
		c, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if res := get(t, c, srv.URL+"/"); res.Proto != want {
			t.Fatalf("%s, want %s", res.Proto, want)
		}
		c.Close()
		<-closed // hangs if Close leaves it open
	}
}
