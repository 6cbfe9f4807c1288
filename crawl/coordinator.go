package crawl

import (
	"context"
	"time"

	"crawler/fetch"
	"crawler/frontier"
	"crawler/weburl"
)

// MaxRedirects is the longest chain of redirects that is followed.
const MaxRedirects = 10

// localPause is how long nothing is asked after this machine has run out of file
// descriptors, ports or memory.
const localPause = time.Second

// coordinator decides everything and does nothing else: which URL is fetched next,
// and what becomes of each link. It alone owns the frontier, the depths and Seen.
type coordinator struct {
	ring     *ring
	cfg      *Config
	frontier *frontier.Frontier
	depths   *frontier.Depths // nil without a depth limit
	scope    *scope
	told     told
	held     []held                     // refused so far, but perhaps not for good
	waiting  map[string][]frontier.Item // by host: refused for its budget so far
	holding  int                        // URLs in held and waiting
	rules    map[string]*fetch.Rules    // by origin, for a page that waits its turn since robots.txt was read
	skipped  []Skip                     // not yet sent to the recorder
	pending  *Visit                     // leased, waiting for a free worker
	free     []*Visit                   // to be used again
	result   Result
	stopping bool
	abort    context.CancelFunc // cuts off the pages in flight
	graceful *time.Timer        // from stop to abort
}

func newCoordinator(r *ring) *coordinator {
	c := &coordinator{ring: r, cfg: &r.cfg, frontier: frontier.New(r.cfg.Frontier), rules: map[string]*fetch.Rules{}, waiting: map[string][]frontier.Item{}}
	if r.cfg.MaxDepth != 0 {
		c.depths = frontier.NewDepths(max(0, r.cfg.MaxDepth))
	}
	c.result = Result{Started: time.Now(), Skipped: map[Reason]int{}, Errors: map[Reason]int{}}
	return c
}

// run is the coordinator's one loop: everything it sends and receives is in this
// select, with nil channels for what is not possible now.
func (c *coordinator) run(ctx context.Context, abort context.CancelFunc, seeds []weburl.URL) {
	c.abort = abort
	c.enter(seeds)
	stopped, limit := ctx.Done(), c.timeLimit()
	progress := time.NewTicker(c.cfg.ProgressEvery)
	defer progress.Stop()
	wake := time.NewTimer(0)
	defer wake.Stop()
	for !c.over() {
		if ctx.Err() != nil { // a select may choose anything that is possible
			c.stop(ByInterrupt)
		}
		tasks, skips := c.ring.tasks, c.ring.skips
		next := c.next()
		if next == nil {
			tasks = nil
			c.setAlarm(wake)
		}
		if len(c.skipped) == 0 {
			skips = nil
		}
		select {
		case tasks <- next:
			c.handedOver()
		case v := <-c.ring.done:
			c.settle(v)
		case skips <- c.skipped:
			c.skipped = nil
		case <-wake.C:
		case <-progress.C:
			c.report()
		case <-stopped:
			stopped = nil
			c.stop(ByInterrupt)
		case <-limit:
			c.stop(ByTimeLimit)
		case <-c.ring.failed:
			c.stop(ByRecordError)
		}
	}
}

// over reports that there is nothing more to wait for.
func (c *coordinator) over() bool {
	return c.frontier.Idle() || c.stopping && c.frontier.Leased() == 0
}

// next returns the visit to hand to the next free worker, nil if no host may be
// asked now. Pages in flight count towards MaxPages, so it is never overshot.
func (c *coordinator) next() *Visit {
	now := time.Now()
	if c.pending != nil && !c.frontier.Ready(c.pending.Item, now) {
		c.takeBack() // the host has asked for patience since
	}
	if c.pending != nil || c.idling() {
		return c.pending
	}
	it, ok := c.frontier.Next(now)
	if !ok {
		return nil
	}
	if c.depths != nil {
		it.Depth = c.depths.Depth(it.URL)
	}
	c.pending = c.visit(it)
	if r, ok := c.rules[it.URL.Origin()]; ok {
		c.pending.Rules = r
		delete(c.rules, it.URL.Origin())
	}
	return c.pending
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
	return c.stopping || c.cfg.MaxPages > 0 && c.result.Fetched+c.frontier.Leased() >= c.cfg.MaxPages
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
	if at, ok := c.frontier.Wake(); ok && !c.idling() {
		t.Reset(time.Until(at))
	}
}

// settle ends the lease of a visit that came home and takes in what it brought.
func (c *coordinator) settle(v *Visit) {
	if v.AskedRobots {
		c.result.Robots++
	}
	if v.Reason == failure(fetch.ReasonLocal) {
		c.frontier.Pause(time.Now().Add(localPause))
	}
	switch {
	case v.refused != nil:
		c.stop(ByRecordError)
		c.putBack(v)
	case v.End == Aborted:
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

// done gives the lease back and drains the host if that closed it.
func (c *coordinator) done(v *Visit) frontier.Settled {
	s := c.frontier.Done(v.Item, time.Now(), v.Outcome)
	if s.Again {
		c.result.Retried++
	}
	if s.Closed {
		c.drain(v.URL)
	}
	return s
}

// putBack returns a visit's URL to the queue as if it had never been leased.
func (c *coordinator) putBack(v *Visit) {
	if v.Rules != nil && !v.AskedRobots {
		c.rules[v.URL.Origin()] = v.Rules // not used yet
	}
	if c.frontier.Return(v.Item, v.Outcome.Started) {
		c.drain(v.URL)
	}
}

// drain tells of every URL queued on a host that was closed.
func (c *coordinator) drain(u weburl.URL) {
	delete(c.rules, u.Origin())
	c.frontier.Drain(u.Host(), func(it frontier.Item) {
		c.skip(Skip{URL: it.URL.String(), Reason: HostClosed, Via: it.Via})
	})
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
	v := &Visit{}
	if n := len(c.free); n > 0 {
		v = c.free[n-1]
		c.free = c.free[:n-1]
	}
	v.reset(it)
	return v
}
