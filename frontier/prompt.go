package frontier

import (
	"container/heap"
	"time"
)

// A host is prompt if its last attempt brought an answer within promptness, and no page so large
// that it may have had to wait for memory (Outcome.Heavy). All others are
// unproven: those not asked yet, those that did not answer, and those that took longer.
// Each lease of an unproven host may occupy a worker until a timeout, so a thousand dead
// hosts could occupy them all. With Config.Slots, a quarter of the workers is kept for
// prompt hosts, or fewer if fewer prompt hosts have URLs.
//
// Slots alone are not enough where hosts answer sooner than this machine can ask more of them:
// then there is a free slot at any time, and of 100,000 hosts that were never asked each would be
// asked for its robots.txt before any page. So of the leases, too, unproven hosts have one in four
// at least, and more only while no prompt host's turn has come.
//
// While more hosts wait for their first request than there are slots, each is first tried briefly
// (Lease.Brief): a dead one takes a slot for two seconds then and not for ten, and its other
// attempts come when all have been tried. So wherever the living stand in a list, it is not long
// before they are found.
//
// A page that waits for memory has no slot meanwhile (Away), so hosts of large pages keep nobody
// away; and since those that wait have connections and buffers, such hosts are heavy, and are not
// asked while pages wait that are as many as a quarter of the slots.

// promptness is the longest time from a request to its answer that makes a host prompt.
const promptness = 5 * time.Second

// promptRun is how many leases in a row prompt hosts may have while others wait.
const promptRun = 3

// The classes of hosts.
const (
	unproven = iota
	prompt
	heavy
	classes
)

func (h *host) class() int {
	switch {
	case h.heavy:
		return heavy
	case h.prompt:
		return prompt
	}
	return unproven
}

// slots counts who has the workers, and has the hosts that wait for one.
type slots struct {
	prompt   int               // prompt hosts with something queued or leased
	unproven int               // leases of other hosts, but for those away
	away     int               // leases whose pages wait for memory
	now      int               // of Config.Slots that may be leased; 0 for all
	kept     int               // of these, for prompt hosts
	run      int               // leases of prompt hosts since another host had one
	untried  int               // hosts that wait for their first request
	parked   [classes]hostHeap // hosts whose turn came while their class had all it may have
}

// SetSlots says that only so many of Config.Slots may be leased now, of which kept are for prompt
// hosts; 0 lifts that.
func (f *Frontier) SetSlots(now, kept int) { f.slots.now, f.slots.kept = now, kept }

// lease adds n to the leases of a host.
func (f *Frontier) lease(h *host, n int) {
	h.leased += int32(n)
	f.leased += n
	if !h.prompt {
		f.slots.unproven += n
	}
}

// Away says that the page of a leased item waits for memory, and reports whether it gives its slot
// up: another item may be leased in its place, and the item's Lease must be Away from now on. As
// many may do so as there are slots.
func (f *Frontier) Away(it Item) bool {
	h := f.host(it.URL.Host())
	f.trust(h, false)
	h.heavy = true
	given := f.slots.away < f.cfg.Slots
	if given {
		f.goAway(h, 1)
	}
	f.changed(h)
	return given
}

// goAway adds n to the leases of a host that have no slot.
func (f *Frontier) goAway(h *host, n int) {
	h.away += int32(n)
	f.slots.away += n
	if !h.prompt {
		f.slots.unproven -= n
	}
}

// NumAway returns the number of leases that have no slot.
func (f *Frontier) NumAway() int { return f.slots.away }

// timed notes whether an attempt makes a host prompt, or heavy. Call changed after it.
func (f *Frontier) timed(h *host, now time.Time, o Outcome) {
	if o.Kind != Unasked && !o.Started.IsZero() {
		f.trust(h, o.Kind != Failed && !o.Heavy && now.Sub(o.Started) <= promptness)
		h.heavy = o.Heavy
	}
}

func (f *Frontier) trust(h *host, prompt bool) {
	if h.prompt == prompt {
		return
	}
	h.prompt = prompt
	if n := int(h.leased - h.away); prompt {
		f.slots.unproven -= n
	} else {
		f.slots.unproven += n
	}
}

// full reports which classes have all slots they may have.
func (f *Frontier) full() (is [classes]bool) {
	s := &f.slots
	fill := func(slots, kept int) bool { return slots > 0 && s.unproven >= slots-min(kept, s.prompt) }
	is[unproven] = fill(f.cfg.Slots, f.cfg.Slots/4) || fill(s.now, s.kept)
	is[heavy] = is[unproven] || s.away > 0 && s.away >= f.cfg.Slots/4
	return is
}

// upNext returns the host whose turn is next, nil if there is none, or none until a lease
// of another class ends. Hosts that must wait for that are parked, each once: O(log hosts).
// An Order decides between all hosts by their scores.
func (f *Frontier) upNext() *host {
	full := f.full()
	if f.steer == nil && f.cfg.Slots > 0 && f.slots.run < promptRun && f.slots.prompt > 0 {
		only := [classes]bool{unproven: true, heavy: true}
		if h := f.upNextOf(only); h != nil && !h.opens().After(f.now) {
			return h
		}
	}
	return f.upNextOf(full)
}

// upNextOf returns the host whose turn is next of the classes that are not full.
func (f *Frontier) upNextOf(full [classes]bool) *host {
	for {
		h := f.first()
		if h != nil && full[h.class()] {
			f.park(h)
			continue
		}
		for c, parked := range f.slots.parked {
			if !full[c] && len(parked) > 0 && (h == nil || before(parked[0], h)) {
				h = parked[0]
			}
		}
		if h != nil && h.address != nil && f.shut(h) {
			f.lineUp(h)
			continue
		}
		return f.firstInLine(h, &full)
	}
}

func (f *Frontier) park(h *host) {
	f.put(h, false)
	c := h.class()
	h.parked = int8(c) + 1
	heap.Push(&f.slots.parked[c], h)
}

func (f *Frontier) unpark(h *host) {
	heap.Remove(&f.slots.parked[h.parked-1], int(h.index))
	h.parked = 0
}

// firstInLine returns the first host of a line, if its turn comes before that of h.
func (f *Frontier) firstInLine(h *host, full *[classes]bool) *host {
	for i := range f.lines {
		if len(f.lines[i]) == 0 || full[i] {
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
	if untried := active && !h.tried && !h.answered; untried != h.untried {
		if h.untried = untried; untried {
			f.slots.untried++
		} else {
			f.slots.untried--
		}
	}
	switch {
	case h.parked > 0 && ready && int(h.parked-1) == h.class():
		heap.Fix(&f.slots.parked[h.class()], int(h.index))
		return
	case h.parked > 0:
		f.unpark(h)
	case h.line != nil && f.stays(h, ready):
		return
	}
	f.put(h, ready)
}
