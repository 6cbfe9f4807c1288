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
// With a durable Store a fourth goroutine, the keeper, does for the coordinator what
// has to wait for the disk: commits, and questions to the exact log. A commit is one
// atomic step from one state of the whole crawl to a later one. It begins with a cut:
// the recorder sends its part home in the same channel as the pages, so that the
// coordinator, when it meets the cut, has settled exactly the pages before it, and
// adds its own part. A crash therefore takes the crawl back to the last commit, and
// what was recorded after it is cut off and done again.
//
// What the crawl does with a link is decided in one place, the coordinator's offer:
// scope, nofollow, depth, host budget, and last of all the filter of seen URLs, so
// that a refused URL is never remembered as seen. Where the filter can only say
// "perhaps", the question waits until the exact log on disk has answered it. Under a depth limit frontier.Depths keeps the least
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

	"crawler/dedup"
	"crawler/fetch"
	"crawler/frontier"
	"crawler/parse"
	"crawler/store"
	"crawler/trap"
	"crawler/weburl"
)

// Config says what to crawl and how. Seeds are required; every other zero value is a
// polite default.
type Config struct {
	Seeds    []string     // absolute http or https URLs, the entry points at depth 0
	Recorder Recorder     // gets every page and every refusal; nil keeps only the Result's counts
	Scope    Scope        // which links are followed; the zero value stays on the seeds' hosts
	Dedup    dedup.Config // the filter of seen URLs; draw its Seed

	// Store is where the crawl survives: nil, or one that is not Durable, keeps
	// everything in memory. If it was Resumed, Run goes on from its last commit and
	// Seeds are those of the first run.
	Store     *store.Dir
	Tail      int            // admitted URLs in memory before they move to Store's log; 0 means 131,072 (10 bytes each)
	MinFree   int64          // stop when Store's disk has fewer bytes free; 0 never
	Recovered func(Recovery) // told once what a resumed Store had, before the first page

	MaxDepth     int           // most links from a seed; 0 means no limit, SeedsOnly the seeds alone
	MaxPages     int           // most pages fetched, never overshot; 0 means no limit
	MaxBytes     int64         // stop once this many body bytes were fetched; 0 means no limit
	TimeLimit    time.Duration // stop after this long; 0 means no limit
	Grace        time.Duration // what pages in flight get to finish on a stop; 0 means 5 s, below 0 nothing
	Workers      int           // pages fetched at the same time, at most; 0 means 64
	IgnoreRobots bool          // fetch what robots.txt forbids and follow nofollow: for one's own site
	Sitemaps     bool          // enter by the sitemaps that robots.txt names, too

	Traps       trap.Config // what pages are refused as traps; the zero value guards against all that package trap knows
	FollowTraps bool        // refuse none

	// Pressure tells what part of the memory that may be used is in use; nil if there is
	// no limit. Above squeezeFrom fewer pages are fetched at the same time, above
	// squeezeTo one. It is asked every 50 ms.
	Pressure func() float64

	Frontier frontier.Config // politeness, retries, budgets per host
	Fetch    fetch.Config    // connections, limits, user agent; without a Guard, public addresses and the seeds alone; without a BodyLimit, 256 KiB of what is no text
	Robots   fetch.RobotsConfig
	Parse    parse.Options

	Progress      func(Progress) // called by the coordinator every ProgressEvery: it must be quick
	ProgressEvery time.Duration  // 0 means 1 s
}

// SeedsOnly is the MaxDepth that follows no link.
const SeedsOnly = -1

// Recorder keeps what the crawl finds. Its methods are called by one goroutine, the
// recorder; an error ends the crawl.
type Recorder interface {
	// Page takes a page that was fetched. The Visit is reused after the call returns.
	Page(v *Visit) error
	// Skip takes a URL that will not be fetched.
	Skip(s Skip) error
	// Flush is called at most 100 ms after a record was taken, and at the end.
	Flush() error
}

// Cutter is a Recorder whose work survives, as a crawl with a durable Store needs it.
type Cutter interface {
	Recorder
	// Cut puts into b what must be committed for everything recorded so far to
	// survive.
	Cut(b *store.Batch) error
}

func (c *Config) setDefaults() {
	if c.Workers == 0 {
		c.Workers = 64
	}
	c.Frontier.Slots = c.Workers
	if c.Grace == 0 {
		c.Grace = 5 * time.Second
	}
	if c.Tail <= 0 {
		c.Tail = 1 << 17
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
	case len(c.Seeds) == 0 && (c.Store == nil || !c.Store.Resumed()):
		return nil, errors.New("crawl: no seeds: give at least one http or https URL")
	case c.Workers < 0 || c.MaxPages < 0 || c.MaxBytes < 0 || c.MaxDepth < SeedsOnly:
		return nil, errors.New("crawl: Workers, MaxPages and MaxBytes must not be negative, nor MaxDepth below SeedsOnly")
	}
	if _, ok := c.Recorder.(Cutter); !ok && c.Store != nil && c.Store.Durable() {
		return nil, errors.New("crawl: with a durable Store, Config.Recorder must have a Cut method")
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
	if cfg.Fetch.Guard == nil {
		if cfg.Fetch.Guard, err = guard(&cfg, seeds); err != nil {
			return Result{}, err
		}
	}
	if cfg.Fetch.BodyLimit == nil {
		cfg.Fetch.BodyLimit = bodyLimit
	}
	client, err := fetch.New(cfg.Fetch)
	if err != nil {
		return Result{}, fmt.Errorf("crawl: %w", err)
	}
	defer client.Close()
	r := newRing(cfg, client)
	c, err := newCoordinator(r, seeds)
	if err != nil {
		return Result{}, err
	}
	return r.run(ctx, c)
}

// guard lets pages lead to public addresses and to the seeds, those of the crawl that is
// resumed if it is one.
func guard(cfg *Config, seeds []weburl.URL) (*fetch.Guard, error) {
	if cfg.Store == nil || !cfg.Store.Resumed() {
		return &fetch.Guard{Seeds: seeds}, nil
	}
	before, err := loadSaved(cfg.Store.DB())
	if err != nil || before == nil {
		return &fetch.Guard{Seeds: seeds}, err
	}
	seeds, err = parseSeeds(before.Result.Seeds)
	return &fetch.Guard{Seeds: seeds}, err
}

// ring is the three parts and the channels between them.
type ring struct {
	cfg    Config
	client *fetch.Client
	robots *fetch.Robots // nil when nothing of robots.txt matters

	tasks  chan *Visit // coordinator -> workers, handed over one by one
	visits chan *Visit // workers -> recorder
	done   chan home   // recorder -> coordinator
	orders chan order  // coordinator -> recorder
	failed chan error  // recorder -> coordinator: the Recorder's first error, sent once

	recordErr error // the same, to be read after the recorder has ended
}

// order is what the coordinator wants of the recorder: refusals to be recorded and,
// if cut, its part of a commit.
type order struct {
	skips []Skip
	cut   bool
}

// home is what the recorder sends to the coordinator: a visit that was recorded, or
// its part of a commit.
type home struct {
	visit *Visit
	cut   *store.Batch
}

// cutRecorder puts the recorder's part of a commit into b.
func (r *ring) cutRecorder(b *store.Batch) error { return r.cfg.Recorder.(Cutter).Cut(b) }

// durable reports whether the crawl survives its process.
func (r *ring) durable() bool { return r.cfg.Store != nil && r.cfg.Store.Durable() }

func newRing(cfg Config, client *fetch.Client) *ring {
	r := &ring{
		cfg:    cfg,
		client: client,
		tasks:  make(chan *Visit),
		visits: make(chan *Visit, cfg.Workers),
		done:   make(chan home, cfg.Workers),
		orders: make(chan order),
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

// run starts workers, recorder and keeper, coordinates in this goroutine, and takes
// the ring down in the order of the flow.
func (r *ring) run(ctx context.Context, c *coordinator) (Result, error) {
	// Pages in flight outlive ctx by the grace period.
	inflight, abort := context.WithCancel(context.WithoutCancel(ctx))
	defer abort()
	var workers, recorder, keeper sync.WaitGroup
	for range r.cfg.Workers {
		workers.Go(func() { newWorker(r).run(inflight) })
	}
	recorder.Go(r.record)
	keeper.Go(c.keeper.run)

	c.run(ctx, abort)

	close(r.tasks)
	workers.Wait()
	close(r.visits)
	close(c.keeper.jobs)
	keeper.Wait()
	return c.finish(recorder.Wait)
}
