package store

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
)

const (
	// fanIn is how many runs of a tier are merged into one of the next.
	fanIn = 4

	// maxFanIn bounds the memory of a merge, when more runs than fanIn were written
	// while another merge was under way.
	maxFanIn = 16

	// lowestTier is the tier of all runs of less than 4^7 fingerprints.
	lowestTier = 6
)

// merging is a merge in the background. The runs it reads never change and are not
// closed before it ends.
type merging struct {
	runs   []*run
	cancel context.CancelFunc
	done   chan merged // takes one message
}

type merged struct {
	run *run
	err error
}

// tier returns the logarithm of the run's fingerprints to base 4, at least lowestTier.
func (r *run) tier() int {
	return max((bits.Len64(uint64(r.total()))-1)/2, lowestTier)
}

// due returns the runs of the lowest tier that has enough runs outside the merge under way.
// So a tier has at most 3 runs, besides those that were written during a merge.
func (s *Sieve) due() []*run {
	tiers := map[int][]*run{}
	best := -1
	for _, r := range s.runs {
		if s.merging != nil && slices.Contains(s.merging.runs, r) {
			continue
		}
		t := r.tier()
		tiers[t] = append(tiers[t], r)
		if len(tiers[t]) >= fanIn && (best < 0 || t < best) {
			best = t
		}
	}
	runs := tiers[best] // none if nothing is due
	return runs[:min(len(runs), maxFanIn)]
}

// merge merges until nothing is due, large runs in the background.
func (s *Sieve) merge() error {
	for {
		runs := s.due()
		if len(runs) == 0 {
			return nil
		}
		total := int64(0)
		for _, r := range runs {
			total += r.total()
		}
		if total > s.background {
			if s.merging != nil {
				return nil // one at a time; a later Append looks again
			}
			if err := s.startMerging(runs); err != nil {
				return err
			}
			continue
		}
		w, err := s.create()
		if err != nil {
			return err
		}
		r, err := mergeRuns(context.Background(), w, runs)
		if err != nil {
			return err
		}
		if err := s.install(runs, r, s.appended); err != nil {
			return err
		}
	}
}

// mergeRuns writes all fingerprints of runs to w.
func mergeRuns(ctx context.Context, w *runWriter, runs []*run) (*run, error) {
	for i := range w.info.counts {
		u := newUnion(runs, i)
		for {
			fps, err := u.step()
			if err == nil {
				err = ctx.Err()
			}
			if err == nil {
				err = w.add(i, fps)
			}
			if err != nil {
				return nil, w.abort(fmt.Errorf("merge: %w", err))
			}
			if len(fps) == 0 {
				break
			}
		}
	}
	r, err := w.finish()
	if err != nil {
		return nil, w.abort(fmt.Errorf("merge: %w", err))
	}
	return r, nil
}

// startMerging merges runs in a goroutine that owns the new file until it is done.
func (s *Sieve) startMerging(runs []*run) error {
	w, err := s.create()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	m := &merging{runs: runs, cancel: cancel, done: make(chan merged, 1)}
	s.merging = m
	go func() {
		r, err := mergeRuns(ctx, w, runs)
		m.done <- merged{r, err}
	}()
	return nil
}

// adopt takes the result of the merge in the background, if there is one.
func (s *Sieve) adopt() error {
	if s.merging == nil {
		return nil
	}
	select {
	case m := <-s.merging.done:
		old := s.merging.runs
		s.merging.cancel()
		s.merging = nil
		if m.err != nil {
			return m.err
		}
		return s.install(old, m.run, s.appended)
	default:
		return nil
	}
}

// stopMerging ends the merge in the background and drops what it wrote: the manifest
// does not list it.
func (s *Sieve) stopMerging() error {
	if s.merging == nil {
		return nil
	}
	s.merging.cancel()
	m := <-s.merging.done
	s.merging = nil
	if m.run == nil {
		return nil // cancelled, or failed with nothing lost
	}
	_ = s.fs.Remove(m.run.path)
	return m.run.file.Close()
}
