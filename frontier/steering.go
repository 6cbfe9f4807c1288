package frontier

import (
	"container/heap"
	"math"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

	"crawler/internal/splitmix"
	"crawler/weburl"
)

// steering is what an Order adds to a Frontier: a candidate for each of at most
// OrderPages queued URLs. Every URL has a record in its level too, breadth-first; if it is
// leased as a candidate, the record is marked as leased. So a candidate is advice, and can
// be dropped at any time: its URL is then leased breadth-first.
type steering struct {
	order Order
	most  int
	seed  uint64
	slots []candidate
	free  []int32          // unused slots
	index map[uint64]int32 // slots, by urlHash
	hand  int              // slot that evict looks at next
	marks int              // most records of a level that may be marked
	due   dueHeap          // hosts that may be asked at now
	now   time.Time        // the latest that Next was called with
}

// candidate is a queued URL with its score.
type candidate struct {
	it     Item // with the cash
	host   *host
	level  *level
	number uint64 // of its record in the level
	hash   uint64 // of the URL
	at     int32  // in its host's heap
	links  distinct
}

// hostSteering is what an Order adds to a host.
type hostSteering struct {
	best   []int32 // slots of the host's candidates, a heap
	due    bool    // in steering.due
	served uint8   // leases so far; wraps
	score  float32 // its key in steering.due
}

const (
	// maxOutOfOrder is how many records of a level may be marked. They take a byte or two
	// each in the host's state, which every commit of the host writes.
	maxOutOfOrder = 1 << 16
	// Where a host has URLs that are no candidates, one lease in plainEvery is
	// breadth-first: their value is unknown rather than low, and they must not starve.
	plainEvery = 8
	// evictFrom is the number of candidates of which the worst is dropped to make room.
	evictFrom = 8
)

func newSteering(cfg *Config) *steering {
	return &steering{order: cfg.Order, most: cfg.OrderPages, seed: cfg.OrderSeed, marks: maxOutOfOrder, index: make(map[uint64]int32)}
}

func urlHash(u weburl.URL) uint64 { return xxhash.Sum64String(u.String()) }

// linker returns the hash under which distinct counts a linking page. Who does not know the
// seed cannot make up pages that count for many.
func (s *steering) linker(u weburl.URL) uint64 { return splitmix.Finish(urlHash(u) ^ s.seed) }

// pushed makes a candidate of an item that was pushed last.
func (s *steering) pushed(h *host, it Item) {
	if it.Rank > 0 {
		return // it waits until there are no candidates
	}
	l := h.levels[h.search(it.level())]
	l.number()
	s.add(h, l, it, l.outOfOrder.next+uint64(l.count-1))
}

// add makes a candidate of an item that was pushed as the given record of its level.
func (s *steering) add(h *host, l *level, it Item, number uint64) {
	hash := urlHash(it.URL)
	if _, known := s.index[hash]; known {
		return // another URL with that hash is a candidate: this one comes breadth-first
	}
	if it.Via == "" && it.cash == 0 {
		it.cash = seedCash
	}
	it.URL = it.URL.Clone() // a link shares memory with the other links of its page
	if len(s.index) >= s.most {
		s.evict()
	}
	n := int32(len(s.slots))
	if last := len(s.free) - 1; last >= 0 {
		n, s.free = s.free[last], s.free[:last]
	} else {
		s.slots = append(s.slots, candidate{})
	}
	s.slots[n] = candidate{it: it, host: h, level: l, number: number, hash: hash}
	s.index[hash] = n
	heap.Push(bestHeap{s, h.steer}, n)
}

// evict drops the worst of the next evictFrom candidates.
func (s *steering) evict() {
	worst := int32(-1)
	for range min(evictFrom, len(s.slots)) {
		n := int32(s.hand % len(s.slots))
		s.hand = int(n) + 1
		if c := &s.slots[n]; c.host != nil && (worst < 0 || s.score(c) < s.score(&s.slots[worst])) {
			worst = n
		}
	}
	if worst >= 0 {
		s.remove(worst)
	}
}

// remove drops a candidate.
func (s *steering) remove(n int32) {
	c := &s.slots[n]
	heap.Remove(bestHeap{s, c.host.steer}, int(c.at))
	delete(s.index, c.hash)
	*c = candidate{}
	s.free = append(s.free, n)
}

// forget drops the candidate of an item that was popped breadth-first, and returns the item
// with its cash.
func (s *steering) forget(it Item) Item {
	if n, ok := s.index[urlHash(it.URL)]; ok && s.slots[n].it.URL == it.URL {
		it.cash = s.slots[n].it.cash
		s.remove(n)
	}
	return it
}

// credit gives a link's part of the cash to the URL it leads to. It returns the URL's host
// if the best candidate there has changed, else nil.
func (s *steering) credit(u weburl.URL, part float32, page uint64) *host {
	n, ok := s.index[urlHash(u)]
	if !ok || s.slots[n].it.URL != u {
		return nil
	}
	c := &s.slots[n]
	c.it.cash += part
	c.links.add(page)
	heap.Fix(bestHeap{s, c.host.steer}, int(c.at))
	if c.at > 0 {
		return nil
	}
	return c.host
}

func (s *steering) score(c *candidate) float32 {
	switch s.order {
	case InLinks:
		return c.links.estimate
	case OPICInLinks:
		return c.it.cash * max(1, c.links.estimate)
	default:
		return c.it.cash
	}
}

// pop takes the next item of a host that has one: what was given back, then the best
// candidate. An error leaves the queue as it was, except that records leased out of order
// may have been read.
func (s *steering) pop(h *host, p *pager) (Item, error) {
	o := h.steer
	o.served++
	plain := h.waiting > len(o.best) && o.served%plainEvery == 0
	if len(h.front) > 0 || len(o.best) == 0 || plain {
		it, err := h.pop(p)
		return s.forget(it), err
	}
	n := o.best[0]
	c := &s.slots[n]
	if err := c.level.skipLeased(h.name, p); err != nil {
		return Item{}, err
	}
	if len(c.level.outOfOrder.leased) >= s.marks {
		it, err := h.popLevel(c.level, p)
		return s.forget(it), err
	}
	it := c.it
	c.level.markLeased(c.number)
	h.left(c.level, p)
	s.remove(n)
	return it, nil
}

// advance moves hosts that may be asked at now into the heap of those that are due.
func (s *steering) advance(waiting *hostHeap, now time.Time) {
	s.now = later(s.now, now)
	for len(*waiting) > 0 && !(*waiting)[0].due().After(s.now) {
		h := heap.Pop(waiting).(*host)
		h.steer.due = true
		heap.Push(&s.due, h)
	}
}

// place moves a host to its place in the heap of those that wait or of those that are due,
// or out of both.
func (s *steering) place(waiting *hostHeap, h *host, ready bool) {
	o := h.steer
	s.rate(h)
	due := !h.due().After(s.now)
	var q heap.Interface = waiting
	if o.due {
		q = &s.due
	}
	if h.index != notReady && (!ready || due != o.due) {
		heap.Remove(q, int(h.index))
	}
	if !ready {
		return
	}
	if o.due = due; due {
		q = &s.due
	} else {
		q = waiting
	}
	if h.index == notReady {
		heap.Push(q, h)
	} else {
		heap.Fix(q, int(h.index))
	}
}

// rate sets the score of a host: that of its best candidate, or the highest of all if
// something was given back, since that was the best before.
func (s *steering) rate(h *host) {
	switch o := h.steer; {
	case len(h.front) > 0:
		o.score = math.MaxFloat32
	case len(o.best) > 0:
		o.score = s.score(&s.slots[o.best[0]])
	default:
		o.score = 0
	}
}

// restore makes candidates of the URLs that a host has on disk, while there is room.
func (s *steering) restore(h *host, d Disk) error {
	p := newPager(d, maxChunk+chunkSize)
	for _, l := range h.levels {
		if l.depth > depthMask {
			break
		}
		l.number()
		disk, leased := *l.disk, l.outOfOrder.leased
		for number := uint64(0); !disk.empty() && len(s.index) < s.most; number++ {
			it, err := p.pop(&disk, h.name, l.depth)
			if err != nil {
				return err
			}
			if _, gone := slices.BinarySearch(leased, number); !gone {
				s.add(h, l, it, number)
			}
		}
		p.drop(&disk)
	}
	return nil
}
