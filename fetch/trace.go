package fetch

import (
	"context"
	"net"
	"net/http/httptrace"
	"net/netip"
	"sync/atomic"
	"time"
)

// tracer collects, for one request, the facts that net/http reports only to a trace. If
// net/http sends the request twice, the last time counts.
type tracer struct {
	started   time.Time
	remote    netip.AddrPort // written by the goroutine that waits in RoundTrip
	firstByte atomic.Int64   // ns since started; the connection's reader writes it
	hooks     httptrace.ClientTrace
}

// CountRequests returns a context in which the requests that are sent are counted, and the
// count: those for robots.txt and its redirects too, and those that net/http sends again
// because a connection that it had kept was dead. A request that was not written, for lack of a
// connection, does not count. Under HTTP/2 the count may come shortly after the answer.
//
// Make one context for many calls of Get: it costs them no allocation.
func CountRequests(ctx context.Context) (counting context.Context, sent func() int64) {
	var n atomic.Int64
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest: func(info httptrace.WroteRequestInfo) {
			if info.Err == nil {
				n.Add(1)
			}
		},
	}), n.Load
}

func (t *tracer) within(ctx context.Context) context.Context {
	t.hooks.GotConn = t.gotConn
	t.hooks.GotFirstResponseByte = t.gotFirstByte
	return httptrace.WithClientTrace(ctx, &t.hooks)
}

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
