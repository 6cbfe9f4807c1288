package crawl

import (
	"time"

	"crawler/store"
)

// flushAfter is how long a record may wait in memory for others: a reader of the files
// is hardly behind, and a busy crawl need not write each record by itself.
const flushAfter = 100 * time.Millisecond

// record is the recorder: it gives every page and every refusal to the Recorder and
// sends the visits home. After the Recorder's first error nothing more is recorded,
// and the visits carry the error home, so that no page counts as done that is not
// recorded.
func (r *ring) record() {
	defer close(r.done)
	var failed error
	var flush <-chan time.Time // nil: nothing waits to be flushed
	visits, orders := r.visits, r.orders
	for visits != nil || orders != nil {
		select {
		case v, ok := <-visits:
			if !ok {
				visits = nil
				continue
			}
			if failed == nil && v.End == Fetched {
				failed = r.cfg.Recorder.Page(v)
			}
			v.refused = failed
			r.done <- home{visit: v}
		case o, ok := <-orders:
			if !ok {
				orders = nil
				continue
			}
			failed = r.obey(o, failed)
		case <-flush:
			flush = nil
			if failed == nil {
				failed = r.cfg.Recorder.Flush()
			}
			r.tell(failed)
			continue
		}
		if flush == nil {
			flush = time.After(flushAfter)
		}
		r.tell(failed)
	}
}

// tell makes the Recorder's first error known.
func (r *ring) tell(failed error) {
	if failed != nil && r.recordErr == nil {
		r.recordErr = failed
		r.failed <- failed
	}
}

// obey carries out an order, unless the Recorder has failed, and returns its error.
func (r *ring) obey(o order, failed error) error {
	for i := 0; i < len(o.skips) && failed == nil; i++ {
		failed = r.cfg.Recorder.Skip(o.skips[i])
	}
	if o.cut && failed == nil {
		failed = r.cut()
	}
	return failed
}

// cut sends home what the Recorder has to have committed for the pages sent home
// before.
func (r *ring) cut() error {
	b := r.cfg.Store.DB().NewBatch()
	if err := r.cutRecorder(b); err != nil {
		return err
	}
	r.done <- home{cut: b}
	return nil
}

// nowhere is the Recorder of those who want only the Result.
type nowhere struct{}

func (nowhere) Page(*Visit) error      { return nil }
func (nowhere) Skip(Skip) error        { return nil }
func (nowhere) Flush() error           { return nil }
func (nowhere) Cut(*store.Batch) error { return nil }
