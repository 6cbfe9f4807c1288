package stats

import (
	"math/bits"

	"crawler/internal/binform"
)

const (
	countKind    binform.Kind = "CSKT"
	countVersion uint16       = 1
)

// AppendBinary appends the sketch's binary form, described in
// docs/format/sketches.md, to dst. It holds what the seed was made into, which is
// as secret as the seed. The error is always nil.
func (s *CountSketch) AppendBinary(dst []byte) ([]byte, error) {
	e := binform.Begin(dst, countKind, countVersion)
	e.Uint64(s.key)
	e.Uint32(uint32(s.depth))
	e.Uint32(uint32(s.width))
	for _, c := range s.cells {
		e.Int64(c)
	}
	return e.Close(), nil
}

// MarshalBinary returns the sketch's binary form, see AppendBinary.
func (s *CountSketch) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// UnmarshalBinary makes s the sketch of a binary form. If the form is not valid, s
// stays as it was.
func (s *CountSketch) UnmarshalBinary(data []byte) error {
	d, _, err := binform.Open(data, countKind, countVersion)
	if err != nil {
		return err
	}
	f := CountSketch{key: d.Uint64(), depth: int(d.Uint32()), width: int(d.Uint32())}
	d.Check(f.depth >= 1 && f.depth <= MaxDepth && f.depth%2 == 1, "depth %d", f.depth)
	d.Check(f.width >= MinWidth && f.width <= MaxWidth && bits.OnesCount(uint(f.width)) == 1, "width %d", f.width)
	d.Check(f.depth*f.width == d.Left()/8, "%d rows of %d, %d bytes there", f.depth, f.width, d.Left())
	if !d.OK() {
		return d.Close()
	}
	f.cells = make([]int64, f.depth*f.width)
	for i := range f.cells {
		f.cells[i] = d.Int64()
	}
	f.checkRows(d)
	if err := d.Close(); err != nil {
		return err
	}
	*s = f
	return nil
}

// checkRows checks that all rows can be of one stream: every occurrence adds 1 to
// one counter of each row or takes 1 off, so their sums are all odd or all even, and
// no row has more in it than may be added.
func (s *CountSketch) checkRows(d *binform.Decoder) {
	var odd [MaxDepth]int64
	for i := range s.depth {
		sum := uint64(0)
		for _, c := range s.row(i) {
			odd[i] ^= c & 1
			sum = addUp(sum, uint64(max(c, -c))) // right for the least too
		}
		d.Check(sum < 1<<63, "a row of 2^63 or more")
		d.Check(odd[i] == odd[0], "rows of different streams")
	}
}
