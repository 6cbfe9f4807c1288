package crawl

import (
	"fmt"

	"github.com/cespare/xxhash/v2"

	"crawler/frontier"
	"crawler/weburl"
)

// told remembers which refusals were recorded, so that a link in every page's
// footer makes one line and not a million. It is bounded: when full it starts
// afresh, and a refusal may be told again.
type told struct{ keys map[uint64]struct{} }

const maxTold = 1 << 18

// first reports whether this URL's refusal is new.
func (t *told) first(url string) bool {
	k := xxhash.Sum64String(url)
	if _, ok := t.keys[k]; ok {
		return false
	}
	if t.keys == nil || len(t.keys) >= maxTold {
		t.keys = make(map[uint64]struct{})
	}
	t.keys[k] = struct{}{}
	return true
}

// forget makes the URL's next refusal new again.
func (t *told) forget(url string) { delete(t.keys, xxhash.Sum64String(url)) }

// held is a URL that was refused for a reason that may pass: another link may lead to
// it without nofollow, and a seed may turn out to live under the name it is at.
type held struct {
	frontier.Item
	reason Reason
}

// maxHeld bounds the URLs whose refusal waits for the end; what is more is told at once.
const maxHeld = 1 << 16

// refuse tells once that a link is not followed, unless its URL was admitted by
// another way. Reasons that may pass are told at the end.
func (c *coordinator) refuse(it frontier.Item, r Reason) {
	if !c.told.first(it.URL.String()) || c.cfg.Seen.Has(it.URL) {
		return
	}
	it.URL = it.URL.Clone()
	switch {
	case c.holding >= maxHeld:
		c.skip(Skip{URL: it.URL.String(), Reason: r, Via: it.Via})
		return
	case r == HostBudget:
		c.waiting[it.URL.Host()] = append(c.waiting[it.URL.Host()], it)
	case r == Nofollow, r == OutOfScope && c.scope.kin(it.URL):
		c.held = append(c.held, held{it, r})
	default:
		c.skip(Skip{URL: it.URL.String(), Reason: r, Via: it.Via})
		return
	}
	c.holding++
}

// spared gives the place in its host's budget that u did not use, being a redirect or
// forbidden, to a URL that was refused for want of it.
func (c *coordinator) spared(u weburl.URL) {
	host := u.Host()
	for len(c.waiting[host]) > 0 && c.frontier.HasRoom(u) {
		it := c.waiting[host][0]
		c.waiting[host] = c.waiting[host][1:]
		c.offerAgain(it)
	}
}

// offerAgain admits a URL that was held, or refuses it as if it were met for the first
// time.
func (c *coordinator) offerAgain(it frontier.Item) {
	c.holding--
	c.told.forget(it.URL.String())
	c.admit(it)
}

// widened offers again what was out of scope before a seed's redirect.
func (c *coordinator) widened() {
	all := c.held
	c.held = nil
	for _, h := range all {
		switch {
		case h.reason != OutOfScope || c.scope.refuses(h.URL) != "":
			c.held = append(c.held, h)
		case c.depths == nil:
			c.offerAgain(h.Item)
		default:
			c.holding--
			c.told.forget(h.URL.String()) // the link may lead deeper than the limit, which is told at the end
			c.admitAll(c.depths.Link(pageURL(h.Via), h.URL, 1))
		}
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

// tellHeld tells what was refused for good after all.
func (c *coordinator) tellHeld() {
	tell := func(it frontier.Item, r Reason) {
		if !c.cfg.Seen.Has(it.URL) {
			c.skip(Skip{URL: it.URL.String(), Reason: r, Via: it.Via})
		}
	}
	for _, h := range c.held {
		tell(h.Item, h.reason)
	}
	for _, items := range c.waiting {
		for _, it := range items {
			tell(it, HostBudget)
		}
	}
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
}

func (c *coordinator) count(r Reason) {
	if r.Decision() {
		c.result.Skipped[r]++
	} else {
		c.result.Errors[r]++
	}
}
