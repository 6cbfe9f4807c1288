package gate

import (
	"cmp"
	"encoding/json"
	"maps"

	"crawler/dedup"
	"crawler/frontier"
	"crawler/weburl"
)

// admitter admits URLs that are in scope, and refuses the others: whether a URL is too deep,
// whether its host has room, whether it was admitted before, and where a refusal is reported.
type admitter struct {
	journal  Journal
	queue    *frontier.Frontier
	scope    *scope
	depths   *frontier.Depths // nil without a depth limit; offers each URL once, not per link
	seen     dedup.SeenTest   // what was admitted
	log      *dedup.Logged    // seen, if it has a log on disk
	pending  pendingChecks
	reported reported
	deferred deferrals
	givenUps givenUps
	refusals refusals
	budgets  bool // a host takes so many URLs at most
	more     bool // seeds may be added
	final    bool // refusals are final now

	admitted int
	newAt    NewAtCounts
	layers   int // of the filter
	sitemaps sitemapCount
	maybe    int64 // admissions that had to wait for the log
	border   border
}

// sitemapCount counts the admitted sitemaps.
type sitemapCount struct{ n, most int }

func newAdmitter(cfg *Config, j Journal, f *frontier.Frontier, seen dedup.SeenTest) admitter {
	log, _ := seen.(*dedup.Logged)
	return admitter{
		journal: j, queue: f, seen: seen, log: log, deferred: newDeferrals(j), givenUps: givenUps{journal: j},
		budgets: cfg.Frontier.MaxPerHost > 0, more: cfg.MoreSeeds,
		sitemaps: sitemapCount{most: cmp.Or(cfg.MaxSitemaps, DefaultMaxSitemaps)}, layers: seen.Config().Layers,
		border:   border{journal: j, mine: cfg.Mine},
		refusals: refusals{journal: j, skipped: map[Reason]int{}, errors: map[Reason]int{}},
	}
}

// keepEvents keeps what changes between two commits.
func (a *admitter) keepEvents() {
	a.reported.durable = true
	if a.depths != nil {
		a.depths.KeepEvents()
	}
}

// offer passes a URL through all rules. from is the page that links to it, or the URL that
// redirects there.
func (a *admitter) offer(from weburl.URL, o offer) {
	if a.refusals.rebuild.has(o.URL) {
		return
	}
	if a.border.foreign(o.URL) {
		a.export(from, o)
		return
	}
	if r := a.scope.refuses(&o); r != "" {
		a.refuse(o, r)
		return
	}
	a.within(from, o)
}

// within admits what an offer brings within the depth limit: the URL, and what was met on the
// pages behind it. The answer is admit's, and under a depth limit none.
func (a *admitter) within(from weburl.URL, o offer) (answer dedup.Answer) {
	if a.depths == nil {
		answer = a.admit(o)
		a.anotherWay(&o)
		return answer
	}
	for _, it := range a.met(from, &o) {
		if it.URL == o.URL && !o.link() { // it is more than its depth
			if !o.Sitemap { // whose depth is another
				o.Depth = it.Depth
			}
			it = o.Item
		}
		a.further(it)
	}
	a.anotherWay(&o)
	return dedup.Seen
}

// met tells the depths of an offer and returns what has come within the limit.
func (a *admitter) met(from weburl.URL, o *offer) []frontier.Item {
	switch {
	case (o.link() || o.From != "" && !o.Sitemap) && a.border.foreign(from):
		return a.depths.Arrive(o.URL, from, o.Depth)
	case o.link():
		return a.depths.Link(from, o.URL, 1)
	case o.From != "" && !a.border.foreign(from):
		return a.depths.Link(from, o.URL, 0)
	}
	return a.depths.Seed(o.URL)
}

// again offers a URL once more that was refused.
func (a *admitter) again(o offer, was Reason) {
	a.reported.forget(o.URL.String(), was)
	a.offer(o.foundOn(), o)
}

// admit queues a URL if its host has room and it is New. Of one that may be new, Maybe, a check
// that waits will tell, and it is queued then. Any other is Seen.
func (a *admitter) admit(o offer) dedup.Answer {
	if r := a.full(&o); r != "" {
		a.refuse(o, r)
		return dedup.Seen
	}
	open, answer := a.seen.Admit(o.URL)
	switch answer {
	case dedup.New:
		a.push(o.Item)
	case dedup.Maybe:
		if !a.wait(pendingCheck{offer: o, open: open}) {
			return dedup.Seen // by an offer that waits
		}
	}
	return answer
}

// answer decides a check that the log has answered, and reports whether its URL was new. What the
// log on disk does not know may have been admitted since, and what refused a URL may have passed.
func (a *admitter) answer(c *pendingCheck, found bool) (isNew bool) {
	if found {
		a.log.Found(c.open)
	} else if _, now := a.log.Peek(c.URL); now == dedup.Seen {
		found = true
	}
	switch {
	case found:
	case c.refusal == "":
		if r := a.full(&c.offer); r != "" {
			a.refuse(c.offer, r)
		} else if isNew = a.log.NotFound(c.open); isNew {
			a.push(c.Item)
		}
	case a.final || cmp.Or(a.scope.refuses(&c.offer), a.full(&c.offer)) == c.refusal:
		a.turnAway(c.offer, c.refusal)
	default:
		a.again(c.offer, c.refusal)
	}
	return isNew
}

// push queues a URL that has just been admitted.
func (a *admitter) push(it frontier.Item) {
	a.admitted++
	if it.Sitemap {
		a.sitemaps.n++
	}
	at := newAt(it.URL, a.seen.LastKnown(), a.layers)
	it.NewAt = uint8(at)
	a.newAt.add(at)
	if a.refusals.rebuild.recalls() {
		a.journal.Changed(1)
		return
	}
	a.queue.Push(it)
	a.watch(it)
	a.journal.Changed(1)
}

// wait lets a check wait for the log, unless another of its URL does.
func (a *admitter) wait(c pendingCheck) bool {
	a.maybe++
	return a.pending.add(c)
}

// full returns why there is no room for a URL that passes the rules, "" if there is.
func (a *admitter) full(o *offer) Reason {
	switch {
	case a.refusals.rebuild.recalls(): // there was
	case a.queue.Closed(o.URL):
		return HostClosed
	case !a.queue.HasRoom(o.URL) || a.budgets && a.reported.concluded(o.URL.String()):
		return HostBudget
	case o.Sitemap && a.sitemaps.n >= a.sitemaps.most:
		return SitemapLimit
	}
	return ""
}

// refuse refuses a URL, unless another offer has had it admitted. It is reported once, and at
// the end if its reason may pass.
func (a *admitter) refuse(o offer, r Reason) {
	if !a.reported.first(o.URL.String(), r) && (r != OutOfScope || !a.deferred.shallower(&o)) {
		return
	}
	o.URL = o.URL.Clone()
	a.unlessAdmitted(o, r)
}

// unlessAdmitted turns away a URL that was not admitted.
func (a *admitter) unlessAdmitted(o offer, r Reason) {
	switch open, answer := a.seen.Peek(o.URL); answer {
	case dedup.Maybe:
		a.wait(pendingCheck{offer: o, refusal: r, open: open})
	case dedup.New:
		a.turnAway(o, r)
	}
}

// turnAway refuses a URL that was not admitted.
func (a *admitter) turnAway(o offer, r Reason) {
	if r == RedirectLimit && !a.final {
		if way, ok := a.shorter(o); ok {
			a.again(way, r)
			return
		}
	}
	d := deferral{offer: o, reason: r}
	if !a.final && a.passes(o, r) && a.deferred.takes(&d) {
		a.deferred.add(d)
		return
	}
	a.refusals.add(d.skip())
	switch r {
	case HostBudget:
		if !a.final {
			a.reported.conclude(o.URL.String())
		}
	case HostClosed:
		a.givenUps.note(givenUp{offer: o, reason: r})
	}
}

// passes reports whether the reason for which a URL is refused may pass.
func (a *admitter) passes(o offer, r Reason) bool {
	switch r {
	case HostBudget, Nofollow, RedirectLimit:
		return true
	case OutOfScope:
		return a.more || a.scope.sameSite(o.URL)
	case Excluded: // if the link was declined, and not the URL excluded
		o.declined, o.nofollow = false, false
		return a.more || a.scope.refuses(&o) == ""
	}
	return false
}

// deferAdmitted refuses a URL that was admitted and belongs to a trap.
func (a *admitter) deferAdmitted(d deferral) {
	if a.deferred.takes(&d) {
		a.deferred.add(d)
		return
	}
	a.refusals.add(d.skip())
	a.givenUps.note(givenUp{offer: d.offer, reason: d.reason, pattern: d.trap.Pattern, admitted: true})
}

// takeHost takes out the first URL that waits for its host's budget. If it is refused again,
// that is reported.
func (a *admitter) takeHost(host string) (d deferral, ok bool) {
	if d, ok = a.deferred.takeHost(host); ok {
		a.reported.forget(d.URL.String(), d.reason)
	}
	return d, ok
}

// widened offers again what was out of scope before u came into scope.
func (a *admitter) widened(u weburl.URL) {
	met := map[weburl.URL]bool{}
	for _, d := range a.deferred.takeInScope(u.Domain(), a.scope.refuses) {
		if !met[d.URL] {
			a.again(d.offer, d.reason)
		} else { // another way there, which may be short enough
			a.offer(d.foundOn(), d.offer)
		}
		met[d.URL] = true
	}
}

// finish makes all refusals final, and reports the deferred ones and the URLs that stayed
// beyond the depth limit.
func (a *admitter) finish() {
	a.final = true
	if a.depths != nil {
		a.depths.TooDeep(func(it frontier.Item) { a.refuse(offer{Item: it}, TooDeep) })
	}
	list, trapped := a.deferred.all()
	// One URL may wait both for a better link and for its host's budget.
	refused := make(map[weburl.URL]bool, len(list))
	for _, d := range list {
		if !refused[d.URL] && !a.border.foreign(d.URL) {
			refused[d.URL] = true
			a.unlessAdmitted(d.offer, d.reason)
		}
	}
	for _, d := range trapped {
		a.refusals.add(d.skip())
	}
}

// commit adds what changed since the last commit and was not noted in the Journal.
func (a *admitter) commit(c Commit) error {
	backlog, err := json.Marshal(a.refusals.unrecorded())
	if err != nil {
		return err
	}
	c.Records.Put(recordKey(keyBacklog), backlog)
	c.Records.Put(recordKey(keyPending), a.pending.appendTo(nil))
	c.Records.Put(recordKey(keyNext), appendJSON(next{Deferral: a.deferred.nextID, GivenUp: a.givenUps.nextID, Sitemaps: a.sitemaps.n, NewAt: a.newAt}))
	a.givenUps.commit(c.Records)
	a.reported.commit(c.Records, c.Seq)
	if a.depths != nil {
		if events := a.depths.TakeEvents(); len(events) > 0 {
			c.Records.Put(numberedKey(keyDepths, c.Seq), events)
		}
	}
	return nil
}

// restore restores the last commit's state, except for the pending checks.
func (a *admitter) restore(s State) error {
	a.admitted, a.maybe, a.refusals.seeds = s.Counts.Admitted, s.Counts.Maybe, s.Counts.Seeds
	maps.Copy(a.refusals.skipped, s.Counts.Skipped)
	maps.Copy(a.refusals.errors, s.Counts.Errors)
	if err := readJSON(s.Records, keyBacklog, &a.refusals.backlog); err != nil {
		return err
	}
	var n next
	if err := readJSON(s.Records, keyNext, &n); err != nil {
		return err
	}
	a.deferred.nextID, a.givenUps.nextID, a.sitemaps.n, a.newAt = n.Deferral, n.GivenUp, n.Sitemaps, n.NewAt
	for key, read := range map[string]func(key, value []byte) error{
		keyReported: func(_, value []byte) error { return a.reported.replay(value) },
		keyDeferred: a.deferred.restore,
		keyDepths:   a.replayDepths,
	} {
		if err := s.Records.Scan(recordKey(key), read); err != nil {
			return damaged(key, err)
		}
	}
	return nil
}

// replayDepths replays the events of depths in a commit.
func (a *admitter) replayDepths(_, value []byte) error {
	if a.depths == nil {
		return nil
	}
	return a.depths.Replay(value)
}
