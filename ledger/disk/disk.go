// Package disk lets a crawl survive in a crawl directory: it makes a ledger.Store of a
// store.Dir.
//
//	dir, err := store.Create(store.Disk(), "out", store.Meta{Seeds: seeds}, true)
//	...
//	crawl.Run(ctx, crawl.Config{Seeds: seeds, Store: disk.Of(dir), ...})
//
// It is a room of its own so that a crawl in memory does not bring a database along: crawl
// and ledger know what they want of a Store, store knows nothing of them.
package disk

import (
	"crawler/frontier"
	"crawler/ledger"
	"crawler/store"
)

// Of returns the Store that dir is, nil if dir is. It stays the caller's to close.
func Of(dir *store.Dir) ledger.Store {
	if dir == nil {
		return nil
	}
	return directory{dir}
}

// directory is a Dir as a Ledger sees it. What it hands out, it gets back.
type directory struct{ *store.Dir }

func (d directory) Get(key []byte) ([]byte, error) { return d.DB().Get(key) }

func (d directory) Scan(prefix []byte, fn func(key, value []byte) error) error {
	return d.DB().Scan(prefix, fn)
}

func (d directory) NewBatch() ledger.Batch { return d.DB().NewBatch() }

func (d directory) Commit(b ledger.Batch) error {
	if err := d.Sync(); err != nil {
		return err
	}
	return d.DB().Commit(b.(*store.Batch))
}

func (d directory) Queue() ledger.Queue { return queue{d.Dir.Queue()} }

func (d directory) Log(layers int) (ledger.Log, error) {
	log, err := d.Sieve(layers)
	if err != nil {
		return nil, err
	}
	return log, nil
}

// queue is a Dir's Queue.
type queue struct{ *store.Queue }

func (q queue) Writer(b ledger.Batch) frontier.Writer { return q.Queue.Writer(b.(*store.Batch)) }
