package crawl

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"crawler/dedup"
	"crawler/store"
	"crawler/weburl"
)

// Recovery tells what a resumed crawl begins with.
type Recovery struct {
	Run            int // which one this is; the first is 1
	Pages          int // fetched before
	Queued, Hosts  int
	Unsettled      int // questions that wait for the exact log
	Log            int64
	Rebuilding     time.Duration // what it took to rebuild the filter
	Active         time.Duration // of the runs before
	LastEndedBy    EndedBy       // "" after a crash
	LastCommitTime time.Time
}

// ErrComplete says that a crawl has come to its end.
var ErrComplete = errors.New("the crawl is complete")

// Complete reports whether the crawl in dir came to its end, and its Result.
func Complete(dir *store.Dir) (bool, Result, error) {
	s, err := loadSaved(dir.DB())
	if err != nil || s == nil {
		return false, Result{}, err
	}
	return s.Complete, s.Result, nil
}

// restore takes the coordinator to the last commit.
func (c *coordinator) restore(s *saved) error {
	if s.Complete {
		return ErrComplete
	}
	if s.MaxDepth != c.cfg.MaxDepth {
		return fmt.Errorf("crawl: MaxDepth is %d, but the crawl began with %d, which decided what was refused: go on with that", c.cfg.MaxDepth, s.MaxDepth)
	}
	now := time.Now()
	c.safe = true
	last := s.Result
	c.result = last
	c.result.Runs++
	c.result.EndedBy = ""
	c.before, c.seq, c.heldID = last.Active, s.Seq, s.HeldID
	if c.result.Skipped == nil {
		c.result.Skipped = map[Reason]int{}
	}
	if c.result.Errors == nil {
		c.result.Errors = map[Reason]int{}
	}
	for _, step := range []func() error{
		func() error { return c.restoreScope(last.Seeds) },
		func() error { return c.restoreHosts(now) },
		c.restoreRefusals, c.restoreDoubts, c.restoreDepths, c.restoreSeen, c.restoreTraps,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	if c.cfg.Recovered != nil {
		c.cfg.Recovered(Recovery{
			Run: c.result.Runs, Pages: last.Fetched, Queued: c.frontier.Queued(), Hosts: c.frontier.Hosts(), Unsettled: c.doubts.len(),
			Log: c.keeper.sieve.Len(-1), Rebuilding: time.Since(now), Active: last.Active,
			LastEndedBy: last.EndedBy, LastCommitTime: last.Finished,
		})
	}
	return nil
}

// parseSeeds reads the seeds of a crawl that is resumed.
func parseSeeds(texts []string) ([]weburl.URL, error) {
	seeds := make([]weburl.URL, len(texts))
	for i, s := range texts {
		u, err := weburl.Parse(s)
		if err != nil {
			return nil, damaged(keySeeds, err)
		}
		seeds[i] = u
	}
	return seeds, nil
}

// restoreScope makes the scope what seeds and their redirects had made it.
func (c *coordinator) restoreScope(texts []string) error {
	seeds, err := parseSeeds(texts)
	if err != nil {
		return err
	}
	c.scope = newScope(c.cfg.Scope, seeds)
	err = c.cfg.Store.DB().Scan(stateKey(keyMoves), func(_, value []byte) error {
		var m move
		if err := json.Unmarshal(value, &m); err != nil {
			return err
		}
		from, err := weburl.Parse(m.From)
		if err != nil {
			return err
		}
		to, err := weburl.Parse(m.To)
		if err != nil {
			return err
		}
		c.scope.addRedirected(from, to)
		c.moves++
		return nil
	})
	if err != nil {
		return damaged(keyMoves, err)
	}
	return nil
}

func (c *coordinator) restoreHosts(now time.Time) error {
	return c.cfg.Store.Queue().Hosts(func(host string, state []byte) error {
		if err := c.frontier.Restore(host, state, now); err != nil {
			return err
		}
		if c.frontier.HostClosed(host) {
			c.draining = append(c.draining, host)
		}
		return nil
	})
}

func (c *coordinator) restoreRefusals() error {
	db := c.cfg.Store.DB()
	data, err := db.Get(stateKey(keySkips))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, &c.skipped); err != nil {
		return damaged(keySkips, err)
	}
	err = db.Scan(stateKey(keyTold), func(_, events []byte) error { return c.told.replay(events) })
	if err != nil {
		return damaged(keyTold, err)
	}
	return db.Scan(stateKey(keyHeld), func(key, value []byte) error {
		h, err := decodeHeld(value)
		if err != nil || len(key) < 8 {
			return damaged(keyHeld, errors.Join(err, errShort))
		}
		h.id = binary.BigEndian.Uint64(key[len(key)-8:])
		c.hold(h)
		return nil
	})
}

func (c *coordinator) restoreDoubts() error {
	data, err := c.cfg.Store.DB().Get(stateKey(keyDoubts))
	if err != nil {
		return err
	}
	list, err := decodeDoubts(data)
	if err != nil {
		return damaged(keyDoubts, err)
	}
	for _, d := range list {
		c.doubts.add(d.name, d.question)
	}
	return nil
}

func (c *coordinator) restoreDepths() error {
	if c.depths == nil {
		return nil
	}
	err := c.cfg.Store.DB().Scan(stateKey(keyDepths), func(_, events []byte) error { return c.depths.Replay(events) })
	if err != nil {
		return damaged(keyDepths, err)
	}
	return nil
}

// restoreSeen rebuilds the filter from the exact log.
func (c *coordinator) restoreSeen() error {
	account, err := c.cfg.Store.DB().Get(stateKey(keyAccount))
	if err != nil {
		return err
	}
	if c.seen, err = dedup.Reopen(account); err != nil {
		return damaged(keyAccount, err)
	}
	c.seen.KeepFresh()
	c.cfg.Dedup = c.seen.Config()
	c.result.Audit.Mode = c.mode()
	if !c.cfg.Dedup.FilterOnly {
		if err := c.keeper.sieve.Append(c.keeper.sieve.Journalled()); err != nil {
			return err
		}
	}
	next := c.seen.Rebuild()
	for layer := -1; layer < c.layers(); layer++ {
		if err := c.keeper.rebuild(next, layer); err != nil {
			return err
		}
	}
	err = c.keeper.sieve.EachJournalled(func(urls []uint64, prefixes [][]uint64) error {
		next.Add(-1, urls)
		for i, p := range prefixes {
			next.Add(i, p)
		}
		return nil
	})
	if err != nil {
		return err
	}
	c.adopt(next)
	return nil
}

// Admitted reports whether u was admitted by the crawl in dir, as its exact log says.
func Admitted(dir *store.Dir, u weburl.URL) (bool, error) {
	account, err := dir.DB().Get(stateKey(keyAccount))
	if err != nil || account == nil {
		return false, err
	}
	seen, err := dedup.Reopen(account)
	if err != nil {
		return false, damaged(keyAccount, err)
	}
	sieve, err := dir.Sieve(seen.Config().Layers)
	if err != nil {
		return false, err
	}
	defer sieve.Close()
	name, _ := seen.Peek(u)
	found := []bool{false}
	if err := sieve.Check([]uint64{name}, found); err != nil {
		return false, err
	}
	err = sieve.EachJournalled(func(urls []uint64, _ [][]uint64) error {
		found[0] = found[0] || slices.Contains(urls, name)
		return nil
	})
	return found[0], err
}
