package frontier

import "time"

// Done ends the lease of it. Cost: O(log hosts).
func (f *Frontier) Done(it Item, now time.Time, o Outcome) Settled {
	atOnce := f.just == it.URL
	h := f.release(it, o.Started)
	f.answered(h, now, o)
	switch o.Verdict {
	case Unasked:
		f.refund(h, atOnce)
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
	f.changed(h)
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

// refund gives back the time charged by a lease that sent no request. With several
// connections per host the charge may be another request's, and stays, unless nothing
// has happened since.
func (f *Frontier) refund(h *host, atOnce bool) {
	if f.cfg.PerHost > 1 && !atOnce {
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
	h.asked = max(h.asked, d)
	h.delay = f.delay(h.asked)
	f.changed(h)
}

// delay is the least time between two requests to a host that asks for one.
func (f *Frontier) delay(asked time.Duration) time.Duration {
	return max(f.cfg.Delay, min(asked, f.cfg.MaxDelay))
}
