package frontier

import (
	"container/heap"
	"time"
)

// A host is prompt if its last try brought an answer, and soon. All others are in doubt:
// those that were not asked yet, that did not answer, and that took long. Each lease of a
// host in doubt may hold a worker until a timeout, so a thousand dead hosts could hold
// them all. With Config.Slots, a quarter is kept for prompt hosts, or fewer if there are
// fewer prompt hosts with something to do.

// promptness is how soon the last answer of a prompt host came, after its request.
const promptness = 5 * time.Second

// slots is who has the workers, and which hosts in doubt wait for one.
type slots struct {
	prompt  int      // prompt hosts with something queued or leased
	doubted int      // leases of hosts in doubt
	bench   hostHeap // hosts in doubt whose turn came while these had all slots they may have
}

// lease notes that a host has n leases more.
func (f *Frontier) lease(h *host, n int) {
	h.leased += int32(n)
	f.leased += n
	if !h.prompt {
		f.slots.doubted += n
	}
}

// answered notes whether a host is prompt after a try. Call changed after it.
func (f *Frontier) answered(h *host, now time.Time, o Outcome) {
	if o.Verdict != Unasked && !o.Started.IsZero() {
		f.trust(h, o.Verdict != Failed && now.Sub(o.Started) <= promptness)
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

// crowded reports that hosts in doubt have all slots they may have.
func (f *Frontier) crowded() bool {
	kept := min(f.cfg.Slots/4, f.slots.prompt)
	return f.cfg.Slots > 0 && f.slots.doubted >= f.cfg.Slots-kept
}

// upNext is the host whose turn is next, nil if there is none, or none before a host in
// doubt has given a lease back. Hosts in doubt that have to wait for that are benched,
// each once: O(log hosts).
func (f *Frontier) upNext() *host {
	for f.crowded() {
		h := f.first()
		if h == nil || h.prompt {
			return h
		}
		f.put(h, false)
		h.benched = true
		heap.Push(&f.slots.bench, h)
	}
	h := f.first()
	if len(f.slots.bench) > 0 && (h == nil || before(f.slots.bench[0], h)) {
		return f.slots.bench[0]
	}
	return h
}

// place puts a host where it belongs: among those that are or will be due, on the bench,
// or out of both.
func (f *Frontier) place(h *host) {
	ready := !h.closed && h.queued() > 0 && int(h.leased) < f.cfg.PerHost
	busy := h.prompt && !h.closed && (h.queued() > 0 || h.leased > 0)
	switch {
	case busy && !h.busy:
		f.slots.prompt++
	case h.busy && !busy:
		f.slots.prompt--
	}
	h.busy = busy
	switch {
	case h.benched && ready && !h.prompt:
		heap.Fix(&f.slots.bench, int(h.index))
		return
	case h.benched:
		heap.Remove(&f.slots.bench, int(h.index))
		h.benched = false
	}
	f.put(h, ready)
}
