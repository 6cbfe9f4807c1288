package crawl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"crawler/dedup"
	"crawler/fetch"
	"crawler/frontier"
	"crawler/weburl"
)

// MaxRedirects is the longest chain of redirects that is followed.
const MaxRedirects = 10

// localPause is how long nothing is asked after this machine has run out of file
// descriptors, ports or memory. Pages that fail of it keep their tries until no page has
// come for localPatience.
const (
	localPause    = time.Second
	localPatience = time.Minute
)

// coordinator decides everything and does nothing else: which URL is fetched next,
// and what becomes of each link. It alone owns the frontier, the depths and the filter
// of seen URLs.
type coordinator struct {
	ring     *ring
	cfg      *Config
	frontier *frontier.Frontier
	depths   *frontier.Depths // nil without a depth limit
	seen     *dedup.Restarting
	scope    *scope
	told     told
	doubts   doubts
	held     []held            // refused so far, but perhaps not for good
	waiting  map[string][]held // by host: refused for its budget so far
	holding  int               // URLs in held and waiting
	leaving  bool              // nothing passes any more
	traps    traps
	rules    map[string]permission // by origin, for a page that waits its turn since robots.txt was read
	draining []string              // hosts that were closed, with URLs queued
	skipped  []Skip                // not yet sent to the recorder
	pending  *Visit                // leased, waiting for a free worker
	free     []*Visit              // to be used again
	squeeze  squeeze
	starved  time.Time // since when this machine has lacked something, zero if it does not
	result   Result
	stopping bool
	abort    context.CancelFunc // cuts off the pages in flight
	graceful *time.Timer        // from stop to abort

	keeper  *keeper
	working bool // the keeper has a job
	durability
}

// permission is what robots.txt says of one URL. Whole rules stay in fetch.Robots, which
// bounds them together: those of a hostile file are large.
type permission struct {
	url   weburl.URL
	rules *fetch.Rules
	look  bool // see Visit
}

// newCoordinator begins a crawl, or goes on with the one in the Store.
func newCoordinator(r *ring, seeds []weburl.URL) (*coordinator, error) {
	c := &coordinator{ring: r, cfg: &r.cfg, rules: map[string]permission{}, waiting: map[string][]held{}}
	c.began = time.Now()
	c.alarm = time.NewTimer(0)
	c.alarm.Stop()
	c.traps = newTraps(&r.cfg)
	if r.cfg.MaxDepth != 0 {
		c.depths = frontier.NewDepths(max(0, r.cfg.MaxDepth))
	}
	var before *saved
	var err error
	if c.ring.durable() {
		before, err = c.openStore()
	} else {
		c.keeper = newKeeper(nil, nil)
	}
	r.cfg.Frontier.OrderSeed = r.cfg.Dedup.Seed
	c.frontier = frontier.New(r.cfg.Frontier)
	switch {
	case err != nil:
	case before != nil:
		err = c.restore(before)
	default:
		err = c.start(seeds)
	}
	if err != nil && c.keeper != nil && c.keeper.sieve != nil {
		err = errors.Join(err, c.keeper.sieve.Close())
	}
	return c, err
}

// openStore prepares for commits and returns the state that was committed last.
func (c *coordinator) openStore() (*saved, error) {
	before, err := loadSaved(c.cfg.Store.DB())
	if err != nil {
		return nil, err
	}
	c.cfg.Frontier.Disk = c.cfg.Store.Queue()
	c.told.durable = true
	if c.depths != nil {
		c.depths.KeepEvents()
	}
	sieve, err := c.cfg.Store.Sieve(cmp.Or(c.cfg.Dedup.Layers, dedup.DefaultLayers))
	c.keeper = newKeeper(c.cfg.Store, sieve)
	return before, err
}

// start begins a crawl from its seeds.
func (c *coordinator) start(seeds []weburl.URL) (err error) {
	c.result = Result{Started: c.began, Skipped: map[Reason]int{}, Errors: map[Reason]int{}, Runs: 1}
	if c.seen, err = dedup.NewRestarting(c.cfg.Dedup); err != nil {
		return fmt.Errorf("crawl: %w", err)
	}
	c.cfg.Dedup = c.seen.Config()
	c.result.Audit.Mode = c.mode()
	c.safe = !c.ring.durable()
	if c.ring.durable() {
		c.seen.KeepFresh()
		c.due = true
	}
	c.scope = newScope(c.cfg.Scope, seeds)
	c.enter(seeds)
	return nil
}

func (c *coordinator) mode() string {
	switch {
	case c.cfg.Dedup.FilterOnly:
		return "filter"
	case c.ring.durable():
		return "exact"
	}
	return "memory"
}

// run is the coordinator's one loop: everything it sends and receives is in this
// select, with nil channels for what is not possible now.
func (c *coordinator) run(ctx context.Context, abort context.CancelFunc) {
	c.abort = abort
	c.meetLimits()
	stopped, limit := ctx.Done(), c.timeLimit()
	progress := time.NewTicker(c.cfg.ProgressEvery)
	defer progress.Stop()
	wake := time.NewTimer(0)
	defer wake.Stop()
	defer c.alarm.Stop()
	for {
		if ctx.Err() != nil { // a select may choose anything that is possible
			c.stop(ByInterrupt)
		}
		c.burst()
		c.work()
		c.drain()
		if c.over() {
			return
		}
		tasks, orders, done := c.ring.tasks, c.ring.orders, c.ring.done
		next := c.next()
		if next == nil {
			tasks = nil
			c.setAlarm(wake)
		}
		o := order{skips: c.skipped, cut: c.wantsCut()}
		if len(o.skips) == 0 && !o.cut {
			orders = nil
		}
		if !c.takesHome() {
			done = nil
		}
		select {
		case tasks <- next:
			c.handedOver()
		case h := <-done:
			c.cameHome(h)
		case orders <- o:
			c.sent(o)
		case j := <-c.keeper.kept:
			c.worked(j)
		case <-wake.C:
		case <-c.alarm.C:
			c.due = true
		case <-progress.C:
			c.report()
			c.watchDisk()
		case <-stopped:
			stopped = nil
			c.stop(ByInterrupt)
		case <-limit:
			c.stop(ByTimeLimit)
		case <-c.ring.failed:
			c.recorderFailed()
		}
	}
}

// maxBurst is how many pages may go out and come home before everything else has its
// turn.
const maxBurst = 64

// burst hands out and takes in what needs no waiting: a select over all that may
// happen costs as much as the links of a page.
func (c *coordinator) burst() {
	for moved, n := true, 0; moved && n < maxBurst && len(c.skipped) < maxBacklog; n++ {
		moved = false
		if next := c.next(); next != nil {
			select {
			case c.ring.tasks <- next:
				c.handedOver()
				moved = true
			default:
			}
		}
		if c.takesHome() {
			select {
			case h := <-c.ring.done:
				c.cameHome(h)
				moved = true
			default:
			}
		}
	}
}

// takesHome reports whether there is room for what visits bring: the keeper takes
// doubts away soon.
func (c *coordinator) takesHome() bool {
	return len(c.doubts.waiting) < maxDoubts || c.failed != nil
}

// over reports that there is nothing more to wait for.
func (c *coordinator) over() bool {
	if c.working || c.stage != atRest {
		return false
	}
	if c.stopping {
		return c.frontier.Leased() == 0
	}
	return c.frontier.Idle() && c.doubts.len() == 0 && !c.reconsider()
}

// meetLimits stops a resumed crawl that a limit had ended and still ends.
func (c *coordinator) meetLimits() {
	switch r := c.result; {
	case c.cfg.MaxPages > 0 && r.Fetched >= c.cfg.MaxPages:
		c.stop(ByMaxPages)
	case c.cfg.MaxBytes > 0 && r.Bytes >= c.cfg.MaxBytes:
		c.stop(ByMaxBytes)
	}
}

// cameHome takes in what the recorder sends.
func (c *coordinator) cameHome(h home) {
	if h.cut != nil {
		c.cut(h.cut)
		return
	}
	c.settle(h.visit)
}

// next returns the visit to hand to the next free worker, nil if no host may be
// asked now. Pages in flight count towards MaxPages, so it is never overshot.
func (c *coordinator) next() *Visit {
	now := time.Now()
	c.squeeze.look(c.cfg, now)
	if c.pending != nil && !c.frontier.Ready(c.pending.Item, now) {
		c.takeBack() // the host has asked for patience since
	}
	if c.pending != nil || c.idling() {
		return c.pending
	}
	for n := 0; n < maxBurst && len(c.skipped) < maxBacklog; n++ {
		it, ok := c.frontier.Next(now)
		if !ok {
			if err := c.frontier.Err(); err != nil {
				c.storeFailed(err)
			}
			return nil
		}
		p, known := c.rules[it.URL.Origin()]
		known = known && p.url == it.URL
		refused, look := false, known && p.look
		if !look {
			if refused, look = c.trapped(it, now); refused {
				continue
			}
		}
		if c.depths != nil {
			it.Depth = c.depths.Depth(it.URL)
		}
		c.pending = c.visit(it)
		c.pending.look = look
		if known {
			c.pending.Rules = p.rules
			delete(c.rules, it.URL.Origin())
		}
		return c.pending
	}
	return nil
}

// takeBack ends the lease of the visit that waits for a worker.
func (c *coordinator) takeBack() {
	if c.pending == nil {
		return
	}
	c.putBack(c.pending)
	c.free = append(c.free, c.pending)
	c.pending = nil
}

// idling reports that no page may be leased, whatever the frontier holds.
func (c *coordinator) idling() bool {
	return c.stopping || c.unsafe.times(maxUnsafe) || !c.safe || c.squeeze.holds(c.frontier.Leased()) ||
		c.cfg.MaxPages > 0 && c.result.Fetched+c.frontier.Leased() >= c.cfg.MaxPages
}

func (c *coordinator) handedOver() {
	// A visit may have waited for a free worker since it was leased; the host's
	// clock counts from here.
	c.frontier.Start(c.pending.Item, time.Now())
	c.pending = nil
}

// setAlarm wakes the loop when the next host may be asked.
func (c *coordinator) setAlarm(t *time.Timer) {
	t.Stop()
	if at, ok := c.frontier.Wake(); ok && !c.idling() && len(c.skipped) < maxBacklog {
		t.Reset(time.Until(at))
	} else if c.squeeze.holds(c.frontier.Leased()) {
		t.Reset(squeezeEvery)
	}
}

// settle ends the lease of a visit that came home and takes in what it brought.
func (c *coordinator) settle(v *Visit) {
	if c.ring.durable() {
		c.unsafe.pages++
		c.changed()
	}
	if v.AskedRobots {
		c.result.Robots++
	}
	c.squeeze.home++
	lacks := c.lacks(v)
	switch {
	case v.refused != nil:
		c.stop(ByRecordError)
		c.putBack(v)
	case v.End == Aborted || lacks:
		c.putBack(v)
	case v.End == RobotsRead:
		c.readRobots(v)
	case v.End == Fetched:
		c.fetched(v)
		c.done(v)
	case v.End == Redirected:
		c.result.Redirects++
		c.done(v)
		c.follow(v)
	default: // Refused, Deferred, Failed
		if s := c.done(v); !s.Again {
			c.skip(c.refusal(v))
		}
	}
	if v.Outcome.NoPage { // after follow: a redirect's own target comes first
		c.spared(v.URL)
	}
	v.trim()
	c.free = append(c.free, v)
}

// lacks reports whether v failed because this machine ran out of something, for less than
// localPatience: then it has not had its try.
func (c *coordinator) lacks(v *Visit) bool {
	if v.Reason != failure(fetch.ReasonLocal) {
		if v.End != Aborted {
			c.starved = time.Time{}
		}
		return false
	}
	now := time.Now()
	if c.starved.IsZero() {
		c.starved = now
	}
	c.frontier.Pause(now.Add(localPause))
	return now.Sub(c.starved) < localPatience
}

// done gives the lease back and drains the host if that closed it.
func (c *coordinator) done(v *Visit) frontier.Settled {
	s := c.frontier.Done(v.Item, time.Now(), v.Outcome)
	if s.Again {
		c.result.Retried++
	}
	if s.Closed {
		c.closed(v.URL)
	}
	return s
}

// putBack returns a visit's URL to the queue as if it had never been leased.
func (c *coordinator) putBack(v *Visit) {
	if v.Rules != nil && !v.AskedRobots {
		c.rules[v.URL.Origin()] = permission{v.URL, v.Rules, v.look} // not used yet
	}
	if c.frontier.Return(v.Item, v.Outcome.Started) {
		c.closed(v.URL)
	}
	c.changed()
}

// closed has the queue of a host drained.
func (c *coordinator) closed(u weburl.URL) {
	delete(c.rules, u.Origin())
	c.draining = append(c.draining, u.Host())
}

// maxBacklog is how many refusals may wait for the recorder before a closed host's
// queue, which may be long, is drained further.
const maxBacklog = 1 << 10

// drain tells of URLs queued on hosts that were closed.
func (c *coordinator) drain() {
	for len(c.draining) > 0 && len(c.skipped) < maxBacklog && !c.stopping {
		n := c.frontier.Drain(c.draining[0], maxBacklog, func(it frontier.Item) {
			c.skip(Skip{URL: it.URL.String(), Reason: HostClosed, Via: it.Via})
		})
		if n == 0 {
			c.draining = c.draining[1:]
		}
	}
}

// stop begins the graceful end: no new tasks, and pages in flight have the grace
// period to finish. The first cause stands.
func (c *coordinator) stop(cause EndedBy) {
	if c.stopping {
		return
	}
	c.stopping = true
	c.result.EndedBy = cause
	c.takeBack()
	c.graceful = time.AfterFunc(max(c.cfg.Grace, 0), c.abort)
}

// visit takes a used Visit if there is one: at most three a worker are ever made.
func (c *coordinator) visit(it frontier.Item) *Visit {
	n := len(c.free)
	if n == 0 {
		return &Visit{Item: it}
	}
	v := c.free[n-1]
	c.free = c.free[:n-1]
	v.reset(it)
	return v
}
