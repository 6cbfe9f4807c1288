package crawl

import (
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

// leave tells of the URLs that stayed beyond the depth limit, which is known only
// now, and returns the refusals not yet sent.
func (c *coordinator) leave() []Skip {
	if c.depths != nil {
		c.depths.TooDeep(func(it frontier.Item) { c.refuse(it, TooDeep) })
	}
	c.tellHeld()
	return c.skipped
}

func (c *coordinator) finish() Result {
	if c.graceful != nil {
		c.graceful.Stop()
	}
	r := c.result
	r.Finished = time.Now()
	r.Queued, r.Leased, r.Hosts = c.frontier.Queued(), c.frontier.Leased(), c.frontier.Hosts()
	switch {
	case c.ring.recordErr != nil:
		r.EndedBy = ByRecordError
	case r.EndedBy == "", r.EndedBy.Limit() && r.Left() == 0:
		r.EndedBy = Done // a limit that was met by the last page ended nothing
	}
	return r
}

// report shows the present state to the one who asked for it.
func (c *coordinator) report() {
	if c.cfg.Progress == nil {
		return
	}
	p := Progress{
		Elapsed: time.Since(c.result.Started), Admitted: c.result.Admitted, Fetched: c.result.Fetched, Bytes: c.result.Bytes,
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
