package dedup

import (
	"slices"

	"crawler/internal/binform"
)

// AppendBinary appends s's binary form to dst: its hashes in ascending order.
func (s *Set) AppendBinary(dst []byte) ([]byte, error) {
	e := begin(dst, kindSet, 8+8*int64(s.n))
	s.encode(e)
	return e.Close(), nil
}

// MarshalBinary returns s's binary form.
func (s *Set) MarshalBinary() ([]byte, error) { return s.AppendBinary(nil) }

// UnmarshalBinary makes s the set whose form data is. It takes linear time, also
// for hashes that are not uniform.
func (s *Set) UnmarshalBinary(data []byte) error {
	d, err := open(data, kindSet)
	if err != nil {
		return err
	}
	var fresh Set
	fresh.decode(d)
	if err := d.Close(); err != nil {
		return err
	}
	*s = fresh
	return nil
}

// encode writes the number of hashes, then all of them.
func (s *Set) encode(e *binform.Encoder) {
	e.Int64(int64(s.n))
	for h := range s.All {
		e.Uint64(h)
	}
}

// decode reads what encode wrote into s, which is new.
func (s *Set) decode(d *binform.Decoder) {
	n := d.Int64()
	d.Check(n >= 0 && n <= int64(d.Left()/8), "%d hashes in %d bytes", n, d.Left())
	if !d.OK() {
		return
	}
	hashes := d.Uint64s(nil, int(n))
	for i := 1; i < len(hashes); i++ {
		if hashes[i-1] >= hashes[i] {
			d.Check(false, "hashes are not ascending")
			return
		}
	}
	s.fill(hashes)
}

// fill fills s, which is empty, with ascending hashes. The tables get the sizes
// that Add would have given them.
func (s *Set) fill(hashes []uint64) {
	s.n = len(hashes)
	if s.n > 0 && hashes[0] == 0 {
		s.zero = true
		hashes = hashes[1:]
	}
	for i := range s.tables {
		end, _ := slices.BinarySearch(hashes, uint64(i+1)<<(64-tableBits))
		if i == len(s.tables)-1 {
			end = len(hashes)
		}
		s.tables[i].fill(hashes[:end], 16+uint64(i)/4)
		hashes = hashes[end:]
	}
}

// fill makes t, which is empty, a table of ascending hashes, grown from the
// given number of homes.
func (t *table) fill(hashes []uint64, homes uint64) {
	if len(hashes) == 0 {
		return
	}
	for uint64(len(hashes)-1)*8 >= homes*7 {
		homes += homes / 4
	}
	t.slots, t.used = hashes, len(hashes)
	t.rebuild(homes)
}
