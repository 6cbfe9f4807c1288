package frontier

import (
	"slices"
	"sort"
	"time"
)

// notReady is the heap index of a host that is not in the heap.
const notReady = -1

// host is one politeness key (hostname and port) with its queues and its clock.
// It is owned by the Frontier.
type host struct {
	name      string
	front     []Item   // given back: served before the levels, last in first out
	levels    []*level // ascending by depth, none empty
	waiting   int      // items in levels
	leased    int
	admitted  int           // URLs ever pushed: the page budget
	delay     time.Duration // configured, or Crawl-delay
	backoff   time.Duration // 0 when the host is content
	notBefore time.Time     // start of the next request
	rest      time.Time     // the part of notBefore that is back-off
	slowed    time.Time     // when trouble was last counted
	previous  time.Time     // notBefore as it was before the last lease
	failures  int           // in a row
	closed    bool
	turn      uint64
	index     int // in the heap, or notReady

	// Of the last lease: the frontier's clock before it and after.
	previousGlobal, chargedGlobal time.Time
}

func (h *host) spacing() time.Duration { return max(h.delay, h.backoff) }

func (h *host) queued() int { return len(h.front) + h.waiting }

// push queues the item at its depth, building its record in buf, which it returns.
func (h *host) push(it Item, buf []byte) []byte {
	i := sort.Search(len(h.levels), func(i int) bool { return h.levels[i].depth >= it.Depth })
	if i == len(h.levels) || h.levels[i].depth != it.Depth {
		h.levels = slices.Insert(h.levels, i, &level{depth: it.Depth})
	}
	h.waiting++
	return h.levels[i].push(it, buf)
}

// pop takes the next item of a host that has one.
func (h *host) pop() Item {
	if n := len(h.front); n > 0 {
		it := h.front[n-1]
		h.front = h.front[:n-1]
		return it
	}
	l := h.levels[0]
	it := l.pop(h.name)
	h.waiting--
	if l.count == 0 {
		h.levels = slices.Delete(h.levels, 0, 1)
	}
	return it
}

// hostHeap orders hosts by the moment they may be asked, then by who has waited
// longest since its last turn.
type hostHeap []*host

func (q hostHeap) Len() int { return len(q) }

func (q hostHeap) Less(i, j int) bool {
	if c := q[i].notBefore.Compare(q[j].notBefore); c != 0 {
		return c < 0
	}
	return q[i].turn < q[j].turn
}

func (q hostHeap) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

// Push is heap.Interface's.
func (q *hostHeap) Push(x any) {
	h := x.(*host)
	h.index = len(*q)
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
