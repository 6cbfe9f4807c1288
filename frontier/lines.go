package frontier

import (
	"container/heap"
	"time"
)

// line has the hosts whose turn came when their address had no room.
type line struct {
	at    *address
	hosts dueHeap
	index int // in Frontier.lines, or notReady
}

// shut reports whether the address of a host that is next keeps it waiting.
func (f *Frontier) shut(h *host) bool {
	a := h.address
	at := h.due()
	if f.steer != nil {
		at = later(at, f.steer.now)
	}
	return a.notBefore.After(at) || !a.hasRoom()
}

// lineUp moves a host to the line at its address.
func (f *Frontier) lineUp(h *host) {
	if h.parked > 0 {
		f.unpark(h)
	} else {
		f.put(h, false)
	}
	l := &h.address.lines[h.class()]
	h.line = l
	heap.Push(f.inLine(l), h)
	f.reopen(l.at)
}

// inLine is the order in which hosts leave a line: that of their turns, or of their scores.
func (f *Frontier) inLine(l *line) heap.Interface {
	if f.steer != nil {
		return &l.hosts
	}
	return &l.hosts.hostHeap
}

// unline takes a host out of its line.
func (f *Frontier) unline(h *host) {
	l := h.line
	heap.Remove(f.inLine(l), int(h.index))
	h.line = nil
	f.reopen(l.at)
}

// stays reports whether a host that is in a line belongs there still, and moves it to its place.
func (f *Frontier) stays(h *host, ready bool) bool {
	l := h.line
	if !ready || l != &l.at.lines[h.class()] || f.steer != nil && h.due().After(f.steer.now) {
		f.unline(h)
		return false
	}
	if f.steer != nil {
		f.steer.rate(h)
	}
	heap.Fix(f.inLine(l), int(h.index))
	f.reopen(l.at)
	return true
}

// reopen puts the lines of an address to their places among those that wait for their time, or,
// while it has no room, among none.
func (f *Frontier) reopen(a *address) {
	for i := range a.lines {
		l, q := &a.lines[i], &f.lines[i]
		open := len(l.hosts.hostHeap) > 0 && a.hasRoom()
		switch {
		case open && l.index == notReady:
			heap.Push(q, l)
		case open:
			heap.Fix(q, l.index)
		case l.index != notReady:
			heap.Remove(q, l.index)
		}
	}
}

// opens returns the moment at which the host may be asked, by its own clock and its address'.
func (h *host) opens() time.Time {
	if h.line == nil {
		return h.due()
	}
	return later(h.due(), h.address.notBefore)
}

// sooner reports whether the turn of a, the first of a line, comes before that of b.
func (f *Frontier) sooner(a, b *host) bool {
	x, y := a.opens(), b.opens()
	if s := f.steer; s != nil && !x.After(s.now) && !y.After(s.now) && a.steer.score != b.steer.score {
		return a.steer.score > b.steer.score
	}
	if c := x.Compare(y); c != 0 {
		return c < 0
	}
	return a.turn < b.turn
}

// lineHeap sorts lines by the moment at which their first host may be asked.
type lineHeap []*line

func (q lineHeap) Len() int { return len(q) }

func (q lineHeap) Less(i, j int) bool {
	a, b := q[i].hosts.hostHeap[0], q[j].hosts.hostHeap[0]
	if c := a.opens().Compare(b.opens()); c != 0 {
		return c < 0
	}
	return a.turn < b.turn
}

func (q lineHeap) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

// Push is heap.Interface's.
func (q *lineHeap) Push(x any) {
	l := x.(*line)
	l.index = len(*q)
	*q = append(*q, l)
}

// Pop is heap.Interface's.
func (q *lineHeap) Pop() any {
	old := *q
	l := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	l.index = notReady
	return l
}
