package dedup

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"crawler/internal/splitmix"
)

// ErrNotListed says that an Invertible holds more than it can list.
var ErrNotListed = errors.New("dedup: too many keys are left to list them all")

// Sizes of an Invertible.
const (
	MinInvertibleHashes     = 2
	MaxInvertibleHashes     = 8
	DefaultInvertibleHashes = 4
	MaxInvertibleCells      = 1 << 28
)

// Invertible finds the stragglers: of keys that go in and out, in any number and order, those
// that are left, without a list of the keys inside. It is an invertible Bloom filter (Eppstein
// and Goodrich 2011, "Straggler identification in round-trip data streams via Newton's
// identities and invertible Bloom filters"): an array of cells, of which each key has k. A cell
// has the number of keys in it, their sum and the sum of their hashes. A key that leaves is
// subtracted, so that only those inside matter, however many have passed. In a cell with one
// key the sum is that key: it is listed and taken out of its other cells, in which another
// key may then be alone, and so on.
//
// That ends with all keys listed, nearly always, while there are at most 0.77 keys a cell with
// four hash functions and many cells, 0.82 with three, 0.70 with five (Goodrich and Mitzenmacher
// 2011, "Invertible Bloom lookup tables", theorem 1); a table of few cells holds less. With more
// keys none is listed wrongly, but some are not listed at all, and List says so.
//
// A key may be inside several times, and one that left without having been in has a negative
// count: both are listed with that count. Sums are of 128 bits, so a cell can tell a key that
// is in it c times from c different ones. Counts are exact below 2^31 keys at once.
//
// In and Out take k cache misses; List looks at every cell. A cell takes 32 bytes. The cells of
// a key come from its value and the seed, so keys need not be hashes. Tables of one size and
// seed can be subtracted: what is left is the difference of the two sets. Not safe for
// concurrent use.
type Invertible struct {
	cells []invertibleCell
	k     int
	seed  uint64
}

// invertibleCell adds up its keys.
type invertibleCell struct {
	count  int64
	hi, lo uint64 // the sum of the keys, in two's complement
	check  uint64 // the sum of their hashes, modulo 2^64
}

// Left is a key that is inside Count times, or left so many times too often.
type Left struct {
	Key   uint64
	Count int64 // never 0
}

// NewInvertible returns an empty table of the given number of cells, rounded up to a multiple
// of k; k is the number of cells of a key, 0 for DefaultInvertibleHashes.
func NewInvertible(cells, k int, seed uint64) (*Invertible, error) {
	k = or(k, DefaultInvertibleHashes)
	switch {
	case k < MinInvertibleHashes || k > MaxInvertibleHashes:
		return nil, fmt.Errorf("dedup: an invertible filter of %d hash functions, want %d to %d, or 0 for %d",
			k, MinInvertibleHashes, MaxInvertibleHashes, DefaultInvertibleHashes)
	case cells < 1 || cells > MaxInvertibleCells:
		return nil, fmt.Errorf("dedup: an invertible filter of %d cells, want 1 to %d", cells, MaxInvertibleCells)
	}
	return &Invertible{cells: make([]invertibleCell, (cells+k-1)/k*k), k: k, seed: seed}, nil
}

// In counts a key that comes in.
func (f *Invertible) In(key uint64) { f.add(f.cells, key, 1) }

// Out counts a key that leaves.
func (f *Invertible) Out(key uint64) { f.add(f.cells, key, -1) }

// Cells returns the number of cells.
func (f *Invertible) Cells() int { return len(f.cells) }

// Bytes returns the memory of the cells.
func (f *Invertible) Bytes() int { return 32 * len(f.cells) }

// Subtract takes from f all keys of o: what is left is what only f has, and with negative counts
// what only o has. Both must have the same size, number of hash functions and seed; otherwise
// it returns ErrMismatch and changes nothing.
func (f *Invertible) Subtract(o *Invertible) error {
	switch {
	case len(f.cells) != len(o.cells):
		return fmt.Errorf("%w: %d and %d cells", ErrMismatch, len(f.cells), len(o.cells))
	case f.k != o.k:
		return fmt.Errorf("%w: %d and %d hash functions", ErrMismatch, f.k, o.k)
	case f.seed != o.seed:
		return fmt.Errorf("%w: different seeds", ErrMismatch)
	}
	for i := range f.cells {
		c, other := &f.cells[i], &o.cells[i]
		var borrow uint64
		c.lo, borrow = bits.Sub64(c.lo, other.lo, 0)
		c.hi, _ = bits.Sub64(c.hi, other.hi, borrow)
		c.count -= other.count
		c.check -= other.check
	}
	return nil
}

// List returns the keys that are left, in ascending order. If they are too many for the table
// it returns those it could find, all of them right, and ErrNotListed. The table stays as it is.
func (f *Invertible) List() ([]Left, error) {
	cells := slices.Clone(f.cells)
	queue := make([]int, len(cells)) // cells to look at
	for i := range queue {
		queue[i] = i
	}
	found := map[uint64]int64{}
	// A key that is listed empties a cell for good, so there are at most as many as cells; the
	// bound is for sums that only look like a key.
	for listed := 0; len(queue) > 0 && listed <= 2*len(cells); {
		at := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		key, count, ok := f.alone(&cells[at])
		if !ok || !f.has(key, at) {
			continue
		}
		listed++
		found[key] += count
		f.add(cells, key, -count)
		for i := range f.k {
			queue = append(queue, f.cell(key, i))
		}
	}
	var left []Left
	for key, count := range found {
		if count != 0 {
			left = append(left, Left{key, count})
		}
	}
	slices.SortFunc(left, func(a, b Left) int {
		if a.Key < b.Key {
			return -1
		}
		return 1
	})
	if slices.ContainsFunc(cells, func(c invertibleCell) bool { return c != invertibleCell{} }) {
		return left, ErrNotListed
	}
	return left, nil
}

// add adds a key to its cells as often as count says.
func (f *Invertible) add(cells []invertibleCell, key uint64, count int64) {
	high, low := bits.Mul64(key, uint64(count))
	if count < 0 {
		high -= key // what the sign bit would add, were count not negative
	}
	check := f.check(key) * uint64(count)
	for i := range f.k {
		c := &cells[f.cell(key, i)]
		var carry uint64
		c.lo, carry = bits.Add64(c.lo, low, 0)
		c.hi, _ = bits.Add64(c.hi, high, carry)
		c.count += count
		c.check += check
	}
}

// alone returns the key of a cell that has no other, and how often it is in it.
func (f *Invertible) alone(c *invertibleCell) (key uint64, count int64, ok bool) {
	hi, lo, n := c.hi, c.lo, uint64(c.count)
	if c.count < 0 {
		var borrow uint64
		n = -n
		lo, borrow = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, borrow)
	}
	if n == 0 || hi >= n {
		return 0, 0, false
	}
	key, rest := bits.Div64(hi, lo, n)
	return key, c.count, rest == 0 && c.check == f.check(key)*uint64(c.count)
}

// has reports whether a cell is one of the key's.
func (f *Invertible) has(key uint64, at int) bool {
	return f.cell(key, at/(len(f.cells)/f.k)) == at
}

// cell returns where the i-th cell of a key is. The cells are in k parts, so that those of a key
// are different ones.
func (f *Invertible) cell(key uint64, i int) int {
	part := uint64(len(f.cells) / f.k)
	return i*int(part) + int(place(splitmix.Finish(key^f.seed)+uint64(i)*splitmix.Golden, part))
}

func (f *Invertible) check(key uint64) uint64 {
	return splitmix.Finish(splitmix.Finish(key^f.seed) - splitmix.Golden)
}
