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
