package crawl

import (
	"maps"
	"slices"
	"time"

	"crawler/frontier"
	"crawler/store"
	"crawler/trap"
	"crawler/weburl"
)

// traps keeps the crawl out of crawler traps. What was refused may prove honest, so it
// is held until the crawl ends or its pattern opens.
type traps struct {
	guard    *trap.Guard // nil to refuse nothing
	watching bool        // the guard wants the links of the page that is being taken in
	held     map[uint64][]held
	holding  int
	saved    time.Time     // when the guard was committed last
	took     time.Duration // to put it into a batch
}

// What is held of refused URLs; more are told at once and stay refused.
const (
	maxTrapped        = 32 << 10
	maxTrappedPattern = maxTrapped / 8
	maxTraps          = 256 // that a Result lists
)

// The guard is committed so rarely that it costs 1 % of the time at most: an older one
// learns a trap's last pages again.
const (
	saveTrapsEvery = 5 * time.Second
	saveTrapsShare = 100
)

func newTraps(cfg *Config) traps {
	t := traps{held: map[uint64][]held{}}
	if !cfg.FollowTraps {
		t.guard = trap.New(cfg.Traps)
	}
	return t
}

// trapped reports whether a leased item is not to be fetched because it belongs to a
// trap, and then ends its lease; and else whether it is there for another look. Entry
// points and pages that have had a try are fetched.
func (c *coordinator) trapped(it frontier.Item, now time.Time) (refused, look bool) {
	t := &c.traps
	if t.guard == nil || it.Via == "" || it.Sitemap || it.Attempt > 0 {
		return false, false
	}
	v := t.guard.Judge(it.URL)
	if v.Kind == "" {
		return false, v.Look
	}
	// The host was not asked, and the page takes no place in its budget.
	if c.frontier.Done(it, now, frontier.Outcome{Verdict: frontier.Unasked, NoPage: true}).Closed {
		c.closed(it.URL)
	}
	if c.ring.durable() {
		c.unsafe.urls++
		c.changed()
	}
	c.refused(v, 1)
	it.URL, it.Last = it.URL.Clone(), false
	h := held{Item: it, reason: Trapped(v.Kind), pattern: v.ID, detail: v.Pattern}
	if v.ID == 0 || t.holding >= maxTrapped || len(t.held[v.ID]) >= maxTrappedPattern {
		c.skip(h.skip())
	} else {
		c.keep(h)
	}
	c.spared(it.URL)
	return true, false
}

// skip is the refusal of a URL that is held no longer.
func (h *held) skip() Skip {
	return Skip{URL: h.URL.String(), Reason: h.reason, Via: h.Via, Detail: h.detail}
}

// verdict is by what it was taken for a trap's.
func (h *held) verdict() trap.Verdict {
	return trap.Verdict{ID: h.pattern, Kind: trap.Kind(h.reason[len(trapPrefix):]), Pattern: h.detail}
}

// refused adds n URLs to what the Result says of their trap.
func (c *coordinator) refused(v trap.Verdict, n int) {
	r := &c.result
	i := slices.IndexFunc(r.Traps, func(x Trap) bool { return x.ID == v.ID && (x.ID != 0 || x.Kind == v.Kind) })
	if i < 0 && len(r.Traps) < maxTraps {
		i = len(r.Traps)
		r.Traps = append(r.Traps, Trap{ID: v.ID, Kind: v.Kind, Pattern: v.Pattern})
	} else if i < 0 { // the last one stands for all others
		i = maxTraps - 1
		r.Traps[i].ID, r.Traps[i].Kind, r.Traps[i].Pattern = 0, "", ""
	}
	x := &r.Traps[i]
	x.Refused += n
	if x.ID != 0 {
		x.Kind = v.Kind // it may look like another by now
	}
}

// watch begins to take in a page.
func (t *traps) watch(v *Visit) {
	if t.guard == nil || v.Sitemap {
		return
	}
	via, _ := weburl.Parse(v.Via) // zero for an entry point
	t.watching = t.guard.Watch(v.URL, via)
}

// link takes in a link of that page that is in scope.
func (t *traps) link(u weburl.URL, known bool) {
	if t.watching {
		t.guard.Link(u, known)
	}
}

// learn ends the page and reports whether a pattern has opened.
func (t *traps) learn(v *Visit) bool {
	if t.guard == nil || v.Sitemap {
		return false
	}
	t.watching = false
	v.Trap.Status = v.Status // errors are not parsed, nor sampled
	return t.guard.Learn(v.Trap)
}

// reopen queues again what patterns have refused that proved honest.
func (c *coordinator) reopen() {
	t := &c.traps
	for _, id := range t.guard.Reopened() {
		list := t.held[id]
		delete(t.held, id)
		t.holding -= len(list)
		for _, h := range list {
			c.readmit(h)
		}
	}
}

// readmit queues a URL that was taken for a trap's.
func (c *coordinator) readmit(h held) {
	c.note(heldKey(h.id), nil)
	c.refused(h.verdict(), -1)
	if r := c.full(h.URL); r != "" {
		c.skip(Skip{URL: h.URL.String(), Reason: r, Via: h.Via})
		return
	}
	c.frontier.Push(h.Item)
}

func (t *traps) hold(h held) {
	t.held[h.pattern] = append(t.held[h.pattern], h)
	t.holding++
}

// all returns what is held, in an order that does not depend on chance.
func (t *traps) all() []held {
	var all []held
	for _, id := range slices.Sorted(maps.Keys(t.held)) {
		all = append(all, t.held[id]...)
	}
	return all
}

// count fills in how many pages were fetched of each trap, as far as the guard remembers.
func (t *traps) count(list []Trap) {
	if t.guard == nil {
		return
	}
	for _, p := range t.guard.Closed() {
		i := slices.IndexFunc(list, func(x Trap) bool { return x.ID == p.ID })
		if i >= 0 {
			list[i].Fetched = p.Pages
		}
	}
}

// commit puts what the guard knows into b, if it is time for that.
func (t *traps) commit(b *store.Batch, now time.Time, last bool) error {
	if t.guard == nil || !last && now.Sub(t.saved) < max(saveTrapsEvery, saveTrapsShare*t.took) {
		return nil
	}
	data, err := t.guard.MarshalBinary()
	if err != nil {
		return err
	}
	b.Put(stateKey(keyTraps), data)
	t.saved, t.took = now, time.Since(now)
	return nil
}

// restoreTraps gives the guard what it knew, and queues again what it no longer refuses:
// it may know less than when that was held, or trust more.
func (c *coordinator) restoreTraps() error {
	t := &c.traps
	if t.guard != nil {
		data, err := c.cfg.Store.DB().Get(stateKey(keyTraps))
		if err != nil {
			return err
		}
		if data != nil {
			if err := t.guard.UnmarshalBinary(data); err != nil {
				return damaged(keyTraps, err)
			}
		}
	}
	c.reconsider()
	return nil
}

// reconsider queues again what is held and no longer refused, and reports whether there was
// any: what an open pattern of its own now vouches for may be held by a wide one.
func (c *coordinator) reconsider() (any bool) {
	t := &c.traps
	all := t.all()
	clear(t.held)
	t.holding = 0
	for _, h := range all {
		if t.guard != nil && t.guard.Refuses(h.verdict(), h.URL) {
			t.hold(h)
		} else {
			c.readmit(h)
			any = true
		}
	}
	return any
}
