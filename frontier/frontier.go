// Package frontier decides which URL is fetched next, and when.
//
// A crawl knows four kinds of URL:
//
//   - unknown: never met, or met and refused;
//   - queued: admitted and waiting here, since Push;
//   - leased: handed to a worker by Next, which holds one of its host's
//     connections until Done or Return gives it back;
//   - done: Done has been called for it and it was not put back for another attempt.
//
// Each host has its own first-in-first-out queues, one per depth, of which the
// shallowest is served first: breadth-first order inside a host. Hosts that have
// something queued and a connection to spare stand in a heap ordered by the time
// at which they may next be asked; among hosts that may be asked now, the one
// that has waited longest comes first. So a slow host never delays a fast one, and
// every operation costs O(log hosts), whatever the number of URLs. Nor can a thousand
// dead hosts occupy all workers: with Config.Slots some are kept for hosts whose last
// answer came soon.
//
// With an Order, the most important URL comes first instead: within a host, and by its
// best URL among the hosts that may be asked now. Up to OrderPages queued URLs are
// candidates with a score, computed from the links that Credit reports; the others come
// breadth-first. Scores are advice and not saved: after a resume the queue starts without
// any, breadth-first. What was leased out of order is saved. A lease costs
// O(log candidates) more, and each record leased out of order is read once later.
//
// Politeness is a clock per host. The starts of two requests to one host are at
// least the host's spacing apart: the configured delay, the robots.txt
// Crawl-delay if that is longer, or the current back-off. An answer of 429 or 503
// (Throttled) doubles the back-off, or sets it to the Retry-After that came with it;
// each good answer halves it. A host that asks for a longer wait than Patience,
// or fails or throttles MaxFailures times in a row, is closed: it is not asked again, and
// its queue can be drained.
//
// Hosts that share an IP address share a window of requests in flight and a least gap between two,
// which follow how soon the address answers: docs/design/010-addresses.md. They are known where
// whoever fetches finds out addresses (Lease.Locate).
//
// The package is pure: it starts no goroutine and reads no clock (the present
// moment is an argument), so an hour of politeness can be tested in
// microseconds. A Frontier has one owner and is not safe for concurrent use.
//
// Queued URLs are kept as bytes in blocks, without the origin and with the
// referring page stored once per run of its links. BenchmarkQueuedMemory measures
// 95 bytes a URL, everything included, for paths of 33 bytes with a hundred URLs on
// each of ten thousand hosts.
//
// With a Disk, Commit writes the URLs that were pushed as blocks there, together with the
// state of each host that changed; a URL that is leased before the next Commit is never
// written. Memory then has the URLs pushed since the last commit but one, and of the
// blocks the next 4 KiB of as many queues as fit the Window; without room, each lease
// reads a block. It does not grow with the number of queued URLs
// (BenchmarkQueuedOnDisk: ten million on ten thousand hosts in 14 MiB, including the
// default Window of 8). Restore continues from the last Commit. A known host
// costs some 430 bytes for the length of the crawl, and 140 more while it has a queue on
// disk.
package frontier

import (
	"container/heap"
	"net/netip"
	"strings"
	"time"

	"crawler/weburl"
)

// Frontier holds every queued URL of a crawl. See the package comment.
type Frontier struct {
	cfg    Config
	hosts  map[string]*host
	recent *host // the host looked up last: the links of a page mostly lead to one host
	// Hosts with something queued and a connection to spare; under an Order, those that could
	// not be asked yet when Next was last called.
	ready   hostHeap
	global  time.Time // nothing is leased before: the later of Interval's and Pause's time
	paused  time.Time // Pause's part of global
	turn    uint64    // counts leases; orders hosts that became ready together
	now     time.Time // the latest that Next was called with
	queued  int
	leased  int
	just    weburl.URL // leased by the latest call, if that was Next
	slots   slots
	network network
	lines   [classes]lineHeap // at addresses with room
	began   time.Time         // of this run, if it restored an earlier one's hosts
	steer   *steering         // nil in breadth-first order
	record  []byte            // the record being written; kept to save an allocation per push

	addresses map[netip.Addr]place // where hosts are; see networkOf

	// With Config.Disk only.
	pager  *pager
	leases leases
	dirty  []*host // hosts that the next Commit writes
	items  []Item  // of the host being committed; kept to save an allocation
	err    error   // the first error of the disk
}

// New returns an empty Frontier.
func New(cfg Config) *Frontier {
	f := &Frontier{cfg: cfg.withDefaults(), hosts: make(map[string]*host), addresses: make(map[netip.Addr]place), turn: firstTurn}
	if cfg.Disk != nil {
		f.pager = newPager(cfg.Disk, f.cfg.Window)
	}
	if cfg.Order != BreadthFirst {
		f.steer = newSteering(&f.cfg)
	}
	return f
}

// HasRoom reports whether the page budget of u's host admits one more URL. Call it
// before the URL is recorded as seen.
func (f *Frontier) HasRoom(u weburl.URL) bool {
	h, ok := f.known(u.Host())
	return !ok || f.cfg.MaxPerHost == 0 || h.admitted < f.cfg.MaxPerHost
}

// Closed reports whether u's host has been given up; nothing may be pushed to it.
func (f *Frontier) Closed(u weburl.URL) bool { return f.HostClosed(u.Host()) }

// HostClosed is Closed for a host's name and port.
func (f *Frontier) HostClosed(hostname string) bool {
	h, ok := f.known(hostname)
	return ok && h.closed
}

// Push queues an item and charges its host's page budget. Cost: O(1), and
// O(log hosts) if its host had nothing queued.
func (f *Frontier) Push(it Item) {
	h := f.host(it.URL.Host())
	h.admitted++
	f.queue(h, it)
}

// Charge takes a place in the page budget of u's host for a URL that was done before this Frontier
// was made.
func (f *Frontier) Charge(u weburl.URL) {
	h := f.host(u.Host())
	h.admitted++
	f.changed(h)
}

// Requeue queues an item that has been done. It has its place in its host's page budget still.
func (f *Frontier) Requeue(it Item) { f.queue(f.host(it.URL.Host()), it) }

// Reopen opens all hosts that were closed, as if they had had no trouble. What a host has
// asked for, it gets: it is not asked before the time that was saved.
func (f *Frontier) Reopen() {
	for _, h := range f.hosts {
		if !h.closed {
			continue
		}
		h.closed = false
		if h.trouble != nil {
			h.trouble.end()
		}
		f.changed(h)
	}
}

func (f *Frontier) queue(h *host, it Item) {
	f.record = h.push(it, f.record, f.pager)
	f.spareRecord()
	f.queued++
	if f.steer != nil {
		f.steer.pushed(h, it)
	}
	f.changed(h)
}

func (f *Frontier) spareRecord() {
	if cap(f.record) > maxRecord {
		f.record = nil // one very long URL must not keep its memory for ever
	}
}

// Next leases the next item that may be fetched at the moment now, or reports
// that there is none yet (see Wake). Cost: O(log hosts).
func (f *Frontier) Next(now time.Time) (Item, bool) {
	f.now = later(f.now, now)
	if f.steer != nil {
		f.steer.advance(&f.ready, now)
	}
	h, at := f.nextTurn()
	if h == nil || at.After(now) {
		return Item{}, false
	}
	front := len(h.front)
	it, err := f.pop(h, now)
	if err != nil {
		f.fail(err)
		return Item{}, false
	}
	if f.pager != nil {
		h.leases = f.leases.add(h.leases, it)
	}
	it.Lease = f.leaseOf(h, &it, now)
	if len(h.front) < front {
		it.Lease.Again, h.kept = !h.kept, false
	}
	f.turn++
	h.turn = f.turn
	if f.slots.run++; h.class() != prompt {
		f.slots.run = 0
	}
	f.queued--
	f.lease(h, 1)
	waited := h.line != nil
	if waited {
		f.unline(h)
	}
	if h.address != nil {
		f.enter(h, now, waited)
	}
	h.previous, h.previousGlobal = h.notBefore, f.global
	f.charge(h, now)
	f.just = it.URL
	return it, true
}

// leaseOf says what the lease of an item is for.
func (f *Frontier) leaseOf(h *host, it *Item, now time.Time) Lease {
	spent := it.Attempt >= f.cfg.Retries
	last := spent && h.fine(it) || f.expired(it, now)
	return Lease{Last: last, LastFaulty: last || spent && h.well(), Outage: f.network.down,
		Locate: !h.located && !f.network.down && f.cfg.shares(),
		Brief:  h.untried && !f.network.down && f.cfg.Slots > 0 && f.slots.untried > f.cfg.Slots}
}

// Ready reports whether the host of a leased item may still be asked: since the
// lease, another answer may have closed the host or asked for a wait. If it may
// not, Return the item.
func (f *Frontier) Ready(it Item, now time.Time) bool {
	h := f.host(it.URL.Host())
	return !h.closed && !h.reserved && !h.backoffUntil().After(now) && !f.paused.After(now)
}

// Pause keeps every host from being asked before until. It is for trouble of this
// machine, not of a host.
func (f *Frontier) Pause(until time.Time) {
	f.paused = later(f.paused, until)
	f.global = later(f.global, until)
}

// Start records that a worker got the leased item only now, later than Next returned it,
// so that the host's clock counts from the moment it is really asked.
func (f *Frontier) Start(it Item, now time.Time) {
	f.just = weburl.URL{}
	h := f.host(it.URL.Host())
	if h.address != nil {
		f.spread(h.address, now)
	}
	f.charge(h, now)
}

func (f *Frontier) charge(h *host, now time.Time) {
	h.notBefore = later(h.notBefore, now.Add(h.spacing()))
	if f.cfg.Interval > 0 {
		f.global = later(f.global, now.Add(f.cfg.Interval))
		h.chargedGlobal = f.global
	}
	f.changed(h)
}

// Wake returns the moment at which Next will return an item if nothing is pushed
// or given back before; false means never.
func (f *Frontier) Wake() (time.Time, bool) {
	h, at := f.nextTurn()
	return at, h != nil
}

// Return ends the lease without an outcome: the item goes back to the front of its
// host's queue, and its attempts stay as they are. A request that was sent nevertheless is
// charged from started, whatever became of it; a zero started charges nothing. It reports
// whether the host has been closed meanwhile; if so, Drain it.
func (f *Frontier) Return(it Item, started time.Time) (closed bool) {
	atOnce := f.just == it.URL
	h := f.release(it, started)
	if started.IsZero() {
		f.refund(h, atOnce)
	}
	h.front = append(h.front, it)
	f.queued++
	f.changed(h)
	return h.closed
}

// RobotsRead is Return for an item whose host has answered a request for robots.txt, sent at asked.
func (f *Frontier) RobotsRead(it Item, asked time.Time) (closed bool) {
	h := f.release(it, asked)
	f.trust(h, !h.heavy)
	f.answer(h, asked)
	h.calm(asked)
	h.front = append(h.front, it)
	f.queued++
	f.changed(h)
	return h.closed
}

// Heard ends the lease of an item of an Outage whose host has answered: the network is well. That
// answer says nothing about the item, nor about what its host does with others. The item goes back
// to the front of its host's queue. Heard reports whether the host has been closed meanwhile, as
// Return does.
func (f *Frontier) Heard(it Item, asked, now time.Time) (closed bool) {
	h := f.release(it, asked)
	f.answer(h, now)
	h.front = append(h.front, it)
	f.queued++
	f.changed(h)
	return h.closed
}

// Postpone ends the lease as if it had never been. The item goes to the end of its rank, which
// may be another one now. It reports whether the host has been closed meanwhile, as Return does.
func (f *Frontier) Postpone(it Item) (closed bool) {
	atOnce := f.just == it.URL
	h := f.release(it, time.Time{})
	f.refund(h, atOnce)
	it.URL, it.Lease = it.URL.Clone(), Lease{}
	f.queue(h, it)
	return h.closed
}

// Hold is Return for an item that should wait for another lease of its host to end, if there is
// one: the host is not asked until then. The item keeps its place in its rank, so that the order
// is that of a crawl with one request at a time.
func (f *Frontier) Hold(it Item) (closed bool) {
	closed = f.Return(it, time.Time{})
	h := f.host(it.URL.Host())
	h.kept, h.held = true, h.leased > 0
	f.changed(h)
	return closed
}

// Alone reports whether a leased item is its host's only lease.
func (f *Frontier) Alone(it Item) bool { return f.host(it.URL.Host()).leased == 1 }

// release ends the lease and counts the spacing from the real start.
func (f *Frontier) release(it Item, started time.Time) *host {
	f.just = weburl.URL{}
	h := f.host(it.URL.Host())
	h.leases = f.leases.remove(h.leases, &it)
	if it.Lease.Away {
		f.goAway(h, -1)
	}
	f.lease(h, -1)
	if h.address != nil {
		f.leave(h, started)
	}
	h.held = false
	if !started.IsZero() {
		h.tried = true
		h.notBefore = later(h.notBefore, started.Add(h.spacing()))
		if h.trouble != nil {
			h.trouble.asked = later(h.trouble.asked, started)
		}
	}
	return h
}

// Drain removes up to most items from the queue of a host, calling fn for each.
// It returns their number: 0 when none is left, or after an error (see Err).
func (f *Frontier) Drain(hostname string, most int, fn func(Item)) int {
	h := f.host(hostname)
	n := 0
	for ; n < most && h.queued() > 0 && f.err == nil; n++ {
		it, err := h.take(f.pager)
		if err != nil {
			f.fail(err)
			break
		}
		if f.steer != nil {
			f.steer.forget(it)
		}
		f.queued--
		fn(it)
	}
	f.changed(h)
	return n
}

// Idle reports that nothing is queued and nothing leased: the crawl is over.
func (f *Frontier) Idle() bool { return f.queued == 0 && f.leased == 0 }

// Queued returns the number of URLs waiting.
func (f *Frontier) Queued() int { return f.queued }

// Leased returns the number of URLs handed out and not yet given back.
func (f *Frontier) Leased() int { return f.leased }

// Hosts returns the number of hosts met so far.
func (f *Frontier) Hosts() int { return len(f.hosts) }

func (f *Frontier) known(name string) (*host, bool) {
	if f.recent != nil && f.recent.name == name {
		return f.recent, true
	}
	h, ok := f.hosts[name]
	if ok {
		f.recent = h
	}
	return h, ok
}

func (f *Frontier) host(name string) *host {
	h, ok := f.known(name)
	if !ok {
		name = strings.Clone(name) // a link shares memory with the other links of its page
		h = &host{name: name, delay: f.cfg.Delay, index: notReady, turn: firstTurn}
		if f.steer != nil {
			h.steer = &hostSteering{}
		}
		f.hosts[name] = h
	}
	return h
}

// changed notes that a host has changed: the next Commit writes it, and it moves to its
// place in the heaps.
func (f *Frontier) changed(h *host) {
	if f.pager != nil && !h.dirty {
		h.dirty = true
		f.dirty = append(f.dirty, h)
	}
	f.place(h)
}

// put inserts a host into the heap of those that may be asked now or later, moves it to
// its place there, or removes it.
func (f *Frontier) put(h *host, ready bool) {
	switch {
	case f.steer != nil:
		f.steer.place(&f.ready, h, ready)
	case ready && h.index == notReady:
		heap.Push(&f.ready, h)
	case ready:
		heap.Fix(&f.ready, int(h.index))
	case h.index != notReady:
		heap.Remove(&f.ready, int(h.index))
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
