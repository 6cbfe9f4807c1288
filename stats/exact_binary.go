package stats

import (
	"maps"
	"slices"

	"crawler/internal/binform"
)

const (
	exactKind    = binform.Kind("EXCT")
	exactVersion = 1
)

// Merge adds the counts of o, which it leaves as they are. It needs no
// condition: the hashes are the words themselves.
func (e *Exact) Merge(o *Exact) {
	if e.counts == nil {
		e.counts = make(map[uint64]uint64, len(o.counts))
	}
	e.total += o.total
	for h, count := range o.counts {
		e.counts[h] += count
	}
}

// AppendBinary appends the binary form of the counts to dst: 28 bytes and 16
// for each different word, in the order of their hashes, so that equal counts
// have equal forms. The error is always nil.
func (e *Exact) AppendBinary(dst []byte) ([]byte, error) {
	to := binform.Begin(dst, exactKind, exactVersion)
	to.Uint32(uint32(len(e.counts)))
	for _, h := range slices.Sorted(maps.Keys(e.counts)) {
		to.Uint64(h)
		to.Uint64(e.counts[h])
	}
	return to.Close(), nil
}

// MarshalBinary returns the binary form; see AppendBinary.
func (e *Exact) MarshalBinary() ([]byte, error) { return e.AppendBinary(nil) }

// UnmarshalBinary replaces e by the counts that data is the form of. It returns
// an error that wraps binform.ErrFormat, and leaves e as it was, if data is no
// such form. It allocates at most some five times the length of data.
func (e *Exact) UnmarshalBinary(data []byte) error {
	from, _, err := binform.Open(data, exactKind, exactVersion)
	if err != nil {
		return err
	}
	var fresh Exact
	fresh.decode(from)
	if err := from.Close(); err != nil {
		return err
	}
	*e = fresh
	return nil
}

func (e *Exact) decode(from *binform.Decoder) {
	n := int(from.Uint32())
	from.Check(n <= from.Left()/16, "%d words, %d bytes there", n, from.Left())
	if !from.OK() {
		return
	}
	e.counts = make(map[uint64]uint64, n)
	last := uint64(0)
	for i := range n {
		h, count := from.Uint64(), from.Uint64()
		from.Check(i == 0 || h > last, "the words are not ascending")
		from.Check(count > 0, "a word with a count of 0")
		sum := addUp(e.total, count)
		from.Check(sum <= maxLength, "the counts add up to more than 2^62")
		e.counts[h], e.total, last = count, sum, h
	}
}
