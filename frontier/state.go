package frontier

import (
	"encoding/binary"
	"fmt"
	"math"
	"time"
)

// The versions of a host's state: only the second tells what was taken before its turn.
const (
	stateInTurn = 1
	stateTaken  = 2
)

// HostState is what a host's saved state tells. ReadHost makes it.
type HostState struct {
	Admitted   int           // URLs charged to the page budget
	Queued     int           // URLs waiting, those that are leased not counted
	Leased     int           // URLs handed out when the state was saved
	Failures   int           // in a row
	Closed     bool          // given up
	CrawlDelay time.Duration // asked for in robots.txt; 0 for none
	Backoff    time.Duration // 0 when the host is content
	NotBefore  time.Time     // start of the next request; zero for any time

	rest, slowed time.Time
	items        []Item // leased, then given back, in serving order
	levels       []savedLevel
}

type savedLevel struct {
	depth      int
	count      uint64
	head, next uint64
	off, via   int
	taken      []uint64 // numbers of records from there on
}

// appendState appends the state of a host whose levels have been committed; items
// are what it has leased and, behind those, given back.
func (h *host) appendState(b []byte, items []Item) []byte {
	flags := byte(0)
	if h.closed {
		flags = 1
	}
	version := h.stateVersion()
	b = append(b, version, flags)
	b = appendCount(b, h.admitted)
	b = appendCount(b, h.failures)
	b = binary.AppendUvarint(b, uint64(h.asked))
	b = binary.AppendUvarint(b, uint64(h.backoff))
	b = appendTime(b, h.notBefore)
	b = appendTime(b, h.rest)
	b = appendTime(b, h.slowed)
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
		if version == stateTaken {
			b = l.appendTaken(b)
		}
	}
	return b
}

func (h *host) stateVersion() byte {
	for _, l := range h.levels {
		if l.live() != l.count {
			return stateTaken
		}
	}
	return stateInTurn
}

// appendTaken appends how many records were taken before their turn, and how many stand
// before each since the one before.
func (l *level) appendTaken(b []byte) []byte {
	b = appendCount(b, l.count-l.live())
	if l.turns == nil {
		return b
	}
	next := l.turns.next
	for _, number := range l.turns.taken {
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

// appendTime appends nanoseconds since 1970, and 0 for what lies before.
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
	if len(state) > 0 && state[0] != stateInTurn && state[0] != stateTaken {
		return HostState{}, fmt.Errorf("the frontier's state of %s has version %d, this program knows %d and %d: %w", hostname, state[0], stateInTurn, stateTaken, ErrDamaged)
	}
	r := reader{buf: state}
	s := r.state(hostname)
	if r.bad || len(r.buf) > 0 {
		return HostState{}, fmt.Errorf("the frontier's state of %s, %d bytes: %w", hostname, len(state), ErrDamaged)
	}
	return s, nil
}

func (r *reader) state(hostname string) HostState {
	version := r.byte()
	flags := r.byte()
	s := HostState{Closed: flags == 1, Admitted: r.small(), Failures: r.small(), CrawlDelay: r.duration(), Backoff: r.duration()}
	s.NotBefore, s.rest, s.slowed = r.time(), r.time(), r.time()
	s.Leased = r.items(hostname, &s)
	s.Queued = r.items(hostname, &s)
	depth := -1
	for n := r.small(); n > 0 && !r.bad; n-- {
		l := savedLevel{depth: r.small(), count: r.uvarint(), head: r.uvarint(), next: r.uvarint(), off: r.small(), via: r.small()}
		if version == stateTaken {
			l.taken = r.taken(l.count)
		}
		s.Queued += int(l.count) - len(l.taken)
		if l.depth <= depth || !l.valid() || s.Queued < 0 || s.Queued > math.MaxInt-math.MaxInt32 {
			r.fail()
		}
		depth = l.depth
		s.levels = append(s.levels, l)
	}
	if flags > 1 {
		r.fail()
	}
	return s
}

func (l *savedLevel) valid() bool {
	return l.count <= math.MaxInt/2 && l.head < l.next && l.next-l.head <= l.count && l.via <= l.off
}

// taken reads what appendTaken wrote of a level with so many records, of which one is
// not taken at least.
func (r *reader) taken(count uint64) (taken []uint64) {
	next := uint64(0)
	for n := r.small(); n > 0 && !r.bad; n-- {
		gap := r.uvarint()
		if next >= count || gap >= count-next || uint64(len(taken))+2 > count {
			r.fail()
			return nil
		}
		taken = append(taken, next+gap)
		next += gap + 1
	}
	return taken
}

// items reads items of the host and returns how many there are.
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
	return time.Unix(0, n)
}
