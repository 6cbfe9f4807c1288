package crawl

import (
	"encoding/json"
	"time"

	"crawler/dedup"
	"crawler/store"
)

// When a commit is due, and how much may wait for one.
const (
	commitPages = 256                    // pages settled since the last
	commitURLs  = 8 << 10                // URLs admitted since the last: a batch of half a MiB
	commitEvery = 100 * time.Millisecond // since the first change after the last
	maxUnsafe   = 4                      // times as many pages or URLs not committed yet; then no page is handed out
)

// stage is how far a commit has come. There is never more than one.
type stage uint8

const (
	atRest  stage = iota
	ordered       // the recorder has been told to cut
	built         // the keeper is to carry it out, or does
)

// durability is the coordinator's part in commits.
type durability struct {
	stage     stage
	safe      bool // something was committed: no page is asked for before the seeds are safe
	dirty     bool // something changed since the last cut
	due       bool // and it is time for a commit
	alarm     *time.Timer
	unsafe    amount // since the last commit
	unsafeCut amount // of it, what the commit under way has
	afterCut  []Skip // given to the recorder after it was told to cut, so behind the cut
	seq       uint64 // of the records that only grow: one number a commit
	notes     []note // changes to single records since the last cut
	heldID    uint64 // the next one
	moves     uint64 // seeds that redirected, which widened the scope; the number of the next one's record
	began     time.Time
	before    time.Duration // active time of the runs before
	frozen    bool          // a part of the log is on its way to disk
	upto      uint64        // journal number that part comes up to
	commit    *job          // waits for the keeper
	rebuild   bool          // the filter is to be rebuilt, or is being so
	checked   bool          // the last job that could wait was a check, so a rebuild has its turn

	coming      *dedup.Rebuild // the filter's next generation
	comingSince time.Time
	layer       int   // the next one to be put into it: -1, which is the URLs, to layers()-1
	deaf        bool  // the recorder has failed: it takes no orders any more
	failed      error // of the Store: nothing can be committed any more
}

// amount is work that is done, but not committed yet.
type amount struct{ pages, urls int }

// times reports whether it is n commits' worth or more.
func (a amount) times(n int) bool { return a.pages >= n*commitPages || a.urls >= n*commitURLs }

// note is a record to be written or, without a value, deleted.
type note struct{ key, value []byte }

// move is a seed's redirect.
type move struct{ From, To string }

// note remembers a change of one record for the next commit.
func (c *coordinator) note(key, value []byte) {
	if c.ring.durable() {
		c.notes = append(c.notes, note{key, value})
		c.changed()
	}
}

// noteJSON is note for a value made of strings, which always can be marshalled.
func (c *coordinator) noteJSON(key []byte, value any) {
	if c.ring.durable() {
		data, _ := json.Marshal(value)
		c.note(key, data)
	}
}

// changed tells that there is something to commit.
func (c *coordinator) changed() {
	if !c.dirty && c.ring.durable() {
		c.dirty = true
		c.alarm.Reset(commitEvery)
	}
}

// wantsCut reports whether the recorder is to be told that a commit begins.
func (c *coordinator) wantsCut() bool {
	return c.dirty && c.stage == atRest && c.failed == nil && !c.deaf && (c.due || c.unsafe.times(1))
}

// sent notes that the recorder has its order.
func (c *coordinator) sent(o order) {
	if c.stage == ordered {
		c.afterCut = append(c.afterCut, o.skips...)
	}
	if o.cut {
		c.stage, c.dirty, c.due = ordered, false, false
		c.alarm.Stop()
	}
	c.skipped = nil
}

// cut takes the recorder's part of a commit and adds the coordinator's. Exactly the
// pages that the recorder had seen have been settled now.
func (c *coordinator) cut(b *store.Batch) {
	if c.deaf || c.failed != nil {
		return // the commit was given up while its cut was on the way
	}
	if err := c.addState(b, false); err != nil {
		c.storeFailed(err)
		return
	}
	c.stage, c.unsafeCut, c.afterCut = built, c.unsafe, nil
	c.commit = &job{
		do: func() error { return c.keeper.commit(b) },
		then: func() {
			c.stage = atRest
			c.unsafe.pages -= c.unsafeCut.pages
			c.unsafe.urls -= c.unsafeCut.urls
			c.safe = true
			c.frontier.Landed()
			c.watchDisk()
		},
	}
}

// watchDisk stops the crawl while there is room for its last commit.
func (c *coordinator) watchDisk() {
	if c.cfg.Store == nil || c.cfg.MinFree <= 0 {
		return
	}
	// A disk that does not tell what it has free is not watched.
	if free, err := c.cfg.Store.Free(); err == nil && free < c.cfg.MinFree {
		c.stop(ByLowDisk)
	}
}

// work gives the keeper the next job if it has none.
func (c *coordinator) work() {
	if c.working || c.failed != nil {
		return
	}
	var j *job
	switch {
	case c.commit != nil:
		j, c.commit = c.commit, nil
	case c.stage == built:
		return
	case c.frozen:
		j = c.appendPart()
	case len(c.doubts.waiting) > 0 && !c.checked:
		j, c.checked = c.check(), true
	case c.rebuild:
		j, c.checked = c.rebuilding(), false
	case len(c.doubts.waiting) > 0:
		j = c.check()
	default:
		return
	}
	c.working = true
	c.keeper.jobs <- j // it waits for nothing else
}

// worked takes in a job that the keeper has done.
func (c *coordinator) worked(j *job) {
	c.working = false
	if j.err != nil {
		c.storeFailed(j.err)
		return
	}
	j.then()
}

// storeFailed ends the crawl: what was committed is all that is safe.
func (c *coordinator) storeFailed(err error) {
	if c.failed == nil {
		c.failed = err
	}
	c.stage = atRest
	c.stop(ByStoreError)
}

// recorderFailed ends the crawl: what was committed is all that counts as recorded.
func (c *coordinator) recorderFailed() {
	c.deaf, c.stage = true, atRest
	c.stop(ByRecordError)
}

// appendPart is the job of moving a part of the log from memory to disk. Its URLs are
// in committed journal records already.
func (c *coordinator) appendPart() *job {
	upto := c.upto
	return &job{
		do: func() error { return c.keeper.sieve.Append(upto) },
		then: func() {
			c.seen.Drop()
			c.frozen = false
		},
	}
}

// rebuilding is the next job of giving the filter its next generation from the log on
// disk: one layer, so that commits and doubts need not wait for all of them. What is
// admitted meanwhile Adopt knows.
func (c *coordinator) rebuilding() *job {
	if c.coming == nil {
		c.coming, c.layer, c.comingSince = c.seen.Rebuild(), -1, time.Now()
	}
	next, layer := c.coming, c.layer
	c.layer++
	last := c.layer == c.layers()
	return &job{
		do: func() error { return c.keeper.rebuild(next, layer) },
		then: func() {
			if last {
				c.restarted(next)
			}
		},
	}
}

// restarted puts the filter's next generation in place.
func (c *coordinator) restarted(next *dedup.Rebuild) {
	pause := time.Now()
	c.adopt(next)
	a, took := &c.result.Audit, time.Since(c.comingSince)
	a.Restarting += took
	a.LongestRestart = max(a.LongestRestart, took)
	a.LongestPause = max(a.LongestPause, time.Since(pause))
	c.coming, c.rebuild = nil, false
}

// adopt puts the filter's next generation in place. Questions that are open stay so,
// whatever it says of them, so that every false positive is counted.
func (c *coordinator) adopt(next *dedup.Rebuild) {
	c.seen.Adopt(next)
	for i := range c.doubts.waiting {
		if d := &c.doubts.waiting[i]; d.reason == "" {
			c.seen.Doubt(d.name)
		}
	}
}

func (c *coordinator) layers() int { return c.cfg.Dedup.Layers }

// addState adds everything of the coordinator that changed since the last commit.
func (c *coordinator) addState(b *store.Batch, last bool) error {
	c.seq++
	c.frontier.Commit(c.cfg.Store.Queue().Writer(b))
	if err := c.frontier.Err(); err != nil {
		return err
	}
	urls, prefixes := c.seen.TakeFresh()
	journalled := c.keeper.sieve.Journal(b, urls, prefixes)
	account, err := c.seen.AppendAccount(nil)
	if err != nil {
		return err
	}
	b.Put(stateKey(keyAccount), account)
	now := c.present()
	now.Seeds = nil // they may be many, and never change
	if last {
		now.Dedup = c.seen.Stats() // counts all bits of the filter, so not in every commit
	}
	result, err := json.Marshal(saved{Version: savedVersion, Result: now, MaxDepth: c.cfg.MaxDepth, Seq: c.seq, HeldID: c.heldID, Complete: last && c.result.EndedBy == Done})
	if err != nil {
		return err
	}
	b.Put(stateKey(keyResult), result)
	skips, err := json.Marshal(append(c.afterCut[:len(c.afterCut):len(c.afterCut)], c.skipped...))
	if err != nil {
		return err
	}
	b.Put(stateKey(keySkips), skips)
	b.Put(stateKey(keyDoubts), c.doubts.append(nil))
	c.told.commit(b, c.seq)
	if err := c.traps.commit(b, time.Now(), last); err != nil {
		return err
	}
	if c.depths != nil {
		if events := c.depths.TakeEvents(); len(events) > 0 {
			b.Put(numberedKey(keyDepths, c.seq), events)
		}
	}
	for _, n := range c.notes {
		if n.value == nil {
			b.Delete(n.key)
		} else {
			b.Put(n.key, n.value)
		}
	}
	c.notes = c.notes[:0]
	if !last {
		c.freeze(journalled)
	}
	return nil
}

// freeze sends the tail of the log to disk when it has grown, and before a restart of
// the filter, which is rebuilt from there.
func (c *coordinator) freeze(upto uint64) {
	if c.frozen || c.rebuild {
		return
	}
	c.rebuild = c.seen.Due()
	if c.rebuild || c.seen.TailLen() >= c.cfg.Tail {
		c.frozen, c.upto = c.seen.Freeze() != nil, upto
	}
}

// present is the Result as of now.
func (c *coordinator) present() Result {
	r := c.result
	r.Finished = time.Now()
	r.Active = c.before + r.Finished.Sub(c.began)
	r.Queued, r.Leased, r.Hosts = c.frontier.Queued(), c.frontier.Leased(), c.frontier.Hosts()
	return r
}
