package ledger

import (
	"cmp"
	"time"

	"crawler/dedup"
)

// When a commit is due, and how much may wait for one.
const (
	commitPages = 256         // pages settled since the last
	commitURLs  = 8 << 10     // URLs admitted since the last: a batch of half a MiB
	commitEvery = time.Second // since the first change after the last; see Config.Every
	maxUnsaved  = 4           // commits' worth not committed yet; then no page is leased
)

// Config sets what a Ledger keeps, and where.
type Config struct {
	Store    Store         // nil, or one that is not Durable, keeps nothing
	Layers   int           // of the filter
	Every    time.Duration // after a change: a commit is due; 0 stands for a second
	Tail     int           // admitted URLs in memory before they move to the log on disk
	MinFree  int64         // bytes; see LowDisk
	Restarts Restarts      // of the filter, in the runs before
}

// State is the part of a commit that the Ledger's owner adds, beside the recorder's.
type State interface {
	// Commit puts into b what changed since the last commit. seq is the commit's number;
	// last says that it is the crawl's last one.
	Commit(b Batch, seq uint64, last bool) error
	// Landed is called when the last commit that was sealed is durable.
	Landed()
}

// state is how far a commit has come; see the package comment.
type state uint8

const (
	memory state = iota
	gathering
	cutting
	sealed
	closed
)

// Ledger commits a crawl. See the package comment.
type Ledger struct {
	cfg     Config
	keeper  *keeper
	log     diskLog
	owner   State
	state   state
	err     error       // of the Store
	due     time.Time   // of the next commit; zero if nothing has changed since the last cut
	alarm   *time.Timer // fires then
	unsaved amount      // not committed yet
	sealing amount      // the part of unsaved that is in the commit under way
	notes   []note      // records that changed since the last cut
	seq     uint64      // number of the last commit that was sealed
	landed  uint64      // number of the last that is durable
	waiting *Job        // a commit, until the keeper is free
	running *Job        // the keeper's present one
	turn    kind        // checking or rebuilding, whichever came last: they take turns
}

// amount is work that is done, but not committed yet.
type amount struct{ pages, urls int }

// times reports whether a is n commits' worth or more.
func (a amount) times(n int) bool { return a.pages >= n*commitPages || a.urls >= n*commitURLs }

// maxKeptNotes is how many changed records keep their room for the next commit.
const maxKeptNotes = 1 << 10

// note is a record to be written or, without a value, deleted.
type note struct{ key, value []byte }

// Open returns the Ledger of a crawl, whose State is owner's. Close ends it.
func Open(cfg Config, owner State) (*Ledger, error) {
	cfg.Every = cmp.Or(cfg.Every, commitEvery)
	l := &Ledger{cfg: cfg, owner: owner, alarm: time.NewTimer(0)}
	l.alarm.Stop()
	l.keeper = newKeeper(nil)
	if cfg.Store != nil && cfg.Store.Durable() {
		log, err := cfg.Store.Log(cfg.Layers)
		if err != nil {
			return nil, err
		}
		l.keeper, l.state = newKeeper(log), gathering
	}
	l.log = diskLog{keeper: l.keeper, layers: cfg.Layers, most: cfg.Tail, spent: cfg.Restarts}
	return l, nil
}

// Begin sets what the crawl has admitted, and which commit was the last: 0 for a new crawl,
// whose seeds are committed at once.
func (l *Ledger) Begin(admits dedup.Durable, seq uint64) {
	l.seq, l.landed = seq, seq
	l.log.admits = admits
	l.log.urls, _ = admits.(*dedup.Logged)
	if seq == 0 {
		l.due = time.Now()
	}
}

// Durable reports whether the crawl survives its process.
func (l *Ledger) Durable() bool { return l.state != memory }

// Run is the keeper. It returns after Stop.
func (l *Ledger) Run() { l.keeper.run() }

// Stop ends the keeper. No job may be given to it any more.
func (l *Ledger) Stop() { close(l.keeper.jobs) }

// Close closes the log on disk.
func (l *Ledger) Close() error {
	if l.keeper.log == nil {
		return nil
	}
	return l.keeper.log.Close()
}

// Note records a change of one record for the next commit, nil for its deletion. It implies
// Changed(0).
func (l *Ledger) Note(key, value []byte) {
	if l.state != memory {
		l.notes = append(l.notes, note{key, value})
		l.Changed(0)
	}
}

// Changed records that there is something to commit: urls more URLs, or other changes if 0.
func (l *Ledger) Changed(urls int) {
	if l.state == memory {
		return
	}
	l.unsaved.urls += urls
	if l.due.IsZero() {
		l.due = time.Now().Add(l.cfg.Every)
		l.alarm.Reset(l.cfg.Every)
	}
}

// Settled records that one more page waits for a commit.
func (l *Ledger) Settled() {
	if l.state != memory {
		l.unsaved.pages++
		l.Changed(0)
	}
}

// Keeps reports whether a page may be requested: the seeds are committed, and not too much
// else waits for a commit.
func (l *Ledger) Keeps() bool {
	return l.state == memory || l.landed > 0 && !l.unsaved.times(maxUnsaved)
}

// Alarm returns a channel that fires when a commit is due.
func (l *Ledger) Alarm() <-chan time.Time { return l.alarm.C }

// WantsCut reports whether the recorder must be asked for its part of a commit.
func (l *Ledger) WantsCut(now time.Time) bool {
	return l.state == gathering && !l.due.IsZero() && (!now.Before(l.due) || l.unsaved.times(1))
}

// CutSent records that the recorder was asked because of WantsCut. In any other state it does
// nothing.
func (l *Ledger) CutSent() {
	if l.state != gathering {
		return
	}
	l.state, l.due = cutting, time.Time{}
	l.alarm.Stop()
}

// Seal takes the recorder's part of a commit, adds all others, and has the commit carried
// out. A cut that was on its way when the Ledger was closed starts no commit, since none
// could be carried out. An error is the Store's and closes the Ledger.
func (l *Ledger) Seal(b Batch) error {
	if l.state != cutting {
		return nil
	}
	if err := l.fill(b, false); err != nil {
		l.Fail(err)
		return err
	}
	l.state, l.sealing = sealed, l.unsaved
	l.waiting = &Job{kind: committing, do: func() error { return l.cfg.Store.Commit(b) }, then: l.land}
	return nil
}

// land ends a commit. One that was under way when the Ledger was closed is durable
// nevertheless, but it is the last.
func (l *Ledger) land() {
	if l.state == sealed {
		l.state = gathering
	}
	l.landed = l.seq
	l.unsaved.pages -= l.sealing.pages
	l.unsaved.urls -= l.sealing.urls
	l.owner.Landed()
}

// fill adds to a commit what changed since the last one.
func (l *Ledger) fill(b Batch, last bool) error {
	l.seq++
	if err := l.owner.Commit(b, l.seq, last); err != nil {
		return err
	}
	if err := l.log.commit(b, last); err != nil {
		return err
	}
	for _, n := range l.notes {
		if n.value == nil {
			b.Delete(n.key)
		} else {
			b.Put(n.key, n.value)
		}
	}
	clear(l.notes) // or the records live on until others take their place
	if l.notes = l.notes[:0]; cap(l.notes) > maxKeptNotes {
		l.notes = nil
	}
	return nil
}

// Last carries out the crawl's last commit, after the keeper has ended. b has the recorder's
// part.
func (l *Ledger) Last(b Batch) error {
	err := l.fill(b, true)
	if err == nil {
		err = l.cfg.Store.Commit(b)
	}
	return err
}

// Fail closes the Ledger for an error of the Store: what was committed is all that is safe.
// The first error is kept.
func (l *Ledger) Fail(err error) {
	if l.err == nil {
		l.err = err
	}
	l.Shut()
}

// Shut closes the Ledger: the recorder has failed, and what was committed is all that counts
// as recorded.
func (l *Ledger) Shut() {
	if l.state != memory {
		l.state, l.waiting = closed, nil
	}
}

// Closed reports whether nothing is committed any more.
func (l *Ledger) Closed() bool { return l.state == closed }

// Err returns the error of the Store that closed the Ledger.
func (l *Ledger) Err() error { return l.err }

// Idle reports whether the keeper has nothing to do and no commit is under way.
func (l *Ledger) Idle() bool {
	return l.running == nil && (l.state == memory || l.state == gathering || l.state == closed)
}

// LowDisk reports whether the disk has fewer bytes free than Config.MinFree: time to stop,
// while there is room for the last commit. A disk that does not say what it has free is not
// watched.
func (l *Ledger) LowDisk() bool {
	if l.cfg.Store == nil || l.cfg.MinFree <= 0 {
		return false
	}
	free, err := l.cfg.Store.Free()
	return err == nil && free < l.cfg.MinFree
}
