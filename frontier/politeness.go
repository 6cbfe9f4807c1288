package frontier

import "time"

// Done ends the lease of an item. Cost: O(log hosts).
func (f *Frontier) Done(it Item, now time.Time, o Outcome) Disposition {
	atOnce := f.just == it.URL
	h := f.release(it, o.Started)
	f.answered(h, now, o)
	switch o.Kind {
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
	s := Disposition{Closed: h.closed, Again: o.Retry && !it.Last && !h.closed}
	if s.Again {
		it.Attempt++
		f.queue(h, it)
	}
	f.changed(h)
	return s
}

// throttle lengthens the host's back-off. A host gets the wait it asks for: if that is
// longer than the crawl may wait, the host is closed, not asked early.
func (f *Frontier) throttle(h *host, now time.Time, o Outcome) {
	h.closed = h.closed || o.RetryAfter > f.cfg.MaxBackoff
	f.slow(h, now, o)
}

// suspect counts a failure. The first may be the page's fault; from the second in a row
// on it is the host's, and the host is asked less and less often.
func (f *Frontier) suspect(h *host, now time.Time, o Outcome) {
	if h.failures == 0 {
		h.failures++
		h.slowed = now
		return
	}
	f.slow(h, now, o)
}

// slow doubles the back-off, and closes a host after MaxFailures failures in a row.
// Requests that were under way when the host was last slowed down report the same
// trouble again: ten connections that fail together are one failure.
func (f *Frontier) slow(h *host, now time.Time, o Outcome) {
	if again := !o.Started.IsZero() && o.Started.Before(h.slowed); !again {
		h.failures++
		h.closed = h.closed || h.failures >= f.cfg.MaxFailures
		h.backoff = max(2*h.backoff, h.delay, minBackoff)
		h.slowed = now
	}
	h.backoff = min(max(h.backoff, o.RetryAfter), f.cfg.MaxBackoff)
	h.backoffUntil = later(h.backoffUntil, now.Add(h.backoff))
	h.notBefore = later(h.notBefore, h.backoffUntil)
}

// refund gives back the time charged by a lease that sent no request. With several
// connections per host the charge may be another request's, and stays, unless nothing
// has happened since.
func (f *Frontier) refund(h *host, atOnce bool) {
	if f.cfg.PerHost > 1 && !atOnce {
		return
	}
	h.notBefore = later(h.previous, h.backoffUntil)
	if f.global.Equal(h.chargedGlobal) { // nothing was leased since
		f.global = h.previousGlobal
	}
}

// SetDelay obeys a robots.txt Crawl-delay for the host, up to MaxDelay. It never
// shortens a delay: if http and https differ on one host, the longer one applies.
func (f *Frontier) SetDelay(hostname string, d time.Duration) {
	h := f.host(hostname)
	h.crawlDelay = max(h.crawlDelay, d)
	h.delay = f.delay(h.crawlDelay)
	f.changed(h)
}

// delay is the least time between two requests to a host that asks for one.
func (f *Frontier) delay(asked time.Duration) time.Duration {
	return max(f.cfg.Delay, min(asked, f.cfg.MaxDelay))
}
