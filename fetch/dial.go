package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// dial connects to addr, within Config.DialTimeout or what TryBriefly says. The context of
// net/http's dials is not the page's: it continues to dial when the page has timed out, in case
// the next page wants the connection. Close ends such a dial, too.
func (c *Client) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if t := tracerOf(ctx); t != nil && t.exhausted() {
		return nil, errAttempts
	}
	most, brief := c.dialTimeout(ctx)
	timed, cancel := context.WithTimeout(ctx, most)
	defer cancel()

	conn, err := c.connect(timed, network, addr)
	switch {
	case err == nil:
		return conn, nil
	case brief && timed.Err() != nil && ctx.Err() == nil:
		err = ErrBriefly
	}
	return nil, &dialError{err}
}

// ErrBriefly is in the chain of the error of a Get under TryBriefly that could not connect in that
// time. Config.DialTimeout is not over: the host may be there.
var ErrBriefly = errors.New("no connection in the time of a first try")

type brieflyKey struct{}

// TryBriefly returns a context for calls of Get and Locate that wait no longer than most for a
// name and a connection, if that is less than Config.DialTimeout. With Config.Proxy it changes
// nothing, since it is the proxy that connects.
func TryBriefly(ctx context.Context, most time.Duration) context.Context {
	return context.WithValue(ctx, brieflyKey{}, most)
}

// dialTimeout returns how long a name and a connection may take, and whether TryBriefly says so.
func (c *Client) dialTimeout(ctx context.Context) (most time.Duration, brief bool) {
	most, brief = ctx.Value(brieflyKey{}).(time.Duration)
	if brief = brief && most < c.cfg.DialTimeout && c.cfg.Proxy == nil; !brief {
		most = c.cfg.DialTimeout
	}
	return most, brief
}

// connect dials addr, under the guard unless the user has named the address: that of
// a proxy, or one in Config.Resolve.
func (c *Client) connect(ctx context.Context, network, addr string) (net.Conn, error) {
	to, named := resolved(c.cfg.Resolve, addr)
	if c.cfg.DialContext != nil {
		return c.cfg.DialContext(ctx, network, to)
	}
	if err := sentIn(ctx).takeFailed(network, addr); err != nil {
		return nil, err
	}
	dialer := &net.Dialer{KeepAlive: keepAlive, Resolver: c.cfg.Resolver}
	if c.guard == nil || named || c.cfg.Proxy != nil {
		return dialer.DialContext(ctx, network, to)
	}
	host := c.guard.dialling(addr)
	dialer.ControlContext = host.control
	conn, err := dialer.DialContext(ctx, network, to)
	if err != nil {
		err = host.explain(err)
	}
	return conn, err
}

// resolved returns where to dial for addr, and whether the table says so.
func resolved(table map[string]string, addr string) (to string, named bool) {
	if len(table) == 0 {
		return addr, false
	}
	if to, ok := table[strings.ToLower(addr)]; ok {
		return to, true
	}
	if _, port, err := net.SplitHostPort(addr); err == nil {
		if to, ok := table[net.JoinHostPort("*", port)]; ok {
			return to, true
		}
	}
	return addr, false
}

// ParseResolve reads HOST:PORT:ADDRESS, as in curl's --resolve, into a key and a
// value of Config.Resolve. HOST may be "*" for any; IPv6 addresses may stand in
// brackets.
func ParseResolve(s string) (from, to string, err error) {
	fail := func(what string) (string, string, error) {
		return "", "", fmt.Errorf("resolve %q: %s; want HOST:PORT:ADDRESS", s, what)
	}
	host, rest, ok := cutHost(s)
	port, address, ok2 := strings.Cut(rest, ":")
	if !ok || !ok2 || host == "" {
		return fail("too few parts")
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return fail("bad port")
	}
	address = strings.TrimSuffix(strings.TrimPrefix(address, "["), "]")
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return fail("bad address")
	}
	return strings.ToLower(net.JoinHostPort(host, port)), net.JoinHostPort(ip.String(), port), nil
}

// cutHost cuts the host off HOST:rest, where HOST may be an IPv6 address in
// brackets.
func cutHost(s string) (host, rest string, ok bool) {
	if strings.HasPrefix(s, "[") {
		return strings.Cut(s[1:], "]:")
	}
	return strings.Cut(s, ":")
}
