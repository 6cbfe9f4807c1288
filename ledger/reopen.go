package ledger

import (
	"fmt"
	"slices"

	"crawler/dedup"
	"crawler/weburl"
)

// accountKey is the key of the record of what the filter knows, except for its bits; see
// docs/format/engine.md.
func accountKey() []byte { return []byte("maccount") }

// readAccount reads that record, nil if nothing was ever committed.
func readAccount(s Store) (*dedup.Reopened, error) {
	account, err := s.Get(accountKey())
	if err != nil || account == nil {
		return nil, err
	}
	log, err := dedup.Reopen(account)
	if err != nil {
		return nil, fmt.Errorf("the crawl's state is damaged: record account: %w", err)
	}
	return log, nil
}

// Reopen rebuilds from the log on disk what the last commit had admitted.
func (l *Ledger) Reopen() (*dedup.Reopened, error) {
	r, err := readAccount(l.cfg.Store)
	if err != nil {
		return nil, err
	}
	return r, l.log.fill(r)
}

// fill gives r everything in the log on disk.
func (l *diskLog) fill(r *dedup.Reopened) error {
	log := l.keeper.log
	if !r.Config().FilterOnly {
		if err := log.Append(log.Journalled()); err != nil {
			return err
		}
	}
	for layer := -1; layer < l.layers; layer++ {
		if err := l.keeper.fill(r, layer); err != nil {
			return err
		}
	}
	return log.EachJournalled(func(urls []uint64, prefixes [][]uint64) error {
		r.Add(-1, urls)
		for i, p := range prefixes {
			r.Add(i, p)
		}
		return nil
	})
}

// Verify reads the whole log on disk of the crawl in s, and returns how many URLs it has.
func Verify(s Store) (urls int64, err error) {
	r, err := readAccount(s)
	if err != nil || r == nil {
		return 0, err
	}
	layers := r.Config().Layers
	log, err := s.Log(layers)
	if err != nil {
		return 0, err
	}
	defer log.Close()
	for layer := -1; layer < layers; layer++ {
		err := log.Each(layer, func(fps []uint64) error {
			if layer < 0 {
				urls += int64(len(fps))
			}
			return nil
		})
		if err != nil {
			return urls, err
		}
	}
	return urls, log.EachJournalled(func(more []uint64, _ [][]uint64) error {
		urls += int64(len(more))
		return nil
	})
}

// Logged returns how many URLs the log on disk holds.
func (l *Ledger) Logged() int64 { return l.keeper.log.Len(-1) }

// Restarts returns what restarts of the filter took so far.
func (l *Ledger) Restarts() Restarts { return l.log.spent }

// Admitted reports whether u was admitted by the crawl in s, as its exact log says.
func Admitted(s Store, u weburl.URL) (bool, error) {
	r, err := readAccount(s)
	if err != nil || r == nil {
		return false, err
	}
	log, err := s.Log(r.Config().Layers)
	if err != nil {
		return false, err
	}
	defer log.Close()
	fp := r.Pending(u).Fingerprint()
	found := []bool{false}
	if err := log.Check([]uint64{fp}, found); err != nil {
		return false, err
	}
	err = log.EachJournalled(func(urls []uint64, _ [][]uint64) error {
		found[0] = found[0] || slices.Contains(urls, fp)
		return nil
	})
	return found[0], err
}
