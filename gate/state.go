package gate

import (
	"encoding/json"
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
	Traps    []Trap         // that URLs were refused as, the first 256; the last may stand for all others
}

// Counts returns the counts as of now. The maps go on changing.
func (g *Gate) Counts() Counts {
	a := &g.admitter
	return Counts{Admitted: a.admitted, Maybe: a.maybe, Skipped: a.refusals.skipped, Errors: a.refusals.errors, Traps: g.traps.list}
}

// Account is what is known of the filter and the traps at the end. It counts all bits of
// the filter.
func (g *Gate) Account() (dedup.Stats, []Trap) {
	g.traps.fetched(g.traps.list)
	return g.admitter.seen.Stats(), g.traps.list
}

// Mode says how sure the filter is: "exact", its pending checks are settled by the log on
// disk; "memory", by one in memory; "filter", not at all.
func (g *Gate) Mode() string {
	switch g.admitter.seen.(type) {
	case *dedup.FilterOnly:
		return "filter"
	case *dedup.Logged:
		return "exact"
	}
	return "memory"
}

// Config returns the settings, those of the filter with their defaults filled in.
func (g *Gate) Config() Config { return g.cfg }

// Backlog returns the refusals that have to be given to the recorder. Sent says that they
// were.
func (g *Gate) Backlog() []Skip { return g.admitter.refusals.backlog }

// Sent says that the Backlog was given to the recorder, and with it, if cut, the request
// for its part of a commit.
func (g *Gate) Sent(cut bool) { g.admitter.refusals.take(cut) }

// Crowded reports that so many refusals wait for the recorder that nothing should be done
// that makes many more.
func (g *Gate) Crowded() bool { return len(g.admitter.refusals.backlog) >= maxBacklog }

// Saturated reports that so many checks wait for the log that pages should wait, too.
func (g *Gate) Saturated() bool { return len(g.admitter.pending.waiting) >= maxPending }

// Commit is a commit that a Gate adds its part to.
type Commit struct {
	Records Writer
	Queue   frontier.Writer
	Seq     uint64           // its number
	Now     func() time.Time // the present moment
	Last    bool             // the crawl's last one
}

// Commit adds everything that changed since the last commit, beside what was noted in the
// Journal.
func (g *Gate) Commit(c Commit) error {
	g.queue.Commit(c.Queue)
	if err := g.queue.Err(); err != nil {
		return err
	}
	a := &g.admitter
	backlog, err := json.Marshal(a.refusals.unrecorded())
	if err != nil {
		return err
	}
	c.Records.Put(recordKey(keyBacklog), backlog)
	c.Records.Put(recordKey(keyPending), a.pending.appendTo(nil))
	a.reported.commit(c.Records, c.Seq)
	if g.depths != nil {
		if events := g.depths.TakeEvents(); len(events) > 0 {
			c.Records.Put(numberedKey(keyDepths, c.Seq), events)
		}
	}
	c.Records.Put(recordKey(keyNext), appendJSON(next{Deferral: a.deferred.nextID}))
	return g.traps.commit(c.Records, c.Now, c.Last)
}

// next is the record of the numbers that cannot be told from other records.
type next struct{ Deferral uint64 }

// State is the last commit of a crawl that goes on.
type State struct {
	Records Reader
	Hosts   func(fn func(host string, state []byte) error) error // of the queue
	Log     *dedup.Reopened                                      // what was admitted
	Counts  Counts
	Now     time.Time
}

// Restore returns the Gate of a crawl that goes on from its last commit, and what it has
// admitted. Of cfg, the filter's part is the one that the crawl began with.
func Restore(cfg Config, j Journal, s State) (*Gate, dedup.Durable, error) {
	pending, err := readPending(s.Records, s.Log)
	if err != nil {
		return nil, nil, err
	}
	seen := s.Log.Open(pending.open)
	g := newGate(cfg, j, seen)
	g.admitter.pending = pending
	g.restoreCounts(s.Counts)
	for _, step := range []func(State) error{g.restoreScope, g.restoreHosts, g.restoreRefusals, g.restoreDepths} {
		if err := step(s); err != nil {
			return nil, nil, err
		}
	}
	g.keepEvents()
	if err := g.traps.restore(s.Records); err != nil {
		return nil, nil, err
	}
	// The guard may know less than when a URL was deferred, or trust more.
	g.Reconsider()
	return g, seen, nil
}

func (g *Gate) restoreCounts(c Counts) {
	a := &g.admitter
	a.admitted, a.maybe, g.traps.list = c.Admitted, c.Maybe, c.Traps
	for r, n := range c.Skipped {
		a.refusals.skipped[r] = n
	}
	for r, n := range c.Errors {
		a.refusals.errors[r] = n
	}
}

// restoreScope makes the scope what the seeds, their redirects and later seeds had made it.
func (g *Gate) restoreScope(s State) error {
	seeds, err := ReadSeeds(s.Records)
	if err != nil {
		return err
	}
	g.scope = newScope(g.cfg.Scope, seeds)
	g.admitter.scope = g.scope
	err = s.Records.Scan(recordKey(keyMoves), func(_, value []byte) error {
		from, to, err := readMove(value)
		if err == nil {
			g.scope.addRedirected(from, to)
			g.moves++
		}
		return err
	})
	if err != nil {
		return damaged(keyMoves, err)
	}
	err = s.Records.Scan(recordKey(keyAdded), func(_, value []byte) error {
		u, err := weburl.Parse(string(value))
		if err == nil {
			g.scope.addSeed(u)
			g.added++
		}
		return err
	})
	if err != nil {
		return damaged(keyAdded, err)
	}
	return nil
}

func (g *Gate) restoreHosts(s State) error {
	return s.Hosts(func(host string, state []byte) error {
		if err := g.queue.Restore(host, state, s.Now); err != nil {
			return err
		}
		if g.queue.HostClosed(host) {
			g.closed = append(g.closed, host)
		}
		return nil
	})
}

func (g *Gate) restoreRefusals(s State) error {
	a := &g.admitter
	if err := readJSON(s.Records, keyBacklog, &a.refusals.backlog); err != nil {
		return err
	}
	err := s.Records.Scan(recordKey(keyReported), func(_, events []byte) error { return a.reported.replay(events) })
	if err != nil {
		return damaged(keyReported, err)
	}
	var n next
	if err := readJSON(s.Records, keyNext, &n); err != nil {
		return err
	}
	a.deferred.nextID = n.Deferral
	err = s.Records.Scan(recordKey(keyDeferred), func(key, value []byte) error {
		d, err := readDeferral(key, value)
		if err == nil {
			a.deferred.put(d)
		}
		return err
	})
	if err != nil {
		return damaged(keyDeferred, err)
	}
	return nil
}

func (g *Gate) restoreDepths(s State) error {
	if g.depths == nil {
		return nil
	}
	err := s.Records.Scan(recordKey(keyDepths), func(_, events []byte) error { return g.depths.Replay(events) })
	if err != nil {
		return damaged(keyDepths, err)
	}
	return nil
}
