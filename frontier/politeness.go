package frontier

import "time"

// Done ends the lease of an item. Cost: O(log hosts).
func (f *Frontier) Done(it Item, now time.Time, o Outcome) Disposition {
	atOnce := f.just == it.URL
	h := f.release(it, o.Asked())
	f.timed(h, now, o)
	f.network.widen()
	counts, fresh, again := h.well(), it.Since.IsZero(), false
	switch o.Kind {
	case Unasked:
		f.refund(h, atOnce)
	case Answered:
		f.answer(h, now)
		h.calm(now)
	case Faulty:
		f.answer(h, now)
		f.suspect(h, now, o, maxFaulty, fresh)
		h.trouble.since = now // a host that answers is not given up
	case Throttled:
		f.answer(h, now)
		counts = h.fine(&it) && o.RetryAfter == 0
		f.throttle(h, now, o)
	case Failed:
		again = f.unanswered(h, it, now, o)
	}
	if o.Retry && o.Kind != Failed {
		again = f.answeredBadly(h, it, now, o, counts)
	}
	if o.NoPage {
		h.admitted--
	}
	f.changed(h)
	return Disposition{Again: again, Closed: h.closed}
}

// refund gives back the time charged by a lease that sent no request. With several
// connections per host the charge may be another request's, and stays, unless nothing
// has happened since.
func (f *Frontier) refund(h *host, atOnce bool) {
	if f.unspread(h); f.cfg.PerHost > 1 && !atOnce {
		return
	}
	h.notBefore = later(h.previous, h.backoffUntil())
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
