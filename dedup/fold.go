package dedup

import "fmt"

// Fold makes c half as large: bit for bit the filter that NewClassic with half the bits would be
// after the same keys. A filter that was made for more keys than came takes no more memory than
// these need (HBase does so with the filters of its files). The number of bits must be even;
// otherwise Fold returns ErrMismatch and changes nothing.
func (c *Classic) Fold() error {
	if c.m%2 != 0 {
		return fmt.Errorf("%w: a filter of %d bits cannot be folded in the middle", ErrMismatch, c.m)
	}
	// A key's position is the integer part of x·m for an x below 1; with half of m it is half as
	// large, rounded down. So neighbours fall on each other.
	half := &Classic{words: make([]uint64, (c.m/2+63)/64), m: c.m / 2, k: c.k, seed: c.seed}
	for i := range half.m {
		if c.isSet(2*i) || c.isSet(2*i+1) {
			half.ones += int64(half.set(i))
		}
	}
	*c = *half
	return nil
}

// Fold makes b half as large: bit for bit the filter that NewBloom with half the lines would be
// after the same keys. It takes no memory and reads the filter once. The number of lines must be
// even and a key be in one of them (Size.Lines 1: where the second one lies depends on the size);
// otherwise Fold returns ErrMismatch and changes nothing.
func (b *Bloom) Fold() error {
	n := len(b.lines)
	if n == 0 || n%2 != 0 || b.reach != 0 {
		return fmt.Errorf("%w: a filter of %d lines, with a second one for a key %d lines ahead at most, cannot be folded in the middle", ErrMismatch, n, b.reach)
	}
	// A key's line is the integer part of x·n for an x below 1, as a Classic's bit is.
	for i := range n / 2 {
		b.lines[i] = b.lines[2*i].or(&b.lines[2*i+1])
	}
	clear(b.lines[n/2:])
	b.lines = b.lines[:n/2]
	return nil
}

// Shrink folds b while the rate that it then expects (see ExpectedRate) is at most the given one,
// and returns how many times it did. A filter that was made for the most keys that may come is
// then at most twice as large as those that came need; a number of lines that has few factors of
// two ends that earlier. It reads the filter up to twice.
func (b *Bloom) Shrink(rate float64) (times int) {
	for len(b.lines)%2 == 0 && b.reach == 0 {
		folded := meanOfLines(len(b.lines)/2, func(i, _ int) float64 {
			l := b.lines[2*i].or(&b.lines[2*i+1])
			return l.rate()
		})
		if folded > rate || b.Fold() != nil {
			break
		}
		times++
	}
	return times
}

// or returns the union of two lines.
func (l *line) or(m *line) (u line) {
	for i := range u {
		u[i] = l[i] | m[i]
	}
	return u
}
