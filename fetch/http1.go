package fetch

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/textproto"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"crawler/weburl"
)

const (
	// parseBuffer is as large as net/http's, on which the longest trailer depends.
	parseBuffer = 4 << 10
	// readAhead is how much is asked of the system at once: most pages with their header.
	readAhead = 16 << 10
)

// http1 speaks HTTP/1.1 over connections of our own. The caller's goroutine writes the request
// and reads the answer; an idle connection has no goroutine and no buffer. http.ReadResponse
// reads the answers, so that they are understood as net/http understands them. A request is
// never sent again: if a connection that was kept turns out to be dead when the request has been
// written, that is a failure.
type http1 struct {
	cfg       *Config
	dial      func(ctx context.Context, network, addr string) (net.Conn, error)
	tls       *tls.Config
	base      *http.Request // the Client's
	fields    []byte        // the lines of its header
	idle      idleConns
	exchanges sync.Pool
	pools     *pools
}

func newHTTP1(c *Client) *http1 {
	h := &http1{
		cfg: &c.cfg, base: c.base, dial: c.dial, tls: tlsConfig(c.cfg.TLS), pools: &c.pools,
		idle: idleConns{most: c.cfg.MaxConns, perHost: c.cfg.PerHost},
	}
	if c.cfg.MaxOpen > 0 {
		h.idle.places = semaphore.NewWeighted(int64(c.cfg.MaxOpen))
	}
	h.tls.NextProtos = []string{"http/1.1"}
	var lines bytes.Buffer
	writeFields(&lines, c.base.Header)
	h.fields = lines.Bytes()
	return h
}

// exchange is one request and its answer, whose body it is until it is closed. Exchanges are
// used again, with their buffers.
type exchange struct {
	h        *http1
	ctx      context.Context
	deadline time.Time
	conn     *conn
	res      *Response
	stop     func() bool // no more interrupts the connection when ctx ends
	out      bytes.Buffer
	src      source
	in       *bufio.Reader // from src
	body     io.Reader
	pace     *pace // nil: the body may come slowly
	keep     bool  // the answer allows another request on the connection
	read     bool  // to its end
}

// source is the connection as an exchange reads it: ahead, up to a limit, and onto tape.
type source struct {
	x     *exchange
	left  int64   // may still be asked for
	tape  *[]byte // nil: nothing is kept
	late  bool    // the connection had nothing in time; who parses it may say something else
	ahead []byte  // read, but not asked for yet; lies in buf
	buf   [readAhead]byte
}

func (s *source) Read(p []byte) (n int, err error) {
	if s.left <= 0 {
		return 0, errHeaderSize
	}
	p = p[:min(int64(len(p)), s.left)]
	switch {
	case len(s.ahead) > 0:
		n = s.take(p)
	case len(p) >= len(s.buf), s.x.conn.tls != nil: // TLS reads ahead itself
		n, err = s.fetch(p)
	default:
		if n, err = s.fetch(s.buf[:]); n > 0 {
			s.ahead, err = s.buf[:n], nil // the next read meets err again
			n = s.take(p)
		}
	}
	s.left -= int64(n)
	return n, err
}

// take moves to p what was read ahead.
func (s *source) take(p []byte) int {
	n := copy(p, s.ahead)
	s.ahead = s.ahead[n:]
	return n
}

// fetch reads from the connection.
func (s *source) fetch(p []byte) (int, error) {
	n, err := s.x.conn.Read(p)
	for n == 0 && err != nil && s.x.patient(err) {
		n, err = s.x.conn.Read(p)
	}
	s.late = err != nil && isTimeout(err)
	if s.tape != nil {
		*s.tape = append(*s.tape, p[:n]...)
	}
	return n, err
}

// roundTrip sends req, which asks for res.URL, and reads the header of the answer. What is not
// there by the deadline fails, the body too.
func (h *http1) roundTrip(ctx context.Context, deadline time.Time, req *http.Request, res *Response) (*http.Response, error) {
	c, err := h.open(ctx, deadline, res.URL)
	if err != nil {
		return nil, err
	}
	x := h.begin(ctx, deadline, c, res)
	if err = x.send(req); err == nil {
		var raw *http.Response
		if raw, err = x.receive(req); err == nil {
			x.body, x.keep = raw.Body, !raw.Close && raw.StatusCode >= 200
			raw.Body, raw.TLS = x, c.tls
			return raw, nil
		}
	}
	if x.src.left <= 0 {
		err = fmt.Errorf("%w: more than %d bytes", errHeaderSize, h.cfg.MaxHeader)
	}
	err = x.cause(err)
	x.end(false)
	return nil, err
}

// open returns a connection for a request to u, on which everything fails from the deadline on.
func (h *http1) open(ctx context.Context, deadline time.Time, u weburl.URL) (*conn, error) {
	for c := h.idle.take(u.Origin()); c != nil; c = h.idle.take(u.Origin()) {
		if c.socket.failFrom(deadline) == nil && c.alive() {
			return c, nil
		}
		h.idle.drop(c)
	}
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	if err := h.idle.reserve(ctx); err != nil {
		return nil, &placeError{err}
	}
	c, err := h.connect(ctx, u)
	if err != nil {
		h.idle.release()
		return nil, err
	}
	if err := c.socket.failFrom(deadline); err != nil {
		h.idle.drop(c)
		return nil, err
	}
	return c, nil
}

func (h *http1) begin(ctx context.Context, deadline time.Time, c *conn, res *Response) *exchange {
	x, ok := h.exchanges.Get().(*exchange)
	if !ok {
		x = &exchange{h: h}
		x.src.x = x
		x.in = bufio.NewReaderSize(&x.src, parseBuffer)
	}
	x.ctx, x.deadline, x.conn, x.res = ctx, deadline, c, res
	x.src.left, x.src.late = h.cfg.MaxHeader, false
	x.in.Reset(&x.src)
	x.stop = context.AfterFunc(ctx, c.interrupt)
	return x
}

// send writes the request. Its time is taken when the write has returned: what the server
// gets later than that, it has got from a network that delays requests, not from us.
func (x *exchange) send(req *http.Request) error {
	u := x.res.URL
	x.out.Reset()
	x.out.WriteString("GET ")
	x.out.WriteString(u.RequestURI())
	x.out.WriteString(" HTTP/1.1\r\nHost: ")
	x.out.WriteString(u.Host())
	x.out.WriteString("\r\n")
	if req == x.h.base {
		x.out.Write(x.h.fields)
	} else {
		writeFields(&x.out, req.Header)
	}
	x.out.WriteString("\r\n")
	if x.h.cfg.KeepWire {
		x.src.tape = x.h.pools.bodyBuffer(-1)
		*x.src.tape = append(*x.src.tape, x.out.Bytes()...)
	}
	_, err := x.conn.Write(x.out.Bytes())
	sentIn(x.ctx).add()
	return err
}

// writeFields writes the lines of a header in the order in which net/http does.
func writeFields(to *bytes.Buffer, h http.Header) {
	const agent = "User-Agent"
	fmt.Fprintf(to, "%s: %s\r\n", agent, textproto.TrimString(h[agent][0]))
	h.WriteSubset(to, map[string]bool{agent: true}) // a Buffer does not fail
}

// receive reads the header of the answer, and those of the interim ones before it, which
// together must not exceed the limit.
func (x *exchange) receive(req *http.Request) (*http.Response, error) {
	if d := x.h.cfg.HeaderTimeout; d > 0 {
		if err := x.readUntil(time.Now().Add(d)); err != nil {
			return nil, err
		}
	}
	if x.h.cfg.Trace {
		if _, err := x.in.Peek(1); err != nil {
			return nil, err
		}
		x.res.FirstByte, x.res.Remote = time.Since(x.res.Started), x.conn.remote
	}
	raw, err := http.ReadResponse(x.in, req)
	for err == nil && isInterim(raw.StatusCode) {
		raw, err = http.ReadResponse(x.in, req)
	}
	if err != nil {
		return nil, err
	}
	if !x.h.cfg.Trace {
		x.res.FirstByte = time.Since(x.res.Started)
	}
	x.src.left = math.MaxInt64
	if x.h.cfg.HeaderTimeout > 0 {
		if err := x.readUntil(x.deadline); err != nil {
			return nil, err
		}
	}
	return raw, nil
}

// readUntil makes reads fail from t on, or from the page's deadline.
func (x *exchange) readUntil(t time.Time) error {
	if t.After(x.deadline) {
		t = x.deadline
	}
	if err := x.conn.socket.SetReadDeadline(t); err != nil {
		return err
	}
	return x.ctx.Err() // this may have lifted its interrupt
}

// taped is how much memory the bytes of the wire take, 0 if they are not kept.
func (x *exchange) taped() int64 {
	if x.src.tape == nil {
		return 0
	}
	return int64(cap(*x.src.tape))
}

// keepPace makes reading the body fail when it comes too slowly.
func (x *exchange) keepPace(p *pace) {
	x.pace = p
	if x.readUntil(p.began.Add(paceGrace)) != nil {
		x.conn.interrupt()
	}
}

// patient reports whether a read that has failed is tried again: it was time to look at the pace,
// and that is good enough.
func (x *exchange) patient(err error) bool {
	if x.pace == nil || !isTimeout(err) || x.ctx.Err() != nil || !time.Now().Before(x.deadline) {
		return false
	}
	again, slow := x.pace.look()
	return !slow && x.readUntil(time.Now().Add(again)) == nil
}

// cause returns what made the exchange fail with err: the end of its context or of its time, which
// both interrupt the connection, come first.
func (x *exchange) cause(err error) error {
	switch {
	case x.ctx.Err() != nil:
		return x.ctx.Err()
	case x.src.late, !time.Now().Before(x.deadline):
		return context.DeadlineExceeded
	}
	return err
}

// isInterim reports a status that another answer follows; 101 is the last in HTTP.
func isInterim(status int) bool {
	return status >= 100 && status < 200 && status != http.StatusSwitchingProtocols
}

// Read reads the body.
func (x *exchange) Read(p []byte) (int, error) {
	n, err := x.body.Read(p)
	switch {
	case err == io.EOF:
		x.read = true
	case err != nil:
		err = x.cause(err)
	}
	return n, err
}

// Close ends the exchange, which must not be used any more.
func (x *exchange) Close() error {
	x.end(x.keep && x.read)
	return nil
}

// end gives the connection back if it may be used again: nothing has interrupted it, and
// nothing came behind the answer.
func (x *exchange) end(reusable bool) {
	uninterrupted := x.stop()
	behind := x.in.Buffered() + len(x.src.ahead)
	if x.src.tape != nil {
		x.res.keepWire(x.src.tape, x.out.Len(), behind)
	}
	if reusable && uninterrupted && behind == 0 {
		x.h.idle.put(x.conn)
	} else {
		x.h.idle.drop(x.conn)
	}
	x.ctx, x.conn, x.res, x.stop, x.body, x.pace, x.keep, x.read = nil, nil, nil, nil, nil, nil, false, false
	x.src.tape, x.src.ahead = nil, nil
	x.h.exchanges.Put(x)
}
