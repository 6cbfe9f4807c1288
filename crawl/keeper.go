package crawl

import (
	"cmp"
	"slices"
	"time"

	"crawler/dedup"
	"crawler/store"
)

// keeper is the goroutine that waits for the disk in the coordinator's place: one job
// at a time, in order. It alone reads and writes the exact log. A crawl that does not
// survive its process gives it nothing to do.
type keeper struct {
	store *store.Dir
	sieve *store.Sieve
	jobs  chan *job // coordinator -> keeper
	kept  chan *job // keeper -> coordinator

	names []uint64 // of check, to be used again
	found []bool
}

// job is one piece of the keeper's work. do runs in the keeper; then, unless do
// failed, in the coordinator.
type job struct {
	do   func() error
	then func()
	err  error
}

func newKeeper(dir *store.Dir, sieve *store.Sieve) *keeper {
	return &keeper{store: dir, sieve: sieve, jobs: make(chan *job), kept: make(chan *job, 1)}
}

func (k *keeper) run() {
	for j := range k.jobs {
		j.err = j.do()
		k.kept <- j // there is never more than one job
	}
}

// commit makes everything in b durable, and all that was recorded before b was cut.
func (k *keeper) commit(b *store.Batch) error {
	if err := k.store.Sync(); err != nil {
		return err
	}
	return k.store.DB().Commit(b)
}

// lookup is a question to the exact log and its answer.
type lookup struct {
	name  uint64
	at    int // in doubts.checking
	found bool
}

// check asks the exact log.
func (k *keeper) check(list []lookup) error {
	slices.SortFunc(list, func(a, b lookup) int { return cmp.Compare(a.name, b.name) })
	k.names, k.found = k.names[:0], slices.Grow(k.found[:0], len(list))[:len(list)]
	for i := range list {
		k.names = append(k.names, list[i].name)
	}
	clear(k.found)
	if err := k.sieve.Check(k.names, k.found); err != nil {
		return err
	}
	for i := range list {
		list[i].found = k.found[i]
	}
	return nil
}

// rebuild gives a layer of the log on disk, -1 for the URLs, to the filter's next
// generation.
func (k *keeper) rebuild(b *dedup.Rebuild, layer int) error {
	return k.sieve.Each(layer, func(names []uint64) error {
		b.Add(layer, names)
		return nil
	})
}

// Audit tells what keeping the filter exact has taken.
type Audit struct {
	Mode           string        // "exact": doubts are settled by the log on disk; "memory": by one in memory; "filter": not at all
	Maybe          int64         // questions that had to wait for the log on disk
	Restarting     time.Duration // spent rebuilding the filter from the log on disk, while the crawl went on
	LongestRestart time.Duration
	LongestPause   time.Duration // the longest the coordinator stood still to put one in place
}
