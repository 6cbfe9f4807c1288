package frontier

import (
	"fmt"
	"slices"
	"time"
)

// Commit puts everything that changed since the last Commit into w. With what
// former commits put, that is all a new Frontier needs to go on (see Restore).
// Only with Config.Disk. Cost: O(what changed).
//
// Disk need not return the blocks of this Commit yet: their bytes stay in memory
// until Landed, or until the next Commit, which must not come before they can be
// read.
func (f *Frontier) Commit(w Writer) {
	f.Landed()
	for i, h := range f.dirty {
		h.commit(w, f.pager)
		f.items = f.leases.all(f.items[:0], h.held)
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

// Landed tells that the blocks of the last Commit can be read from Disk, so that
// memory need not hold them.
func (f *Frontier) Landed() { f.pager.landed() }

// Err returns the first error of Disk or about what it holds. Once there is one,
// Next leases nothing, Wake knows no time and Drain drains nothing. Commit
// still puts a state that is whole.
func (f *Frontier) Err() error { return f.err }

// fail keeps the first error.
func (f *Frontier) fail(err error) error {
	if f.err == nil {
		f.err = fmt.Errorf("frontier: %w", err)
	}
	return f.err
}

// Restore takes in the state of a host that Commit put: once for each host the
// disk knows, before anything else is done with that host. What was leased is
// queued again, at the front, with its tries untouched. Nobody knows what was asked
// after that commit, so the host is not asked before now plus its spacing, nor
// earlier than it was to be asked; a wait of more than MaxBackoff counts as
// MaxBackoff. Budgets, failures and a closed host stand; delays follow this
// Frontier's Config. A closed host may have something queued still: Drain it.
func (f *Frontier) Restore(hostname string, state []byte, now time.Time) error {
	s, err := ReadHost(hostname, state)
	if err != nil {
		return f.fail(err)
	}
	if _, known := f.hosts[hostname]; known {
		return f.fail(fmt.Errorf("%s was restored or used before: %w", hostname, ErrDamaged))
	}
	h := f.host(hostname)
	h.closed, h.admitted, h.failures = s.Closed, s.Admitted, s.Failures
	h.asked = s.CrawlDelay
	h.delay = f.delay(h.asked)
	h.backoff = min(s.Backoff, f.cfg.MaxBackoff)
	h.rest, h.slowed = f.today(s.rest, now), now // no request of this run began before
	h.notBefore = later(now.Add(h.spacing()), f.today(s.NotBefore, now))
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
		if len(l.taken) > 0 {
			r.turns = &turns{taken: l.taken}
		}
		h.waiting += r.live()
		h.levels = append(h.levels, r)
	}
}

func (l *savedLevel) stored() *stored {
	return &stored{head: l.head, next: l.next, count: int(l.count), off: uint32(l.off), via: uint32(l.via)}
}

// Queue calls fn for the URLs of a host in breadth-first order, which without an Order
// is that of serving, from its saved state and its blocks, until fn returns false; pos
// counts from 0, and the first HostState.Leased of them were handed out when the state
// was saved. It changes nothing, and its error has ErrDamaged in its chain or is the
// disk's.
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

// each calls fn for the URLs of a level that were not taken, until it returns false.
func (l *savedLevel) each(hostname string, p *pager, fn func(Item) bool) error {
	saved := level{depth: l.depth, count: int(l.count), disk: l.stored(), turns: &turns{taken: l.taken}}
	for saved.live() > 0 {
		if err := saved.shed(hostname, p); err != nil {
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

// today is a saved moment on this run's clock: counted from now, in which a time that
// time.Now has made is monotonic, so that what the wall clock does later does not
// matter; between now and MaxBackoff, whatever it has done since.
func (f *Frontier) today(saved, now time.Time) time.Time {
	return now.Add(min(max(saved.Sub(now), 0), f.cfg.MaxBackoff))
}
