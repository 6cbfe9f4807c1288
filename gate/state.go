package gate

import (
	"time"

	"crawler/dedup"
	"crawler/frontier"
	"crawler/weburl"
)

// Counts are what a Gate has admitted and refused.
type Counts struct {
	Admitted int            // URLs that were new and passed the rules
	Maybe    int64          // admissions that had to wait for the log on disk
	Skipped  map[Reason]int // URLs refused, by the crawl's own decisions
	Errors   map[Reason]int // URLs that could not be fetched
	NewAt    NewAtCounts    // where the admitted URLs became new
	Seeds    int            // of these two together, seeds
	Traps    []Trap         // the first 256 with refused URLs; the last may stand for others
}

// Counts returns the counts as of now. The maps continue to change.
func (g *Gate) Counts() Counts {
	a := &g.admitter
	return Counts{Admitted: a.admitted, Maybe: a.maybe, NewAt: a.newAt, Skipped: a.refusals.skipped, Errors: a.refusals.errors, Seeds: a.refusals.seeds, Traps: g.traps.list}
}

// Account returns the account of the filter and the traps at the end. It counts all bits of
// the filter.
func (g *Gate) Account() (dedup.Stats, []Trap) {
	g.traps.fetched(g.traps.list)
	return g.admitter.seen.Stats(), g.traps.list
}

// Mode says what answers the filter's pending checks: "exact", the log on disk; "memory", one
// in memory; "filter", nothing.
func (g *Gate) Mode() string {
	switch g.admitter.seen.(type) {
	case *dedup.FilterOnly:
		return "filter"
	case *dedup.Logged:
		return "exact"
	}
	return "memory"
}

// Backlog returns the refusals that must be given to the recorder. Call Sent when they were.
func (g *Gate) Backlog() []Skip { return g.admitter.refusals.backlog }

// Sent records that the Backlog was given to the recorder, and with it, if cut, the request
// for its part of a commit.
func (g *Gate) Sent(cut bool) { g.admitter.refusals.take(cut) }

// Crowded reports whether too many refusals wait for the recorder to make many more at once.
func (g *Gate) Crowded() bool { return len(g.admitter.refusals.backlog) >= maxBacklog }

// Saturated reports whether pages should wait, since maxPending checks wait for the log.
func (g *Gate) Saturated() bool { return len(g.admitter.pending.waiting) >= maxPending }

// Commit is a commit that a Gate adds its part to.
type Commit struct {
	Records Writer
	Queue   frontier.Writer
	Seq     uint64 // its number
	Last    bool   // the crawl's last one
}

// Commit adds everything that changed since the last commit and was not noted in the
// Journal.
func (g *Gate) Commit(c Commit) error {
	g.queue.frontier.Commit(c.Queue)
	if err := g.queue.frontier.Err(); err != nil {
		return err
	}
	// The guard goes first, since it numbers the pages that checks wait for.
	if err := g.traps.commit(&c); err != nil {
		return err
	}
	return g.admitter.commit(c)
}

// next is the record of the numbers that no other record shows.
type next struct {
	Deferral, GivenUp uint64

	// Absent in crawls of earlier versions.
	Sitemaps int `json:",omitempty"` // admitted
	NewAt    NewAtCounts
}

// State is the last commit of a crawl that is resumed.
type State struct {
	Records Reader
	Hosts   func(fn func(host string, state []byte) error) error // of the queue
	Log     *dedup.Reopened                                      // what was admitted
	Counts  Counts
	Now     time.Time
}

// Restore returns the Gate of a crawl that continues from its last commit, and its admitted
// URLs. cfg.Dedup must be the one that the crawl began with.
func Restore(cfg Config, j Journal, s State) (*Gate, dedup.Durable, error) {
	lessons, err := readLessons(s.Records)
	if err != nil {
		return nil, nil, err
	}
	pending, err := readPending(s.Records, s.Log, lessons)
	if err != nil {
		return nil, nil, err
	}
	seen := s.Log.Open(pending.open)
	g := newGate(cfg, j, seen)
	g.admitter.pending = pending
	g.traps.list = s.Counts.Traps
	if g.traps.guard != nil {
		g.traps.lessons = lessons
	} else {
		g.admitter.pending.forgetLessons()
	}
	scope, err := restoreScope(cfg.Scope, j, s.Records)
	if err != nil {
		return nil, nil, err
	}
	g.admitter.scope = scope
	if err := g.queue.restore(s); err != nil {
		return nil, nil, err
	}
	if err := g.admitter.restore(s); err != nil {
		return nil, nil, err
	}
	if err := g.traps.restore(s.Records); err != nil {
		return nil, nil, err
	}
	g.admitter.keepEvents()
	g.traps.keepEvents()
	if err := retry(g, s); err != nil {
		return nil, nil, err
	}
	// The guard may trust more by now. What else it refuses no longer is queued when nothing else
	// is left, as without a kill.
	g.requeue(g.admitter.deferred.takeTrapped(func(u weburl.URL) bool { return !g.traps.trusts(u) }))
	return g, seen, nil
}
