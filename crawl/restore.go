package crawl

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"crawler/gate"
	"crawler/ledger"
	"crawler/weburl"
)

// Recovery describes what a resumed crawl starts from.
type Recovery struct {
	Run            int // which one this is; the first is 1
	Pages          int // fetched before
	Queued, Hosts  int
	Pending        int // checks that wait for the exact log
	Log            int64
	Rebuilding     time.Duration // spent on rebuilding the filter
	Active         time.Duration // of the runs before
	LastEndedBy    EndedBy       // "" after a crash
	LastCommitTime time.Time
}

// Complete reports whether the crawl in s is complete, and its Result.
func Complete(s ledger.Store) (bool, Result, error) {
	last, err := loadSaved(s)
	if err != nil || last == nil {
		return false, Result{}, err
	}
	return last.Complete, last.Result, nil
}

// newCoordinator begins a crawl, or continues the one in the Store.
func newCoordinator(r *ring, seeds []weburl.URL, bare map[string]bool) (*coordinator, error) {
	c := &coordinator{ring: r, cfg: &r.cfg, bare: bare, began: time.Now(), shard: newMembership(r.cfg.Shard)}
	var last *saved
	var err error
	if r.durable() {
		if last, err = loadSaved(c.cfg.Store); err != nil {
			return nil, err
		}
		c.cfg.Gate.Frontier.Disk = c.cfg.Store.Queue()
	}
	keeps := ledger.Config{
		Store: c.cfg.Store, Tail: c.cfg.Tail, MinFree: c.cfg.MinFree,
		Layers: cmp.Or(c.cfg.Gate.Dedup.Layers, gate.DefaultLayers),
	}
	if r.cfg.Shard != nil {
		keeps.Every = shardEvery
	}
	if last != nil {
		keeps.Restarts = last.Result.Audit.Restarts
	}
	if c.ledger, err = ledger.Open(keeps, &state{c: c}); err != nil {
		return nil, err
	}
	if last != nil {
		err = c.restore(last)
	} else {
		err = c.start(seeds)
	}
	if err == nil {
		err = c.shard.begin(c.ledger)
	}
	if err != nil {
		return nil, errors.Join(err, c.ledger.Close())
	}
	return c, nil
}

// start begins a crawl from its seeds.
func (c *coordinator) start(seeds []weburl.URL) error {
	if err := startEmpty(c, seeds); err != nil {
		return err
	}
	c.gate.Seeds(seeds)
	return nil
}

// startEmpty begins a crawl that has not entered its seeds yet.
func startEmpty(c *coordinator, seeds []weburl.URL) (err error) {
	c.result = Result{Started: c.began, Runs: 1}
	for _, u := range seeds {
		c.result.Seeds = append(c.result.Seeds, u.String())
	}
	if c.ledger.Durable() {
		g, admits, err := gate.NewDurable(c.cfg.Gate, c.ledger)
		if err != nil {
			return err
		}
		c.gate = g
		c.ledger.Begin(admits, 0)
		return nil
	}
	c.gate, err = gate.New(c.cfg.Gate)
	return err
}

// restore puts the coordinator into the state of the last commit.
func (c *coordinator) restore(s *saved) error {
	if s.MaxDepth != c.cfg.Gate.MaxDepth {
		return fmt.Errorf("crawl: MaxDepth is %d, but the crawl began with %d, which decided what was refused: keep that", c.cfg.Gate.MaxDepth, s.MaxDepth)
	}
	now, last := time.Now(), s.Result
	c.result = last
	c.result.EndedBy = ""
	c.before = last.Active
	log, err := c.ledger.Reopen()
	if err != nil {
		return err
	}
	counts := gate.Counts{Admitted: last.Admitted, Maybe: last.Audit.Maybe, Skipped: last.Skipped, Errors: last.Errors, Seeds: last.SeedsRefused, Traps: last.Traps}
	g, admits, err := gate.Restore(c.cfg.Gate, c.ledger, gate.State{
		Records: c.cfg.Store, Hosts: c.cfg.Store.Queue().Hosts, Log: log, Counts: counts, Now: now,
	})
	if err != nil {
		return err
	}
	c.gate = g
	if !s.Complete || !g.Idle() { // else this is none of its runs: it ends at once
		c.result.Runs++
	}
	if err := c.shard.restore(c.cfg.Store); err != nil {
		return err
	}
	c.ledger.Begin(admits, s.Seq)
	if c.cfg.Recovered != nil {
		queue := c.gate.Queue()
		c.cfg.Recovered(Recovery{
			Run: c.result.Runs, Pages: last.Fetched, Queued: queue.Queued(), Hosts: queue.Hosts(), Pending: c.gate.Checks().Waiting(),
			Log: c.ledger.Logged(), Rebuilding: time.Since(now), Active: last.Active,
			LastEndedBy: last.EndedBy, LastCommitTime: last.Finished,
		})
	}
	return nil
}
