package crawl

import (
	"errors"
	"time"

	"crawler/gate"
)

// flushAfter is how long a record may wait in memory for others, so that a reader of the
// files is hardly behind, and a busy crawl need not write each record by itself.
const flushAfter = 100 * time.Millisecond

// record is the recorder: it gives every page, redirect and refusal to the Recorder and sends
// the visits on to the coordinator. After the Recorder's first error nothing more is
// recorded, and the visits carry the error along, so that no page counts as done that is not
// recorded.
func (r *ring) record() {
	defer close(r.done)
	var failed error
	var flush <-chan time.Time // nil: nothing waits to be flushed
	visits, commands := r.visits, r.commands
	for visits != nil || commands != nil {
		select {
		case v, ok := <-visits:
			if !ok {
				visits = nil
				continue
			}
			if failed == nil {
				failed = r.recordVisit(v)
			}
			v.refused = failed
			v.release(r.bodies)
			r.done <- recorded{visit: v}
		case cmd, ok := <-commands:
			if !ok {
				commands = nil
				continue
			}
			failed = r.handle(cmd, failed)
		case <-flush:
			flush = nil
			if failed == nil {
				failed = r.unlessStopped(r.cfg.Recorder.Flush())
			}
			r.signal(failed)
			continue
		}
		if flush == nil {
			flush = time.After(flushAfter)
		}
		r.signal(failed)
	}
}

// recordVisit gives the Recorder the page and the exchanges of a visit.
func (r *ring) recordVisit(v *Visit) error {
	if v.hookErr != nil {
		return v.hookErr
	}
	if r.exchanges != nil {
		for i := range v.exchanges {
			if err := r.unlessStopped(r.exchanges.Exchange(v, &v.exchanges[i])); err != nil {
				return err
			}
		}
	}
	if robots, ok := r.cfg.Recorder.(RobotsRecorder); ok && v.Rules != nil {
		robots.Robots(v)
	}
	switch {
	case v.LinksOnly: // the gate has it recorded as that
		return nil
	case v.End == Fetched:
		return r.unlessStopped(r.cfg.Recorder.Page(v))
	case v.End == Redirected:
		return r.unlessStopped(r.cfg.Recorder.Redirect(v))
	}
	return nil
}

// unlessStopped returns err, unless it says that the crawl must stop, which is no error.
func (r *ring) unlessStopped(err error) error {
	if !errors.Is(err, ErrStop) {
		return err
	}
	select {
	case r.stops <- struct{}{}:
	default: // it was reported before
	}
	return nil
}

// signal reports the Recorder's first error to the coordinator.
func (r *ring) signal(failed error) {
	if failed != nil && r.recordErr == nil {
		r.recordErr = failed
		r.failed <- failed
	}
}

// handle carries out a command, unless the Recorder has failed, and returns its error.
func (r *ring) handle(cmd recorderCmd, failed error) error {
	for i := 0; i < len(cmd.skips) && failed == nil; i++ {
		failed = r.unlessStopped(r.cfg.Recorder.Skip(cmd.skips[i]))
	}
	if cmd.cut && failed == nil {
		failed = r.cut()
	}
	return failed
}

// cut sends what the Recorder must have committed for the visits that were sent before.
func (r *ring) cut() error {
	b := r.cfg.Store.NewBatch()
	if err := r.cutRecorder(b); err != nil {
		return err
	}
	r.done <- recorded{cut: b}
	return nil
}

// nowhere is the Recorder of those who want only the Result.
type nowhere struct{}

func (nowhere) Page(*Visit) error     { return nil }
func (nowhere) Redirect(*Visit) error { return nil }
func (nowhere) Skip(gate.Skip) error  { return nil }
func (nowhere) Flush() error          { return nil }
func (nowhere) Cut(Batch) error       { return nil }
