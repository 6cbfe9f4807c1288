package ledger

import (
	"iter"
	"time"

	"crawler/dedup"
)

// Checks is where the questions come from that only the log on disk can answer.
type Checks interface {
	Waiting() int                        // how many wait to be taken
	Take() []uint64                      // their fingerprints
	Answer(found []bool)                 // in the same order
	Open(yield func(dedup.Pending) bool) // what a new filter must leave open
}

// tail is a part of the log on its way from memory to disk. Its URLs are in journal entries
// that were committed, up to the given one.
type tail struct {
	part *dedup.Part
	upto uint64
}

// rebuild is the filter's next generation.
type rebuild struct {
	next  *dedup.Rebuild // nil until it is begun
	layer int            // the next one to be added: -1, which is the URLs, to Config.Layers-1
	since time.Time
}

// Restarts is the time that restarts of the filter took.
type Restarts struct {
	Took         time.Duration // rebuilding it from the log on disk, while the crawl went on
	Longest      time.Duration
	LongestPause time.Duration // the longest the crawl stood still to put one in place
}

// Restarts returns what restarts of the filter took so far.
func (l *Ledger) Restarts() Restarts { return l.spent }

// Done is a channel of jobs that the keeper has done, to be given to Take.
func (l *Ledger) Done() <-chan *Job { return l.keeper.done }

// Take takes in a job that the keeper has done. An error is the Store's and closes the
// Ledger.
func (l *Ledger) Take(j *Job) error {
	l.running = nil
	if j.err != nil {
		l.Fail(j.err)
		return j.err
	}
	j.then()
	return nil
}

// Work gives the keeper its next job if it has none.
func (l *Ledger) Work(c Checks) {
	if l.running != nil || l.state == memory || l.state == closed {
		return
	}
	if l.running = l.next(c); l.running == nil {
		return
	}
	if k := l.running.kind; k == checking || k == rebuilding {
		l.turn = k
	}
	l.keeper.jobs <- l.running // it waits for nothing else
}

// next returns the job that comes next, nil if there is none.
func (l *Ledger) next(c Checks) (j *Job) {
	switch {
	case l.waiting != nil:
		j, l.waiting = l.waiting, nil
		return j
	case l.part != nil:
		return l.move()
	case l.rebuild != nil && (l.turn == checking || c.Waiting() == 0):
		return l.addLayer(c.Open)
	case c.Waiting() > 0:
		return l.check(c)
	}
	return nil
}

// check is the job of asking the log about all that waits.
func (l *Ledger) check(c Checks) *Job {
	fps := c.Take()
	found := make([]bool, len(fps))
	return &Job{
		kind: checking,
		do:   func() error { return l.keeper.check(fps, found) },
		then: func() { c.Answer(found) },
	}
}

// CheckNow asks the log about all that waits, after the keeper has ended.
func (l *Ledger) CheckNow(c Checks) error {
	for l.err == nil && c.Waiting() > 0 {
		j := l.check(c)
		if j.err = j.do(); j.err != nil {
			l.Fail(j.err)
			break
		}
		j.then()
	}
	return l.err
}

// freeze sends the tail of the log to disk when it has grown, and before a restart of the
// filter, which is rebuilt from there. What it holds is journalled up to the given entry.
func (l *Ledger) freeze(upto uint64) {
	if l.log == nil || l.part != nil || l.rebuild != nil {
		return
	}
	due := l.log.Due()
	if due {
		l.rebuild = &rebuild{layer: -1}
	}
	if due || l.log.TailLen() >= l.cfg.Tail {
		if part := l.log.Freeze(); part != nil {
			l.part = &tail{part, upto}
		}
	}
}

// move is the job of moving a part of the log to disk.
func (l *Ledger) move() *Job {
	t := l.part
	return &Job{
		kind: moving,
		do:   func() error { return l.keeper.sieve.Append(t.upto) },
		then: func() {
			t.part.Written()
			l.part = nil
		},
	}
}

// addLayer is the next job of rebuilding the filter from the log on disk: one layer, so that
// commits and checks need not wait for all of them. What is admitted meanwhile Adopt knows.
func (l *Ledger) addLayer(open iter.Seq[dedup.Pending]) *Job {
	r := l.rebuild
	if r.next == nil {
		r.next, r.since = l.log.Rebuild(), time.Now()
	}
	layer := r.layer
	r.layer++
	return &Job{
		kind: rebuilding,
		do:   func() error { return l.keeper.fill(r.next, layer) },
		then: func() {
			if r.layer == l.cfg.Layers {
				l.adopt(r, open)
			}
		},
	}
}

// adopt puts the filter's next generation in place.
func (l *Ledger) adopt(r *rebuild, open iter.Seq[dedup.Pending]) {
	pause := time.Now()
	r.next.Adopt(open)
	took := time.Since(r.since)
	l.spent.Took += took
	l.spent.Longest = max(l.spent.Longest, took)
	l.spent.LongestPause = max(l.spent.LongestPause, time.Since(pause))
	l.rebuild = nil
}
