package gate

import (
	"crawler/dedup"
	"crawler/frontier"
	"crawler/weburl"
)

// A Gate whose state was lost is made again from the records of the crawl: everything that they
// have is recalled first, and then the links and redirects among them are offered once more, by
// the same rules. What was recalled is not admitted again, so only that is queued which has no
// record. The guard against traps learns nothing of it: its evidence is in no record.

// Recalled is a URL that was admitted, and of which the records say what has become.
type Recalled struct {
	frontier.Item
	Charged bool   // it has a place in its host's page budget
	GivenUp bool   // it may be had later: see GivenUp
	Status  int    // of a page that is given up; else 0
	Reason  Reason // why it is given up, if not for its status
	Pattern string // of a trap that it was refused as, if it was
}

// Rebuilding is a Gate whose state is made again.
type Rebuilding struct {
	g         *Gate
	recalling bool                  // what is admitted was done before
	settled   func(weburl.URL) bool // whether the records have the final refusal of a URL
}

// Rebuild begins the recalling, before Seeds. settled reports whether the records have the final
// refusal of a URL that was not admitted; such a URL is not offered.
func Rebuild(g *Gate, settled func(weburl.URL) bool) *Rebuilding {
	r := &Rebuilding{g: g, recalling: true, settled: settled}
	g.admitter.refusals.rebuild = r
	return r
}

// recalls reports whether what is admitted now was done before. It is never so of a nil Rebuilding.
func (b *Rebuilding) recalls() bool { return b != nil && b.recalling }

// has reports whether the records have the final refusal of a URL. A nil Rebuilding has none.
func (b *Rebuilding) has(u weburl.URL) bool { return b != nil && b.settled(u) }

// Recall takes a URL for one that was admitted and is done. Checks may wait for the log then.
func (b *Rebuilding) Recall(r Recalled) {
	g := b.g
	a := &g.admitter
	open, answer := a.seen.Admit(r.URL)
	switch answer {
	case dedup.New:
		a.push(r.Item)
	case dedup.Maybe:
		a.wait(pendingCheck{offer: offer{Item: r.Item}, open: open})
	default: // it has two records
		return
	}
	if r.Charged {
		g.queue.frontier.Charge(r.URL)
	}
	if a.depths != nil && !r.Sitemap && r.Depth >= 0 {
		a.depths.Arrive(r.URL, r.URL, r.Depth) // also if the link to it is lost
	}
	if r.GivenUp {
		it := r.Item
		it.Depth = max(it.Depth, 0)
		a.givenUps.note(givenUp{offer: offer{Item: it}, reason: r.Reason, status: r.Status, pattern: r.Pattern, admitted: true, charged: r.Charged})
	}
}

// RecallSkip takes a refusal or failure for one that was counted and recorded. Whether its URL was
// admitted is for Recall to say.
func (b *Rebuilding) RecallSkip(s Skip) {
	g := b.g
	g.admitter.refusals.count(s)
	if !s.Reason.admits() {
		g.admitter.reported.first(s.URL, s.Reason)
		if s.Reason == HostBudget {
			g.admitter.reported.conclude(s.URL)
		}
	}
	if s.Trap != "" {
		g.traps.recall(s)
	}
}

// Admitted reports whether a URL that has this refusal had been admitted before it.
func (s *Skip) Admitted() bool { return s.Reason.admits() }

// Charged reports whether a URL that was admitted and has this refusal keeps its place in its
// host's page budget: it does if somebody was asked for it.
func (s *Skip) Charged() bool {
	switch s.Reason {
	case Disallowed, NoHTTPS, "address", "port":
		return false
	}
	return s.Trap == ""
}

// Provisional reports whether a refusal like this one may be the end of a run's, which lies behind
// the last commit and is decided anew when the crawl is resumed.
func (s *Skip) Provisional() bool {
	switch s.Reason {
	case TooDeep, HostBudget, Nofollow, RedirectLimit, OutOfScope, Excluded:
		return true
	}
	return false
}

// admits reports whether URLs are refused for r only once they were admitted.
func (r Reason) admits() bool {
	switch r {
	case OutOfScope, NotSampled, Excluded, TooDeep, HostBudget, Nofollow, SitemapLimit, RedirectLimit:
		return false
	}
	return true
}

// Recalled ends the recalling: what is offered from now on, and was not recalled, is queued. No
// check may wait.
func (b *Rebuilding) Recalled() { b.recalling = false }

// Links offers the links of a page that was recalled. Of a Page it wants Task.Item and Links.
func (b *Rebuilding) Links(p *Page) { offerLinks(b.g, p, b.g.admitter.offer) }

// Target offers where a URL leads that was recalled. Of a Redirect it wants Task.Item and Target.
func (b *Rebuilding) Target(r *Redirect) { offerTarget(b.g, r) }

// End ends the rebuilding: all links were offered.
func (b *Rebuilding) End() { b.g.admitter.refusals.rebuild = nil }
