package crawl

import (
	"encoding/binary"
	"fmt"

	"github.com/cespare/xxhash/v2"

	"crawler/frontier"
	"crawler/store"
	"crawler/weburl"
)

// told remembers which refusals were recorded, so that a link in every page's
// footer makes one line and not a million. It is bounded: when full it starts
// afresh, and a refusal may be told again.
type told struct {
	keys    map[uint64]struct{}
	events  []byte // of a durable crawl: what changed since the last commit
	afresh  bool   // and it started afresh since: earlier events are void
	durable bool
}

const maxTold = 1 << 18

// What a told's events say of a key.
const (
	toldAdd    = 1
	toldForget = 2
	toldEvent  = 9 // bytes: what, then the key
)

// first reports whether this URL's refusal is new.
func (t *told) first(url string) bool {
	k := xxhash.Sum64String(url)
	if _, ok := t.keys[k]; ok {
		return false
	}
	t.change(toldAdd, k)
	return true
}

// forget makes the URL's next refusal new again.
func (t *told) forget(url string) { t.change(toldForget, xxhash.Sum64String(url)) }

func (t *told) change(what byte, key uint64) {
	if t.keys == nil || len(t.keys) >= maxTold {
		t.keys = make(map[uint64]struct{})
		t.events, t.afresh = t.events[:0], true
	}
	if t.durable {
		t.events = binary.LittleEndian.AppendUint64(append(t.events, what), key)
	}
	if what == toldForget {
		delete(t.keys, key)
		return
	}
	t.keys[key] = struct{}{}
}

// commit puts what changed since the last commit under the number seq.
func (t *told) commit(b *store.Batch, seq uint64) {
	if t.afresh {
		b.DeleteRange(numberedKey(keyTold, 0), numberedKey(keyTold, seq))
	}
	if len(t.events) > 0 {
		b.Put(numberedKey(keyTold, seq), t.events)
	}
	t.events, t.afresh = t.events[:0], false
}

// replay does again what events tell.
func (t *told) replay(events []byte) error {
	for ; len(events) >= toldEvent; events = events[toldEvent:] {
		t.change(events[0], binary.LittleEndian.Uint64(events[1:]))
	}
	t.events, t.afresh = t.events[:0], false
	if len(events) > 0 {
		return fmt.Errorf("%d bytes too many", len(events))
	}
	return nil
}

// held is a URL that was refused for a reason that may pass: another link may lead to
// it without nofollow, a seed may turn out to live under the name it is at, and its
// host may get room again.
type held struct {
	frontier.Item
	reason  Reason
	pattern uint64 // of a trap, that refuses it; it was admitted
	detail  string
	id      uint64 // its key in the Store
}

// maxHeld bounds the URLs whose refusal waits for the end; what is more is told at once.
const maxHeld = 1 << 16

// refuse tells once that a link is not followed, unless its URL was admitted by
// another way. Reasons that may pass are told at the end.
func (c *coordinator) refuse(it frontier.Item, r Reason) {
	if !c.told.first(it.URL.String()) {
		return
	}
	it.URL = it.URL.Clone()
	c.ask(question{Item: it, reason: r})
}

// turnAway refuses a URL that was not admitted.
func (c *coordinator) turnAway(it frontier.Item, r Reason) {
	passing := r == HostBudget || r == Nofollow || r == OutOfScope && c.scope.kin(it.URL)
	if !passing || c.holding >= maxHeld || c.leaving {
		c.skip(Skip{URL: it.URL.String(), Reason: r, Via: it.Via})
		return
	}
	c.keep(held{Item: it, reason: r})
}

// keep holds h, and over a restart.
func (c *coordinator) keep(h held) {
	h.id = c.heldID
	c.heldID++
	c.hold(h)
	c.note(heldKey(h.id), appendHeld(nil, h))
}

// hold keeps h until its reason passes or the crawl ends.
func (c *coordinator) hold(h held) {
	if h.pattern != 0 {
		c.traps.hold(h)
		return
	}
	c.holding++
	if h.reason == HostBudget {
		c.waiting[h.URL.Host()] = append(c.waiting[h.URL.Host()], h)
		return
	}
	c.held = append(c.held, h)
}

// letGo is the end of holding h.
func (c *coordinator) letGo(h held) {
	c.holding--
	c.told.forget(h.URL.String()) // should it be refused once more, that is told
	c.note(heldKey(h.id), nil)
}

// spared gives the place in its host's budget that u did not use, being a redirect or
// forbidden, to a URL that was refused for want of it.
func (c *coordinator) spared(u weburl.URL) {
	host := u.Host()
	for len(c.waiting[host]) > 0 && c.frontier.HasRoom(u) {
		h := c.waiting[host][0]
		c.waiting[host] = c.waiting[host][1:]
		c.letGo(h)
		c.admit(h.Item)
	}
}

// widened offers again what was out of scope before a seed's redirect.
func (c *coordinator) widened() {
	all := c.held
	c.held = nil
	for _, h := range all {
		if h.reason != OutOfScope || c.scope.refuses(h.URL) != "" {
			c.held = append(c.held, h)
			continue
		}
		c.letGo(h)
		if c.depths == nil {
			c.admit(h.Item)
			continue
		}
		c.admitAll(c.depths.Link(pageURL(h.Via), h.URL, 1)) // it may be too deep, which is told at the end
	}
}

// pageURL is the URL that a Via names.
func pageURL(via string) weburl.URL {
	u, err := weburl.Parse(via)
	if err != nil {
		panic("crawl: a page's URL no longer parses: " + err.Error())
	}
	return u
}

// refusal is the last word on a URL that was admitted and not fetched.
func (c *coordinator) refusal(v *Visit) Skip {
	s := Skip{URL: v.URL.String(), Reason: v.Reason, Via: v.Via, Detail: v.Detail}
	if v.End == Deferred {
		s.Reason, s.Detail = HostClosed, fmt.Sprintf("answered %d", v.Status)
		if v.Outcome.RetryAfter > 0 {
			s.Detail += fmt.Sprintf(" and asks to be left alone for %s", v.Outcome.RetryAfter)
		}
	}
	return s
}

func (c *coordinator) skip(s Skip) {
	c.skipped = append(c.skipped, s)
	c.count(s.Reason)
	c.changed()
}

func (c *coordinator) count(r Reason) {
	if r.Decision() {
		c.result.Skipped[r]++
	} else {
		c.result.Errors[r]++
	}
}
