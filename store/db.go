package store

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/atomicfs"
)

// DB stores the records that are committed atomically: ordered keys with values, in Pebble.
// Its methods may be called by several goroutines at once.
//
// The first error in writing is final. From then on nothing more is written, every call
// returns that error, and Close abandons the database as it is: what was committed before
// is there when another process opens it. See guard.
type DB struct {
	db    *pebble.DB
	guard *guard
}

// Limits of the database, for a resident memory of some 10 MiB and a fast opening.
const (
	memTableSize = 4 << 20 // changes in no table yet: in memory twice, replayed at an opening
	mergeFrom    = 12      // tables that overlap: what is deleted before is not copied
	cacheSize    = 4 << 20 // blocks of tables; the frontier reads each block of URLs about once
	maxOpenFiles = 128     // tables have 2 MiB and more
	manifestSize = 1 << 20 // read whole at every opening, so a longer one is rewritten
)

// valuesApart has values of a quarter KiB and more in files beside the tables, so that they are
// not written again whenever tables are merged: deltas of sketches, events and full forms
// are most of what a commit has, and are read only when a crawl is resumed. Files half of which
// is not needed any more are rewritten.
func valuesApart() pebble.ValueSeparationPolicy {
	return pebble.ValueSeparationPolicy{
		Enabled: true, MinimumSize: 256, MaxBlobReferenceDepth: 16,
		RewriteMinimumAge: time.Minute, TargetGarbageRatio: 0.5,
	}
}

// openDB opens the database in dir, and makes it unless readOnly.
func openDB(fs FS, dir string, readOnly bool) (*DB, error) {
	g := &guard{FS: fs, failed: make(chan struct{})}
	cache := pebble.NewCache(cacheSize)
	defer cache.Unref() // the database keeps its own reference
	opts := &pebble.Options{
		FS: g, Logger: g, EventListener: g.listener(),
		Cache: cache, MemTableSize: memTableSize, MaxOpenFiles: maxOpenFiles, MaxManifestFileSize: manifestSize,
		L0CompactionThreshold: mergeFrom, L0StopWritesThreshold: 2 * mergeFrom,
		FormatMajorVersion:         pebble.FormatNewest,               // no older one reads ours
		CompactionConcurrencyRange: func() (int, int) { return 1, 1 }, // the cores are for pages
		ReadOnly:                   readOnly, ErrorIfNotExists: readOnly,
	}
	opts.Experimental.ValueSeparationPolicy = valuesApart
	opts.Experimental.FileCacheShards = 1 // each is a goroutine, and only one reads
	var db *pebble.DB
	err := g.run(func() (err error) {
		if !readOnly {
			if err := markFormat(g, dir); err != nil {
				return err
			}
		}
		db, err = pebble.Open(dir, opts)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	g.opened.Store(true)
	return &DB{db, g}, nil
}

// markFormat marks a directory in which there is nothing as one of the newest format. Pebble would
// go through all formats since the oldest one, each with a mark of its own, synced twice.
func markFormat(fs vfs.FS, dir string) error {
	if names, err := fs.List(dir); err == nil && len(names) > 0 {
		return nil
	}
	if err := fs.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	marker, _, err := atomicfs.LocateMarker(fs, dir, "format-version")
	if err != nil {
		return err
	}
	return errors.Join(marker.Move(pebble.FormatNewest.String()), marker.Close())
}

// Get returns a copy of the value of key, nil if there is none.
func (db *DB) Get(key []byte) ([]byte, error) { return db.appendValue(nil, key) }

// appendValue appends the value of key to dst; it returns nil if there is none, and a
// slice that is not nil if the value is empty.
func (db *DB) appendValue(dst, key []byte) ([]byte, error) {
	if err := db.guard.err(); err != nil {
		return nil, err
	}
	value, closer, err := db.db.Get(key)
	switch {
	case errors.Is(err, pebble.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read state: %w", err)
	}
	if dst = append(dst, value...); dst == nil {
		dst = []byte{}
	}
	return dst, closer.Close()
}

// Scan calls fn with every key that begins with prefix and its value, keys ascending. The
// slices are valid during the call. It stops at the first error and returns it.
func (db *DB) Scan(prefix []byte, fn func(key, value []byte) error) error {
	if err := db.guard.err(); err != nil {
		return err
	}
	var bounds pebble.IterOptions
	if len(prefix) > 0 {
		bounds.LowerBound, bounds.UpperBound = prefix, successor(prefix)
	}
	it, err := db.db.NewIter(&bounds)
	if err != nil {
		return fmt.Errorf("read state: %w", err)
	}
	for it.First(); it.Valid(); it.Next() {
		value, err := it.ValueAndErr()
		if err == nil {
			err = fn(it.Key(), value)
		}
		if err != nil {
			return errors.Join(err, it.Close())
		}
	}
	if err := errors.Join(it.Error(), it.Close()); err != nil {
		return fmt.Errorf("read state: %w", err)
	}
	return nil
}

// has reports whether a key begins with prefix.
func (db *DB) has(prefix []byte) (bool, error) {
	found := errors.New("found")
	err := db.Scan(prefix, func([]byte, []byte) error { return found })
	if errors.Is(err, found) {
		return true, nil
	}
	return false, err
}

// successor returns the first key after all that begin with prefix; nil if there is none.
func successor(prefix []byte) []byte {
	next := slices.Clone(prefix)
	for i := len(next) - 1; i >= 0; i-- {
		if next[i]++; next[i] != 0 {
			return next[:i+1]
		}
	}
	return nil
}

// Commit applies b as a whole and returns when it is durable. On an error b may or may
// not have been committed: the next opening shows. The batch cannot be used again.
func (db *DB) Commit(b *Batch) error {
	if err := db.guard.err(); err != nil {
		return err
	}
	if err := db.guard.run(func() error { return db.db.Apply(b.batch, pebble.Sync) }); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return b.batch.Close() // into its pool
}

// Close ends background work and closes the files, within the time of one compaction; a
// database that failed is abandoned. Nothing else may be called afterwards.
func (db *DB) Close() error {
	if err := db.guard.err(); err != nil {
		return err
	}
	return db.guard.run(db.db.Close)
}

// Batch gathers changes that Commit applies together. It belongs to one goroutine at a
// time. A batch should stay below 1 MiB: Pebble writes a larger one as a table of its own.
type Batch struct {
	batch *pebble.Batch
	key   []byte // scratch of QueueWriter
}

// NewBatch returns an empty batch.
func (db *DB) NewBatch() *Batch { return &Batch{batch: db.db.NewBatch()} }

// Put sets the value of key. Both are copied.
func (b *Batch) Put(key, value []byte) { must(b.batch.Set(key, value, nil)) }

// Delete removes key, if it is there.
func (b *Batch) Delete(key []byte) { must(b.batch.Delete(key, nil)) }

// DeleteRange removes all keys with from <= key < to. It costs every later read in that
// range something; a few keys are better deleted one by one.
func (b *Batch) DeleteRange(from, to []byte) { must(b.batch.DeleteRange(from, to, nil)) }

// Len returns the size of the batch in bytes, a few before anything is in it.
func (b *Batch) Len() int { return b.batch.Len() }

// must checks calls that can fail only for an indexed batch, which ours are not.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
