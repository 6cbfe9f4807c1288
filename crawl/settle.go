package crawl

import (
	"fmt"
	"time"

	"crawler/fetch"
	"crawler/gate"
	"crawler/weburl"
)

// settle ends the lease of a visit that was recorded, and has the gate decide about its links
// or redirect.
func (c *coordinator) settle(v *Visit) {
	c.ledger.Settled()
	c.result.Requests += v.Requests
	if v.AskedRobots {
		c.result.Robots += v.Requests
	}
	if c.memory.completed++; c.cfg.Pressure != nil {
		c.memory.long.end(v)
	}
	now := time.Now()
	if v.seed() && (v.End == Fetched || v.End == Redirected) && v.refused == nil {
		c.result.SeedsAnswered++
	}
	var plain weburl.URL
	if c.silent(v) {
		plain, _ = overHTTP(c.cfg.Parse.URL, v.URL) // an http URL for each https one
		v.replaced(plain)
	}
	lacks, pause := c.shortage.meet(v, now, c.cfg.Gate.Frontier.Patience)
	if pause {
		c.gate.Queue().Pause(now.Add(localPause))
	}
	if v.End != Aborted && v.End != Located && !lacks {
		c.gate.Queue().Answered(v.Item, now, v.Outcome)
	}
	switch {
	case v.refused != nil:
		c.stop(ByRecordError)
		c.gate.Return(&v.Task, v.Outcome.Asked())
	case v.End == Aborted || lacks:
		c.gate.Return(&v.Task, v.Outcome.Asked())
	case v.End == RobotsRead:
		c.gate.RobotsFile(&v.Task, v.robotsFile(c.cfg), v.Outcome.Asked())
	case v.End == Heard || v.End == Located:
		c.gate.Prepared(&v.Task, v.address, v.Outcome.Asked(), now)
	case v.End == Fetched:
		c.fetched(v, now)
	case v.End == Redirected:
		c.result.Redirects++
		c.gate.Redirect(&gate.Redirect{Task: v.Task, Outcome: v.Outcome, Target: v.Target, Declined: v.declined}, now)
	default: // Refused, Deferred, Failed
		if c.gate.Refuse(&v.Task, now, v.Outcome, v.refusal()) {
			c.result.Retried++
		}
		if !plain.IsZero() {
			c.gate.Add(plain)
		}
	}
	v.Rules = nil
	c.ring.readers.reclaim(v)
	c.ring.room.Shrink(&v.stay, 0)
	c.free.put(v)
}

// fetched counts a page that was recorded and offers its links.
func (c *coordinator) fetched(v *Visit, now time.Time) {
	if v.LinksOnly {
		c.result.LinksOnly++
	} else {
		c.result.Fetched++
	}
	c.result.Bytes += v.Bytes
	c.result.WireBytes += v.WireBytes
	p := gate.Page{Task: v.Task, Outcome: v.Outcome, Status: v.Status, GivenUp: MayPass(v.Status), Links: v.Page.Links, Sample: v.sample, NoPage: v.LinksOnly}
	if v.CutOff {
		p.GivenUp, p.Reason = true, gate.Reason(fetch.ReasonBody)
	}
	if v.Sitemap && !p.GivenUp {
		c.result.Sitemaps++
	}
	c.gate.Page(&p, now)
	c.meetLimits()
}

// robotsFile returns the contents of the robots.txt that v has read, as the gate wants them.
func (v *Visit) robotsFile(cfg *Config) gate.RobotsFile {
	f := gate.RobotsFile{Permission: permission(v.Rules, v.URL)}
	f.Delay, _ = v.Rules.CrawlDelay()
	if !cfg.Sitemaps {
		return f
	}
	for _, s := range v.Rules.Sitemaps() {
		if u, err := cfg.Parse.URL.Parse(s); err == nil {
			f.Sitemaps = append(f.Sitemaps, u)
		}
	}
	return f
}

// refusal is the last word on a URL that was admitted and not fetched.
func (v *Visit) refusal() gate.Skip {
	s := gate.Skip{URL: v.URL.String(), Reason: v.Reason, Via: v.Via, From: v.From, Robots: v.Robots, Detail: v.Detail}
	if v.End == Deferred {
		s.Reason, s.Detail = gate.HostClosed, fmt.Sprintf("answered %d", v.Status)
		if v.Outcome.RetryAfter > 0 {
			s.Detail += fmt.Sprintf(" and asks to be left alone for %s", v.Outcome.RetryAfter)
		}
	}
	s.GivenUp = Temporary(s.Reason)
	return s
}

// Temporary reports whether a URL that was refused for this reason may be had later: nobody
// has answered, or not well, or robots.txt could not be read.
func Temporary(r gate.Reason) bool {
	return r == gate.HostClosed || r == gate.RobotsUnreachable || fetch.Reason(r).Temporary()
}

// MayPass reports whether a page that was answered with this status may be had later: 408,
// 425, 429, and all from 500 on.
func MayPass(status int) bool {
	return status == 408 || status == 425 || status == 429 || status >= 500
}
