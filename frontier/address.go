package frontier

import (
	"net/netip"
	"time"
)

// Hosts that share an IP address share its server, or whatever stands in front of it: they have
// together a least gap between two requests, and a window of requests in flight. A host whose
// turn comes while its address has no room waits in a line there, and the other hosts go on. So a
// host costs nothing in the heaps while it waits, and an address whose turn it is costs
// O(log addresses).
//
// Where nobody shares anything nothing is delayed: the gap is at first no longer than the delay
// of a host, and the window never smaller than a host's connections. Addresses are learned from
// whoever fetches (Lease.Locate, Located), once a run, and not saved: a resumed crawl begins with
// small windows again.

// address is one IP address, or one network of IPv6, that several hosts are at.
type address struct {
	leased    int       // leases of its hosts
	notBefore time.Time // start of the next request
	previous  time.Time // notBefore before the last lease
	last      *host     // of the last lease
	window    window
	lines     [classes]line // by class, since not all may have every slot
}

// place is what is known of an IP address: a host alone there shares it with nobody, and costs
// nothing.
type place struct {
	alone  *host
	shared *address
}

// networkBits is how much of an IPv6 address tells servers apart: a network has 64 bits, all that
// one customer of a hoster has in most cases, and one machine may have an address for each name.
const networkBits = 64

// networkOf returns the address that stands for all of which one server may have many.
func networkOf(ip netip.Addr) netip.Addr {
	ip = ip.Unmap().WithZone("")
	if ip.Is4() {
		return ip
	}
	p, err := ip.Prefix(networkBits)
	if err != nil {
		return ip
	}
	return p.Addr()
}

// shares reports whether addresses matter.
func (c *Config) shares() bool { return c.PerIP > 0 || c.IPDelay > 0 }

// Located ends the lease of an item that has a Lease.Locate, without a request: its host is at
// this IP address. The item goes back to the front of its host's queue, and is leased next of
// those whose turn it is, if its address has room. Located reports whether the host has been closed
// meanwhile, as Return does.
func (f *Frontier) Located(it Item, ip netip.Addr) (closed bool) {
	atOnce := f.just == it.URL
	h := f.release(it, time.Time{})
	f.refund(h, atOnce)
	if !h.located && f.cfg.shares() {
		h.located = true
		f.join(h, networkOf(ip))
	}
	h.turn = 0 // before the hosts that nobody knows yet, or all would be located first
	h.front = append(h.front, it)
	f.queued++
	f.changed(h)
	return h.closed
}

// join notes that a host is at an address.
func (f *Frontier) join(h *host, key netip.Addr) {
	// One host, too, may have less than it would.
	limited := f.cfg.IPDelay > 0 || f.cfg.PerIP > 0 && f.cfg.PerIP < f.cfg.PerHost
	p := f.addresses[key]
	switch {
	case p.shared != nil:
		p.shared.join(h)
	case p.alone == nil && !limited:
		p.alone = h
	default:
		p.shared = &address{window: newWindow(&f.cfg)}
		for i := range p.shared.lines {
			p.shared.lines[i] = line{at: p.shared, index: notReady}
		}
		if p.alone != nil {
			p.shared.join(p.alone)
		}
		p.shared.join(h)
		p.alone = nil
	}
	f.addresses[key] = p
	if p.shared != nil {
		f.reopen(p.shared)
	}
}

// join takes in a host, which may have been asked before.
func (a *address) join(h *host) {
	h.address = a
	a.leased += int(h.leased)
	a.notBefore = later(a.notBefore, h.notBefore.Add(a.window.gap-h.spacing()))
}

// hasRoom reports whether another request may be in flight.
func (a *address) hasRoom() bool { return a.leased < a.window.limit() }

// enter counts a lease of a host that shares its address, and whether it had to wait for that.
func (f *Frontier) enter(h *host, now time.Time, waited bool) {
	a := h.address
	a.leased++
	a.previous, a.last = a.notBefore, h
	f.spread(a, now)
	a.window.entered(a.leased, now, waited)
}

// leave ends what enter began.
func (f *Frontier) leave(h *host, started time.Time) {
	a := h.address
	a.leased--
	if !started.IsZero() {
		a.notBefore = later(a.notBefore, started.Add(a.window.gap))
	}
	f.reopen(a)
}

// spread keeps the address from being asked for a gap.
func (f *Frontier) spread(a *address, now time.Time) {
	a.notBefore = later(a.notBefore, now.Add(a.window.gap))
	f.reopen(a)
}

// unspread takes the gap of a lease without a request back, if there was no other since.
func (f *Frontier) unspread(h *host) {
	if a := h.address; a != nil && a.last == h {
		a.notBefore, a.last = a.previous, nil
		f.reopen(a)
	}
}

// Answered takes the end of an attempt for evidence of how busy the address of its host is:
// Outcome.Latency, or that there was no good answer. Call it before the lease ends.
func (f *Frontier) Answered(it Item, now time.Time, o Outcome) {
	if len(f.addresses) == 0 {
		return
	}
	h := f.host(it.URL.Host())
	if h.address == nil || o.Kind == Unasked {
		return
	}
	bad := o.Kind == Throttled
	if o.Kind == Failed { // of hosts that never answered nobody is tired
		bad = h.answered && h.well() && !f.network.down // what is amiss with one host is its own
		o.Latency = 0
	}
	h.address.window.answered(o.Started, now, o.Latency, bad)
	f.reopen(h.address)
}
