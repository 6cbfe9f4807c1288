// Package frontier decides which URL is fetched next, and when.
//
// A crawl knows four kinds of URL:
//
//   - unknown: never met, or met and refused;
//   - queued: admitted and waiting here, since Push;
//   - leased: handed to a worker by Next, which holds one of its host's
//     connections until Done or Return gives it back;
//   - done: Done has been called for it and it was not put back for another try.
//
// Each host has its own first-in-first-out queues, one per depth, of which the
// shallowest is served first: breadth-first order inside a host. Hosts that have
// something queued and a connection to spare stand in a heap ordered by the time
// at which they may next be asked; among hosts that may be asked now, the one
// that has waited longest comes first. So a slow host never holds a fast one, and
// every operation costs O(log hosts), whatever the number of URLs.
//
// Politeness is a clock per host. The starts of two requests to one host are at
// least the host's spacing apart: the configured delay, the robots.txt
// Crawl-delay if that is longer, or the current back-off. An answer of 429 or 503
// (Throttled) doubles the back-off, or takes the Retry-After that came with it;
// each good answer halves it. A host that asks for more patience than MaxBackoff,
// or fails or throttles MaxFailures times in a row, is closed: it is not asked again, and what
// it has queued can be drained.
//
// The package is pure: it starts no goroutine and reads no clock (the present
// moment is an argument), so an hour of politeness can be tested in
// microseconds. A Frontier has one owner and is not safe for concurrent use.
//
// Queued URLs are kept as bytes in blocks, without the origin and with the
// referring page stored once per run of its links. BenchmarkQueuedMemory measures
// 93 bytes a URL, everything included, for paths of 33 bytes with a hundred URLs on
// each of ten thousand hosts. A known host costs some 300 bytes for the length of
// the crawl.
package frontier

import (
	"container/heap"
	"strings"
	"time"

	"crawler/weburl"
)

// Config sets the limits of a Frontier. The zero value is polite: one page at a
// time and a second apart on each host, each page tried once.
type Config struct {
	Delay       time.Duration // least time between the starts of two requests to one host; 0 means 1 s, NoDelay none
	MaxDelay    time.Duration // longest Crawl-delay obeyed; 0 means 30 s, NoDelay that none is
	PerHost     int           // connections per host; below 1 means 1
	Retries     int           // further tries after a failed one, 0 to 250
	MaxPerHost  int           // URLs admitted per host; 0 means no limit
	MaxBackoff  time.Duration // a host asking for a longer wait is closed; 0 means 10 min
	MaxFailures int           // failures in a row that close a host; 0 means 10
	Interval    time.Duration // least time between two requests to any hosts; 0 means none
}

// NoDelay is the Delay of a crawl of one's own site: requests follow each other at
// once.
const NoDelay time.Duration = -1

// minBackoff is the first back-off of a host that says 429 or 503 without naming
// a time, when its delay is shorter.
const minBackoff = time.Second

func (c Config) withDefaults() Config {
	switch {
	case c.Delay == 0:
		c.Delay = time.Second
	case c.Delay < 0:
		c.Delay = 0
	}
	switch {
	case c.MaxDelay == 0:
		c.MaxDelay = 30 * time.Second
	case c.MaxDelay < 0:
		c.MaxDelay = 0
	}
	c.PerHost = max(c.PerHost, 1)
	if c.MaxBackoff == 0 {
		c.MaxBackoff = 10 * time.Minute
	}
	if c.MaxFailures == 0 {
		c.MaxFailures = 10
	}
	c.Retries = min(c.Retries, 250)
	return c
}

// Item is one URL on its way through the crawl.
type Item struct {
	URL     weburl.URL
	Via     string // page on which the link stood, "" for a seed
	From    string // URL first asked for, when this one is the target of its redirects
	Depth   int    // links followed from a seed; redirects do not count
	Hops    int    // redirects followed from From to here
	Sitemap bool   // asked for as a sitemap: what it lists are entry points
	Attempt int    // tries made before this one
	Last    bool   // set by Next: a failure now is final
}

// Verdict says how a try went, as far as the host is concerned.
type Verdict uint8

const (
	Answered  Verdict = iota // the host answered
	Unasked                  // no request was sent, so the host's clock is not charged
	Throttled                // 429 or 503: the host asks for patience
	Failed                   // no answer came: no connection, a timeout, a broken one
)

// Outcome ends a lease.
type Outcome struct {
	Verdict    Verdict
	Retry      bool          // worth another try, if the budget has one left
	Started    time.Time     // when the request left; zero counts from the lease
	RetryAfter time.Duration // wait the host asked for, 0 if it named none
	NoPage     bool          // a redirect or a refusal: gives its place in the page budget back
}

// Settled is Done's answer.
type Settled struct {
	Again  bool // the URL is queued for another try
	Closed bool // this outcome closed the host: Drain what it has queued
}

// Frontier holds every queued URL of a crawl. See the package comment.
type Frontier struct {
	cfg    Config
	hosts  map[string]*host
	ready  hostHeap  // hosts with something queued and a connection to spare
	global time.Time // Interval, Pause: nothing is leased before
	paused time.Time // the part of global that is Pause
	turn   uint64    // leases so far; orders hosts that became ready together
	queued int
	leased int
	record []byte // the record being written; kept to spare an allocation a push
}

// New returns an empty Frontier.
func New(cfg Config) *Frontier {
	return &Frontier{cfg: cfg.withDefaults(), hosts: make(map[string]*host)}
}

// HasRoom reports whether the page budget of u's host admits one more URL. Ask
// before the URL is remembered as seen.
func (f *Frontier) HasRoom(u weburl.URL) bool {
	h, ok := f.hosts[u.Host()]
	return !ok || f.cfg.MaxPerHost == 0 || h.admitted < f.cfg.MaxPerHost
}

// Closed reports whether u's host has been given up; nothing may be pushed to it.
func (f *Frontier) Closed(u weburl.URL) bool {
	h, ok := f.hosts[u.Host()]
	return ok && h.closed
}

// Push queues an item and charges its host's page budget. Cost: O(1), and
// O(log hosts) if its host had nothing queued.
func (f *Frontier) Push(it Item) {
	h := f.host(it.URL.Host())
	h.admitted++
	f.queue(h, it)
}

func (f *Frontier) queue(h *host, it Item) {
	f.record = h.push(it, f.record)
	if cap(f.record) > maxRecord {
		f.record = nil // one very long URL must not stay for ever
	}
	f.queued++
	f.place(h)
}

// Next leases the next item that may be fetched at the moment now, or reports
// that there is none yet (see Wake). Cost: O(log hosts).
func (f *Frontier) Next(now time.Time) (Item, bool) {
	if len(f.ready) == 0 || f.global.After(now) || f.ready[0].notBefore.After(now) {
		return Item{}, false
	}
	h := f.ready[0]
	it := h.pop()
	it.Last = it.Attempt >= f.cfg.Retries
	f.turn++
	h.turn = f.turn
	h.leased++
	f.queued--
	f.leased++
	h.previous, h.previousGlobal = h.notBefore, f.global
	f.charge(h, now)
	return it, true
}

// Ready reports whether the host of a leased item may still be asked: since the
// lease, another answer may have closed the host or asked for patience. If it may
// not, Return the item.
func (f *Frontier) Ready(it Item, now time.Time) bool {
	h := f.host(it.URL.Host())
	return !h.closed && !h.rest.After(now) && !f.paused.After(now)
}

// Pause keeps every host from being asked before the moment until: this machine, not
// a host, is in trouble.
func (f *Frontier) Pause(until time.Time) {
	f.paused = later(f.paused, until)
	f.global = later(f.global, until)
}

// Start tells that the leased item was handed over only now, later than Next said,
// so that the host's clock counts from the moment it is really asked.
func (f *Frontier) Start(it Item, now time.Time) { f.charge(f.host(it.URL.Host()), now) }

func (f *Frontier) charge(h *host, now time.Time) {
	h.notBefore = later(h.notBefore, now.Add(h.spacing()))
	if f.cfg.Interval > 0 {
		f.global = later(f.global, now.Add(f.cfg.Interval))
		h.chargedGlobal = f.global
	}
	f.place(h)
}

// Wake returns the moment at which Next will have something, if nothing is pushed
// or given back before; false means never.
func (f *Frontier) Wake() (time.Time, bool) {
	if len(f.ready) == 0 {
		return time.Time{}, false
	}
	return later(f.global, f.ready[0].notBefore), true
}

// Done ends the lease of it. Cost: O(log hosts).
func (f *Frontier) Done(it Item, now time.Time, o Outcome) Settled {
	h := f.release(it, o.Started)
	switch o.Verdict {
	case Unasked:
		f.refund(h)
	case Answered:
		h.failures = 0
		h.backoff /= 2
		if h.backoff <= h.delay {
			h.backoff = 0
		}
	case Throttled:
		f.throttle(h, now, o)
	case Failed:
		f.suspect(h, now, o)
	}
	if o.NoPage {
		h.admitted--
	}
	s := Settled{Closed: h.closed, Again: o.Retry && !it.Last && !h.closed}
	if s.Again {
		it.Attempt++
		f.queue(h, it)
	}
	f.place(h)
	return s
}

// throttle grows the host's back-off. What a host asks for is what it gets: when
// that is more than the crawl will wait, the host is closed instead of asked
// early.
func (f *Frontier) throttle(h *host, now time.Time, o Outcome) {
	h.closed = h.closed || o.RetryAfter > f.cfg.MaxBackoff
	f.slow(h, now, o)
}

// suspect counts a failure. The first may be the page's fault; from the second in
// a row on it is the host's, which is asked ever more rarely.
func (f *Frontier) suspect(h *host, now time.Time, o Outcome) {
	if h.failures == 0 {
		h.failures++
		h.slowed = now
		return
	}
	f.slow(h, now, o)
}

// slow doubles the back-off and closes a host that has worn the crawl's patience.
// Requests that were under way when the host was last slowed down tell the same
// trouble again: ten connections that fail together are one failure.
func (f *Frontier) slow(h *host, now time.Time, o Outcome) {
	if again := !o.Started.IsZero() && o.Started.Before(h.slowed); !again {
		h.failures++
		h.closed = h.closed || h.failures >= f.cfg.MaxFailures
		h.backoff = max(2*h.backoff, h.delay, minBackoff)
		h.slowed = now
	}
	h.backoff = min(max(h.backoff, o.RetryAfter), f.cfg.MaxBackoff)
	h.rest = later(h.rest, now.Add(h.backoff))
	h.notBefore = later(h.notBefore, h.rest)
}

// Return ends the lease without a verdict: the item goes back to the front of its
// host's queue with its tries untouched. A request that was sent all the same
// (robots.txt, fetched before the first page) is charged from started; a zero
// started charges nothing. It reports whether the host has been closed meanwhile:
// then Drain it.
func (f *Frontier) Return(it Item, started time.Time) (closed bool) {
	h := f.release(it, started)
	if started.IsZero() {
		f.refund(h)
	}
	h.front = append(h.front, it)
	f.queued++
	f.place(h)
	return h.closed
}

// release takes the lease back and counts the spacing from the real start.
func (f *Frontier) release(it Item, started time.Time) *host {
	h := f.host(it.URL.Host())
	h.leased--
	f.leased--
	if !started.IsZero() {
		h.notBefore = later(h.notBefore, started.Add(h.spacing()))
	}
	return h
}

// refund gives back the time charged by a lease that sent no request. With several
// connections per host the charge may be another request's, and stays.
func (f *Frontier) refund(h *host) {
	if f.cfg.PerHost > 1 {
		return
	}
	h.notBefore = later(h.previous, h.rest)
	if f.global.Equal(h.chargedGlobal) { // nobody was leased since
		f.global = h.previousGlobal
	}
}

// SetDelay obeys a robots.txt Crawl-delay for the host, up to MaxDelay. It never
// shortens a delay: of http and https on one host, the longer holds.
func (f *Frontier) SetDelay(hostname string, d time.Duration) {
	h := f.host(hostname)
	h.delay = max(h.delay, min(d, f.cfg.MaxDelay))
}

// Drain empties the queue of a host, calling fn for each item, and returns how
// many there were.
func (f *Frontier) Drain(hostname string, fn func(Item)) int {
	h := f.host(hostname)
	n := 0
	for ; h.queued() > 0; n++ {
		fn(h.pop())
		f.queued--
	}
	f.place(h)
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

// Busiest returns the n hosts with most queued URLs, most first. Cost: O(hosts * n).
func (f *Frontier) Busiest(n int) []HostLoad {
	var top []HostLoad
	for _, h := range f.hosts {
		l := HostLoad{Host: h.name, Queued: h.queued(), Spacing: h.spacing()}
		i := len(top)
		for i > 0 && l.before(top[i-1]) {
			i--
		}
		if l.Queued == 0 || i == n {
			continue
		}
		top = append(top, HostLoad{})
		copy(top[i+1:], top[i:])
		top[i] = l
		top = top[:min(len(top), n)]
	}
	return top
}

// HostLoad is a host's part of the queue.
type HostLoad struct {
	Host    string
	Queued  int
	Spacing time.Duration // present time between two requests, back-off included
}

func (l HostLoad) before(o HostLoad) bool {
	return l.Queued > o.Queued || l.Queued == o.Queued && l.Host < o.Host
}

func (f *Frontier) host(name string) *host {
	h, ok := f.hosts[name]
	if !ok {
		name = strings.Clone(name) // a link's memory is shared with its page's other links
		h = &host{name: name, delay: f.cfg.Delay, index: notReady}
		f.hosts[name] = h
	}
	return h
}

// place puts the host where it belongs: into the heap, out of it, or to its right
// place within.
func (f *Frontier) place(h *host) {
	ready := !h.closed && h.queued() > 0 && h.leased < f.cfg.PerHost
	switch {
	case ready && h.index == notReady:
		heap.Push(&f.ready, h)
	case ready:
		heap.Fix(&f.ready, h.index)
	case h.index != notReady:
		heap.Remove(&f.ready, h.index)
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
