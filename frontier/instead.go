package frontier

import (
	"math"
	"slices"
	"time"
)

// URLs that wait in a rank have it from when their turn came last. What was suspect then may be
// known to be good by now, and URLs found since, which have no rank yet, would all be fetched
// before: the deepest first. So whoever ranks URLs looks again at some of those that wait. Most are
// a trap's, and stay: after looks in vain it takes twice as many leases to the next ones. What is
// chosen depends on nothing but what is committed, so a crawl that was killed goes the same way.

const (
	maxLooks = 8  // at URLs that wait, for a lease
	maxLull  = 16 // leases of the host from one look to the next
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
// oldest of some levels that are served next. If the item has no rank none is deeper, and half of
// them are the shallowest: a trap's URLs may be all of either. Without a good one the lease stays
// as it is, and so do some of the next ones, without a look. Cost: O(levels of the host).
func (f *Frontier) Instead(it Item, now time.Time, good func(Item) bool) (other Item, ok bool) {
	h := f.host(it.URL.Host())
	if !f.canExchange(h, &it) || h.lull.skips() {
		return Item{}, false
	}
	other, ok = f.instead(h, it, now, func(look, rank, depth int) int {
		switch {
		case it.Rank == 0 && depth > it.Depth:
			return never
		case it.Rank == 0 && look < maxLooks/2:
			return depth<<8 | rank
		}
		return rank<<rankShift | depth
	}, good)
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
	return f.instead(h, it, now, func(_, rank, depth int) int {
		if depth <= it.Depth {
			return never
		}
		return (depthMask-depth)<<8 | rank
	}, good)
}

// Below does so with the oldest of the deeper levels that have the item's rank, the shallowest
// first: there others of its kind wait that are a step from it, if the deepest are of another kind.
func (f *Frontier) Below(it Item, now time.Time, good func(Item) bool) (other Item, ok bool) {
	h := f.host(it.URL.Host())
	if !f.canExchange(h, &it) {
		return Item{}, false
	}
	return f.instead(h, it, now, func(_, rank, depth int) int {
		if depth <= it.Depth || rank != int(it.Rank) {
			return never
		}
		return depth
	}, good)
}

// canExchange reports whether another item of the host, one that waits in a rank, could be leased
// instead of one.
func (f *Frontier) canExchange(h *host, it *Item) bool {
	n := len(h.levels)
	return n > 0 && h.levels[n-1].depth>>rankShift > 0 && f.steer == nil && !it.Lease.Again && f.just == it.URL
}

// sequence says in which sequence levels are looked at, by the number of the look and the level's
// rank and depth: the smallest comes first.
type sequence func(look, rank, depth int) int

// never is the place of a level that is not to be looked at.
const never = -1

// instead looks at levels that wait in a rank, each time at the first of the others.
func (f *Frontier) instead(h *host, it Item, now time.Time, of sequence, good func(Item) bool) (other Item, ok bool) {
	var looked [maxLooks]*level
	for look := range looked {
		l := h.firstWaiting(&it, look, looked[:look], of)
		if l == nil {
			return Item{}, false
		}
		looked[look] = l
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

// firstWaiting returns the first level of a sequence, of those that wait in a rank and were not
// looked at, nil if there is none. That of the item is none of them.
func (h *host) firstWaiting(it *Item, look int, looked []*level, of sequence) (first *level) {
	own, best := it.level(), math.MaxInt
	for _, l := range h.levels[h.search(1<<rankShift):] {
		if l.depth == own || l.unleased() == 0 || slices.Contains(looked, l) {
			continue
		}
		if n := of(look, l.depth>>rankShift, l.depth&depthMask); n != never && n < best {
			first, best = l, n
		}
	}
	return first
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
