// Package crawl is the engine: it visits every page that can be reached from a few
// seeds, once.
//
// Three kinds of goroutine stand in a ring and own everything between them:
//
//	seeds ──► COORDINATOR ──tasks──► WORKERS ──visits──► RECORDER ──┐
//	              ▲  one, owns          n, each owns        one,    │
//	              │  frontier           the page in         owns    │
//	              │  and filter         its hand            sinks   │
//	              └───────────────────── done ◄─────────────────────┘
//
// A Visit travels round the ring: it leaves the coordinator as a task, is filled by
// a worker (robots.txt, fetch, parse), is recorded, and comes home with all the
// links of its page in one message. There are no locks between the three. Only the
// coordinator both sends and receives, in a single select, so the ring cannot
// deadlock; and since a page comes home only after it was recorded, "done" implies
// "recorded".
//
// What the crawl does with a link is decided in one place, the coordinator's offer:
// scope, nofollow, depth, host budget, and last of all Seen, so that a refused URL
// is never remembered as seen. Under a depth limit frontier.Depths keeps the least
// depth of every URL exact, in whatever order pages arrive. A redirect is a new URL
// at the same depth that passes the same gate and waits its turn on its own host.
//
// The crawl ends exactly when nothing is queued and nothing is in a worker's hand;
// there is no idle timer. Cancelling the context of Run ends it gracefully: no new
// tasks, pages in flight have Grace to finish, and what was not fetched is counted
// as left.
package crawl

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"crawler/fetch"
	"crawler/frontier"
	"crawler/parse"
	"crawler/weburl"
)

// Config says what to crawl and how. Seeds and Seen are required; every other zero
// value is a polite default.
type Config struct {
	Seeds    []string // absolute http or https URLs, the entry points at depth 0
	Seen     Seen     // remembers which URLs were admitted; dedup.Restarting is made for it
	Recorder Recorder // gets every page and every refusal; nil keeps only the Result's counts
	Scope    Scope    // which links are followed; the zero value stays on the seeds' hosts

	MaxDepth     int           // most links from a seed; 0 means no limit, SeedsOnly the seeds alone
	MaxPages     int           // most pages fetched, never overshot; 0 means no limit
	MaxBytes     int64         // stop once this many body bytes were fetched; 0 means no limit
	TimeLimit    time.Duration // stop after this long; 0 means no limit
	Grace        time.Duration // what pages in flight get to finish on a stop; 0 means 5 s, below 0 nothing
	Workers      int           // pages fetched at the same time, at most; 0 means 64
	IgnoreRobots bool          // fetch what robots.txt forbids and follow nofollow: for one's own site
	Sitemaps     bool          // enter by the sitemaps that robots.txt names, too

	Frontier frontier.Config // politeness, retries, budgets per host
	Fetch    fetch.Config    // connections, limits, user agent
	Robots   fetch.RobotsConfig
	Parse    parse.Options

	Progress      func(Progress) // called by the coordinator every ProgressEvery: it must be quick
	ProgressEvery time.Duration  // 0 means 1 s
}

// SeedsOnly is the MaxDepth that follows no link.
const SeedsOnly = -1

// Seen remembers the URLs a crawl has admitted. It is called by one goroutine.
type Seen interface {
	// Has reports whether u was admitted before.
	Has(u weburl.URL) bool
	// Admit reports whether u is new, and remembers it from then on.
	Admit(u weburl.URL) bool
}

// Recorder keeps what the crawl finds. Its methods are called by one goroutine, the
// recorder; an error ends the crawl.
type Recorder interface {
	// Page takes a page that was fetched. The Visit is reused after the call returns.
	Page(v *Visit) error
	// Skip takes a URL that will not be fetched.
	Skip(s Skip) error
	// Flush is called when nothing waits to be recorded, and at the end.
	Flush() error
}

func (c *Config) setDefaults() {
	if c.Workers == 0 {
		c.Workers = 64
	}
	if c.Grace == 0 {
		c.Grace = 5 * time.Second
	}
	if c.ProgressEvery <= 0 {
		c.ProgressEvery = time.Second
	}
	if c.Recorder == nil {
		c.Recorder = nowhere{}
	}
}

// validate names the first thing that is wrong and what to do about it.
func (c *Config) validate() ([]weburl.URL, error) {
	switch {
	case len(c.Seeds) == 0:
		return nil, errors.New("crawl: no seeds: give at least one http or https URL")
	case c.Seen == nil:
		return nil, errors.New("crawl: Config.Seen is nil: use dedup.NewRestarting")
	case c.Workers < 0 || c.MaxPages < 0 || c.MaxBytes < 0 || c.MaxDepth < SeedsOnly:
		return nil, errors.New("crawl: Workers, MaxPages and MaxBytes must not be negative, nor MaxDepth below SeedsOnly")
	}
	seeds := make([]weburl.URL, 0, len(c.Seeds))
	for _, s := range c.Seeds {
		u, err := c.Parse.URL.Parse(s)
		if err != nil {
			return nil, fmt.Errorf("crawl: seed %q: %w", s, err)
		}
		seeds = append(seeds, u)
	}
	return seeds, nil
}

// Run crawls until nothing is left, a limit is reached, or ctx is cancelled, and
// returns when all its goroutines have ended. The error is one of configuration
// (nothing was fetched) or the Recorder's (the Result tells how far it came);
// everything that went wrong with pages is in the Result.
func Run(ctx context.Context, cfg Config) (Result, error) {
	cfg.setDefaults()
	seeds, err := cfg.validate()
	if err != nil {
		return Result{}, err
	}
	client, err := fetch.New(cfg.Fetch)
	if err != nil {
		return Result{}, fmt.Errorf("crawl: %w", err)
	}
	defer client.Close()
	return newRing(cfg, client).run(ctx, seeds)
}

// ring is the three parts and the channels between them.
type ring struct {
	cfg    Config
	client *fetch.Client
	robots *fetch.Robots // nil when nothing of robots.txt matters

	tasks  chan *Visit // coordinator -> workers, handed over one by one
	visits chan *Visit // workers -> recorder
	done   chan *Visit // recorder -> coordinator
	skips  chan []Skip // coordinator -> recorder
	failed chan error  // recorder -> coordinator: the Recorder's first error, sent once

	recordErr error // the same, to be read after the recorder has ended
}

func newRing(cfg Config, client *fetch.Client) *ring {
	r := &ring{
		cfg:    cfg,
		client: client,
		tasks:  make(chan *Visit),
		visits: make(chan *Visit, cfg.Workers),
		done:   make(chan *Visit, cfg.Workers),
		skips:  make(chan []Skip),
		failed: make(chan error, 1),
	}
	if !cfg.IgnoreRobots || cfg.Sitemaps {
		if !cfg.IgnoreRobots {
			cfg.Robots.ErrorTTL = -1 // the frontier decides when a host that failed is asked again
		}
		r.robots = fetch.NewRobots(client, cfg.Robots)
	}
	return r
}

// run starts workers and recorder, coordinates in this goroutine, and takes the
// ring down in the order of the flow.
func (r *ring) run(ctx context.Context, seeds []weburl.URL) (Result, error) {
	// Pages in flight outlive ctx by the grace period.
	inflight, abort := context.WithCancel(context.WithoutCancel(ctx))
	defer abort()
	var workers, recorder sync.WaitGroup
	for range r.cfg.Workers {
		workers.Go(func() { newWorker(r).run(inflight) })
	}
	recorder.Go(r.record)

	c := newCoordinator(r)
	c.run(ctx, abort, seeds)

	close(r.tasks)
	workers.Wait()
	close(r.visits)
	if last := c.leave(); len(last) > 0 {
		r.skips <- last
	}
	close(r.skips)
	recorder.Wait()
	return c.finish(), r.recordErr
}
