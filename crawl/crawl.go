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
// a worker (robots.txt, fetch, parse), is recorded, and comes back with all the
// links of its page in one message. There are no locks between the three. Only the
// coordinator both sends and receives, in a single select, so the ring cannot
// deadlock; and since a page comes back only after it was recorded, "done" implies
// "recorded".
//
// The coordinator owns two rooms that do its thinking. The gate (package gate) decides what
// becomes of every URL: frontier, depths, filter, traps. The ledger (package ledger) keeps
// what must survive, with a fourth goroutine, the keeper, that waits for the disk in the
// coordinator's place. What is left here is who works when, the limits, and the end.
//
// The crawl ends exactly when nothing is queued and nothing is in a worker's hand;
// there is no idle timer. Cancelling the context of Run ends it gracefully: no new
// tasks, pages in flight have Grace to finish, and what was not fetched is counted
// as left. A Recorder or hook that has what it wants returns ErrStop.
//
// # In a program of one's own
//
// A Recorder gets every page, one after the other. Config.OnPage sees pages in the workers,
// many at a time; Config.Follow says which links are followed; fetch.Config.Prepare sees
// every request before it is sent; Config.Fetcher replaces the client. Bodies and headers
// travel to the Recorder if it asks for them: see Config.KeepResponse and ExchangeRecorder.
// URLs can be added while the crawl runs: see Inbox.
package crawl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"crawler/fetch"
	"crawler/frontier"
	"crawler/gate"
	"crawler/internal/room"
	"crawler/ledger"
	"crawler/parse"
	"crawler/weburl"
)

// Config says what to crawl and how. Seeds are required; every other zero value is a
// polite default.
type Config struct {
	Seeds    []string    // the entry points at depth 0, as ParseSeed reads them
	Inbox    *Inbox      // adds seeds to the running crawl, which ends after its Close; nil: none
	Recorder Recorder    // gets all pages, redirects and refusals; nil: only the Result's counts
	Gate     gate.Config // which URLs are followed, which first: scope, depth, politeness, traps

	// Shard makes this crawl one of several that crawl one web together; nil: it crawls alone. It
	// needs a durable Store and is breadth-first. Limits are those of the whole crawl, so MaxPages,
	// MaxBytes and TimeLimit are for Shard.Grant and Shard.Over to keep. Seeds are those of all
	// shards, each of which enters its own.
	Shard Shard

	// Store is where the crawl survives: nil, or one that is not Durable, keeps
	// everything in memory. If it was Resumed, Run continues from its last commit and
	// Seeds are those of the first run.
	Store ledger.Store
	// Tail is how many admitted URLs, 10 bytes each, stay in memory before they move to
	// Store's log; 0 means 131,072.
	Tail      int
	MinFree   int64          // stop when Store's disk has fewer bytes free; 0 never
	Recovered func(Recovery) // called once with what a resumed Store had, before the first page

	MaxPages  int           // most pages fetched, sitemaps apart, never overshot; 0 means no limit
	MaxBytes  int64         // stop once this many body bytes were fetched; 0 means no limit
	TimeLimit time.Duration // stop after this long; 0 means no limit
	Grace     time.Duration // for pages in flight to finish on a stop; 0 means 5 s, below 0 none
	Workers   int           // most pages fetched at the same time; 0 means 64. See PageMemory
	Sitemaps  bool          // enter by the sitemaps that robots.txt names, too

	// Pressure returns the memory in use as a fraction of the limit; nil if there is no
	// limit. Above memoryTight fewer pages are fetched at the same time, above memoryFull
	// one. It is called every 50 ms.
	Pressure func() float64

	// PageMemory is how many bytes the bodies, words and links of pages under way may take
	// together, beyond 256 KiB each; one page may take more. Those that need more wait.
	// Their workers do not: up to Workers more pages are fetched meanwhile. 0 means 128 MiB, below
	// 0 no limit.
	PageMemory int64

	// Fetch sets connections, limits and user agent. Without a Guard, only public addresses
	// and the seeds' are reached; without a BodyLimit, 256 KiB of a body that is no text are
	// read.
	Fetch   fetch.Config
	Fetcher Fetcher            // fetches in place of a client made from Fetch; nil for that
	Robots  fetch.RobotsConfig // without a Delay, that of Gate.Frontier
	Parse   parse.Options

	// Follow, if not nil, is called for every link of a page, by the worker that has read
	// it, in several workers at once: false refuses the link as excluded. For a redirect it
	// is called with the target, as a link of parse.Canonical's kind.
	Follow func(page *Visit, link *parse.Link) bool

	// OnPage, if not nil, sees every page that was fetched, with its Response, in the worker
	// that has read it, in several workers at once, before the Recorder. It must not keep
	// the Visit. An error ends the crawl, and the page does not count as fetched; ErrStop
	// ends it without an error.
	OnPage func(page *Visit) error

	// KeepResponse keeps the Response in each page's Visit until the Recorder has had it.
	// An ExchangeRecorder always gets them. It takes the memory of BodyBudget.
	KeepResponse bool
	BodyBudget   int64 // bytes of bodies that wait for the Recorder, or one larger; 0 means 64 MiB

	Progress      func(Progress) // called by the coordinator every ProgressEvery: it must be quick
	ProgressEvery time.Duration  // 0 means 1 s
}

// Fetcher fetches one page and follows no redirect; *fetch.Client does. Its errors should be
// of type *fetch.Error: any other counts as a failure that another attempt would not mend.
// Several goroutines call it at once.
type Fetcher interface {
	Get(ctx context.Context, u weburl.URL) (*fetch.Response, error)
}

// Locator is a Fetcher that knows where a host is, as *fetch.Client does: which hosts share an IP
// address (frontier.Config.PerIP) can be known of such a one only. False means that it does not
// know, or not now.
type Locator interface {
	Fetcher
	Locate(ctx context.Context, u weburl.URL) (netip.Addr, bool)
}

// Recorder keeps what the crawl finds. Its methods are called by one goroutine, the
// recorder; an error ends the crawl, ErrStop ends it without one.
type Recorder interface {
	// Page takes a page that was fetched. The Visit is reused after the call returns.
	Page(v *Visit) error
	// Redirect takes a URL that redirects: one hop, whatever becomes of its target. The same
	// holds for the Visit.
	Redirect(v *Visit) error
	// Skip takes a URL that will not be fetched.
	Skip(s gate.Skip) error
	// Flush is called at most 100 ms after a record was taken, and at the end.
	Flush() error
}

// Preparer is a Recorder that does what of a page's record depends on that page alone beforehand,
// in the worker that has read it: there are as many of these as cores can use, and one recorder.
type Preparer interface {
	Recorder
	// Prepare gets the visits that Page will get, before, but for large pages, which all workers at
	// once would have no memory for. It is called by several goroutines at once, and beside the
	// Recorder's other methods. What it makes it keeps in v.Prepared.
	Prepare(v *Visit)
}

// RobotsRecorder is a Recorder that also wants to know what robots.txt files were like.
type RobotsRecorder interface {
	Recorder
	// Robots takes a visit that has read its host's robots.txt, of which Rules are. The
	// Visit is reused after the call returns.
	Robots(v *Visit)
}

// ErrStop is returned by a Recorder or hook that has what it wants: the crawl ends as
// "stopped", which is no error. Pages in flight at that moment are still recorded.
var ErrStop = errors.New("the crawl must stop")

// Cutter is a Recorder whose work survives, as a crawl with a durable Store needs it.
type Cutter interface {
	Recorder
	// Cut adds to b the records that must be committed so that everything recorded so far
	// survives.
	Cut(b Batch) error
}

// Batch gathers the records of a commit.
type Batch = ledger.Batch

// leastSitemaps are read however few pages may be.
const leastSitemaps = 10

func (c *Config) setDefaults() {
	if c.Workers == 0 {
		c.Workers = 64
	}
	c.Gate.Frontier.Slots = c.Workers
	if c.MaxPages > 0 && c.Gate.MaxSitemaps == 0 {
		c.Gate.MaxSitemaps = min(max(c.MaxPages, leastSitemaps), gate.DefaultMaxSitemaps)
	}
	if c.Gate.Frontier.Patience == 0 {
		c.Gate.Frontier.Patience = frontier.DefaultPatience
	}
	if c.Grace == 0 {
		c.Grace = 5 * time.Second
	}
	if c.Tail <= 0 {
		c.Tail = 1 << 17
	}
	if c.BodyBudget <= 0 {
		c.BodyBudget = 64 << 20
	}
	if c.PageMemory == 0 {
		c.PageMemory = 128 << 20
	}
	if c.ProgressEvery <= 0 {
		c.ProgressEvery = time.Second
	}
	c.Gate.MoreSeeds = c.Inbox != nil
	c.Gate.Mine = nil
	if c.Shard != nil {
		c.Gate.Mine = c.Shard.Mine
	}
	if c.Recorder == nil {
		c.Recorder = nowhere{}
	}
}

// validate returns an error about the first wrong setting, with what to do about it.
func (c *Config) validate() (seeds []weburl.URL, bare map[string]bool, err error) {
	switch {
	case len(c.Seeds) == 0 && c.Inbox == nil && (c.Store == nil || !c.Store.Resumed()):
		return nil, nil, errors.New("crawl: no seeds: give at least one http or https URL, or an Inbox")
	case c.Workers < 0 || c.MaxPages < 0 || c.MaxBytes < 0 || c.Gate.MaxDepth < gate.SeedsOnly:
		return nil, nil, errors.New("crawl: Workers, MaxPages and MaxBytes must not be negative, nor Gate.MaxDepth below SeedsOnly")
	}
	if _, ok := c.Recorder.(Cutter); !ok && c.Store != nil && c.Store.Durable() {
		return nil, nil, errors.New("crawl: with a durable Store, Config.Recorder must have a Cut method")
	}
	if err := c.validateShard(); err != nil {
		return nil, nil, err
	}
	seeds, bare = make([]weburl.URL, 0, len(c.Seeds)), map[string]bool{}
	given := make(map[weburl.URL]bool, len(c.Seeds))
	for _, s := range c.Seeds {
		u, isBare, err := ParseSeed(c.Parse.URL, s)
		if err != nil {
			return nil, nil, fmt.Errorf("crawl: seed %q: %w", s, err)
		}
		if isBare {
			bare[u.String()] = true
		}
		if !given[u] {
			given[u] = true
			seeds = append(seeds, u)
		}
	}
	return seeds, bare, nil
}

// Run crawls until nothing is left, a limit is reached, or ctx is cancelled, and
// returns when all its goroutines have ended. The error is one of configuration
// (nothing was fetched) or the Recorder's (the Result shows how far the crawl got);
// all errors of pages are in the Result.
func Run(ctx context.Context, cfg Config) (Result, error) {
	cfg.setDefaults()
	seeds, bare, err := cfg.validate()
	if err != nil {
		return Result{}, err
	}
	if cfg.Fetcher == nil {
		client, err := newClient(&cfg, seeds)
		if err != nil {
			return Result{}, err
		}
		defer client.Close()
		cfg.Fetcher = client
	}
	if _, ok := cfg.Fetcher.(Locator); !ok { // nobody could say who shares one
		cfg.Gate.Frontier.PerIP, cfg.Gate.Frontier.IPDelay = frontier.NoPerIP, 0
	}
	r := newRing(cfg)
	c, err := newCoordinator(r, seeds, bare)
	if err != nil {
		return Result{}, err
	}
	return r.run(ctx, c)
}

// Client returns a client as Run would make it of cfg, for Fetcher: several crawls in one process
// share it, with its connections, cookies and limits. It is the caller's to close.
func Client(cfg Config) (*fetch.Client, error) {
	cfg.setDefaults()
	seeds, _, err := cfg.validate()
	if err != nil {
		return nil, err
	}
	return newClient(&cfg, seeds)
}

// newClient returns the client of a crawl that has no Fetcher of its own.
func newClient(cfg *Config, seeds []weburl.URL) (client *fetch.Client, err error) {
	if cfg.Fetch.Guard == nil {
		if cfg.Fetch.Guard, err = guard(cfg, seeds); err != nil {
			return nil, err
		}
	}
	if cfg.Fetch.BodyLimit == nil {
		cfg.Fetch.BodyLimit = bodyLimit
	}
	if _, ok := cfg.Recorder.(ExchangeRecorder); ok || cfg.KeepResponse {
		cfg.Fetch.Trace = true
	}
	if client, err = fetch.New(cfg.Fetch); err != nil {
		return nil, fmt.Errorf("crawl: %w", err)
	}
	return client, nil
}

// guard allows connections to public addresses and to the seeds; of a resumed crawl, to the
// seeds it began with.
func guard(cfg *Config, seeds []weburl.URL) (*fetch.Guard, error) {
	if cfg.Store == nil || !cfg.Store.Resumed() {
		return &fetch.Guard{Seeds: seeds}, nil
	}
	last, err := loadSaved(cfg.Store)
	if err != nil || last == nil {
		return &fetch.Guard{Seeds: seeds}, err
	}
	seeds, err = gate.ReadSeeds(cfg.Store)
	return &fetch.Guard{Seeds: seeds}, err
}

// ring is the three parts and the channels between them.
type ring struct {
	cfg       Config
	robots    *fetch.Robots    // nil if robots.txt does not matter
	locator   Locator          // cfg.Fetcher, if it is one
	exchanges ExchangeRecorder // cfg.Recorder, if it is one
	preparer  Preparer         // cfg.Recorder, if it is one
	// exchangePreparer is cfg.Recorder, if it is one.
	exchangePreparer ExchangePreparer
	bodies           *semaphore.Weighted // bytes of bodies that wait for the recorder, if some do
	room             room.Room           // that the pages under way share
	readers          readers             // those that no worker has

	tasks    chan *Visit      // coordinator -> workers, handed over one by one
	visits   chan *Visit      // workers -> recorder
	done     chan recorded    // recorder -> coordinator
	commands chan recorderCmd // coordinator -> recorder
	turns    chan turn        // workers -> coordinator
	away     chan away        // workers -> coordinator
	failed   chan error       // recorder -> coordinator: the Recorder's first error, sent once
	stops    chan struct{}    // recorder, workers -> coordinator: ErrStop

	hire      func() // starts another worker; for the coordinator
	recordErr error  // what failed sent, to be read after the recorder has ended
}

// recorderCmd is a command of the coordinator to the recorder: to record refusals and, if
// cut, to send its part of a commit.
type recorderCmd struct {
	skips []gate.Skip
	cut   bool
}

// recorded is what the recorder sends to the coordinator: a visit that was recorded, or
// its part of a commit.
type recorded struct {
	visit *Visit
	cut   Batch
}

// cutRecorder puts the recorder's part of a commit into b.
func (r *ring) cutRecorder(b Batch) error { return r.cfg.Recorder.(Cutter).Cut(b) }

// durable reports whether the crawl survives its process.
func (r *ring) durable() bool { return r.cfg.Store != nil && r.cfg.Store.Durable() }

func newRing(cfg Config) *ring {
	r := &ring{
		cfg:      cfg,
		tasks:    make(chan *Visit),
		visits:   make(chan *Visit, cfg.Workers),
		done:     make(chan recorded, cfg.Workers),
		commands: make(chan recorderCmd),
		turns:    make(chan turn),
		away:     make(chan away),
		failed:   make(chan error, 1),
		stops:    make(chan struct{}, 1),
	}
	r.readers = newReaders(&r.cfg)
	r.room.Most = cfg.PageMemory
	r.exchanges, _ = cfg.Recorder.(ExchangeRecorder)
	r.preparer, _ = cfg.Recorder.(Preparer)
	r.exchangePreparer, _ = cfg.Recorder.(ExchangePreparer)
	r.locator, _ = cfg.Fetcher.(Locator)
	if r.exchanges != nil || cfg.KeepResponse {
		r.bodies = semaphore.NewWeighted(cfg.BodyBudget)
	}
	if !cfg.Gate.IgnoreRobots || cfg.Sitemaps {
		if !cfg.Gate.IgnoreRobots {
			cfg.Robots.ErrorTTL = -1 // the frontier decides when to retry a host that failed
		}
		cfg.Robots.Delay = cmp.Or(cfg.Robots.Delay, max(cmp.Or(cfg.Gate.Frontier.Delay, frontier.DefaultDelay), 0))
		cfg.Robots.Turn = r.turn
		r.robots = fetch.NewRobots(cfg.Fetcher, cfg.Robots)
	}
	return r
}

// run starts workers, recorder and keeper, coordinates in this goroutine, and takes
// the ring down in the direction of the flow.
func (r *ring) run(ctx context.Context, c *coordinator) (Result, error) {
	// Pages in flight outlive ctx by the grace period.
	inflight, abort := context.WithCancel(context.WithoutCancel(ctx))
	defer abort()
	var workers, recorder, keeper, publisher sync.WaitGroup
	r.hire = func() { workers.Go(func() { newWorker(r).run(inflight) }) }
	for range r.cfg.Workers {
		r.hire()
	}
	recorder.Go(r.record)
	keeper.Go(c.ledger.Run)
	if r.cfg.Shard != nil {
		publisher.Go(func() { c.shard.run(inflight) })
	}

	c.run(ctx, abort)

	close(c.shard.outbox.jobs)
	close(r.tasks)
	workers.Wait()
	close(r.visits)
	c.ledger.Stop()
	keeper.Wait()
	publisher.Wait()
	return c.finish(ctx, recorder.Wait)
}
