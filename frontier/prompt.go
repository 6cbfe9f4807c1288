package frontier

import (
	"container/heap"
	"time"
)

// A host is prompt if its last attempt brought an answer within promptness. All others are
// unproven: those not asked yet, those that did not answer, and those that took longer.
// Each lease of an unproven host may occupy a worker until a timeout, so a thousand dead
// hosts could occupy them all. With Config.Slots, a quarter of the workers is kept for
// prompt hosts, or fewer if fewer prompt hosts have URLs.

// promptness is the longest time from a request to its answer that makes a host prompt.
const promptness = 5 * time.Second

// slots counts who has the workers, and has the unproven hosts that wait for one.
type slots struct {
	prompt   int      // prompt hosts with something queued or leased
	unproven int      // leases of unproven hosts
	parked   hostHeap // unproven hosts whose turn came while such hosts had all slots they may have
}

// lease adds n to the leases of a host.
func (f *Frontier) lease(h *host, n int) {
	h.leased += int32(n)
	f.leased += n
	if !h.prompt {
		f.slots.unproven += n
	}
}

// timed notes whether an attempt makes a host prompt. Call changed after it.
func (f *Frontier) timed(h *host, now time.Time, o Outcome) {
	if o.Kind != Unasked && !o.Started.IsZero() {
		f.trust(h, o.Kind != Failed && now.Sub(o.Started) <= promptness)
	}
}

func (f *Frontier) trust(h *host, prompt bool) {
	if h.prompt == prompt {
		return
	}
	leased := int(h.leased)
	f.lease(h, -leased)
	h.prompt = prompt
	f.lease(h, leased)
}

// crowded reports whether unproven hosts have all slots they may have.
func (f *Frontier) crowded() bool {
	kept := min(f.cfg.Slots/4, f.slots.prompt)
	return f.cfg.Slots > 0 && f.slots.unproven >= f.cfg.Slots-kept
}

// upNext returns the host whose turn is next, nil if there is none, or none until a lease
// of an unproven host ends. Unproven hosts that must wait for that are parked, each once:
// O(log hosts).
func (f *Frontier) upNext() *host {
	for crowded := f.crowded(); ; {
		h := f.first()
		if crowded && h != nil && !h.prompt {
			f.put(h, false)
			h.parked = true
			heap.Push(&f.slots.parked, h)
			continue
		}
		if !crowded && len(f.slots.parked) > 0 && (h == nil || before(f.slots.parked[0], h)) {
			h = f.slots.parked[0]
		}
		if h != nil && h.address != nil && f.shut(h) {
			f.lineUp(h)
			continue
		}
		if len(f.lines[0]) == 0 && len(f.lines[1]) == 0 {
			return h
		}
		return f.firstInLine(h, crowded)
	}
}

// firstInLine returns the first host of a line, if its turn comes before that of h.
func (f *Frontier) firstInLine(h *host, crowded bool) *host {
	for i := range f.lines {
		if len(f.lines[i]) == 0 || i == 0 && crowded {
			continue
		}
		if l := f.lines[i][0].hosts.hostHeap[0]; h == nil || f.sooner(l, h) {
			h = l
		}
	}
	return h
}

// place moves a host to where it belongs: the heap of those that may be asked now or later,
// the parked ones, or neither.
func (f *Frontier) place(h *host) {
	ready := h.askable(f.cfg.PerHost)
	active := !h.closed && (h.queued() > 0 || h.leased > 0)
	switch witness := h.answered && active; {
	case witness && !h.witness:
		f.network.busy++
	case h.witness && !witness:
		f.network.busy--
	}
	h.witness = h.answered && active
	busy := h.prompt && active
	switch {
	case busy && !h.busy:
		f.slots.prompt++
	case h.busy && !busy:
		f.slots.prompt--
	}
	h.busy = busy
	switch {
	case h.parked && ready && !h.prompt:
		heap.Fix(&f.slots.parked, int(h.index))
		return
	case h.parked:
		heap.Remove(&f.slots.parked, int(h.index))
		h.parked = false
	case h.line != nil && f.stays(h, ready):
		return
	}
	f.put(h, ready)
}
