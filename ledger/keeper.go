package ledger

import (
	"cmp"
	"slices"
)

// keeper is the goroutine that waits for the disk in the owner's place: one job at a time,
// in order. It alone reads and writes the exact log.
type keeper struct {
	log  Log       // nil in memory
	jobs chan *Job // owner -> keeper
	done chan *Job // keeper -> owner

	lookups []lookup // of check, for reuse
	fps     []uint64
	found   []bool
}

// Job is one piece of the keeper's work. do runs in the keeper; then, unless do failed, in
// the owner.
type Job struct {
	kind kind
	do   func() error
	then func()
	err  error
}

// kind is what a Job does.
type kind uint8

const (
	committing kind = iota
	moving
	checking
	rebuilding
)

func newKeeper(log Log) *keeper {
	// There is never more than one job, so the keeper never waits to hand it back.
	return &keeper{log: log, jobs: make(chan *Job), done: make(chan *Job, 1)}
}

func (k *keeper) run() {
	for j := range k.jobs {
		j.err = j.do()
		k.done <- j
	}
}

// lookup is a question to the exact log.
type lookup struct {
	fp uint64
	at int // its place in the sequence of questions
}

// check asks the exact log about fingerprints and answers in their sequence.
func (k *keeper) check(fps []uint64, found []bool) error {
	k.lookups = k.lookups[:0]
	for i, fp := range fps {
		k.lookups = append(k.lookups, lookup{fp, i})
	}
	slices.SortFunc(k.lookups, func(a, b lookup) int { return cmp.Compare(a.fp, b.fp) })
	k.fps, k.found = k.fps[:0], slices.Grow(k.found[:0], len(fps))[:len(fps)]
	for _, l := range k.lookups {
		k.fps = append(k.fps, l.fp)
	}
	if err := k.log.Check(k.fps, k.found); err != nil {
		return err
	}
	for i, l := range k.lookups {
		found[l.at] = k.found[i]
	}
	return nil
}

// generation is what the log on disk is read into: a filter's next generation.
type generation interface {
	Add(layer int, fps []uint64)
}

// fill gives a layer of the log on disk, -1 for the URLs, to a filter's next generation.
func (k *keeper) fill(g generation, layer int) error {
	return k.log.Each(layer, func(fps []uint64) error {
		g.Add(layer, fps)
		return nil
	})
}
