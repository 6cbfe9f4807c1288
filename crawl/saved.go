package crawl

import (
	"encoding/json"
	"errors"
	"fmt"

	"crawler/gate"
)

// saved is the coordinator's record of a commit; docs/format/engine.md describes it.
type saved struct {
	Version  int
	Result   Result // without Seeds, which have a record of their own
	MaxDepth int
	Seq      uint64
	Complete bool
}

const savedVersion = 5

// savedKey is that record's key.
func savedKey() []byte { return []byte("mresult") }

// state is the coordinator's part of a commit: what the gate knows, and the counts.
type state struct{ c *coordinator }

// Commit adds it; see State in package ledger.
func (s state) Commit(b Batch, seq uint64, last bool) error {
	err := s.c.gate.Commit(gate.Commit{
		Records: b, Queue: s.c.cfg.Store.Queue().Writer(b), Seq: seq, Last: last,
	})
	if err != nil {
		return err
	}
	now := s.c.present()
	now.Seeds = nil // they may be many, and never change
	if last {
		// This counts all bits of the filter, so it is not done in every commit.
		now.Dedup, now.Traps = s.c.gate.Account()
	}
	data, err := json.Marshal(saved{
		Version: savedVersion, Result: now, MaxDepth: s.c.cfg.Gate.MaxDepth, Seq: seq, Complete: last && s.c.result.EndedBy == Done,
	})
	if err != nil {
		return err
	}
	b.Put(savedKey(), data)
	return nil
}

// Landed is called when the last commit is durable.
func (s state) Landed() {
	s.c.gate.Queue().Landed()
	s.c.watchDisk()
}

// ErrOlder means that a crawl was begun by a version of this program whose state this one
// does not read.
var ErrOlder = errors.New("the crawl was begun by an older version of this program: finish it with that version, or start a new crawl")

// ErrNewer means that a crawl was begun by a later version of this program.
var ErrNewer = errors.New("the crawl was written by a newer version of this program: use that")

// loadSaved returns nil if nothing was ever committed.
func loadSaved(r gate.Reader) (*saved, error) {
	data, err := r.Get(savedKey())
	if err != nil || data == nil {
		return nil, err
	}
	s := new(saved)
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("the crawl's state is damaged: record result: %w", err)
	}
	switch {
	case s.Version < savedVersion:
		return nil, fmt.Errorf("state version %d, and this is %d: %w", s.Version, savedVersion, ErrOlder)
	case s.Version > savedVersion:
		return nil, fmt.Errorf("state version %d, and this is %d: %w", s.Version, savedVersion, ErrNewer)
	}
	seeds, err := gate.ReadSeeds(r)
	for _, u := range seeds {
		s.Result.Seeds = append(s.Result.Seeds, u.String())
	}
	return s, err
}
