package crawl

import (
	"cmp"
	"errors"
	"fmt"
	"sync"
	"time"

	"crawler/fetch"
	"crawler/frontier"
	"crawler/gate"
	"crawler/ledger"
	"crawler/weburl"
)

// Records are what a crawl has recorded of which the state is lost. Package report reads them.
type Records interface {
	// Settled reports whether a URL that was not admitted has its final refusal in the records.
	Settled(u weburl.URL) bool
	// Each gives page every page and redirect, and skip every refusal and failure that is final.
	// The Visit and the Skip are used again after the call returns.
	Each(page func(v *Visit) error, skip func(s *gate.Skip) error) error
	// Links gives fn the pages once more, with all of their links, and the redirects, with their
	// targets: first those that seeds begin, then the pages, then the others.
	Links(fn func(v *Visit) error) error
}

// Rebuilt says what a state was made anew from.
type Rebuilt struct {
	At    time.Time
	Pages int // of which only the records are known
}

// Rebuild makes the state of a crawl from its records, in cfg.Store, which is durable and new: Run
// continues from it. What has a record is done and admitted; what the records link to and has none
// is queued, by the rules of cfg. Nothing is fetched. cfg.Recorder gets the records once more, and
// writes none. The guard against traps, the pace of hosts, attempts that have failed so far and
// cookies are in no record, and begin anew.
func Rebuild(cfg Config, records Records) (Result, error) {
	cfg.setDefaults()
	seeds, bare, err := cfg.validate()
	if err != nil {
		return Result{}, err
	}
	if cfg.Store == nil || !cfg.Store.Durable() || cfg.Store.Resumed() || cfg.Shard != nil {
		return Result{}, errors.New("crawl: a state is made anew in a durable Store that has none, of a crawl that is alone")
	}
	c := &coordinator{ring: &ring{cfg: cfg}, bare: bare, began: time.Now(), shard: newMembership(nil)}
	c.cfg = &c.ring.cfg
	c.cfg.Gate.Frontier.Disk = c.cfg.Store.Queue()
	keeps := ledger.Config{Store: c.cfg.Store, Tail: c.cfg.Tail, Layers: cmp.Or(c.cfg.Gate.Dedup.Layers, gate.DefaultLayers)}
	if c.ledger, err = ledger.Open(keeps, &state{c: c}); err != nil {
		return Result{}, err
	}
	if err := startEmpty(c, seeds); err != nil {
		return Result{}, errors.Join(err, c.ledger.Close())
	}
	var keeper sync.WaitGroup
	keeper.Go(c.ledger.Run)
	err = rebuild(c, seeds, records)
	c.ledger.Stop()
	keeper.Wait()
	if err == nil {
		err = c.lastCommit()
	}
	return c.present(), errors.Join(err, c.ledger.Close())
}

// rebuild recalls what the records have, and queues what they lead to.
func rebuild(c *coordinator, seeds []weburl.URL, records Records) error {
	c.result.Started = time.Time{}
	b := gate.Rebuild(c.gate, records.Settled)
	var plain []weburl.URL // in the place of seeds over https
	err := records.Each(func(v *Visit) error { return recall(c, b, v) }, func(s *gate.Skip) error {
		if s.Reason == gate.NoHTTPS {
			u, err := c.cfg.Parse.URL.Parse(s.URL)
			if err == nil {
				u, err = overHTTP(c.cfg.Parse.URL, u)
			}
			if err == nil {
				plain = append(plain, u)
			}
		}
		return recallSkip(c, b, s)
	})
	if err == nil {
		err = catchUp(c, true)
	}
	if err != nil {
		return err
	}
	b.Recalled()
	c.result.Started = cmp.Or(c.result.Started, c.began)
	c.result.Rebuilt = &Rebuilt{At: c.began.UTC(), Pages: c.result.Fetched}
	c.gate.Seeds(seeds)
	for _, u := range plain {
		c.gate.Add(u)
	}
	if err := records.Links(func(v *Visit) error { return reoffer(c, b, v) }); err != nil {
		return err
	}
	if err := catchUp(c, true); err != nil {
		return err
	}
	b.End()
	return nil
}

// recall counts a page or a redirect, and takes its URL for done.
func recall(c *coordinator, b *gate.Rebuilding, v *Visit) error {
	if c.result.Started.IsZero() || v.Started.Before(c.result.Started) {
		c.result.Started = v.Started
	}
	c.result.Requests++
	if v.seed() {
		c.result.SeedsAnswered++
	}
	r := gate.Recalled{Item: v.Item}
	var err error
	if v.End == Redirected {
		c.result.Redirects++
		err = c.cfg.Recorder.Redirect(v)
	} else {
		c.result.Fetched++
		c.result.Bytes += v.Bytes
		c.result.WireBytes += v.WireBytes
		r.Charged, r.GivenUp, r.Status = true, MayPass(v.Status), v.Status
		if v.CutOff {
			r.GivenUp, r.Reason = true, gate.Reason(fetch.ReasonBody)
		}
		if v.Sitemap && !r.GivenUp {
			c.result.Sitemaps++
		}
		err = c.cfg.Recorder.Page(v)
	}
	if err != nil {
		return err
	}
	b.Recall(r)
	return catchUp(c, false)
}

// recallSkip counts a refusal or failure, and takes its URL for done if it was admitted.
func recallSkip(c *coordinator, b *gate.Rebuilding, s *gate.Skip) error {
	if err := c.cfg.Recorder.Skip(*s); err != nil {
		return err
	}
	b.RecallSkip(*s)
	if s.Reason == gate.LinksOnly {
		c.result.LinksOnly++
	}
	if !s.Admitted() {
		return catchUp(c, false)
	}
	u, err := weburl.Parse(s.URL)
	if err != nil {
		return fmt.Errorf("a refused URL: %w", err)
	}
	r := gate.Recalled{Item: frontier.Item{URL: u, Via: s.Via, From: s.From, Depth: -1}, Charged: s.Charged(), Reason: s.Reason}
	if s.Trap != "" {
		r.GivenUp, r.Pattern = true, s.Detail
	} else {
		r.GivenUp = Temporary(s.Reason)
	}
	b.Recall(r)
	return catchUp(c, false)
}

// reoffer offers what a page or a redirect leads to.
func reoffer(c *coordinator, b *gate.Rebuilding, v *Visit) error {
	if v.End == Redirected {
		b.Target(&gate.Redirect{Task: v.Task, Target: v.Target})
	} else {
		b.Links(&gate.Page{Task: v.Task, Links: v.Page.Links})
	}
	return catchUp(c, false)
}

// catchUp makes a commit if one is due, and has the keeper do what waits: if all, everything.
func catchUp(c *coordinator, all bool) error {
	if c.ledger.WantsCut(time.Now()) {
		c.ledger.CutSent()
		b := c.cfg.Store.NewBatch()
		err := c.ring.cutRecorder(b)
		if err == nil {
			err = c.ledger.Seal(b)
		}
		if err != nil {
			return err
		}
		all = true
	}
	if !all && !c.gate.Saturated() {
		return nil
	}
	for checks := c.gate.Checks(); ; {
		c.ledger.Work(checks)
		if c.ledger.Idle() {
			return c.ledger.Err()
		}
		if err := c.ledger.Take(<-c.ledger.Done()); err != nil {
			return err
		}
	}
}
