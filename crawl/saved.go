package crawl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"crawler/gate"
)

// saved is the coordinator's record of a commit; docs/format/engine.md describes it. Most commits
// have only what differs from that of an earlier one.
type saved struct {
	Version  int
	Since    uint64 `json:",omitempty"` // number of that commit
	Result   Result // without Seeds, which have a record of their own
	MaxDepth int
	Seq      uint64
	Complete bool
}

const savedVersion = 9

// savedKey is the key of the record as a whole, changedKey of what differs from it since.
func savedKey() []byte   { return []byte("mresult") }
func changedKey() []byte { return []byte("mresult/changes") }

// state is the coordinator's part of a commit: what the gate knows, and the counts.
type state struct {
	c     *coordinator
	whole []byte // the record that the last changes are counted from; nil if none was written
	seq   uint64 // of its commit
}

// Commit adds it; see State in package ledger.
func (s *state) Commit(b Batch, seq uint64, last bool) error {
	err := s.c.gate.Commit(gate.Commit{
		Records: b, Queue: s.c.cfg.Store.Queue().Writer(b), Seq: seq, Last: last,
	})
	if err != nil {
		return err
	}
	s.c.shard.commit(b, seq, last, s.c)
	now := s.c.present()
	now.Seeds = nil // they may be many, and never change
	if last {
		// This counts all bits of the filter, so it is not done in every commit.
		now.Dedup, now.Traps = s.c.gate.Account()
	}
	return s.put(b, saved{
		Version: savedVersion, Result: now, MaxDepth: s.c.cfg.Gate.MaxDepth, Seq: seq, Complete: last && s.c.result.EndedBy == Done,
	})
}

// put puts what differs from the last whole record, or a whole one if that is not much more. The
// first of a run is whole.
func (s *state) put(b Batch, now saved) error {
	if s.whole != nil {
		now.Since = s.seq
		data, err := json.Marshal(now)
		if err != nil {
			return err
		}
		if changes, ok := changedMembers(s.whole, data); ok && 2*len(changes) < len(s.whole) && !now.Complete {
			b.Put(changedKey(), changes)
			return nil
		}
		now.Since = 0
	}
	data, err := json.Marshal(now)
	if err != nil {
		return err
	}
	s.whole, s.seq = data, now.Seq
	b.Put(savedKey(), data)
	b.Delete(changedKey())
	return nil
}

// changedMembers returns the members of an object whose values differ from what they are in
// another, and of objects in it in turn: a merge patch of RFC 7396. It reports false if a
// member is gone.
func changedMembers(old, now []byte) (patch []byte, ok bool) {
	var before, after map[string]json.RawMessage
	if json.Unmarshal(old, &before) != nil || json.Unmarshal(now, &after) != nil || before == nil || after == nil {
		return nil, false // at least one is no object
	}
	for name := range before {
		if _, there := after[name]; !there {
			return nil, false
		}
	}
	for name, value := range after {
		was, there := before[name]
		if bytes.Equal(was, value) {
			delete(after, name)
		} else if inner, ok := changedMembers(was, value); there && ok {
			after[name] = inner
		}
	}
	patch, err := json.Marshal(after)
	return patch, err == nil
}

// Landed is called when the last commit is durable.
func (s *state) Landed() {
	s.c.gate.Queue().Landed()
	s.c.shard.landed()
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
	if err := s.change(r); err != nil {
		return nil, err
	}
	seeds, err := gate.ReadSeeds(r)
	for _, u := range seeds {
		s.Result.Seeds = append(s.Result.Seeds, u.String())
	}
	return s, err
}

// change applies what differs from the record since.
func (s *saved) change(r gate.Reader) error {
	data, err := r.Get(changedKey())
	if err != nil || data == nil {
		return err
	}
	seq := s.Seq
	if err := json.Unmarshal(data, s); err != nil {
		return fmt.Errorf("the crawl's state is damaged: record result/changes: %w", err)
	}
	if s.Since != seq {
		return fmt.Errorf("the crawl's state is damaged: record result/changes continues commit %d, record result is that of commit %d", s.Since, seq)
	}
	s.Since = 0
	return nil
}
