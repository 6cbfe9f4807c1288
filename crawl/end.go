package crawl

import (
	"context"
	"errors"
	"time"
)

// timeLimit returns a channel that fires when the crawl's time is up, nil without a limit.
func (c *Config) timeLimit() <-chan time.Time {
	if c.TimeLimit <= 0 {
		return nil
	}
	return time.After(c.TimeLimit)
}

// finish takes recorder and Store to their last commit, and reports what is known only at the
// end. Workers and keeper have ended.
func (c *coordinator) finish(ctx context.Context, recorderEnds func()) (Result, error) {
	if backlog := c.gate.Backlog(); len(backlog) > 0 {
		c.ring.commands <- recorderCmd{skips: backlog}
		c.gate.Sent(false)
	}
	close(c.ring.commands)
	recorderEnds()
	select {
	case <-c.ring.stops: // of the last page: nothing was left to wait for that would have seen it
		c.stop(ByStop)
	default:
	}
	var err error
	if c.ring.recordErr == nil {
		alive := ctx.Err() == nil
		switch err = c.cfg.Recorder.Flush(); {
		case errors.Is(err, ErrStop):
			c.stop(ByStop)
			err = nil
		case alive && ctx.Err() != nil: // whoever reads the records has gone
			c.stop(ByInterrupt)
		}
	}
	if c.graceful != nil {
		c.graceful.Stop()
	}
	c.endedBy()
	c.shard.lastPublished(c.ledger)
	err = errors.Join(err, c.ring.recordErr, c.ledger.Err(), c.shard.err)
	if err == nil && c.ledger.Durable() {
		err = c.lastCommit()
	}
	if err == nil {
		err = c.reportFinal()
	}
	if err == nil {
		err = c.cfg.Recorder.Flush()
	}
	if errors.Is(err, ErrStop) {
		err = nil // it has ended
	}
	err = errors.Join(err, c.ledger.Close())
	r := c.present()
	r.Dedup, r.Traps = c.gate.Account()
	return r, err
}

// endedBy decides what ended the crawl. A limit that only the last page reached did not end it,
// unless other shards have work.
func (c *coordinator) endedBy() {
	by := c.result.EndedBy
	switch {
	case c.ring.recordErr != nil:
		c.result.EndedBy = ByRecordError
	case c.ledger.Err() != nil:
		c.result.EndedBy = ByStoreError
	case (by == "" || by.Limit() && c.shard.Shard == nil) && c.gate.Idle():
		c.result.EndedBy = Done
	}
}

// lastCommit is the one after everything.
func (c *coordinator) lastCommit() error {
	b := c.cfg.Store.NewBatch()
	if err := c.ring.cutRecorder(b); err != nil {
		c.result.EndedBy = ByRecordError
		return err
	}
	if err := c.ledger.Last(b); err != nil {
		c.result.EndedBy = ByStoreError
		return err
	}
	c.shard.landed()
	return nil
}

// reportFinal writes the refusals that are final only if the crawl is never resumed. They lie
// behind the last commit, so a resume truncates them.
func (c *coordinator) reportFinal() error {
	c.gate.Finish(c.ledger.Durable())
	if err := c.ledger.CheckNow(c.gate.Checks()); err != nil {
		return err
	}
	for _, s := range c.gate.Backlog() {
		if err := c.cfg.Recorder.Skip(s); err != nil {
			return err
		}
	}
	return nil
}

// present is the Result as of now.
func (c *coordinator) present() Result {
	r := c.result
	r.Finished = time.Now()
	r.Active = c.before + r.Finished.Sub(c.began)
	queue, n := c.gate.Queue(), c.gate.Counts()
	r.Queued, r.Leased, r.Hosts = queue.Queued(), queue.Leased(), queue.Hosts()
	r.NewAt = n.NewAt
	r.Admitted, r.Skipped, r.Errors, r.SeedsRefused, r.Traps = n.Admitted, n.Skipped, n.Errors, n.Seeds, n.Traps
	r.Audit = Audit{Mode: c.gate.Mode(), Maybe: n.Maybe, Restarts: c.ledger.Restarts()}
	return r
}

// report passes the present state to Config.Progress.
func (c *coordinator) report() {
	if c.cfg.Progress == nil {
		return
	}
	queue, n := c.gate.Queue(), c.gate.Counts()
	p := Progress{
		Elapsed: time.Since(c.began), Admitted: n.Admitted, Fetched: c.result.Fetched + c.result.LinksOnly, Bytes: c.result.Bytes,
		Queued: queue.Queued(), Leased: queue.Leased(), Hosts: queue.Hosts(),
		MaxPages: c.cfg.MaxPages, TimeLimit: c.cfg.TimeLimit, Stopping: c.stopping,
		Seeds: len(c.result.Seeds), SeedsDone: min(c.result.SeedsAnswered+n.Seeds, len(c.result.Seeds)),
	}
	if p.MaxPages > 0 {
		p.MaxPages += c.result.Sitemaps
	}
	for _, k := range n.Errors {
		p.Failed += k
	}
	for _, k := range n.Skipped {
		p.Skipped += k
	}
	p.Busiest, p.Waiting = queue.Busiest(busiestShown), queue.Waiting(busiestShown)
	c.cfg.Progress(p)
}

const busiestShown = 3
