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
// OrderPages queued URLs. Every URL stands in its level too, in breadth-first order; what
// is leased as a candidate is marked there as taken. So a candidate is advice, and can be
// forgotten at any time: its URL then comes when its level's turn does.
type steering struct {
	order Order
	most  int
	seed  uint64
	slots []candidate
	free  []int32          // slots that are not used
	index map[uint64]int32 // slots, by name of the URL
	hand  int              // where evict looks next
	marks int              // most records of a level that may be marked
	due   dueHeap          // hosts in the heap that could be asked at now
	now   time.Time        // the latest that Next was told
}

// candidate is a queued URL with its score.
type candidate struct {
	it     Item // holds the cash
	host   *host
	level  *level
	number uint64 // of its record in the level
	name   uint64
	at     int32 // in its host's heap
	links  distinct
}

// hostOrder is what a host has in addition.
type hostOrder struct {
	best  []int32 // slots of the host's candidates, a heap
	due   bool    // in the heap of hosts that are due
	turns uint8   // leases; wraps
	score float32 // as the heap of hosts knows it
}

const (
	// maxTaken is how many records of a level may be marked: they stand in the
	// host's state, which every commit of the host writes, in a byte or two each.
	maxTaken = 1 << 16
	// Where a host has URLs that are no candidates, one lease in plainTurns is
	// breadth-first: they are unknown rather than bad, and must not starve.
	plainTurns = 8
	// evictFrom is of how many candidates the worst makes room.
	evictFrom = 8
)

func newSteering(cfg *Config) *steering {
	return &steering{order: cfg.Order, most: cfg.OrderPages, seed: cfg.OrderSeed, marks: maxTaken, index: make(map[uint64]int32)}
}

func nameOf(u weburl.URL) uint64 { return xxhash.Sum64String(u.String()) }

// linker is the page as distinct counts it. Without the seed, nobody can make up pages
// that count for many.
func (s *steering) linker(u weburl.URL) uint64 { return splitmix.Finish(nameOf(u) ^ s.seed) }

// pushed makes a candidate of an item that was pushed last.
func (s *steering) pushed(h *host, it Item) {
	l := h.levels[h.search(it.Depth)]
	l.number()
	s.add(h, l, it, l.turns.next+uint64(l.count-1))
}

// add makes a candidate of an item that was pushed as the given record of its level.
func (s *steering) add(h *host, l *level, it Item, number uint64) {
	name := nameOf(it.URL)
	if _, known := s.index[name]; known {
		return // another URL of that name: this one comes in its level's turn
	}
	if it.Via == "" && it.cash == 0 {
		it.cash = seedCash
	}
	it.URL = it.URL.Clone() // a link's memory is shared with its page's other links
	if len(s.index) >= s.most {
		s.evict()
	}
	n := int32(len(s.slots))
	if last := len(s.free) - 1; last >= 0 {
		n, s.free = s.free[last], s.free[:last]
	} else {
		s.slots = append(s.slots, candidate{})
	}
	s.slots[n] = candidate{it: it, host: h, level: l, number: number, name: name}
	s.index[name] = n
	heap.Push(bestHeap{s, h.order}, n)
}

// evict forgets the worst of the next candidates.
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

// remove forgets a candidate.
func (s *steering) remove(n int32) {
	c := &s.slots[n]
	heap.Remove(bestHeap{s, c.host.order}, int(c.at))
	delete(s.index, c.name)
	*c = candidate{}
	s.free = append(s.free, n)
}

// forget forgets the candidate of an item that was popped in its level's turn, and
// returns the item with its cash.
func (s *steering) forget(it Item) Item {
	if n, ok := s.index[nameOf(it.URL)]; ok && s.slots[n].it.URL == it.URL {
		it.cash = s.slots[n].it.cash
		s.remove(n)
	}
	return it
}

// credit gives a link's part to the URL it leads to, and returns its host if that has a
// better candidate now, else nil.
func (s *steering) credit(u weburl.URL, part float32, page uint64) *host {
	n, ok := s.index[nameOf(u)]
	if !ok || s.slots[n].it.URL != u {
		return nil
	}
	c := &s.slots[n]
	c.it.cash += part
	c.links.add(page)
	heap.Fix(bestHeap{s, c.host.order}, int(c.at))
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
// candidate. After an error nothing has changed but that records which were taken are
// read.
func (s *steering) pop(h *host, p *pager) (Item, error) {
	o := h.order
	o.turns++
	plain := h.waiting > len(o.best) && o.turns%plainTurns == 0
	if len(h.front) > 0 || len(o.best) == 0 || plain {
		it, err := h.pop(p)
		return s.forget(it), err
	}
	n := o.best[0]
	c := &s.slots[n]
	if err := c.level.shed(h.name, p); err != nil {
		return Item{}, err
	}
	if len(c.level.turns.taken) >= s.marks {
		it, err := h.popLevel(c.level, p)
		return s.forget(it), err
	}
	it := c.it
	c.level.take(c.number)
	h.left(c.level, p)
	s.remove(n)
	return it, nil
}

// advance takes hosts whose time has come by the moment now into the heap of those that
// are due.
func (s *steering) advance(waiting *hostHeap, now time.Time) {
	s.now = later(s.now, now)
	for len(*waiting) > 0 && !(*waiting)[0].notBefore.After(s.now) {
		h := heap.Pop(waiting).(*host)
		h.order.due = true
		heap.Push(&s.due, h)
	}
}

// place puts a host into the heap of those that wait or of those that are due, to its
// right place there, or out of both.
func (s *steering) place(waiting *hostHeap, h *host, ready bool) {
	o := h.order
	s.rate(h)
	due := !h.notBefore.After(s.now)
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

// rate notes the score of a host: that of its best candidate, and more than any for what
// was given back, which was the best once.
func (s *steering) rate(h *host) {
	switch o := h.order; {
	case len(h.front) > 0:
		o.score = math.MaxFloat32
	case len(o.best) > 0:
		o.score = s.score(&s.slots[o.best[0]])
	default:
		o.score = 0
	}
}

// restore makes candidates of what a host has on disk, while there is room.
func (s *steering) restore(h *host, d Disk) error {
	p := newPager(d, maxChunk+chunkSize)
	for _, l := range h.levels {
		l.number()
		disk, taken := *l.disk, l.turns.taken
		for number := uint64(0); !disk.empty() && len(s.index) < s.most; number++ {
			it, err := p.pop(&disk, h.name, l.depth)
			if err != nil {
				return err
			}
			if _, gone := slices.BinarySearch(taken, number); !gone {
				s.add(h, l, it, number)
			}
		}
		p.drop(&disk)
	}
	return nil
}
