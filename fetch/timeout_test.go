package fetch

import (
	"context"
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
	inBubble(t, func(t *testing.T) {
		c := newClient(t, Config{HeaderTimeout: 3 * time.Second, DialContext: pipeDialer(untilClosed)})
		started := time.Now()
		_, err := c.Get(t.Context(), mustURL(t, anywhere))
		if got := reasonOf(t, err); got != ReasonTimeout || time.Since(started) != 3*time.Second {
			t.Errorf("%q after %v", got, time.Since(started))
		}
	})
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
		c, err := New(Config{DialContext: keepOpen()})
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

// A dial nobody waits for any more, since another connection became free, ends
// with the client.
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
		time.Sleep(idleTimeout + time.Second) // virtual
		get(t, c, anywhere)
		if dials != 2 {
			t.Errorf("%d dials after the idle time, want 2", dials)
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
	c := newClient(t, cfg)
	if res := get(t, c, srv.URL+"/"); res.Proto != "HTTP/2.0" {
		t.Fatal(res.Proto)
	}
	c.Close()
	<-closed // hangs if Close leaves it open
}
