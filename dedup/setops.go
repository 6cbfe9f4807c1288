package dedup

import (
	"errors"
	"fmt"
	"math/bits"
)

// ErrMismatch is in the chain of the errors about two filters, signatures or
// indexes that cannot be combined or compared, because they would write one key
// to different bits.
var ErrMismatch = errors.New("dedup: they are made differently")

// Union adds to b all keys of o: the result is bit for bit the filter that
// would be if the keys of both had been added to one (bitwise OR). Both must
// have the same size, lines a key and seed; otherwise it returns an error that
// wraps ErrMismatch and changes nothing. It reads all of both filters.
func (b *Bloom) Union(o *Bloom) error {
	if err := b.match(o); err != nil {
		return err
	}
	b.combine(o, or64)
	return nil
}

// Intersect keeps in b what o has too (bitwise AND). It loses no key that was
// added to both, and errs no more often than the better one of the two; but it
// may err more often than a filter built from the common keys alone, since bits
// that different keys set in both stay. It has the conditions of Union.
func (b *Bloom) Intersect(o *Bloom) error {
	if err := b.match(o); err != nil {
		return err
	}
	b.combine(o, and64)
	return nil
}

// match returns an error unless b and o write every key to the same bits. It
// does not print the seeds: they are secret.
func (b *Bloom) match(o *Bloom) error {
	switch {
	case len(b.lines) != len(o.lines):
		return fmt.Errorf("%w: %d and %d bits", ErrMismatch, b.Bits(), o.Bits())
	case b.reach != o.reach:
		return fmt.Errorf("%w: one and two lines a key", ErrMismatch)
	case b.seed != o.seed:
		return fmt.Errorf("%w: different seeds", ErrMismatch)
	}
	return nil
}

// combine sets every word of b to op of it and that of o.
func (b *Bloom) combine(o *Bloom, op func(x, y uint64) uint64) {
	for i := range b.lines {
		combine(b.lines[i][:], o.lines[i][:], op)
	}
}

// Union adds to c all keys of o, like Bloom.Union. Both must have the same
// size, number of hash functions and seed.
func (c *Classic) Union(o *Classic) error {
	if err := c.match(o); err != nil {
		return err
	}
	c.ones = combine(c.words, o.words, or64)
	return nil
}

// Intersect keeps in c what o has too, like Bloom.Intersect. Both must have the
// same size, number of hash functions and seed.
func (c *Classic) Intersect(o *Classic) error {
	if err := c.match(o); err != nil {
		return err
	}
	c.ones = combine(c.words, o.words, and64)
	return nil
}

// match is what Bloom.match is.
func (c *Classic) match(o *Classic) error {
	switch {
	case c.m != o.m:
		return fmt.Errorf("%w: %d and %d bits", ErrMismatch, c.m, o.m)
	case c.k != o.k:
		return fmt.Errorf("%w: %d and %d hash functions", ErrMismatch, c.k, o.k)
	case c.seed != o.seed:
		return fmt.Errorf("%w: different seeds", ErrMismatch)
	}
	return nil
}

// Union adds to m all URLs of o, like Bloom.Union, layer by layer. Both must
// come from the same Config, seed included.
func (m *Multilayer) Union(o *Multilayer) error { return m.each(o, or64) }

// Intersect keeps in m what o has too, like Bloom.Intersect, layer by layer.
// Both must come from the same Config, seed included. A prefix of URLs of both
// stays known, even if no URL below it is in both.
func (m *Multilayer) Intersect(o *Multilayer) error { return m.each(o, and64) }

// each combines all arrays of m with those of o, if all of them match.
func (m *Multilayer) each(o *Multilayer, op func(x, y uint64) uint64) error {
	if len(m.layers) != len(o.layers) {
		return fmt.Errorf("%w: %d and %d layers", ErrMismatch, len(m.layers), len(o.layers))
	}
	if *m.hash != *o.hash {
		return fmt.Errorf("%w: different seeds", ErrMismatch)
	}
	for i := range m.layers {
		if err := m.layers[i].match(&o.layers[i]); err != nil {
			return fmt.Errorf("%w (layer %d)", err, i+1)
		}
	}
	if err := m.last.match(&o.last); err != nil {
		return fmt.Errorf("%w (last array)", err)
	}
	for i := range m.layers {
		m.layers[i].combine(&o.layers[i], op)
	}
	m.last.combine(&o.last, op)
	return nil
}

// combine sets every word of dst to op of it and that of src, and returns how
// many bits are set then.
func combine(dst, src []uint64, op func(x, y uint64) uint64) (ones int64) {
	for i, y := range src {
		dst[i] = op(dst[i], y)
		ones += int64(bits.OnesCount64(dst[i]))
	}
	return ones
}

func or64(x, y uint64) uint64  { return x | y }
func and64(x, y uint64) uint64 { return x & y }

// each combines all arrays of p with those of o, if they match.
func (p *PublishedMultilayer) each(o *PublishedMultilayer, op func(x, y uint64) uint64) error {
	if len(p.layers) != len(o.layers) {
		return fmt.Errorf("%w: %d and %d layers", ErrMismatch, len(p.layers), len(o.layers))
	}
	if err := p.last.match(&o.last); err != nil { // all arrays of a filter are alike
		return err
	}
	for i := range p.layers {
		p.layers[i].ones = combine(p.layers[i].words, o.layers[i].words, op)
	}
	p.last.ones = combine(p.last.words, o.last.words, op)
	return nil
}
