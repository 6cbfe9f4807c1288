package dedup

import (
	"errors"
	"fmt"
)

// Errors of Spectral.Remove and Spectral.Merge.
var (
	// ErrNotCounted says that a key to be removed was certainly never added.
	ErrNotCounted = errors.New("dedup: the key was not counted")

	// ErrMethod is in the chain of the errors about operations that a filter's
	// method does not allow.
	ErrMethod = errors.New("the method does not allow it")
)

// SpectralMethod is how a Spectral counts.
type SpectralMethod uint8

const (
	// MinimumSelection raises all counters of a key and answers with their
	// minimum (Cohen and Matias 2003). The answer is never below
	// the truth, and above it only if every counter is shared: for as few keys
	// as a Bloom filter has false positives. It can remove and merge.
	MinimumSelection SpectralMethod = iota

	// MinimalIncrease raises only the counters that hold the minimum. The answer
	// is never below the truth; on counts of links it was wrong 0.55 times as
	// often, and by a sixth as much. But nothing can be removed.
	MinimalIncrease

	// RecurringMinimum trusts a minimum that more than one counter of the key
	// has; keys with a single minimum are counted again in a second, smaller
	// filter. It can remove. It is kept for comparison: at equal
	// memory its answers are wrong more often than those of the others, and
	// can be below the truth even if nothing was ever removed.
	RecurringMinimum
)

// String returns the method's name.
func (m SpectralMethod) String() string {
	names := [...]string{"minimum selection", "minimal increase", "recurring minimum"}
	if int(m) < len(names) {
		return names[m]
	}
	return fmt.Sprintf("SpectralMethod(%d)", uint8(m))
}

// Spectral counts how often each key was added: a Bloom filter with counters
// for bits (Cohen and Matias, "Spectral Bloom Filters", 2003). A crawl counts
// with it the links that lead to each page, or the URLs of each host, without a
// table of names: 8 bytes a key, whatever the key.
//
// A key has four counters of 8 bits, one in each quarter of a cache line of 64;
// the few that pass 254 continue in a table. The line comes from the high bits of
// the hash, the counters from the hash mixed with the seed, so keys must be
// hashes, as for Bloom.
//
// Counts go up to 2^64-1. A counter that arrives there stays there, so the
// answers for its keys stay upper bounds.
//
// Add, Count and Remove cost one cache miss (RecurringMinimum up to two), and
// for keys added 255 times or more a look into the table besides: among 125,000
// pages 15 ns an Add by MinimumSelection, 28 by MinimalIncrease and 45 by
// RecurringMinimum; 14 to 20 ns a Count, 40 by the last. Where every page was
// added 300 times, so that the table is large, Add and Count take 130 to 250 ns,
// 300 to 350 by the last (BenchmarkSpectralLarge). Only growth of the table
// allocates: 16 bytes for each counter in it and at most three times as much for
// its gaps. It has at most one entry a counter, and by the first two methods, when
// every occurrence was added by itself, one for each 63 occurrences; on counts of
// links it took a tenth as much as the lines. A Spectral is not safe for
// concurrent use.
type Spectral struct {
	method SpectralMethod
	seed   uint64
	first  tallies
	second tallies // RecurringMinimum only
}

// NewSpectral returns an empty filter.
func NewSpectral(c SpectralConfig) (*Spectral, error) {
	size, err := c.size()
	if err != nil {
		return nil, err
	}
	lines := int(spectralLines(size))
	s := &Spectral{method: c.Method, seed: c.Seed}
	if s.method == RecurringMinimum {
		second := max(1, lines/secondShare)
		s.second = newTallies(second)
		lines = max(1, lines-second)
	}
	s.first = newTallies(lines)
	return s, nil
}

// secondShare is which part of the memory RecurringMinimum gives its second
// filter. On counts of links a fifth did better than a third, which is half as
// much as the first one has, and than a ninth.
const secondShare = 5

// Method returns how the filter counts.
func (s *Spectral) Method() SpectralMethod { return s.method }

// Bytes returns how much memory the filter takes, the table of large counters
// included.
func (s *Spectral) Bytes() int64 { return s.first.bytes() + s.second.bytes() }

// ExpectedErrorRate returns the chance that a key's count is wrong now, computed
// from the share of the counters in use: exactly so for MinimumSelection, at
// most so for MinimalIncrease. It is also the chance that a key that was never
// added is counted, by all three. For RecurringMinimum it is that of the first
// filter alone. It reads as much memory as Bloom.ExpectedRate at most.
func (s *Spectral) ExpectedErrorRate() float64 { return s.first.rate() }

// place returns a key's line in the first filter, and the mixed hash that
// chooses its counters there.
func (s *Spectral) place(h uint64) (i, m uint64) {
	return s.first.lineOf(h), fold(h^s.seed, mulFirst)
}

// placeSecond is place for the second filter. Its line is drawn anew: keys that
// crowd a line of the first filter, and so come here, must not crowd another.
func (s *Spectral) placeSecond(m uint64) (i, m2 uint64) {
	m2 = fold(m, mulSecond)
	return s.second.lineOf(m2), m2
}

// Add counts the key with hash h once.
func (s *Spectral) Add(h uint64) { s.AddN(h, 1) }

// AddN counts the key with hash h n times.
func (s *Spectral) AddN(h, n uint64) {
	i, m := s.place(h)
	switch {
	case n == 0:
	case s.method == MinimalIncrease:
		s.first.lift(i, m, n)
	default:
		s.first.add(i, m, n)
		if s.method == RecurringMinimum && !s.first.recurring(i, m) {
			s.addSecond(m, n, s.first.min(i, m))
		}
	}
}

// addSecond counts a key with a single minimum in the second filter: one that is
// there n times more, any other as often as that minimum says. A key that is
// not there has a counter at 0, so to add the minimum to all its counters is to
// set its count, and leaves the other keys what they have.
func (s *Spectral) addSecond(m, n, minimum uint64) {
	i, m2 := s.placeSecond(m)
	if s.second.min(i, m2) == 0 {
		n = minimum
	}
	s.second.add(i, m2, n)
}

// Remove takes back one occurrence of the key with hash h. It returns
// ErrNotCounted if there can be none. A key that was never added must not be
// removed: where the filter does not notice, other keys lose the occurrence.
//
// With MinimalIncrease it returns ErrMethod. There an occurrence raised only
// some of the key's counters, and nobody knows which: to lower them all would
// take from other keys what they added, and leave them counts below the truth,
// down to 0 for keys that are there.
func (s *Spectral) Remove(h uint64) error {
	if s.method == MinimalIncrease {
		return fmt.Errorf("dedup: %w: %v cannot remove", ErrMethod, s.method)
	}
	i, m := s.place(h)
	if s.first.min(i, m) == 0 {
		return ErrNotCounted
	}
	s.first.sub(i, m)
	if s.method == RecurringMinimum && !s.first.recurring(i, m) {
		if i, m2 := s.placeSecond(m); s.second.min(i, m2) > 0 {
			s.second.sub(i, m2)
		}
	}
	return nil
}

// Count returns how often the key with hash h was added, less how often it was
// removed: never too few by MinimumSelection and MinimalIncrease. 0 is certain.
func (s *Spectral) Count(h uint64) uint64 {
	i, m := s.place(h)
	count := s.first.min(i, m)
	if s.method != RecurringMinimum || s.first.recurring(i, m) {
		return count
	}
	i, m2 := s.placeSecond(m)
	if second := s.second.min(i, m2); second > 0 {
		return second
	}
	return count
}

// Merge adds what o counted to s, counter by counter. For MinimumSelection the
// outcome is the filter of both streams. For MinimalIncrease it counts never
// too few, but errs more often than one filter of both streams would: a counter
// is at least as high as each part's truth, and their sum as that of both.
//
// The filters must have the same method, size and seed, otherwise Merge returns
// ErrMismatch. It returns ErrMethod for RecurringMinimum: a key may be in one of
// the second filters and not in the other, and the sum would then lack the part
// that only a first filter counted. In either case s stays as it was.
func (s *Spectral) Merge(o *Spectral) error {
	switch {
	case s.method != o.method || len(s.first.lines) != len(o.first.lines) || s.seed != o.seed:
		return fmt.Errorf("%w: another method, size or seed", ErrMismatch)
	case s.method == RecurringMinimum:
		return fmt.Errorf("dedup: %w: %v cannot merge", ErrMethod, s.method)
	}
	s.first.addAll(&o.first)
	return nil
}
