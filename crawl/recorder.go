package crawl

import "crawler/store"

// record is the recorder: it gives every page and every refusal to the Recorder and
// sends the visits home. After the Recorder's first error nothing more is recorded,
// and the visits carry the error home, so that no page counts as done that is not
// recorded.
func (r *ring) record() {
	defer close(r.done)
	var failed error
	visits, orders := r.visits, r.orders
	for visits != nil || orders != nil {
		select {
		case v, ok := <-visits:
			if !ok {
				visits = nil
				break
			}
			if failed == nil && v.End == Fetched {
				failed = r.cfg.Recorder.Page(v)
			}
			v.refused = failed
			r.done <- home{visit: v}
		case o, ok := <-orders:
			if !ok {
				orders = nil
				break
			}
			for i := 0; i < len(o.skips) && failed == nil; i++ {
				failed = r.cfg.Recorder.Skip(o.skips[i])
			}
			if o.cut && failed == nil {
				failed = r.cut()
			}
		}
		if failed == nil && len(r.visits) == 0 {
			failed = r.cfg.Recorder.Flush()
		}
		if failed != nil && r.recordErr == nil {
			r.recordErr = failed
			r.failed <- failed
		}
	}
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
