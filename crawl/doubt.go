package crawl

import (
	"cmp"
	"slices"

	"crawler/dedup"
	"crawler/frontier"
	"crawler/weburl"
)

// question is what is to become of a URL, once it is known whether it was admitted.
type question struct {
	frontier.Item
	reason Reason // why it is refused, unless it was admitted by another way; "" asks for admission
	source *Skip  // of a redirect's target: the refusal of the URL that redirects, if the target is not admitted by it
}

// doubt is a question that waits for the exact log, because the filter says "perhaps".
type doubt struct {
	question
	name uint64 // the URL's fingerprint
}

// maxDoubts is how many questions may wait for the log before pages have to wait. The
// links of one page may go beyond.
const maxDoubts = 16 << 10

// doubts are the questions that wait.
type doubts struct {
	waiting  []doubt         // for the keeper to be free
	checking []doubt         // being looked up by the keeper
	lookups  []lookup        // in the keeper's hand
	admits   map[uint64]bool // the URLs in both: true if one of their questions asks for admission
}

func (d *doubts) len() int { return len(d.waiting) + len(d.checking) }

// add lets q wait. Of several links to one URL the first asks for admission, the
// others need not; and whether a URL is refused matters only if no other link asks for
// its admission.
func (d *doubts) add(name uint64, q question) {
	admits, known := d.admits[name]
	plain := q.source == nil
	if known && plain && (admits || q.reason != "") {
		return
	}
	if d.admits == nil {
		d.admits = make(map[uint64]bool)
	}
	d.admits[name] = admits || q.reason == ""
	d.waiting = append(d.waiting, doubt{question: q, name: name})
}

// ask finds out what is to become of a URL.
func (c *coordinator) ask(q question) {
	var name uint64
	var a dedup.Answer
	if q.reason == "" {
		name, a = c.seen.Ask(q.URL)
	} else {
		name, a = c.seen.Peek(q.URL)
	}
	if a == dedup.Maybe {
		c.result.Audit.Maybe++
		c.doubts.add(name, q)
		return
	}
	c.decide(q, a == dedup.Seen)
}

// decide is the end of a question.
func (c *coordinator) decide(q question, seen bool) {
	switch {
	case q.reason != "":
		if !seen {
			c.turnAway(q.Item, q.reason)
		}
	case seen:
		c.without(q, RedirectSeen)
	default:
		if r := c.full(q.URL); r != "" {
			c.noRoom(q, r)
			return
		}
		c.push(q.Item)
	}
}

// noRoom refuses a URL that was not admitted because its host takes no more. If a
// redirect led to it, that is told of the URL that redirects, and of this one when a
// link to it comes. Only Depths names a URL once and not for every link.
func (c *coordinator) noRoom(q question, r Reason) {
	if !c.without(q, r) {
		c.refuse(q.Item, r)
	} else if c.depths != nil {
		c.refuse(frontier.Item{URL: q.URL, Via: q.source.URL, Depth: q.Depth, Sitemap: q.Sitemap}, r)
	}
}

// without tells the refusal of the URL whose redirect q follows, if it is one.
func (c *coordinator) without(q question, r Reason) bool {
	if q.source == nil {
		return false
	}
	s := *q.source
	s.Reason = r
	c.skip(s)
	return true
}

// full says why a URL's host takes no more URLs, "" if it does.
func (c *coordinator) full(u weburl.URL) Reason {
	switch {
	case c.frontier.Closed(u):
		return HostClosed
	case !c.frontier.HasRoom(u):
		return HostBudget
	}
	return ""
}

// check is the job of asking the log about all that waits.
func (c *coordinator) check() *job {
	d := &c.doubts
	d.checking, d.waiting = d.waiting, d.checking[:0]
	d.lookups = d.lookups[:0]
	for i := range d.checking {
		d.lookups = append(d.lookups, lookup{name: d.checking[i].name, at: i})
	}
	return &job{
		do:   func() error { return c.keeper.check(d.lookups) },
		then: c.answered,
	}
}

// answered decides the doubts that the log has settled, in the order of asking.
func (c *coordinator) answered() {
	d := &c.doubts
	slices.SortFunc(d.lookups, func(a, b lookup) int { return cmp.Compare(a.at, b.at) })
	for _, l := range d.lookups {
		q := &d.checking[l.at]
		delete(d.admits, q.name)
		c.settled(q, l.found)
	}
	clear(d.checking) // let go of their texts
	d.checking = d.checking[:0]
}

// settled decides one doubt. What the log on disk does not know may have been admitted
// since, which the tail in memory knows.
func (c *coordinator) settled(q *doubt, found bool) {
	if found {
		c.seen.Settle(q.name, true)
		c.decide(q.question, true)
		return
	}
	_, now := c.seen.Peek(q.URL)
	seen := now == dedup.Seen
	if !seen && q.reason == "" && c.full(q.URL) == "" {
		c.seen.Settle(q.name, false)
	}
	c.decide(q.question, seen)
}
