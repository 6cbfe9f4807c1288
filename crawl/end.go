package crawl

import (
	"errors"
	"time"

	"crawler/frontier"
)

// timeLimit is a channel that speaks when the crawl's time is up, nil without one.
func (c *coordinator) timeLimit() <-chan time.Time {
	if c.cfg.TimeLimit <= 0 {
		return nil
	}
	return time.After(c.cfg.TimeLimit)
}

// finish tells what is known only at the end, and takes recorder and Store to their
// last commit. Workers and keeper have ended.
func (c *coordinator) finish(recorderEnds func()) (Result, error) {
	resumable := c.ring.durable() && !c.complete()
	if !resumable {
		c.tellRest()
	}
	if len(c.skipped) > 0 {
		c.ring.orders <- order{skips: c.skipped}
		c.skipped = nil
	}
	close(c.ring.orders)
	recorderEnds()
	if c.graceful != nil {
		c.graceful.Stop()
	}
	c.endedBy()
	err := errors.Join(c.ring.recordErr, c.failed)
	if err == nil && c.ring.durable() {
		err = c.lastCommit()
	}
	if err == nil && resumable {
		err = c.tellProvisionally()
	}
	if err == nil {
		err = c.ring.cfg.Recorder.Flush()
	}
	if c.keeper.sieve != nil {
		err = errors.Join(err, c.keeper.sieve.Close())
	}
	r := c.present()
	r.Dedup = c.seen.Stats()
	c.traps.count(r.Traps)
	return r, err
}

// complete reports whether nothing is left to be done. A limit that was met by the
// last page ended nothing.
func (c *coordinator) complete() bool {
	by := c.result.EndedBy
	return (by == "" || by.Limit()) && c.frontier.Idle() && c.doubts.len() == 0
}

// endedBy settles what ended the crawl.
func (c *coordinator) endedBy() {
	switch {
	case c.ring.recordErr != nil:
		c.result.EndedBy = ByRecordError
	case c.failed != nil:
		c.result.EndedBy = ByStoreError
	case c.complete():
		c.result.EndedBy = Done
	}
}

// lastCommit is the one after everything.
func (c *coordinator) lastCommit() error {
	b := c.cfg.Store.DB().NewBatch()
	if err := c.ring.cutRecorder(b); err != nil {
		c.result.EndedBy = ByRecordError
		return err
	}
	err := c.addState(b, true)
	if err == nil {
		err = c.keeper.commit(b)
	}
	if err != nil {
		c.result.EndedBy = ByStoreError
	}
	return err
}

// tellRest tells of the URLs that stayed beyond the depth limit and of those whose
// refusal might have passed.
func (c *coordinator) tellRest() {
	c.leaving = true
	if c.depths != nil {
		c.depths.TooDeep(func(it frontier.Item) { c.refuse(it, TooDeep) })
	}
	for _, h := range c.held {
		c.ask(question{Item: h.Item, reason: h.reason})
	}
	for _, list := range c.waiting {
		for _, h := range list {
			c.ask(question{Item: h.Item, reason: h.reason})
		}
	}
	for _, h := range c.traps.all() {
		c.skip(h.skip())
	}
	for c.failed == nil && len(c.doubts.waiting) > 0 {
		j := c.check()
		if err := j.do(); err != nil {
			c.failed = err
			return
		}
		j.then()
	}
}

// tellProvisionally tells, behind the last commit, what a crawl that was stopped would
// tell if it did not go on. When it does go on, these lines are cut again.
func (c *coordinator) tellProvisionally() error {
	c.doubts = doubts{} // they are committed, and not for this run to decide
	c.tellRest()
	for _, s := range c.skipped {
		if err := c.cfg.Recorder.Skip(s); err != nil {
			return err
		}
	}
	return c.failed
}

// report shows the present state to the one who asked for it.
func (c *coordinator) report() {
	if c.cfg.Progress == nil {
		return
	}
	p := Progress{
		Elapsed: time.Since(c.began), Admitted: c.result.Admitted, Fetched: c.result.Fetched, Bytes: c.result.Bytes,
		Queued: c.frontier.Queued(), Leased: c.frontier.Leased(), Hosts: c.frontier.Hosts(),
		MaxPages: c.cfg.MaxPages, TimeLimit: c.cfg.TimeLimit, Stopping: c.stopping,
	}
	for _, n := range c.result.Errors {
		p.Failed += n
	}
	for _, n := range c.result.Skipped {
		p.Skipped += n
	}
	p.Busiest = c.frontier.Busiest(busiestShown)
	c.cfg.Progress(p)
}

const busiestShown = 3
