package ledger

import (
	"iter"
	"time"

	"crawler/dedup"
)

// diskLog is the log of admitted URLs on disk, and what moves there from memory. The filter
// is rebuilt from it.
type diskLog struct {
	keeper  *keeper
	admits  dedup.Durable // what was admitted
	urls    *dedup.Logged // the same, if its URLs move to the log on disk
	layers  int
	most    int      // URLs in memory before they move
	part    *tail    // on its way to disk
	rebuild *rebuild // of the filter, to be made or under way
	spent   Restarts
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
	layer int            // the next one to be added: -1, which is the URLs, to diskLog.layers-1
	since time.Time
}

// Restarts is the time that restarts of the filter took.
type Restarts struct {
	Took         time.Duration // rebuilding it from the log on disk, while the crawl continued
	Longest      time.Duration
	LongestPause time.Duration // the longest the crawl stood still to put one in place
}

// check is the job of asking the log about all checks that wait.
func (l *diskLog) check(c Checks) *Job {
	fps := c.Take()
	found := make([]bool, len(fps))
	return &Job{
		kind: checking,
		do:   func() error { return l.keeper.check(fps, found) },
		then: func() { c.Answer(found) },
	}
}

// commit adds to a commit what was admitted since the last one.
func (l *diskLog) commit(b Batch, last bool) error {
	urls, prefixes := l.admits.TakeNew()
	journalled := l.keeper.log.Journal(b, urls, prefixes)
	account, err := l.admits.AppendAccount(nil)
	if err != nil {
		return err
	}
	b.Put(accountKey(), account)
	if !last {
		l.freeze(journalled)
	}
	return nil
}

// freeze sends the tail of the log to disk when it has grown, and before a restart of the
// filter, which is rebuilt from there. What it holds is journalled up to the given entry.
func (l *diskLog) freeze(upto uint64) {
	if l.urls == nil || l.part != nil || l.rebuild != nil {
		return
	}
	due := l.urls.Due()
	if due {
		l.rebuild = &rebuild{layer: -1}
	}
	if due || l.urls.TailLen() >= l.most {
		if part := l.urls.Freeze(); part != nil {
			l.part = &tail{part, upto}
		}
	}
}

// move is the job of moving a part of the log to disk.
func (l *diskLog) move() *Job {
	t := l.part
	return &Job{
		kind: moving,
		do:   func() error { return l.keeper.log.Append(t.upto) },
		then: func() {
			t.part.Written()
			l.part = nil
		},
	}
}

// addLayer is the next job of rebuilding the filter from the log on disk: one layer, so that
// commits and checks need not wait for all of them. Adopt adds what is admitted meanwhile.
func (l *diskLog) addLayer(open iter.Seq[dedup.Pending]) *Job {
	r := l.rebuild
	if r.next == nil {
		r.next, r.since = l.urls.Rebuild(), time.Now()
	}
	layer := r.layer
	r.layer++
	return &Job{
		kind: rebuilding,
		do:   func() error { return l.keeper.fill(r.next, layer) },
		then: func() {
			if r.layer == l.layers {
				l.adopt(r, open)
			}
		},
	}
}

// adopt puts the filter's next generation in place.
func (l *diskLog) adopt(r *rebuild, open iter.Seq[dedup.Pending]) {
	pause := time.Now()
	r.next.Adopt(open)
	took := time.Since(r.since)
	l.spent.Took += took
	l.spent.Longest = max(l.spent.Longest, took)
	l.spent.LongestPause = max(l.spent.LongestPause, time.Since(pause))
	l.rebuild = nil
}
