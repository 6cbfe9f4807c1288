package frontier

import (
	"slices"
	"sort"
	"time"
)

// notReady is the heap index of a host that is not in the heap.
const notReady = -1

// host is one hostname and port, the unit of politeness, with its queues and its clock.
// It is owned by the Frontier.
type host struct {
	name       string
	front      []Item        // given back: served before the levels, last in first out
	levels     []*level      // ascending by depth
	waiting    int           // items in levels
	steer      *hostSteering // nil in breadth-first order
	admitted   int           // URLs ever pushed: the page budget
	crawlDelay time.Duration // Crawl-delay
	delay      time.Duration // configured, or Crawl-delay
	notBefore  time.Time     // start of the next request
	previous   time.Time     // notBefore before the last lease
	trouble    *trouble      // nil if there was none lately
	closed     bool
	answered   bool  // ever
	silent     bool  // in network.silent
	witness    bool  // counted in network.busy
	dirty      bool  // changed since the last commit
	prompt     bool  // its last attempt brought an answer within promptness
	heavy      bool  // its last page may have had to wait for memory
	busy       bool  // counted in slots.prompt
	parked     int8  // 1 + class in slots.parked; 0 if it is not parked
	located    bool  // its address was found out
	tried      bool  // a request to it was begun, in this run
	untried    bool  // counted in slots.untried
	held       bool  // until a lease ends: see Postpone
	kept       bool  // and so is the last item of front
	reserved   bool  // see Reserve
	leases     int32 // newest of its leases, in the list of leases
	turn       uint64
	address    *address // that it shares; nil if it shares none
	line       *line    // at the address, nil if it stands in none
	leased     int32
	away       int32 // of these, without a slot: see Away
	index      int32 // in the heap, or notReady
	lull       lull  // in looking at what waits in a rank

	// Of the last lease: the frontier's clock before it and after.
	previousGlobal, chargedGlobal time.Time
}

// firstTurn is the turn of a host that had none. Those whose address was just found are before it.
const firstTurn = 1

func (h *host) spacing() time.Duration {
	if h.trouble == nil {
		return h.delay
	}
	return max(h.delay, h.trouble.backoff)
}

func (h *host) queued() int { return len(h.front) + h.waiting + len(h.delayed()) }

// askable reports whether the host has something queued and a connection to spare.
func (h *host) askable(perHost int) bool {
	return !h.closed && !h.held && !h.reserved && h.queued() > 0 && int(h.leased) < perHost
}

// search returns the index in levels where the level of a depth is, or would be.
func (h *host) search(depth int) int {
	return sort.Search(len(h.levels), func(i int) bool { return h.levels[i].depth >= depth })
}

// push queues the item at its depth, building its record in buf, which it returns.
func (h *host) push(it Item, buf []byte, p *pager) []byte {
	depth := it.level()
	i := h.search(depth)
	if i == len(h.levels) || h.levels[i].depth != depth {
		h.levels = slices.Insert(h.levels, i, &level{depth: depth})
	}
	h.waiting++
	return h.levels[i].push(it, buf, p)
}

// take is pop for whoever wants them all, whatever is due.
func (h *host) take(p *pager) (Item, error) {
	if len(h.front) == 0 && len(h.delayed()) > 0 {
		return h.popDelayed(), nil
	}
	return h.pop(p)
}

// pop takes the next item of a host that has one, in breadth-first order: what was given back is
// first, and what was held is the first of its level. An error leaves the queue as it was, except
// that records leased out of order may have been read.
func (h *host) pop(p *pager) (Item, error) {
	i := 0
	for i < len(h.levels) && h.levels[i].unleased() == 0 {
		i++ // no URL is left, but its blocks are on disk until the next commit
	}
	n := len(h.front)
	if n == 0 || h.kept && i < len(h.levels) && h.levels[i].depth < h.front[n-1].level() {
		return h.popLevel(h.levels[i], p)
	}
	it := h.front[n-1]
	h.front[n-1] = Item{}
	h.front = h.front[:n-1]
	return it, nil
}

// popLevel takes the oldest item of a level that has one.
func (h *host) popLevel(l *level, p *pager) (Item, error) {
	if err := l.skipLeased(h.name, p); err != nil {
		return Item{}, err
	}
	it, err := l.pop(h.name, p)
	if err != nil {
		return Item{}, err
	}
	h.left(l, p)
	return it, nil
}

// left notes that an item was taken out of a level.
func (h *host) left(l *level, p *pager) {
	h.waiting--
	if l.outOfOrder != nil && l.unleased() == 0 {
		l.empty(p)
	}
	if l.gone() {
		i := slices.Index(h.levels, l)
		h.levels = slices.Delete(h.levels, i, i+1)
	}
}

// commit writes the blocks of all levels. A host without levels keeps no memory for
// them.
func (h *host) commit(w Writer, p *pager) {
	for _, l := range h.levels {
		l.commit(w, h.name, p)
	}
	h.levels = slices.DeleteFunc(h.levels, (*level).gone)
	if len(h.levels) == 0 {
		h.levels = nil
	}
	if len(h.front) == 0 {
		h.front = nil
	}
	h.dirty = false
}

// hostHeap orders hosts by the moment they may be asked, then by who has waited
// longest since its last turn.
type hostHeap []*host

func (q hostHeap) Len() int { return len(q) }

func (q hostHeap) Less(i, j int) bool { return before(q[i], q[j]) }

// before reports whether a's turn comes before b's.
func before(a, b *host) bool {
	if c := a.due().Compare(b.due()); c != 0 {
		return c < 0
	}
	return a.turn < b.turn
}

func (q hostHeap) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = int32(i), int32(j)
}

// Push is heap.Interface's.
func (q *hostHeap) Push(x any) {
	h := x.(*host)
	h.index = int32(len(*q))
	*q = append(*q, h)
}

// Pop is heap.Interface's.
func (q *hostHeap) Pop() any {
	old := *q
	h := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	h.index = notReady
	return h
}
