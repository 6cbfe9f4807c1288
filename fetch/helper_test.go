package fetch

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"crawler/weburl"
)

func mustURL(t testing.TB, raw string) weburl.URL {
	t.Helper()
	u, err := weburl.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func newClient(t testing.TB, cfg Config) *Client {
	t.Helper()
	c, err := New(inMode(t, cfg))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// get fetches a page that must succeed and releases it at the test's end.
func get(t testing.TB, c *Client, rawURL string) *Response {
	t.Helper()
	res, err := c.Get(t.Context(), mustURL(t, rawURL))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(res.Release)
	return res
}

// reasonOf checks that err is an *Error, as every error of Get is.
func reasonOf(t testing.TB, err error) Reason {
	t.Helper()
	if err == nil {
		return ""
	}
	e, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatalf("%T is no *Error: %v", err, err)
	}
	return e.Reason
}

// serve starts an HTTP/1.1 server that counts the connections it accepts.
func serve(t testing.TB, h http.HandlerFunc) (url string, conns *atomic.Int64) {
	t.Helper()
	srv := httptest.NewUnstartedServer(h)
	conns = countConns(srv)
	srv.Start()
	t.Cleanup(srv.Close)
	return srv.URL, conns
}

func countConns(srv *httptest.Server) *atomic.Int64 {
	conns := new(atomic.Int64)
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			conns.Add(1)
		}
	}
	return conns
}

// serveRaw starts a server that answers the first request of each connection
// with what handle does, and then closes it.
func serveRaw(t testing.TB, handle func(net.Conn)) (url string) {
	t.Helper()
	return rawListener(t, func(conn net.Conn) {
		if readRequest(conn) == nil {
			handle(conn)
		}
	})
}

// rawListener starts a server that does handle with each connection, and then
// closes it.
func rawListener(t testing.TB, handle func(net.Conn)) (url string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	acceptRaw(t, ln, handle)
	return "http://" + ln.Addr().String()
}

// acceptRaw does handle with each connection of ln, until the test ends.
func acceptRaw(t testing.TB, ln net.Listener, handle func(net.Conn)) {
	t.Helper()
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer conn.Close()
				handle(conn)
			})
		}
	})
	t.Cleanup(func() { ln.Close(); running.Wait() })
}

func readRequest(conn net.Conn) error {
	_, err := http.ReadRequest(bufio.NewReader(conn))
	return err
}

// answer is serveRaw with a fixed answer.
func answer(t testing.TB, text string) (url string) {
	t.Helper()
	return serveRaw(t, func(conn net.Conn) { io.WriteString(conn, text) })
}

// pipeDialer connects to handle over net.Pipe, for tests in virtual time. handle
// gets each connection with its request read, and closes it by returning.
func pipeDialer(handle func(net.Conn)) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer theirs.Close()
			if readRequest(theirs) == nil {
				handle(theirs)
			}
		}()
		return ours, nil
	}
}

// inBubble runs f in virtual time. The test fails if a goroutine that f or the
// client started is left over when f and its cleanups have returned.
func inBubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f(t)
		time.Sleep(2 * time.Second) // virtual; servers notice that they are alone
	})
}

// untilClosed waits for the client to close its end.
func untilClosed(conn net.Conn) { io.Copy(io.Discard, conn) }

// quiet is a log for servers whose complaints are what a test provokes.
func quiet() *log.Logger { return log.New(io.Discard, "", 0) }
