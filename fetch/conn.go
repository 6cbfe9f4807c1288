package fetch

import (
	"container/list"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"os"
	"strings"
	"syscall"
	"time"

	"crawler/weburl"
)

// probeWait is how long an idle connection that cannot be read without waiting is watched for
// signs that the server has closed it. What has come already is read at once; the time must only
// be long enough to begin.
const probeWait = 200 * time.Microsecond

// conn is a connection of our own to a server. One goroutine owns it at a time: that of the
// exchange it is used for, or none while it is idle.
type conn struct {
	net.Conn            // what is written to and read from: the socket, or TLS over it
	socket      *socket // the connection as it was dialled
	key         string  // the origin it leads to
	tls         *tls.ConnectionState
	remote      netip.AddrPort // with Config.Trace
	interrupt   func()         // makes every read and write fail, now and later
	probe       [1]byte        // where alive reads to
	idleSince   time.Time
	whenLastUse *list.Element // guarded by the mutex of idleConns
}

// connect dials u's host, and shakes hands if u is https.
func (h *http1) connect(ctx context.Context, u weburl.URL) (*conn, error) {
	dialled, err := h.dial(ctx, "tcp", hostPort(u))
	if err != nil {
		return nil, cause(ctx, err)
	}
	s := newSocket(dialled)
	c := &conn{Conn: s, socket: s, key: strings.Clone(u.Origin())}
	if h.cfg.Trace {
		c.remote = addrPort(dialled.RemoteAddr())
	}
	c.interrupt = func() { s.SetDeadline(time.Unix(1, 0)) }
	if u.Scheme() != "https" {
		return c, nil
	}
	if err := h.handshake(ctx, c, u.Hostname()); err != nil {
		s.Close()
		return nil, cause(ctx, err)
	}
	return c, nil
}

// handshake has the time of a dial once more, as with net/http.
func (h *http1) handshake(ctx context.Context, c *conn, host string) error {
	ctx, cancel := context.WithTimeout(ctx, h.cfg.DialTimeout)
	defer cancel()
	cfg := h.tls.Clone()
	if cfg.ServerName == "" {
		cfg.ServerName = host
	}
	secure := tls.Client(c.socket, cfg)
	if err := secure.HandshakeContext(ctx); err != nil {
		return err
	}
	state := secure.ConnectionState()
	c.Conn, c.tls = secure, &state
	return nil
}

// cause prefers the end of ctx as the reason of a failure: it interrupts the connection.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// alive reports whether an idle connection may carry a request: the server has neither closed it
// nor sent anything that nobody asked for. What TLS sends between answers, such as session
// tickets, is taken in.
func (c *conn) alive() bool {
	c.socket.probing = true
	n, err := c.Read(c.probe[:])
	c.socket.probing = false
	return n == 0 && errors.Is(err, os.ErrDeadlineExceeded)
}

// socket is a dialled connection that can also be read without waiting: while it is probed, Read
// fails with os.ErrDeadlineExceeded when nothing has come.
type socket struct {
	net.Conn
	probing bool
	tryer   *tryer    // nil: only waiting for a moment shows whether something has come
	until   time.Time // reads and writes fail from then on
}

func newSocket(dialled net.Conn) *socket {
	s := &socket{Conn: dialled}
	// The type itself, not the interface: what wraps a connection may change its bytes.
	if tcp, ok := dialled.(*net.TCPConn); ok {
		if raw, err := tcp.SyscallConn(); err == nil {
			s.tryer = newTryer(raw)
		}
	}
	return s
}

func (s *socket) Read(p []byte) (int, error) {
	switch {
	case !s.probing:
		return s.Conn.Read(p)
	case s.tryer != nil:
		return s.tryer.read(p)
	}
	if err := s.SetReadDeadline(time.Now().Add(probeWait)); err != nil {
		return 0, err
	}
	n, err := s.Conn.Read(p) // as it is: TLS can only be read on after an error that is a net.Error
	if lifted := s.SetReadDeadline(s.until); lifted != nil {
		return n, lifted
	}
	return n, err
}

// failFrom makes reads and writes fail from a time on.
func (s *socket) failFrom(t time.Time) error {
	s.until = t
	return s.SetDeadline(t)
}

// tryer reads from a socket without waiting. It keeps its arguments, so that a call allocates
// nothing.
type tryer struct {
	raw  syscall.RawConn
	step func(fd uintptr) bool
	buf  []byte
	n    int
	err  error
}
