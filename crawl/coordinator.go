package crawl

import (
	"context"
	"time"

	"crawler/gate"
	"crawler/ledger"
)

// coordinator is the ring's loop: it says who works when, keeps the limits, and knows when
// the crawl is over. It alone owns gate and ledger.
type coordinator struct {
	ring     *ring
	cfg      *Config
	gate     *gate.Gate
	ledger   *ledger.Ledger
	ready    *Visit // leased, waiting for a free worker
	free     visits
	memory   memoryLimiter
	shortage shortage
	shard    membership
	result   Result
	bare     map[string]bool // seeds that are crawled over http if https does not answer
	began    time.Time
	before   time.Duration // active time of the runs before
	stopping bool
	abort    context.CancelFunc // cuts off the pages in flight
	graceful *time.Timer        // from stop to abort
	emptied  changing           // pages when the queue was empty
}

// run is the coordinator's one loop: everything it sends and receives is in this select,
// with nil channels for what is not possible now.
func (c *coordinator) run(ctx context.Context, abort context.CancelFunc) {
	c.abort = abort
	c.meetLimits()
	stopped, limit := ctx.Done(), c.cfg.timeLimit()
	progress := time.NewTicker(c.cfg.ProgressEvery)
	defer progress.Stop()
	wake := time.NewTimer(0)
	defer wake.Stop()
	inbox, closed := c.cfg.Inbox.channels()
	defer c.cfg.Inbox.end()
	over, woken := c.shard.signals()
	for {
		if ctx.Err() != nil { // a select may choose anything that is possible
			c.stop(ByInterrupt)
		}
		c.burst()
		c.ledger.Work(c.gate.Checks())
		if !c.stopping {
			c.gate.Drain()
			c.shard.work()
		}
		if c.over(closed == nil) {
			return
		}
		now := time.Now()
		tasks, commands, done := c.ring.tasks, c.ring.commands, c.ring.done
		next := c.next(now)
		// The rest of the queue was refused: nothing on its way brings the loop back to over.
		if next == nil && closed == nil && !c.stopping && c.gate.Idle() && c.emptied.to(c.result.Pages()) {
			continue
		}
		if next == nil {
			tasks = nil
			c.setAlarm(wake)
		}
		cmd := recorderCmd{skips: c.gate.Backlog(), cut: c.ledger.WantsCut(now)}
		if len(cmd.skips) == 0 && !cmd.cut {
			commands = nil
		}
		if !c.receives() {
			done = nil
		}
		select {
		case tasks <- next:
			c.handedOver()
		case m := <-done:
			c.receive(m)
		case commands <- cmd:
			c.sent(cmd)
		case j := <-c.ledger.Done():
			c.keep(c.ledger.Take(j), ByStoreError)
		case m := <-c.shard.inbound(c.listens()):
			c.keep(c.shard.arrive(m, c.gate, c.ledger), ByShardError)
		case err := <-c.shard.outbox.done:
			c.keep(c.shard.published(err, c.ledger), ByShardError)
		case by := <-over:
			over = nil
			c.shard.end(by, c.stop)
		case <-woken:
		case t := <-c.ring.turns:
			c.answer(t)
		case a := <-c.ring.away:
			a.answer(c.gate.Queue(), c.ring.hire)
		case a := <-inbox:
			c.add(a)
		case <-closed:
			closed = nil
		case <-wake.C:
		case <-c.ledger.Alarm():
		case <-progress.C:
			c.report()
			c.watchDisk()
			c.watchNetwork(now)
		case <-stopped:
			stopped = nil
			c.stop(ByInterrupt)
		case <-limit:
			c.stop(ByTimeLimit)
		case <-c.ring.stops:
			c.stop(ByStop)
		case <-c.ring.failed:
			c.ledger.Shut()
			c.stop(ByRecordError)
		}
	}
}

// maxBurst is how many pages may be handed out and received before everything else has its
// turn.
const maxBurst = 64

// burst hands out and receives visits as long as that needs no waiting: a select over
// everything that may happen costs as much as the links of a page.
func (c *coordinator) burst() {
	for moved, n := true, 0; moved && n < maxBurst && !c.gate.Crowded(); n++ {
		moved = false
		if next := c.next(time.Now()); next != nil {
			select {
			case c.ring.tasks <- next:
				c.handedOver()
				moved = true
			default:
			}
		}
		if c.receives() {
			select {
			case m := <-c.ring.done:
				c.receive(m)
				moved = true
			default:
			}
		}
	}
}

// receives reports whether visits are received: above the limit of pending checks, pages
// wait for the keeper.
func (c *coordinator) receives() bool { return !c.gate.Saturated() || c.ledger.Closed() }

// listens reports whether messages of other shards are taken in.
func (c *coordinator) listens() bool {
	return c.shard.Shard != nil && !c.stopping && c.receives() && !c.gate.Crowded() && c.ledger.Keeps() && !c.ledger.Closed()
}

// over reports whether there is nothing more to wait for.
func (c *coordinator) over(inboxClosed bool) bool {
	if !c.ledger.Idle() {
		return false
	}
	if c.stopping {
		return c.gate.Queue().Leased() == 0
	}
	return inboxClosed && c.gate.Idle() && !c.gate.Reconsider() && c.shard.over(c.ledger, c.gate)
}

// changing is a number that is compared with what it was.
type changing int

// to reports whether the number is n now and was another.
func (c *changing) to(n int) bool {
	was := *c
	*c = changing(n)
	return was != *c
}

// meetLimits stops the crawl if a limit was reached by the last page or in an earlier run.
func (c *coordinator) meetLimits() {
	switch r := &c.result; {
	case c.cfg.MaxPages > 0 && r.Pages() >= c.cfg.MaxPages:
		c.stop(ByMaxPages)
	case c.cfg.MaxBytes > 0 && r.Bytes >= c.cfg.MaxBytes:
		c.stop(ByMaxBytes)
	}
}

// receive handles a message of the recorder.
func (c *coordinator) receive(m recorded) {
	if m.cut != nil {
		c.keep(c.ledger.Seal(m.cut), ByStoreError)
		return
	}
	c.settle(m.visit)
}

// sent notes that the recorder has its command.
func (c *coordinator) sent(cmd recorderCmd) {
	c.gate.Sent(cmd.cut)
	if cmd.cut {
		c.ledger.CutSent()
	}
}

// keep ends the crawl if what must survive could not be kept, or not be sent.
func (c *coordinator) keep(err error, cause EndedBy) {
	if err != nil {
		c.stop(cause)
	}
}

// watchDisk stops the crawl while there is room for its last commit.
func (c *coordinator) watchDisk() {
	if c.ledger.LowDisk() {
		c.stop(ByLowDisk)
	}
}

// watchNetwork stops the crawl when the network has been away for longer than it is waited
// for: what is queued may be asked for another day.
func (c *coordinator) watchNetwork(now time.Time) {
	if since, _, down := c.gate.Queue().Outage(); down && now.Sub(since) >= c.cfg.Gate.Frontier.Patience {
		c.stop(ByOutage)
	}
}

// next returns the visit to hand to the next free worker, nil if no host may be asked now.
// Pages in flight count towards MaxPages, so it is never overshot.
func (c *coordinator) next(now time.Time) *Visit {
	queue := c.gate.Queue()
	c.memory.sample(c.cfg, now, c.ring.spare)
	queue.SetSlots(c.memory.slots(c.cfg.Workers+queue.NumAway()), c.memory.limit/4)
	if c.ready != nil && !(queue.Ready(c.ready.Item, now) && c.shard.mayFetch()) {
		c.takeBack() // the host has asked for a wait since, or another has taken this run's place
	}
	if c.ready != nil || c.idling() {
		return c.ready
	}
	t, ok := c.gate.Next(now)
	if ok {
		c.ready = c.free.take(t)
	} else if err := queue.Err(); err != nil {
		c.ledger.Fail(err)
		c.stop(ByStoreError)
	}
	return c.ready
}

// takeBack ends the lease of the visit that waits for a worker.
func (c *coordinator) takeBack() {
	if c.ready == nil {
		return
	}
	c.gate.Return(&c.ready.Task, time.Time{})
	c.free.put(c.ready)
	c.ready = nil
}

// idling reports whether no page may be leased, even if some are queued.
func (c *coordinator) idling() bool {
	queue := c.gate.Queue()
	leased := queue.Leased()
	return c.stopping || !c.ledger.Keeps() || c.memory.full(leased, c.cfg.Workers+queue.NumAway()) ||
		c.cfg.MaxPages > 0 && c.result.Pages()+leased >= c.cfg.MaxPages ||
		!c.shard.allows(c.result.Pages()+leased, c.gate)
}

func (c *coordinator) handedOver() {
	// A visit may have waited for a free worker since it was leased; the host's clock
	// counts from here.
	now := time.Now()
	c.gate.Queue().Start(c.ready.Item, now)
	if c.cfg.Pressure != nil {
		c.memory.long.begin(c.ready, now)
	}
	c.ready = nil
}

// setAlarm wakes the loop when the next host may be asked.
func (c *coordinator) setAlarm(t *time.Timer) {
	t.Stop()
	queue := c.gate.Queue()
	if at, ok := queue.Wake(); ok && !c.idling() && !c.gate.Crowded() {
		t.Reset(time.Until(at))
	} else if c.memory.full(queue.Leased(), c.cfg.Workers+queue.NumAway()) {
		t.Reset(memoryEvery)
	}
}

// stop begins the graceful end: no new tasks, and pages in flight have the grace period to
// finish. The first cause is kept.
func (c *coordinator) stop(cause EndedBy) {
	if c.stopping {
		return
	}
	c.stopping = true
	c.result.EndedBy = cause
	c.takeBack()
	c.graceful = time.AfterFunc(max(c.cfg.Grace, 0), c.abort)
}

// add admits one more seed.
func (c *coordinator) add(a addition) {
	if c.stopping {
		a.reply <- ErrEnded
		return
	}
	u, err := c.cfg.Parse.URL.Parse(a.url)
	if err == nil {
		c.gate.Add(u)
	}
	a.reply <- err
}
