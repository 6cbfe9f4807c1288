package fetch

import (
	"context"
	"net"
	"net/http/httptrace"
	"net/netip"
	"sync/atomic"
	"time"
)

// maxAttempts is how often net/http may try to send one request, each time on another
// connection or, with HTTP/2, another stream.
const maxAttempts = 3

// tracer collects, for one request, the facts that net/http reports only to a trace, and ends
// the request if net/http sends it again and again. If it sends the request twice, the facts are
// the last time's.
type tracer struct {
	started   time.Time
	cancel    context.CancelFunc // ends the request
	attempts  atomic.Int64
	remote    netip.AddrPort // written by the goroutine that waits in RoundTrip
	firstByte atomic.Int64   // ns since started; the connection's reader writes it
	hooks     httptrace.ClientTrace
}

// tracerKey is the key of a *tracer in a context.
type tracerKey struct{}

// tracerOf returns the tracer of the request that ctx is of, nil if it has none.
func tracerOf(ctx context.Context) *tracer {
	t, _ := ctx.Value(tracerKey{}).(*tracer)
	return t
}

// Sent is what is known of the requests that were sent in a context: those for robots.txt and
// its redirects too, and those that net/http sends again because a connection that it had kept
// was dead. A request that was not written, for lack of a connection, does not count. With
// Config.HTTP2 a request may be counted shortly after its answer.
type Sent struct {
	began time.Time
	n     atomic.Int64
	last  atomic.Int64 // ns since began

	failed atomic.Pointer[failedLookup] // by Locate; nil: none
}

// Count returns how many requests there were.
func (s *Sent) Count() int64 { return s.n.Load() }

// Last returns when the last of them had been written, which a slow name server or handshake
// may make seconds later than its Response.Started; before the first, when s was made.
func (s *Sent) Last() time.Time { return s.began.Add(time.Duration(s.last.Load())) }

// sentKey is the key of a *Sent in a context.
type sentKey struct{}

// sentIn returns the count that ctx has, nil if it has none.
func sentIn(ctx context.Context) *Sent {
	s, _ := ctx.Value(sentKey{}).(*Sent)
	return s
}

// add counts a request that has just been written.
func (s *Sent) add() {
	if s != nil {
		s.last.Store(int64(time.Since(s.began)))
		s.n.Add(1)
	}
}

// CountRequests returns a context in which the requests that are sent are counted, and the
// count. Make one context for many calls of Get: it costs them no allocation.
func CountRequests(ctx context.Context) (context.Context, *Sent) {
	s := &Sent{began: time.Now()}
	ctx = context.WithValue(ctx, sentKey{}, s)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest: func(info httptrace.WroteRequestInfo) {
			if info.Err == nil {
				s.add()
			}
		},
	}), s
}

// within returns a context whose request is traced.
func (t *tracer) within(ctx context.Context, facts bool) context.Context {
	t.hooks.GetConn = t.getConn
	if facts {
		t.hooks.GotConn = t.gotConn
		t.hooks.GotFirstResponseByte = t.gotFirstByte
	}
	return httptrace.WithClientTrace(context.WithValue(ctx, tracerKey{}, t), &t.hooks)
}

// getConn is called before each attempt.
func (t *tracer) getConn(string) {
	if t.attempts.Add(1); t.exhausted() {
		t.cancel()
	}
}

// exhausted reports whether there were too many attempts.
func (t *tracer) exhausted() bool { return t.attempts.Load() > maxAttempts }

func (t *tracer) gotConn(info httptrace.GotConnInfo) {
	t.remote = addrPort(info.Conn.RemoteAddr())
}

func (t *tracer) gotFirstByte() { t.firstByte.Store(int64(time.Since(t.started))) }

func (t *tracer) found() (firstByte time.Duration, remote netip.AddrPort) {
	return time.Duration(t.firstByte.Load()), t.remote
}

// addrPort returns the zero AddrPort for what is no address of TCP.
func addrPort(addr net.Addr) netip.AddrPort {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	at := tcp.AddrPort()
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
}
