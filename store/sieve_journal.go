package store

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

const (
	journalVersion = 1

	// maxSort is how many fingerprints Append sorts at a time, in 8 MiB.
	maxSort = 1 << 20

	// Entries that are deleted one by one; more are a range, which costs every read
	// something until a compaction.
	maxPointDeletes = 16
)

func entryKey(seq uint64) []byte { return binary.BigEndian.AppendUint64([]byte{'s'}, seq) }

// Journal adds to b, as one entry, the fingerprints of the URLs admitted since the last
// call and for each layer those of their prefixes that may be new; no entry if there are
// none. It returns the number of the last entry, which is in the log once b is committed.
// Batches must be committed in the sequence of these calls. It costs a copy of 8 bytes each.
func (s *Sieve) Journal(b Putter, urls []uint64, prefixes [][]uint64) uint64 {
	if len(prefixes) > s.layers {
		panic(fmt.Sprintf("store: prefixes of %d layers in a log for %d", len(prefixes), s.layers))
	}
	n := len(urls)
	for _, p := range prefixes {
		n += len(p)
	}
	if n == 0 {
		return s.journalled
	}
	s.entry = append(s.entry[:0], journalVersion, byte(s.layers))
	s.entry = binary.AppendUvarint(s.entry, uint64(len(urls)))
	for i := range s.layers {
		count := 0
		if i < len(prefixes) {
			count = len(prefixes[i])
		}
		s.entry = binary.AppendUvarint(s.entry, uint64(count))
	}
	s.entry = appendFps(s.entry, urls)
	for _, p := range prefixes {
		s.entry = appendFps(s.entry, p)
	}
	s.journalled++
	b.Put(entryKey(s.journalled), s.entry)
	return s.journalled
}

// Journalled returns the number of the last entry. Right after opening that is the last
// one committed, so that Append(Journalled()) brings the runs up to date.
func (s *Sieve) Journalled() uint64 { return s.journalled }

func appendFps(dst []byte, fps []uint64) []byte {
	for _, fp := range fps {
		dst = binary.LittleEndian.AppendUint64(dst, fp)
	}
	return dst
}

// decodeEntry appends the fingerprints of an entry to the sections.
func decodeEntry(b []byte, sections [][]uint64) error {
	if len(b) < 2 {
		return fmt.Errorf("it %w: it has %d bytes", ErrDamaged, len(b))
	}
	if b[0] != journalVersion {
		return fmt.Errorf("version %d, this program knows %d: use a newer one", b[0], journalVersion)
	}
	if int(b[1]) != len(sections)-1 {
		return fmt.Errorf("it is of a filter with %d layers, not %d: use as many", b[1], len(sections)-1)
	}
	b = b[2:]
	var counts [1 + maxLayers]uint64
	total := uint64(0)
	for i := range sections {
		n, size := binary.Uvarint(b)
		if size <= 0 || n > uint64(len(b)) {
			return fmt.Errorf("it %w: no count of section %d", ErrDamaged, i)
		}
		counts[i] = n
		total += n
		b = b[size:]
	}
	if uint64(len(b)) != 8*total {
		return fmt.Errorf("it %w: %d bytes for %d fingerprints", ErrDamaged, len(b), total)
	}
	for i := range sections {
		for range counts[i] {
			sections[i] = append(sections[i], binary.LittleEndian.Uint64(b))
			b = b[8:]
		}
	}
	return nil
}

// entries calls fn with each entry that is not in the runs, in order.
func (s *Sieve) entries(fn func(seq uint64, value []byte) error) error {
	last := s.appended
	return s.db.Scan([]byte{'s'}, func(key, value []byte) error {
		if len(key) != 9 {
			return fmt.Errorf("journal key %x %w: it has %d bytes", key, ErrDamaged, len(key))
		}
		seq := binary.BigEndian.Uint64(key[1:])
		if seq != last+1 {
			return fmt.Errorf("journal %w: entry %d follows entry %d", ErrDamaged, seq, last)
		}
		last = seq
		return fn(seq, value)
	})
}

// EachJournalled calls fn with the fingerprints of each entry that is not in the runs
// yet, as they were admitted. The slices are valid during the call.
func (s *Sieve) EachJournalled(fn func(urls []uint64, prefixes [][]uint64) error) error {
	sections := make([][]uint64, 1+s.layers)
	return s.entries(func(seq uint64, value []byte) error {
		for i := range sections {
			sections[i] = sections[i][:0]
		}
		if err := decodeEntry(value, sections); err != nil {
			return fmt.Errorf("journal entry %d: %w", seq, err)
		}
		return fn(sections[0], sections[1:])
	})
}

// Append makes runs of the entries up to the given one, which must have been committed,
// and returns when Check and Each know them, durably. It reads the entries from the
// database, so nothing uncommitted can get into a run. Then it merges runs as is
// due; large merges continue in the background, and a later Append takes their result.
//
// It takes about 0.1 microseconds a fingerprint and three syncs, and 16 MiB at most for
// sorting. After an error nothing is lost, and Append may be tried again.
func (s *Sieve) Append(upto uint64) error {
	if err := s.append(upto); err != nil {
		return fmt.Errorf("log of seen URLs: %w", err)
	}
	return nil
}

func (s *Sieve) append(upto uint64) error {
	if err := s.prepare(); err != nil {
		return err
	}
	if err := s.adopt(); err != nil {
		return err
	}
	for s.appended < upto {
		if err := s.appendRun(upto); err != nil {
			return err
		}
	}
	return s.merge()
}

var errEnough = errors.New("enough")

// appendRun makes a run of as many entries as it sorts at a time.
func (s *Sieve) appendRun(upto uint64) error {
	sections := make([][]uint64, 1+s.layers)
	last, n := s.appended, 0
	err := s.entries(func(seq uint64, value []byte) error {
		n += len(value) / 8
		if seq > upto || n > s.maxSort && last > s.appended {
			return errEnough
		}
		last = seq
		return decodeEntry(value, sections)
	})
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	if last == s.appended {
		return fmt.Errorf("journal entry %d was not committed", last+1)
	}
	r, err := s.writeRun(sections)
	if err != nil {
		return err
	}
	return s.install(nil, r, last)
}

// writeRun sorts the fingerprints and writes them as a run.
func (s *Sieve) writeRun(sections [][]uint64) (*run, error) {
	w, err := s.create()
	if err != nil {
		return nil, err
	}
	for i, fps := range sections {
		slices.Sort(fps)
		if err := w.add(i, slices.Compact(fps)); err != nil {
			return nil, w.abort(err)
		}
	}
	r, err := w.finish()
	if err != nil {
		return nil, w.abort(err)
	}
	return r, nil
}

// create begins the next run. A number is used once, even by a run that is abandoned.
func (s *Sieve) create() (*runWriter, error) {
	w, err := createRun(s.fs, s.path(s.next), s.next, s.layers)
	s.next++
	return w, err
}

// install commits a manifest with r in place of the old runs and with the entries up to
// appended in the runs; these entries are deleted with it, and then the old files.
func (s *Sieve) install(old []*run, r *run, appended uint64) error {
	runs := slices.DeleteFunc(slices.Clone(s.runs), func(x *run) bool { return slices.Contains(old, x) })
	runs = append(runs, r)
	slices.SortFunc(runs, func(a, b *run) int { return cmp.Compare(a.number, b.number) })
	if err := s.db.Commit(s.change(runs, appended)); err != nil {
		// Only the next opening shows whether it was committed, so no file may be deleted.
		return errors.Join(err, r.file.Close())
	}
	s.runs, s.appended = runs, appended
	var err error
	for _, x := range old {
		err = errors.Join(err, x.file.Close(), s.fs.Remove(x.path))
	}
	return err
}

// change returns the batch of install.
func (s *Sieve) change(runs []*run, appended uint64) *Batch {
	b := s.db.NewBatch()
	m := manifest{appended: appended, next: s.next}
	for _, r := range runs {
		m.runs = append(m.runs, r.runInfo)
	}
	b.Put(manifestKey(), appendManifest(nil, m, s.layers))
	if appended-s.appended > maxPointDeletes {
		b.DeleteRange(entryKey(s.appended+1), entryKey(appended+1))
		return b
	}
	for seq := s.appended + 1; seq <= appended; seq++ {
		b.Delete(entryKey(seq))
	}
	return b
}
