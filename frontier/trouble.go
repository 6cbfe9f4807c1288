package frontier

import (
	"cmp"
	"slices"
	"time"
)

// Three kinds of trouble are distinguished, by who has it.
//
//   - The network's: see network. Nothing counts.
//   - A host's: it does not answer, or answers that it cannot now (Throttled). From the
//     second such attempt in a row on it is asked ever more rarely, and closed when that has
//     lasted for Config.Patience. Its pages do not use up their attempts.
//   - A page's: the host is well otherwise. Its attempts lie a minute apart, then as far as
//     the time since the first, and other pages go first. Answers count towards
//     Config.Retries; without an answer it is tried until Config.Patience is over.
//
// Only a page that was not tried before says something about its host: those that have
// failed once are expected to fail.

// DefaultPatience is how long hosts and pages in trouble are waited for.
const DefaultPatience = 30 * time.Minute

// NoPatience is the Patience of a crawl that waits for nothing.
const NoPatience time.Duration = -1

const (
	// strangerPatience is how long a host is waited for while no host at all has answered:
	// somebody may have mistyped the only seed.
	strangerPatience = time.Minute
	// minBackoff is the first back-off of a host whose delay is shorter, and maxBackoff the
	// longest that nobody asked for: a minute after its recovery, a host is back at its pace.
	minBackoff = time.Second
	// From then on it is a sixteenth of the time since the trouble began.
	maxBackoff = 16 * time.Second
	// maxFaulty is the longest back-off for the sake of faulty answers: pages that always
	// fail, one after the other, must not hold up the others for long.
	maxFaulty = 4 * time.Second
	// minGap and maxGap bound the time between two attempts for one page.
	minGap = time.Minute
	maxGap = 15 * time.Minute
	// leastLongest is the longest wait that is granted to a host which asks for it, if patience
	// is shorter.
	leastLongest = 10 * time.Minute
	// maxDelayed is how many pages of a host wait in memory for their next attempt. Further
	// ones go to the end of their queue.
	maxDelayed = 1 << 10
)

// trouble is what a host has of it, and its pages.
type trouble struct {
	failures     int           // in a row
	since        time.Time     // the first of these, of faulty answers the last
	why          string        // what the last of these was
	asked        time.Time     // start of the last request, since there is trouble
	slowed       time.Time     // when a failure was last counted
	good         time.Time     // last answer that was as it should be
	backoff      time.Duration // 0 unless the host throttled or failed
	unheard      bool          // all of backoff is for lack of an answer
	backoffUntil time.Time     // back-off's part of notBefore
	delayed      []delayed     // pages, by when their next attempt is due
}

// delayed is a page that failed and waits for its next attempt.
type delayed struct {
	Item
	due time.Time
}

// troubled returns the host's trouble, to be changed.
func (h *host) troubled() *trouble {
	if h.trouble == nil {
		h.trouble = &trouble{}
	}
	return h.trouble
}

// well reports whether faulty answers are the fault of the pages: those to pages that were
// not tried before are not all like that.
func (h *host) well() bool { return h.trouble == nil || h.trouble.failures < 2 }

// fine reports whether the host is known to answer as it should: since the page has failed
// first, if it has.
func (h *host) fine(it *Item) bool {
	if it.Since.IsZero() {
		return h.well()
	}
	return h.trouble != nil && h.trouble.good.After(it.Since)
}

func (h *host) delayed() []delayed {
	if h.trouble == nil {
		return nil
	}
	return h.trouble.delayed
}

func (h *host) backoffUntil() time.Time {
	if h.trouble == nil {
		return time.Time{}
	}
	return h.trouble.backoffUntil
}

// end ends the host's trouble, that of its pages aside.
func (t *trouble) end() {
	t.failures, t.backoff, t.unheard, t.since, t.why = 0, 0, false, time.Time{}, ""
}

// forgetAfter is how long a host's trouble is remembered: requests that were under way when
// it was slowed down may still report it.
const forgetAfter = time.Minute

// calm notes an answer that is as it should be: the back-off halves, also one that the host
// has asked for, from maxBackoff on. One for lack of an answer is over: no host has said that
// it is asked too often.
func (h *host) calm(now time.Time) {
	t := h.trouble
	if t == nil {
		return
	}
	t.good = now
	backoff := min(t.backoff, maxBackoff) / 2
	if t.unheard {
		backoff = 0
		h.allow(now)
	}
	if t.end(); backoff > h.delay {
		t.backoff = backoff
		return
	}
	if len(t.delayed) == 0 && !t.backoffUntil.After(now) && now.Sub(t.slowed) > forgetAfter {
		h.trouble = nil
	}
}

// allow ends the host's back-off: it may be asked as soon as its delay allows.
func (h *host) allow(now time.Time) {
	h.trouble.backoffUntil = time.Time{}
	if h.leased == 0 { // else it is being asked
		h.notBefore = later(now, h.trouble.asked.Add(h.delay))
	}
}

// throttle lengthens the host's back-off. A host gets the wait it asks for: if that is
// longer than the crawl may wait, the host is closed, not asked early.
func (f *Frontier) throttle(h *host, now time.Time, o Outcome) {
	f.slow(h, now, o, maxBackoff)
	h.closed = h.closed || o.RetryAfter > f.longest() || f.worn(h, now)
}

// suspect counts a failure of a page that may be its host's. The first in a row is taken for
// the page's; so are failures of pages that have failed before, while the host is well.
func (f *Frontier) suspect(h *host, now time.Time, o Outcome, most time.Duration, fresh bool) {
	t := h.troubled()
	switch {
	case h.well() && !fresh:
	case t.failures == 0:
		t.failures, t.since, t.slowed, t.why = 1, now, now, o.Why
	default:
		f.slow(h, now, o, most)
	}
}

// slow doubles the back-off, up to most. Requests that were under way when the host was last
// slowed down report the same trouble again: ten connections that fail together are one
// failure.
func (f *Frontier) slow(h *host, now time.Time, o Outcome, most time.Duration) {
	t := h.troubled()
	if t.since.IsZero() {
		t.since = now
	}
	t.why = o.Why
	asked := t.backoffUntil.After(now) // for a wait, by an answer
	t.unheard = o.Kind == Failed && (t.backoff == 0 && !asked || t.unheard)
	if again := !o.Started.IsZero() && o.Started.Before(t.slowed); !again {
		t.failures++
		if most >= maxBackoff {
			most = max(most, now.Sub(t.since)/16)
		}
		t.backoff = min(max(2*t.backoff, h.delay, minBackoff), max(most, h.delay, t.backoff))
		t.slowed = now
	}
	if left := t.since.Add(f.cfg.Patience).Sub(now); left > 0 && left < t.backoff {
		t.backoff = left // the last look is when patience ends
		if h.leased == 0 {
			h.notBefore = o.Asked().Add(h.spacing())
		}
	}
	t.backoff = min(max(t.backoff, o.RetryAfter), f.longest())
	h.rest(now.Add(t.backoff))
}

// longest is the longest wait that is believed, of a host or of a saved time.
func (f *Frontier) longest() time.Duration { return max(f.cfg.Patience, leastLongest) }

// rest lets nobody ask the host before the moment until.
func (h *host) rest(until time.Time) {
	h.trouble.backoffUntil = later(h.trouble.backoffUntil, until)
	h.notBefore = later(h.notBefore, until)
}

// worn reports whether a host's trouble has lasted for longer than it is waited for.
func (f *Frontier) worn(h *host, now time.Time) bool {
	return !h.well() && now.Sub(h.trouble.since) >= f.cfg.Patience
}

// unanswered settles an attempt of a host that did not answer, and reports whether there is
// another.
func (f *Frontier) unanswered(h *host, it Item, now time.Time, o Outcome) (again bool) {
	if !o.Retry && !o.Gone { // another attempt would end likewise
		f.suspect(h, now, o, maxBackoff, true)
		h.closed = h.closed || f.worn(h, now) || !h.answered && h.trouble.failures >= f.cfg.MaxFailures
		return false
	}
	if h.trouble == nil {
		h.trouble = &trouble{asked: o.Asked()}
	}
	f.silence(h, now, o, it.Lease.Outage)
	switch n := &f.network; {
	case n.down && h.answered && !n.proved && !it.Lease.Outage:
		// It counts against the page alone, until a probe fails, too: see excuse.
		return f.delayItem(h, it, now, o)
	case n.down:
		h.front = append(h.front, it)
		f.queued++
		return true
	case !h.answered:
		return f.unknown(h, it, now, o)
	}
	f.suspect(h, now, o, maxBackoff, it.Since.IsZero() || o.Robots)
	h.closed = h.closed || f.worn(h, now)
	return !h.closed && f.delayItem(h, it, now, o)
}

// unknown is unanswered for a host that never answered: while others do, it has Retries and
// MaxFailures, else Patience.
func (f *Frontier) unknown(h *host, it Item, now time.Time, o Outcome) (again bool) {
	if f.network.blames(h, now, it.Attempt >= f.cfg.Retries) {
		f.suspect(h, now, o, maxBackoff, true)
		h.closed = h.closed || h.trouble.failures >= f.cfg.MaxFailures
		if again = o.Retry && it.Attempt < f.cfg.Retries && !h.closed; again {
			it.Attempt++
			f.queue(h, it)
		}
		return again
	}
	t, patience := h.troubled(), f.cfg.Patience
	failures := t.failures
	f.slow(h, now, o, maxBackoff)
	t.failures = failures
	if f.network.heard.IsZero() && !o.Offline {
		patience = min(patience, strangerPatience)
	}
	if now.Sub(t.since) >= patience {
		h.closed = true
		return false
	}
	h.front = append(h.front, it)
	f.queued++
	return true
}

// answeredBadly settles an answer that does not stand, unless it is the last there will be.
func (f *Frontier) answeredBadly(h *host, it Item, now time.Time, o Outcome, counts bool) (again bool) {
	last := it.Lease.LastFaulty
	if o.Kind == Throttled {
		last = it.Lease.Last
	}
	if h.closed || last && !o.Robots {
		return false
	}
	if counts && !o.Robots {
		it.Attempt++
	}
	if f.expired(&it, now) { // since the lease: the next attempt is the last
		h.front = append(h.front, it)
		f.queued++
		return true
	}
	return f.delayItem(h, it, now, o)
}

// expired reports whether a page was waited for as long as it may be.
func (f *Frontier) expired(it *Item, now time.Time) bool {
	waited := time.Duration(0)
	if !it.Since.IsZero() {
		waited = now.Sub(f.since(it))
	}
	return waited >= f.cfg.Patience
}

// since is when a page was waited for first. Patience begins anew with each run: how the page was
// while the crawl stood still is not known.
func (f *Frontier) since(it *Item) time.Time { return later(it.Since, f.began) }

// delayItem queues a page that has failed for another attempt, and reports whether there is
// time for one. A page whose robots.txt could not be read was not tried.
func (f *Frontier) delayItem(h *host, it Item, now time.Time, o Outcome) bool {
	switch {
	case o.Robots:
		h.front = append(h.front, it)
		f.queued++
		return true
	case f.expired(&it, now):
		return false
	case len(h.delayed()) >= maxDelayed:
		f.queue(h, it)
		return true
	}
	if it.Since.IsZero() {
		it.Since = now
	}
	since := f.since(&it)
	gap := min(max(now.Sub(since), cmp.Or(o.RetryAfter, minGap)), max(maxGap, o.RetryAfter), since.Add(f.cfg.Patience).Sub(now))
	it.URL, it.Lease = it.URL.Clone(), Lease{}
	d, t := delayed{it, now.Add(gap)}, h.troubled()
	i, _ := slices.BinarySearchFunc(t.delayed, d, byDue)
	t.delayed = slices.Insert(t.delayed, i, d)
	f.queued++
	return true
}

func byDue(a, b delayed) int { return a.due.Compare(b.due) }

// popDelayed takes out the page whose next attempt is due first.
func (h *host) popDelayed() Item {
	t := h.trouble
	it := t.delayed[0].Item
	t.delayed = slices.Delete(t.delayed, 0, 1)
	if len(t.delayed) == 0 {
		t.delayed = nil
	}
	return it
}

// due returns the moment at which the host may be asked for what it has queued.
func (h *host) due() time.Time {
	if d := h.delayed(); len(d) > 0 && len(h.front) == 0 && h.waiting == 0 {
		return later(h.notBefore, d[0].due)
	}
	return h.notBefore
}

// turnsToDelayed reports whether a page that is delayed is next. While the host is in
// trouble pages that were not tried yet go first, since only they tell how it is.
func (h *host) turnsToDelayed(now time.Time) bool {
	d := h.delayed()
	switch {
	case len(d) == 0 || len(h.front) > 0:
		return false
	case h.waiting == 0:
		return true
	}
	return h.well() && !d[0].due.After(now)
}
