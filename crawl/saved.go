package crawl

import (
	"encoding/json"
	"errors"
	"fmt"

	"crawler/gate"
	"crawler/store"
)

// saved is the coordinator's record of a commit; docs/format/engine.md describes it.
type saved struct {
	Version  int
	Result   Result // without Seeds, which have a record of their own
	MaxDepth int
	Seq      uint64
	Complete bool
}

const savedVersion = 2

// savedKey is that record's key.
func savedKey() []byte { return []byte("mresult") }

// saved is the record of the commit of that number.
func (c *coordinator) saved(seq uint64, last bool) saved {
	now := c.present()
	now.Seeds = nil // they may be many, and never change
	if last {
		now.Dedup, now.Traps = c.gate.Account() // counts all bits of the filter, so not in every commit
	}
	return saved{Version: savedVersion, Result: now, MaxDepth: c.cfg.Gate.MaxDepth, Seq: seq, Complete: last && c.result.EndedBy == Done}
}

func putSaved(b *store.Batch, s saved) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	b.Put(savedKey(), data)
	return nil
}

// ErrOlder says that a crawl was begun by a version of this program whose state this one
// does not read.
var ErrOlder = errors.New("the crawl was begun by an older version of this program: finish it with that version, or start a new crawl")

// loadSaved returns nil if nothing was ever committed.
func loadSaved(db *store.DB) (*saved, error) {
	data, err := db.Get(savedKey())
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
		return nil, fmt.Errorf("state version %d, and this is %d: %w", s.Version, savedVersion, store.ErrNewer)
	}
	seeds, err := gate.ReadSeeds(db)
	for _, u := range seeds {
		s.Result.Seeds = append(s.Result.Seeds, u.String())
	}
	return s, err
}
