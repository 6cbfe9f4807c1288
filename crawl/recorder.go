package crawl

// record is the recorder: it gives every page and every refusal to the Recorder and
// sends the visits home. After the Recorder's first error nothing more is recorded,
// and the visits carry the error home, so that no page counts as done that is not
// recorded.
func (r *ring) record() {
	defer close(r.done)
	var failed error
	visits, skips := r.visits, r.skips
	for visits != nil || skips != nil {
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
			r.done <- v
		case batch, ok := <-skips:
			if !ok {
				skips = nil
				break
			}
			for i := 0; i < len(batch) && failed == nil; i++ {
				failed = r.cfg.Recorder.Skip(batch[i])
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

// nowhere is the Recorder of those who want only the Result.
type nowhere struct{}

func (nowhere) Page(*Visit) error { return nil }
func (nowhere) Skip(Skip) error   { return nil }
func (nowhere) Flush() error      { return nil }
