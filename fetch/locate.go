package fetch

import (
	"cmp"
	"context"
	"net"
	"net/netip"
	"slices"
	"time"

	"crawler/weburl"
)

// Locate returns the IP address that u's host is at, looking its name up if it is one. Of several
// it is the same one whatever their order, and one of IPv4 if there is any: names that share a
// server mostly share that, while each may have an address of IPv6 of its own. Locate connects to
// nothing, and the Guard judges what is connected to later, not this address.
//
// It returns false where no address can be known, with a Proxy or a DialContext, where u may not be
// requested, and where the name has none. In a context of CountRequests the next dial to that host
// then fails at once as the look-up did, so that a name is not looked up twice in vain.
func (c *Client) Locate(ctx context.Context, u weburl.URL) (netip.Addr, bool) {
	if c.cfg.Proxy != nil || c.cfg.DialContext != nil || c.refuse(u) != nil {
		return netip.Addr{}, false
	}
	addr := hostPort(u)
	to, _ := resolved(c.cfg.Resolve, addr)
	host, _, err := net.SplitHostPort(to)
	if err != nil {
		return netip.Addr{}, false
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap(), true
	}
	most, brief := c.dialTimeout(ctx)
	lookup, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	ips, err := cmp.Or(c.cfg.Resolver, net.DefaultResolver).LookupNetIP(lookup, "ip", host)
	if err != nil {
		if ctx.Err() == nil {
			if brief && lookup.Err() != nil {
				err = ErrBriefly
			}
			sentIn(ctx).lookupFailed(addr, err)
		}
		return netip.Addr{}, false
	}
	return preferred(ips)
}

// preferred returns the lowest address of IPv4, else the lowest of all.
func preferred(ips []netip.Addr) (netip.Addr, bool) {
	if len(ips) == 0 {
		return netip.Addr{}, false
	}
	for i := range ips {
		ips[i] = ips[i].Unmap()
	}
	return slices.MinFunc(ips, netip.Addr.Compare), true // IPv4 comes before IPv6
}

// failedLookup is a look-up by Locate that failed.
type failedLookup struct {
	addr string // "host:port"
	err  error
	at   time.Time
}

// lookupFresh is how long a failed look-up stands for the one that a dial would make.
const lookupFresh = time.Second

// lookupFailed keeps the error of a look-up for the next dial.
func (s *Sent) lookupFailed(addr string, err error) {
	if s != nil {
		s.failed.Store(&failedLookup{addr, err, time.Now()})
	}
}

// takeFailed returns the error of a look-up that has just failed, as the dialer would, once.
func (s *Sent) takeFailed(network, addr string) error {
	if s == nil || s.failed.Load() == nil {
		return nil
	}
	f := s.failed.Swap(nil)
	if f == nil || f.addr != addr || time.Since(f.at) > lookupFresh {
		return nil
	}
	return &net.OpError{Op: "dial", Net: network, Err: f.err}
}
