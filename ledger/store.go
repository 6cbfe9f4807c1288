package ledger

import "crawler/frontier"

// Store is where a crawl survives. Package ledger/disk makes one of a crawl directory; a
// crawl in memory needs none.
type Store interface {
	Durable() bool // false keeps nothing: then only Free is asked
	Resumed() bool // it holds a crawl already
	Get(key []byte) ([]byte, error)
	Scan(prefix []byte, fn func(key, value []byte) error) error
	NewBatch() Batch
	// Commit makes b durable, with everything recorded before b was cut. b is from NewBatch
	// and must not be used again.
	Commit(b Batch) error
	Queue() Queue
	Log(layers int) (Log, error)
	Free() (bytes int64, err error)
}

// Batch gathers the records of a commit.
type Batch interface {
	Put(key, value []byte)
	Delete(key []byte)
	DeleteRange(from, to []byte) // from <= key < to
}

// Putter is the part of a Batch that takes records.
type Putter = interface{ Put(key, value []byte) }

// Queue is the frontier's part of a Store.
type Queue interface {
	frontier.Disk
	Hosts(fn func(host string, state []byte) error) error
	Writer(b Batch) frontier.Writer
}

// Log is the exact log of admitted URLs on disk; store.Sieve is one, and says what its
// methods promise.
type Log interface {
	Append(upto uint64) error
	Check(fps []uint64, found []bool) error
	Each(layer int, fn func(fps []uint64) error) error
	EachJournalled(fn func(urls []uint64, prefixes [][]uint64) error) error
	Journal(b Putter, urls []uint64, prefixes [][]uint64) (entry uint64)
	Journalled() (entry uint64)
	Len(layer int) int64
	Close() error
}
