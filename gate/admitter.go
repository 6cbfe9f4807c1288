package gate

import (
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
	refusals refusals
	final    bool // refusals are final now
	admitted int
	maybe    int64 // admissions that had to wait for the log
}

func newAdmitter(j Journal, f *frontier.Frontier, seen dedup.SeenTest) admitter {
	log, _ := seen.(*dedup.Logged)
	return admitter{
		journal: j, queue: f, seen: seen, log: log, deferred: newDeferrals(j),
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

// enter admits an entry point: a seed or an entry of a sitemap.
func (a *admitter) enter(it frontier.Item) {
	if a.depths == nil {
		a.admit(it)
		return
	}
	for _, found := range a.depths.Seed(it.URL) {
		if found.URL == it.URL {
			found = it
		}
		a.admit(found)
	}
}

// linked admits the URLs that a link has brought within the depth limit.
func (a *admitter) linked(from, to weburl.URL) {
	for _, it := range a.depths.Link(from, to, 1) {
		a.admit(it)
	}
}

// redirected admits the URLs that a redirect has brought within the depth limit, except for
// the target, which is no deeper than the URL that redirects.
func (a *admitter) redirected(from, to weburl.URL) {
	if a.depths == nil {
		return
	}
	for _, it := range a.depths.Link(from, to, 0) {
		if it.URL != to {
			a.admit(it)
		}
	}
}

// admit queues a URL if its host has room and it is new, and reports whether it did. A
// URL that may be new is queued after the log has confirmed it.
func (a *admitter) admit(it frontier.Item) bool {
	if r := a.full(it.URL); r != "" {
		a.refuse(it, r)
		return false
	}
	switch open, answer := a.seen.Admit(it.URL); answer {
	case dedup.New:
		a.push(it)
		return true
	case dedup.Maybe:
		a.wait(open, admission{Item: it})
	}
	return false
}

// follow admits the target of a redirect. If it cannot, source is refused for that.
func (a *admitter) follow(target frontier.Item, source Skip) {
	q := admission{Item: target, source: &source}
	if r := a.full(q.URL); r != "" {
		a.noRoom(q, r)
		return
	}
	switch open, answer := a.seen.Admit(q.URL); answer {
	case dedup.New:
		a.push(q.Item)
	case dedup.Seen:
		a.refuseSource(q.source, RedirectSeen)
	case dedup.Maybe:
		a.wait(open, q)
	}
}

// answer decides an admission after the log's answer. A URL that the log on disk does not
// have may have been admitted since.
func (a *admitter) answer(c *pendingCheck, found bool) {
	if found {
		a.log.Found(c.open)
	} else if _, now := a.log.Peek(c.URL); now == dedup.Seen {
		found = true
	}
	switch {
	case c.refusal != "":
		if !found {
			a.turnAway(c.Item, c.refusal)
		}
	case found:
		a.refuseSource(c.source, RedirectSeen)
	default:
		if r := a.full(c.URL); r != "" {
			a.noRoom(c.admission, r)
		} else if a.log.NotFound(c.open) {
			a.push(c.Item)
		}
	}
}

// push queues a URL that has just been admitted.
func (a *admitter) push(it frontier.Item) {
	a.admitted++
	a.queue.Push(it)
	a.journal.Changed(1)
}

// wait makes an admission wait for the log.
func (a *admitter) wait(open dedup.Pending, q admission) {
	a.maybe++
	a.pending.add(open, q)
}

// full returns why a URL's host takes no more URLs, "" if it does.
func (a *admitter) full(u weburl.URL) Reason {
	switch {
	case a.queue.Closed(u):
		return HostClosed
	case !a.queue.HasRoom(u):
		return HostBudget
	}
	return ""
}

// noRoom refuses a URL whose host takes no more. If a redirect led to it, the refusal is
// reported for the redirecting URL. With a depth limit the target is reported now as well,
// since Depths offers each URL only once; otherwise it is when a link to it comes.
func (a *admitter) noRoom(q admission, r Reason) {
	if q.source == nil {
		a.refuse(q.Item, r)
		return
	}
	a.refuseSource(q.source, r)
	if a.depths != nil {
		a.refuse(frontier.Item{URL: q.URL, Via: q.source.URL, Depth: q.Depth, Sitemap: q.Sitemap}, r)
	}
}

// refuseSource refuses a URL that redirects because its target is not followed. Without a
// source there was no redirect.
func (a *admitter) refuseSource(source *Skip, r Reason) {
	if source != nil {
		s := *source
		s.Reason = r
		a.refusals.add(s)
	}
}

// refuse refuses a URL that no other link has had admitted. It is reported once, and at
// the end if its reason may pass.
func (a *admitter) refuse(it frontier.Item, r Reason) {
	if !a.reported.first(it.URL.String()) {
		return
	}
	it.URL = it.URL.Clone()
	a.unlessAdmitted(it, r)
}

// unlessAdmitted refuses a URL unless it was admitted.
func (a *admitter) unlessAdmitted(it frontier.Item, r Reason) {
	switch open, answer := a.seen.Peek(it.URL); answer {
	case dedup.Maybe:
		a.wait(open, admission{Item: it, refusal: r})
	case dedup.New:
		a.turnAway(it, r)
	}
}

// turnAway refuses a URL that was not admitted.
func (a *admitter) turnAway(it frontier.Item, r Reason) {
	d := deferral{Item: it, reason: r}
	if a.passes(it.URL, r) && !a.final && a.deferred.takes(&d) {
		a.deferred.add(d)
		return
	}
	a.refusals.add(d.skip())
}

// passes reports whether the reason for which a URL is refused may pass.
func (a *admitter) passes(u weburl.URL, r Reason) bool {
	switch r {
	case HostBudget, Nofollow:
		return true
	case OutOfScope:
		return a.scope.sameSite(u)
	case Excluded: // if the link was declined, and not the URL excluded
		return a.scope.refuses(u) == ""
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
}

// takeHost takes out the first URL that waits for its host's budget. If it is refused again,
// that is reported.
func (a *admitter) takeHost(host string) (d deferral, ok bool) {
	if d, ok = a.deferred.takeHost(host); ok {
		a.reported.forget(d.URL.String())
	}
	return d, ok
}

// takeInScope takes out the URLs that have come into scope, likewise.
func (a *admitter) takeInScope() []deferral {
	list := a.deferred.takeInScope(a.scope.refuses)
	for i := range list {
		a.reported.forget(list[i].URL.String())
	}
	return list
}

// finish makes all refusals final, and reports the deferred ones and the URLs that stayed
// beyond the depth limit.
func (a *admitter) finish() {
	a.final = true
	if a.depths != nil {
		a.depths.TooDeep(func(it frontier.Item) { a.refuse(it, TooDeep) })
	}
	list, trapped := a.deferred.all()
	for _, d := range list {
		a.unlessAdmitted(d.Item, d.reason)
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
	c.Records.Put(recordKey(keyNext), appendJSON(next{Deferral: a.deferred.nextID}))
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
	a.admitted, a.maybe = s.Counts.Admitted, s.Counts.Maybe
	maps.Copy(a.refusals.skipped, s.Counts.Skipped)
	maps.Copy(a.refusals.errors, s.Counts.Errors)
	if err := readJSON(s.Records, keyBacklog, &a.refusals.backlog); err != nil {
		return err
	}
	var n next
	if err := readJSON(s.Records, keyNext, &n); err != nil {
		return err
	}
	a.deferred.nextID = n.Deferral
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
