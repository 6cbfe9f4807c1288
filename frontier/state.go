package frontier

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"crawler/internal/binform"
	"crawler/weburl"
)

// stateVersion is the version of a host's state.
const stateVersion = 5

// The flags of a host's state.
const (
	hostClosed   = 1
	hostAnswered = 2
	hostTrouble  = 4 // the state has what the trouble is
	hostLull     = 8 // the state has its lull
)

// HostState is the saved state of a host, decoded by ReadHost.
type HostState struct {
	Admitted   int           // URLs charged to the page budget
	Queued     int           // URLs waiting, without those that are leased
	Leased     int           // URLs that were leased when the state was saved
	Failures   int           // in a row
	Why        string        // Outcome.Why of the last one; "" if there is no trouble
	Closed     bool          // given up
	Answered   bool          // ever
	CrawlDelay time.Duration // asked for in robots.txt; 0 for none
	Backoff    time.Duration // 0 unless the host throttled or failed
	NotBefore  time.Time     // start of the next request; zero for any time

	backoffUntil, slowed time.Time
	lull                 lull
	items                []Item // leased, then given back, as they are served
	delayed              []delayed
	levels               []savedLevel
}

// Due returns when the next attempt for a page is due, if it is one that waits for that.
func (s *HostState) Due(u weburl.URL) (at time.Time, ok bool) {
	for i := range s.delayed {
		if s.delayed[i].URL == u {
			return later(s.delayed[i].due, s.NotBefore), true
		}
	}
	return time.Time{}, false
}

type savedLevel struct {
	depth      int
	count      uint64
	head, next uint64
	off, via   int
	leased     []uint64 // records leased out of order: numbers, ascending, 0 for the next one
}

// appendState appends the state of a host whose levels have been committed; items
// are its leased ones and, after those, the ones given back.
func (h *host) appendState(b []byte, items []Item) []byte {
	flags := byte(0)
	if h.closed {
		flags |= hostClosed
	}
	if h.answered {
		flags |= hostAnswered
	}
	if h.trouble != nil {
		flags |= hostTrouble
	}
	if h.lull != (lull{}) {
		flags |= hostLull
	}
	b = append(b, stateVersion, flags)
	b = appendCount(b, h.admitted)
	b = binary.AppendUvarint(b, uint64(h.crawlDelay))
	b = appendTime(b, h.notBefore)
	if h.trouble != nil {
		b = h.trouble.append(b)
	}
	if flags&hostLull != 0 {
		b = append(b, h.lull.turns, h.lull.left)
	}
	b = appendItems(b, items[:len(items)-len(h.front)])
	b = appendItems(b, items[len(items)-len(h.front):])
	b = appendCount(b, len(h.levels))
	for _, l := range h.levels {
		b = appendCount(b, l.depth)
		b = binary.AppendUvarint(b, uint64(l.count))
		b = binary.AppendUvarint(b, l.disk.head)
		b = binary.AppendUvarint(b, l.disk.next)
		b = appendCount(b, int(l.disk.off))
		b = appendCount(b, int(l.disk.via))
		b = l.appendLeased(b)
	}
	return b
}

// append appends the trouble that a host has, or had.
func (t *trouble) append(b []byte) []byte {
	b = binform.AppendText(appendCount(b, t.failures), t.why)
	b = binary.AppendUvarint(b, uint64(t.backoff))
	b = appendTime(b, t.backoffUntil)
	b = appendTime(b, t.slowed)
	b = appendCount(b, len(t.delayed))
	for i := range t.delayed {
		b = AppendItem(appendTime(b, t.delayed[i].due), t.delayed[i].Item)
	}
	return b
}

// appendLeased appends the number of records that were leased out of order, and each of
// them delta-encoded: the gap to the previous one.
func (l *level) appendLeased(b []byte) []byte {
	b = appendCount(b, l.count-l.unleased())
	if l.outOfOrder == nil {
		return b
	}
	next := l.outOfOrder.next
	for _, number := range l.outOfOrder.leased {
		b = binary.AppendUvarint(b, number-next)
		next = number + 1
	}
	return b
}

func appendItems(b []byte, items []Item) []byte {
	b = appendCount(b, len(items))
	for _, it := range items {
		b = AppendItem(b, it)
	}
	return b
}

func appendCount(b []byte, n int) []byte {
	return binary.AppendUvarint(b, uint64(min(max(n, 0), math.MaxInt32)))
}

// appendTime appends nanoseconds since 1970, and 0 for a time before that.
func appendTime(b []byte, t time.Time) []byte {
	n := int64(0)
	if t.Unix() > 0 {
		n = t.UnixNano()
	}
	return binary.LittleEndian.AppendUint64(b, uint64(n))
}

// ReadHost decodes the saved state of a host. Its error has ErrDamaged in its
// chain.
func ReadHost(hostname string, state []byte) (HostState, error) {
	if len(state) > 0 && state[0] != stateVersion {
		return HostState{}, fmt.Errorf("the frontier's state of %s has version %d, this program knows %d: %w", hostname, state[0], stateVersion, ErrDamaged)
	}
	r := reader{buf: state}
	s := r.state(hostname)
	if r.bad || len(r.buf) > 0 {
		return HostState{}, fmt.Errorf("the frontier's state of %s, %d bytes: %w", hostname, len(state), ErrDamaged)
	}
	return s, nil
}

func (r *reader) state(hostname string) HostState {
	r.byte() // the version, which ReadHost has checked
	flags := r.byte()
	s := HostState{Closed: flags&hostClosed != 0, Answered: flags&hostAnswered != 0, Admitted: r.small(), CrawlDelay: r.duration(), NotBefore: r.time()}
	if flags&hostTrouble != 0 {
		s.Failures, s.Why, s.Backoff, s.backoffUntil, s.slowed = r.small(), string(r.bytes()), r.duration(), r.time(), r.time()
		r.delayed(hostname, &s)
	}
	if flags&hostLull != 0 {
		s.lull = lull{r.byte(), r.byte()}
		if s.lull.turns == 0 || s.lull.turns > maxLull || s.lull.left >= s.lull.turns {
			r.fail()
		}
	}
	s.Leased = r.items(hostname, &s)
	s.Queued += r.items(hostname, &s)
	depth := -1
	for n := r.small(); n > 0 && !r.bad; n-- {
		l := savedLevel{depth: r.small(), count: r.uvarint(), head: r.uvarint(), next: r.uvarint(), off: r.small(), via: r.small()}
		l.leased = r.leased(l.count)
		s.Queued += int(l.count) - len(l.leased)
		if l.depth <= depth || !l.valid() || s.Queued < 0 || s.Queued > math.MaxInt-math.MaxInt32 {
			r.fail()
		}
		depth = l.depth
		s.levels = append(s.levels, l)
	}
	if flags > hostClosed|hostAnswered|hostTrouble|hostLull {
		r.fail()
	}
	return s
}

func (l *savedLevel) valid() bool {
	return l.count <= math.MaxInt/2 && l.head < l.next && l.next-l.head <= l.count && l.via <= l.off
}

// leased reads the list that appendLeased wrote of a level with count records, at least
// one of which is not leased.
func (r *reader) leased(count uint64) (leased []uint64) {
	next := uint64(0)
	for n := r.small(); n > 0 && !r.bad; n-- {
		gap := r.uvarint()
		if next >= count || gap >= count-next || uint64(len(leased))+2 > count {
			r.fail()
			return nil
		}
		leased = append(leased, next+gap)
		next += gap + 1
	}
	return leased
}

// items reads items of the host and returns their number.
func (r *reader) items(hostname string, s *HostState) int {
	n := r.small()
	for range n {
		it := r.item()
		if r.bad || it.URL.Host() != hostname {
			r.fail()
			return 0
		}
		s.items = append(s.items, it)
	}
	return n
}

// delayed reads the pages that wait for another attempt.
func (r *reader) delayed(hostname string, s *HostState) {
	for n := r.small(); n > 0 && !r.bad; n-- {
		p := delayed{due: r.time(), Item: r.item()}
		if r.bad || p.URL.Host() != hostname {
			r.fail()
			return
		}
		s.delayed = append(s.delayed, p)
		s.Queued++
	}
}

func (r *reader) duration() time.Duration {
	v := r.uvarint()
	if v > math.MaxInt64 {
		r.fail()
		return 0
	}
	return time.Duration(v)
}

func (r *reader) time() time.Time {
	n := r.int64()
	if n < 0 {
		r.fail()
	}
	if n <= 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}
