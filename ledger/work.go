package ledger

import "crawler/dedup"

// Checks is where the questions come from that only the log on disk can answer.
type Checks interface {
	Waiting() int                        // how many wait to be taken
	Take() []uint64                      // their fingerprints
	Answer(found []bool)                 // in the same sequence
	Open(yield func(dedup.Pending) bool) // what a new filter must leave open
}

// Done is a channel of jobs that the keeper has done, to be given to Take.
func (l *Ledger) Done() <-chan *Job { return l.keeper.done }

// Take completes a job that the keeper has done. An error is the Store's and closes the
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
	case l.log.part != nil:
		return l.log.move()
	case l.log.rebuild != nil && (l.turn == checking || c.Waiting() == 0):
		return l.log.addLayer(c.Open)
	case c.Waiting() > 0:
		return l.log.check(c)
	}
	return nil
}

// CheckNow asks the log about all checks that wait, after the keeper has ended.
func (l *Ledger) CheckNow(c Checks) error {
	for l.err == nil && c.Waiting() > 0 {
		j := l.log.check(c)
		if j.err = j.do(); j.err != nil {
			l.Fail(j.err)
			break
		}
		j.then()
	}
	return l.err
}
