package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"crawler/weburl"
)

// Guard keeps a client away from addresses and ports that a page of a stranger must
// not lead to: this machine, its networks, a cloud's metadata. A Client checks every
// address after the name was looked up, at the moment it is dialled, on each hop and
// each retry; a name server that answers differently the second time gains nothing. If
// a name has several addresses, those that pass may be used.
//
// The zero Guard lets through public addresses only.
type Guard struct {
	// Seeds are the URLs that the user asked for: the host and port of each may be
	// connected to at any address, but no other port or name; without a port, the ports
	// of http and https. Two kinds of address are still refused unless the seed is
	// written as that address: a cloud's metadata and link-local addresses. And a name
	// that was once connected to at a public address is public: special addresses that
	// it has later are refused.
	Seeds   []weburl.URL
	Nets    []netip.Prefix // special addresses that are allowed nevertheless
	Private bool           // every address is allowed; Ports still count
	Ports   Ports          // the ports that are allowed; a seed's own is in any case
}

// ErrAddress means that an address is refused on purpose: by the Guard, or by a
// Config.DialContext that wraps it. The page's Reason is then "address".
var ErrAddress = errors.New("address not allowed")

// ErrPort means that the Guard refuses a port. The page's Reason is then "port".
var ErrPort = errors.New("port not allowed")

// guard is a Guard at work. It is safe for concurrent use.
type guard struct {
	Guard
	seeds map[string]*permit // by "host:port"
	own   map[string]bool    // which of them were named, port included
}

// permit says which addresses a seed's host and port may have.
type permit struct {
	literal bool        // the host is an address
	public  atomic.Bool // the name was connected to at a public address
}

func newGuard(g *Guard) *guard {
	if g == nil {
		return nil
	}
	made := &guard{Guard: *g, seeds: make(map[string]*permit, len(g.Seeds)), own: make(map[string]bool, len(g.Seeds))}
	for _, u := range g.Seeds {
		at := hostPort(u)
		_, err := netip.ParseAddr(u.Hostname())
		p := cmp.Or(made.seeds[at], &permit{literal: err == nil})
		made.seeds[at], made.own[at] = p, true
		if u.Port() == "" { // a site moves its visitors from http to https and back
			made.seeds[net.JoinHostPort(u.Hostname(), "80")] = p
			made.seeds[net.JoinHostPort(u.Hostname(), "443")] = p
		}
	}
	return made
}

// hostPort is what the transport dials for u.
func hostPort(u weburl.URL) string { return net.JoinHostPort(u.Hostname(), portOf(u)) }

func portOf(u weburl.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme() == "https":
		return "443"
	}
	return "80"
}

// refusesPort judges a URL's port, before anything is dialled.
func (g *guard) refusesPort(u weburl.URL) error {
	if u.Port() == "" && len(g.Ports) == 0 {
		return nil
	}
	port, err := strconv.ParseUint(portOf(u), 10, 16)
	if err == nil && g.Ports.Has(uint16(port)) || g.own[hostPort(u)] {
		return nil
	}
	return fmt.Errorf("%w: %s is not among the ports that may be asked", ErrPort, portOf(u))
}

// refusesHost judges what can be judged of a URL whose name is looked up elsewhere,
// by a proxy: an address, and the names that mean this machine (RFC 6761, section
// 6.3).
func (g *guard) refusesHost(u weburl.URL) error {
	host := u.Hostname()
	addr, err := netip.ParseAddr(host)
	if name := strings.TrimSuffix(host, "."); err != nil && (name == "localhost" || strings.HasSuffix(name, ".localhost")) {
		addr, err = netip.AddrFrom4([4]byte{127, 0, 0, 1}), nil
	}
	if err != nil {
		return nil
	}
	return g.refuses(addr, g.seeds[hostPort(u)])
}

// refuses judges one address; p is nil if it is not a seed's.
func (g *guard) refuses(addr netip.Addr, p *permit) error {
	plain := plainAddr(addr)
	b := special(plain)
	if b == nil {
		if p != nil && !p.public.Load() {
			p.public.Store(true)
		}
		return nil
	}
	within := func(n netip.Prefix) bool { return n.Contains(plain) || n.Contains(addr.WithZone("")) }
	switch {
	case g.Private, slices.ContainsFunc(g.Nets, within):
		return nil
	case p == nil:
		return fmt.Errorf("%w: %s is %s (%s); name the host and port as a seed, or allow its network", ErrAddress, addr, b.what, b.source)
	case p.literal:
		return nil
	case b.metadata:
		return fmt.Errorf("%w: %s is %s (%s), which a name may not lead to; name the address as a seed, or allow its network", ErrAddress, addr, b.what, b.source)
	case p.public.Load():
		return fmt.Errorf("%w: %s is %s (%s), but the seed was at a public address before; allow its network", ErrAddress, addr, b.what, b.source)
	}
	return nil
}

// A dialled host is one call of the dialer, which may try several addresses, two at
// a time.
type dialledHost struct {
	guard  *guard
	permit *permit
	passed atomic.Bool // an address was let through
}

// dialling begins the dial of "host:port".
func (g *guard) dialling(addr string) *dialledHost {
	return &dialledHost{guard: g, permit: g.seeds[addr]}
}

// control is net.Dialer's ControlContext: it sees the very address that is connected
// to next.
func (d *dialledHost) control(_ context.Context, network, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: %s %q: %w", ErrAddress, network, address, err)
	}
	if err := d.guard.refuses(at.Addr(), d.permit); err != nil {
		return err
	}
	d.passed.Store(true)
	return nil
}

// explain makes err the failure of the host. The dialer reports the first address'
// failure: a refusal is the whole truth only if no address passed.
func (d *dialledHost) explain(err error) error {
	if d.passed.Load() && errors.Is(err, ErrAddress) {
		return fmt.Errorf("no connection to the addresses that are allowed (%v)", err)
	}
	return err
}
