package frontier

import (
	"math"
	"time"
)

// URLs that wait in a rank have it from when their turn came last. What was suspect then may be
// known to be good by now, and URLs found since, which have no rank yet, would all be fetched
// before: the deepest first. So whoever ranks URLs looks again at some of those that wait. Most are
// a trap's, and stay: after looks in vain it takes twice as many leases to the next ones. What is
// chosen depends on nothing but what is committed, so a crawl that was killed goes the same way.

const (
	maxLooks = 8 // at URLs that wait, for a lease
	maxLull  = 8 // leases of the host from one look to the next
)

// lull is the time after looks in vain, in leases of the host.
type lull struct {
	turns uint8 // from the last look to the next, 0 if that was not in vain
	left  uint8 // of these, how many without a look are still to come
}

// skips counts a lease, and reports whether it is one without a look.
func (l *lull) skips() bool {
	if l.left == 0 {
		return false
	}
	l.left--
	return true
}

// looked notes whether a look was in vain.
func (l *lull) looked(inVain bool) {
	if !inVain {
		*l = lull{}
		return
	}
	l.turns = min(max(1, 2*l.turns), maxLull)
	l.left = l.turns - 1
}

// Instead leases, in the place of an item that was just leased, one of its host that waits in a
// rank, if good says that its turn has come; the item goes to the end of its rank. It looks at the
// oldest of some levels: if the item has a rank, of those that are next, else of the shallowest,
// and at none that is deeper. Without a good one the lease stays as it is, and so do some of the
// next ones, without a look. Cost: O(levels of the host).
func (f *Frontier) Instead(it Item, now time.Time, good func(Item) bool) (other Item, ok bool) {
	h := f.host(it.URL.Host())
	if !f.canExchange(h, &it) || h.lull.skips() {
		return Item{}, false
	}
	other, ok = f.instead(h, it, now, (*host).waitsAfter, good)
	h.lull.looked(!ok)
	return other, ok
}

// Deeper does so with the oldest of the deepest levels, if the item has a rank: all are deeper than
// it, and have one, too.
func (f *Frontier) Deeper(it Item, now time.Time, good func(Item) bool) (other Item, ok bool) {
	h := f.host(it.URL.Host())
	if !f.canExchange(h, &it) {
		return Item{}, false
	}
	return f.instead(h, it, now, (*host).deeperAfter, good)
}

// canExchange reports whether another item of the host, one that waits in a rank, could be leased
// instead of one.
func (f *Frontier) canExchange(h *host, it *Item) bool {
	n := len(h.levels)
	return n > 0 && h.levels[n-1].depth>>rankShift > 0 && f.steer == nil && !it.Lease.Again && f.just == it.URL
}

// instead looks at the levels that after returns, one behind the other.
func (f *Frontier) instead(h *host, it Item, now time.Time, after func(*host, int, *Item) (*level, int), good func(Item) bool) (other Item, ok bool) {
	at := -1
	for range maxLooks {
		var l *level
		if l, at = after(h, at, &it); l == nil {
			return Item{}, false
		}
		waiting, err := l.peek(h.name, f.pager)
		if err == nil && good(waiting) {
			other, err = h.popLevel(l, f.pager)
			ok = err == nil
		}
		if err != nil {
			f.fail(err)
			return Item{}, false
		}
		if ok {
			f.exchange(h, it, &other, now)
			return other, true
		}
	}
	return Item{}, false
}

// exchange gives the lease of an item to another one of its host, which was taken out of its level.
func (f *Frontier) exchange(h *host, it Item, other *Item, now time.Time) {
	other.Lease = f.leaseOf(h, other, now)
	if f.pager != nil {
		h.leases = f.leases.add(f.leases.remove(h.leases, &it), *other)
	}
	f.queued--
	f.just = other.URL
	it.URL, it.Lease = it.URL.Clone(), Lease{}
	f.queue(h, it)
}

// waitsAfter returns the next level of those that wait in a rank, behind one that was looked at
// before, which is -1 at first; nil if there is none. For an item with a rank they come as they
// are served, for one without by depth and rank, and none is deeper.
func (h *host) waitsAfter(after int, it *Item) (best *level, at int) {
	key := func(l *level) int {
		if it.Rank > 0 {
			return l.depth
		}
		var x Item
		x.setLevel(l.depth)
		return x.Depth<<8 | int(x.Rank)
	}
	most := math.MaxInt
	if it.Rank == 0 {
		most = (it.Depth + 1) << 8
	}
	return h.waits(after, most, it, key)
}

// deeperAfter is waitsAfter for Deeper: by depth, the deepest first, and rank.
func (h *host) deeperAfter(after int, it *Item) (best *level, at int) {
	key := func(l *level) int {
		var x Item
		x.setLevel(l.depth)
		return (depthMask-x.Depth)<<8 | int(x.Rank)
	}
	return h.waits(after, (depthMask-min(it.Depth, depthMask))<<8, it, key)
}

// waits returns, of the levels that wait in a rank, the one with the least key above after and
// below most; not that of the item.
func (h *host) waits(after, most int, it *Item, key func(*level) int) (best *level, at int) {
	own := it.level()
	for _, l := range h.levels {
		if l.depth>>rankShift == 0 || l.depth == own || l.unleased() == 0 {
			continue
		}
		if k := key(l); k > after && k < most {
			best, most = l, k
		}
	}
	return best, most
}

// peek returns the oldest item of a level that has one, and whose records are leased in order.
func (l *level) peek(host string, p *pager) (Item, error) {
	if l.disk != nil && !l.disk.empty() {
		return p.peek(l.disk, host, l.depth)
	}
	t := *l.tail
	r := reader{buf: t.blocks[0][t.off:]}
	rec := r.record()
	via := t.read
	if rec.has(flagVia) {
		via = string(rec.via)
	}
	it, ok := rec.item(host, l.depth, via)
	if r.bad || !ok {
		panic("frontier: a URL queued in memory on " + host + " can no longer be read")
	}
	return it, nil
}

// peek returns the next record, and keeps those that follow in memory if there is room.
func (p *pager) peek(s *stored, host string, depth int) (Item, error) {
	c, err := p.open(s, host, depth)
	if err != nil {
		return Item{}, err
	}
	if s.chunk == nil {
		p.keep(s, c)
	}
	r := reader{buf: c.rest}
	rec := r.record()
	via := c.via
	if rec.has(flagVia) {
		via = string(rec.via)
	}
	it, ok := rec.item(host, depth, via)
	if r.bad || !ok || s.off == 0 && !rec.has(flagVia) {
		return Item{}, damaged(host, depth, s.head, "no queued URL at byte %d", s.off)
	}
	return it, nil
}
