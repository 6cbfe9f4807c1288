package frontier

import (
	"fmt"
	"slices"
	"time"
)

// Commit writes everything that changed since the last Commit to w. With what earlier
// commits wrote, that is all that a new Frontier needs to continue (see Restore).
// Only with Config.Disk. Cost: O(what changed).
//
// Disk need not return the blocks of this Commit yet: their bytes stay in memory
// until Landed, or until the next Commit, which must not come before Disk returns them.
func (f *Frontier) Commit(w Writer) {
	f.Landed()
	for i, h := range f.dirty {
		h.commit(w, f.pager)
		f.items = f.leases.all(f.items[:0], h.leases)
		for _, it := range slices.Backward(h.front) {
			f.items = append(f.items, it)
		}
		f.record = h.appendState(f.record[:0], f.items)
		w.PutHost(h.name, f.record)
		f.dirty[i] = nil
	}
	f.dirty = f.dirty[:0]
	clear(f.items[:cap(f.items)])
	f.spareRecord()
}

// Landed reports to f that the blocks of the last Commit can be read from Disk, so that
// they need not stay in memory.
func (f *Frontier) Landed() { f.pager.landed() }

// Err returns the first error of Disk, or about its blocks. Once there is one, Next leases
// nothing, Wake returns false and Drain drains nothing. Commit still writes a consistent
// state.
func (f *Frontier) Err() error { return f.err }

// fail keeps the first error.
func (f *Frontier) fail(err error) error {
	if f.err == nil {
		f.err = fmt.Errorf("frontier: %w", err)
	}
	return f.err
}

// Restore takes over the state of a host that Commit wrote. Call it once for each host on
// disk, before anything else is done with that host. A URL that was leased is queued
// again, at the front, with the attempts it had. Nobody knows which requests were sent
// after that commit, so the host is not asked before now plus its spacing, nor before the
// time that was saved; a wait of more than Patience, and of more than ten minutes, counts as the
// longer of the two. Budgets, failures and a closed host remain as they were, and patience with
// hosts and pages begins anew; delays follow this Frontier's Config. A closed host may have URLs
// queued still: Drain it.
func (f *Frontier) Restore(hostname string, state []byte, now time.Time) error {
	s, err := ReadHost(hostname, state)
	if err != nil {
		return f.fail(err)
	}
	if _, known := f.hosts[hostname]; known {
		return f.fail(fmt.Errorf("%s was restored or used before: %w", hostname, ErrDamaged))
	}
	f.began = later(f.began, now)
	h := f.host(hostname)
	h.closed, h.answered, h.admitted, h.lull = s.Closed, s.Answered, s.Admitted, s.lull
	h.crawlDelay = s.CrawlDelay
	h.delay = f.delay(h.crawlDelay)
	f.restoreTrouble(h, &s, now)
	h.notBefore = later(now.Add(h.spacing()), f.onThisClock(s.NotBefore, now))
	if s.Failures > 0 {
		h.trouble.since = h.notBefore // patience begins anew, when it may be asked
	}
	for i := range s.items {
		s.items[i].restored(now)
	}
	h.restoreQueue(&s)
	f.queued += h.queued()
	if f.steer != nil {
		if err := f.steer.restore(h, f.cfg.Disk); err != nil {
			return f.fail(err)
		}
	}
	f.global = later(f.global, now.Add(f.cfg.Interval))
	f.place(h)
	return nil
}

func (h *host) restoreQueue(s *HostState) {
	h.front = s.items
	slices.Reverse(h.front)
	for _, l := range s.levels {
		r := &level{depth: l.depth, count: int(l.count), disk: l.stored()}
		if len(l.leased) > 0 {
			r.outOfOrder = &outOfOrder{leased: l.leased}
		}
		h.waiting += r.unleased()
		h.levels = append(h.levels, r)
	}
}

// restoreTrouble takes in a host's trouble and the pages that wait for another attempt.
func (f *Frontier) restoreTrouble(h *host, s *HostState, now time.Time) {
	if s.Failures == 0 && s.Backoff == 0 && len(s.delayed) == 0 && s.backoffUntil.IsZero() {
		return
	}
	h.trouble = &trouble{
		failures: s.Failures, why: s.Why, backoff: min(s.Backoff, f.longest()), backoffUntil: f.onThisClock(s.backoffUntil, now),
		slowed:  now, // no request of this run began before
		delayed: s.delayed,
	}
	for i := range s.delayed {
		d := &s.delayed[i]
		d.due = now.Add(min(max(d.due.Sub(now), 0), maxGap))
		d.restored(now)
	}
	slices.SortStableFunc(s.delayed, byDue)
}

// restored corrects a time that is yet to come, since the wall clock was set back.
func (it *Item) restored(now time.Time) {
	if it.Since.After(now) {
		it.Since = now
	}
}

func (l *savedLevel) stored() *stored {
	return &stored{head: l.head, next: l.next, count: int(l.count), off: uint32(l.off), via: uint32(l.via)}
}

// Queue calls fn for the URLs of a host, read from its saved state and its blocks, until
// fn returns false. They come breadth-first, which is how they are served without an
// Order. pos counts from 0, and the first HostState.Leased of them were leased when the
// state was saved. Queue changes nothing, and its error has ErrDamaged in its chain or is
// the disk's.
func Queue(hostname string, state []byte, d Disk, fn func(pos int, it Item) bool) error {
	s, err := ReadHost(hostname, state)
	if err != nil {
		return err
	}
	pos := 0
	for ; pos < len(s.items); pos++ {
		if !fn(pos, s.items[pos]) {
			return nil
		}
	}
	for i := range s.delayed {
		if !fn(pos, s.delayed[i].Item) {
			return nil
		}
		pos++
	}
	p := newPager(d, maxChunk+chunkSize)
	for _, l := range s.levels {
		more := true
		if err := l.each(hostname, p, func(it Item) bool {
			more = fn(pos, it)
			pos++
			return more
		}); err != nil || !more {
			return err
		}
	}
	return nil
}

// each calls fn for the URLs of a level that were not leased, until it returns false.
func (l *savedLevel) each(hostname string, p *pager, fn func(Item) bool) error {
	saved := level{depth: l.depth, count: int(l.count), disk: l.stored(), outOfOrder: &outOfOrder{leased: l.leased}}
	for saved.unleased() > 0 {
		if err := saved.skipLeased(hostname, p); err != nil {
			return err
		}
		it, err := saved.pop(hostname, p)
		if err != nil {
			return err
		}
		if !fn(it) {
			return nil
		}
	}
	return nil
}

// onThisClock rebases a saved wall-clock time onto now's monotonic clock, clamped to
// [now, now+longest], so that jumps of the wall clock, since it was saved or later, do
// not matter.
func (f *Frontier) onThisClock(saved, now time.Time) time.Time {
	return now.Add(min(max(saved.Sub(now), 0), f.longest()))
}
