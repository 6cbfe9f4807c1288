package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Sieve is the exact log of a crawl: 64-bit fingerprints of all admitted URLs and of
// the prefixes that the layers of its filter know, on disk at 8.03 bytes each. It
// answers, in sorted batches, where the filter can only say "maybe", and the filter is
// rebuilt from it. docs/format/seen.md describes its bytes.
//
// The URLs that a commit admitted go into its batch as a journal entry (Journal). From time
// to time Append makes a sorted run of the committed entries; four runs of one size are
// merged into one, so that there are few. A committed fingerprint is always in an
// entry or in a run. Check and Each know the runs only. The caller knows the fingerprints
// in entries: it has them in memory since they were admitted, or reads them with
// EachJournalled after a restart.
//
// Memory: a 64th of a byte for each URL, 272 KiB for checking, less than 1 MiB while runs
// are merged, and Append's (see there); and one open file per run. Two URLs with one
// fingerprint are taken for one: with n URLs the chance that there are any is
// 1 - e^(-n(n-1)/2^65), 0.03 percent for a hundred million. Nothing else is lost.
//
// Journal and Journalled belong to one goroutine, which builds the batches; all other
// methods to one goroutine, which may be another. The two share no field that changes.
type Sieve struct {
	fs     FS
	dir    string
	db     *DB
	layers int

	journalled uint64 // the last entry put into a batch; owned by Journal's goroutine
	entry      []byte // Journal's buffer

	appended uint64 // the last entry that is in the runs
	next     uint32 // number of the next run
	runs     []*run // those of the manifest, ascending by number
	ready    bool   // the directory exists, strays are gone
	merging  *merging
	lookup   lookup

	// Limits, constant except in tests.
	background int64 // merges of more fingerprints than this do not delay Append
	maxSort    int   // fingerprints sorted at a time
}

const (
	maxLayers  = 8
	seenDir    = "seen"
	background = 1 << 20 // 20 ms of merging, not counting the sync
)

// Sieve opens the exact log of the crawl, for a filter of 0 to 8 layers, the same
// number each time. It changes nothing. It takes one read for each 256,000 URLs in
// the log. The Dir must be durable and stay open until the Sieve is closed.
func (d *Dir) Sieve(layers int) (*Sieve, error) {
	return openSieve(d.FS(), d.FS().PathJoin(d.Path(), seenDir), d.DB(), layers)
}

func openSieve(fs FS, dir string, db *DB, layers int) (*Sieve, error) {
	if layers < 0 || layers > maxLayers {
		return nil, fmt.Errorf("a log for %d layers: 0 to %d are possible", layers, maxLayers)
	}
	s := &Sieve{fs: fs, dir: dir, db: db, layers: layers, next: 1, background: background, maxSort: maxSort}
	if err := s.load(); err != nil {
		s.Close()
		return nil, fmt.Errorf("open the log of seen URLs in %s: %w", dir, err)
	}
	return s, nil
}

// load reads the manifest, opens its runs and finds the last journal entry.
func (s *Sieve) load() error {
	value, err := s.db.Get(manifestKey())
	if err != nil {
		return err
	}
	if value != nil {
		m, err := decodeManifest(value, s.layers)
		if err != nil {
			return fmt.Errorf("manifest: %w", err)
		}
		s.appended, s.next = m.appended, m.next
		for _, info := range m.runs {
			r, err := openRun(s.fs, s.path(info.number), info)
			if err != nil {
				return err
			}
			s.runs = append(s.runs, r)
		}
	}
	s.journalled = s.appended
	return s.entries(func(seq uint64, _ []byte) error {
		s.journalled = seq
		return nil
	})
}

// prepare makes the directory and deletes what a crash left in it: runs that the
// manifest does not list.
func (s *Sieve) prepare() error {
	if s.ready {
		return nil
	}
	// Synced even if it exists: an earlier attempt may have failed after creating it.
	if err := s.fs.MkdirAll(s.dir, 0o755); err != nil {
		return err
	}
	if err := syncDir(s.fs, s.fs.PathDir(s.dir)); err != nil {
		return err
	}
	names, err := s.fs.List(s.dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if filepath.Ext(name) != runExt || slices.ContainsFunc(s.runs, func(r *run) bool { return runName(r.number) == name }) {
			continue
		}
		if err := s.fs.Remove(s.fs.PathJoin(s.dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	s.ready = true
	return nil
}

// path returns the file of the run with that number.
func (s *Sieve) path(number uint32) string { return s.fs.PathJoin(s.dir, runName(number)) }

// Len returns how many fingerprints the runs hold: of URLs if layer is negative,
// else of that layer's prefixes, where one that was logged more than once may count
// as often.
func (s *Sieve) Len(layer int) int64 {
	n := int64(0)
	for _, r := range s.runs {
		n += r.counts[section(layer)]
	}
	return n
}

// Bytes returns how much disk the runs take.
func (s *Sieve) Bytes() int64 {
	n := int64(0)
	for _, r := range s.runs {
		n += r.size()
	}
	return n
}

// section returns where in a run the fingerprints of a layer are, those of URLs if it
// is negative.
func section(layer int) int { return max(layer, -1) + 1 }

// Close ends a merge under way, whose result is dropped, and closes the files. It
// writes nothing: what was journalled and not appended stays journalled.
func (s *Sieve) Close() error {
	err := s.stopMerging()
	for _, r := range s.runs {
		err = errors.Join(err, r.file.Close())
	}
	s.runs = nil
	return err
}
